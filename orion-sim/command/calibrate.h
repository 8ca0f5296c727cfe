/* SPDX-License-Identifier: MIT */
/* calibrate.h - what the files of the command calibrate share. */
#ifndef ORION_COMMAND_CALIBRATE_H
#define ORION_COMMAND_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "stats/search.h"

struct calibration;
struct error;
struct plan;
struct result;
struct run_ask;

#define CALIBRATE_PARTS_MAX 3
#define CALIBRATE_LOADS_MAX 1024

/* A latency that can be asked for: a percentile that results keep, or the mean. */
struct calibrate_latency {
	const char *option; /* "99", of --percentile */
	const char *name;   /* "p99" */
	int index;	    /* in result_percentiles; -1: the mean */
};
extern const struct calibrate_latency calibrate_latencies[];
extern const char *const calibrate_percentiles[]; /* the options, for a field */

/* --need: what the host must do; 0: not named. */
struct calibrate_need {
	double iops, mbps;
	uint64_t latency_ns;
	int latency; /* in calibrate_latencies */
};

/* "iops=12000,mbps=400,p99=5ms", in any order; "" is nothing. ERROR_INPUT. */
int calibrate_need_parse(const char *text, struct calibrate_need *ret, struct error *error);

/* What the options say, once they fit each other. */
struct calibrate_wish {
	int latency; /* in calibrate_latencies */
	uint64_t limit_ns;
	uint64_t block_bytes, large_bytes; /* large 0: no large reads */
	uint64_t beside;		   /* large reads in flight beside the small ones */
	uint64_t depth_max, repeats, workers;
	uint64_t measure_ns, warmup_ns;
	const char *engine, *memory; /* lent: a name or JSON */
	const char *stream;	     /* lent: of a profile; "" is its first that reads */
	struct calibrate_need need;
};

/* One search: a point of the profile, with an axis of its loads. */
struct calibrate_part {
	char name[48];
	bool limited; /* the highest load under the limit; else the most MB/s */
	char process[8];
	unsigned stream; /* whose latency and rate they are */
	char stream_label[32];
	uint64_t block_bytes;
	unsigned n_loads;
	unsigned loads[CALIBRATE_LOADS_MAX]; /* I/Os of the stream in flight */
};

struct calibrate_parts {
	unsigned n;
	struct calibrate_part parts[CALIBRATE_PARTS_MAX];
};

/*
 * The profile that all loads of all searches are points of. ret is owned by the caller
 * (cJSON_Delete). ERROR_INPUT.
 */
int calibrate_profile(const struct calibrate_wish *wish, struct calibrate_parts *parts, cJSON **ret,
		      struct error *error);

/* The same for the one point of a profile, whose reads are scaled together. */
int calibrate_profile_of(const struct plan *plan, const struct calibrate_wish *wish,
			 struct calibrate_parts *parts, cJSON **ret, struct error *error);

/* A search and what of the result it has seen. */
struct calibrate_series {
	const struct calibrate_part *part; /* borrowed */
	struct search search;
	unsigned first; /* its first point in the plan */
	unsigned seen[CALIBRATE_LOADS_MAX];
	bool ended, skipped;
};

struct calibrate {
	const struct calibrate_wish *wish; /* borrowed, like the parts and the plan */
	const struct calibrate_parts *parts;
	const struct plan *plan;
	unsigned n_series;
	struct calibrate_series series[CALIBRATE_PARTS_MAX];
	char command[1024];
};

/* -ENOMEM only. calibrate_close in any case. */
int calibrate_open(struct calibrate *calibrate, const struct plan *plan, struct error *error);
void calibrate_close(struct calibrate *calibrate);

/* As run_options.next asks; context is a struct calibrate. */
bool calibrate_next(void *context, const struct result *result, struct run_ask *ret);

/* About how many runs it will be, before anything is known. */
unsigned calibrate_left(const struct calibrate *calibrate);

/* Adds to the result what was found in it. -ENOMEM only. */
int calibrate_conclude(const struct calibrate *calibrate, struct result *result,
		       struct error *error);

/* Holds what was found against what is needed; calibration has its parts. -ENOMEM only. */
int calibrate_need_answer(const struct calibrate *calibrate, struct calibration *calibration,
			  struct error *error);

/* Exit code of a calibration that ran well: what the needs, or without any the limit, come to. */
int calibrate_code(const struct calibration *calibration);

#endif
