/* SPDX-License-Identifier: MIT */
/* calibration.h - what a search for the highest load found, as a part of a result. */
#ifndef ORION_STATS_CALIBRATION_H
#define ORION_STATS_CALIBRATION_H

#include <stdint.h>
#include <cjson/cJSON.h>

struct error;
struct json_document;
struct result_point;

/*
 * "calibration": {
 *   "percentile": "p99" or "mean", "limit_ns", "command": that repeats it,
 *   "parts": [{"name", "goal", "outcome", "load", "iops", "iops_low", …}],
 *   "needs": [{"what", "asked", "got", "low", "high", "answer"}]     left out where none were named
 * }
 * in a document of schema orion-sim/1. Loads are I/Os in flight; low and high are where 95 of 100
 * searches like this one would end. A point belongs to the part whose name its label begins with.
 */
struct calibration_part {
	char name[48];	  /* "8K reads"; the labels of its points are it and the load */
	char goal[8];	  /* "limit": the highest load under the limit; "rate": the most there is */
	char outcome[16]; /* "found", "unmet", "unreached", "unsettled", "nothing" (not measured) */
	char stream[32];  /* whose latency and rate they are */
	char process[8];  /* "one" where it is one process; "" else */
	uint64_t block_bytes;
	double load, load_low, load_high;
	double iops, iops_low, iops_high;
	double mbps, mbps_low, mbps_high;		    /* of all streams together */
	double latency_ns, latency_low_ns, latency_high_ns; /* of the percentile */
	double mean_ns;
	double driver_percent;	    /* of their time, the threads that did the I/O worked */
	double over_load, over_ns;  /* the lowest load over the limit; 0: none */
	double again_load;	    /* a higher one that was under it all the same; 0: none */
	double largest_load;	    /* that would have been asked for */
	unsigned loads, runs, grid; /* measured, how often in all, and how many loads there are */
};

/* One of which nothing was found: every figure is not-a-number. */
extern const struct calibration_part calibration_part_unknown;

struct calibration_need {
	char what[16];		      /* "iops", "mbps", "p99" */
	char part[48];		      /* that answers it */
	double asked, got, low, high; /* a rate in its unit, a latency in ns */
	char answer[16];	      /* "yes", "no", "close", "unknown" */
};

struct calibration {
	char percentile[8];
	double limit_ns;
	char command[1024];
	unsigned n_parts;
	struct calibration_part *parts; /* owned */
	unsigned n_needs;
	struct calibration_need *needs; /* owned */
};

void calibration_free(struct calibration *calibration);

/* Owned by the caller; null if out of memory. */
cJSON *calibration_to_json(const struct calibration *calibration);

/* ERROR_INPUT with its place; -ENOMEM. */
int calibration_read(const struct json_document *document, const cJSON *object,
		     struct calibration **ret, struct error *error);

/* The load of a point of that part, as its label says it; NAN if it is of another part. */
double calibration_load(const struct calibration_part *part, const struct result_point *point);

/* "yes" where all of the interval serves, "no" where none of it does, "close" between, "unknown".
 */
const char *calibration_judge(const struct calibration_need *need);

/* How often the need fits into what there is: 5 is five times as much as asked. */
double calibration_factor(const struct calibration_need *need, double value);

#endif
