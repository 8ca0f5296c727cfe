/* SPDX-License-Identifier: MIT */
/* test_rank.c - golden cases, selection against sorted tables, sizes at which methods change. */
#include "stats/rank.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "golden.h"

#define MANY 5000

static void check(const struct golden *golden, const char *what, double value, double expected)
{
	if (!golden_agrees(value, expected))
		fail_msg("%s: %s is %.17g, not %.17g", golden->name, what, value, expected);
}

static void check_differences(const struct golden *golden)
{
	double sorted[40], p;
	size_t n = golden->n_other, k;
	bool exact;

	assert_int_equal(rank_signed_p(golden->other, n, &p, &exact), 0);
	assert_int_equal(rank_signed_order(n, 0.95, &k), 0);
	assert_true(exact);
	memcpy(sorted, golden->other, sizeof(sorted));
	rank_sort(sorted, n);
	check(golden, "p", p, golden->p);
	check(golden, "estimate", rank_walsh_median(sorted, n), golden->estimate);
	check(golden, "low", k ? rank_walsh_select(sorted, n, k) : NAN, golden->low);
	check(golden, "high", k ? rank_walsh_select(sorted, n, n * (n + 1) / 2 + 1 - k) : NAN,
	      golden->high);
}

static void check_sides(const struct golden *golden)
{
	double base[40], other[40], p, back;
	size_t n = golden->n_base, m = golden->n_other, k;
	bool exact;

	assert_int_equal(rank_sum_p(golden->base, n, golden->other, m, &p, &exact), 0);
	assert_true(exact);
	assert_int_equal(rank_sum_p(golden->other, m, golden->base, n, &back, &exact), 0);
	assert_int_equal(rank_sum_order(n, m, 0.95, &k), 0);
	memcpy(base, golden->base, sizeof(base));
	memcpy(other, golden->other, sizeof(other));
	rank_sort(base, n);
	rank_sort(other, m);
	check(golden, "p", p, golden->p);
	check(golden, "p the other way round", back, golden->p);
	check(golden, "estimate", rank_difference_median(base, n, other, m), golden->estimate);
	check(golden, "low", k ? rank_difference_select(base, n, other, m, k) : NAN, golden->low);
	check(golden, "high", k ? rank_difference_select(base, n, other, m, n * m + 1 - k) : NAN,
	      golden->high);
}

static void test_golden(void **state)
{
	unsigned n_checked = 0;

	for (size_t i = 0; i < GOLDEN_CASES; i++) {
		const struct golden *golden = &golden_cases[i];

		if (golden->kind == GOLDEN_DIFFERENCES)
			check_differences(golden);
		else if (golden->kind == GOLDEN_SIDES)
			check_sides(golden);
		else
			continue;
		n_checked++;
	}
	assert_true(n_checked >= 40);
}

static void test_nothing(void **state)
{
	const double zeros[3] = {0, -0.0, 0};
	double p = 5;
	bool exact;
	size_t k = 5;

	assert_int_equal(rank_signed_p(NULL, 0, &p, &exact), 0);
	assert_true(isnan(p));
	p = 5;
	assert_int_equal(rank_sum_p(NULL, 0, zeros, 3, &p, &exact), 0);
	assert_true(isnan(p));
	assert_int_equal(rank_signed_order(0, 0.95, &k), 0);
	assert_int_equal(k, 0);
	k = 5;
	assert_int_equal(rank_sum_order(0, 7, 0.95, &k), 0);
	assert_int_equal(k, 0);
	assert_int_equal(rank_signed_p(zeros, 3, &p, &exact), 0);
	assert_true(p == 1);
	assert_true(rank_walsh_median(zeros, 3) == 0 && !signbit(rank_walsh_median(zeros, 3)));
}

/* From tables of Wilcoxon's and of Mann and Whitney's tests: critical values and one. */
static void test_orders_are_those_of_tables(void **state)
{
	const struct {
		size_t n, m, k;
		double confidence;
	} rows[] = {
		{5, 0, 0, 0.95},  {6, 0, 1, 0.95},    {7, 0, 3, 0.95},	  {8, 0, 4, 0.95},
		{10, 0, 9, 0.95}, {20, 0, 53, 0.95},  {50, 0, 435, 0.95}, {7, 0, 0, 0.99},
		{8, 0, 1, 0.99},  {10, 0, 4, 0.99},   {5, 0, 1, 0.9375},  {3, 3, 1, 0.9},
		{3, 3, 0, 0.95},  {4, 4, 1, 0.95},    {3, 5, 1, 0.95},	  {2, 7, 0, 0.95},
		{2, 8, 1, 0.95},  {10, 10, 24, 0.95}, {5, 8, 7, 0.95},	  {20, 20, 128, 0.95},
		{5, 5, 1, 0.99},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t k = 99;

		if (rows[i].m == 0)
			assert_int_equal(rank_signed_order(rows[i].n, rows[i].confidence, &k), 0);
		else
			assert_int_equal(
				rank_sum_order(rows[i].n, rows[i].m, rows[i].confidence, &k), 0);
		assert_int_equal(k, rows[i].k);
	}
}

