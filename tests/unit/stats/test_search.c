/* SPDX-License-Identifier: MIT */
/* test_search.c - searches of curves that are written down: what is asked, and what is answered. */
#include "stats/search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "stats/search_fit.h"

#define LOADS_MAX 600

struct curve {
	double (*value)(unsigned load, unsigned run); /* run: of this load, from 0 */
	double (*rate)(unsigned load);
};

struct searched {
	unsigned loads[LOADS_MAX], n_loads;
	unsigned asked[2000], n_asked; /* loads, in order */
	struct search_answer answer;
};

/* A server that takes 1 a unit of time: latency grows with what is in flight. */
static double linear(unsigned load, unsigned run)
{
	return 100 + load;
}

static double saturating(unsigned load)
{
	return load < 16 ? load * 1000.0 : 16000;
}

static void search_curve(const struct curve *curve, unsigned unit, unsigned max, double limit,
			 struct searched *ret)
{
	struct search_rule rule = {.limit = limit, .repeats = 3};
	struct search search;
	unsigned load;

	*ret = (struct searched){.n_asked = 0};
	rule.loads = ret->loads;
	ret->n_loads = rule.n_loads = search_grid(unit, max, ret->loads, LOADS_MAX);
	assert_int_equal(search_open(&search, &rule), 0);
	while (search_next(&search, &load)) {
		unsigned value = rule.loads[load];

		assert_true(search_left(&search) > 0);
		assert_true(ret->n_asked < 2000);
		ret->asked[ret->n_asked++] = value;
		search_add(&search, load, curve->value(value, search.loads[load].n),
			   curve->rate(value));
	}
	assert_int_equal(search_left(&search), 0);
	search_answer(&search, &ret->answer);
	search_close(&search);
}

static unsigned answer_load(const struct searched *searched)
{
	assert_true(searched->answer.has_load);
	return searched->loads[searched->answer.load];
}

static void test_doubles_then_bisects(void **state)
{
	static const unsigned first[] = {1, 2, 4, 8, 16, 32};
	static const struct curve curve = {linear, saturating};
	struct searched searched;

	search_curve(&curve, 1, 512, 140, &searched);
	assert_int_equal(searched.answer.outcome, SEARCH_FOUND);
	assert_memory_equal(searched.asked, first, sizeof(first));
	assert_int_equal(answer_load(&searched), 40);
	assert_int_equal(searched.loads[searched.answer.over], 41);
	assert_int_equal(searched.answer.again, -1);
	assert_true(searched.answer.value == 140 && searched.answer.rate == 16000);
	/* Those that decide were measured often enough. */
	assert_true(searched.n_asked < searched.n_loads / 4);
	assert_true(searched.answer.loads.low <= 40 && searched.answer.loads.high >= 40);
	assert_true(searched.answer.loads.high < 44 && searched.answer.loads.low > 36);
}

static void test_limit_below_the_fastest(void **state)
{
	static const struct curve curve = {linear, saturating};
	struct searched searched;

	search_curve(&curve, 1, 512, 100, &searched);
	assert_int_equal(searched.answer.outcome, SEARCH_UNMET);
	assert_false(searched.answer.has_load);
	assert_int_equal(searched.answer.over, 0);
	assert_int_equal(searched.asked[0], 1);
	assert_true(searched.n_asked <= 4);
}

static void test_limit_that_is_never_reached(void **state)
{
	static const struct curve curve = {linear, saturating};
	struct searched searched;

	search_curve(&curve, 4, 510, 10000, &searched);
	assert_int_equal(searched.answer.outcome, SEARCH_UNREACHED);
	assert_int_equal(answer_load(&searched), 508);
	assert_int_equal(searched.answer.over, -1);
	assert_true(searched.n_asked < 20);
}

/* One load is the smallest and the largest. */
static void test_a_single_load(void **state)
{
	static const struct curve curve = {linear, saturating};
	struct searched searched;

	search_curve(&curve, 1, 1, 200, &searched);
	assert_int_equal(searched.answer.outcome, SEARCH_UNREACHED);
	assert_int_equal(searched.n_asked, 3);
	search_curve(&curve, 1, 1, 50, &searched);
	assert_int_equal(searched.answer.outcome, SEARCH_UNMET);
	search_curve(&curve, 1, 1, INFINITY, &searched);
	assert_int_equal(answer_load(&searched), 1);
}

/* The first run of load 4 is disturbed. */
static double disturbed(unsigned load, unsigned run)
{
	return load == 4 && run == 0 ? 5000 : linear(load, run);
}

static void test_a_disturbance_does_not_end_it(void **state)
{
	static const struct curve curve = {disturbed, saturating};
	struct searched searched;

	search_curve(&curve, 1, 512, 140, &searched);
	assert_int_equal(searched.answer.outcome, SEARCH_FOUND);
	assert_int_equal(answer_load(&searched), 40);
}

/* Slow from 9 to 19 only. */
static double hump(unsigned load, unsigned run)
{
	return load > 8 && load < 20 ? 500 : linear(load, run);
}

