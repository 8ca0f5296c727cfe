/* SPDX-License-Identifier: MIT */
/* pool.h - the kernel's pools of huge pages: what is there, free, reserved. */
#ifndef ORION_MEMORY_POOL_H
#define ORION_MEMORY_POOL_H

#include <stddef.h>
#include <stdint.h>

struct error;

#define POOL_ALL_NODES (-1)

struct pool {
	uint64_t pages;	   /* all of them, surplus ones included */
	uint64_t free;	   /* neither in use … */
	uint64_t reserved; /* … nor promised to a mapping; 0 for one node, which keeps no count */
	uint64_t surplus;  /* taken beyond the persistent ones, and given back once unused */
	uint64_t overcommit; /* how many surplus ones there may be; 0 for one node */
};

/* Of all nodes or of one. root: "" for the machine. ERROR_CANNOT where the size does not exist. */
int pool_read(const char *root, int node, uint64_t page_bytes, struct pool *ret,
	      struct error *error);

/* Pages that are free and promised to nobody. */
uint64_t pool_spare(const struct pool *pool);

/* ERROR_CANNOT with need, present value and command if bytes cannot be had from all nodes. */
int pool_check(const char *root, uint64_t page_bytes, uint64_t bytes, struct error *error);

/* …/hugepages-SIZEkB/FILE of all nodes or of one. */
const char *pool_path(const char *root, int node, uint64_t page_bytes, const char *file, char *text,
		      size_t size);

#endif
