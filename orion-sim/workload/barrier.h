/* SPDX-License-Identifier: MIT */
/* barrier.h - where the workers of a stream wait for each other, threads or processes. */
#ifndef ORION_WORKLOAD_BARRIER_H
#define ORION_WORKLOAD_BARRIER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* In memory that all of them share, zeroed; there is nothing to lock, and nobody to unlock it. */
struct barrier {
	_Alignas(128) _Atomic uint32_t arrived;
	_Alignas(128) _Atomic uint32_t turn; /* bumped when all are here */
	_Atomic uint32_t broken;
};

/*
 * True once all n are here; what each wrote before is then seen by all. False within some
 * milliseconds where crew_phase (may be null) is PHASE_DRAIN, since others may have gone by then,
 * or where one of them broke it. Nobody passes it any more after that.
 */
bool barrier_wait(struct barrier *barrier, unsigned n, const _Atomic uint32_t *crew_phase);

/* For a worker that ends while others may wait for it. */
void barrier_break(struct barrier *barrier);

#endif
