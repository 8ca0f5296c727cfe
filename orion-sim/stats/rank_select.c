/* SPDX-License-Identifier: MIT */
/* rank_select.c - one of all Walsh averages, or of all differences, without making them. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "stats/rank.h"

/*
 * What would be a table of sums: its rows and columns ascend, rounding included, so that the border
 * between those up to a limit and those above is a staircase. other is null for Walsh averages.
 */
struct table {
	const double *base, *other;
	size_t n_base, n_other;
};

/* How many are at most a limit, the greatest of these, and the smallest of the rest. */
struct split {
	size_t count;
	double below, above;
};

/* Halved first: exact, and no overflow. */
static double mean(double a, double b)
{
	return a * 0.5 + b * 0.5;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

static struct split split_averages(const struct table *table, double limit)
{
	struct split split = {0, -INFINITY, INFINITY};
	const double *sorted = table->base;
	size_t end = table->n_base;

	/* Row i holds the averages with i and those after it. */
	for (size_t i = 0; i < table->n_base && end > i; i++) {
		while (end > i && mean(sorted[i], sorted[end - 1]) > limit)
			end--;
		if (end < table->n_base)
			split.above = smaller(split.above, mean(sorted[i], sorted[end]));
		if (end > i) {
			split.below = greater(split.below, mean(sorted[i], sorted[end - 1]));
			split.count += end - i;
		}
	}
	/* The rows left are all above, the first of them with the smallest at its start. */
	if (end < table->n_base)
		split.above = smaller(split.above, sorted[end]);
	return split;
}

static struct split split_differences(const struct table *table, double limit)
{
	struct split split = {0, -INFINITY, INFINITY};
	const double *other = table->other;
	size_t end = 0;

	for (size_t i = 0; i < table->n_base; i++) {
		while (end < table->n_other && other[end] - table->base[i] <= limit)
			end++;
		if (end < table->n_other)
			split.above = smaller(split.above, other[end] - table->base[i]);
		if (end > 0)
			split.below = greater(split.below, other[end - 1] - table->base[i]);
		split.count += end;
	}
	return split;
}

static struct split split_table(const struct table *table, double limit)
{
	return table->other ? split_differences(table, limit) : split_averages(table, limit);
}

/* Whole numbers in the order of the doubles whose bits they are made of, and back. */
static uint64_t order_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t order)
{
	uint64_t bits = order >> 63 ? order & ~((uint64_t)1 << 63) : ~order;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/*
 * Bisects between the smallest and the greatest value; each step halves the doubles in between, and
 * moves both ends to values that occur.
 */
static double table_select(const struct table *table, double low, double high, size_t k)
{
	uint64_t first = order_of(low), last = order_of(high);

	while (first < last) {
		uint64_t middle = first + (last - first) / 2;
		struct split split = split_table(table, value_of(middle));
		uint64_t below = order_of(split.below);

		if (split.count < k)
			first = order_of(split.above);
		else
			last = below < middle ? below : middle; /* 0 is "at most" a negative 0 */
	}
	return value_of(first) + 0.0; /* no negative zero */
}

static double table_median(const struct table *table, double low, double high, size_t n)
{
	double middle = table_select(table, low, high, (n + 1) / 2);
	struct split split;

	if (n % 2)
		return middle;
	split = split_table(table, middle);
	return split.count > n / 2 ? middle : mean(middle, split.above);
}

double rank_walsh_select(const double *sorted, size_t n, size_t k)
{
	const struct table table = {.base = sorted, .n_base = n};

	return table_select(&table, sorted[0], sorted[n - 1], k);
}

double rank_difference_select(const double *base, size_t n_base, const double *other,
			      size_t n_other, size_t k)
{
	const struct table table = {base, other, n_base, n_other};

	return table_select(&table, other[0] - base[n_base - 1], other[n_other - 1] - base[0], k);
}

double rank_walsh_median(const double *sorted, size_t n)
{
	const struct table table = {.base = sorted, .n_base = n};

	return table_median(&table, sorted[0], sorted[n - 1], n * (n + 1) / 2);
}

double rank_difference_median(const double *base, size_t n_base, const double *other,
			      size_t n_other)
{
	const struct table table = {base, other, n_base, n_other};

	return table_median(&table, other[0] - base[n_base - 1], other[n_other - 1] - base[0],
			    n_base * n_other);
}
