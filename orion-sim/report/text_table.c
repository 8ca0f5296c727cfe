/* SPDX-License-Identifier: MIT */
/* text_table.c - the table of the text report, and what its columns mean. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/figures.h"
#include "report/nodes.h"
#include "report/notes.h"
#include "report/numbers.h"
#include "report/rows.h"
#include "report/table.h"
#include "report/text_columns.h"
#include "report/text_parts.h"
#include "report/text_warmup.h"

static void fill_names(const struct rows *rows, const struct row *row,
		       const struct text_columns *at, struct table *table)
{
	if (at->variant != COLUMN_ABSENT)
		table_cell(table, at->variant, row->variant->label);
	for (unsigned i = 0; i < rows->n_axes; i++) {
		const char *value = point_coordinate(row->point, rows->axes[i]);

		table_cell(table, at->first_axis + i, value ? value : "-");
	}
	if (at->label != COLUMN_ABSENT)
		table_cell(table, at->label, row->point->label);
	if (at->stream != COLUMN_ABSENT && row->shape)
		table_cell(table, at->stream, row->shape->streams[row->stream].label);
	if (at->op_class != COLUMN_ABSENT && row->shape)
		table_cell(table, at->op_class, row_class(row)->name);
}

static void fill_latencies(const struct row *row, const struct text_columns *at,
			   struct table *table)
{
	double ops = row_fewest_ops(row), scale = at->latency_scale;
	int decimals = at->latency_decimals;

	table_number(table, at->mean, row_median(row, "mean_us") * scale, decimals);
	table_number(table, at->p50, row_median(row, "p50_us") * scale, decimals);
	table_number(table, at->p99, ops < P99_OPS_MIN ? NAN : row_median(row, "p99_us") * scale,
		     decimals);
	table_number(table, at->p999, ops < P999_OPS_MIN ? NAN : row_median(row, "p999_us") * scale,
		     decimals);
	table_number(table, at->max, row_spread(row, "max_us").max * scale, decimals);
}

static void fill_rates(const struct row *row, const struct text_columns *at, struct table *table)
{
	struct spread rate = row_spread(row, "iops");

	if (at->mbps != COLUMN_ABSENT)
		table_number(table, at->mbps, row_median(row, "mbps"), at->mbps_decimals);
	table_number(table, at->ops, rate.median, number_decimals(rate.median));
	if (at->spread != COLUMN_ABSENT)
		table_number(table, at->spread,
			     rate.n > 1 && rate.median > 0
				     ? 50 * (rate.max - rate.min) / rate.median
				     : NAN,
			     1);
}

static void fill_memory(const struct row *row, unsigned column, struct table *table)
{
	uint64_t page_bytes = row->shape ? repeat_page_bytes(row->shape) : 0;
	double got = row_repeat_median(row, figure_got_percent);
	char number[NUMBER_BYTES], size[32], text[96];

	if (isnan(got))
		return;
	/* Rounded down: 100 % is said only of all. */
	number_format(floor(got * 10) / 10, got >= 100 ? 0 : 1, number);
	snprintf(text, sizeof(text), "%s%%%s%s", number, page_bytes ? " of " : "",
		 page_bytes ? units_format_size(page_bytes, size) : "");
	table_cell(table, column, text);
}

/* Figures of the whole repeat stand in the first row of its point. */
static void fill_repeat(const struct row *row, const struct text_columns *at, struct table *table)
{
	double request = row_repeat_median(row, figure_request_bytes);
	char text[NUMBER_BYTES], nodes[NODES_TEXT_BYTES];

	if (!row->first)
		return;
	if (at->process != COLUMN_ABSENT) {
		table_number(table, at->process, row_repeat_median(row, figure_process_cpu_us),
			     at->cpu_decimals);
		table_number(table, at->rest, row_repeat_median(row, figure_other_cpu_us),
			     at->cpu_decimals);
	}
	table_number(table, at->busy, row_repeat_median(row, figure_busy_percent), 1);
	table_number(table, at->irq, row_repeat_median(row, figure_irq_percent), 1);
	table_number(table, at->softirq, row_repeat_median(row, figure_softirq_percent), 1);
	if (at->request != COLUMN_ABSENT && !isnan(request))
		table_cell(table, at->request, number_kib(request, text));
	if (at->memory != COLUMN_ABSENT)
		fill_memory(row, at->memory, table);
	if (at->nodes != COLUMN_ABSENT && row->shape)
		table_cell(table, at->nodes, nodes_text(row->shape, nodes));
}

static void status_words(const struct result_point *point, char *text, size_t size)
{
	enum result_status status = point_status(point);
	const char *reason = point_reason(point);

	if (status == RESULT_OK) /* it measured nothing */
		status = RESULT_INTERRUPTED;
	snprintf(text, size, "%s%s%s", result_status_name(status),
		 !reason		    ? ""
		 : status == RESULT_SKIPPED ? ", because "
					    : ": ",
		 reason ? reason : "");
}

