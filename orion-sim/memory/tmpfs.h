/* SPDX-License-Identifier: MIT */
/* tmpfs.h - a mounted tmpfs, what it is mounted with, and files in it. */
#ifndef ORION_MEMORY_TMPFS_H
#define ORION_MEMORY_TMPFS_H

#include <stddef.h>
#include <stdint.h>

struct error;

struct tmpfs {
	char huge[16];	     /* the word behind huge=, "" without */
	uint64_t free_bytes; /* UINT64_MAX without a limit */
};

/* Of the tmpfs that folder lies on. ERROR_INPUT where it lies on anything else, or is missing. */
int tmpfs_read(const char *folder, struct tmpfs *ret, struct error *error);

/* The word behind huge= in a line of mountinfo; "" where there is none. */
const char *tmpfs_parse_huge(const char *line, char *word, size_t size);

/* A file of that size with a name of its own in folder, for the owner only; both returned. */
int tmpfs_create(const char *folder, uint64_t size_bytes, char *path, size_t path_size, int *ret_fd,
		 struct error *error);

#endif
