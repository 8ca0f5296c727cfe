/* SPDX-License-Identifier: MIT */
/* pattern.c - where the next I/O goes: the blocks of all targets in one row. */
#include "workload/pattern.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/units.h"

int pattern_open(struct pattern *pattern, enum pattern_kind kind, const uint64_t *range_bytes,
		 unsigned n_targets, uint64_t offset_bytes, uint64_t block_bytes, uint64_t seed,
		 unsigned index, unsigned workers, struct error *error)
{
	uint64_t *first = calloc(n_targets + 1, sizeof(*first));
	char size[32];

	if (!first)
		return error_set(error, -ENOMEM, "no memory for %u targets", n_targets);
	for (unsigned i = 0; i < n_targets; i++)
		first[i + 1] = first[i] + range_bytes[i] / block_bytes;
	if (first[n_targets] == 0) {
		free(first);
		return error_set(error, ERROR_INPUT,
				 "no target holds a whole block of %s in the range tested",
				 units_format_size(block_bytes, size));
	}
	*pattern = (struct pattern){.kind = kind,
				    .n_blocks = first[n_targets],
				    .n_targets = n_targets,
				    .first = first,
				    .offset_bytes = offset_bytes,
				    .block_bytes = block_bytes};
	pattern->next = (uint64_t)((unsigned __int128)pattern->n_blocks * index / workers);
	random_seed(&pattern->random, seed, index);
	return 0;
}

void pattern_close(struct pattern *pattern)
{
	free(pattern->first);
	pattern->first = NULL;
}

uint32_t pattern_find(const struct pattern *pattern, uint64_t block)
{
	uint32_t low = 0, high = pattern->n_targets;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (block >= pattern->first[middle])
			low = middle;
		else
			high = middle;
	}
	return low;
}
