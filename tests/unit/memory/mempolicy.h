/* SPDX-License-Identifier: MIT */
/* mempolicy.h - mbind and move_pages of a test's own, to link with --wrap. */
#ifndef ORION_TESTS_MEMORY_MEMPOLICY_H
#define ORION_TESTS_MEMORY_MEMPOLICY_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "memory/place.h"

/* The kernel's side: the machine's own, or one of the test's. */
static struct {
	bool ours;
	int mbind_errno, move_pages_errno;
	int calls, mode;
	unsigned long nodes;
	int (*node_of)(uint64_t page); /* for move_pages */
	const char *begin;
	uint64_t page_bytes;
} kernel;

long __real_mbind(void *, unsigned long, int, const unsigned long *, unsigned long, unsigned);
long __wrap_mbind(void *address, unsigned long bytes, int mode, const unsigned long *nodes,
		  unsigned long bits, unsigned flags);
long __real_move_pages(int, unsigned long, void **, const int *, int *, int);
long __wrap_move_pages(int pid, unsigned long n, void **pages, const int *nodes, int *status,
		       int flags);

long __wrap_mbind(void *address, unsigned long bytes, int mode, const unsigned long *nodes,
		  unsigned long bits, unsigned flags)
{
	if (!kernel.ours)
		return __real_mbind(address, bytes, mode, nodes, bits, flags);
	kernel.calls++;
	kernel.mode = mode;
	kernel.nodes = nodes ? nodes[0] : 0;
	errno = kernel.mbind_errno;
	return errno ? -1 : 0;
}

long __wrap_move_pages(int pid, unsigned long n, void **pages, const int *nodes, int *status,
		       int flags)
{
	if (!kernel.ours)
		return __real_move_pages(pid, n, pages, nodes, status, flags);
	assert_null(nodes);
	errno = kernel.move_pages_errno;
	if (errno)
		return -1;
	for (unsigned long i = 0; i < n; i++) {
		uint64_t offset = (uint64_t)((const char *)pages[i] - kernel.begin);

		assert_int_equal(offset % kernel.page_bytes, 0);
		status[i] = kernel.node_of(offset / kernel.page_bytes);
	}
	return 0;
}

static inline int reset(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	return 0;
}

static inline struct place place_on(enum place_policy policy, int a, int b)
{
	struct place place = {.policy = policy, .cpu = -1};

	node_set_add(&place.nodes, a);
	node_set_add(&place.nodes, b);
	return place;
}

#endif
