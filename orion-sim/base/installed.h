/* SPDX-License-Identifier: MIT */
/* installed.h - what is installed with the program for itself alone, and where it is. */
#ifndef ORION_BASE_INSTALLED_H
#define ORION_BASE_INSTALLED_H

struct error;

#define INSTALLED_PATH_BYTES 512

/*
 * Finds a folder of ours by its name: in libexec/orion-sim beside the program, in the tree that it
 * was built in or the prefix that it was installed to, else where it was to be installed. What is
 * in it will be run, so it must belong to root or to the owner of the program. -ENOENT with where
 * it was looked for.
 */
int installed_find(const char *name, char path[INSTALLED_PATH_BYTES], struct error *error);

#endif
