/* SPDX-License-Identifier: MIT */
/* pattern.h - where the next I/O goes. */
#ifndef ORION_WORKLOAD_PATTERN_H
#define ORION_WORKLOAD_PATTERN_H

#include <stdint.h>

#include "base/random.h"

enum pattern_kind { PATTERN_RANDOM, PATTERN_SEQUENTIAL };

/* Blocks of all targets in one row: block b lies in the target whose first[] it has passed. */
struct pattern {
	enum pattern_kind kind;
	struct random random;
	uint64_t n_blocks, next;
	unsigned n_targets;
	uint64_t first[65]; /* first block of each target, and n_blocks behind the last */
	uint64_t offset_bytes, block_bytes;
};

struct pattern_place {
	uint32_t target;
	uint64_t offset_bytes;
};

/*
 * Blocks of block_bytes from offset_bytes on, length_bytes of each target (0: to its end; the last
 * partial block is left out). Sequential workers start at index/workers of the whole. n_targets at
 * most 64.
 */
void pattern_init(struct pattern *pattern, enum pattern_kind kind, const uint64_t *range_bytes,
		  unsigned n_targets, uint64_t offset_bytes, uint64_t block_bytes, uint64_t seed,
		  unsigned index, unsigned workers);

struct pattern_place pattern_next(struct pattern *pattern);

#endif
