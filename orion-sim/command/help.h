/* SPDX-License-Identifier: MIT */
/* help.h - usage printed from the tables that parse it. */
#ifndef ORION_COMMAND_HELP_H
#define ORION_COMMAND_HELP_H

#include <stdio.h>

struct command_ops;

/* All commands with their summaries. */
void help_all(FILE *stream);

/* One command: usage, options with presets and bounds, to stdout. Returns an exit code. */
int help_command(const struct command_ops *command);

#endif
