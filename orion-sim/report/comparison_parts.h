/* SPDX-License-Identifier: MIT */
/* comparison_parts.h - what the text of a comparison is made of, from top to bottom. */
#ifndef ORION_REPORT_COMPARISON_PARTS_H
#define ORION_REPORT_COMPARISON_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "stats/comparison.h"

#define COMPARISON_WIDTH      118
#define COMPARISON_NAME_BYTES 320

/* Coordinates of a row that tell it apart from others: the rest needs no columns. */
struct comparison_columns {
	bool variant, point, stream, op_class;
};

struct comparison_columns comparison_columns(const struct comparison *comparison);

/* "64K reads read p99_us": variant, point, stream and class where they tell apart, and the metric.
 */
const char *comparison_row_name(const struct comparison *comparison,
				const struct comparison_row *row, char text[COMPARISON_NAME_BYTES]);

/* "block", "run", "boot" */
const char *comparison_unit_name(enum comparison_unit_kind unit);

/* The change that the logarithm of a ratio stands for, in percent. */
double comparison_percent(double log_ratio);

/* As far as a label fits into width columns, cut with "…"; text holds 4 width + 4 bytes. */
const char *comparison_label(const char *label, size_t width, char *text);

/* Answer, sides, design, tables, notes, differences: the text as part of another. -ENOMEM only. */
int comparison_print(const struct comparison *comparison, bool all, FILE *stream);

/* One table for each side against the first, and the footnotes of all. -ENOMEM only. */
int comparison_tables(const struct comparison *comparison, bool all, FILE *stream);

/* Why a primary row is inconclusive, and what would decide it. Returns text. */
const char *comparison_reason(const struct comparison *comparison, const struct comparison_row *row,
			      char *text, size_t size);

/* What a reader should know before believing a verdict. */
void comparison_warnings(const struct comparison *comparison, FILE *stream);

/* Kernel functions that moved, where both sides were sampled. */
void comparison_functions(const struct comparison *comparison, FILE *stream);

/* Units that gave no value, and what is not the same on both sides. */
void comparison_losses(const struct comparison *comparison, FILE *stream);
void comparison_differences(const struct comparison *comparison, FILE *stream);

#endif
