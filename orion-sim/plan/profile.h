/* SPDX-License-Identifier: MIT */
/* profile.h - the wish: a JSON profile, checked, its axes not yet expanded. */
#ifndef ORION_PLAN_PROFILE_H
#define ORION_PLAN_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "plan/observed.h"
#include "plan/parts.h"

struct error;
struct json_document;

/*
 * {
 *   "name": "demo", "summary": "…",             name: a-z 0-9 and -, else the file's name
 *   "seed": "1",                                decimal string (or number < 2^53)
 *   "repeats": 2,                               with variants: blocks, 10 if it is left out
 *   "phases": {"warmup": "500ms", "measure": "2s"},
 *                                               warmup also {"kind": "steady", …}: warmup.h
 *   "primary": ["read.mbps"],                   CLASS.METRIC
 *   "strict": true, "strict_share": 99,         audit: fail a point below this share in percent
 *   "allow_unwritten": false,
 *   "pmu": "auto",                              count hardware events, or "off"
 *   "marker": false,                            no-ops at both ends: run/marker.h
 *   "counters": ["thp_*", "psi.*"],             of the kernel, by name, beside the workloads' own
 *   "sample": {"frequency": 999, "top": 20},    hot functions, in a repeat of their own; or true
 *   "reference": {…},                           published figures: reference.h
 *   "targets": ["/path"],                       for every stream that names none
 *   "settings": ["hugepages", {"kind": "shmem_enabled"}],
 *   "baseline": "a",                            label of a variant, else the first
 *   "variants": [{"label": "a", "settings": […], "set": {"streams[*].workload.depth": 8}}],
 *   "points": [{
 *     "label": "…",
 *     "phases": {…}, "repeats": …               over the profile's
 *     "axes": {
 *       "block": ["8k", "64k"],
 *       "memory": ["base", {"kind": "mthp", "folio": "64k"}],
 *       "streams[*].workload.depth": [1, {"value": 32, "label": "deep", "set": {"PATH": VALUE}}],
 *       "small": {"path": "streams[0].workload.depth", "values": [1, 2]}     an axis by a name
 *     },
 *     "regions": {"sga": {"memory": "hugetlb", "size": "256m",
 *                         "numa": {"kind": "bind", "nodes": "0-1"}}},
 *     "streams": [{
 *       "label": "reads", "workload": {"kind": "io", "block": "8k"}, "engine": "io_uring",
 *       "region": "sga", "targets": ["…"], "layout": {"kind": "raid0", "stripe": "1m"},
 *       "workers": 1, "as": "threads",
 *       "cpus": "0-1", "pin": true
 *     }]
 *   }]
 * }
 * Axis names are shorthands (table in axes.c: block, depth, batch, pattern, engine, memory, numa,
 * size, workers) or paths in the point. An object at an axis of engines, memory kinds, NUMA
 * policies or workloads is a value; the long form is recognised by its key "value". A variant's
 * "set" and the "set" of a value take shorthands, too, and are assigned after the axes and after
 * the value. A stream's region may be left out where there is only one, its label is then the
 * workload's name.
 */
enum profile_pmu { PROFILE_PMU_AUTO, PROFILE_PMU_OFF };
extern const char *const profile_pmu_names[];

struct profile {
	struct json_document *document; /* owned; every error names its line and path */
	char name[64];
	char summary[256];
	uint64_t seed;
	bool has_seed;
	uint64_t repeats;
	char baseline[64];   /* "" without variants */
	bool against_itself; /* the baseline is both variants */
	struct phases phases;
	bool strict;
	double strict_share_percent;
	bool allow_unwritten;
	int pmu; /* enum profile_pmu */
	bool marker;
	struct observed observed;
	bool targets_given; /* by --target: those of the streams do not count */
	const cJSON *primary, *targets, *settings, *variants, *points,
		*reference; /* lent by the document; may be null */
};

struct profile_overrides {
	const char *const *sets;    /* "path=value", NULL-terminated, may be null */
	const char *const *targets; /* --target, replaces the targets of all streams; may be null */
	bool against_itself;	    /* --aa: the baseline as both variants */
	bool sample;		    /* --sample: as if the profile said so */
};

/* Reads a file, applies overrides, checks everything that does not depend on the axes. */
int profile_load(const char *path, const struct profile_overrides *overrides, struct profile *ret,
		 struct error *error);

/* The same from text; name is used in messages. */
int profile_parse(const char *name, const char *text, const struct profile_overrides *overrides,
		  struct profile *ret, struct error *error);

void profile_free(struct profile *profile);

#endif
