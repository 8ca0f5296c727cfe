/* SPDX-License-Identifier: MIT */
/* result_schema.h - the keys of schema orion-sim/1 as data: one table writes and reads a struct. */
#ifndef ORION_STATS_RESULT_SCHEMA_H
#define ORION_STATS_RESULT_SCHEMA_H

#include <stddef.h>
#include <cjson/cJSON.h>

struct error;
struct json_document;
struct result;

/*
 * {
 *   "schema": "orion-sim/1", "name", "summary", "version", "started_utc", "ended_utc",
 *   "complete": bool, "signal": number or 0, "seed": "decimal string", "repeats": asked for,
 *   "baseline": label                                          left out without variants
 *   "against_itself": true                                     only where both variants are it
 *   "clock_cost_ns", "primary": ["read.mbps"], "fingerprint": {}, "notes": ["sentence"],
 *   "effective": {}, "interval_columns": ["begin_s", …],
 *   "calibration": {}: calibration.h                         left out of other runs
 *   "variants": [{
 *     "label", "settings": …,
 *     "points": [{
 *       "label", "status": "ok" | "skipped" | "failed" | "interrupted", "reason",
 *       "coordinates": {axis: value}, "effective": {},
 *       "medians": [{"stream", "class", metrics}]            over the ok repeats; drawn, not read
 *       "repeats": [{
 *         "index", "status", "reason", "io_failure", "started_utc", "duration_s", "clock_step_s",
 *         "place": how many variants were run before it in its block; left out where 0
 *         "runner": {usage}, "cpu": {busy_s, …}, "device_request_bytes": drawn,
 *         "sampled": true                                    left out of the timed repeats
 *         "sampling": {"event", "frequency_hz", samples},    in sampled ones only, with
 *         "functions": [{"name", "percent": of the busy samples}],
 *         "counters": {name: what it grew by}                left out where none were asked for
 *         "page_tables": {},                                 left out where all workers are threads
 *         "warmup": {"rule", "warmup_s", "rounds", "reached", "range_percent", "slope_percent"},
 *                                                            left out where it is a fixed time
 *         "devices": [{}], "audits": [{…, "got_percent": drawn,
 *           "placement": {…, "nodes": [{"node", "bytes"}]}   left out where not known
 *         }],
 *         "streams": [{
 *           "label", "workers", "traits", "mean_in_flight", "failure", "usage": {},
 *           "events": {}                                     left out where none were counted
 *           "classes": [{"name", "unit", counts, latencies, rates drawn,
 *                        "intervals": [[a number for each of interval_columns]]}],
 *           "derived": [{"name", "unit", …}]                 left out where the workload has none
 *         }]
 *       }]
 *     }]
 *   }]
 * }
 * A key of a number ends in its unit (_ns, _us, _s, _ms, _bytes, _percent, mbps = 10^6 bytes/s,
 * mibps = 2^20 bytes/s, iops); a count is named by what is counted. Whole numbers that may pass
 * 2^53 are decimal strings. A reason that is empty is left out. What is "drawn" follows from the
 * rest, is there for readers of the JSON, and is never read back. A minor version ("orion-sim/1.2")
 * may add keys.
 *
 * The sibling: {"schema": "orion-sim/1", "started_utc", "seed", "histograms": [{"variant", "point",
 * "repeat", "stream": places in the document, from 0, "class": name, "count", "overflow", "sum_ns":
 * "decimal string", "min_ns", "max_ns", "cells": [step, count, step, count …]}]}: each step leads
 * from the last cell that is not empty (at first from cell 0) to the next; histogram.h says what a
 * cell holds.
 */

enum member_kind {
	MEMBER_TEXT,	      /* char[size] */
	MEMBER_OPTIONAL,      /* char[size], left out where empty */
	MEMBER_U64,	      /* uint64_t as a number */
	MEMBER_U64_TEXT,      /* uint64_t as a decimal string */
	MEMBER_UNSIGNED,      /* unsigned */
	MEMBER_SOME_UNSIGNED, /* unsigned, left out where 0 */
	MEMBER_INT,	      /* int */
	MEMBER_REAL,	      /* double; null for not-a-number */
	MEMBER_SOME,	      /* double, left out where 0 */
	MEMBER_U64_SOME,      /* uint64_t as a number, left out where 0 */
	MEMBER_BOOL,
	MEMBER_FLAG,   /* bool, left out where false */
	MEMBER_STATUS, /* enum result_status by its word */
};

struct member {
	const char *key; /* NULL ends a table */
	enum member_kind kind;
	size_t offset, size;
};

extern const struct member schema_result[];
extern const struct member schema_variant[];
extern const struct member schema_point[];
extern const struct member schema_repeat[];
extern const struct member schema_usage[];
extern const struct member schema_cpu[];
extern const struct member schema_sampling[];
extern const struct member schema_function[];
extern const struct member schema_device[];
extern const struct member schema_audit[];
extern const struct member schema_placement[];
extern const struct member schema_node[];
extern const struct member schema_page_tables[];
extern const struct member schema_warmup[];
extern const struct member schema_stream[];
extern const struct member schema_events[];
extern const struct member schema_class[];
extern const struct member schema_derived[];
extern const struct member schema_histogram[];
extern const struct member schema_interval[]; /* in the order of interval_columns */

#define SCHEMA_INTERVAL_COLUMNS 7

/* Adds every member to the object. */
void members_write(const struct member *members, const void *from, cJSON *object);

/* One member as a node of its own; NULL if out of memory. */
cJSON *member_node(const struct member *member, const void *from);

/* Reads every member of the object; a missing or ill-typed one is ERROR_INPUT with its place. */
int members_read(const struct member *members, const struct json_document *document,
		 const cJSON *object, void *into, struct error *error);

/* One member from a node of its own. */
int member_read(const struct member *member, const struct json_document *document,
		const cJSON *node, void *into, struct error *error);

/* "schema" must be orion-sim/1 or a minor version of it. */
int schema_check(const struct json_document *document, struct error *error);

/* A whole document that was parsed already. */
int result_from_document(struct json_document *document, struct result *ret, struct error *error);

/* The histogram document of that very result: started_utc and seed must agree. */
int histograms_from_document(const struct json_document *document, struct result *result,
			     struct error *error);

#endif
