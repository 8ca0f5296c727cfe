/* SPDX-License-Identifier: MIT */
/* test_compare.c - golden cases, what has no numbers, every verdict's edges, Holm, plans. */
#include "stats/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "golden.h"

#define MANY 5000

static const struct compare_options paired = {0.05, 0.02, true, true, 0, 1};
static const struct compare_options unpaired = {0.05, 0.02, true, false, 0, 1};

/* What compare.c and those it calls have asked for since this was set to 0. */
static size_t asked_bytes;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_malloc(size_t size)
{
	asked_bytes += size;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	asked_bytes += n * size;
	return __real_calloc(n, size);
}

static struct compare_numbers compare(const double *base, size_t n, const double *other, size_t m,
				      const struct compare_options *options)
{
	struct compare_numbers numbers;

	assert_int_equal(compare_samples(base, n, other, m, options, &numbers), 0);
	return numbers;
}

static void check_golden(const struct golden *golden, const struct compare_options *options)
{
	struct compare_numbers numbers =
		compare(golden->base, golden->n_base, golden->other, golden->n_other, options);

	if (!golden_agrees(numbers.change, golden->estimate) ||
	    !golden_agrees(numbers.low, golden->low) ||
	    !golden_agrees(numbers.high, golden->high) || !golden_agrees(numbers.p, golden->p))
		fail_msg("%s: %.12g [%.12g, %.12g], p %.12g", golden->name, numbers.change,
			 numbers.low, numbers.high, numbers.p);
	assert_true(numbers.exact && numbers.paired == options->paired);
}

static void test_golden(void **state)
{
	unsigned n_checked = 0;

	for (size_t i = 0; i < GOLDEN_CASES; i++) {
		const struct golden *golden = &golden_cases[i];

		if (golden->kind != GOLDEN_PAIRS_OF_LOGS && golden->kind != GOLDEN_SIDES_OF_LOGS)
			continue;
		check_golden(golden, golden->kind == GOLDEN_PAIRS_OF_LOGS ? &paired : &unpaired);
		n_checked++;
	}
	assert_true(n_checked >= 20);
}

/* No number is made up. */
static void check_nothing(const double *base, size_t n, const double *other, size_t m,
			  const char *reason)
{
	for (int i = 0; i < 2; i++) {
		struct compare_numbers numbers;

		if (i == 0 && n != m)
			continue;
		numbers = compare(base, n, other, m, i == 0 ? &paired : &unpaired);
		assert_int_equal(numbers.verdict, COMPARE_NOTHING);
		assert_string_equal(numbers.reason, reason);
		assert_true(numbers.base.n == n && numbers.other.n == m);
		assert_true(isnan(numbers.change) && isnan(numbers.low) && isnan(numbers.high));
		assert_true(isnan(numbers.p) && isnan(numbers.p_holm) && isnan(numbers.ratio));
		assert_true(isnan(numbers.visible) && numbers.needed == 0);
		assert_true(isnan(numbers.base.median) && isnan(numbers.other.spread_percent));
	}
}

static void test_what_has_no_numbers(void **state)
{
	const double good[6] = {1, 2, 3, 4, 5, 6}, nan[6] = {1, 2, NAN, 4, 5, 6};
	const double zero[6] = {1, 2, 3, 4, 5, 0}, negative[6] = {1, -2.5, 3, 4, 5, 6};
	const double endless[6] = {INFINITY, 2, 3, 4, 5, 6}, zeros[6] = {0};

	check_nothing(NULL, 0, NULL, 0, "the base side has no values");
	check_nothing(good, 6, NULL, 0, "the other side has no values");
	check_nothing(nan, 6, good, 6, "value 3 of the base side is not a number");
	check_nothing(good, 6, nan, 6, "value 3 of the other side is not a number");
	check_nothing(endless, 6, good, 6, "value 1 of the base side is infinite");
	check_nothing(good, 6, zero, 6,
		      "value 6 of the other side is 0, and only positive values have a ratio");
	check_nothing(negative, 6, good, 6,
		      "value 2 of the base side is -2.5, and only positive values have a ratio");
	check_nothing(zeros, 6, good, 6,
		      "value 1 of the base side is 0, and only positive values have a ratio");
}

