/* SPDX-License-Identifier: MIT */
/* orion.h - what the reports in Orion's layouts share: points by their small and large loads. */
#ifndef ORION_REPORT_ORION_H
#define ORION_REPORT_ORION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct error;
struct result;
struct result_point;

/* Labels of the two streams of a point, and names of the axes of their loads. */
#define ORION_SMALL "small"
#define ORION_LARGE "large"

#define ORION_OCTAVES	      24 /* below 32 us, below 64 us, … */
#define ORION_FIRST_OCTAVE_US 32

/* A point; a load that it has no axis for is 0. */
struct orion_cell {
	const struct result_point *point; /* borrowed from the result */
	unsigned small, large;
};

struct orion_table {
	const struct result *result;
	unsigned n;
	struct orion_cell *cells; /* owned; in the order of the plan */
	/* Every load once, ascending; owned. */
	unsigned n_small, n_large;
	unsigned *small, *large;
};

/* Latencies of one stream over all repeats of a point that count. */
struct orion_latency {
	uint64_t n;
	double avg_us, min_us, max_us;
	double sd_us; /* NAN without histograms */
	uint64_t octaves[ORION_OCTAVES];
};

/*
 * Points of the first variant that have loads. ERROR_INPUT where none has: the result is none of
 * Orion's tests; -ENOMEM.
 */
int orion_table_make(const struct result *result, struct orion_table *ret, struct error *error);
void orion_table_free(struct orion_table *table);

/* A whole report of the table; context is handed on to print. */
int orion_write(const struct result *result,
		void (*print)(const struct orion_table *table, const void *context, FILE *output),
		const void *context, FILE *stream, struct error *error);

/* Null where no point has these loads. */
const struct orion_cell *orion_table_find(const struct orion_table *table, unsigned small,
					  unsigned large);

/*
 * Points of the matrix as Orion counts them: the one without any load is counted, too, where the
 * matrix has its row and its column, though there is nothing to run.
 */
unsigned orion_table_points(const struct orion_table *table);

/* Median of a metric of a stream over the repeats that count; NAN where there is none. */
double orion_value(const struct orion_cell *cell, const char *stream, const char *metric);

/* The cell where a metric of a stream is most, or least; null where none has it. */
const struct orion_cell *orion_table_best(const struct orion_table *table, const char *stream,
					  const char *metric, bool least);

/* False where the stream has completed nothing there. -ENOMEM counts as that, too. */
bool orion_latency_of(const struct orion_cell *cell, const char *stream, struct orion_latency *ret);

/* "Small Read / Write Latency Histogram @ Small=2 and Large=0", and the lines below. */
void orion_histogram_print(const struct orion_cell *cell, const char *stream,
			   const struct orion_latency *latency, FILE *output);

/* "Maximum Large MBPS=…" and the other two; all: with latencies and histogram, as the console. */
void orion_best_print(const struct orion_table *table, bool all, FILE *output);

#endif
