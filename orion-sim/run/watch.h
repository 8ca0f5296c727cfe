/* SPDX-License-Identifier: MIT */
/* watch.h - the parent's eye on a runner: intervals, progress, signals, its end. */
#ifndef ORION_RUN_WATCH_H
#define ORION_RUN_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "stats/histogram.h"
#include "stats/result.h"

struct channel;
struct error;
struct run_point;
struct sampler;

/* One op class of one stream, over all its workers. */
struct watch_class {
	struct histogram total;	   /* measure phase */
	struct histogram interval; /* since the last boundary */
	struct tally seen;	   /* sums at the last boundary */
	unsigned n_intervals, max_intervals;
	struct result_interval *intervals; /* owned */
};

struct watch_stream {
	unsigned first_recorder, n_recorders, n_classes;
	struct watch_class classes[RECORDER_CLASSES_MAX];
};

/* What all streams did in one interval, for a progress line. */
struct watch_interval {
	enum phase phase;
	double duration_s;
	uint64_t ops, bytes;
	uint64_t p50_ns, p99_ns;
};

struct watch {
	struct channel *channel; /* borrowed */
	unsigned n_streams;
	struct watch_stream *streams; /* owned */
	bool *pending;		      /* owned: recorders whose buffer is still to be collected */
	uint64_t boundary_ns; /* begin of the current interval, 0 before the measure phase */
	uint64_t next_ns;
	uint64_t warmup_ns; /* when the warm-up was last looked at, and what it had done by then */
	struct tally warmup_seen;
	int signal_fd;	    /* -1 for none */
	int signal;	    /* first one caught, 0 for none */
	uint64_t oom_kills; /* of this machine, before the runner was started */
	void *context;
	void (*interval)(void *context, const struct watch_interval *interval); /* may be null */
	struct sampler *sampler; /* borrowed: emptied every 50 ms or so; may be null */
};

/* Allocates for the point's streams; intervals of one second. */
int watch_open(struct watch *watch, const struct run_point *point, struct channel *channel,
	       struct error *error);
void watch_close(struct watch *watch);

/* Processes that the kernel has killed for want of memory since it was booted; 0 if unknown. */
uint64_t watch_oom_kills(void);

/*
 * Until the runner has ended: collects the recorders at every second of the measure phase, calls
 * interval, in the warm-up with rates alone. A first signal asks the runner to end early, a second
 * kills it. ret_status as of waitpid.
 */
int watch_runner(struct watch *watch, pid_t pid, int *ret_status, struct error *error);

#endif
