/* SPDX-License-Identifier: MIT */
/* recorder.h - what one worker writes while it measures, in memory shared with who reads it. */
#ifndef ORION_STATS_RECORDER_H
#define ORION_STATS_RECORDER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/histogram.h"

struct error;

enum phase { PHASE_GATE, PHASE_WARMUP, PHASE_MEASURE, PHASE_DRAIN, PHASE_COUNT };

#define RECORDER_CLASSES_MAX 4

/* Counts of one op class in one phase; written by the worker alone, once a batch. */
struct tally {
	uint64_t ops;	    /* whole operations completed */
	uint64_t bytes;	    /* bytes actually transferred, short transfers included */
	uint64_t errors;    /* operations that failed for good */
	uint64_t shorts;    /* transfers that came back short and were continued */
	uint64_t retries;   /* operations re-issued after EAGAIN */
	uint64_t submit_ns; /* time spent inside submit, apart from service time */
	uint64_t batches;   /* submit calls */
	/*
	 * Of the operations alone, by workloads whose steps do other things beside them: time, and
	 * what RUSAGE_THREAD and, where the CPU has one, the time stamp counter say of it.
	 */
	uint64_t busy_ns, user_ns, system_ns, minor_faults, tsc_cycles;
};

/* CPU time and events of one thread or process, from getrusage. */
struct usage {
	uint64_t user_ns, system_ns;
	uint64_t minor_faults, major_faults;
	uint64_t voluntary_switches, involuntary_switches;
};

enum event { EVENT_CYCLES, EVENT_INSTRUCTIONS, EVENT_DTLB_MISSES, EVENT_COUNT };

/* One reading of a thread's hardware counters; enabled_ns 0: there was none. */
struct events {
	uint64_t enabled_ns; /* time they could have counted */
	uint64_t running_ns; /* time they did: less where the PMU was shared by turns */
	uint64_t counts[EVENT_COUNT];
};

struct recorder_class {
	struct tally tally[PHASE_COUNT];
	struct histogram warmup;
	struct histogram interval[2]; /* measure phase only; double-buffered by `active` */
};

struct recorder {
	_Alignas(128) _Atomic uint32_t
		active; /* which interval buffer to write; set by the reader */
	_Alignas(
		128) _Atomic uint32_t seen; /* which one the worker writes now; set by the worker */
	uint64_t step_count;		    /* steps taken in the measure phase */
	struct usage begin, end;	    /* RUSAGE_THREAD at both ends of the measure phase, with
					       RUSAGE_CHILDREN of a worker that is a process */
	uint64_t begin_ns, end_ns;	    /* when the worker noticed them */
	struct usage process[2];	    /* RUSAGE_SELF then, of a worker that is a process */
	struct events events[2];	    /* its hardware counters then */
	uint32_t events_counted;	    /* bits of enum event: which ones there are */
	uint64_t depth_sum,
		depth_samples; /* requests in flight, sampled once a batch (measure phase) */
	char traits[160];      /* what the engine really uses ("DEFER_TASKRUN …") */
	int failure_code;      /* 0, or negative errno of the first failure */
	char failure[512];     /* its sentence */
	struct recorder_class classes[RECORDER_CLASSES_MAX];
};

/* Bytes of n recorders in a row, each on its own cache lines. */
size_t recorder_bytes(unsigned n);

/* Sets fresh zeroed memory up (min_ns of the histograms). */
void recorder_init(struct recorder *recorder);

/* Worker, once a batch before recording: takes the buffer that the reader wants written. */
static inline uint32_t recorder_enter(struct recorder *recorder)
{
	uint32_t active = atomic_load_explicit(&recorder->active, memory_order_acquire);

	if (__builtin_expect(active != atomic_load_explicit(&recorder->seen, memory_order_relaxed),
			     0))
		atomic_store_explicit(&recorder->seen, active, memory_order_release);
	return active;
}

/* Worker: one operation of ns; bytes and the other counts go into the tally once a batch. */
static inline void recorder_add(struct recorder *recorder, enum phase phase, uint32_t active,
				uint32_t op_class, uint64_t ns)
{
	struct recorder_class *class = &recorder->classes[op_class];

	if (__builtin_expect(phase == PHASE_MEASURE, 1))
		histogram_add(&class->interval[active], ns);
	else if (phase == PHASE_WARMUP)
		histogram_add(&class->warmup, ns);
}

/* Worker: n operations that were timed together, ns each. */
static inline void recorder_add_n(struct recorder *recorder, enum phase phase, uint32_t active,
				  uint32_t op_class, uint64_t ns, uint64_t n)
{
	struct recorder_class *class = &recorder->classes[op_class];

	if (__builtin_expect(phase == PHASE_MEASURE, 1))
		histogram_add_n(&class->interval[active], ns, n);
	else if (phase == PHASE_WARMUP)
		histogram_add_n(&class->warmup, ns, n);
}

/* Worker: counts a batch. Whoever else reads these two meanwhile sees no half of a number. */
static inline void tally_count(struct tally *tally, uint64_t ops, uint64_t bytes)
{
	__atomic_store_n(&tally->ops, tally->ops + ops, __ATOMIC_RELAXED);
	__atomic_store_n(&tally->bytes, tally->bytes + bytes, __ATOMIC_RELAXED);
}

/*
 * Reader: asks the worker to write the other buffer from now on. Does nothing while an earlier
 * request is not yet taken, or what the worker left then is not yet collected: flip and collect may
 * simply be called each interval.
 */
void recorder_flip(struct recorder *recorder);

/*
 * Reader: adds the buffer that the worker has left to into[class] (n_classes histograms) and clears
 * it. 0, or -EAGAIN while the worker has not yet taken the new one (it may be waiting for an I/O):
 * call again later; what was not collected stays in the buffers and comes with a later call. The
 * worker never waits. with_interval, if not null, gets the interval's own values (reset first).
 */
int recorder_collect(struct recorder *recorder, unsigned n_classes, struct histogram *into,
		     struct histogram *with_interval);

/* Reader, once the worker has ended: adds both buffers to into[class]. */
void recorder_collect_all(struct recorder *recorder, unsigned n_classes, struct histogram *into);

void tally_add(struct tally *into, const struct tally *from);

/* What n workers counted of one op class in the measure phase. */
struct tally recorders_sum(const struct recorder *recorders, unsigned n, unsigned op_class);

/* getrusage(who) into ret; who RUSAGE_THREAD or RUSAGE_SELF. */
void usage_read(int who, struct usage *ret);
void usage_subtract(const struct usage *end, const struct usage *begin, struct usage *ret);
void usage_add(struct usage *into, const struct usage *from);

#endif
