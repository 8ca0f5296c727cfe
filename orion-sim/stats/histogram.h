/* SPDX-License-Identifier: MIT */
/* histogram.h - log-linear latency histogram: 256 steps an octave, 1 ns to 73 minutes. */
#ifndef ORION_STATS_HISTOGRAM_H
#define ORION_STATS_HISTOGRAM_H

#include <stdint.h>

/*
 * Values below 512 have a cell each; above, every octave [2^e, 2^(e+1)) has 256 cells, so a cell is
 * at most value/256 wide and its middle at most 0.2 % off. Values of 2^42 ns and more are counted
 * in overflow, apart from the cells. Counters only grow; merging is addition.
 */
#define HISTOGRAM_STEP_BITS  8
#define HISTOGRAM_RANGE_BITS 42
#define HISTOGRAM_CELLS	     (((HISTOGRAM_RANGE_BITS - HISTOGRAM_STEP_BITS) + 1) << HISTOGRAM_STEP_BITS)

struct histogram {
	uint64_t count;	   /* values recorded, overflow included */
	uint64_t overflow; /* of which beyond the range */
	uint64_t sum_ns;
	uint64_t max_ns; /* exact */
	uint64_t min_ns; /* exact; UINT64_MAX while empty */
	uint64_t cells[HISTOGRAM_CELLS];
};

static inline uint32_t histogram_cell(uint64_t value_ns)
{
	int shift =
		63 - __builtin_clzll(value_ns | (1u << HISTOGRAM_STEP_BITS)) - HISTOGRAM_STEP_BITS;

	return ((uint32_t)shift << HISTOGRAM_STEP_BITS) + (uint32_t)(value_ns >> shift);
}

static inline void histogram_add_n(struct histogram *histogram, uint64_t value_ns, uint64_t n)
{
	histogram->count += n;
	histogram->sum_ns += value_ns * n;
	if (__builtin_expect(value_ns > histogram->max_ns, 0))
		histogram->max_ns = value_ns;
	if (__builtin_expect(value_ns < histogram->min_ns, 0))
		histogram->min_ns = value_ns;
	if (__builtin_expect(value_ns >> HISTOGRAM_RANGE_BITS, 0))
		histogram->overflow += n;
	else
		histogram->cells[histogram_cell(value_ns)] += n;
}

static inline void histogram_add(struct histogram *histogram, uint64_t value_ns)
{
	histogram_add_n(histogram, value_ns, 1);
}

/* Empty: all zero, min_ns UINT64_MAX. */
void histogram_reset(struct histogram *histogram);

void histogram_merge(struct histogram *into, const struct histogram *from);

/* Lowest value and width of a cell in ns. */
uint64_t histogram_cell_low_ns(uint32_t cell);
uint64_t histogram_cell_width_ns(uint32_t cell);

/*
 * Value in ns below or at which percent (0 … 100] of the values lie: nearest rank, middle of its
 * cell, clamped to [min_ns, max_ns]; max_ns where the rank falls into overflow. 0 if empty.
 */
uint64_t histogram_percentile_ns(const struct histogram *histogram, double percent);

double histogram_mean_ns(const struct histogram *histogram);

#endif
