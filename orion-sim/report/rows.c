/* SPDX-License-Identifier: MIT */
/* rows.c - a result as rows: one for each (variant, point, stream, class), in the plan's order. */
#include "report/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/result.h"

static const struct result_repeat *point_shape(const struct result_point *point)
{
	for (unsigned i = 0; i < point->n_repeats; i++)
		if (result_repeat_counts(&point->repeats[i]) && point->repeats[i].n_streams > 0)
			return &point->repeats[i];
	return NULL;
}

/* A point that has no figures has one row, to say so. */
static unsigned point_rows(const struct result_point *point)
{
	const struct result_repeat *shape = point_shape(point);
	unsigned n = 0;

	for (unsigned i = 0; shape && i < shape->n_streams; i++)
		n += shape->streams[i].n_classes;
	return n ? n : 1;
}

static void add_point(const struct result_variant *variant, const struct result_point *point,
		      struct rows *rows)
{
	struct row row = {.variant = variant, .point = point, .shape = point_shape(point)};
	unsigned before = rows->n;

	for (; row.shape && row.stream < row.shape->n_streams; row.stream++) {
		unsigned n_classes = row.shape->streams[row.stream].n_classes;

		for (row.op_class = 0; row.op_class < n_classes; row.op_class++) {
			row.first = rows->n == before;
			rows->rows[rows->n++] = row;
		}
	}
	if (rows->n == before)
		rows->rows[rows->n++] =
			(struct row){.variant = variant, .point = point, .first = true};
}

static bool has_name(const char *const *names, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Adds a name to a list that has it not yet. */
static int add_name(const char ***names, unsigned *n, const char *name)
{
	const char **grown;

	if (has_name(*names, *n, name))
		return 0;
	grown = reallocarray(*names, *n + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*names = grown;
	grown[(*n)++] = name;
	return 0;
}

static int add_axes(const struct result_point *point, struct rows *rows)
{
	for (unsigned i = 0; i < point->n_coordinates; i++)
		if (add_name(&rows->axes, &rows->n_axes, point->coordinates[i].axis) < 0)
			return -ENOMEM;
	return 0;
}

static int add_counters(const struct result_point *point, struct rows *rows)
{
	for (unsigned r = 0; r < point->n_repeats; r++) {
		const struct result_repeat *repeat = &point->repeats[r];

		for (unsigned i = 0; result_repeat_counts(repeat) && i < repeat->n_counters; i++)
			if (add_name(&rows->counters, &rows->n_counters, repeat->counters[i].name) <
			    0)
				return -ENOMEM;
	}
	return 0;
}

int rows_make(const struct result *result, struct rows *ret)
{
	struct rows rows = {.result = result};
	unsigned n = 0;

	for (unsigned v = 0; v < result->n_variants; v++)
		for (unsigned p = 0; p < result->variants[v].n_points; p++)
			n += point_rows(&result->variants[v].points[p]);
	rows.rows = calloc(n + 1, sizeof(*rows.rows));
	if (!rows.rows)
		return -ENOMEM;
	for (unsigned v = 0; v < result->n_variants; v++) {
		const struct result_variant *variant = &result->variants[v];

		for (unsigned p = 0; p < variant->n_points; p++) {
			add_point(variant, &variant->points[p], &rows);
			if (add_axes(&variant->points[p], &rows) < 0 ||
			    add_counters(&variant->points[p], &rows) < 0) {
				rows_free(&rows);
				return -ENOMEM;
			}
		}
	}
	*ret = rows;
	return 0;
}

void rows_free(struct rows *rows)
{
	free(rows->rows);
	free(rows->axes);
	free(rows->counters);
	*rows = (struct rows){.n = 0};
}

const struct result_class *row_class(const struct row *row)
{
	return &row->shape->streams[row->stream].classes[row->op_class];
}

unsigned rows_derived(const struct rows *rows, const char **names, unsigned max)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];
		const struct result_stream *stream =
			row->shape ? &row->shape->streams[row->stream] : NULL;

		for (unsigned d = 0; stream && d < stream->n_derived && n < max; d++)
			if (!has_name(names, n, stream->derived[d].name))
				names[n++] = stream->derived[d].name;
	}
	return n;
}

struct spread row_spread(const struct row *row, const char *metric)
{
	struct metric named;

	if (!summary_metric_of(row->point, metric, &named))
		return (struct spread){.n = 0, .median = NAN, .min = NAN, .max = NAN};
	return summary_spread(row->point, row->stream, row->op_class, &named);
}

