/* SPDX-License-Identifier: MIT */
/* blocks.c - in which order a block, one run of every variant, goes through them. */
#include "plan/blocks.h"

#include <math.h>
#include <stdio.h>

#include "base/random.h"

/* Of the seed's streams of random numbers, those that no worker draws from. */
#define FIRST_STREAM UINT64_MAX
#define BLOCK_STREAM (UINT64_MAX >> 1)

static void order_two(uint64_t seed, unsigned block, unsigned *order)
{
	struct random random;

	random_seed(&random, seed, FIRST_STREAM);
	order[0] = (unsigned)(random_below(&random, 2) + block) % 2;
	order[1] = 1 - order[0];
}

/* Fisher and Yates. */
static void order_shuffle(uint64_t seed, unsigned block, unsigned n, unsigned *order)
{
	struct random random;

	random_seed(&random, seed, BLOCK_STREAM - block);
	for (unsigned i = 0; i < n; i++) {
		unsigned k = (unsigned)random_below(&random, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
}

void block_order(uint64_t seed, unsigned block, unsigned n_variants, unsigned *order)
{
	if (n_variants == 2)
		order_two(seed, block, order);
	else
		order_shuffle(seed, block, n_variants, order);
}

const char *blocks_note(unsigned blocks, unsigned n_variants, char *text, size_t size)
{
	text[0] = '\0';
	if (n_variants > 1 && blocks < BLOCKS_MIN)
		snprintf(text, size,
			 "%u block%s of variants: with fewer than %d no difference can be told "
			 "from chance, since p is at least %.2g; more by --set repeats=%d",
			 blocks, blocks == 1 ? "" : "s", BLOCKS_MIN, ldexp(2, -(int)blocks),
			 BLOCKS_PRESET);
	return text;
}