static int compare_doubles(const void *a, const void *b)
{
	double one = *(const double *)a, two = *(const double *)b;

	return (one > two) - (one < two);
}

/* Both signs, ties, zeros and sizes far apart. */
static void fill(struct random *random, double *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double value = (double)random_below(random, 12) - 4;

		if (random_below(random, 4) == 0)
			value = ldexp(value, (int)random_below(random, 200) - 100);
		values[i] = value;
	}
	rank_sort(values, n);
}

static void check_averages(const double *sorted, size_t n)
{
	double table[40 * 41 / 2] = {0};
	size_t n_table = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			table[n_table++] = sorted[i] * 0.5 + sorted[j] * 0.5;
	qsort(table, n_table, sizeof(*table), compare_doubles);
	for (size_t k = 1; k <= n_table; k++)
		assert_true(rank_walsh_select(sorted, n, k) == table[k - 1]);
	assert_true(rank_walsh_median(sorted, n) ==
		    table[(n_table - 1) / 2] * 0.5 + table[n_table / 2] * 0.5);
}

static void check_all_differences(const double *base, size_t n, const double *other, size_t m)
{
	double table[40 * 40] = {0};
	size_t n_table = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			table[n_table++] = other[j] - base[i];
	qsort(table, n_table, sizeof(*table), compare_doubles);
	for (size_t k = 1; k <= n_table; k++)
		assert_true(rank_difference_select(base, n, other, m, k) == table[k - 1]);
	assert_true(rank_difference_median(base, n, other, m) ==
		    table[(n_table - 1) / 2] * 0.5 + table[n_table / 2] * 0.5);
}

static void test_selection_is_that_of_the_sorted_table(void **state)
{
	struct random random;
	double base[40], other[40];

	random_seed(&random, 4, 0);
	for (int i = 0; i < 60; i++) {
		size_t n = 1 + random_below(&random, 40), m = 1 + random_below(&random, 40);

		fill(&random, base, n);
		fill(&random, other, m);
		check_averages(base, n);
		check_all_differences(base, n, other, m);
	}
}

static void test_selection_at_the_ends_of_doubles(void **state)
{
	const double ends[] = {-DBL_MAX, -DBL_MIN, -0x1p-1074, -0.0, 0.0, 0x1p-1074, DBL_MAX};
	const double one[] = {0}, zero[] = {-0.0};

	assert_true(rank_walsh_select(ends, 7, 1) == -DBL_MAX);
	assert_true(rank_walsh_select(ends, 7, 28) == DBL_MAX);
	assert_true(rank_difference_select(one, 1, ends, 7, 4) == 0);
	assert_true(rank_difference_select(zero, 1, ends, 7, 3) == -0x1p-1074);
	assert_true(rank_difference_median(zero, 1, ends, 7) == 0);
}

/* p of 1 to n, every third of them negative. */
static double thirds_p(size_t n, bool *exact)
{
	double differences[300], p;

	for (size_t i = 0; i < n; i++)
		differences[i] = i % 3 ? (double)(i + 1) : -(double)(i + 1);
	assert_int_equal(rank_signed_p(differences, n, &p, exact), 0);
	return p;
}

/* p of odd numbers against even ones that begin further down. */
static double evens_p(size_t n, bool *exact)
{
	double base[100], other[100], p;

	for (size_t i = 0; i < n; i++) {
		base[i] = (double)(2 * i);
		other[i] = (double)(2 * i + 15);
	}
	assert_int_equal(rank_sum_p(base, n, other, n, &p, exact), 0);
	return p;
}

static void test_approximation_goes_on_from_the_exact(void **state)
{
	size_t exact_k, normal_k;
	bool exact;
	double p = thirds_p(RANK_EXACT_PAIRS, &exact);

	assert_true(exact);
	assert_true(fabs(thirds_p(RANK_EXACT_PAIRS + 3, &exact) / p - 1) < 0.08);
	assert_false(exact);
	p = evens_p(RANK_EXACT_SIDES / 2, &exact);
	assert_true(exact);
	assert_true(fabs(evens_p(RANK_EXACT_SIDES / 2 + 1, &exact) / p - 1) < 0.1);
	assert_false(exact);
	assert_int_equal(rank_signed_order(RANK_EXACT_PAIRS, 0.95, &exact_k), 0);
	assert_int_equal(rank_signed_order(RANK_EXACT_PAIRS + 1, 0.95, &normal_k), 0);
	assert_in_range(normal_k - exact_k, 70, 100);
	assert_int_equal(rank_sum_order(50, 50, 0.95, &exact_k), 0);
	assert_int_equal(rank_sum_order(50, 51, 0.95, &normal_k), 0);
	assert_in_range(normal_k - exact_k, 15, 25);
}

