/* SPDX-License-Identifier: MIT */
/* frames.h - buffer frames of a region, drawn like a database draws them from its cache. */
#ifndef ORION_WORKLOAD_FRAMES_H
#define ORION_WORKLOAD_FRAMES_H

#include <stdint.h>

#include "base/random.h"

struct error;

enum frames_order { FRAMES_ROUND_ROBIN, FRAMES_RANDOM };

/* The frames that are free; one that is under an I/O is not, so no two I/Os meet in one buffer. */
struct frames {
	enum frames_order order;
	uint32_t *free; /* owned: a ring for round robin, a bag for random */
	uint32_t n, n_free, head, tail;
	struct random random;
};

int frames_open(struct frames *frames, enum frames_order order, uint32_t n, uint64_t seed,
		unsigned index, struct error *error);
void frames_close(struct frames *frames);

/* Takes a free frame; there must be one. */
static inline uint32_t frames_take(struct frames *frames)
{
	uint32_t frame;

	if (frames->order == FRAMES_ROUND_ROBIN) {
		frame = frames->free[frames->head];
		if (++frames->head == frames->n)
			frames->head = 0;
		frames->n_free--;
	} else {
		uint32_t i = (uint32_t)random_below(&frames->random, frames->n_free);

		frame = frames->free[i];
		frames->free[i] = frames->free[--frames->n_free];
	}
	return frame;
}

static inline void frames_give(struct frames *frames, uint32_t frame)
{
	if (frames->order == FRAMES_ROUND_ROBIN) {
		frames->free[frames->tail] = frame;
		if (++frames->tail == frames->n)
			frames->tail = 0;
		frames->n_free++;
	} else {
		frames->free[frames->n_free++] = frame;
	}
}

#endif
