/* SPDX-License-Identifier: MIT */
/* test_text_warmup.c - warm-ups that end by rule, in the text report and in the table for
 * spreadsheets. */
#include "report/text_warmup.h"

#include <math.h>

#include "sample.h"
#include "stats/result.h"
#include "written.h"

static struct result_warmup steady(unsigned rounds, bool reached, double range_percent,
				   double slope_percent)
{
	return (struct result_warmup){.known = true,
				      .rule = "steady",
				      .warmup_s = rounds * 1.001,
				      .rounds = rounds,
				      .reached = reached,
				      .range_percent = range_percent,
				      .slope_percent = slope_percent};
}

/* The demo as if it had waited for a steady state. */
static void make(struct result *result)
{
	sample_demo(result);
	for (unsigned p = 0; p < result->variants[0].n_points; p++)
		for (unsigned r = 0; r < result->variants[0].points[p].n_repeats; r++)
			result->variants[0].points[p].repeats[r].warmup = steady(5, true, 3, 1);
}

static char *report_of(struct result *result)
{
	char *text = unwrapped(written("text", result));

	result_free(result);
	return text;
}

static void test_what_was_dropped(void **state)
{
	struct result result;
	char *text;

	make(&result);
	text = report_of(&result);
	assert_says(text, "Warm-up: steady: 5 rounds, 5.00 s a repeat, which are in no figure");
	assert_does_not_say(text, "not reached");
	assert_does_not_say(text, "[1]");
	free(text);
	make(&result);
	result.variants[0].points[1].repeats[0].warmup = steady(25, true, 19, 1);
	text = report_of(&result);
	assert_says(text, "Warm-up: steady: 5 to 25 rounds, 5.00 to 25.0 s a repeat");
	free(text);
	make(&result);
	strcpy(result.variants[0].points[1].repeats[0].warmup.rule, "agree 2s");
	text = report_of(&result);
	assert_says(text, "Warm-up: by several rules: 5 rounds");
	free(text);
}

static void test_a_fixed_time_is_nothing_to_tell(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	text = report_of(&result);
	assert_does_not_say(text, "Warm-up");
	free(text);
}

static void test_a_point_says_that_it_was_not_reached(void **state)
{
	struct result result;
	char *text, line[256];

	make(&result);
	result.variants[0].points[0].n_repeats = 1;
	result.variants[0].points[0].repeats[0].warmup = steady(25, false, 31.4, 14.2);
	text = written("text", &result);
	assert_non_null(strstr(line_with(text, "8K", line, sizeof(line)), "[1]"));
	assert_says(unwrapped(text), "[1] steady state not reached after 25 rounds: range 31 % of "
				     "the mean, slope 14 %");
	free(text);
	/* What is left of the sample's second repeat. */
	result.variants[0].points[0].n_repeats = 2;
	result.variants[0].points[0].repeats[1].warmup = steady(25, false, 8, 12);
	text = report_of(&result);
	assert_says(text, "[1] steady state not reached in 2 of 2 repeats, at worst after 25 "
			  "rounds: range 31 % of the mean, slope 14 %");
	assert_does_not_say(text, "[2]");
	free(text);
}

static void check_note(struct result_warmup first, struct result_warmup second,
		       const char *expected)
{
	struct result_point *point;
	struct result result;
	char text[256];
	const char *note;

	make(&result);
	point = &result.variants[0].points[0];
	point->repeats[0].warmup = first;
	point->repeats[1].warmup = second;
	note = text_warmup_note(point, text, sizeof(text));
	if (expected)
		assert_string_equal(note, expected);
	else
		assert_null(note);
	result_free(&result);
}

static void test_the_farthest_repeat_is_told(void **state)
{
	check_note(steady(5, true, 3, 1), steady(7, true, 20, 10), NULL);
	check_note(steady(5, true, 3, 1), steady(25, false, 20.4, 10.6),
		   "steady state not reached in 1 of 2 repeats, at worst after 25 rounds: range 20 "
		   "% of the mean, slope 11 %");
	check_note(steady(25, false, 22, 3), steady(25, false, 9.44, 11),
		   "steady state not reached in 2 of 2 repeats, at worst after 25 rounds: range 22 "
		   "% of the mean, slope 3.0 %");
	check_note(steady(30, false, 7.21, NAN), steady(2, true, 1, NAN),
		   "steady state not reached in 1 of 2 repeats, at worst after 30 rounds: range "
		   "7.2 % of the mean");
	check_note(steady(30, false, NAN, NAN), steady(30, false, 80, 70),
		   "steady state not reached in 2 of 2 repeats, at worst after 30 rounds: too "
		   "little completed in a round to tell");
}

static void test_columns_for_spreadsheets(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	result.variants[0].points[0].repeats[0].warmup = steady(25, false, 31.4, NAN);
	text = written("csv", &result);
	assert_says(text, ",warmup_s,warmup_rounds,warmup_reached,warmup_range_percent,"
			  "warmup_slope_percent,");
	assert_says(text, ",25.025,25,0,31.400,,");
	free(text);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_dropped),
		cmocka_unit_test(test_a_fixed_time_is_nothing_to_tell),
		cmocka_unit_test(test_a_point_says_that_it_was_not_reached),
		cmocka_unit_test(test_the_farthest_repeat_is_told),
		cmocka_unit_test(test_columns_for_spreadsheets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
