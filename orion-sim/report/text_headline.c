/* SPDX-License-Identifier: MIT */
/* text_headline.c - what this host does best, and what huge pages buy on it. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/figures.h"
#include "report/numbers.h"
#include "report/rows.h"
#include "report/text_costs.h"
#include "report/text_parts.h"

#define PARAGRAPH_BYTES 1024

static void append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds to a paragraph; what finds no room is dropped. */
static void append(char *text, const char *format, ...)
{
	size_t length = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + length, PARAGRAPH_BYTES - length, format, arguments);
	va_end(arguments);
}

/* An option of the row's stream, as it was in effect; null if it is no text. */
static const char *effective_option(const struct row *row, const char *part, const char *option)
{
	const cJSON *streams = cJSON_GetObjectItemCaseSensitive(row->point->effective, "streams");
	const cJSON *stream = cJSON_GetArrayItem(streams, (int)row->stream);
	const cJSON *object = cJSON_GetObjectItemCaseSensitive(stream, part);

	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, option));
}

static const char *row_block(const struct row *row)
{
	const char *block = point_coordinate(row->point, "block");

	return block ? block : effective_option(row, "workload", "block");
}

static const char *row_engine(const struct row *row)
{
	const char *engine = point_coordinate(row->point, "engine");

	return engine ? engine : effective_option(row, "engine", "kind");
}

/* What kind the region is that the row's stream draws its buffers from. */
static const char *row_memory(const struct row *row)
{
	const cJSON *streams = cJSON_GetObjectItemCaseSensitive(row->point->effective, "streams");
	const cJSON *stream = cJSON_GetArrayItem(streams, (int)row->stream);
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(stream, "region"));
	const cJSON *regions = cJSON_GetObjectItemCaseSensitive(row->point->effective, "regions");
	const cJSON *region = name ? cJSON_GetObjectItemCaseSensitive(regions, name) : NULL;
	const char *memory = point_coordinate(row->point, "memory");

	if (memory)
		return memory;
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(region, "memory"), "kind"));
}

/* Axes that the sentences have no words of their own for: ", depth 32". */
static void append_other_axes(char *text, const struct row *row)
{
	static const char *const worded[] = {"block", "engine", "memory"};

	for (unsigned i = 0; i < row->point->n_coordinates; i++) {
		const struct result_coordinate *coordinate = &row->point->coordinates[i];
		const char *dot = strrchr(coordinate->axis, '.');
		bool has_word = false;

		for (unsigned w = 0; w < 3; w++)
			has_word = has_word || strcmp(coordinate->axis, worded[w]) == 0;
		if (!has_word)
			append(text, ", %s %s", dot ? dot + 1 : coordinate->axis,
			       coordinate->value);
	}
}

/* How the operations of a class and memory go together. */
static const char *memory_word(const struct row *row)
{
	if (strcmp(row_class(row)->unit, "I/O") != 0)
		return "in";
	return strcmp(row_class(row)->name, "write") == 0 ? "from" : "into";
}

/* "1M reads through io_uring into hugetlb, depth 32" */
static void append_work(char *text, const struct rows *rows, const struct row *row)
{
	const char *block = row_block(row), *engine = row_engine(row), *memory = row_memory(row);
	const char *name = row_class(row)->name;

	if (block)
		append(text, "%s ", block);
	append(text, "%s%s", name, name[0] && name[strlen(name) - 1] == 'h' ? "es" : "s");
	if (engine)
		append(text, " through %s", engine);
	if (memory)
		append(text, " %s %s%s", memory_word(row), memory,
		       strcmp(memory, "base") == 0 ? " pages" : "");
	append_other_axes(text, row);
	if (rows_have_streams(rows))
		append(text, ", stream %s", row->shape->streams[row->stream].label);
	if (rows_have_variants(rows))
		append(text, ", variant %s", row->variant->label);
}

static const struct row *best_row(const struct rows *rows, const char *metric)
{
	const struct row *best = NULL;
	double most = 0;

	for (unsigned i = 0; i < rows->n; i++) {
		double value = rows->rows[i].shape ? row_median(&rows->rows[i], metric) : NAN;

		if (value > most) {
			most = value;
			best = &rows->rows[i];
		}
	}
	return best;
}

static void append_best(char *text, const struct rows *rows)
{
	const struct row *bytes = best_row(rows, "mbps"), *ops = best_row(rows, "iops");
	char number[NUMBER_BYTES], other[NUMBER_BYTES];

	if (bytes) {
		append(text, "Best: %s MB/s (%s MiB/s) with ",
		       number_short(row_median(bytes, "mbps"), number),
		       number_short(row_median(bytes, "mibps"), other));
		append_work(text, rows, bytes);
		append(text, ".");
	}
	if (ops && ops != bytes) {
		append(text, "%s %s %s with ", bytes ? " Most operations:" : "Best:",
		       number_short(row_median(ops, "iops"), number),
		       strcmp(row_class(ops)->unit, "I/O") == 0 ? "IOPS" : "a second");
		append_work(text, rows, ops);
		append(text, ", half of them within %s us.",
		       number_short(row_median(ops, "p50_us"), number));
	}
}

