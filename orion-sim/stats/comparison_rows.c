/* SPDX-License-Identifier: MIT */
/* comparison_rows.c - one row for each metric of what was collected, compared and judged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/comparison_parts.h"
#include "stats/result.h"

/* Shown beside the primary metrics. */
static const char *const descriptive_metrics[] = {"iops",   "mbps",    "mean_us", "p50_us",
						  "p99_us", "p999_us", "cpu_us",  NULL};

/* Share of the operations that lie beyond a percentile. */
static const struct {
	const char *metric;
	double beyond;
} percentiles[] = {{"p50_us", 0.5},
		   {"p90_us", 0.1},
		   {"p99_us", 0.01},
		   {"p999_us", 0.001},
		   {"p9999_us", 0.0001}};

#define OPS_BEYOND_MIN 10

/* Where a row is being made. */
struct making {
	struct comparison_builder *builder;
	unsigned side;
	const struct matched_point *point;
	const struct series *series;
	struct error *error;
};

/* A sample for each unit, null where there is none. */
static const struct sample **by_unit(const struct making *at, unsigned side)
{
	const struct comparison_side *of = &at->builder->comparison->sides[side];
	const struct sample **samples = calloc(of->n_units + 1, sizeof(const struct sample *));
	const struct sample_list *list =
		side < at->series->n_sides ? &at->series->sides[side] : NULL;

	for (unsigned i = 0; samples && list && i < list->n; i++)
		if (!samples[list->samples[i].unit])
			samples[list->samples[i].unit] = &list->samples[i];
	return samples;
}

static double value_of(const struct sample *sample, unsigned metric)
{
	return sample && metric < sample->n_values ? sample->values[metric] : NAN;
}

static bool is_too_rare(const struct sample *sample, const char *metric)
{
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(*percentiles); i++)
		if (strcmp(percentiles[i].metric, metric) == 0)
			return sample->ops * percentiles[i].beyond < OPS_BEYOND_MIN;
	return false;
}

/* One side's values into the row; with pairs only where the other side has one, too. */
static int fill_side(const struct making *at, unsigned side, unsigned metric,
		     const struct sample *const *own, const struct sample *const *partner,
		     struct comparison_row *row)
{
	const struct comparison *comparison = at->builder->comparison;
	unsigned n_units = comparison->sides[side].n_units, n = 0;
	double *values = calloc(n_units + 1, sizeof(*values));
	unsigned *units = calloc(n_units + 1, sizeof(*units));

	for (unsigned u = 0; values && units && u < n_units; u++) {
		double value = value_of(own[u], metric);

		if (isnan(value) || (comparison->paired && isnan(value_of(partner[u], metric))))
			continue;
		row->few_ops += is_too_rare(own[u], row->metric.name);
		values[n] = value;
		units[n++] = u;
	}
	*(side == 0 ? &row->base : &row->other) = values;
	*(side == 0 ? &row->base_unit : &row->other_unit) = units;
	*(side == 0 ? &row->numbers.base.n : &row->numbers.other.n) = n;
	return values && units ? 0 : -ENOMEM;
}

static int fill_row(const struct making *at, unsigned metric, struct comparison_row *row)
{
	const struct sample **base = by_unit(at, 0), **other = by_unit(at, at->side);
	int rc = base && other ? 0 : -ENOMEM;

	if (rc == 0)
		rc = fill_side(at, 0, metric, base, other, row);
	if (rc == 0)
		rc = fill_side(at, at->side, metric, other, base, row);
	free(base);
	free(other);
	return rc;
}

static void label_row(const struct making *at, unsigned metric, bool primary,
		      struct comparison_row *row)
{
	const struct comparison_builder *builder = at->builder;

	*row = (struct comparison_row){.side = at->side,
				       .metric = builder->metrics[metric],
				       .primary = primary,
				       .numbers.verdict = COMPARE_NOTHING};
	if (builder->several_variants)
		memcpy(row->variant, at->point->variant, sizeof(row->variant));
	memcpy(row->point, at->point->name, sizeof(row->point));
	memcpy(row->stream, at->series->stream, sizeof(row->stream));
	memcpy(row->class, at->series->class, sizeof(row->class));
	row->options = (struct compare_options){
		.alpha = builder->alpha,
		.threshold = comparison_threshold_of(builder, at->series->class, row->metric.name),
		.higher_better = row->metric.higher_better,
		.paired = builder->comparison->paired,
		.resamples = primary ? builder->resamples : 0,
		.seed = builder->seed};
}