double row_median(const struct row *row, const char *metric)
{
	return row_spread(row, metric).median;
}

double row_repeat_median(const struct row *row, double (*figure)(const struct result_repeat *))
{
	double *values = calloc(row->point->n_repeats + 1, sizeof(*values));
	double median;
	size_t n = 0;

	for (unsigned i = 0; values && i < row->point->n_repeats; i++) {
		double value = result_repeat_counts(&row->point->repeats[i])
				       ? figure(&row->point->repeats[i])
				       : NAN;

		if (!isnan(value))
			values[n++] = value;
	}
	median = summary_median(values, n);
	free(values);
	return median;
}

const char *point_coordinate(const struct result_point *point, const char *axis)
{
	for (unsigned i = 0; i < point->n_coordinates; i++)
		if (strcmp(point->coordinates[i].axis, axis) == 0)
			return point->coordinates[i].value;
	return NULL;
}

/* Adds a word and the blank before it. */
static void append(char *text, size_t size, const char *word)
{
	size_t length = strlen(text);

	if (word[0] && length + 1 < size)
		snprintf(text + length, size - length, "%s%s", length ? " " : "", word);
}

const char *point_name(const struct result_point *point, char *text, size_t size)
{
	text[0] = '\0';
	for (unsigned i = 0; i < point->n_coordinates; i++)
		append(text, size, point->coordinates[i].value);
	if (point->n_coordinates == 0)
		append(text, size, point->label);
	return text;
}

const char *row_name(const struct rows *rows, const struct row *row, char *text, size_t size)
{
	char name[256];

	text[0] = '\0';
	if (rows_have_variants(rows))
		append(text, size, row->variant->label);
	/* Searches tell their points apart by the label alone. */
	if (rows->result->calibration)
		append(text, size, row->point->label);
	else
		append(text, size, point_name(row->point, name, sizeof(name)));
	if (row->shape && rows_have_streams(rows))
		append(text, size, row->shape->streams[row->stream].label);
	if (row->shape && rows_have_classes(rows))
		append(text, size, row_class(row)->name);
	return text;
}

bool rows_have_variants(const struct rows *rows)
{
	return rows->result->n_variants > 1;
}

bool rows_have_streams(const struct rows *rows)
{
	for (unsigned i = 0; i < rows->n; i++)
		if (rows->rows[i].shape && rows->rows[i].shape->n_streams > 1)
			return true;
	return false;
}

bool rows_have_classes(const struct rows *rows)
{
	const char *name = NULL;

	for (unsigned i = 0; i < rows->n; i++) {
		if (!rows->rows[i].shape)
			continue;
		if (name && strcmp(name, row_class(&rows->rows[i])->name) != 0)
			return true;
		name = row_class(&rows->rows[i])->name;
	}
	return false;
}

bool rows_differ_in_memory_only(const struct row *row, const struct row *other)
{
	if (!row->shape || !other->shape || row->variant != other->variant ||
	    row->stream != other->stream || row->op_class != other->op_class ||
	    row->point->n_coordinates != other->point->n_coordinates)
		return false;
	for (unsigned i = 0; i < row->point->n_coordinates; i++) {
		const struct result_coordinate *coordinate = &row->point->coordinates[i];
		const char *value = point_coordinate(other->point, coordinate->axis);

		if (strcmp(coordinate->axis, "memory") != 0 &&
		    (!value || strcmp(value, coordinate->value) != 0))
			return false;
	}
	return true;
}

enum result_status point_status(const struct result_point *point)
{
	if (point->status == RESULT_OK && point->n_repeats == 0)
		return RESULT_INTERRUPTED;
	return point->status;
}

unsigned point_timed_repeats(const struct result_point *point)
{
	unsigned n = 0;

	for (unsigned i = 0; i < point->n_repeats; i++)
		n += !point->repeats[i].sampled;
	return n;
}

unsigned point_ok_repeats(const struct result_point *point)
{
	unsigned n = 0;

	for (unsigned i = 0; i < point->n_repeats; i++)
		n += result_repeat_counts(&point->repeats[i]);
	return n;
}

const char *point_reason(const struct result_point *point)
{
	for (unsigned i = 0; i < point->n_repeats; i++)
		if (point->repeats[i].status != RESULT_OK && !point->repeats[i].sampled &&
		    point->repeats[i].reason[0])
			return point->repeats[i].reason;
	if (point->status != RESULT_OK && point->reason[0])
		return point->reason;
	return NULL;
}