static bool is_kind(const char *memory, const char *kind)
{
	size_t length = strlen(kind);

	return memory && strncmp(memory, kind, length) == 0 &&
	       (memory[length] == '\0' || memory[length] == ' ');
}

struct pair {
	const struct row *base, *huge;
	double ratio; /* CPU of base over CPU of huge */
};

/* The pair that differs most in CPU, of base pages and the kind. */
static struct pair find_pair(const struct rows *rows, const char *kind)
{
	struct pair best = {.ratio = 0};

	for (unsigned i = 0; i < rows->n; i++) {
		const struct row *base = &rows->rows[i];

		if (!is_kind(point_coordinate(base->point, "memory"), "base"))
			continue;
		for (unsigned j = 0; j < rows->n; j++) {
			const struct row *huge = &rows->rows[j];
			double ratio;

			if (!is_kind(point_coordinate(huge->point, "memory"), kind) ||
			    !rows_differ_in_memory_only(base, huge))
				continue;
			ratio = row_median(base, "cpu_us") / row_median(huge, "cpu_us");
			if (ratio > best.ratio)
				best = (struct pair){base, huge, ratio};
		}
	}
	return best;
}

/* "At 1M through io_uring with depth 32, ": the axes but the memory's. */
static void append_place(char *text, const struct row *row)
{
	char place[PARAGRAPH_BYTES] = "";

	for (unsigned i = 0; i < row->point->n_coordinates; i++) {
		const struct result_coordinate *coordinate = &row->point->coordinates[i];
		const char *axis = coordinate->axis, *dot = strrchr(axis, '.');
		const char *blank = place[0] ? " " : "";

		if (strcmp(axis, "block") == 0)
			append(place, "%sat %s", blank, coordinate->value);
		else if (strcmp(axis, "engine") == 0)
			append(place, "%sthrough %s", blank, coordinate->value);
		else if (strcmp(axis, "memory") != 0)
			append(place, "%swith %s %s", blank, dot ? dot + 1 : axis,
			       coordinate->value);
	}
	if (place[0])
		append(text, "%c%s, ", toupper((unsigned char)place[0]), place + 1);
}

static void append_cpu(char *text, const struct pair *pair)
{
	const char *huge = point_coordinate(pair->huge->point, "memory");
	char less[NUMBER_BYTES], more[NUMBER_BYTES], times[NUMBER_BYTES], page[32] = "";
	uint64_t page_bytes = repeat_page_bytes(pair->base->shape);

	number_short(row_median(pair->huge, "cpu_us"), less);
	number_short(row_median(pair->base, "cpu_us"), more);
	if (page_bytes)
		units_format_size(page_bytes, page);
	append_place(text, pair->base);
	append(text, "%s costs %s us of CPU %s %s where %s pages cost %s us", huge, less,
	       strcmp(row_class(pair->base)->unit, "I/O") == 0 ? "an" : "a",
	       row_class(pair->base)->unit, page[0] ? page : "base", more);
	if (pair->ratio >= 1.1)
		append(text, " (%s times less)", number_format(pair->ratio, 1, times));
}

/* What the other kind does in the same place. */
static void append_sibling(char *text, const struct rows *rows, const struct pair *pair)
{
	char number[NUMBER_BYTES];

	for (unsigned i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];
		const char *memory = point_coordinate(row->point, "memory");

		if (row == pair->huge || !is_kind(memory, "mthp") ||
		    !rows_differ_in_memory_only(pair->base, row))
			continue;
		append(text, "; %s costs %s us", memory,
		       number_short(row_median(row, "cpu_us"), number));
	}
}

/* max_segments of the device that the repeat used most; 0 where it is not known. */
static double device_segments(const struct result *result, const struct result_repeat *repeat,
			      const char **ret_name)
{
	const cJSON *devices = cJSON_GetObjectItemCaseSensitive(result->fingerprint, "devices");
	const cJSON *device;
	uint64_t most = 0;
	double segments = 0;

	for (unsigned i = 0; i < repeat->n_devices; i++) {
		cJSON_ArrayForEach (device, devices) {
			const char *name = cJSON_GetStringValue(
				cJSON_GetObjectItemCaseSensitive(device, "name"));
			const char *text = cJSON_GetStringValue(
				cJSON_GetObjectItemCaseSensitive(device, "max_segments"));
			uint64_t value;

			if (!name || !text || strcmp(name, repeat->devices[i].name) != 0 ||
			    repeat->devices[i].read_bytes < most ||
			    units_parse_count(text, &value, NULL) < 0)
				continue;
			most = repeat->devices[i].read_bytes;
			segments = (double)value;
			*ret_name = repeat->devices[i].name;
		}
	}
	return segments;
}

