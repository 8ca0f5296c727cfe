/* SPDX-License-Identifier: MIT */
/* span.h - what a worker spends on its operations alone, where a step does other things, too. */
#ifndef ORION_WORKLOAD_SPAN_H
#define ORION_WORKLOAD_SPAN_H

#include <stdbool.h>

#include "stats/recorder.h"

/* A stretch of operations of one class in one phase. */
struct span {
	struct tally *tally; /* null while none is open */
	struct usage begin;
};

/* From here to span_end the calling thread does nothing else. */
void span_begin(struct span *span, struct tally *tally);

/* Adds the CPU time and the faults since to the tally. Fine if none is open. */
void span_end(struct span *span);

/* Ends and begins, where operations are counted elsewhere from now on: the phase has changed. */
static inline void span_move(struct span *span, struct tally *tally)
{
	if (__builtin_expect(span->tally == tally, 1))
		return;
	span_end(span);
	span_begin(span, tally);
}

#endif
