/* SPDX-License-Identifier: MIT */
/* pattern.c - which block of the volume the next I/O goes to. */
#include "workload/pattern.h"

static uint64_t share_begin(uint64_t n_blocks, unsigned index, unsigned workers)
{
	return (uint64_t)((unsigned __int128)n_blocks * index / workers);
}

void pattern_open(struct pattern *pattern, enum pattern_kind kind, uint64_t n_blocks, uint64_t seed,
		  unsigned index, unsigned workers)
{
	uint64_t begin = share_begin(n_blocks, index, workers);
	uint64_t end = share_begin(n_blocks, index + 1, workers);

	*pattern = (struct pattern){.kind = kind,
				    .n_blocks = n_blocks,
				    .begin = begin,
				    .end = end > begin ? end : begin + 1,
				    .next = begin};
	random_seed(&pattern->random, seed, index);
}
