/* SPDX-License-Identifier: MIT */
/* histogram.c - merging histograms, and percentiles drawn from them. */
#include "stats/histogram.h"

#include <math.h>
#include <string.h>

void histogram_reset(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->min_ns = UINT64_MAX;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (from->count == 0)
		return;
	into->count += from->count;
	into->overflow += from->overflow;
	into->sum_ns += from->sum_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	if (from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	for (uint32_t cell = 0; cell < HISTOGRAM_CELLS; cell++)
		if (from->cells[cell])
			into->cells[cell] += from->cells[cell];
}

/* log2 of the width of a cell: the first two times 256 cells are 1 ns wide. */
static uint32_t cell_shift(uint32_t cell)
{
	uint32_t octave = cell >> HISTOGRAM_STEP_BITS;

	return octave ? octave - 1 : 0;
}

uint64_t histogram_cell_low_ns(uint32_t cell)
{
	uint32_t shift = cell_shift(cell);

	return (uint64_t)(cell - (shift << HISTOGRAM_STEP_BITS)) << shift;
}

uint64_t histogram_cell_width_ns(uint32_t cell)
{
	return (uint64_t)1 << cell_shift(cell);
}

/*
 * Nearest rank, 1 … count. In whole hundred-millionths, because in floating point 99.9 % of 1000
 * may come out as 999.0000000000001 and would be rounded up to the maximum.
 */
static uint64_t percentile_rank(uint64_t count, double percent)
{
	const uint64_t whole = 100000000;
	uint64_t share = percent <= 0 ? 0 : (uint64_t)llround(percent * 1e6);
	unsigned __int128 product;
	uint64_t rank;

	if (share >= whole)
		return count;
	product = (unsigned __int128)share * count;
	rank = (uint64_t)((product + whole - 1) / whole);
	return rank ? rank : 1;
}

uint64_t histogram_percentile_ns(const struct histogram *histogram, double percent)
{
	uint64_t rank, passed = 0, middle_ns;

	if (histogram->count == 0)
		return 0;
	rank = percentile_rank(histogram->count, percent);
	for (uint32_t cell = 0; cell < HISTOGRAM_CELLS; cell++) {
		passed += histogram->cells[cell];
		if (passed < rank)
			continue;
		middle_ns = histogram_cell_low_ns(cell) + histogram_cell_width_ns(cell) / 2;
		if (middle_ns > histogram->max_ns)
			middle_ns = histogram->max_ns;
		return middle_ns < histogram->min_ns ? histogram->min_ns : middle_ns;
	}
	return histogram->max_ns;
}

double histogram_mean_ns(const struct histogram *histogram)
{
	if (histogram->count == 0)
		return 0;
	return (double)histogram->sum_ns / (double)histogram->count;
}
