/* SPDX-License-Identifier: MIT */
/* test_compare_simulation.c - how often a change is seen that is there, and one that is not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "stats/compare.h"

#define SESSIONS 4000
#define PAIRS	 10
#define LARGEST	 30
#define SEED	 20

static double draw_normal(struct random *random)
{
	double radius = sqrt(-2 * log1p(-(double)(random_next(random) >> 11) * 0x1p-53));

	return radius * cos(2 * M_PI * (double)(random_next(random) >> 11) * 0x1p-53);
}

/* Runs of both variants in blocks, AB and BA in turn, the first by chance, while the machine drifts
 * along a straight line by as much as drift from the first run to the last; 1 % of the level from
 * run to run. */
static void draw_session(struct random *random, double shift, double drift, double *base,
			 double *other)
{
	unsigned first = (unsigned)random_below(random, 2);

	for (unsigned run = 0; run < 2 * PAIRS; run++) {
		bool is_other = (run + run / 2 + first) % 2;
		double level = 1000 * (1 + drift * run / (2 * PAIRS - 1));
		double value = level * (1 + 0.01 * draw_normal(random));

		if (is_other)
			other[run / 2] = value * (1 + shift);
		else
			base[run / 2] = value;
	}
}

static bool excludes_zero(const struct compare_numbers *numbers)
{
	return numbers->low > 0 || numbers->high < 0;
}

/* Share of sessions in percent whose interval excludes zero. */
static double paired_rate(double shift, double drift)
{
	const struct compare_options options = {COMPARE_ALPHA, COMPARE_THRESHOLD, true, true, 0, 0};
	double base[PAIRS], other[PAIRS];
	struct random random;
	unsigned seen = 0;

	random_seed(&random, SEED, (uint64_t)(drift * 1000) * 100 + (uint64_t)(shift * 1000));
	for (int i = 0; i < SESSIONS; i++) {
		struct compare_numbers numbers;

		draw_session(&random, shift, drift, base, other);
		assert_int_equal(compare_samples(base, PAIRS, other, PAIRS, &options, &numbers), 0);
		assert_int_equal(excludes_zero(&numbers), numbers.p <= COMPARE_ALPHA);
		seen += excludes_zero(&numbers);
	}
	return 100.0 * seen / SESSIONS;
}

static void check_rate(const char *what, double rate, double expected, double leeway)
{
	print_message("%s: %.1f %%, expected %.1f\n", what, rate, expected);
	if (fabs(rate - expected) > leeway)
		fail_msg("%s: %.1f %% instead of %.1f", what, rate, expected);
}

static void test_false_alarms(void **state)
{
	const double drifts[] = {0, 0.02, 0.05};

	for (int i = 0; i < 3; i++) {
		double rate = paired_rate(0, drifts[i]);

		print_message("drift %.0f %%: %.2f %% false alarms\n", 100 * drifts[i], rate);
		assert_true(rate <= 6);
	}
}

static void test_power_of_pairs(void **state)
{
	const struct {
		double drift, none, one, two; /* rates without a shift, at 1 % and at 2 % */
	} rows[] = {{0, 4.5, 50, 97}, {0.02, 5.1, 50, 97}, {0.05, 5, 48, 97}, {0.1, 3.4, 45, 96}};

	for (int i = 0; i < 4; i++) {
		check_rate("no shift", paired_rate(0, rows[i].drift), rows[i].none, 3);
		check_rate("1 %", paired_rate(0.01, rows[i].drift), rows[i].one, 3);
		check_rate("2 %", paired_rate(0.02, rows[i].drift), rows[i].two, 3);
	}
}

/* Without pairs and drift, at a spread of 2 % from run to run. */
static double unpaired_rate(size_t n, double shift, int sessions)
{
	const struct compare_options options = {
		COMPARE_ALPHA, COMPARE_THRESHOLD, true, false, 0, 0};
	double base[LARGEST], other[LARGEST];
	struct random random;
	int seen = 0;

	random_seed(&random, SEED, n * 100 + (uint64_t)(shift * 1000));
	for (int i = 0; i < sessions; i++) {
		struct compare_numbers numbers;

		for (size_t j = 0; j < n; j++) {
			base[j] = 1000 * (1 + 0.02 * draw_normal(&random));
			other[j] = 1000 * (1 + shift) * (1 + 0.02 * draw_normal(&random));
		}
		assert_int_equal(compare_samples(base, n, other, n, &options, &numbers), 0);
		assert_int_equal(excludes_zero(&numbers), numbers.p <= COMPARE_ALPHA);
		seen += excludes_zero(&numbers);
	}
	return 100.0 * seen / sessions;
}

static void test_power_of_sides(void **state)
{
	const double shifts[] = {0.01, 0.02, 0.03, 0.05};
	const struct {
		size_t n;
		int sessions;
		double rates[4];
	} rows[] = {{5, 4000, {7, 20, 41, 85}},	     {7, 4000, {12, 35, 65, 97}},
		    {10, 4000, {17, 51, 85, 100}},   {15, 2000, {24, 70, 96, 100}},
		    {20, 2000, {33, 85, 99.5, 100}}, {30, 1000, {47, 95, 100, 100}}};

	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 4; j++)
			check_rate("sides", unpaired_rate(rows[i].n, shifts[j], rows[i].sessions),
				   rows[i].rates[j], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_false_alarms),
		cmocka_unit_test(test_power_of_pairs),
		cmocka_unit_test(test_power_of_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
