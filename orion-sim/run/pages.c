/* SPDX-License-Identifier: MIT */
/* pages.c - huge pages that a runner had are free again before the next one needs them. */
#include "run/pages.h"

#include <stdbool.h>

#include "base/clock.h"
#include "memory/memory.h"
#include "memory/pool.h"
#include "run/point.h"

#define LOOK_AGAIN_NS UINT64_C(1000000)

void pages_note(const char *root, const struct run_point *point, struct pages *ret)
{
	struct memory_need needs[RUN_NEEDS_MAX];
	unsigned n = 0;

	ret->n = 0;
	run_point_needs(point, needs, &n, RUN_NEEDS_MAX);
	for (unsigned i = 0; i < n && ret->n < PAGES_SIZES_MAX; i++) {
		struct pool pool;

		if (needs[i].kind != MEMORY_NEED_HUGE_PAGES || node_set_count(&needs[i].nodes) ||
		    pool_read(root, POOL_ALL_NODES, needs[i].page_bytes, &pool, NULL))
			continue;
		ret->page_bytes[ret->n] = needs[i].page_bytes;
		ret->free[ret->n++] = pool.free;
	}
}

static bool pages_are_free(const char *root, const struct pages *pages)
{
	for (unsigned i = 0; i < pages->n; i++) {
		struct pool pool;

		if (!pool_read(root, POOL_ALL_NODES, pages->page_bytes[i], &pool, NULL) &&
		    pool.free < pages->free[i])
			return false;
	}
	return true;
}

void pages_await(const char *root, const struct pages *pages, uint64_t patience_ns)
{
	uint64_t deadline_ns = clock_now_ns() + patience_ns;

	while (!pages_are_free(root, pages) && clock_now_ns() < deadline_ns)
		clock_sleep_until(clock_now_ns() + LOOK_AGAIN_NS);
}
