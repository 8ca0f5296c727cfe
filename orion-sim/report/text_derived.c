/* SPDX-License-Identifier: MIT */
/* text_derived.c - the figures that workloads declare themselves, beside published ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/numbers.h"
#include "report/rows.h"
#include "report/table.h"
#include "report/text_parts.h"

static const struct result_stream *derived_stream(const struct row *row)
{
	if (!row->shape || row->op_class > 0 || row->shape->streams[row->stream].n_derived == 0)
		return NULL;
	return &row->shape->streams[row->stream];
}

/* Do two rows show the same figures? */
static bool same_figures(const struct row *one, const struct row *other)
{
	const struct result_stream *a = derived_stream(one), *b = derived_stream(other);

	if (!a || !b || a->n_derived != b->n_derived)
		return false;
	for (unsigned i = 0; i < a->n_derived; i++)
		if (strcmp(a->derived[i].name, b->derived[i].name) != 0)
			return false;
	return true;
}

static bool shown_before(const struct rows *rows, unsigned i)
{
	for (unsigned j = 0; j < i; j++)
		if (same_figures(&rows->rows[j], &rows->rows[i]))
			return true;
	return false;
}

static double derived_median(const struct row *row, const struct result_derived *derived)
{
	struct metric metric = summary_derived_metric(derived);

	return summary_spread(row->point, row->stream, row->op_class, &metric).median;
}

/* The figures that stream shows, of another row. */
static void add_row(const struct rows *rows, const struct row *row,
		    const struct result_stream *stream, struct table *table)
{
	char name[256];

	table_row(table);
	table_cell(table, 0, row_name(rows, row, name, sizeof(name)));
	for (unsigned i = 0; i < stream->n_derived; i++) {
		double value = derived_median(row, &stream->derived[i]);

		table_number(table, i + 1, value, number_decimals(value));
	}
}

static const cJSON *reference_of(const struct rows *rows)
{
	return cJSON_GetObjectItemCaseSensitive(rows->result->effective, "reference");
}

/* Has a published row any of the figures? */
static bool reference_fits(const cJSON *values, const struct result_stream *stream)
{
	for (unsigned i = 0; i < stream->n_derived; i++)
		if (cJSON_IsNumber(
			    cJSON_GetObjectItemCaseSensitive(values, stream->derived[i].name)))
			return true;
	return false;
}

/* Published figures in the columns of ours. Returns how many rows there are. */
static unsigned add_reference(const struct rows *rows, const struct result_stream *stream,
			      struct table *table)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(reference_of(rows), "rows"), *item;
	unsigned n = 0;

	cJSON_ArrayForEach (item, list) {
		const cJSON *values = cJSON_GetObjectItemCaseSensitive(item, "values");
		const char *label =
			cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "label"));
		char name[256];

		if (!reference_fits(values, stream))
			continue;
		if (n++ == 0)
			table_gap(table);
		table_row(table);
		snprintf(name, sizeof(name), "published: %s", label ? label : "");
		table_cell(table, 0, name);
		for (unsigned i = 0; i < stream->n_derived; i++) {
			const cJSON *value =
				cJSON_GetObjectItemCaseSensitive(values, stream->derived[i].name);

			if (cJSON_IsNumber(value))
				table_number(table, i + 1, value->valuedouble,
					     number_decimals(value->valuedouble));
		}
	}
	return n;
}

static const char *reference_text(const struct rows *rows, const char *key)
{
	const char *text =
		cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(reference_of(rows), key));

	return text ? text : "";
}

static void print_source(const struct rows *rows, FILE *stream)
{
	const cJSON *year = cJSON_GetObjectItemCaseSensitive(reference_of(rows), "year");
	char text[1024];

	snprintf(text, sizeof(text),
		 "Published: %s (%.0f), on %s. That is another machine: compare the ratios, not "
		 "the figures.",
		 reference_text(rows, "title"), cJSON_IsNumber(year) ? year->valuedouble : 0,
		 reference_text(rows, "hardware"));
	print_paragraph("", text, TEXT_WIDTH, stream);
}

static void print_legend(const struct result_stream *stream, FILE *file)
{
	for (unsigned i = 0; i < stream->n_derived; i++) {
		char text[256];

		snprintf(text, sizeof(text), "%s: %s.", stream->derived[i].name,
			 stream->derived[i].help);
		print_paragraph("", text, TEXT_WIDTH, file);
	}
}

/* Figures without a value: what they are made of took longer than the phase. */
static void print_missing(const struct rows *rows, const struct row *row, FILE *file)
{
	const struct result_stream *stream = derived_stream(row);
	char name[256], text[512];

	for (unsigned i = 0; stream && i < stream->n_derived; i++) {
		if (!isnan(derived_median(row, &stream->derived[i])))
			continue;
		snprintf(text, sizeof(text),
			 "No value of %s at %s: nothing that it is made of ended within the "
			 "measure phase. Ask for a longer one (--set phases.measure=60s), or for "
			 "less (a smaller region).",
			 stream->derived[i].name, row_name(rows, row, name, sizeof(name)));
		print_paragraph("Warning: ", text, TEXT_WIDTH, file);
		return;
	}
}

/* All rows that show the same figures as row i, which are those of the stream. */
static int print_group(const struct rows *rows, unsigned i, const struct result_stream *stream,
		       FILE *file)
{
	struct table table = {.width_max = TEXT_WIDTH};
	unsigned published;
	int rc;

	table_column(&table, "", "", TABLE_LEFT);
	for (unsigned d = 0; d < stream->n_derived; d++)
		table_column(&table, stream->derived[d].unit, stream->derived[d].name, TABLE_RIGHT);
	for (unsigned j = i; j < rows->n; j++)
		if (same_figures(&rows->rows[i], &rows->rows[j]))
			add_row(rows, &rows->rows[j], stream, &table);
	published = add_reference(rows, stream, &table);
	fputc('\n', file);
	rc = table_print(&table, file);
	table_free(&table);
	if (published)
		print_source(rows, file);
	print_legend(stream, file);
	for (unsigned j = i; j < rows->n; j++)
		if (same_figures(&rows->rows[i], &rows->rows[j]))
			print_missing(rows, &rows->rows[j], file);
	return rc;
}

int text_derived(const struct rows *rows, FILE *stream)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < rows->n; i++) {
		const struct result_stream *shown = derived_stream(&rows->rows[i]);

		if (shown && !shown_before(rows, i))
			rc = print_group(rows, i, shown, stream);
	}
	return rc;
}
