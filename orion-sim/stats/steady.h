/* SPDX-License-Identifier: MIT */
/* steady.h - whether the rounds of a workload have settled. Pure: values in, verdict out. */
#ifndef ORION_STATS_STEADY_H
#define ORION_STATS_STEADY_H

#include <stdbool.h>

/* Limits in percent of the mean over the window; INFINITY: any will do. */
struct steady_rule {
	unsigned window; /* last rounds that are looked at, 2 or more */
	double range_percent;
	double slope_percent;
};

/* Both NAN where the window is not full, has no mean above 0 or a value that is not finite. */
struct steady {
	bool reached;	      /* both figures are within their limits, which count as within */
	double range_percent; /* max - min */
	double slope_percent; /* rise of the best-fit line from the first round to the last, without
				 its sign: |slope| x (window - 1) */
};

/*
 * The rule of the SNIA SSS-PTS (window 5, range 20, slope 10) over the last rounds of n values.
 * With a window of 2 it asks whether two successive values agree.
 */
struct steady steady_judge(const struct steady_rule *rule, const double *values, unsigned n);

#endif
