/* SPDX-License-Identifier: MIT */
/* session.h - what one run of a plan has open; for run.c and session.c only. */
#ifndef ORION_RUN_SESSION_H
#define ORION_RUN_SESSION_H

#include <stdint.h>

#include "base/topology.h"
#include "run/borrow.h"
#include "run/counters.h"
#include "run/point.h"
#include "run/result_journal.h"

struct error;
struct plan;
struct result;
struct result_point;
struct result_variant;
struct run_options;
struct sampler;

/* Everything that lasts as long as one run of a plan. */
struct session {
	const struct plan *plan;
	const struct run_options *options;
	struct result *result;
	struct topology topology;
	struct target_table targets;
	struct run_point **points; /* owned: [variant][point] */
	struct counters counters;
	struct result_journal journal;
	struct borrow borrow;
	unsigned block, blocks;	 /* the current one, and how many there are */
	unsigned place;		 /* in it, of the current variant */
	struct sampler *sampler; /* while hot functions are sampled, else null */
	/* For progress. */
	uint64_t started_ns, estimate_ns;
	unsigned run, runs;
	const struct result_variant *variant;
	struct result_point *current;
};

/*
 * Seed of the first stream of a run; those of the others follow it. No two runs of a variant share
 * one: what a run has read, a cache below may serve to the next. Variants do, so that they differ
 * in nothing but themselves.
 */
static inline uint64_t session_seed(uint64_t seed, unsigned point, unsigned repeat)
{
	return seed + ((uint64_t)repeat << 40) + ((uint64_t)point << 8);
}

/* Adds a note to the result and tells the observer. */
void session_note(struct session *session, const char *sentence);

/* Tells the observer the notes that a callee added behind the first n. */
void session_tell(struct session *session, int n);

/* Opens what the plan names and refuses what can never be, before anything is changed. */
int session_open(struct session *session, struct error *error);
void session_close(struct session *session);

#endif
