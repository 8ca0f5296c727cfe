/* SPDX-License-Identifier: MIT */
/* comparison_boots.c - runs of one boot of the machine become one unit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/comparison_parts.h"

/* The first unit of a side that has this boot id; n_units if none has. */
static unsigned unit_of_boot(const struct comparison_side *side, const char *boot_id, unsigned end)
{
	for (unsigned i = 0; i < end; i++)
		if (strcmp(side->units[i].boot_id, boot_id) == 0)
			return i;
	return side->n_units;
}

static unsigned count_boots(const struct comparison_side *side)
{
	unsigned n = 0;

	for (unsigned i = 0; i < side->n_units; i++)
		n += side->units[i].boot_id[0] &&
		     unit_of_boot(side, side->units[i].boot_id, i) == side->n_units;
	return n;
}

static unsigned count_known(const struct comparison_side *side)
{
	unsigned n = 0;

	for (unsigned i = 0; i < side->n_units; i++)
		n += side->units[i].boot_id[0] != '\0';
	return n;
}

static bool is_boot_shared(const struct comparison_side *side, const struct comparison_side *other)
{
	for (unsigned i = 0; i < side->n_units; i++) {
		const char *boot_id = side->units[i].boot_id;

		if (boot_id[0] && unit_of_boot(side, boot_id, i) == side->n_units &&
		    unit_of_boot(other, boot_id, other->n_units) < other->n_units)
			return true;
	}
	return false;
}

/*
 * Runs of one boot are alike in what that boot laid out by chance, so that they are no independent
 * values where the sides are boots; where both sides ran in one boot, they share it.
 */
static bool are_boots_units(const struct comparison *comparison)
{
	bool twice = false;

	for (unsigned i = 0; i < comparison->n_sides; i++) {
		twice = twice || comparison->sides[i].n_boots < count_known(&comparison->sides[i]);
		for (unsigned j = i + 1; j < comparison->n_sides; j++)
			if (is_boot_shared(&comparison->sides[i], &comparison->sides[j]))
				return false;
	}
	return twice;
}

/* The mean of logs, or of the values where some have none. */
static double mean_of(const double *values, unsigned n)
{
	double sum = 0, logs = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += values[i];
		logs += values[i] > 0 ? log(values[i]) : NAN;
	}
	if (n < 2)
		return n ? values[0] : NAN;
	return isnan(logs) ? sum / n : exp(logs / n);
}

/* Samples of one unit become the first of them. values has room for all. */
static void join_samples(struct sample *samples, unsigned n, unsigned n_metrics, double *values)
{
	for (unsigned m = 0; m < n_metrics; m++) {
		unsigned there = 0;

		for (unsigned i = 0; i < n; i++)
			if (m < samples[i].n_values && !isnan(samples[i].values[m]))
				values[there++] = samples[i].values[m];
		samples->values[m] = mean_of(values, there);
	}
	for (unsigned i = 1; i < n; i++) {
		samples->ops = fmin(samples->ops, samples[i].ops);
		free(samples[i].values);
		samples[i].values = NULL;
	}
	samples->n_values = n_metrics;
}

static int compare_samples_by_unit(const void *a, const void *b)
{
	const struct sample *left = a, *right = b;

	return (left->unit > right->unit) - (left->unit < right->unit);
}

static int join_list(struct sample_list *list, const unsigned *unit_of, unsigned n_metrics)
{
	double *values = calloc(list->n + 1, sizeof(*values)), *wider;
	unsigned kept = 0, end;

	for (unsigned i = 0; values && i < list->n; i++) {
		list->samples[i].unit = unit_of[list->samples[i].unit];
		wider = reallocarray(list->samples[i].values, n_metrics + 1, sizeof(double));
		if (!wider) {
			free(values);
			return -ENOMEM;
		}
		list->samples[i].values = wider;
	}
	if (!values)
		return -ENOMEM;
	qsort(list->samples, list->n, sizeof(*list->samples), compare_samples_by_unit);
	for (unsigned i = 0; i < list->n; i = end) {
		for (end = i + 1;
		     end < list->n && list->samples[end].unit == list->samples[i].unit;)
			end++;
		join_samples(&list->samples[i], end - i, n_metrics, values);
		list->samples[kept++] = list->samples[i];
	}
	list->n = kept;
	free(values);
	return 0;
}

/* Units of a side after joining; unit_of tells for each run which one it went to. */
static void join_units(struct comparison_side *side, unsigned *unit_of)
{
	unsigned n = 0;

	for (unsigned i = 0; i < side->n_units; i++) {
		struct comparison_unit unit = side->units[i], *first;
		unsigned at = 0;

		while (at < n &&
		       (!unit.boot_id[0] || strcmp(side->units[at].boot_id, unit.boot_id)))
			at++;
		unit_of[i] = at;
		first = &side->units[at];
		if (at == n) {
			if (unit.boot_id[0])
				snprintf(unit.name, sizeof(unit.name), "boot %s", unit.boot_id);
			*first = unit;
			n++;
			continue;
		}
		first->n_results += unit.n_results;
		if (unit.order < first->order)
			first->order = unit.order;
	}
	side->n_units = n;
}

static int join_side(struct comparison_builder *builder, unsigned side, struct error *error)
{
	struct comparison_side *of = &builder->comparison->sides[side];
	unsigned *unit_of = calloc(of->n_units + 1, sizeof(*unit_of));
	int rc = unit_of ? 0 : -ENOMEM;

	if (rc == 0)
		join_units(of, unit_of);
	for (unsigned p = 0; p < builder->n_points && rc == 0; p++)
		for (unsigned s = 0; s < builder->points[p].n_series && rc == 0; s++) {
			struct series *series = &builder->points[p].series[s];

			if (side < series->n_sides)
				rc = join_list(&series->sides[side], unit_of, builder->n_metrics);
		}
	free(unit_of);
	return rc < 0 ? parts_no_memory(error) : 0;
}

int comparison_join_boots(struct comparison_builder *builder, struct error *error)
{
	struct comparison *comparison = builder->comparison;
	int rc = 0;

	for (unsigned i = 0; i < comparison->n_sides; i++)
		comparison->sides[i].n_boots = count_boots(&comparison->sides[i]);
	comparison->unit = are_boots_units(comparison) ? UNIT_BOOT : UNIT_RUN;
	for (unsigned i = 0; comparison->unit == UNIT_BOOT && i < comparison->n_sides && rc == 0;
	     i++)
		rc = join_side(builder, i, error);
	return rc;
}
