/* SPDX-License-Identifier: MIT */
/* test_warmup.c - what ends a warm-up: how it is said, what it means, how it is written out. */
#include "plan/warmup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "plan/effective.h"
#include "plan/plan.h"
#include "plan/profile.h"

#define POINT(more)                                                                                \
	"{" more "\"regions\": {\"sga\": {\"memory\": \"base\", \"size\": \"64m\"}},"              \
	" \"streams\": [{\"workload\": \"io\", \"engine\": \"null\"}]}"
#define PROFILE(warmup, points)                                                                    \
	"{\"repeats\": 2, \"phases\": {\"warmup\": " warmup ", \"measure\": \"1s\"}, "             \
	"\"points\": [" points "]}"

struct made {
	struct profile profile;
	struct plan plan;
};

static void make(const char *text, const char *const *sets, struct made *ret)
{
	struct profile_overrides overrides = {.sets = sets};
	struct error error = {0};

	if (profile_parse("test.json", text, &overrides, &ret->profile, &error) < 0 ||
	    plan_make(&ret->profile, &ret->plan, &error) < 0)
		fail_msg("%s", error.text);
}

static void unmake(struct made *made)
{
	plan_free(&made->plan);
	profile_free(&made->profile);
}

static const struct warmup *warmup_of(const struct made *made, unsigned point)
{
	return &made->plan.variants[0].points[point].warmup;
}

static void check_rule(const char *warmup_text, uint64_t round_ns, unsigned rounds_max,
		       unsigned window, double range_percent, double slope_percent)
{
	struct warmup_rule rule;
	struct made made;
	char text[1024];

	snprintf(text, sizeof(text), PROFILE("%s", POINT("")), warmup_text);
	make(text, NULL, &made);
	rule = warmup_rule_of(warmup_of(&made, 0));
	assert_int_equal(rule.round_ns, round_ns);
	assert_int_equal(rule.rounds_max, rounds_max);
	assert_int_equal(rule.window, window);
	assert_true(rule.range_percent == range_percent);
	assert_true(rule.slope_percent == slope_percent);
	unmake(&made);
}

static void test_what_each_kind_means(void **state)
{
	check_rule("\"750ms\"", 750000000, 1, 0, 0, 0);
	check_rule("0.25", 250000000, 1, 0, 0, 0);
	check_rule("0", 0, 1, 0, 0, 0);
	check_rule("{\"kind\": \"fixed\", \"time\": \"2s\"}", 2000000000, 1, 0, 0, 0);
	check_rule("\"fixed\"", 500000000, 1, 0, 0, 0);
	check_rule("\"agree\"", 1000000000, 30, 2, 5, INFINITY);
	check_rule("{\"kind\": \"agree\", \"window\": \"400ms\", \"within\": 2.5, \"max\": \"1s\"}",
		   400000000, 2, 2, 2.5, INFINITY);
	check_rule("\"steady\"", 1000000000, 25, 5, 20, 10);
	check_rule("{\"kind\": \"steady\", \"round\": \"1m\", \"window\": 7, \"range\": 30, "
		   "\"slope\": 15, \"rounds_max\": 40}",
		   60000000000, 40, 7, 30, 15);
}

/* A cache is filled by reads at random: for a time, or until so much was moved. */
static void test_a_cache_is_filled(void **state)
{
	struct warmup_rule rule;
	struct made made;
	char text[64];

	make(PROFILE("\"cache\"", POINT("")), NULL, &made);
	rule = warmup_rule_of(warmup_of(&made, 0));
	assert_int_equal(rule.round_ns * rule.rounds_max, 120000000000);
	assert_int_equal(rule.rounds_max, 1);
	assert_true(rule.at_random && rule.bytes == 0);
	assert_false(plan_may_end_early(&made.plan));
	assert_string_equal(warmup_label(warmup_of(&made, 0), text, sizeof(text)), "cache");
	unmake(&made);
	make(PROFILE("{\"kind\": \"cache\", \"bytes\": \"1g\", \"time\": \"30s\"}", POINT("")),
	     NULL, &made);
	rule = warmup_rule_of(warmup_of(&made, 0));
	assert_int_equal(rule.round_ns * rule.rounds_max, 30000000000);
	assert_true(rule.at_random);
	assert_int_equal(rule.bytes, 1 << 30);
	assert_true(plan_may_end_early(&made.plan));
	assert_string_equal(warmup_label(warmup_of(&made, 0), text, sizeof(text)), "cache 1G 30s");
	unmake(&made);
	make(PROFILE("\"2s\"", POINT("")), NULL, &made);
	assert_false(warmup_rule_of(warmup_of(&made, 0)).at_random);
	unmake(&made);
}

static void test_a_point_has_its_own(void **state)
{
	struct made made;
	char text[128];

	make(PROFILE("\"steady\"",
		     POINT("") ", " POINT("\"phases\": {\"warmup\": \"2s\"}, ") ", " POINT(
			     "\"phases\": {\"measure\": \"3s\", \"warmup\": {\"kind\": "
			     "\"agree\", \"within\": 1}}, ")),
	     NULL, &made);
	assert_string_equal(warmup_label(warmup_of(&made, 0), text, sizeof(text)), "steady");
	assert_string_equal(warmup_label(warmup_of(&made, 1), text, sizeof(text)), "2s");
	assert_string_equal(warmup_label(warmup_of(&made, 2), text, sizeof(text)), "agree 1");
	assert_int_equal(made.plan.variants[0].points[1].measure_ns, 1000000000);
	assert_int_equal(made.plan.variants[0].points[2].measure_ns, 3000000000);
	unmake(&made);
}