static void test_all_equal(void **state)
{
	const double zeros[8] = {0}, sevens[8] = {7, 7, 7, 7, 7, 7, 7, 7};

	for (int i = 0; i < 4; i++) {
		const double *values = i < 2 ? zeros : sevens;
		struct compare_options options = i % 2 ? paired : unpaired;
		struct compare_numbers numbers;

		options.resamples = 50;
		numbers = compare(values, 8, values, 8, &options);
		assert_int_equal(numbers.verdict, COMPARE_SAME);
		assert_true(numbers.change == 0 && numbers.low == 0 && numbers.high == 0);
		assert_true(numbers.p == 1 && numbers.visible == 0);
		assert_int_equal(numbers.needed, i % 2 ? 6 : 4);
		assert_true(numbers.base.median == values[0] && numbers.base.n_outliers == 0);
		assert_true(i < 2 ? isnan(numbers.ratio) : numbers.ratio == 1);
		numbers = compare(values, 1, values, 1, &options);
		assert_int_equal(numbers.verdict, COMPARE_INCONCLUSIVE);
		assert_true(numbers.change == 0 && isnan(numbers.low) && isnan(numbers.visible));
		assert_int_equal(numbers.needed, 0);
		assert_true(isnan(numbers.ratio_low));
	}
}

/* Too few say nothing, however far apart; one more does. */
static void test_few(void **state)
{
	const double base[6] = {100, 101, 102, 103, 104, 105};
	const double other[6] = {200, 203, 204, 205, 209, 210};

	for (size_t n = 1; n <= 6; n++) {
		struct compare_numbers numbers = compare(base, n, other, n, &paired);

		assert_true(fabs(numbers.change - log(2)) < 0.02);
		assert_int_equal(numbers.verdict, n < 6 ? COMPARE_INCONCLUSIVE : COMPARE_IMPROVED);
		assert_true(isnan(numbers.low) == (n < 6) && isnan(numbers.high) == (n < 6));
		assert_true(fabs(numbers.p - fmin(1, ldexp(1, 1 - (int)n))) < 1e-12);
		assert_true(isnan(numbers.visible) == (n < 2) && (numbers.needed == 0) == (n < 2));
		numbers = compare(base, n, other, n, &unpaired);
		assert_int_equal(numbers.verdict, n < 4 ? COMPARE_INCONCLUSIVE : COMPARE_IMPROVED);
		assert_true(isnan(numbers.low) == (n < 4));
	}
}

static enum compare_verdict verdict_of(const double *percents, bool higher_better)
{
	struct compare_options options = paired;
	double base[6], other[6];

	options.higher_better = higher_better;
	for (int i = 0; i < 6; i++) {
		base[i] = 1000;
		other[i] = 1000 + 10 * percents[i];
	}
	return compare(base, 6, other, 6, &options).verdict;
}

