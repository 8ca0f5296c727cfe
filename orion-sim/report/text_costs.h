/* SPDX-License-Identifier: MIT */
/* text_costs.h - what page tables and the TLB cost, where a result knows: sentence and columns. */
#ifndef ORION_REPORT_TEXT_COSTS_H
#define ORION_REPORT_TEXT_COSTS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/table.h"

struct row;
struct rows;

/* Places of the columns; COLUMN_ABSENT where the result needs none. */
struct text_cost_columns {
	unsigned cycles, instructions, dtlb_misses, page_tables;
};

/* Are the row's workers processes, and were page tables read? */
bool row_has_page_tables(const struct row *row);

/* Were hardware events counted for the row's stream? */
bool row_has_events(const struct row *row);

/* "500 sessions on 8G of shared memory: 7.8G of page tables on 4K pages (base), 96M on 2M …". */
void text_page_tables(const struct rows *rows, FILE *stream);

void text_costs_columns(bool page_tables, bool events, struct table *table,
			struct text_cost_columns *ret);
void text_costs_fill(const struct row *row, const struct text_cost_columns *at,
		     struct table *table);
void text_costs_legend(const struct text_cost_columns *at, FILE *stream);

#endif
