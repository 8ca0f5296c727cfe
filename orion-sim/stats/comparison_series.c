/* SPDX-License-Identifier: MIT */
/* comparison_series.c - the values of results, matched by point, stream and class. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "stats/comparison_parts.h"
#include "stats/result.h"

/* Where the values of a repeat go, and what it is called in messages. */
struct collecting {
	struct comparison_builder *builder;
	unsigned side, unit;
	const char *name; /* of the result */
	const struct result_variant *variant;
	const struct result_point *point;
	struct error *error;
};

int comparison_lose(struct comparison_builder *builder, unsigned side, const char *where,
		    const char *reason, struct error *error)
{
	struct comparison *comparison = builder->comparison;
	struct comparison_loss *losses, *loss;

	if (comparison->n_losses++ >= COMPARISON_LOSSES_KEPT)
		return 0;
	losses = parts_grow(comparison->losses, comparison->n_losses - 1, &builder->losses_room,
			    sizeof(*losses));
	if (!losses)
		return parts_no_memory(error);
	comparison->losses = losses;
	loss = &losses[comparison->n_losses - 1];
	loss->side = side;
	words_quote(where, loss->where, sizeof(loss->where));
	words_quote(reason, loss->reason, sizeof(loss->reason));
	return 0;
}

/* "new-3.json, thp on, 8K libaio, repeat 2" */
static int lose_repeat(const struct collecting *at, const struct result_repeat *repeat)
{
	const struct comparison_builder *builder = at->builder;
	const char *kind = builder->comparison->paired ? "block" : "repeat";
	const char *variant = builder->in_variants ? "" : at->variant->label;
	const char *reason = at->point->reason;
	enum result_status status = repeat ? repeat->status : at->point->status;
	char where[320], number[32] = "";

	if (repeat) {
		snprintf(number, sizeof(number), ", %s %u", kind, repeat->index + 1);
		reason = repeat->reason;
	}
	snprintf(where, sizeof(where), "%s%s%s%s%s%s", at->name, at->name[0] ? ", " : "", variant,
		 variant[0] ? ", " : "", at->point->label, number);
	return comparison_lose(at->builder, at->side, where,
			       reason[0] ? reason : result_status_name(status), at->error);
}

/* Variant, label and every coordinate, in an array of the caller's to free. */
static char *key_of(const struct collecting *at)
{
	const struct result_point *point = at->point;
	const struct result_coordinate *coordinate;
	size_t size = sizeof(at->variant->label) + sizeof(point->label) +
		      (point->n_coordinates + 1) * (sizeof(*coordinate) + 2);
	char *key = malloc(size);
	size_t used;

	if (!key)
		return NULL;
	used = (size_t)snprintf(key, size, "%s\x1f%s",
				at->builder->in_variants ? "" : at->variant->label, point->label);
	for (unsigned i = 0; i < point->n_coordinates; i++) {
		coordinate = &point->coordinates[i];
		used += (size_t)snprintf(key + used, size - used, "\x1f%s=%s", coordinate->axis,
					 coordinate->value);
	}
	return key;
}

/* The label; with coordinates behind it where they are not what it was made of. */
static void name_point(const struct result_point *point, char *name, size_t size)
{
	char values[128] = "";
	size_t used = 0;

	for (unsigned i = 0; i < point->n_coordinates && used < sizeof(values) - 1; i++)
		used += (size_t)snprintf(values + used, sizeof(values) - used, "%s%s", i ? " " : "",
					 point->coordinates[i].value);
	if (!point->label[0])
		snprintf(name, size, "%s", values[0] ? values : "point");
	else if (values[0] && strncmp(values, point->label, strlen(point->label)) != 0)
		snprintf(name, size, "%s (%s)", point->label, values);
	else
		snprintf(name, size, "%s", point->label);
}

static struct matched_point *point_new(const struct collecting *at, const char *key)
{
	struct comparison_builder *builder = at->builder;
	struct matched_point *points = parts_grow(builder->points, builder->n_points,
						  &builder->points_room, sizeof(*points));
	struct matched_point *point;

