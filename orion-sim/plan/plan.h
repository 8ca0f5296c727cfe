/* SPDX-License-Identifier: MIT */
/* plan.h - the exact points of a run. */
#ifndef ORION_PLAN_PLAN_H
#define ORION_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "base/catalog.h"
#include "plan/axes.h"
#include "plan/warmup.h"
#include "workload/workload.h"

struct error;
struct profile;

#define PLAN_REGIONS_MAX 64 /* of a point */

struct plan_region {
	char name[32];
	struct choice memory;
	struct choice numa; /* an entry of place_catalog */
	uint64_t size_bytes;
	uint64_t size_percent; /* of available memory, in place of size_bytes; 0 once plan_fit knew
				*/
};

struct plan_stream {
	char label[32];
	struct choice workload;
	struct choice engine; /* entry null where the workload needs none */
	struct choice layout; /* of its targets; entry null where the profile says nothing */
	int region;	      /* index into the point's regions, -1 for none */
	char **targets;	      /* owned */
	unsigned n_targets;   /* 0 for an engine that models its target */
	unsigned workers;
	enum worker_kind worker_kind;
	bool pin;
	char cpus[128]; /* "0-3,8", "near", "far", "node:0-1"; "" for all that are allowed */
};

struct plan_point {
	char label[64];
	unsigned n_coordinates;
	struct axis_coordinate *coordinates;
	struct warmup warmup;
	uint64_t measure_ns;
	unsigned repeats;
	bool sampled; /* once more, for its hot functions alone */
	unsigned n_regions;
	struct plan_region *regions;
	unsigned n_streams;
	struct plan_stream *streams;
	cJSON *effective; /* owned: label, phases, repeats, regions, streams with every option */
};

/* A machine setting to borrow: an entry of the settings catalog (run/settings.c) by name; the plan
 * keeps it as JSON. */
struct plan_variant {
	char label[64];	       /* "" for the only one */
	const cJSON *settings; /* lent by the profile's document: the profile's own, then the
				  variant's */
	const cJSON *more_settings;
	unsigned n_points;
	struct plan_point *points;
};

struct plan {
	char name[64];
	char summary[256];
	uint64_t seed;
	unsigned repeats; /* of variants: blocks */
	bool strict;
	double strict_share_percent;
	bool allow_unwritten;
	int pmu; /* enum profile_pmu */
	char primary[8][64];
	unsigned n_variants;
	unsigned baseline; /* index of the variant that the others are held against */
	struct plan_variant *variants;
	cJSON *effective; /* owned: the profile as it will be run, overrides and presets in */
	const struct profile *profile; /* borrowed */
};

/*
 * Expands axes and variants and reads every point exactly. Targets are not touched. A seed that the
 * profile lacks is drawn here. ERROR_INPUT with file, line, path.
 */
int plan_make(struct profile *profile, struct plan *ret, struct error *error);
void plan_free(struct plan *plan);

/* Estimated time of all repeats of a point in ns. */
uint64_t plan_point_estimate_ns(const struct plan_point *point);

/* Estimated time of the whole run in ns: phases of all points and repeats, the warm-ups as long as
 * they may take, and 300 ms a repeat for setting up. */
uint64_t plan_estimate_ns(const struct plan *plan);

/* Is that the most it takes, because a warm-up may end before its time? */
bool plan_may_end_early(const struct plan *plan);

/*
 * Label of a memory kind for coordinates and tables: as choice_label, with the page or folio size
 * added where a parameter of the kind has it and its preset hides it ("mthp 64K"). Returns text.
 */
const char *plan_memory_label(const struct choice *memory, char *text, size_t size);

/* How many (point, repeat) pairs. */
unsigned plan_runs(const struct plan *plan);

/* The most repeats that any point has, and the fewest. */
unsigned plan_repeats_most(const struct plan *plan);
unsigned plan_repeats_least(const struct plan *plan);

#endif
