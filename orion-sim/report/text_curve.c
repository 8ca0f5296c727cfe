/* SPDX-License-Identifier: MIT */
/* text_curve.c - the loads that a search has measured, as a table. */
#include "report/text_calibration.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/numbers.h"
#include "report/rows.h"
#include "report/table.h"
#include "report/text_columns.h"
#include "report/text_parts.h"
#include "stats/calibration.h"

static bool is(const char *one, const char *other)
{
	return strcmp(one, other) == 0;
}

bool row_of_part(const struct row *row, const struct calibration_part *part, double *ret)
{
	*ret = calibration_load(part, row->point);
	return !isnan(*ret) && row->shape && is(row_class(row)->name, "read") &&
	       is(row->shape->streams[row->stream].label, part->stream);
}

static const char *latency_metric(const char *percentile)
{
	static const char *const names[][2] = {{"p50", "p50_us"},      {"p90", "p90_us"},
					       {"p99", "p99_us"},      {"p99.9", "p999_us"},
					       {"p99.99", "p9999_us"}, {"mean", "mean_us"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is(names[i][0], percentile))
			return names[i][1];
	return "p99_us";
}

/* On which side of the limit its runs are. */
static const char *side_words(const struct calibration *calibration,
			      const struct calibration_part *part, const struct row *row,
			      double load)
{
	struct spread latency = row_spread(row, latency_metric(calibration->percentile));
	double limit_us = calibration->limit_ns / 1e3;

	if (!is(part->goal, "limit"))
		return load == part->load ? "<- the most" : "";
	if (load == part->load && !is(part->outcome, "unsettled"))
		return "<- the answer";
	if (latency.min <= limit_us && latency.max > limit_us)
		return "under and over";
	return latency.median > limit_us ? "over" : "";
}

struct curve_columns {
	unsigned load, iops, spread, mbps, all_mbps, mean, p50, p99, p999, own, runs, side;
};

static void curve_columns(const struct calibration *calibration, bool streams, struct table *table,
			  struct curve_columns *at)
{
	bool known = is(calibration->percentile, "p50") || is(calibration->percentile, "p99") ||
		     is(calibration->percentile, "p99.9") || is(calibration->percentile, "mean");

	at->load = table_column(table, "in", "flight", TABLE_RIGHT);
	at->iops = table_column(table, "", "IOPS", TABLE_RIGHT);
	at->spread = table_column(table, "", "±%", TABLE_RIGHT);
	at->mbps = table_column(table, "", "MB/s", TABLE_RIGHT);
	at->all_mbps = streams ? table_column(table, "all", "MB/s", TABLE_RIGHT) : COLUMN_ABSENT;
	at->mean = table_column(table, "latency, us", "mean", TABLE_RIGHT);
	at->p50 = table_column(table, "latency, us", "p50", TABLE_RIGHT);
	at->p99 = table_column(table, "latency, us", "p99", TABLE_RIGHT);
	at->p999 = table_column(table, "latency, us", "p99.9", TABLE_RIGHT);
	at->own = known ? COLUMN_ABSENT
			: table_column(table, "latency, us", calibration->percentile, TABLE_RIGHT);
	at->runs = table_column(table, "", "runs", TABLE_RIGHT);
	at->side = table_column(table, "", "", TABLE_LEFT);
}

static void short_cell(struct table *table, unsigned column, double value)
{
	int decimals = number_decimals(value);

	table_number(table, column, value, decimals > 2 ? 2 : decimals);
}

/* Of all streams of the row's point. */
static double point_mbps(const struct rows *rows, const struct row *row)
{
	double sum = 0;

	for (unsigned i = 0; i < rows->n; i++)
		if (rows->rows[i].point == row->point && rows->rows[i].shape)
			sum += row_median(&rows->rows[i], "mbps");
	return sum;
}

static void fill_curve_row(const struct rows *rows, const struct calibration_part *part,
			   const struct row *row, double load, const struct curve_columns *at,
			   struct table *table)
{
	const struct calibration *calibration = rows->result->calibration;
	struct spread rate = row_spread(row, "iops");
	double ops = row_fewest_ops(row), mbps = row_median(row, "mbps");

	table_row(table);
	table_number(table, at->load, load, 0);
	table_number(table, at->iops, rate.median, number_decimals(rate.median));
	table_number(table, at->spread, rate.n > 1 ? 50 * (rate.max - rate.min) / rate.median : NAN,
		     1);
	table_number(table, at->mbps, mbps, number_decimals(mbps));
	if (at->all_mbps != COLUMN_ABSENT)
		short_cell(table, at->all_mbps, point_mbps(rows, row));
	short_cell(table, at->mean, row_median(row, "mean_us"));
	short_cell(table, at->p50, row_median(row, "p50_us"));
	short_cell(table, at->p99, ops < P99_OPS_MIN ? NAN : row_median(row, "p99_us"));
	short_cell(table, at->p999, ops < P999_OPS_MIN ? NAN : row_median(row, "p999_us"));
	if (at->own != COLUMN_ABSENT)
		short_cell(table, at->own,
			   row_median(row, latency_metric(calibration->percentile)));
	table_number(table, at->runs, rate.n, 0);
	table_cell(table, at->side, side_words(calibration, part, row, load));
}

static void print_curve_title(const struct calibration *calibration,
			      const struct calibration_part *part, FILE *stream)
{
	bool limited = is(part->goal, "limit");
	char limit[32], text[512];

	units_format_latency(calibration->limit_ns, limit);
	snprintf(text, sizeof(text), "%s%s%s%s%s%s: %u of %u loads were measured, in %u runs",
		 part->name, part->process[0] ? ", sequential" : "", limited ? ", " : "",
		 limited ? calibration->percentile : "", limited ? " under " : "",
		 limited ? limit : "", part->loads, part->grid, part->runs);
	fputc('\n', stream);
	print_paragraph("", text, TEXT_WIDTH, stream);
}

int text_curve(const struct rows *rows, const struct calibration_part *part, FILE *stream)
{
	const struct calibration *calibration = rows->result->calibration;
	struct table table = {.width_max = TEXT_WIDTH};
	struct curve_columns at;
	int rc = 0;

	curve_columns(calibration, rows_have_streams(rows), &table, &at);
	for (unsigned i = 0; i < rows->n; i++) {
		double load;

		if (row_of_part(&rows->rows[i], part, &load))
			fill_curve_row(rows, part, &rows->rows[i], load, &at, &table);
	}
	if (table.n_rows > 0) {
		print_curve_title(calibration, part, stream);
		rc = table_print(&table, stream);
	}
	table_free(&table);
	return rc;
}
