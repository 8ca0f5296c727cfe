/* SPDX-License-Identifier: MIT */
/* comparison_benchfmt.c - the values themselves as Go's benchmark format, which benchstat reads:
 * benchstat -col side FILE. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/comparison.h"
#include "report/comparison_parts.h"
#include "report/output.h"

extern const struct comparison_ops comparison_benchfmt;

/* Values of all rows of a side, [row][unit], NAN where a unit gave none. */
struct matrix {
	unsigned n_units;
	double *values; /* owned */
};

/* benchstat scales ns by itself, us it does not know: "p99_us" becomes "p99-ns". */
static double unit_name(const char *metric, char text[64])
{
	size_t length = strlen(metric);
	double scale = 1;

	snprintf(text, 64, "%s", metric);
	if (length > 3 && length < 60 && strcmp(metric + length - 3, "_us") == 0) {
		snprintf(text + length - 3, 4, "_ns");
		scale = 1e3;
	}
	for (char *c = text; *c; c++)
		if (*c == '_' || *c == ' ')
			*c = '-';
	return scale;
}

/* A word of the line: blanks and what is not printed would end it. */
static void print_word(const char *text, FILE *stream)
{
	for (; *text; text++)
		fputc((unsigned char)*text <= ' ' || *text == 0x7f ? '_' : *text, stream);
}

static void print_value(const char *key, const char *text, FILE *stream)
{
	fprintf(stream, "%s: ", key);
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, stream);
	fputc('\n', stream);
}

static bool same_group(const struct comparison_row *one, const struct comparison_row *other)
{
	return strcmp(one->variant, other->variant) == 0 && strcmp(one->point, other->point) == 0 &&
	       strcmp(one->stream, other->stream) == 0 && strcmp(one->class, other->class) == 0;
}

static bool same_metric(const struct comparison_row *one, const struct comparison_row *other)
{
	return strcmp(one->metric.name, other->metric.name) == 0;
}

/* The baseline's stand in the rows of every side, each without what the other side lost. */
static bool is_of_side(const struct comparison_row *row, unsigned side)
{
	return side == 0 || row->side == side;
}

static int fill_matrix(const struct comparison *comparison, unsigned side, struct matrix *ret)
{
	size_t n_units = comparison->sides[side].n_units;

	ret->n_units = (unsigned)n_units;
	ret->values = calloc(comparison->n_rows * n_units + 1, sizeof(*ret->values));
	if (!ret->values)
		return -ENOMEM;
	for (size_t i = 0; i < comparison->n_rows * n_units; i++)
		ret->values[i] = NAN;
	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		const double *values = side == 0 ? row->base : row->other;
		const unsigned *units = side == 0 ? row->base_unit : row->other_unit;
		size_t n = side == 0 ? row->numbers.base.n : row->numbers.other.n;

		if (!is_of_side(row, side))
			continue;
		for (size_t j = 0; j < n; j++)
			if (units[j] < n_units)
				ret->values[i * n_units + units[j]] = values[j];
	}
	return 0;
}

/* The value of a row's metric for a unit, or the same from a later row of another side. */
static double value_of(const struct comparison *comparison, unsigned side,
		       const struct matrix *matrix, unsigned row, unsigned unit)
{
	double value = matrix->values[(size_t)row * matrix->n_units + unit];

	for (unsigned i = row + 1; isnan(value) && side == 0 && i < comparison->n_rows; i++)
		if (same_group(&comparison->rows[i], &comparison->rows[row]) &&
		    same_metric(&comparison->rows[i], &comparison->rows[row]))
			value = matrix->values[(size_t)i * matrix->n_units + unit];
	return value;
}

static void print_name(const struct comparison_row *row, FILE *stream)
{
	fputs("BenchmarkOrionSim", stream);
	if (row->variant[0]) {
		fputs("/variant=", stream);
		print_word(row->variant, stream);
	}
	fputs("/point=", stream);
	print_word(row->point, stream);
	fputs("/stream=", stream);
	print_word(row->stream, stream);
	fputs("/class=", stream);
	print_word(row->class, stream);
}

/* One line: a unit's values of all metrics of one class. */
static void print_line(const struct comparison *comparison, unsigned side,
		       const struct matrix *matrix, unsigned first, unsigned unit, FILE *stream)
{
	const struct comparison_row *head = &comparison->rows[first];
	bool begun = false;

	for (unsigned i = first; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		double value, scale;
		char name[64];

		if (row->side != head->side || !same_group(row, head))
			continue;
		value = value_of(comparison, side, matrix, i, unit);
		if (!isfinite(value))
			continue;
		if (!begun) {
			print_name(head, stream);
			fputs(" 1", stream);
		}
		begun = true;
		scale = unit_name(row->metric.name, name);
		fprintf(stream, " %.12g %s", value * scale, name);
	}
	if (begun)
		fputc('\n', stream);
}

/* Does the row begin a class that no earlier row of this side had? */
static bool begins_group(const struct comparison *comparison, unsigned row)
{
	for (unsigned i = 0; i < row; i++)
		if (comparison->rows[i].side == comparison->rows[row].side &&
		    same_group(&comparison->rows[i], &comparison->rows[row]))
			return false;
	return true;
}

static int print_side(const struct comparison *comparison, unsigned side, FILE *stream)
{
	struct matrix matrix;

	if (fill_matrix(comparison, side, &matrix) < 0)
		return -ENOMEM;
	fputc('\n', stream);
	print_value("side", comparison->sides[side].label, stream);
	for (unsigned i = 0; i < comparison->n_rows; i++) {
		if (comparison->rows[i].side != (side == 0 ? 1 : side) ||
		    !begins_group(comparison, i))
			continue;
		for (unsigned unit = 0; unit < matrix.n_units; unit++)
			print_line(comparison, side, &matrix, i, unit, stream);
	}
	free(matrix.values);
	return 0;
}

static bool begins_metric(const struct comparison *comparison, unsigned row)
{
	for (unsigned i = 0; i < row; i++)
		if (same_metric(&comparison->rows[i], &comparison->rows[row]))
			return false;
	return true;
}

/* Keys that differ between sides would part their tables: only the side does. */
static void print_head(const struct comparison *comparison, FILE *stream)
{
	char name[64];

	print_value("tool", "orion-sim", stream);
	print_value("design", comparison->paired ? "paired" : "unpaired", stream);
	print_value("line", comparison_unit_name(comparison->unit), stream);
	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_metric *metric = &comparison->rows[i].metric;

		if (!begins_metric(comparison, i))
			continue;
		unit_name(metric->name, name);
		fprintf(stream, "Unit %s better=%s\n", name,
			metric->higher_better ? "higher" : "lower");
	}
}

static int write_benchfmt(const struct comparison *comparison, bool all, FILE *stream,
			  struct error *error)
{
	struct output output;
	int rc = output_begin(&output, error);

	if (rc < 0)
		return rc;
	print_head(comparison, output.stream);
	for (unsigned side = 0; side < comparison->n_sides && !output.failed; side++)
		output.failed = print_side(comparison, side, output.stream) < 0;
	return output_end(&output, stream, error);
}

const struct comparison_ops comparison_benchfmt = {
	.entry = {.name = "benchfmt",
		  .summary = "every value as Go's benchmark format, for benchstat"},
	.write = write_benchfmt};
