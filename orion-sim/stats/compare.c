/* SPDX-License-Identifier: MIT */
/* compare.c - two samples of one metric: the change, its interval, the verdict. */
#include "stats/compare.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/bootstrap.h"
#include "stats/rank.h"
#include "stats/summary.h"

#define NORMAL_MAD	 0.6745 /* of a normal distribution, in standard deviations */
#define NORMAL_DISTANCE	 1.2533 /* standard deviations in its mean distance from the middle */
#define OUTLIER_Z	 3.5
#define POWER_DEVIATE	 0.84 /* of a standard normal: 80 % lie below */
#define RANK_EFFICIENCY	 0.955
#define THRESHOLD_MARGIN 1e-12 /* what the logarithm of 1.02 and back may be off by */

static const char *const verdict_names[COMPARE_VERDICTS] = {
	[COMPARE_SAME] = "same",
	[COMPARE_IMPROVED] = "improved",
	[COMPARE_REGRESSED] = "regressed",
	[COMPARE_SMALL] = "real but small",
	[COMPARE_INCONCLUSIVE] = "inconclusive",
	[COMPARE_NOTHING] = "not compared",
};

const char *compare_verdict_name(enum compare_verdict verdict)
{
	return verdict_names[verdict];
}

/* Where values lie and how far they spread. */
struct scatter {
	double median;
	double mad;	  /* median distance from the median x 1.4826 */
	double deviation; /* that, or the standard deviation where it is 0 */
	double reach;	  /* distance from the median beyond which a value is an outlier */
};

/* Leaves distances from the median in values, which are at least one. */
static struct scatter scatter_of(double *values, size_t n)
{
	double sum = 0, squares = 0, distance = 0;
	struct scatter scatter = {.median = summary_median(values, n)};

	for (size_t i = 0; i < n; i++) {
		values[i] -= scatter.median;
		sum += values[i];
		squares += values[i] * values[i];
		values[i] = fabs(values[i]);
		distance += values[i];
	}
	scatter.mad = summary_median(values, n) / NORMAL_MAD;
	scatter.deviation = scatter.mad;
	scatter.reach = OUTLIER_Z * scatter.mad;
	if (scatter.mad <= 0 && n > 1) {
		double variance = (squares - sum * sum / (double)n) / (double)(n - 1);

		scatter.deviation = variance > 0 ? sqrt(variance) : 0;
		scatter.reach = OUTLIER_Z * NORMAL_DISTANCE * distance / (double)n;
	}
	return scatter;
}