/* By hand: 250 differences of 1, 100 of -1: ranks all 175.5, W 250 x 175.5, variance 350 x 175.5^2
 * / 4. Sides of 80, all 0 or 1, 50 ones against 30. */
static void test_approximation_by_hand(void **state)
{
	double values[350], base[80], other[80], p, z;
	bool exact;

	for (int i = 0; i < 350; i++)
		values[i] = i < 250 ? 1 : -1;
	assert_int_equal(rank_signed_p(values, 350, &p, &exact), 0);
	z = (75 * 175.5 - 0.5) / (175.5 * sqrt(350) / 2);
	assert_true(fabs(p / erfc(z / sqrt(2)) - 1) < 1e-9 && !exact);
	for (int i = 0; i < 80; i++) {
		base[i] = i < 30;
		other[i] = i < 50;
	}
	assert_int_equal(rank_sum_p(base, 80, other, 80, &p, &exact), 0);
	/* U - mean: (50 - 30) x 80 / 2; two groups of 80. */
	z = (800 - 0.5) / sqrt(80.0 * 80 / 12 * (161 - 2 * (80.0 * 80 * 80 - 80) / (160.0 * 159)));
	assert_true(fabs(p / erfc(z / sqrt(2)) - 1) < 1e-9 && !exact);
	for (int i = 0; i < 80; i++)
		base[i] = other[i] = 7;
	assert_int_equal(rank_sum_p(base, 80, other, 80, &p, &exact), 0);
	assert_true(p == 1);
}

/* The far ends of the largest that are exact: 2 in 2^200, 2 in 100 over 50. */
static void test_tails_are_kept(void **state)
{
	double values[200], p;
	bool exact;

	for (int i = 0; i < 200; i++)
		values[i] = i + 1;
	assert_int_equal(rank_signed_p(values, 200, &p, &exact), 0);
	assert_true(exact && fabs(p / 0x1p-199 - 1) < 1e-12);
	assert_int_equal(rank_sum_p(values, 50, values + 50, 50, &p, &exact), 0);
	assert_true(exact && fabs(p * 1.0089134454556417e29 / 2 - 1) < 1e-12);
}

static void test_deviate(void **state)
{
	assert_true(fabs(rank_deviate(0.05) - 1.959963984540054) < 1e-12);
	assert_true(fabs(rank_deviate(0.4) - 0.8416212335729143) < 1e-12);
	assert_true(fabs(rank_deviate(1)) < 1e-12);
}

/* Nearly normal: many values, their place known. */
static void test_thousands(void **state)
{
	double *base = calloc(MANY, sizeof(*base)), *other = calloc(MANY, sizeof(*other));
	struct random random;
	size_t k;

	random_seed(&random, 5, 0);
	for (size_t i = 0; i < MANY; i++) {
		for (int j = 0; j < 12; j++)
			base[i] += (double)random_below(&random, 1 << 20) * 0x1p-20;
		other[i] = base[i] + 3;
	}
	rank_sort(base, MANY);
	rank_sort(other, MANY);
	assert_true(fabs(rank_walsh_median(base, MANY) - 6) < 0.05);
	assert_true(fabs(rank_difference_median(base, MANY, other, MANY) - 3) < 1e-9);
	assert_int_equal(rank_signed_order(MANY, 0.95, &k), 0);
	/* 1.96 standard errors of a mean of one standard deviation. */
	assert_true(fabs(rank_walsh_select(base, MANY, k) - rank_walsh_median(base, MANY) +
			 1.96 / sqrt(MANY / 0.955)) < 0.002);
	assert_int_equal(rank_sum_order(MANY, MANY, 0.95, &k), 0);
	assert_true(fabs(rank_difference_select(base, MANY, other, MANY, k) - 3 +
			 1.96 * sqrt(2) / sqrt(MANY / 0.955)) < 0.004);
	free(base);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_orders_are_those_of_tables),
		cmocka_unit_test(test_selection_is_that_of_the_sorted_table),
		cmocka_unit_test(test_selection_at_the_ends_of_doubles),
		cmocka_unit_test(test_approximation_goes_on_from_the_exact),
		cmocka_unit_test(test_approximation_by_hand),
		cmocka_unit_test(test_tails_are_kept),
		cmocka_unit_test(test_deviate),
		cmocka_unit_test(test_thousands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