/* Of six pairs the interval is from the smallest to the greatest. */
static void test_verdicts(void **state)
{
	const struct {
		double percents[6];
		enum compare_verdict verdict; /* where more is better */
	} rows[] = {
		{{2, 2, 2, 2, 2, 2}, COMPARE_SAME},
		{{-2, 2, 0.5, 1, 1, 1}, COMPARE_SAME},
		{{-2, -2, -2, -2, -2, -2}, COMPARE_SAME},
		{{2.001, 2.001, 2.001, 2.001, 2.001, 2.001}, COMPARE_IMPROVED},
		{{-2.001, -2.001, -2.001, -2.001, -2.001, -2.001}, COMPARE_REGRESSED},
		{{0.001, 3, 3, 3, 3, 3}, COMPARE_IMPROVED},
		{{0, 3, 3, 3, 3, 3}, COMPARE_INCONCLUSIVE},
		{{-0.001, -3, -3, -3, -3, -3}, COMPARE_REGRESSED},
		{{0.5, 1, 1, 1, 1, 3}, COMPARE_SMALL},
		{{-0.5, -1, -1, -1, -1, -3}, COMPARE_SMALL},
		{{0, 1, 1, 1, 1, 3}, COMPARE_INCONCLUSIVE},
		{{0, -1, -1, -1, -1, -3}, COMPARE_INCONCLUSIVE},
		{{2, 2, 2, 2, 2, 2.001}, COMPARE_SMALL},
		{{-1, 1, 1, 1, 1, 2.001}, COMPARE_INCONCLUSIVE},
		{{-2.001, 1, 1, 1, 1, 1}, COMPARE_INCONCLUSIVE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum compare_verdict verdict = rows[i].verdict;

		assert_int_equal(verdict_of(rows[i].percents, true), verdict);
		if (verdict == COMPARE_IMPROVED || verdict == COMPARE_REGRESSED)
			verdict = COMPARE_IMPROVED + COMPARE_REGRESSED - verdict;
		assert_int_equal(verdict_of(rows[i].percents, false), verdict);
	}
}

static void test_names(void **state)
{
	const char *names[COMPARE_VERDICTS] = {"same",		 "improved",	 "regressed",
					       "real but small", "inconclusive", "not compared"};

	for (int i = 0; i < COMPARE_VERDICTS; i++)
		assert_string_equal(compare_verdict_name(i), names[i]);
}

/* 0.005, 0.01, 0.03, 0.04 in a family of four: x 4, x 3, x 2, and never less than the one before.
 */
static void test_holm_by_hand(void **state)
{
	const double p[] = {0.01, 0.04, 0.5, 0.03, 0.005}, holm[] = {0.03, 0.06, 0.5, 0.06, 0.02};
	const enum compare_verdict verdicts[] = {COMPARE_IMPROVED, COMPARE_INCONCLUSIVE,
						 COMPARE_NOTHING, COMPARE_INCONCLUSIVE,
						 COMPARE_REGRESSED};
	struct compare_numbers numbers[5], *family[5];
	struct compare_options options[5];

	for (int i = 0; i < 5; i++) {
		numbers[i] = (struct compare_numbers){.change = 0.05,
						      .low = 0.01,
						      .high = 0.1,
						      .p = p[i],
						      .p_holm = p[i],
						      .verdict = COMPARE_IMPROVED};
		family[i] = &numbers[i];
		options[i] = paired;
		options[i].higher_better = i != 4;
	}
	numbers[2].verdict = COMPARE_NOTHING;
	assert_int_equal(compare_holm(family, options, 5), 0);
	for (int i = 0; i < 5; i++) {
		assert_true(fabs(numbers[i].p_holm - holm[i]) < 1e-12);
		assert_int_equal(numbers[i].verdict, verdicts[i]);
	}
	assert_int_equal(compare_holm(NULL, NULL, 0), 0);
}

/* Six pairs reach 0.031, enough for one metric, not for two; those real but small stay. */
static void test_holm_takes_back(void **state)
{
	const double base[6] = {100, 100, 100, 100, 100, 100};
	const double up[6] = {105, 106, 107, 105, 106, 107};
	const double bit[6] = {101, 101, 101, 101, 101, 103};
	const struct compare_options options[2] = {paired, paired};
	struct compare_numbers one = compare(base, 6, up, 6, &paired);
	struct compare_numbers two = compare(base, 6, bit, 6, &paired);
	struct compare_numbers *family[2] = {&one, &two};

	assert_int_equal(compare_holm(family, options, 1), 0);
	assert_int_equal(one.verdict, COMPARE_IMPROVED);
	assert_true(one.p_holm == one.p);
	assert_int_equal(compare_holm(family, options, 2), 0);
	assert_int_equal(one.verdict, COMPARE_INCONCLUSIVE);
	assert_int_equal(two.verdict, COMPARE_SMALL);
	assert_true(fabs(one.p_holm - 0.0625) < 1e-12 && one.p_holm == two.p_holm);
}

static void test_smallest_p(void **state)
{
	const struct {
		size_t n, m;
		bool paired;
		double p;
	} rows[] = {{0, 0, true, 1},
		    {1, 1, true, 1},
		    {5, 5, true, 0.0625},
		    {6, 6, true, 0.03125},
		    {10, 10, true, 2.0 / 1024},
		    {0, 4, false, 1},
		    {1, 1, false, 1},
		    {3, 3, false, 0.1},
		    {4, 4, false, 2.0 / 70},
		    {5, 3, false, 2.0 / 56},
		    {3, 5, false, 2.0 / 56},
		    {10, 10, false, 2.0 / 184756},
		    {MANY, MANY, true, 0},
		    {MANY, MANY, false, 0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_true(fabs(compare_smallest_p(rows[i].n, rows[i].m, rows[i].paired) -
				 rows[i].p) < 1e-15);
}

/* Log ratios around 0.03, their median distance from it 0.01, so that s is 0.0148. */
static void test_plan_of_pairs(void **state)
{
	const double logs[7] = {0.01, 0.02, 0.02, 0.03, 0.04, 0.04, 0.05};
	double base[7], other[7], s = 0.01 / 0.6745, z = 1.959964 + 0.84;
	struct compare_options options = paired;
	struct compare_numbers numbers;

	for (int i = 0; i < 7; i++) {
		base[i] = 100 * (i + 1);
		other[i] = base[i] * exp(logs[i]);
	}
	options.threshold = 0.01;
	numbers = compare(base, 7, other, 7, &options);
	assert_true(fabs(numbers.visible - z * s / sqrt(0.955 * 7)) < 1e-8);
	assert_int_equal(numbers.needed, 19); /* 18.04 */
	options.threshold = 0.005;
	assert_int_equal(compare(base, 7, other, 7, &options).needed, 73); /* 72.17 */
	options.threshold = 0.5;
	assert_int_equal(compare(base, 7, other, 7, &options).needed, 6);
	options.threshold = 0;
	assert_int_equal(compare(base, 7, other, 7, &options).needed, 0);
	options.threshold = 1e-9;
	assert_true(compare(base, 7, other, 7, &options).needed == (unsigned)-1);
}

/* The same twice where there are no pairs; where more than half are equal by the plain deviation.
 */
static void test_plan_of_sides(void **state)
{
	const double logs[5] = {-0.02, -0.01, 0, 0.01, 0.02}, few[5] = {0, 0, 0, 0, 0.05};
	double base[5], other[5], s = 0.01 / 0.6745, z = 1.959964 + 0.84;
	struct compare_numbers numbers;

	for (int i = 0; i < 5; i++)
		base[i] = other[i] = 100 * exp(logs[i]);
	numbers = compare(base, 5, other, 5, &unpaired);
	assert_true(fabs(numbers.visible - z * s * sqrt(2 / (0.955 * 5))) < 1e-8);
	assert_int_equal(numbers.needed, 10); /* 9.02 */
	assert_true(fabs(numbers.base.spread_percent - 100 * s) < 1e-9);
	assert_int_equal(numbers.verdict, COMPARE_INCONCLUSIVE);
	for (int i = 0; i < 5; i++)
		base[i] = other[i] = 100 * exp(few[i]);
	s = 0.05 / sqrt(5); /* of one of five that is 0.05 off */
	numbers = compare(base, 5, other, 5, &unpaired);
	assert_true(fabs(numbers.visible - z * s * sqrt(2 / (0.955 * 5))) < 1e-8);
	assert_true(numbers.base.spread_percent == 0);
}

/* 3.5 x 0.01 / 0.6745 on logs is 5.19 %. */
static void test_outliers(void **state)
{
	double values[7] = {-0.02, -0.01, 0, 0, 0.01, 0.0518, -0.052};
	const double equal[6] = {5, 5, 5, 5, 5, 5}, one[6] = {5, 5, 5, 5, 5.1, 5};
	const double three[7] = {5, 5, 5, 5, 5.1, 5.1, 4.9};
	bool flags[7];

	for (int i = 0; i < 7; i++)
		values[i] = 300 * exp(values[i]);
	assert_int_equal(compare_outliers(values, 7, flags), 0);
	for (int i = 0; i < 7; i++)
		assert_int_equal(flags[i], i == 6);
	assert_int_equal(compare(values, 7, values, 7, &unpaired).base.n_outliers, 1);
	assert_int_equal(compare_outliers(equal, 6, flags), 0);
	for (int i = 0; i < 6; i++)
		assert_false(flags[i]);
	assert_int_equal(compare_outliers(one, 6, flags), 0);
	for (int i = 0; i < 6; i++)
		assert_int_equal(flags[i], i == 4);
	assert_int_equal(compare_outliers(three, 7, flags), 0);
	for (int i = 0; i < 7; i++)
		assert_false(flags[i]);
	assert_int_equal(compare_outliers(NULL, 0, NULL), 0);
}

static void test_drift(void **state)
{
	double values[20];

	for (int i = 0; i < 20; i++)
		values[i] = 50 * pow(1.05, i / 19.0);
	assert_true(fabs(compare_drift(values, 20) - 0.05) < 1e-12);
	assert_true(compare_drift(values, 2) == 0 && compare_drift(NULL, 0) == 0);
	for (int i = 0; i < 20; i++)
		values[i] = 1 / values[i];
	assert_true(fabs(compare_drift(values, 20) + 1 - 1 / 1.05) < 1e-12);
	for (int i = 0; i < 20; i++)
		values[i] = i % 4 == 0 || i % 4 == 3 ? 7 : 8;
	assert_true(fabs(compare_drift(values, 20)) < 1e-12);
}

static void test_second_view(void **state)
{
	const double base[6] = {100, 101, 102, 103, 104, 105};
	const double other[6] = {200, 203, 204, 205, 209, 210};
	struct compare_options options = paired;

	for (int i = 0; i < 2; i++) {
		struct compare_numbers one, two;

		options.paired = i == 0;
		options.resamples = COMPARE_RESAMPLES;
		one = compare(base, 6, other, 6, &options);
		two = compare(base, 6, other, 6, &options);
		assert_true(fabs(one.ratio - 204.5 / 102.5) < 1e-12);
		assert_true(one.ratio_low < one.ratio && one.ratio < one.ratio_high);
		assert_true(one.ratio_low > 1.9 && one.ratio_high < 2.1);
		assert_true(one.ratio_low == two.ratio_low && one.ratio_high == two.ratio_high);
		assert_true(one.base.median == 102.5 && one.other.median == 204.5);
		options.resamples = 0;
		one = compare(base, 6, other, 6, &options);
		assert_true(isnan(one.ratio) && isnan(one.ratio_low) && isnan(one.ratio_high));
	}
}

/* Values whose ratio a double does not hold, and those whose logs are near all the same. */
static void test_extremes(void **state)
{
	double tiny[6], huge[6];
	struct compare_numbers numbers;

	for (int i = 0; i < 6; i++) {
		tiny[i] = 1e-300 * (1 + i);
		huge[i] = 1e300 * (1 + i);
	}
	for (int i = 0; i < 2; i++) {
		numbers = compare(tiny, 6, huge, 6, i == 0 ? &paired : &unpaired);
		assert_true(fabs(numbers.change - 600 * log(10)) < 1e-9);
		assert_int_equal(numbers.verdict, COMPARE_IMPROVED);
		numbers = compare(huge, 6, tiny, 6, i == 0 ? &paired : &unpaired);
		assert_true(fabs(numbers.change + 600 * log(10)) < 1e-9);
		assert_int_equal(numbers.verdict, COMPARE_REGRESSED);
	}
}

/* Two million bytes are a sixth of a table of all averages, a byte each. */
static void test_thousands(void **state)
{
	double *base = calloc(MANY, sizeof(*base)), *other = calloc(MANY, sizeof(*other));

	for (size_t i = 0; i < MANY; i++) {
		base[i] = 1000 + (double)(i * 7919 % 1009) / 50;
		other[i] = 1030 + (double)(i * 104729 % 997) / 50;
	}
	for (int i = 0; i < 2; i++) {
		struct compare_options options = i == 0 ? paired : unpaired;
		struct compare_numbers numbers;

		options.resamples = 1000;
		asked_bytes = 0;
		numbers = compare(base, MANY, other, MANY, &options);
		assert_in_range(asked_bytes, MANY * sizeof(double), 2000000);
		assert_int_equal(numbers.verdict, COMPARE_IMPROVED);
		assert_false(numbers.exact);
		assert_true(fabs(numbers.change - log(1040 / 1010.0)) < 0.001);
		assert_true(numbers.high - numbers.low < 0.001);
		assert_true(fabs(numbers.ratio - 1040 / 1010.0) < 0.001);
	}
	free(base);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),	      cmocka_unit_test(test_what_has_no_numbers),
		cmocka_unit_test(test_all_equal),     cmocka_unit_test(test_few),
		cmocka_unit_test(test_verdicts),      cmocka_unit_test(test_names),
		cmocka_unit_test(test_holm_by_hand),  cmocka_unit_test(test_holm_takes_back),
		cmocka_unit_test(test_smallest_p),    cmocka_unit_test(test_plan_of_pairs),
		cmocka_unit_test(test_plan_of_sides), cmocka_unit_test(test_outliers),
		cmocka_unit_test(test_drift),	      cmocka_unit_test(test_second_view),
		cmocka_unit_test(test_extremes),      cmocka_unit_test(test_thousands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
