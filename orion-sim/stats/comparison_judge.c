/* SPDX-License-Identifier: MIT */
/* comparison_judge.c - rows compared, as a family adjusted, and summed up. */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "stats/comparison_parts.h"

#define DRAWS_MAX 1e8 /* of the bootstrap, for all rows together: a few seconds */

/* The bootstrap is a second view: a sum of draws that takes seconds is enough for it. */
static void limit_resamples(struct comparison *comparison)
{
	double draws = 0, share;

	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		draws += (double)row->options.resamples *
			 (double)(row->numbers.base.n + row->numbers.other.n);
	}
	share = draws > DRAWS_MAX ? DRAWS_MAX / draws : 1;
	for (unsigned i = 0; i < comparison->n_rows; i++)
		comparison->rows[i].options.resamples =
			(unsigned)((double)comparison->rows[i].options.resamples * share);
}

static int compare_rows(struct comparison *comparison)
{
	int rc = 0;

	limit_resamples(comparison);
	for (unsigned i = 0; i < comparison->n_rows && rc == 0; i++) {
		struct comparison_row *row = &comparison->rows[i];

		rc = compare_samples(row->base, row->numbers.base.n, row->other,
				     row->numbers.other.n, &row->options, &row->numbers);
		comparison->n_primary += row->primary && row->numbers.verdict != COMPARE_NOTHING;
	}
	return rc;
}

static int adjust(struct comparison *comparison)
{
	CLEANUP(cleanup_free)
	struct compare_numbers **family =
		calloc(comparison->n_rows + 1, sizeof(struct compare_numbers *));
	CLEANUP(cleanup_free)
	struct compare_options *options = calloc(comparison->n_rows + 1, sizeof(*options));
	unsigned n = 0;

	if (!family || !options)
		return -ENOMEM;
	for (unsigned i = 0; i < comparison->n_rows; i++)
		if (comparison->rows[i].primary) {
			family[n] = &comparison->rows[i].numbers;
			options[n++] = comparison->rows[i].options;
		}
	return compare_holm(family, options, n);
}

static int find_geomeans(struct comparison *comparison)
{
	comparison->geomeans = calloc(comparison->n_sides, sizeof(*comparison->geomeans));
	if (!comparison->geomeans)
		return -ENOMEM;
	for (unsigned side = 0; side < comparison->n_sides; side++)
		for (int higher = 0; higher < 2; higher++) {
			double sum = 0;
			unsigned n = 0;

			for (unsigned i = 0; i < comparison->n_rows; i++) {
				const struct comparison_row *row = &comparison->rows[i];

				if (!row->primary || row->side != side ||
				    row->metric.higher_better != (higher == 1) ||
				    !isfinite(row->numbers.change) ||
				    row->numbers.verdict == COMPARE_NOTHING)
					continue;
				sum += row->numbers.change;
				n++;
			}
			comparison->geomeans[side][higher] = n ? expm1(sum / n) : NAN;
		}
	return 0;
}

struct timed {
	uint64_t order;
	unsigned place;
	double value;
};

static int compare_times(const void *a, const void *b)
{
	const struct timed *left = a, *right = b;

	if (left->order != right->order)
		return left->order < right->order ? -1 : 1;
	return (left->place > right->place) - (left->place < right->place);
}

/* Of the baseline's values in the order in which they were measured. */
static int find_drift(struct comparison *comparison, const struct comparison_row *row)
{
	size_t n = row->numbers.base.n;
	CLEANUP(cleanup_free) struct timed *timed = calloc(n + 1, sizeof(*timed));
	CLEANUP(cleanup_free) double *values = calloc(n + 1, sizeof(*values));
	bool positive = true;

	if (!timed || !values)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		const struct comparison_side *base = &comparison->sides[0];

		timed[i] = (struct timed){.order = base->units[row->base_unit[i]].order,
					  .place = i,
					  .value = row->base[i]};
		positive = positive && row->base[i] > 0;
	}
	qsort(timed, n, sizeof(*timed), compare_times);
	for (unsigned i = 0; i < n; i++)
		values[i] = timed[i].value;
	comparison->drift_percent = positive ? 100 * compare_drift(values, n) : 0;
	return 0;
}

static int sum_up(struct comparison *comparison)
{
	int rc = adjust(comparison);

	if (rc == 0)
		rc = find_geomeans(comparison);
	for (unsigned i = 0; i < comparison->n_rows && rc == 0; i++)
		if (comparison->rows[i].primary &&
		    comparison->rows[i].numbers.verdict != COMPARE_NOTHING)
			return find_drift(comparison, &comparison->rows[i]);
	return rc;
}

static int check_compared(const struct comparison_builder *builder, struct error *error)
{
	const struct comparison *comparison = builder->comparison;
	const struct comparison_row *row = NULL;

	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *each = &comparison->rows[i];

		if (!each->primary)
			continue;
		row = row ? row : each;
		if (builder->anyway ? each->numbers.verdict != COMPARE_NOTHING
				    : each->numbers.base.n > 1 && each->numbers.other.n > 1 &&
					      each->numbers.verdict != COMPARE_NOTHING)
			return 0;
	}
	if (!row)
		return error_set(error, ERROR_INPUT,
				 "no run has a value of %s%s: name a metric that applies with "
				 "--metric",
				 builder->specs[0].text,
				 builder->n_specs > 1 ? " or of the other primary metrics" : "");
	if (row->numbers.verdict == COMPARE_NOTHING)
		return error_set(error, ERROR_INPUT,
				 "nothing could be compared: %s %s.%s: %s; run it again, or name "
				 "another metric with --metric",
				 row->point, row->class, row->metric.name, row->numbers.reason);
	return error_set(
		error, ERROR_INPUT,
		"%s has %zu and %s has %zu values of %s.%s, and a single one does not tell how far "
		"runs spread: compare %s, or see the bare figures with --anyway",
		comparison->sides[0].label, row->numbers.base.n, comparison->sides[row->side].label,
		row->numbers.other.n, row->class, row->metric.name,
		comparison->paired ? "6 blocks or more" : "4 runs a side or more");
}

int comparison_judge(struct comparison_builder *builder, struct error *error)
{
	struct comparison *comparison = builder->comparison;
	int rc = 0;

	if (compare_rows(comparison) < 0)
		return parts_no_memory(error);
	rc = check_compared(builder, error);
	if (rc == 0 && sum_up(comparison) < 0)
		return parts_no_memory(error);
	return rc;
}