/* As long as it may take: 2 x (25 + 1 + 0.3), and 2 x (2 + 1 + 0.3). */
static void test_the_estimate_is_the_most(void **state)
{
	struct made made;

	make(PROFILE("\"steady\"", POINT("")), NULL, &made);
	assert_int_equal(plan_estimate_ns(&made.plan), 52600000000);
	assert_true(plan_may_end_early(&made.plan));
	unmake(&made);
	make(PROFILE("\"2s\"", POINT("")), NULL, &made);
	assert_int_equal(plan_estimate_ns(&made.plan), 6600000000);
	assert_false(plan_may_end_early(&made.plan));
	unmake(&made);
}

static void check_written(const cJSON *phases, const char *expected)
{
	char *text = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(phases, "warmup"));

	assert_string_equal(text, expected);
	free(text);
}

#define STEADY_FULL                                                                                \
	"{\"kind\":\"steady\",\"round\":\"2s\",\"window\":5,\"range\":20,\"slope\":10,"            \
	"\"rounds_max\":25}"
#define AGREE_FULL "{\"kind\":\"agree\",\"window\":\"1s\",\"within\":5,\"max\":\"30s\"}"

static void test_every_option_is_written_out(void **state)
{
	const cJSON *root, *points;
	struct made made;

	make(PROFILE("{\"kind\": \"steady\", \"round\": \"2s\"}",
		     POINT("\"phases\": {\"warmup\": \"agree\"}, ") ", " POINT("")),
	     NULL, &made);
	root = made.plan.effective;
	points = cJSON_GetObjectItemCaseSensitive(root, "points");
	check_written(cJSON_GetObjectItemCaseSensitive(root, "phases"), STEADY_FULL);
	check_written(cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(points, 0), "phases"),
		      AGREE_FULL);
	assert_null(cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(points, 1), "phases"));
	check_written(cJSON_GetObjectItemCaseSensitive(made.plan.variants[0].points[0].effective,
						       "phases"),
		      AGREE_FULL);
	check_written(cJSON_GetObjectItemCaseSensitive(made.plan.variants[0].points[1].effective,
						       "phases"),
		      STEADY_FULL);
	unmake(&made);
	make(PROFILE("\"cache\"", POINT("")), NULL, &made);
	check_written(cJSON_GetObjectItemCaseSensitive(made.plan.effective, "phases"),
		      "{\"kind\":\"cache\",\"bytes\":\"0\",\"time\":\"2m\"}");
	unmake(&made);
	make(PROFILE("{\"kind\": \"fixed\", \"time\": \"2s\"}", POINT("")), NULL, &made);
	check_written(cJSON_GetObjectItemCaseSensitive(made.plan.effective, "phases"), "\"2s\"");
	unmake(&made);
}

/* What is written out says the same when it is read. */
static void test_it_reads_back(void **state)
{
	struct made made, again;
	char *text, *other;

	make(PROFILE("{\"kind\": \"steady\", \"round\": \"2s\", \"slope\": 2.5}",
		     POINT("\"phases\": {\"warmup\": {\"kind\": \"agree\"}}, ")),
	     NULL, &made);
	text = cJSON_PrintUnformatted(made.plan.effective);
	make(text, NULL, &again);
	other = cJSON_PrintUnformatted(again.plan.effective);
	assert_string_equal(text, other);
	free(text);
	free(other);
	unmake(&again);
	unmake(&made);
}

static void test_axes_and_the_command_line(void **state)
{
	static const char *const sets[] = {"phases.warmup=steady", "phases.warmup.round=3s", NULL};
	const struct plan_point *points;
	struct made made;

	make(PROFILE("\"1s\"",
		     POINT("\"axes\": {\"phases.warmup\": [\"1500ms\", \"agree\", {\"kind\": "
			   "\"steady\", \"round\": \"2s\"}]}, ")),
	     NULL, &made);
	points = made.plan.variants[0].points;
	assert_int_equal(made.plan.variants[0].n_points, 3);
	assert_string_equal(points[0].coordinates[0].axis, "warmup");
	assert_string_equal(points[0].coordinates[0].value, "1500ms");
	assert_string_equal(points[1].coordinates[0].value, "agree");
	assert_string_equal(points[2].coordinates[0].value, "steady 2s");
	assert_int_equal(warmup_rule_of(&points[0].warmup).round_ns, 1500000000);
	assert_int_equal(warmup_rule_of(&points[2].warmup).round_ns, 2000000000);
	unmake(&made);
	make(PROFILE("\"1s\"", POINT("")), sets, &made);
	assert_int_equal(warmup_rule_of(warmup_of(&made, 0)).round_ns, 3000000000);
	assert_int_equal(warmup_rule_of(warmup_of(&made, 0)).rounds_max, 25);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_each_kind_means),
		cmocka_unit_test(test_a_cache_is_filled),
		cmocka_unit_test(test_a_point_has_its_own),
		cmocka_unit_test(test_the_estimate_is_the_most),
		cmocka_unit_test(test_every_option_is_written_out),
		cmocka_unit_test(test_it_reads_back),
		cmocka_unit_test(test_axes_and_the_command_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
