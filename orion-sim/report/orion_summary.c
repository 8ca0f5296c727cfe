/* SPDX-License-Identifier: MIT */
/* orion_summary.c - the report that tells the whole test and its best figures, as Orion 11.1 did.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <cjson/cJSON.h>

#include "base/error.h"
#include "base/units.h"
#include "report/orion.h"
#include "report/numbers.h"
#include "report/report.h"
#include "stats/result.h"

extern const struct report_ops report_orion_summary;

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *text_of(const cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(member(object, name));

	return text ? text : "";
}

static uint64_t size_of(const cJSON *object, const char *name)
{
	uint64_t bytes;

	return units_parse_size(text_of(object, name), &bytes, NULL) == 0 ? bytes : 0;
}

/* Every option of the first point that has such a stream; null where none has. */
static const cJSON *point_with(const struct orion_table *table, const char *label,
			       const cJSON **ret_stream)
{
	for (unsigned i = 0; i < table->n; i++) {
		const cJSON *effective = table->cells[i].point->effective, *stream;

		cJSON_ArrayForEach (stream, member(effective, "streams")) {
			if (strcmp(text_of(stream, "label"), label) != 0)
				continue;
			*ret_stream = stream;
			return effective;
		}
	}
	return NULL;
}

static bool is_sequential(const cJSON *stream)
{
	return strcmp(text_of(member(stream, "workload"), "pattern"), "sequential") == 0;
}

static void sizes_print(const cJSON *small, const cJSON *large, FILE *stream)
{
	if (small)
		fprintf(stream, "Small IO size: %" PRIu64 " KB\n",
			size_of(member(small, "workload"), "block") >> 10);
	if (large)
		fprintf(stream, "Large IO size: %" PRIu64 " KB\n",
			size_of(member(large, "workload"), "block") >> 10);
	fprintf(stream, "IO Types: %s%s%s\n", small ? "Small Random IOs" : "",
		small && large ? ", " : "",
		!large		       ? ""
		: is_sequential(large) ? "Large Sequential Streams"
				       : "Large Random IOs");
	if (large && is_sequential(large))
		fprintf(stream, "Number of Concurrent IOs Per Stream: %d\n",
			(int)cJSON_GetNumberValue(member(member(large, "workload"), "depth")));
}

static void array_print(const cJSON *any, FILE *stream)
{
	const cJSON *layout = member(any, "layout");

	if (strcmp(text_of(layout, "kind"), "raid0") == 0)
		fprintf(stream, "Simulated Array Type: RAID 0\nStripe Depth: %" PRIu64 " KB\n",
			size_of(layout, "stripe") >> 10);
	else
		fprintf(stream, "Simulated Array Type: CONCAT\n");
}

static void cache_print(const cJSON *effective, const cJSON *large, FILE *stream)
{
	const cJSON *warmup = member(member(effective, "phases"), "warmup");
	uint64_t bytes = size_of(warmup, "bytes");

	if (bytes)
		fprintf(stream, "Cache Size: %" PRIu64 " MB\n", bytes >> 20);
	else if (large && is_sequential(large) && !cJSON_IsObject(warmup))
		fprintf(stream, "Cache Size: 0 MB\n");
	else
		fprintf(stream, "Cache Size: Not Entered\n");
}

static void duration_print(const cJSON *effective, FILE *stream)
{
	uint64_t ns = 0;

	units_parse_duration(text_of(member(effective, "phases"), "measure"), &ns, NULL);
	fprintf(stream, "Duration for each Data Point: %.15g seconds\n", (double)ns / 1e9);
}

static void columns_print(const char *title, const unsigned *loads, unsigned n, FILE *stream)
{
	fprintf(stream, "%s", title);
	for (unsigned i = 0; i < n; i++)
		fprintf(stream, ", %6u", loads[i]);
	fputc('\n', stream);
}

/* Where small and large I/O never meet, Orion names no small load but 0. */
static bool is_basic(const struct orion_table *table)
{
	if (table->small[0] != 0 || table->large[0] != 0)
		return false;
	for (unsigned i = 0; i < table->n; i++)
		if (table->cells[i].small && table->cells[i].large)
			return false;
	return true;
}

static void loads_print(const struct orion_table *table, FILE *stream)
{
	columns_print("Small Columns:", table->small, is_basic(table) ? 1 : table->n_small, stream);
	columns_print("Large Columns:", table->large, table->n_large, stream);
	fprintf(stream, "Total Data Points: %u\n\n", orion_table_points(table));
}

/* Sizes are known of what was open while the test ran. */
static void targets_print(const struct result *result, FILE *stream)
{
	const cJSON *target, *sizes = member(result->fingerprint, "targets");
	unsigned n = 0;

	cJSON_ArrayForEach (target, member(result->effective, "targets")) {
		const char *path = cJSON_GetStringValue(target);
		const cJSON *known;

		fputs("Name: ", stream);
		print_safely(path ? path : "", stream);
		cJSON_ArrayForEach (known, sizes) {
			if (path && strcmp(text_of(known, "path"), path) == 0)
				fprintf(stream, "\tSize: %.0f",
					cJSON_GetNumberValue(member(known, "size_bytes")));
		}
		fputc('\n', stream);
		n++;
	}
	fprintf(stream, "%u FILEs found.\n\n", n);
}

/* The one line of a profile that orion made is "TESTNAME: COMMAND LINE". */
static void command_print(const struct result *result, FILE *stream)
{
	const char *colon = strstr(result->summary, ": ");
	char name[sizeof(result->summary)];

	fputs("ORION VERSION orion-sim ", stream);
	print_safely(result->version, stream);
	fputs("\n\nCommandline:\n", stream);
	print_safely(colon ? colon + 2 : result->summary, stream);
	fputs("\n\nThis maps to this test:\nTest: ", stream);
	snprintf(name, sizeof(name), "%.*s", colon ? (int)(colon - result->summary) : 0,
		 result->summary);
	print_safely(name, stream);
	fputc('\n', stream);
}

static void summary_print(const struct orion_table *table, const void *context, FILE *stream)
{
	const cJSON *small = NULL, *large = NULL;
	const cJSON *small_point = point_with(table, ORION_SMALL, &small);
	const cJSON *large_point = point_with(table, ORION_LARGE, &large);
	const cJSON *effective = large_point ? large_point : small_point;

	command_print(table->result, stream);
	sizes_print(small, large, stream);
	array_print(large ? large : small, stream);
	fprintf(stream, "Write: 0%%\n");
	cache_print(effective, large, stream);
	duration_print(effective, stream);
	loads_print(table, stream);
	targets_print(table->result, stream);
	orion_best_print(table, false, stream);
}

static int write_summary(const struct result *result, FILE *stream, struct error *error)
{
	return orion_write(result, summary_print, NULL, stream, error);
}

const struct report_ops report_orion_summary = {
	.entry = {.name = "orion-summary",
		  .summary = "Orion's summary: the test, its loads, the best figures"},
	.write = write_summary};