	if (!points)
		return NULL;
	builder->points = points;
	point = &points[builder->n_points];
	point->key = strdup(key);
	if (!point->key)
		return NULL;
	if (!builder->in_variants)
		memcpy(point->variant, at->variant->label, sizeof(point->variant));
	name_point(at->point, point->name, sizeof(point->name));
	builder->n_points++;
	return point;
}

/*
 * The point of that key that this result has not met yet: where a result has two alike, the second
 * one is matched with the second one of others. Results have them in the same order mostly.
 */
static struct matched_point *point_find(const struct collecting *at, const char *key)
{
	struct comparison_builder *builder = at->builder;
	unsigned n = builder->n_points;

	for (unsigned i = 0; i < n; i++) {
		unsigned place = (builder->next_point + i) % n;
		struct matched_point *point = &builder->points[place];

		if (point->seen_result != builder->n_results && strcmp(point->key, key) == 0) {
			builder->next_point = place + 1;
			return point;
		}
	}
	return point_new(at, key);
}

static struct series *series_new(struct matched_point *point, const struct result_stream *stream,
				 const struct result_class *class)
{
	struct series *series =
		parts_grow(point->series, point->n_series, &point->room, sizeof(*point->series));

	if (!series)
		return NULL;
	point->series = series;
	series = &point->series[point->n_series++];
	memcpy(series->stream, stream->label, sizeof(series->stream));
	memcpy(series->class, class->name, sizeof(series->class));
	memcpy(series->unit, class->unit, sizeof(series->unit));
	return series;
}

static struct series *series_find(struct matched_point *point, const struct result_stream *stream,
				  const struct result_class *class)
{
	for (unsigned i = 0; i < point->n_series; i++)
		if (strcmp(point->series[i].stream, stream->label) == 0 &&
		    strcmp(point->series[i].class, class->name) == 0)
			return &point->series[i];
	return series_new(point, stream, class);
}

static struct sample *sample_new(struct series *series, unsigned side, unsigned n_values)
{
	struct sample_list *list;
	struct sample *samples;

	while (series->n_sides <= side) {
		void *sides = parts_grow(series->sides, series->n_sides, &series->room,
					 sizeof(*series->sides));

		if (!sides)
			return NULL;
		series->sides = sides;
		series->n_sides++;
	}
	list = &series->sides[side];
	samples = parts_grow(list->samples, list->n, &list->room, sizeof(*samples));
	if (!samples)
		return NULL;
	list->samples = samples;
	samples[list->n].values = calloc(n_values + 1, sizeof(double));
	return samples[list->n].values ? &samples[list->n++] : NULL;
}

/* Infinite where a time was none: no figure either. */
static double value_of(const struct comparison_builder *builder, unsigned metric,
		       const struct result_repeat *repeat, const struct result_stream *stream,
		       const struct result_class *class)
{
	struct metric derived = {.name = builder->metrics[metric].name,
				 .unit = builder->metrics[metric].unit};
	double value =
		summary_value(metric < builder->n_fixed ? &summary_metrics[metric] : &derived,
			      repeat, stream, class);

	return isfinite(value) ? value : NAN;
}

static int add_class(const struct collecting *at, struct matched_point *point,
		     const struct result_repeat *repeat, const struct result_stream *stream,
		     const struct result_class *class)
{
	struct comparison_builder *builder = at->builder;
	struct series *series = series_find(point, stream, class);
	struct sample *sample;

	if (!series)
		return parts_no_memory(at->error);
	if (strcmp(series->unit, class->unit) != 0)
		return error_set(
			at->error, ERROR_INPUT,
			"%s%s%s, stream %s: %s is counted in '%s' here and in '%s' in "
			"another result, so they cannot be compared: leave one of them out",
			at->name, at->name[0] ? ": " : "", point->name, series->stream,
			series->class, class->unit, series->unit);
	if (series->seen_repeat == builder->n_repeats)
		return 0;
	series->seen_repeat = builder->n_repeats;
	sample = sample_new(series, at->side, builder->n_metrics);
	if (!sample)
		return parts_no_memory(at->error);
	sample->unit = at->unit;
	sample->ops = (double)class->tally.ops;
	sample->n_values = builder->n_metrics;
	for (unsigned m = 0; m < builder->n_metrics; m++)
		sample->values[m] = value_of(builder, m, repeat, stream, class);
	return 0;
}

