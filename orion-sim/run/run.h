/* SPDX-License-Identifier: MIT */
/* run.h - blocks of variants, and points in each, one process a run. */
#ifndef ORION_RUN_RUN_H
#define ORION_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/result.h"

struct error;
struct plan;

/* One second of a running repeat, all streams and classes together. */
struct run_progress {
	unsigned run, runs;	/* this (point, repeat) and how many there are */
	unsigned block, blocks; /* from 1; without variants: repeats */
	const char *variant;	/* "" without variants */
	const struct result_point *point;
	const char *phase;	  /* "warm-up", "measure" */
	double elapsed_s, left_s; /* of the whole run */
	double iops, mbps;
	uint64_t p50_ns, p99_ns;
};

/* What a command wants seen while it works; null members are not called. */
struct observer {
	void *context;
	void (*started)(void *context, unsigned runs, double estimated_s);
	void (*progress)(void *context, const struct run_progress *progress);
	void (*repeat_done)(void *context, const struct result_point *point,
			    const struct result_repeat *repeat);
	void (*note)(void *context, const char *sentence);
};

/* What is to be run next where that depends on what came before. */
struct run_ask {
	unsigned point; /* of the only variant */
	unsigned left;	/* runs to be expected yet, this one included */
};

struct run_options {
	const struct observer *observer; /* may be null */
	int signal_fd; /* signalfd of INT, TERM, HUP blocked in this thread; -1 for none */
	const char *journal_path; /* finished repeats are appended here; may be null */
	const char *version;
	/*
	 * Asked before each run, in place of taking all points in turn; false: no more. A point has
	 * no more runs than its repeats. Those that were never asked for are not in the result. May
	 * be null.
	 */
	bool (*next)(void *context, const struct result *result, struct run_ask *ret);
	void *next_context;
	unsigned next_runs; /* about how many that will be, to begin with */
};

/*
 * Runs a plan. Refusals (ERROR_INPUT: a target that may not be used, parameters that do not fit)
 * come before anything is changed or started. Then settings are borrowed, and given back on every
 * way out. A point that the machine cannot is skipped, a repeat that fails is kept with its reason.
 * The result is valid and complete as far as it says, also after an error; the caller frees it in
 * any case.
 */
int run_plan(const struct plan *plan, const struct run_options *options, struct result *ret,
	     struct error *error);

#endif