static void test_a_curve_with_a_hump(void **state)
{
	static const struct curve curve = {hump, saturating};
	struct searched searched;

	search_curve(&curve, 1, 512, 140, &searched);
	assert_int_equal(searched.answer.outcome, SEARCH_FOUND);
	assert_int_equal(answer_load(&searched), 8);
	/* It was seen that there is more behind. */
	assert_int_equal(searched.loads[searched.answer.again], 32);
}

/* Values without any order at all, half of them over. */
static double wild(unsigned load, unsigned run)
{
	return (load * 2654435761u + run * 40503u) >> 13 & 1 ? 1000 : 10;
}

static void test_noise_alone_ends(void **state)
{
	static const struct curve curve = {wild, saturating};
	struct searched searched;

	search_curve(&curve, 1, 512, 140, &searched);
	assert_true(searched.n_asked <= 3 * searched.n_loads);
}

static void test_most_is_found_at_the_smallest_load(void **state)
{
	static const struct curve curve = {linear, saturating};
	struct searched searched;

	search_curve(&curve, 1, 512, INFINITY, &searched);
	assert_int_equal(searched.answer.outcome, SEARCH_FOUND);
	assert_int_equal(answer_load(&searched), 16);
	assert_true(searched.answer.rate == 16000);
	/* Two doublings that gain nothing are enough. */
	for (unsigned i = 0; i < searched.n_asked; i++)
		assert_true(searched.asked[i] <= 64);
}

static double rising(unsigned load)
{
	return load * 1000.0;
}

static void test_most_that_still_rises(void **state)
{
	static const struct curve curve = {linear, rising};
	struct searched searched;

	search_curve(&curve, 1, 512, INFINITY, &searched);
	assert_int_equal(searched.answer.outcome, SEARCH_UNREACHED);
	assert_int_equal(answer_load(&searched), 512);
}

static void test_what_was_found_before_the_end(void **state)
{
	unsigned loads[LOADS_MAX], load;
	struct search_rule rule = {.loads = loads, .limit = 140, .repeats = 3};
	struct search_answer answer;
	struct search search;

	rule.n_loads = search_grid(1, 512, loads, LOADS_MAX);
	assert_int_equal(search_open(&search, &rule), 0);
	search_answer(&search, &answer);
	assert_int_equal(answer.outcome, SEARCH_UNSETTLED);
	assert_false(answer.has_load);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(search_next(&search, &load));
		search_add(&search, load, linear(loads[load], 0), 1);
	}
	search_answer(&search, &answer);
	assert_int_equal(answer.outcome, SEARCH_UNSETTLED);
	assert_int_equal(loads[answer.load], 8);
	assert_int_equal(answer.runs, 4);
	/* What is no number is no measurement. */
	search_add(&search, load, NAN, 1);
	search_add(&search, load, 0, 1);
	search_answer(&search, &answer);
	assert_int_equal(answer.runs, 4);
	search_close(&search);
}

static void test_grid(void **state)
{
	unsigned loads[LOADS_MAX], n = search_grid(1, 512, loads, LOADS_MAX);

	assert_int_equal(loads[0], 1);
	assert_int_equal(loads[n - 1], 512);
	for (unsigned i = 1; i < n; i++) {
		assert_true(loads[i] > loads[i - 1]);
		assert_true(loads[i] == loads[i - 1] + 1 || loads[i] <= loads[i - 1] * 1.035);
	}
	n = search_grid(4, 511, loads, LOADS_MAX);
	assert_int_equal(loads[n - 1], 508);
	for (unsigned i = 0; i < n; i++)
		assert_true(loads[i] <= 4 || loads[i] % 4 == 0);
	assert_int_equal(search_grid(8, 1, loads, LOADS_MAX), 1);
	assert_int_equal(search_grid(4, 3, loads, LOADS_MAX), 3);
	assert_int_equal(search_grid(1, 65536, loads, 16), 16);
}

static void test_fit(void **state)
{
	const double x[] = {0, 1, 2, 3}, y[] = {1, 3.1, 4.9, 7};
	struct search_fit fit = search_fit(x, y, 4);

	/* Worked out by hand: slope 9.9 / 5, deviation sqrt(0.018 / 2). */
	assert_true(fabs(fit.slope - 1.98) < 1e-12);
	assert_true(fabs(search_fit_at(&fit, 1.5) - 4) < 1e-12);
	assert_true(fabs(fit.deviation - sqrt(0.009)) < 1e-9);
	assert_true(fabs(search_fit_margin(&fit, 1.5, 5) -
			 4.303 * fit.deviation * sqrt(1 / 4.0 + M_PI / 10)) < 1e-9);
	assert_true(fabs(search_t(30) - 2.0423) < 1e-3);
	assert_true(fabs(search_t(100) - 1.9840) < 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doubles_then_bisects),
		cmocka_unit_test(test_limit_below_the_fastest),
		cmocka_unit_test(test_limit_that_is_never_reached),
		cmocka_unit_test(test_a_single_load),
		cmocka_unit_test(test_a_disturbance_does_not_end_it),
		cmocka_unit_test(test_a_curve_with_a_hump),
		cmocka_unit_test(test_noise_alone_ends),
		cmocka_unit_test(test_most_is_found_at_the_smallest_load),
		cmocka_unit_test(test_most_that_still_rises),
		cmocka_unit_test(test_what_was_found_before_the_end),
		cmocka_unit_test(test_grid),
		cmocka_unit_test(test_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
