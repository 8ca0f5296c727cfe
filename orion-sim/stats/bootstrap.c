/* SPDX-License-Identifier: MIT */
/* bootstrap.c - the ratio of two medians and how far resampling moves it. */
#include "stats/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/random.h"
#include "stats/rank.h"

/* In (0, 1), never an end. */
static double draw_uniform(struct random *random)
{
	return ((double)(random_next(random) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller, one of the two. */
static double draw_normal(struct random *random)
{
	double radius = sqrt(-2 * log(draw_uniform(random)));

	return radius * cos(2 * M_PI * draw_uniform(random));
}

/* Gamma of a shape of at least 1 (Marsaglia and Tsang, "A simple method for generating gamma
 * variables", 2000). */
static double draw_gamma(struct random *random, double shape)
{
	double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

	for (;;) {
		double x = draw_normal(random), v = 1 + c * x;

		if (v <= 0)
			continue;
		v = v * v * v;
		if (log(draw_uniform(random)) < 0.5 * x * x + d * (1 - v + log(v)))
			return d * v;
	}
}

/* The k-th smallest of n uniform numbers. */
static double draw_order(struct random *random, size_t k, size_t n)
{
	double below = draw_gamma(random, (double)k);
	double above = draw_gamma(random, (double)(n + 1 - k));

	return below / (below + above);
}

static double value_at(const double *sorted, size_t n, double place)
{
	size_t i = (size_t)(place * (double)n);

	return sorted[i < n ? i : n - 1];
}

/*
 * Median of n draws with replacement without drawing them: the middle of n uniform numbers says
 * where in the sorted values it lies, and where n is even the smallest of the n / 2 above it says
 * where its neighbour lies.
 */
static double draw_median(struct random *random, const double *sorted, size_t n)
{
	double place = draw_order(random, (n + 1) / 2, n), value = value_at(sorted, n, place);

	if (n % 2)
		return value;
	place += (1 - place) * (1 - pow(draw_uniform(random), 2 / (double)n));
	return (value + value_at(sorted, n, place)) / 2;
}

static double median(const double *sorted, size_t n)
{
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

static double *sorted_copy(const double *values, size_t n)
{
	double *copy = malloc(n * sizeof(*copy));

	if (copy) {
		memcpy(copy, values, n * sizeof(*copy));
		rank_sort(copy, n);
	}
	return copy;
}

/* Percentile interval of what was drawn, as many values beyond either end. */
static void take_interval(double *ratios, unsigned n, double confidence, struct bootstrap *ret)
{
	double beyond = floor((1 - confidence) / 2 * ((double)n + 1) + 1e-9);
	unsigned k = beyond >= 1 ? (unsigned)beyond : 1;

	rank_sort(ratios, n);
	ret->low = ratios[k - 1];
	ret->high = ratios[n - k];
}

int bootstrap_sides(const double *base, size_t n_base, const double *other, size_t n_other,
		    unsigned resamples, double confidence, uint64_t seed, struct bootstrap *ret)
{
	CLEANUP(cleanup_free) double *sorted_base = NULL;
	CLEANUP(cleanup_free) double *sorted_other = NULL;
	CLEANUP(cleanup_free) double *ratios = NULL;
	struct bootstrap bootstrap = {NAN, NAN, NAN};
	struct random random;

	if (n_base > 0 && n_other > 0) {
		sorted_base = sorted_copy(base, n_base);
		sorted_other = sorted_copy(other, n_other);
		ratios = calloc(resamples + 1, sizeof(*ratios));
		if (!sorted_base || !sorted_other || !ratios)
			return -ENOMEM;
		bootstrap.ratio = median(sorted_other, n_other) / median(sorted_base, n_base);
		random_seed(&random, seed, 0);
		for (unsigned i = 0; i < resamples; i++)
			ratios[i] = draw_median(&random, sorted_other, n_other) /
				    draw_median(&random, sorted_base, n_base);
		if (resamples > 0)
			take_interval(ratios, resamples, confidence, &bootstrap);
	}
	*ret = bootstrap;
	return 0;
}

/* One side's values in ascending order, each with the pair it is of. */
struct member {
	double value;
	uint32_t pair;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *one = a, *two = b;

	return (one->value > two->value) - (one->value < two->value);
}

static struct member *members_sort(const double *values, size_t n)
{
	struct member *members = calloc(n, sizeof(*members));

	for (size_t i = 0; members && i < n; i++)
		members[i] = (struct member){values[i], (uint32_t)i};
	if (members)
		qsort(members, n, sizeof(*members), compare_members);
	return members;
}

/* Median of n values, of which the pair's is there times[pair] times. */
static double members_median(const struct member *sorted, size_t n, const uint32_t *times)
{
	size_t i = 0, passed = times[sorted[0].pair];
	double lower;

	while (passed < (n + 1) / 2)
		passed += times[sorted[++i].pair];
	lower = sorted[i].value;
	while (passed < n / 2 + 1)
		passed += times[sorted[++i].pair];
	return (lower + sorted[i].value) / 2;
}

/* times: how often each of n pairs was drawn in n draws. */
static void draw_pairs(struct random *random, uint32_t *times, size_t n)
{
	memset(times, 0, n * sizeof(*times));
	for (size_t i = 0; i < n; i++)
		times[random_below(random, n)]++;
}

int bootstrap_pairs(const double *base, const double *other, size_t n, unsigned resamples,
		    double confidence, uint64_t seed, struct bootstrap *ret)
{
	CLEANUP(cleanup_free) struct member *sorted_base = NULL;
	CLEANUP(cleanup_free) struct member *sorted_other = NULL;
	CLEANUP(cleanup_free) uint32_t *times = NULL;
	CLEANUP(cleanup_free) double *ratios = NULL;
	struct bootstrap bootstrap = {NAN, NAN, NAN};
	struct random random;

	if (n > 0) {
		sorted_base = members_sort(base, n);
		sorted_other = members_sort(other, n);
		times = calloc(n, sizeof(*times));
		ratios = calloc(resamples + 1, sizeof(*ratios));
		if (!sorted_base || !sorted_other || !times || !ratios)
			return -ENOMEM;
		for (size_t i = 0; i < n; i++)
			times[i] = 1;
		bootstrap.ratio = members_median(sorted_other, n, times) /
				  members_median(sorted_base, n, times);
		random_seed(&random, seed, 0);
		for (unsigned i = 0; i < resamples; i++) {
			draw_pairs(&random, times, n);
			ratios[i] = members_median(sorted_other, n, times) /
				    members_median(sorted_base, n, times);
		}
		if (resamples > 0)
			take_interval(ratios, resamples, confidence, &bootstrap);
	}
	*ret = bootstrap;
	return 0;
}
