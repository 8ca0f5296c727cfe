/* SPDX-License-Identifier: MIT */
/* frames.c - buffer frames of a region, drawn like a database draws them from its cache. */
#include "workload/frames.h"

#include <stdlib.h>

#include "base/error.h"

int frames_open(struct frames *frames, enum frames_order order, uint32_t n, uint64_t seed,
		unsigned index, struct error *error)
{
	uint32_t *list = calloc(n, sizeof(*list));

	if (!list)
		return error_set(error, -ENOMEM, "no memory for a list of %u buffers", n);
	for (uint32_t i = 0; i < n; i++)
		list[i] = i;
	*frames = (struct frames){.order = order, .free = list, .n = n, .n_free = n};
	/* Not the sequence of the pattern: its streams are the small numbers. */
	random_seed(&frames->random, seed, UINT64_C(0x6672616d65730000) + index);
	return 0;
}

void frames_close(struct frames *frames)
{
	free(frames->free);
	frames->free = NULL;
}
