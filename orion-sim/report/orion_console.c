/* SPDX-License-Identifier: MIT */
/* orion_console.c - the report of what Orion says on the console, and its file of histograms. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "report/orion.h"
#include "report/report.h"

extern const struct report_ops report_orion_console, report_orion_hist;

static void latency_print(const struct orion_latency *latency, const struct orion_cell *cell,
			  FILE *stream)
{
	fprintf(stream, "Small Read Latency: avg=%.3f us, min=%.3f us, max=%.3f us, std dev=",
		latency->avg_us, latency->min_us, latency->max_us);
	if (isnan(latency->sd_us))
		fprintf(stream, "- us @ Small=%u and Large=%u\n", cell->small, cell->large);
	else
		fprintf(stream, "%.3f us @ Small=%u and Large=%u\n", latency->sd_us, cell->small,
			cell->large);
}

static void most_small_print(const struct orion_cell *cell, bool all, FILE *stream)
{
	struct orion_latency latency;

	fprintf(stream, "Maximum Small IOPS=%.0f @ Small=%u and Large=%u\n",
		orion_value(cell, ORION_SMALL, "iops"), cell->small, cell->large);
	if (all && orion_latency_of(cell, ORION_SMALL, &latency))
		latency_print(&latency, cell, stream);
}

static void quickest_print(const struct orion_cell *cell, bool all, FILE *stream)
{
	double us = orion_value(cell, ORION_SMALL, "mean_us");
	struct orion_latency latency;

	/* The file is of 11.1, in ms; the console is of 11.2 and later. */
	if (!all) {
		fprintf(stream, "Minimum Small Latency=%.2f @ Small=%u and Large=%u\n", us / 1e3,
			cell->small, cell->large);
		return;
	}
	fprintf(stream, "Minimum Small Latency=%.3f usecs @ Small=%u and Large=%u\n", us,
		cell->small, cell->large);
	if (!orion_latency_of(cell, ORION_SMALL, &latency))
		return;
	latency_print(&latency, cell, stream);
	orion_histogram_print(cell, ORION_SMALL, &latency, stream);
}

void orion_best_print(const struct orion_table *table, bool all, FILE *output)
{
	const struct orion_cell *large = orion_table_best(table, ORION_LARGE, "mibps", false);
	const struct orion_cell *small = orion_table_best(table, ORION_SMALL, "iops", false);
	const struct orion_cell *quickest = orion_table_best(table, ORION_SMALL, "mean_us", true);

	if (large)
		fprintf(output, "Maximum Large MBPS=%.2f @ Small=%u and Large=%u\n%s",
			orion_value(large, ORION_LARGE, "mibps"), large->small, large->large,
			all && small ? "\n" : "");
	if (small)
		most_small_print(small, all, output);
	if (small && all)
		fputc('\n', output);
	if (quickest)
		quickest_print(quickest, all, output);
	if (!large && !small)
		fprintf(output, "No data point has figures; the reasons are in the trace.\n");
}

static void cell_histograms(const struct orion_cell *cell, FILE *stream)
{
	static const char *const streams[] = {ORION_SMALL, ORION_LARGE, NULL};

	for (const char *const *label = streams; *label; label++) {
		struct orion_latency latency;

		if (!orion_latency_of(cell, *label, &latency))
			continue;
		orion_histogram_print(cell, *label, &latency, stream);
		fputc('\n', stream);
	}
}

static void console_print(const struct orion_table *table, const void *context, FILE *stream)
{
	orion_best_print(table, true, stream);
}

static void hist_print(const struct orion_table *table, const void *context, FILE *stream)
{
	fputs("Latencies of each load in bands that double, in microseconds; percentages are of "
	      "all "
	      "I/Os up to there.\nWhat is finer is in the document beside this file.\n\n",
	      stream);
	for (unsigned i = 0; i < table->n; i++)
		cell_histograms(&table->cells[i], stream);
}

static int write_console(const struct result *result, FILE *stream, struct error *error)
{
	return orion_write(result, console_print, NULL, stream, error);
}

static int write_hist(const struct result *result, FILE *stream, struct error *error)
{
	return orion_write(result, hist_print, NULL, stream, error);
}

const struct report_ops report_orion_console = {
	.entry = {.name = "orion", .summary = "what Orion says on the console at its end"},
	.write = write_console,
	.wants_histograms = true};
const struct report_ops report_orion_hist = {
	.entry = {.name = "orion-hist",
		  .summary = "Orion's histograms of latencies, in bands that double"},
	.write = write_hist,
	.wants_histograms = true};
