/* SPDX-License-Identifier: MIT */
/* pattern.h - which block of the volume the next I/O goes to. */
#ifndef ORION_WORKLOAD_PATTERN_H
#define ORION_WORKLOAD_PATTERN_H

#include <stdint.h>

#include "base/random.h"

enum pattern_kind { PATTERN_RANDOM, PATTERN_SEQUENTIAL };

struct pattern {
	enum pattern_kind kind;
	struct random random;
	uint64_t n_blocks;
	uint64_t begin, end, next; /* sequential: the worker's own share */
};

/*
 * Blocks 0 to n_blocks - 1, of which there is at least one. A sequential worker walks its share of
 * them, from index/workers on, and begins again at its end: workers do not overlap unless there are
 * more of them than blocks.
 */
void pattern_open(struct pattern *pattern, enum pattern_kind kind, uint64_t n_blocks, uint64_t seed,
		  unsigned index, unsigned workers);

static inline uint64_t pattern_next(struct pattern *pattern)
{
	uint64_t block;

	if (pattern->kind == PATTERN_RANDOM)
		return random_below(&pattern->random, pattern->n_blocks);
	block = pattern->next++;
	if (pattern->next == pattern->end)
		pattern->next = pattern->begin;
	return block;
}

#endif
