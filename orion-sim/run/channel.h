/* SPDX-License-Identifier: MIT */
/* channel.h - the memory that a runner process and its parent share: phase, error, recorders. */
#ifndef ORION_RUN_CHANNEL_H
#define ORION_RUN_CHANNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "memory/memory.h"
#include "plan/plan.h"
#include "run/counters.h"
#include "run/pagetables.h"
#include "run/warmup.h"
#include "stats/recorder.h"

enum audit_time { AUDIT_BEGIN, AUDIT_END, AUDIT_TIMES };

/* Nothing is mapped yet; all workers are set up and at the gate; all of them are gone. */
enum pagetables_time { PAGETABLES_BEFORE, PAGETABLES_AT, PAGETABLES_AFTER, PAGETABLES_TIMES };

struct channel {
	_Alignas(128) _Atomic uint32_t phase; /* enum phase; written by the runner's main thread */
	/* Bumped, with a futex wake, whenever the runner's main thread should look around. */
	_Alignas(128) _Atomic uint32_t bell;
	_Atomic uint32_t stop;				      /* the parent asks to end early */
	_Atomic uint32_t failed;			      /* workers whose step failed */
	_Alignas(128) _Atomic uint64_t phase_ns[PHASE_COUNT]; /* when each phase began, 0 before */
	_Atomic uint32_t finished; /* the runner has gone all its way; else its end is a failure */
	struct error error;	   /* why nothing was measured; code 0 if it was */
	struct warmup_found warmup;
	struct clock_moment moments[2]; /* both ends of the measure phase */
	struct usage self[2];		/* RUSAGE_SELF at both ends of the measure phase */
	struct pagetables pagetables[PAGETABLES_TIMES];
	bool pagetables_read; /* at all times */
	struct counters_sample counters[2];
	unsigned n_regions;
	bool audited[PLAN_REGIONS_MAX][AUDIT_TIMES];
	struct memory_audit audits[PLAN_REGIONS_MAX][AUDIT_TIMES];
	unsigned n_recorders;
	struct recorder recorders[]; /* workers of all streams in order */
};

/* Maps a channel; recorders find their memory as workers take them. -ENOMEM. */
int channel_open(unsigned n_recorders, struct channel **ret, struct error *error);
void channel_close(struct channel *channel);

/*
 * Worker: brings the pages of its recorder and of its first n_classes into this process, so that
 * nobody faults on them while measuring. -ENOMEM and the like.
 */
int channel_populate(struct recorder *recorder, unsigned n_classes, struct error *error);

/* Wakes the runner's main thread. */
void channel_ring(struct channel *channel);

/* Runner's main thread: sleeps unless the bell rang since it was seen. */
void channel_listen(struct channel *channel, uint32_t seen);

/* Workers sleep at the gate until the phase is another than PHASE_GATE; true if to work then. */
bool channel_gate(struct channel *channel);

/* Sets the phase, and wakes whoever sleeps on it; the first one opens the gate. */
void channel_enter(struct channel *channel, enum phase phase);

/* Runner's main thread: sleeps until the deadline, a stop or a failed worker. True if to end early.
 */
bool channel_wait(struct channel *channel, uint64_t deadline_ns);

#endif
