/* SPDX-License-Identifier: MIT */
/* point.h - a planned point made ready to run: its targets open, its streams' set-ups filled. */
#ifndef ORION_RUN_POINT_H
#define ORION_RUN_POINT_H

#include <stdbool.h>

#include "engine/target.h"
#include "memory/memory.h"
#include "plan/plan.h"
#include "workload/workload.h"

#define RUN_NEEDS_MAX 128 /* kinds, page sizes and nodes that one plan may need */

struct error;
struct topology;

/* All targets that a plan names, each opened once; runner processes inherit the descriptors. */
struct target_table {
	unsigned n;
	struct target *targets; /* owned */
};

struct run_cpus {
	unsigned n;
	int *ids; /* owned */
};

struct run_point {
	const struct plan_point *plan; /* borrowed */
	const cJSON *counters;	       /* lent: the profile's patterns, or null */
	struct workload_setup *setups; /* owned, one a stream */
	struct target **targets;       /* owned, one array a stream */
	unsigned n_workers;	       /* of all streams */
	struct place *places;	       /* owned, one a region: its nodes */
	struct run_cpus *cpus;	       /* owned, one a stream: what its workers are given in turn */
	char *unplaced;		       /* owned: why nodes or CPUs cannot be had here, or null */
};

/* Opens what the plan's streams name; ERROR_INPUT with the target's sentence. */
int target_table_open(struct target_table *table, const struct plan *plan, struct error *error);
void target_table_close(struct target_table *table);

/* Fills a point: set-ups, nodes and CPUs. ERROR_INPUT: it names nodes or CPUs that are not ours. */
int run_point_open(struct run_point *point, const struct plan *plan,
		   const struct plan_point *planned, const struct target_table *table,
		   const struct topology *topology, struct error *error);
void run_point_close(struct run_point *point);

/*
 * What the machine and the targets say to a point: ERROR_INPUT (never to be had) before
 * ERROR_CANNOT (not here, not now). with_memory also asks the memory kinds, which depend on
 * borrowed settings.
 */
int run_point_probe(const struct run_point *point, bool with_memory, struct error *error);

/*
 * Adds what the point's regions need of the machine's settings: the most per kind and page size.
 * What must be on certain nodes is there twice: with its nodes, and in the sum without any.
 */
void run_point_needs(const struct run_point *point, struct memory_need *needs, unsigned *n_needs,
		     unsigned max);

#endif