/* As much of the text as there is room for, cut between words, with the number of its note. */
static void shorten(char *text, size_t room, unsigned number)
{
	char mark[32];
	size_t length, lead = strcspn(text, " :,");

	snprintf(mark, sizeof(mark), " … [%u]", number);
	length = room > text_width(mark) ? room - text_width(mark) : 0;
	while (length > lead && text[length] != ' ')
		length--;
	if (length <= lead) {
		length = lead;
		snprintf(mark, sizeof(mark), " [%u]", number);
	}
	snprintf(text + length, sizeof(mark), "%s", mark);
}

static void fill_status(const struct row *row, unsigned table_row, const struct text_columns *at,
			struct table *table, struct notes *notes)
{
	char text[1200 + 32];
	size_t room = table_room(table, at->first_figure);
	char *reason;

	status_words(row->point, text, 1200);
	reason = strpbrk(text, ":,");
	if (reason && text_width(text) > room)
		shorten(text, room,
			note_number(notes, reason + (*reason == ':' ? 2 : strlen(", because "))));
	table_words(table, table_row, at->first_figure, text);
}

static void add_mark(struct notes *notes, const char *text, char *marks, size_t size)
{
	size_t length = strlen(marks);

	snprintf(marks + length, size - length, "[%u]", note_number(notes, text));
}

/*
 * A point of which some repeats are good shows them, and says so; one that was measured before it
 * was steady says that.
 */
static void fill_note(const struct row *row, const struct text_columns *at, struct table *table,
		      struct notes *notes)
{
	unsigned all = point_timed_repeats(row->point), bad = all - point_ok_repeats(row->point);
	const char *reason = point_reason(row->point);
	char text[1200], marks[32] = "";

	if (!row->first)
		return;
	snprintf(text, sizeof(text), "%u of %u repeats did not count: %s", bad, all,
		 reason ? reason : "they gave no reason");
	if (bad > 0)
		add_mark(notes, text, marks, sizeof(marks));
	if (text_warmup_note(row->point, text, sizeof(text)))
		add_mark(notes, text, marks, sizeof(marks));
	if (marks[0])
		table_cell(table, at->note, marks);
}

static bool same_value(const char *one, const char *other)
{
	return one == other || (one && other && strcmp(one, other) == 0);
}

/* Does the row go on with what the row before is about: its variant, or its first axis of several?
 */
static bool continues(const struct rows *rows, unsigned i)
{
	const struct row *row = &rows->rows[i], *before = &rows->rows[i - 1];

	if (row->variant != before->variant)
		return false;
	return rows->n_axes < 2 || same_value(point_coordinate(row->point, rows->axes[0]),
					      point_coordinate(before->point, rows->axes[0]));
}

/* An empty line helps the eye, unless every row would have its own. */
static bool has_blocks(const struct rows *rows)
{
	for (unsigned i = 1; i < rows->n; i++)
		if (continues(rows, i))
			return true;
	return false;
}

static void fill_figures(const struct row *row, const struct text_columns *at, struct table *table,
			 struct notes *notes)
{
	fill_rates(row, at, table);
	fill_latencies(row, at, table);
	table_number(table, at->cpu, row_median(row, "cpu_us"), at->cpu_decimals);
	fill_repeat(row, at, table);
	text_costs_fill(row, &at->costs, table);
	if (at->note != COLUMN_ABSENT)
		fill_note(row, at, table, notes);
}

/* Words come last: by then it is known how much room there is for them. */
static void fill_rows(const struct rows *rows, const struct text_columns *at, struct table *table,
		      struct notes *notes)
{
	bool blocks = has_blocks(rows);
	unsigned place = 0;

	for (unsigned i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];

		if (blocks && i > 0 && !continues(rows, i))
			table_gap(table);
		table_row(table);
		fill_names(rows, row, at, table);
		if (row->shape)
			fill_figures(row, at, table, notes);
	}
	for (unsigned i = 0; i < rows->n; i++) {
		place += blocks && i > 0 && !continues(rows, i);
		if (!rows->rows[i].shape)
			fill_status(&rows->rows[i], place, at, table, notes);
		place++;
	}
}

int text_table(const struct rows *rows, FILE *stream)
{
	struct table table = {.width_max = TEXT_WIDTH};
	struct text_columns at;
	struct notes notes = {.n = 0}; /* reasons too long for their row */
	int rc;

	if (rows->n == 0)
		return 0;
	text_columns_choose(rows, &table, &at);
	fill_rows(rows, &at, &table, &notes);
	rc = table_print(&table, stream);
	notes_print(&notes, TEXT_WIDTH, stream);
	text_columns_legend(rows, &at, stream);
	notes_free(&notes);
	table_free(&table);
	return rc;
}