/* More pages than the device takes in one request. */
static void append_segments(char *text, const struct rows *rows, const struct pair *pair)
{
	const char *block = row_block(pair->base), *name = "";
	double segments = device_segments(rows->result, pair->base->shape, &name);
	uint64_t page_bytes = repeat_page_bytes(pair->base->shape), block_bytes;
	char number[NUMBER_BYTES];

	if (!block || units_parse_size(block, &block_bytes, NULL) < 0 || page_bytes == 0 ||
	    segments == 0 || (double)block_bytes <= segments * (double)page_bytes)
		return;
	append(text, " (%s takes at most %s separate pages in one)", name,
	       number_format(segments, 0, number));
}

/* MB/s are told with what the device was asked for, since CPU cost alone does not explain them. */
static void append_rate(char *text, const struct rows *rows, const struct pair *pair)
{
	double fast = row_median(pair->huge, "mbps"), slow = row_median(pair->base, "mbps");
	double large = row_repeat_median(pair->huge, figure_request_bytes);
	double small = row_repeat_median(pair->base, figure_request_bytes);
	char one[NUMBER_BYTES], other[NUMBER_BYTES], times[NUMBER_BYTES];

	if (isnan(fast) || isnan(slow) || fabs(fast / slow - 1) < 0.05)
		return;
	append(text, " It moves %s MB/s instead of %s", number_short(fast, one),
	       number_short(slow, other));
	if (fast > slow)
		append(text, " (%s times as much)",
		       number_format(fast / slow, fast / slow < 2 ? 2 : 1, times));
	if (isnan(large) || isnan(small)) {
		append(text, ".");
		return;
	}
	if (fabs(large / small - 1) < 0.05) {
		append(text, ", in device requests of the same %s KiB.", number_kib(large, one));
		return;
	}
	append(text,
	       ", and CPU is not all of the reason: the device was sent %s KiB a request "
	       "instead of %s",
	       number_kib(large, one), number_kib(small, other));
	append_segments(text, rows, pair);
	append(text, ".");
}

static void append_memory(char *text, const struct rows *rows)
{
	struct pair pair = find_pair(rows, "hugetlb");

	if (!pair.base)
		pair = find_pair(rows, "mthp");
	if (!pair.base)
		return;
	append_cpu(text, &pair);
	append_sibling(text, rows, &pair);
	append(text, ".%s", pair.ratio < 1.1 ? " No point shows a saving worth the name." : "");
	append_rate(text, rows, &pair);
}

/* Points that did not come to a good end, by how they ended. */
static void append_missing(char *text, const struct rows *rows)
{
	static const enum result_status order[] = {RESULT_SKIPPED, RESULT_FAILED,
						   RESULT_INTERRUPTED};
	unsigned points = 0, missing[RESULT_INTERRUPTED + 1] = {0};
	bool first = true;

	for (unsigned i = 0; i < rows->n; i++) {
		points += rows->rows[i].first;
		if (rows->rows[i].first)
			missing[point_status(rows->rows[i].point)]++;
	}
	for (unsigned i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (missing[order[i]] == 0)
			continue;
		if (first)
			append(text, "Of %u points ", points);
		append(text, "%s%u %s", first ? "" : ", ", missing[order[i]],
		       result_status_name(order[i]));
		first = false;
	}
	append(text, "%s", first ? "" : ".");
}

/* Before any figure: this is not all that was asked for. */
static void append_end(char *text, const struct result *result)
{
	const char *name = result->signal ? sigabbrev_np(result->signal) : NULL;

	if (result->complete)
		return;
	if (name)
		append(text, "Incomplete: SIG%s ended the run early. ", name);
	else
		append(text, "Incomplete: the run did not come to its end. ");
}

void text_headline(const struct rows *rows, FILE *stream)
{
	char best[PARAGRAPH_BYTES] = "", memory[PARAGRAPH_BYTES] = "", end[PARAGRAPH_BYTES] = "";

	append_best(best, rows);
	append_memory(memory, rows);
	append_end(end, rows->result);
	append_missing(end, rows);
	if (!best[0])
		append(best, "Nothing was measured.");
	print_paragraph("", best, TEXT_WIDTH, stream);
	if (memory[0])
		print_paragraph("", memory, TEXT_WIDTH, stream);
	text_page_tables(rows, stream);
	if (end[0])
		print_paragraph("", end, TEXT_WIDTH, stream);
	fputc('\n', stream);
}
