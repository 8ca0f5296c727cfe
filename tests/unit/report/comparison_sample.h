/* SPDX-License-Identifier: MIT */
/* comparison_sample.h - a comparison made up by hand: figures that no estimator has to be right
 * for. */
#ifndef ORION_TESTS_COMPARISON_SAMPLE_H
#define ORION_TESTS_COMPARISON_SAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/comparison.h"
#include "stats/comparison.h"
#include "written.h"

#define SAMPLE_ROWS_MAX 32

static inline void *sample_allocate(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	assert_non_null(memory);
	return memory;
}

static inline struct comparison sample_sides(const char *const *labels, unsigned n, bool paired,
					     unsigned n_units)
{
	struct comparison comparison = {.paired = paired,
					.unit = paired ? UNIT_BLOCK : UNIT_RUN,
					.design_seed = paired ? 42 : 0,
					.n_sides = n,
					.drift_percent = 1.83};

	comparison.sides = sample_allocate(n, sizeof(*comparison.sides));
	comparison.rows = sample_allocate(SAMPLE_ROWS_MAX, sizeof(*comparison.rows));
	comparison.geomeans = sample_allocate(n, sizeof(*comparison.geomeans));
	for (unsigned i = 0; i < n; i++) {
		struct comparison_side *side = &comparison.sides[i];

		snprintf(side->label, sizeof(side->label), "%s", labels[i]);
		snprintf(side->summary, sizeof(side->summary), "6.18.44 io_uring %s", labels[i]);
		side->n_results = side->n_units = n_units;
		side->units = sample_allocate(n_units, sizeof(*side->units));
		for (unsigned u = 0; u < n_units; u++)
			snprintf(side->units[u].name, sizeof(side->units[u].name), "%s %u",
				 paired ? "block" : "run", u + 1);
		comparison.geomeans[i][0] = comparison.geomeans[i][1] = NAN;
	}
	return comparison;
}

/* What is to be said of a row: percents, as a reader sees them. */
struct sample_change {
	double base, change_percent, low_percent, high_percent, p;
	enum compare_verdict verdict;
};

static inline void sample_values(struct compare_side *side, double median, unsigned n,
				 double **ret_values, unsigned **ret_units)
{
	*ret_values = sample_allocate(n + 1, sizeof(**ret_values));
	*ret_units = sample_allocate(n + 1, sizeof(**ret_units));
	for (unsigned i = 0; i < n; i++) {
		(*ret_values)[i] = median * (1 + 0.004 * ((double)i - (n - 1) / 2.0));
		(*ret_units)[i] = i;
	}
	*side = (struct compare_side){.n = n, .median = median, .spread_percent = 0.9};
}

/* Adds one; the values themselves spread evenly around the medians. */
static inline struct comparison_row *sample_row(struct comparison *comparison, unsigned side,
						const char *point, const char *metric,
						bool higher_better, bool primary,
						struct sample_change is)
{
	struct comparison_row *row = &comparison->rows[comparison->n_rows++];
	unsigned n = comparison->sides[0].n_units;
	struct compare_numbers *numbers = &row->numbers;

	assert_true(comparison->n_rows <= SAMPLE_ROWS_MAX);
	row->side = side;
	row->primary = primary;
	snprintf(row->point, sizeof(row->point), "%s", point);
	snprintf(row->stream, sizeof(row->stream), "reads");
	snprintf(row->class, sizeof(row->class), "read");
	snprintf(row->metric.name, sizeof(row->metric.name), "%s", metric);
	snprintf(row->metric.unit, sizeof(row->metric.unit), "%s", higher_better ? "MB/s" : "us");
	row->metric.higher_better = higher_better;
	row->options = (struct compare_options){.alpha = 0.05,
						.threshold = 0.02,
						.higher_better = higher_better,
						.paired = comparison->paired};
	sample_values(&numbers->base, is.base, n, &row->base, &row->base_unit);
	sample_values(&numbers->other, is.base * (1 + is.change_percent / 100), n, &row->other,
		      &row->other_unit);
	numbers->change = log1p(is.change_percent / 100);
	numbers->low = log1p(is.low_percent / 100);
	numbers->high = log1p(is.high_percent / 100);
	numbers->p = numbers->p_holm = is.p;
	numbers->exact = true;
	numbers->ratio = exp(numbers->change);
	numbers->ratio_low = exp(numbers->low);
	numbers->ratio_high = exp(numbers->high);
	numbers->visible = 0.09;
	numbers->needed = 34;
	numbers->verdict = is.verdict;
	comparison->n_primary += primary && is.verdict != COMPARE_NOTHING;
	return row;
}

/* Two variants, 1M and 64K, ten blocks: better on three of four, one inconclusive. */
static inline struct comparison sample_comparison(void)
{
	static const char *const labels[] = {"base", "hugetlb"};
	struct comparison comparison = sample_sides(labels, 2, true, 10);

	sample_row(&comparison, 1, "64K", "mbps", true, true,
		   (struct sample_change){1177, 69.5, 66.1, 72.9, 0.0078, COMPARE_IMPROVED});
	sample_row(&comparison, 1, "64K", "p99_us", false, true,
		   (struct sample_change){3922, -3.0, -9.5, 4.1, 0.64, COMPARE_INCONCLUSIVE});
	sample_row(&comparison, 1, "1M", "mbps", true, true,
		   (struct sample_change){1250, 127.1, 121, 133.3, 0.0078, COMPARE_IMPROVED});
	sample_row(&comparison, 1, "1M", "cpu_us", false, true,
		   (struct sample_change){61.17, -84.6, -85.1, -84.0, 0.0078, COMPARE_IMPROVED});
	sample_row(&comparison, 1, "64K", "mean_us", false, false,
		   (struct sample_change){1814, -42.1, -43.0, -41.2, 0.00195, COMPARE_IMPROVED});
	sample_row(&comparison, 1, "64K", "max_us", false, false,
		   (struct sample_change){7337, -12.0, -31.0, 9.0, 0.32, COMPARE_INCONCLUSIVE});
	comparison.geomeans[1][1] = 0.962;
	return comparison;
}

static inline char *sample_written(const char *format, const struct comparison *comparison,
				   bool all)
{
	const struct entry *entry;
	struct error error = {0};
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	assert_int_equal(catalog_find(&comparison_catalog, format, &entry, &error), 0);
	if (comparison_ops_of(entry)->write(comparison, all, stream, &error) < 0)
		fail_msg("%s", error.text);
	fclose(stream);
	return text;
}

#endif
