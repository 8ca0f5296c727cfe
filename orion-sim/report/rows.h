/* SPDX-License-Identifier: MIT */
/* rows.h - a result as rows: one for each (variant, point, stream, class), in the plan's order. */
#ifndef ORION_REPORT_ROWS_H
#define ORION_REPORT_ROWS_H

#include <stdbool.h>

#include "stats/result.h"
#include "stats/summary.h"

struct row {
	const struct result_variant *variant; /* borrowed, like all else, from the result */
	const struct result_point *point;
	/* An ok repeat, which shows what streams and classes there are; null if none is ok. */
	const struct result_repeat *shape;
	unsigned stream, op_class;
	bool first; /* of its point */
};

struct rows {
	const struct result *result;
	unsigned n;
	struct row *rows; /* owned */
	/* Every axis of any point once, in the order of their first appearance. */
	unsigned n_axes;
	const char **axes; /* owned; the names are borrowed */
	/* Every counter of the kernel that changed in any repeat that counts, once. */
	unsigned n_counters;
	const char **counters; /* owned; the names are borrowed */
};

/* -ENOMEM only. */
int rows_make(const struct result *result, struct rows *ret);
void rows_free(struct rows *rows);

/* Of a row with a shape. */
const struct result_class *row_class(const struct row *row);

/* Names of the figures that workloads declare, each once; names has room for max. How many. */
unsigned rows_derived(const struct rows *rows, const char **names, unsigned max);

/* Spread of the metric of that name over the ok repeats; n 0 where it does not apply. */
struct spread row_spread(const struct row *row, const char *metric);
double row_median(const struct row *row, const char *metric);

/* Median over the ok repeats of any other figure of a repeat. */
double row_repeat_median(const struct row *row, double (*figure)(const struct result_repeat *));

/* NULL where the point has no such axis. */
const char *point_coordinate(const struct result_point *point, const char *axis);

/* "8K hugetlb": the coordinates' values, or the label of a point without any. */
const char *point_name(const struct result_point *point, char *text, size_t size);

/* The same with variant, stream and class in front or behind, where there is more than one. */
const char *row_name(const struct rows *rows, const struct row *row, char *text, size_t size);

/* Do the rows of a result need a column for it? */
bool rows_have_variants(const struct rows *rows);
bool rows_have_streams(const struct rows *rows);
bool rows_have_classes(const struct rows *rows);

/* Same work in other memory: every coordinate but the memory's is the same. */
bool rows_differ_in_memory_only(const struct row *row, const struct row *other);

/* The point's, but interrupted where it had no turn. */
enum result_status point_status(const struct result_point *point);

/* Repeats of a point that were run for their figures, those of them that are ok, and why the first
 * of the others is not: NULL if all are. */
unsigned point_timed_repeats(const struct result_point *point);
unsigned point_ok_repeats(const struct result_point *point);
const char *point_reason(const struct result_point *point);

#endif
