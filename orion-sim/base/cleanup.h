/* SPDX-License-Identifier: MIT */
/* cleanup.h - release a local at the end of its scope, for setup code only. */
#ifndef ORION_BASE_CLEANUP_H
#define ORION_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(function) __attribute__((cleanup(function)))

/* CLEANUP(cleanup_free) char *text = …; */
static inline void cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

/* CLEANUP(cleanup_close) int fd = -1; */
static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* CLEANUP(cleanup_fclose) FILE *file = NULL; */
static inline void cleanup_fclose(FILE **file)
{
	if (*file)
		fclose(*file);
}

#endif
