/* SPDX-License-Identifier: MIT */
/* pattern.c - where the next I/O goes: the blocks of all targets in one row. */
#include "workload/pattern.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/units.h"

/*
 * Cells of the guide a target, at most; at least half as many. With two, no cell is larger than a
 * target of mean size, so that among equal ones at most one begins in each.
 */
#define GUIDE_DENSITY 2

static int open_guide(struct pattern *pattern)
{
	uint64_t most = (uint64_t)pattern->n_targets * GUIDE_DENSITY, n;
	uint32_t target = 0;

	while ((pattern->n_blocks - 1) >> pattern->shift >= most)
		pattern->shift++;
	n = ((pattern->n_blocks - 1) >> pattern->shift) + 1;
	pattern->guide = calloc(n, sizeof(*pattern->guide));
	if (!pattern->guide)
		return -ENOMEM;
	for (uint64_t i = 0; i < n; i++) {
		while (i << pattern->shift >= pattern->first[target + 1])
			target++;
		pattern->guide[i] = target;
	}
	return 0;
}

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
	if (n_targets > 1 && open_guide(pattern) < 0) {
		pattern_close(pattern);
		return error_set(error, -ENOMEM, "no memory for %u targets", n_targets);
	}
	return 0;
}

void pattern_close(struct pattern *pattern)
{
	free(pattern->first);
	free(pattern->guide);
	pattern->first = NULL;
	pattern->guide = NULL;
}
