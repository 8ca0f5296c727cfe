/* SPDX-License-Identifier: MIT */
/* pattern.h - where the next I/O goes. */
#ifndef ORION_WORKLOAD_PATTERN_H
#define ORION_WORKLOAD_PATTERN_H

#include <stdint.h>

#include "base/random.h"

struct error;

enum pattern_kind { PATTERN_RANDOM, PATTERN_SEQUENTIAL };

/* Blocks of all targets in one row: block b lies in the target whose first[] it has passed. */
struct pattern {
	enum pattern_kind kind;
	struct random random;
	uint64_t n_blocks, next;
	unsigned n_targets;
	uint64_t *first; /* owned: first block of each target, and n_blocks behind the last */
	/*
	 * Owned, for more than one target: the targets of the blocks b << shift, one cell each, so
	 * that looking one up costs the same for two as for a thousand.
	 */
	uint32_t *guide;
	unsigned shift;
	uint64_t offset_bytes, block_bytes;
};

struct pattern_place {
	uint32_t target;
	uint64_t offset_bytes;
};

/*
 * Whole blocks of block_bytes in each of n_targets ranges, which are range_bytes[] long and begin
 * at offset_bytes of their target. Sequential workers start at index/workers of the whole.
 * Allocates; ERROR_INPUT where no range holds a block, -ENOMEM.
 */
int pattern_open(struct pattern *pattern, enum pattern_kind kind, const uint64_t *range_bytes,
		 unsigned n_targets, uint64_t offset_bytes, uint64_t block_bytes, uint64_t seed,
		 unsigned index, unsigned workers, struct error *error);
void pattern_close(struct pattern *pattern);

/*
 * The target that holds a block, for more than one target. A cell of the guide in which at most one
 * target begins is decided without a branch: half of them would be mispredicted. Cells in which
 * more begin are as rare among the blocks as such targets are small.
 */
static inline uint32_t pattern_find(const struct pattern *pattern, uint64_t block)
{
	uint32_t target = pattern->guide[block >> pattern->shift];

	target += block >= pattern->first[target + 1];
	while (__builtin_expect(block >= pattern->first[target + 1], 0))
		target++;
	return target;
}

static inline struct pattern_place pattern_next(struct pattern *pattern)
{
	struct pattern_place place = {.target = 0};
	uint64_t block;

	if (pattern->kind == PATTERN_RANDOM) {
		block = random_below(&pattern->random, pattern->n_blocks);
	} else {
		block = pattern->next++;
		if (pattern->next == pattern->n_blocks)
			pattern->next = 0;
	}
	if (pattern->n_targets > 1)
		place.target = pattern_find(pattern, block);
	place.offset_bytes = pattern->offset_bytes +
			     (block - pattern->first[place.target]) * pattern->block_bytes;
	return place;
}

#endif
