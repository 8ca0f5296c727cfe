/* SPDX-License-Identifier: MIT */
/* test_observed.c - what a profile wants seen beside the work: read, refused, written out. */
#include "plan/observed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "plan/plan.h"
#include "plan/profile.h"

#define POINTS                                                                                     \
	"\"points\": [{\"streams\": [{\"workload\": \"touch\", \"region\": \"r\"}],"               \
	" \"regions\": {\"r\": {\"memory\": \"base\"}}}]"

static int load(const char *more, bool sample, struct profile *ret, struct error *error)
{
	const struct profile_overrides overrides = {.sample = sample};
	char text[1024];

	snprintf(text, sizeof(text), "{%s%s" POINTS "}", more, *more ? "," : "");
	return profile_parse("test.json", text, &overrides, ret, error);
}

static void test_presets_and_what_is_said(void **state)
{
	struct profile profile;
	struct error error = {0};

	assert_int_equal(load("", false, &profile, &error), 0);
	assert_false(profile.observed.sampled);
	assert_null(profile.observed.counters);
	profile_free(&profile);
	assert_int_equal(
		load("\"sample\": true, \"counters\": [\"thp_*\"]", false, &profile, &error), 0);
	assert_true(profile.observed.sampled);
	assert_int_equal(profile.observed.frequency_hz, 999);
	assert_int_equal(profile.observed.top, 20);
	assert_int_equal(cJSON_GetArraySize(profile.observed.counters), 1);
	profile_free(&profile);
	assert_int_equal(load("\"sample\": {\"frequency\": 99}", false, &profile, &error), 0);
	assert_true(profile.observed.sampled);
	assert_int_equal(profile.observed.frequency_hz, 99);
	assert_int_equal(profile.observed.top, 20);
	profile_free(&profile);
}

static void test_the_command_line_samples_anyway(void **state)
{
	struct profile profile;
	struct error error = {0};

	assert_int_equal(load("\"sample\": false", true, &profile, &error), 0);
	assert_true(profile.observed.sampled);
	profile_free(&profile);
	assert_int_equal(load("\"sample\": {\"top\": 3}", true, &profile, &error), 0);
	assert_int_equal(profile.observed.top, 3);
	profile_free(&profile);
}

static void test_one_more_run_of_each_point(void **state)
{
	struct profile profile;
	struct plan plan;
	struct error error = {0};
	uint64_t plain_ns;

	assert_int_equal(load("\"repeats\": 2", false, &profile, &error), 0);
	assert_int_equal(plan_make(&profile, &plan, &error), 0);
	assert_int_equal(plan_runs(&plan), 2);
	plain_ns = plan_estimate_ns(&plan);
	assert_null(cJSON_GetObjectItem(plan.effective, "sample"));
	assert_null(cJSON_GetObjectItem(plan.effective, "counters"));
	plan_free(&plan);
	profile_free(&profile);
	assert_int_equal(
		load("\"repeats\": 2, \"counters\": [\"pgfault\"]", true, &profile, &error), 0);
	assert_int_equal(plan_make(&profile, &plan, &error), 0);
	assert_int_equal(plan_runs(&plan), 3);
	assert_int_equal(plan_estimate_ns(&plan), plain_ns * 3 / 2);
	assert_int_equal(
		cJSON_GetObjectItem(cJSON_GetObjectItem(plan.effective, "sample"), "frequency")
			->valueint,
		999);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(plan.effective, "counters")), 1);
	plan_free(&plan);
	profile_free(&profile);
}

static void assert_refused(const char *more, const char *words)
{
	struct profile profile;
	struct error error = {0};

	assert_int_equal(load(more, false, &profile, &error), ERROR_INPUT);
	if (!strstr(error.text, words))
		fail_msg("%s", error.text);
}

static void test_refusals_name_the_place(void **state)
{
	assert_refused("\"sample\": 7", "test.json:1: sample: must be true, false or an object");
	assert_refused("\"sample\": {\"rate\": 7}", "sample.rate: no key is called 'rate'");
	assert_refused("\"sample\": {\"frequency\": 0}", "sample.frequency: ");
	assert_refused("\"sample\": {\"frequency\": 10001}", "sample.frequency: ");
	assert_refused("\"counters\": \"thp_*\"", "counters: must be a list");
	assert_refused("\"counters\": [7]", "counters[0]: must be the name of a counter");
	assert_refused("\"counters\": [\"\"]", "counters[0]: must be the name of a counter");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_presets_and_what_is_said),
		cmocka_unit_test(test_the_command_line_samples_anyway),
		cmocka_unit_test(test_one_more_run_of_each_point),
		cmocka_unit_test(test_refusals_name_the_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