static int add_repeat(const struct collecting *at, struct matched_point *point,
		      const struct result_repeat *repeat)
{
	int rc = 0;

	if (repeat->sampled)
		return repeat->status == RESULT_OK &&
				       functions_add(&at->builder->functions, at->side,
						     point->variant, point->name,
						     &repeat->sampling) < 0
			       ? parts_no_memory(at->error)
			       : 0;
	at->builder->n_repeats++;
	if (!result_repeat_counts(repeat))
		return lose_repeat(at, repeat);
	for (unsigned s = 0; s < repeat->n_streams; s++)
		for (unsigned c = 0; c < repeat->streams[s].n_classes && rc == 0; c++)
			rc = add_class(at, point, repeat, &repeat->streams[s],
				       &repeat->streams[s].classes[c]);
	return rc;
}

/* The median of each value over the samples, into the first of them. */
static int join_samples(struct sample *samples, unsigned n)
{
	double *values = calloc(n, sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (unsigned m = 0; m < samples->n_values; m++) {
		unsigned there = 0;

		for (unsigned i = 0; i < n; i++)
			if (!isnan(samples[i].values[m]))
				values[there++] = samples[i].values[m];
		samples->values[m] = summary_median(values, there);
	}
	for (unsigned i = 1; i < n; i++) {
		samples->ops = fmin(samples->ops, samples[i].ops);
		free(samples[i].values);
	}
	free(values);
	return 0;
}

/* What the repeats of a whole result gave, at the end of the list, becomes one sample. */
static int join_repeats(const struct collecting *at, struct matched_point *point)
{
	for (unsigned i = 0; i < point->n_series; i++) {
		struct series *series = &point->series[i];
		struct sample_list *list =
			series->n_sides > at->side ? &series->sides[at->side] : NULL;
		unsigned n = 0;

		while (list && n < list->n && list->samples[list->n - 1 - n].unit == at->unit)
			n++;
		if (n < 2)
			continue;
		if (join_samples(&list->samples[list->n - n], n) < 0)
			return parts_no_memory(at->error);
		list->n -= n - 1;
	}
	return 0;
}

static unsigned block_of(const struct comparison_builder *builder, unsigned index)
{
	unsigned low = 0, high = builder->n_blocks;

	while (high - low > 1) {
		unsigned middle = low + (high - low) / 2;

		if (builder->blocks[middle] <= index)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int collect_point(struct collecting *at)
{
	const struct result_point *point = at->point;
	char *key = key_of(at);
	struct matched_point *matched = key ? point_find(at, key) : NULL;
	int rc = 0;

	free(key);
	if (!matched)
		return parts_no_memory(at->error);
	matched->seen_result = at->builder->n_results;
	if (point->n_repeats == 0)
		return lose_repeat(at, NULL);
	for (unsigned r = 0; r < point->n_repeats && rc == 0; r++) {
		if (at->builder->blocks)
			at->unit = block_of(at->builder, point->repeats[r].index);
		rc = add_repeat(at, matched, &point->repeats[r]);
	}
	if (rc == 0 && !at->builder->blocks)
		rc = join_repeats(at, matched);
	return rc;
}

int comparison_collect(struct comparison_builder *builder, unsigned side, const char *name,
		       const struct result_variant *variant, struct error *error)
{
	struct collecting at = {.builder = builder,
				.side = side,
				.name = name,
				.variant = variant,
				.error = error,
				.unit = builder->comparison->sides[side].n_units - 1};
	int rc = 0;

	for (unsigned p = 0; p < variant->n_points && rc == 0; p++) {
		at.point = &variant->points[p];
		rc = collect_point(&at);
	}
	return rc;
}
