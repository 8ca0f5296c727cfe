/* SPDX-License-Identifier: MIT */
/* merge_counters.h - counters that somebody else took, into the repeats that they are of. */
#ifndef ORION_STATS_MERGE_COUNTERS_H
#define ORION_STATS_MERGE_COUNTERS_H

struct error;
struct result;

/*
 * Reads PATH, a list like
 *   [{"variant": 0, "point": 0, "repeat": 1, "counters": {"lab.kernel_atomics": 62}}]
 * of places as they are in the result's lists, and counts over the measure phase. ERROR_INPUT with
 * the line where it does not fit: a place that the result does not have, a counter that the repeat
 * has already; what came before it is added by then. -ENOMEM.
 */
int merge_counters(const char *path, struct result *result, struct error *error);

#endif
