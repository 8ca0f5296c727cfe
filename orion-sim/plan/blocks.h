/* SPDX-License-Identifier: MIT */
/* blocks.h - in which order a block, one run of every variant, goes through them. */
#ifndef ORION_PLAN_BLOCKS_H
#define ORION_PLAN_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define BLOCKS_PRESET 10
#define BLOCKS_MIN    6 /* the fewest pairs whose p can be below 0.05: 2^(1 - 6) */

/*
 * order[place] is the variant, from 0, that is run at that place of the block. Two variants change
 * places from block to block, AB BA AB, so that what drifts hits both alike; the seed says which
 * comes first. More are shuffled in each block. Follows from the arguments alone.
 */
void block_order(uint64_t seed, unsigned block, unsigned n_variants, unsigned *order);

/*
 * What is to be said where there are too few blocks for any verdict; "" else and without variants
 * to compare. Returns text.
 */
const char *blocks_note(unsigned blocks, unsigned n_variants, char *text, size_t size);

#endif
