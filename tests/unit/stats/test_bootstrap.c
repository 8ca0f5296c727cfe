/* SPDX-License-Identifier: MIT */
/* test_bootstrap.c - intervals against all resamples there are, seeds, edges, thousands. */
#include "stats/bootstrap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define DRAWS	40000
#define LEEWAY	0.012 /* five standard errors of a share of DRAWS */
#define MANY	5000
#define LARGEST 5

static int compare_doubles(const void *a, const void *b)
{
	double one = *(const double *)a, two = *(const double *)b;

	return (one > two) - (one < two);
}

/* Resample number i of n^n: digits of i to the base n say which values. */
static double resampled_median(const double *values, size_t n, size_t i)
{
	double drawn[LARGEST] = {0};

	for (size_t j = 0; j < n; j++, i /= n)
		drawn[j] = values[i % n];
	qsort(drawn, n, sizeof(*drawn), compare_doubles);
	return (drawn[(n - 1) / 2] + drawn[n / 2]) / 2;
}

static size_t resamples_of(size_t n)
{
	size_t all = 1;

	for (size_t i = 0; i < n; i++)
		all *= n;
	return all;
}

static double quantile(const double *sorted, size_t n, double share)
{
	double place = floor(share * (double)n);

	return sorted[place <= 0 ? 0 : place >= (double)n ? n - 1 : (size_t)place];
}

/* Ends lie where those of all resamples do, but for the chance of drawing. */
static void check_ends(const double *sorted, size_t n, double confidence,
		       const struct bootstrap *bootstrap)
{
	double tail = (1 - confidence) / 2;

	assert_true(bootstrap->low >= quantile(sorted, n, tail - LEEWAY));
	assert_true(bootstrap->low <= quantile(sorted, n, tail + LEEWAY));
	assert_true(bootstrap->high >= quantile(sorted, n, 1 - tail - LEEWAY));
	assert_true(bootstrap->high <= quantile(sorted, n, 1 - tail + LEEWAY));
}

static const double base_values[LARGEST] = {4, 9, 5.5, 7, 12};
static const double other_values[LARGEST] = {3, 8, 21, 7.25, 13};

static void check_sides(size_t n, size_t m)
{
	size_t all = resamples_of(n), all_other = resamples_of(m);
	double *ratios = calloc(all * all_other, sizeof(*ratios));

	for (size_t i = 0; i < all; i++)
		for (size_t j = 0; j < all_other; j++)
			ratios[i * all_other + j] = resampled_median(other_values, m, j) /
						    resampled_median(base_values, n, i);
	qsort(ratios, all * all_other, sizeof(*ratios), compare_doubles);
	for (int percent = 5; percent < 100; percent += 10) {
		double confidence = percent / 100.0;
		struct bootstrap bootstrap;

		assert_int_equal(bootstrap_sides(base_values, n, other_values, m, DRAWS, confidence,
						 7, &bootstrap),
				 0);
		check_ends(ratios, all * all_other, confidence, &bootstrap);
	}
	free(ratios);
}

static void test_sides_as_all_resamples(void **state)
{
	for (size_t n = 1; n <= 4; n++)
		for (size_t m = 1; m <= 4; m++)
			check_sides(n, m);
	check_sides(1, 5);
	check_sides(5, 2);
}

static void check_pairs(size_t n)
{
	size_t all = resamples_of(n);
	double *ratios = calloc(all, sizeof(*ratios));

	for (size_t i = 0; i < all; i++)
		ratios[i] =
			resampled_median(other_values, n, i) / resampled_median(base_values, n, i);
	qsort(ratios, all, sizeof(*ratios), compare_doubles);
	for (int percent = 5; percent < 100; percent += 10) {
		double confidence = percent / 100.0;
		struct bootstrap bootstrap;

		assert_int_equal(bootstrap_pairs(base_values, other_values, n, DRAWS, confidence, 7,
						 &bootstrap),
				 0);
		check_ends(ratios, all, confidence, &bootstrap);
	}
	free(ratios);
}

