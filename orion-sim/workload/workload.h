/* SPDX-License-Identifier: MIT */
/* workload.h - what a worker does: setup, step after step, teardown. */
#ifndef ORION_WORKLOAD_WORKLOAD_H
#define ORION_WORKLOAD_WORKLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/catalog.h"
#include "stats/recorder.h"

struct error;
struct target;
struct region;
struct result_stream;
struct worker;

/* A name and a unit: rates, percentiles, reports and comparison follow from it. */
struct op_class {
	const char *name, *unit; /* {"read", "I/O"}; name null ends the list */
	bool timed_in_batches;	 /* one latency is the mean of a batch, not that of an operation */
};

struct workload_setup;

/* A figure that a workload defines over its whole stream: in results, reports and comparisons it is
 * found by its name, like any metric. */
struct derived {
	const char *name, *unit; /* name null ends the list */
	const char *help;	 /* how it is computed; at most 127 bytes */
	bool higher_better;
	/* workers: the recorders of all of the stream's workers. NAN where it does not apply. */
	double (*value)(const struct workload_setup *setup, const struct result_stream *stream,
			const struct recorder *workers);
};

/* What a worker is: a thread of the runner, or a process that the runner forks. */
enum worker_kind { WORKER_THREAD, WORKER_PROCESS };

/* Everything that does not change from worker to worker of one stream. */
struct workload_setup {
	const void *params;	      /* the workload's own */
	const struct choice *engine;  /* with its parameters */
	const struct target *targets; /* open; modelled ones if the engine needs no files */
	unsigned n_targets;
	const struct choice *layout; /* how they form one volume; null: one behind the other */
	bool random_warmup;	     /* warm-ups read at random, whatever is measured then */
	uint64_t region_bytes;	     /* of the region that the stream draws buffers from */
	uint64_t region_page_bytes;
	unsigned workers; /* of this stream */
	enum worker_kind worker_kind;
	unsigned region_workers; /* of all streams that share the region */
	unsigned queues;	 /* of the whole point */
	bool allow_unwritten;
};

struct workload_ops {
	struct entry entry;
	const struct op_class *classes;
	const struct derived *derived; /* null for none */
	bool needs_targets, needs_region;
	bool whole_region;     /* every worker uses all of its region, not only its share */
	bool renews_region;    /* its steps give up the region's pages: touched again before it is
				  audited at the end */
	bool starts_processes; /* by its steps: their CPU time is its own, but a thread's hardware
				  counters do not see them */
	/* Counters of the kernel that tell about it, by pattern ("thp_*"): NULL-terminated or null.
	 */
	const char *const *counters;
	/*
	 * Checks the stream before anything is started. ERROR_INPUT: parameters that do not fit
	 * each other, the targets or the region; ERROR_CANNOT: the machine cannot.
	 */
	int (*probe)(const struct workload_setup *setup, struct error *error);
	/* Zeroed memory that all workers of the stream share, threads or processes; null for none.
	 */
	size_t (*shared_bytes)(const struct workload_setup *setup);
	/* In the worker's own thread or process: opens the engine, allocates everything. */
	int (*setup)(struct worker *worker, struct error *error);
	/* One turn: submit and reap, record. 0, or negative errno with worker->recorder's failure
	 * filled. */
	int (*step)(struct worker *worker);
	/* Waits for what is in flight (recorded as PHASE_DRAIN), releases. Called after every good
	 * setup. */
	void (*teardown)(struct worker *worker);
};

/*
 * What each worker gets of a region of so many bytes: even shares, on page boundaries of the region
 * where a share holds whole pages, else on those of the system, which O_DIRECT is content with as
 * well. A larger region never makes them smaller.
 */
uint64_t workload_share_bytes(const struct workload_setup *setup, uint64_t region_bytes);

/* The least region in which each worker's share has so many bytes. */
uint64_t workload_need_bytes(const struct workload_setup *setup, uint64_t share_bytes);

extern const struct catalog workload_catalog;
const struct workload_ops *workload_ops_of(const struct choice *workload);

struct worker {
	const struct workload_ops *ops;
	const struct workload_setup *setup;
	unsigned index;	       /* in its stream */
	unsigned region_index; /* among all workers that share the region */
	uint64_t seed;
	void *region; /* all of it, setup->region_bytes long; null without one */
	/* The region itself, for workloads that map it anew: one for all threads, a process has a
	 * copy. */
	struct region *mapped;
	void *shared; /* shared_bytes of its workload, on a page of its own */
	/* The phase that the crew is in, for a step that waits for other workers; they may be gone
	 * once it is PHASE_DRAIN. A futex: whoever sleeps on it is woken when it changes. */
	const _Atomic uint32_t *crew_phase;
	void *buffers; /* this worker's share of the region */
	uint64_t buffers_bytes;
	struct recorder *recorder;
	enum phase phase;   /* as last seen by the crew's loop */
	void *private_data; /* the workload's */
};

/*
 * May a step do one more batch? Not once the crew is in another phase. A worker that lives on page
 * faults or system calls of a microsecond should not go back to the crew's loop after each batch:
 * measured, the kernel's side of 512 faults is a sixth slower then (doc/decisions/0013).
 */
static inline bool worker_goes_on(const struct worker *worker)
{
	return worker->crew_phase &&
	       atomic_load_explicit(worker->crew_phase, memory_order_acquire) ==
		       (uint32_t)worker->phase;
}

/* Puts the first failure of a worker into its recorder; later ones are only counted. */
void worker_fail(struct worker *worker, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
