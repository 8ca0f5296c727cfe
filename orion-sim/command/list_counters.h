/* SPDX-License-Identifier: MIT */
/* list_counters.h - the part of the command list about counters of the kernel. */
#ifndef ORION_COMMAND_LIST_COUNTERS_H
#define ORION_COMMAND_LIST_COUNTERS_H

struct error;

/* Their sources. 0. */
int list_counters_names(struct error *error);

/* One source with the counters that this machine has; all by name for null. ERROR_INPUT. */
int list_counters_details(const char *name, struct error *error);

#endif
