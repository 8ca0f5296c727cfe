/* SPDX-License-Identifier: MIT */
/* crew.h - the workers of one point, each a thread of the runner process. */
#ifndef ORION_RUN_CREW_H
#define ORION_RUN_CREW_H

#include <stdint.h>

#include "workload/workload.h"

struct channel;
struct error;

/* One worker to be: everything borrowed for the crew's life. */
struct crew_seat {
	const struct workload_ops *ops;
	const struct workload_setup *setup;
	const char *label;     /* of its stream, for messages */
	unsigned index;	       /* in its stream */
	unsigned region_index; /* among the workers that share its region */
	uint64_t seed;
	void *buffers;
	uint64_t buffers_bytes;
	int cpu; /* -1: not pinned */
};

struct crew;

/*
 * Starts n threads, seat i with channel->recorders[i], and waits until every one has set itself up
 * and stands at the gate. If one fails, its sentence is returned and no thread is left.
 */
int crew_start(const struct crew_seat *seats, unsigned n, struct channel *channel,
	       struct crew **ret, struct error *error);

/*
 * Moves all workers to a phase: PHASE_WARMUP or PHASE_MEASURE opens the gate, PHASE_DRAIN ends
 * their loops. Stamps channel->phase_ns.
 */
void crew_enter(struct crew *crew, enum phase phase);

/* Waits for all threads to drain and end; frees the crew. Call after crew_enter(PHASE_DRAIN). */
void crew_join(struct crew *crew);

#endif
