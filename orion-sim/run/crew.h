/* SPDX-License-Identifier: MIT */
/* crew.h - the workers of one point: threads or processes of the runner. */
#ifndef ORION_RUN_CREW_H
#define ORION_RUN_CREW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "workload/workload.h"

struct channel;
struct error;
struct region;

/* One worker to be: everything borrowed for the crew's life. */
struct crew_seat {
	const struct workload_ops *ops;
	const struct workload_setup *setup;
	const char *label;     /* of its stream, for messages */
	unsigned index;	       /* in its stream */
	unsigned region_index; /* among the workers that share its region */
	uint64_t seed;
	enum worker_kind kind;
	bool pmu;	       /* count hardware events where there are counters */
	void *region;	       /* all of it; null without one */
	struct region *mapped; /* the region itself */
	void *shared;	       /* memory of all workers of the stream, or null */
	void *buffers;
	uint64_t buffers_bytes;
	int cpu;	 /* -1: not pinned to one … */
	const int *cpus; /* … but to these n_cpus, if there are any */
	unsigned n_cpus;
};

struct crew;

/*
 * Starts n workers, seat i with channel->recorders[i], each as a thread or a process of the
 * caller's, and waits until every one has set itself up and stands at the gate. If one fails, its
 * sentence is returned and no thread or process is left; the same with -ECANCELED if the parent
 * asks to stop meanwhile. A process that dies later counts in channel->failed, with the reason in
 * its recorder.
 */
int crew_start(const struct crew_seat *seats, unsigned n, struct channel *channel,
	       struct crew **ret, struct error *error);

/* Ids of the workers that are processes; room for all workers. Returns how many. */
unsigned crew_pids(const struct crew *crew, pid_t *ret_pids);

/*
 * Lets the calling thread be on time among hundreds of workers that never sleep, as far as it is
 * allowed to: without privilege, phases may last longer than asked, and are recorded so. It spends
 * its time asleep, so that nobody loses by it. Call after crew_start: workers would inherit it.
 */
void crew_lead(void);

/*
 * Moves all workers to a phase: PHASE_WARMUP or PHASE_MEASURE opens the gate, PHASE_DRAIN ends
 * their loops. Stamps channel->phase_ns.
 */
void crew_enter(struct crew *crew, enum phase phase);

/* Waits for all workers to drain and end; frees the crew. Call after crew_enter(PHASE_DRAIN). */
void crew_join(struct crew *crew);

#endif