static void test_pairs_as_all_resamples(void **state)
{
	for (size_t n = 1; n <= LARGEST; n++)
		check_pairs(n);
}

static void test_seeds(void **state)
{
	struct bootstrap one, same, other;
	double base[20], values[20];

	for (int i = 0; i < 20; i++) {
		base[i] = 100 + i * i % 17;
		values[i] = 105 + i * 7 % 13 + 0.1 * i;
	}
	for (int pairs = 0; pairs < 2; pairs++) {
		bool differs = false;

		for (uint64_t seed = 1; seed < 9; seed++) {
			struct bootstrap *rets[] = {&one, &same, &other};
			uint64_t seeds[] = {seed, seed, seed + 1};

			for (int i = 0; i < 3; i++)
				assert_int_equal(pairs ? bootstrap_pairs(base, values, 20, 200,
									 0.95, seeds[i], rets[i])
						       : bootstrap_sides(base, 20, values, 20, 200,
									 0.95, seeds[i], rets[i]),
						 0);
			assert_memory_equal(&one, &same, sizeof(one));
			assert_true(one.ratio == other.ratio);
			differs |= one.low < other.low || one.low > other.low;
		}
		assert_true(differs);
	}
}

static void test_edges(void **state)
{
	struct bootstrap bootstrap;
	const double two[] = {2, 2, 2, 2}, three[] = {3, 3, 3, 3};

	assert_int_equal(bootstrap_sides(NULL, 0, two, 4, 10, 0.95, 1, &bootstrap), 0);
	assert_true(isnan(bootstrap.ratio) && isnan(bootstrap.low) && isnan(bootstrap.high));
	assert_int_equal(bootstrap_pairs(NULL, NULL, 0, 10, 0.95, 1, &bootstrap), 0);
	assert_true(isnan(bootstrap.ratio) && isnan(bootstrap.low) && isnan(bootstrap.high));
	assert_int_equal(bootstrap_sides(two, 4, three, 3, 0, 0.95, 1, &bootstrap), 0);
	assert_true(bootstrap.ratio == 1.5 && isnan(bootstrap.low) && isnan(bootstrap.high));
	assert_int_equal(bootstrap_sides(two, 4, three, 3, 1, 0.95, 1, &bootstrap), 0);
	assert_true(bootstrap.low == 1.5 && bootstrap.high == 1.5);
	assert_int_equal(bootstrap_pairs(two, three, 4, 100, 0.95, 1, &bootstrap), 0);
	assert_true(bootstrap.ratio == 1.5 && bootstrap.low == 1.5 && bootstrap.high == 1.5);
}

/* Evenly on 1 to 2: the error of the median of n is 1 / (2 sqrt(n)), of the ratio of two its
 * multiple by sqrt(2) / 1.5; of pairs that are the same but for a factor it is nothing. */
static void test_thousands(void **state)
{
	double *base = calloc(MANY, sizeof(*base)), *other = calloc(MANY, sizeof(*other));
	double half_width = 1.96 * sqrt(2) / 1.5 / (2 * sqrt(MANY));
	struct bootstrap bootstrap;

	for (size_t i = 0; i < MANY; i++) {
		base[i] = 1 + (double)i / MANY;
		other[i] = 1.25 * base[i];
	}
	assert_int_equal(bootstrap_sides(base, MANY, other, MANY, 10000, 0.95, 1, &bootstrap), 0);
	assert_true(fabs(bootstrap.ratio - 1.25) < 1e-12);
	assert_true(fabs((bootstrap.high - bootstrap.low) / (2.5 * half_width) - 1) < 0.05);
	assert_int_equal(bootstrap_pairs(base, other, MANY, 2000, 0.95, 1, &bootstrap), 0);
	assert_true(fabs(bootstrap.low - 1.25) < 1e-12 && fabs(bootstrap.high - 1.25) < 1e-12);
	free(base);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sides_as_all_resamples),
		cmocka_unit_test(test_pairs_as_all_resamples),
		cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_thousands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
