/* SPDX-License-Identifier: MIT */
/* warmup.h - what ends a warm-up: an entry of a catalog, and as a rule for the runner. */
#ifndef ORION_PLAN_WARMUP_H
#define ORION_PLAN_WARMUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "base/catalog.h"

struct error;
struct json_document;

#define WARMUP_WINDOW_MAX 64 /* rounds */

/* Of all kinds; the fields of each say which are its own. */
struct warmup_params {
	uint64_t time_ns;
	uint64_t window_ns, max_ns;
	double within_percent;
	uint64_t round_ns, window, rounds_max;
	double range_percent, slope_percent;
	uint64_t bytes;
};

/*
 * Rounds follow each other until the last ones of the window keep within both limits (in percent of
 * their mean; INFINITY: any), or until so many bytes were moved; at most as many as may be.
 */
struct warmup_rule {
	uint64_t round_ns;
	unsigned rounds_max;
	uint64_t bytes;	 /* 0: any */
	bool at_random;	 /* whatever the order is in which blocks are read afterwards */
	unsigned window; /* 0: the rates are not looked at */
	double range_percent, slope_percent;
};

struct warmup_ops {
	struct entry entry;
	void (*rule)(const struct warmup_params *params, struct warmup_rule *ret);
	/* ERROR_INPUT where parameters do not fit each other; null where they always do. */
	int (*check)(const struct warmup_params *params, struct error *error);
};

extern const struct catalog warmup_catalog; /* the first entry is the fixed time */

/* By value: nothing is owned. */
struct warmup {
	const struct warmup_ops *ops;
	struct warmup_params params;
};

/* A fixed time of that length. */
struct warmup warmup_fixed(uint64_t time_ns);

/* Is the value of "warmup" meant as a duration, not as the name of a kind or an object with one? */
bool warmup_is_duration(const cJSON *node);

/* Reads "KIND" or {"kind": "KIND", …}. */
int warmup_read(const struct json_document *document, const cJSON *node, struct warmup *ret,
		struct error *error);

/* As a profile would say it: a fixed time is a plain duration. Owned by the caller. */
cJSON *warmup_write(const struct warmup *warmup);

/* "500ms", "steady", "agree 2s": the time, or the kind and what differs from its presets. */
const char *warmup_label(const struct warmup *warmup, char *text, size_t size);

struct warmup_rule warmup_rule_of(const struct warmup *warmup);

/* What it takes at most; a fixed time takes that always. */
uint64_t warmup_longest_ns(const struct warmup *warmup);
bool warmup_may_end_early(const struct warmup *warmup);

#endif
