/* SPDX-License-Identifier: MIT */
/* table.h - aligned columns under headers of two lines, and rows that end in words. */
#ifndef ORION_REPORT_TABLE_H
#define ORION_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum table_align { TABLE_LEFT, TABLE_RIGHT };

#define TABLE_COLUMNS_MAX 40
#define COLUMN_ABSENT	  UINT32_MAX /* place of a column that a table does without */

struct table_column {
	const char *group, *head; /* borrowed */
	enum table_align align;
	bool section; /* begins a section: stands a little apart where there is room */
	size_t width;
};

struct table_row {
	char *cells[TABLE_COLUMNS_MAX]; /* owned; null is empty */
	int words; /* column from which the cell runs on to the end of the row, or -1 */
};

struct table {
	size_t width_max; /* gaps shrink to keep to it, those between sections last */
	unsigned n_columns, n_rows;
	struct table_column columns[TABLE_COLUMNS_MAX];
	struct table_row *rows; /* owned */
	bool failed;		/* out of memory: print says so */
};

void table_free(struct table *table);

/*
 * Adds a column and returns its place. group stands over head; neighbours of the same group share
 * it ("latency, us" over "mean", "p50", "p99"). More than TABLE_COLUMNS_MAX: the last one is used.
 */
unsigned table_column(struct table *table, const char *group, const char *head,
		      enum table_align align);

/* Begins a section with the column that was added last. */
void table_section(struct table *table);

/* Adds an empty line. */
void table_gap(struct table *table);

/* Adds a row of empty cells and returns its place. */
unsigned table_row(struct table *table);

/* Text of a cell of the last row; copied, control characters shown. */
void table_cell(struct table *table, unsigned column, const char *text);

/* A number with so many decimals; "-" for not-a-number. */
void table_number(struct table *table, unsigned column, double value, int decimals);

/* Columns from the beginning of a column to the end of the table, once all figures are in. */
size_t table_room(const struct table *table, unsigned column);

/* Words in place of a row's cells from a column on. They widen no column. */
void table_words(struct table *table, unsigned row, unsigned column, const char *text);

/* -ENOMEM if memory ran out on the way. */
int table_print(const struct table *table, FILE *stream);

#endif
