/* SPDX-License-Identifier: MIT */
/* text_columns.c - which columns the table of a result needs, and how its figures are scaled. */
#include "report/text_columns.h"

#include <math.h>
#include <string.h>

#include "report/figures.h"
#include "report/nodes.h"
#include "report/numbers.h"
#include "report/rows.h"
#include "report/table.h"
#include "report/text_warmup.h"

/* The least positive median of a metric over all rows; NAN if there is none. */
static double least(const struct rows *rows, const char *metric)
{
	double least = NAN;

	for (unsigned i = 0; i < rows->n; i++) {
		double value = rows->rows[i].shape ? row_median(&rows->rows[i], metric) : NAN;

		if (value > 0 && !(least <= value))
			least = value;
	}
	return least;
}

static bool any_row(const struct rows *rows, bool (*test)(const struct row *))
{
	for (unsigned i = 0; i < rows->n; i++)
		if (test(&rows->rows[i]))
			return true;
	return false;
}

static bool has_bytes(const struct row *row)
{
	return row->shape && !isnan(row_median(row, "mbps"));
}

static bool has_repeats(const struct row *row)
{
	return row->shape && point_ok_repeats(row->point) > 1;
}

static bool has_devices(const struct row *row)
{
	return !isnan(row_repeat_median(row, figure_request_bytes));
}

static bool has_audits(const struct row *row)
{
	return !isnan(row_repeat_median(row, figure_got_percent));
}

static bool has_nodes(const struct row *row)
{
	return row->shape && nodes_matter(row->shape);
}

/* Kernel threads that work for the process cost as much as is worth a column. */
static bool has_rest(const struct row *row)
{
	double process = row_repeat_median(row, figure_process_cpu_us);
	double rest = row_repeat_median(row, figure_other_cpu_us);

	return rest > 0.1 && rest > 0.1 * process;
}

static bool is_not_io(const struct row *row)
{
	return row->shape && strcmp(row_class(row)->unit, "I/O") != 0;
}

static bool fails_in_part(const struct row *row)
{
	return row->shape && point_ok_repeats(row->point) < point_timed_repeats(row->point);
}

static bool is_not_steady(const struct row *row)
{
	char text[256];

	return row->shape && text_warmup_note(row->point, text, sizeof(text));
}

/* The label says more than the coordinates do. */
static bool needs_label(const struct row *row)
{
	char name[256];

	return strcmp(row->point->label, point_name(row->point, name, sizeof(name))) != 0 ||
	       row->point->n_coordinates == 0;
}

/* "streams[*].workload.depth" is headed by its last word. */
static const char *axis_head(const char *axis)
{
	const char *dot = strrchr(axis, '.');

	return dot ? dot + 1 : axis;
}

static void add_names(const struct rows *rows, struct table *table, struct text_columns *at)
{
	at->variant = at->label = at->stream = at->op_class = COLUMN_ABSENT;
	if (rows_have_variants(rows))
		at->variant = table_column(table, "", "variant", TABLE_LEFT);
	at->first_axis = table->n_columns;
	for (unsigned i = 0; i < rows->n_axes; i++)
		table_column(table, "", axis_head(rows->axes[i]), TABLE_LEFT);
	if (any_row(rows, needs_label))
		at->label = table_column(table, "", "point", TABLE_LEFT);
	if (rows_have_streams(rows))
		at->stream = table_column(table, "", "stream", TABLE_LEFT);
	if (rows_have_classes(rows))
		at->op_class = table_column(table, "", "class", TABLE_LEFT);
	at->first_figure = table->n_columns;
}

static unsigned add_section(struct table *table, const char *group, const char *head,
			    enum table_align align)
{
	unsigned column = table_column(table, group, head, align);

	table_section(table);
	return column;
}

/* What suits the quickest row. */
static void choose_unit(double least_us, struct text_columns *at)
{
	at->latency_scale = least_us >= 10000 ? 1e-3 : least_us < 1 ? 1e3 : 1;
	at->latency_unit = least_us >= 10000 ? "latency, ms"
			   : least_us < 1    ? "latency, ns"
					     : "latency, us";
}

static void choose_scales(const struct rows *rows, struct text_columns *at)
{
	double least_us = fmin(least(rows, "mean_us"), least(rows, "p50_us"));

	at->all_io = !any_row(rows, is_not_io);
	choose_unit(least_us, at);
	at->latency_decimals = least_us < 1 ? 0 : number_decimals(least_us * at->latency_scale);
	at->cpu_decimals = number_decimals(least(rows, "cpu_us"));
	at->mbps_decimals = number_decimals(least(rows, "mbps"));
}

static void add_rates(const struct rows *rows, struct table *table, struct text_columns *at)
{
	at->mbps = at->spread = COLUMN_ABSENT;
	if (any_row(rows, has_bytes))
		at->mbps = table_column(table, "", "MB/s", TABLE_RIGHT);
	at->ops = table_column(table, "", at->all_io ? "IOPS" : "ops/s", TABLE_RIGHT);
	table->columns[at->first_figure].section = true;
	if (any_row(rows, has_repeats))
		at->spread = table_column(table, "", "±%", TABLE_RIGHT);
	at->mean = add_section(table, at->latency_unit, "mean", TABLE_RIGHT);
	at->p50 = table_column(table, at->latency_unit, "p50", TABLE_RIGHT);
	at->p99 = table_column(table, at->latency_unit, "p99", TABLE_RIGHT);
	at->p999 = table_column(table, at->latency_unit, "p99.9", TABLE_RIGHT);
	at->max = table_column(table, at->latency_unit, "max", TABLE_RIGHT);
}

static void add_costs(const struct rows *rows, struct table *table, struct text_columns *at)
{
	bool rest = any_row(rows, has_rest);
	const char *group = at->all_io ? "CPU us per I/O" : "CPU us per op";

	at->process = at->rest = at->request = at->memory = at->nodes = at->note = COLUMN_ABSENT;
	if (rest) {
		at->cpu = add_section(table, group, "workers", TABLE_RIGHT);
		at->process = table_column(table, group, "process", TABLE_RIGHT);
		at->rest = table_column(table, group, "of which rest", TABLE_RIGHT);
	} else {
		at->cpu = add_section(table, "CPU us", at->all_io ? "per I/O" : "per op",
				      TABLE_RIGHT);
	}
	at->busy = add_section(table, "all CPUs, %", "busy", TABLE_RIGHT);
	at->irq = table_column(table, "all CPUs, %", "irq", TABLE_RIGHT);
	at->softirq = table_column(table, "all CPUs, %", "soft", TABLE_RIGHT);
	text_costs_columns(any_row(rows, row_has_page_tables), any_row(rows, row_has_events), table,
			   &at->costs);
	if (any_row(rows, has_devices))
		at->request = add_section(table, "KiB a", "req.", TABLE_RIGHT);
	if (any_row(rows, has_audits))
		at->memory = add_section(table, "memory", "got", TABLE_LEFT);
	if (any_row(rows, has_nodes))
		at->nodes = add_section(table, "on", "node", TABLE_LEFT);
	if (any_row(rows, fails_in_part) || any_row(rows, is_not_steady))
		at->note = table_column(table, "", "", TABLE_LEFT);
}

void text_columns_choose(const struct rows *rows, struct table *table, struct text_columns *ret)
{
	choose_scales(rows, ret);
	add_names(rows, table, ret);
	add_rates(rows, table, ret);
	add_costs(rows, table, ret);
}