int compare_outliers(const double *values, size_t n, bool *flags)
{
	CLEANUP(cleanup_free) double *logs = calloc(n + 1, sizeof(*logs));
	struct scatter scatter;

	if (!logs)
		return -ENOMEM;
	if (n == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		logs[i] = log(values[i]);
	scatter = scatter_of(logs, n);
	for (size_t i = 0; i < n; i++)
		flags[i] = fabs(log(values[i]) - scatter.median) > scatter.reach;
	return 0;
}

/* One side while it is compared. */
struct sample {
	const char *name;
	const double *values;
	size_t n;
	double *logs;		/* in the order of values; all 0 where all are equal */
	struct scatter scatter; /* of logs */
};

static bool sample_finite(const struct sample *sample, char *reason, size_t size)
{
	for (size_t i = 0; i < sample->n; i++) {
		if (isfinite(sample->values[i]))
			continue;
		snprintf(reason, size, "value %zu of the %s side is %s", i + 1, sample->name,
			 isnan(sample->values[i]) ? "not a number" : "infinite");
		return false;
	}
	if (sample->n == 0)
		snprintf(reason, size, "the %s side has no values", sample->name);
	return sample->n > 0;
}

static bool sample_positive(const struct sample *sample, char *reason, size_t size)
{
	for (size_t i = 0; i < sample->n; i++) {
		if (sample->values[i] > 0)
			continue;
		snprintf(reason, size,
			 "value %zu of the %s side is %g, and only positive values have a ratio",
			 i + 1, sample->name, sample->values[i]);
		return false;
	}
	return true;
}

static bool sample_constant(const struct sample *sample, double value)
{
	for (size_t i = 0; i < sample->n; i++)
		if (sample->values[i] < value || sample->values[i] > value)
			return false;
	return true;
}

/* Also says where the values lie. -ENOMEM. */
static int sample_take_logs(struct sample *sample, bool constant, struct compare_side *ret)
{
	size_t n = sample->n;
	CLEANUP(cleanup_free) double *scratch = malloc(n * sizeof(*scratch));
	struct compare_side side = {.n = n};

	sample->logs = malloc(n * sizeof(*sample->logs));
	if (!sample->logs || !scratch)
		return -ENOMEM;
	memcpy(scratch, sample->values, n * sizeof(*scratch));
	side.median = summary_median(scratch, n);
	for (size_t i = 0; i < n; i++)
		sample->logs[i] = constant ? 0 : log(sample->values[i]);
	memcpy(scratch, sample->logs, n * sizeof(*scratch));
	sample->scatter = scatter_of(scratch, n);
	side.spread_percent = 100 * sample->scatter.mad;
	for (size_t i = 0; i < n; i++)
		if (fabs(sample->logs[i] - sample->scatter.median) > sample->scatter.reach)
			side.n_outliers++;
	*ret = side;
	return 0;
}

static void sample_free(struct sample *sample)
{
	free(sample->logs);
}

double compare_smallest_p(size_t n_base, size_t n_other, bool paired)
{
	size_t fewer = n_base < n_other ? n_base : n_other, all = n_base + n_other;
	double p = 2;

	for (size_t i = 1; i <= fewer && p > 0; i++)
		p *= paired ? 0.5 : (double)i / (double)(all - fewer + i);
	return fmin(1, p);
}

/* Pairs, or values a side, below which there is no interval. */
static unsigned fewest_for_interval(const struct compare_options *options)
{
	unsigned n = 1;

	while (n < 1000 && compare_smallest_p(n, n, options->paired) > options->alpha)
		n++;
	return n;
}

/* variance: of one pair, or of the difference of one value a side; n: of them. */
static void plan_next(double variance, double n, const struct compare_options *options,
		      struct compare_numbers *numbers)
{
	double deviates = rank_deviate(options->alpha) + POWER_DEVIATE;
	double needed, fewest = fewest_for_interval(options);

	numbers->visible = deviates * sqrt(variance / (n * RANK_EFFICIENCY));
	if (options->threshold <= 0)
		return;
	needed = deviates * deviates * variance / (options->threshold * options->threshold) /
		 RANK_EFFICIENCY;
	needed = fmax(ceil(needed), fewest);
	numbers->needed = needed < UINT_MAX ? (unsigned)needed : UINT_MAX;
}

/* Of one over the other, so that equal ratios are equal to the last bit, if it can be divided. */
static double log_ratio(double base, double other)
{
	double ratio = other / base;

	return isnormal(ratio) ? log(ratio) : log(other) - log(base);
}

static int compare_pairs(const struct sample *base, const struct sample *other,
			 const struct compare_options *options, struct compare_numbers *numbers)
{
	size_t n = base->n, k = 0;
	CLEANUP(cleanup_free) double *changes = malloc(n * sizeof(*changes));
	struct scatter scatter;
	int ret;

	if (!changes)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		changes[i] = base->values[i] > 0 ? log_ratio(base->values[i], other->values[i]) : 0;
	ret = rank_signed_p(changes, n, &numbers->p, &numbers->exact);
	if (ret == 0)
		ret = rank_signed_order(n, 1 - options->alpha, &k);
	if (ret < 0)
		return ret;
	rank_sort(changes, n);
	numbers->change = rank_walsh_median(changes, n);
	if (k > 0) {
		numbers->low = rank_walsh_select(changes, n, k);
		numbers->high = rank_walsh_select(changes, n, n * (n + 1) / 2 + 1 - k);
	}
	scatter = scatter_of(changes, n);
	if (n > 1)
		plan_next(scatter.deviation * scatter.deviation, (double)n, options, numbers);
	return 0;
}

/* Sorts the logs. */
static int compare_sides(struct sample *base, struct sample *other,
			 const struct compare_options *options, struct compare_numbers *numbers)
{
	double s_base = base->scatter.deviation, s_other = other->scatter.deviation;
	double n = 2 / (1 / (double)base->n + 1 / (double)other->n);
	size_t k = 0;
	int ret = rank_sum_p(base->values, base->n, other->values, other->n, &numbers->p,
			     &numbers->exact);

	if (ret == 0)
		ret = rank_sum_order(base->n, other->n, 1 - options->alpha, &k);
	if (ret < 0)
		return ret;
	rank_sort(base->logs, base->n);
	rank_sort(other->logs, other->n);
	numbers->change = rank_difference_median(base->logs, base->n, other->logs, other->n);
	if (k > 0) {
		numbers->low =
			rank_difference_select(base->logs, base->n, other->logs, other->n, k);
		numbers->high = rank_difference_select(base->logs, base->n, other->logs, other->n,
						       base->n * other->n + 1 - k);
	}
	if (base->n > 1 && other->n > 1)
		plan_next(s_base * s_base + s_other * s_other, n, options, numbers);
	return 0;
}

/* The second view; its interval only where the first has one. */
static int compare_medians(const struct sample *base, const struct sample *other,
			   const struct compare_options *options, struct compare_numbers *numbers)
{
	unsigned resamples = isnan(numbers->low) ? 0 : options->resamples;
	double confidence = 1 - options->alpha;
	struct bootstrap bootstrap = {NAN, NAN, NAN};
	int ret;

	if (options->resamples == 0 || base->values[0] <= 0)
		return 0;
	if (options->paired)
		ret = bootstrap_pairs(base->values, other->values, base->n, resamples, confidence,
				      options->seed, &bootstrap);
	else
		ret = bootstrap_sides(base->values, base->n, other->values, other->n, resamples,
				      confidence, options->seed, &bootstrap);
	if (ret < 0)
		return ret;
	numbers->ratio = bootstrap.ratio;
	numbers->ratio_low = bootstrap.low;
	numbers->ratio_high = bootstrap.high;
	return 0;
}

static bool lies_within(double change, double threshold)
{
	return fabs(expm1(change)) <= threshold + THRESHOLD_MARGIN;
}

/* The first that fits. */
static enum compare_verdict judge(const struct compare_numbers *numbers,
				  const struct compare_options *options)
{
	if (isnan(numbers->low))
		return COMPARE_INCONCLUSIVE;
	if (lies_within(numbers->low, options->threshold) &&
	    lies_within(numbers->high, options->threshold))
		return COMPARE_SAME;
	if (numbers->low <= 0 && numbers->high >= 0)
		return COMPARE_INCONCLUSIVE;
	if (lies_within(numbers->change, options->threshold))
		return COMPARE_SMALL;
	if (numbers->p_holm > options->alpha)
		return COMPARE_INCONCLUSIVE;
	return (numbers->change > 0) == options->higher_better ? COMPARE_IMPROVED
							       : COMPARE_REGRESSED;
}

static int compare_usable(struct sample *base, struct sample *other, bool constant,
			  const struct compare_options *options, struct compare_numbers *numbers)
{
	int ret = sample_take_logs(base, constant, &numbers->base);

	if (ret == 0)
		ret = sample_take_logs(other, constant, &numbers->other);
	if (ret == 0)
		ret = options->paired ? compare_pairs(base, other, options, numbers)
				      : compare_sides(base, other, options, numbers);
	if (ret == 0)
		ret = compare_medians(base, other, options, numbers);
	if (ret < 0)
		return ret;
	numbers->p_holm = numbers->p;
	numbers->verdict = judge(numbers, options);
	return 0;
}

int compare_samples(const double *base, size_t n_base, const double *other, size_t n_other,
		    const struct compare_options *options, struct compare_numbers *ret)
{
	CLEANUP(sample_free) struct sample one = {.name = "base", .values = base, .n = n_base};
	CLEANUP(sample_free) struct sample two = {.name = "other", .values = other, .n = n_other};
	struct compare_numbers numbers = {
		.base = {.n = n_base, .median = NAN, .spread_percent = NAN},
		.other = {.n = n_other, .median = NAN, .spread_percent = NAN},
		.paired = options->paired,
		.change = NAN,
		.low = NAN,
		.high = NAN,
		.p = NAN,
		.p_holm = NAN,
		.ratio = NAN,
		.ratio_low = NAN,
		.ratio_high = NAN,
		.visible = NAN,
		.verdict = COMPARE_NOTHING,
	};
	size_t size = sizeof(numbers.reason);
	bool constant;

	assert(!options->paired || n_base == n_other);
	if (sample_finite(&one, numbers.reason, size) &&
	    sample_finite(&two, numbers.reason, size)) {
		constant = sample_constant(&one, base[0]) && sample_constant(&two, base[0]);
		if (constant || (sample_positive(&one, numbers.reason, size) &&
				 sample_positive(&two, numbers.reason, size))) {
			int error = compare_usable(&one, &two, constant, options, &numbers);

			if (error < 0)
				return error;
		}
	}
	*ret = numbers;
	return 0;
}

/* A member of a family, to be put in the order of p. */
struct member {
	double p;
	size_t place;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *one = a, *two = b;

	return (one->p > two->p) - (one->p < two->p);
}

int compare_holm(struct compare_numbers *const *family, const struct compare_options *options,
		 size_t n)
{
	CLEANUP(cleanup_free) struct member *members = calloc(n + 1, sizeof(*members));
	size_t n_members = 0;
	double greatest = 0;

	if (!members)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (family[i]->verdict != COMPARE_NOTHING)
			members[n_members++] = (struct member){family[i]->p, i};
	qsort(members, n_members, sizeof(*members), compare_members);
	for (size_t i = 0; i < n_members; i++) {
		struct compare_numbers *numbers = family[members[i].place];

		greatest = fmax(greatest, fmin(1, (double)(n_members - i) * numbers->p));
		numbers->p_holm = greatest;
		numbers->verdict = judge(numbers, &options[members[i].place]);
	}
	return 0;
}

double compare_drift(const double *values, size_t n)
{
	double middle = ((double)n - 1) / 2, products = 0, squares = 0;

	if (n < 3)
		return 0;
	for (size_t i = 0; i < n; i++) {
		double way = (double)i - middle;

		products += way * log(values[i]);
		squares += way * way;
	}
	return expm1(products / squares * ((double)n - 1));
}
