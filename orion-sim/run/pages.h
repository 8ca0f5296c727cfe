/* SPDX-License-Identifier: MIT */
/* pages.h - huge pages that a runner had are free again before the next one needs them. */
#ifndef ORION_RUN_PAGES_H
#define ORION_RUN_PAGES_H

#include <stdint.h>

struct run_point;

#define PAGES_SIZES_MAX 8

/* How many were free of each size that a point needs, when nothing of ours had any. */
struct pages {
	unsigned n;
	uint64_t page_bytes[PAGES_SIZES_MAX], free[PAGES_SIZES_MAX];
};

/* Before the runner is started. root: "" for the machine. */
void pages_note(const char *root, const struct run_point *point, struct pages *ret);

/*
 * Once it has ended: a ring with registered buffers is torn down by the kernel later than the
 * process, and holds its pages until then. Waits for at most patience_ns, since others may have
 * taken them.
 */
void pages_await(const char *root, const struct pages *pages, uint64_t patience_ns);

#endif
