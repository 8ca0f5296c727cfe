/* SPDX-License-Identifier: MIT */
/* orion_csv.c - reports in the layout of Orion's matrices: small loads across, large ones down. */
#include <math.h>

#include "base/error.h"
#include "report/orion.h"
#include "report/report.h"

extern const struct report_ops report_orion_iops, report_orion_lat, report_orion_mbps,
	report_orion_p50, report_orion_p90, report_orion_p99, report_orion_p999, report_orion_p9999;

/* Where there is nothing of the stream, there is no row or column for it. */
struct sheet {
	const char *stream, *metric;
	double scale;
	int decimals;
	bool without_small_0, without_large_0;
};

static const struct sheet sheet_iops = {
	.stream = ORION_SMALL, .metric = "iops", .scale = 1, .without_small_0 = true};
/* Milliseconds, as the parsers of 11.1 expect. */
static const struct sheet sheet_lat = {.stream = ORION_SMALL,
				       .metric = "mean_us",
				       .scale = 1e-3,
				       .decimals = 2,
				       .without_small_0 = true};
static const struct sheet sheet_mbps = {.stream = ORION_LARGE,
					.metric = "mibps",
					.scale = 1,
					.decimals = 2,
					.without_large_0 = true};

static void row_write(const struct orion_table *table, const struct sheet *sheet, unsigned large,
		      FILE *stream)
{
	unsigned begin = sheet->without_small_0 && table->small[0] == 0, gap = 0;

	fprintf(stream, "%11u", large);
	for (unsigned i = begin; i < table->n_small; i++) {
		const struct orion_cell *cell = orion_table_find(table, table->small[i], large);
		double value =
			cell ? orion_value(cell, sheet->stream, sheet->metric) * sheet->scale : NAN;
		char text[32];

		gap++;
		if (isnan(value))
			continue;
		/* A row ends behind its last figure. */
		for (; gap > 1; gap--)
			fprintf(stream, ", %6s", "");
		snprintf(text, sizeof(text), "%.*f", sheet->decimals, value);
		fprintf(stream, ", %6s", text);
		gap = 0;
	}
	fputc('\n', stream);
}

static void sheet_print(const struct orion_table *table, const void *context, FILE *stream)
{
	const struct sheet *sheet = context;

	fprintf(stream, "%11s", "Large/Small");
	for (unsigned i = sheet->without_small_0 && table->small[0] == 0; i < table->n_small; i++)
		fprintf(stream, ", %6u", table->small[i]);
	fputc('\n', stream);
	for (unsigned i = sheet->without_large_0 && table->large[0] == 0; i < table->n_large; i++)
		row_write(table, sheet, table->large[i], stream);
}

static int write_iops(const struct result *result, FILE *stream, struct error *error)
{
	return orion_write(result, sheet_print, &sheet_iops, stream, error);
}

static int write_lat(const struct result *result, FILE *stream, struct error *error)
{
	return orion_write(result, sheet_print, &sheet_lat, stream, error);
}

static int write_mbps(const struct result *result, FILE *stream, struct error *error)
{
	return orion_write(result, sheet_print, &sheet_mbps, stream, error);
}

/* What Orion has not: in microseconds, since those are what is asked for today. */
static int write_percentile(const struct result *result, const char *metric, FILE *stream,
			    struct error *error)
{
	const struct sheet sheet = {.stream = ORION_SMALL,
				    .metric = metric,
				    .scale = 1,
				    .decimals = 1,
				    .without_small_0 = true};

	return orion_write(result, sheet_print, &sheet, stream, error);
}

static int write_p50(const struct result *result, FILE *stream, struct error *error)
{
	return write_percentile(result, "p50_us", stream, error);
}

static int write_p90(const struct result *result, FILE *stream, struct error *error)
{
	return write_percentile(result, "p90_us", stream, error);
}

static int write_p99(const struct result *result, FILE *stream, struct error *error)
{
	return write_percentile(result, "p99_us", stream, error);
}

static int write_p999(const struct result *result, FILE *stream, struct error *error)
{
	return write_percentile(result, "p999_us", stream, error);
}

static int write_p9999(const struct result *result, FILE *stream, struct error *error)
{
	return write_percentile(result, "p9999_us", stream, error);
}

const struct report_ops report_orion_iops = {
	.entry = {.name = "orion-iops", .summary = "Orion's matrix of small I/Os a second"},
	.write = write_iops};
const struct report_ops report_orion_lat = {
	.entry = {.name = "orion-lat",
		  .summary = "Orion's matrix of mean latencies of small I/O, ms"},
	.write = write_lat};
const struct report_ops report_orion_mbps = {
	.entry = {.name = "orion-mbps",
		  .summary = "Orion's matrix of MB/s of large I/O, MB of 2^20 bytes"},
	.write = write_mbps};
const struct report_ops report_orion_p50 = {
	.entry = {.name = "orion-p50", .summary = "the same matrix: medians of small I/O, us"},
	.write = write_p50};
const struct report_ops report_orion_p90 = {
	.entry = {.name = "orion-p90", .summary = "the same, p90 in us"}, .write = write_p90};
const struct report_ops report_orion_p99 = {
	.entry = {.name = "orion-p99", .summary = "the same, p99 in us"}, .write = write_p99};
const struct report_ops report_orion_p999 = {
	.entry = {.name = "orion-p999", .summary = "the same, p99.9 in us"}, .write = write_p999};
const struct report_ops report_orion_p9999 = {
	.entry = {.name = "orion-p9999", .summary = "the same, p99.99 in us"},
	.write = write_p9999};
