/* SPDX-License-Identifier: MIT */
/* text_columns.h - which columns the table of a result needs, and how its figures are scaled. */
#ifndef ORION_REPORT_TEXT_COLUMNS_H
#define ORION_REPORT_TEXT_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/text_costs.h"

struct row;
struct rows;
struct table;

/* A percentile is shown where at least ten operations lie beyond it. */
#define P99_OPS_MIN  1000
#define P999_OPS_MIN 10000

/* Places of the columns; COLUMN_ABSENT where the result needs none. */
struct text_columns {
	unsigned variant, first_axis, label, stream, op_class;
	unsigned mbps, spread, ops, mean, p50, p99, p999, max;
	unsigned cpu, process, rest, busy, irq, softirq, request, memory, nodes, note;
	struct text_cost_columns costs;
	unsigned first_figure;
	const char *latency_unit;
	double latency_scale;
	int latency_decimals, cpu_decimals, mbps_decimals;
	bool all_io;
};

/* Adds the columns to an empty table. */
void text_columns_choose(const struct rows *rows, struct table *table, struct text_columns *ret);

/* What the columns that are there mean. */
void text_columns_legend(const struct rows *rows, const struct text_columns *at, FILE *stream);

/* Operations of the repeat of the row that has fewest. */
double row_fewest_ops(const struct row *row);

#endif
