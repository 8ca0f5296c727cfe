/* SPDX-License-Identifier: MIT */
/* text_costs.c - what page tables and the TLB cost, where a result knows: sentence and columns. */
#include "report/text_costs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/figures.h"
#include "report/numbers.h"
#include "report/rows.h"
#include "report/table.h"
#include "report/text_parts.h"

#define SENTENCE_BYTES 1024

static const cJSON *row_stream(const struct row *row)
{
	return cJSON_GetArrayItem(
		cJSON_GetObjectItemCaseSensitive(row->point->effective, "streams"),
		(int)row->stream);
}

static const char *text_of(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* Of shared memory: those of a stream without a region are its own matter. */
bool row_has_page_tables(const struct row *row)
{
	const char *as = text_of(row_stream(row), "as");

	return row->shape && row->shape->page_tables.known && as && strcmp(as, "processes") == 0 &&
	       text_of(row_stream(row), "region");
}

bool row_has_events(const struct row *row)
{
	return row->shape && row->shape->streams[row->stream].events.workers > 0;
}

static double page_tables_bytes(const struct row *row)
{
	return fmax(row_median(row, "page_table_bytes"), 0);
}

static const char *format_bytes(double bytes, char text[32])
{
	return units_format_amount((uint64_t)bytes, text);
}

/* "8G" of the region that the row's stream uses; null if the result does not say. */
static const char *row_region_size(const struct row *row)
{
	const char *name = text_of(row_stream(row), "region");
	const cJSON *regions = cJSON_GetObjectItemCaseSensitive(row->point->effective, "regions");

	return name ? text_of(cJSON_GetObjectItemCaseSensitive(regions, name), "size") : NULL;
}

/* The row whose page tables cost most. */
static const struct row *dearest_row(const struct rows *rows)
{
	const struct row *dearest = NULL;

	for (unsigned i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];

		if (row->first && row_has_page_tables(row) &&
		    (!dearest || page_tables_bytes(row) > page_tables_bytes(dearest)))
			dearest = row;
	}
	return dearest;
}

static size_t append_pages(char *text, size_t used, const struct row *row, bool first)
{
	const char *memory = point_coordinate(row->point, "memory");
	uint64_t page_bytes = repeat_page_bytes(row->shape);
	char amount[32], page[32];

	used += (size_t)snprintf(text + used, SENTENCE_BYTES - used, "%s%s%s", first ? "" : ", ",
				 format_bytes(page_tables_bytes(row), amount),
				 first ? " of page tables" : "");
	if (page_bytes && used < SENTENCE_BYTES)
		used += (size_t)snprintf(text + used, SENTENCE_BYTES - used, " on %s%s",
					 units_format_size(page_bytes, page),
					 first ? " pages" : "");
	if (memory && used < SENTENCE_BYTES)
		used += (size_t)snprintf(text + used, SENTENCE_BYTES - used, " (%s)", memory);
	return used;
}

void text_page_tables(const struct rows *rows, FILE *stream)
{
	const struct row *dearest = dearest_row(rows);
	const char *size = dearest ? row_region_size(dearest) : NULL;
	char text[SENTENCE_BYTES];
	size_t used;

	if (!dearest)
		return;
	used = (size_t)snprintf(text, sizeof(text), "%u sessions on %s of shared memory: ",
				dearest->shape->streams[dearest->stream].workers,
				size ? size : "a region");
	used = append_pages(text, used, dearest, true);
	for (unsigned i = 0; i < rows->n && used < sizeof(text); i++) {
		const struct row *row = &rows->rows[i];

		if (row != dearest && row->first && row_has_page_tables(row) &&
		    rows_differ_in_memory_only(dearest, row))
			used = append_pages(text, used, row, false);
	}
	if (used < sizeof(text) - 1)
		snprintf(text + used, sizeof(text) - used, ".");
	print_paragraph("", text, TEXT_WIDTH, stream);
}

void text_costs_columns(bool page_tables, bool events, struct table *table,
			struct text_cost_columns *ret)
{
	*ret = (struct text_cost_columns){COLUMN_ABSENT, COLUMN_ABSENT, COLUMN_ABSENT,
					  COLUMN_ABSENT};
	if (events) {
		ret->cycles = table_column(table, "PMU, per op", "cycles", TABLE_RIGHT);
		table_section(table);
		ret->instructions = table_column(table, "PMU, per op", "instr.", TABLE_RIGHT);
		ret->dtlb_misses = table_column(table, "PMU, per op", "dTLB", TABLE_RIGHT);
	}
	if (page_tables) {
		ret->page_tables = table_column(table, "page", "tables", TABLE_RIGHT);
		table_section(table);
	}
}

static void fill_event(const struct row *row, const char *metric, unsigned column,
		       struct table *table)
{
	double value = row_median(row, metric);

	table_number(table, column, value, number_decimals(value));
}

void text_costs_fill(const struct row *row, const struct text_cost_columns *at, struct table *table)
{
	char amount[32];

	if (at->cycles != COLUMN_ABSENT) {
		fill_event(row, "cycles_per_op", at->cycles, table);
		fill_event(row, "instructions_per_op", at->instructions, table);
		fill_event(row, "dtlb_misses_per_op", at->dtlb_misses, table);
	}
	if (at->page_tables != COLUMN_ABSENT && row->first && row_has_page_tables(row))
		table_cell(table, at->page_tables, format_bytes(page_tables_bytes(row), amount));
}

void text_costs_legend(const struct text_cost_columns *at, FILE *stream)
{
	if (at->cycles != COLUMN_ABSENT)
		print_paragraph("",
				"PMU is what the CPU counted for the workers' own threads, user "
				"and kernel; dTLB are loads without an entry in the data TLB.",
				TEXT_WIDTH, stream);
	if (at->page_tables != COLUMN_ABSENT)
		print_paragraph("",
				"page tables is what PageTables of the whole machine "
				"(/proc/meminfo) grew by until all workers were set up.",
				TEXT_WIDTH, stream);
}
