/* SPDX-License-Identifier: MIT */
/* steady.c - whether the rounds of a workload have settled. */
#include "stats/steady.h"

#include <assert.h>
#include <math.h>

static double mean_of(const double *values, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	return sum / n;
}

static double range_of(const double *values, unsigned n)
{
	double least = values[0], most = values[0];

	for (unsigned i = 1; i < n; i++) {
		least = fmin(least, values[i]);
		most = fmax(most, values[i]);
	}
	return most - least;
}

/* Least squares over rounds 0, 1, … n - 1, whose squared distances from their mean sum up to
 * n (n^2 - 1) / 12. */
static double slope_of(const double *values, unsigned n)
{
	double middle = (n - 1) / 2.0, sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += (i - middle) * values[i];
	return 12 * sum / ((double)n * ((double)n * n - 1));
}

struct steady steady_judge(const struct steady_rule *rule, const double *values, unsigned n)
{
	struct steady steady = {.range_percent = NAN, .slope_percent = NAN};
	unsigned window = rule->window;
	double mean;

	assert(window >= 2);
	if (n < window)
		return steady;
	values += n - window;
	mean = mean_of(values, window); /* not finite if one of them is not */
	if (!isfinite(mean) || mean <= 0)
		return steady;
	steady.range_percent = 100 * range_of(values, window) / mean;
	steady.slope_percent = 100 * fabs(slope_of(values, window)) * (window - 1) / mean;
	steady.reached = steady.range_percent <= rule->range_percent &&
			 steady.slope_percent <= rule->slope_percent;
	return steady;
}