/* Has any sample of a side a value of the metric? */
static bool has_values(const struct series *series, unsigned side, unsigned metric)
{
	for (unsigned i = 0; side < series->n_sides && i < series->sides[side].n; i++)
		if (!isnan(value_of(&series->sides[side].samples[i], metric)))
			return true;
	return false;
}

static int add_row(const struct making *at, unsigned metric, bool primary, unsigned *room)
{
	struct comparison *comparison = at->builder->comparison;
	struct comparison_row *rows;

	if (!has_values(at->series, 0, metric) && !has_values(at->series, at->side, metric))
		return 0;
	rows = parts_grow(comparison->rows, comparison->n_rows, room, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	comparison->rows = rows;
	label_row(at, metric, primary, &rows[comparison->n_rows]);
	return fill_row(at, metric, &rows[comparison->n_rows++]);
}

/* Of presets, iops stands for mbps where no bytes move. */
static bool is_primary(const struct making *at, const struct metric_spec *spec)
{
	const struct comparison_builder *builder = at->builder;
	int mbps = comparison_find_metric(builder, "mbps");

	if (builder->presets && strcmp(spec->metric, "iops") == 0 && mbps >= 0)
		return !has_values(at->series, 0, (unsigned)mbps) &&
		       !has_values(at->series, at->side, (unsigned)mbps);
	return !spec->class[0] || strcmp(spec->class, at->series->class) == 0;
}

static bool is_among_primary(const struct making *at, const char *metric)
{
	for (unsigned i = 0; i < at->builder->n_specs; i++)
		if (strcmp(at->builder->specs[i].metric, metric) == 0 &&
		    is_primary(at, &at->builder->specs[i]))
			return true;
	return false;
}

/* "mbps" and "read.mbps" mean one row. */
static bool was_before(const struct making *at, unsigned spec)
{
	for (unsigned i = 0; i < spec; i++)
		if (strcmp(at->builder->specs[i].metric, at->builder->specs[spec].metric) == 0 &&
		    is_primary(at, &at->builder->specs[i]))
			return true;
	return false;
}

static bool is_descriptive(const struct comparison_builder *builder, unsigned metric)
{
	for (unsigned i = 0; descriptive_metrics[i]; i++)
		if (strcmp(descriptive_metrics[i], builder->metrics[metric].name) == 0)
			return true;
	return metric >= builder->n_fixed;
}

static int add_rows(const struct making *at, unsigned *room)
{
	struct comparison_builder *builder = at->builder;
	unsigned n_rows;
	int rc = 0;

	for (unsigned i = 0; i < builder->n_specs && rc == 0; i++) {
		int metric = comparison_find_metric(builder, builder->specs[i].metric);

		if (metric < 0 || !is_primary(at, &builder->specs[i]))
			continue;
		if (was_before(at, i)) {
			builder->specs[i].applies = true;
			continue;
		}
		n_rows = builder->comparison->n_rows;
		rc = add_row(at, (unsigned)metric, true, room);
		if (builder->comparison->n_rows > n_rows)
			builder->specs[i].applies = true;
	}
	for (unsigned m = 0; m < builder->n_metrics && rc == 0; m++)
		if (is_descriptive(builder, m) && !is_among_primary(at, builder->metrics[m].name))
			rc = add_row(at, m, false, room);
	return rc;
}

static bool has_figures(const struct series *series, unsigned side)
{
	return side < series->n_sides && series->sides[side].n > 0;
}

/* What only one of two sides has cannot be compared, and is said. */
static int lose_one_sided(const struct making *at, bool base)
{
	const struct comparison *comparison = at->builder->comparison;
	char where[320], reason[160];

	snprintf(where, sizeof(where), "%s%s%s, %s %s", at->point->variant,
		 at->point->variant[0] ? ", " : "", at->point->name, at->series->stream,
		 at->series->class);
	snprintf(reason, sizeof(reason), "only %s has figures of it",
		 comparison->sides[base ? 0 : at->side].label);
	return comparison_lose(at->builder, base ? at->side : 0, where, reason, at->error);
}

static int add_side(struct making *at, unsigned *room)
{
	struct comparison_builder *builder = at->builder;
	int rc = 0;

	for (unsigned p = 0; p < builder->n_points; p++) {
		at->point = &builder->points[p];
		for (unsigned s = 0; s < at->point->n_series && rc == 0; s++) {
			bool base, other;

			at->series = &at->point->series[s];
			base = has_figures(at->series, 0);
			other = has_figures(at->series, at->side);
			if (base != other)
				rc = lose_one_sided(at, base);
			else if (base)
				rc = add_rows(at, room) < 0 ? parts_no_memory(at->error) : 0;
		}
	}
	return rc;
}

static bool has_common(const struct comparison_builder *builder, unsigned side)
{
	for (unsigned p = 0; p < builder->n_points; p++)
		for (unsigned s = 0; s < builder->points[p].n_series; s++)
			if (has_figures(&builder->points[p].series[s], 0) &&
			    has_figures(&builder->points[p].series[s], side))
				return true;
	return false;
}

/* A point that a side has figures of, for the sentence that it has nothing in common. */
static const char *example_of(const struct comparison_builder *builder, unsigned side)
{
	for (unsigned p = 0; p < builder->n_points; p++)
		for (unsigned s = 0; s < builder->points[p].n_series; s++)
			if (has_figures(&builder->points[p].series[s], side))
				return builder->points[p].name;
	return NULL;
}

static const struct comparison_loss *first_loss(const struct comparison *comparison, unsigned side)
{
	for (unsigned i = 0; i < comparison->n_losses && i < COMPARISON_LOSSES_KEPT; i++)
		if (comparison->losses[i].side == side)
			return &comparison->losses[i];
	return NULL;
}

static int nothing_in_common(const struct comparison_builder *builder, unsigned side,
			     struct error *error)
{
	const struct comparison *comparison = builder->comparison;
	const char *base = example_of(builder, 0), *other = example_of(builder, side);
	unsigned empty = base ? side : 0;
	const struct comparison_loss *loss = first_loss(comparison, empty);

	if (base && other)
		return error_set(
			error, ERROR_INPUT,
			"%s and %s have no point in common ('%s' is one of the first, '%s' "
			"of the second): compare results of one profile, whose variants, "
			"labels and coordinates agree",
			comparison->sides[0].label, comparison->sides[side].label, base, other);
	if (loss)
		return error_set(error, ERROR_INPUT,
				 "%s has no figures, since nothing in it ran to its end (%s: %s): "
				 "mend that and run it again",
				 comparison->sides[empty].label, loss->where, loss->reason);
	return error_set(error, ERROR_INPUT,
			 "%s has no figures, since no run in it counted anything: run it again",
			 comparison->sides[empty].label);
}

/* A metric that was asked for must be there; one that a result declares is missed. */
static int check_applied(struct comparison_builder *builder, struct error *error)
{
	int rc = 0;

	for (unsigned i = 0; i < builder->n_specs && !builder->presets && rc == 0; i++) {
		const struct metric_spec *spec = &builder->specs[i];

		if (spec->applies)
			continue;
		if (builder->specs_given)
			return error_set(
				error, ERROR_INPUT,
				"--metric %s: no run has a value of it: name a metric that "
				"applies here",
				spec->text);
		rc = comparison_lose(builder, 0, spec->text, "no run has a value of it", error);
	}
	return rc;
}

int comparison_make_rows(struct comparison_builder *builder, struct error *error)
{
	struct comparison *comparison = builder->comparison;
	struct making at = {.builder = builder, .error = error};
	unsigned room = 0;
	int rc = 0;

	for (unsigned side = 1; side < comparison->n_sides && rc == 0; side++) {
		at.side = side;
		rc = has_common(builder, side) ? add_side(&at, &room)
					       : nothing_in_common(builder, side, error);
	}
	if (rc == 0)
		rc = check_applied(builder, error);
	return rc;
}
