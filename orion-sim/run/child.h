/* SPDX-License-Identifier: MIT */
/* child.h - how a process that we fork settles: runners, and workers that are processes. */
#ifndef ORION_RUN_CHILD_H
#define ORION_RUN_CHILD_H

#include <sys/types.h>

/*
 * In the child, right after fork: it dies with its parent (at once where that is gone already), and
 * ignores INT, HUP and PIPE, since the terminal sends them to every process of the group and only
 * the program acts on them. Its threads, and processes that it forks, have its name (at most 15
 * characters), as ps and top show it.
 */
void child_settle(pid_t parent, const char *name);

#endif
