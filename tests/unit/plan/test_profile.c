/* SPDX-License-Identifier: MIT */
/* test_profile.c - what a profile says, what it leaves to presets, what overrides change. */
#include "plan/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/json.h"

#define POINTS "\"points\": [{\"streams\": [{\"workload\": \"io\", \"engine\": \"io_uring\"}]}]"

static struct profile parse(const char *name, const char *text,
			    const struct profile_overrides *overrides)
{
	struct profile profile;
	struct error error = {0};

	if (profile_parse(name, text, overrides, &profile, &error) < 0)
		fail_msg("%s", error.text);
	return profile;
}

static void presets_fill_the_rest(void **state)
{
	struct profile profile = parse("/some/where/My Profile.json", "{" POINTS "}", NULL);

	assert_string_equal(profile.name, "my-profile");
	assert_string_equal(profile.summary, "");
	assert_false(profile.has_seed);
	assert_int_equal(profile.repeats, 3);
	assert_int_equal(profile.phases.warmup.params.time_ns, 500000000);
	assert_int_equal(profile.phases.measure_ns, 5000000000);
	assert_true(profile.strict);
	assert_true(profile.strict_share_percent == 99);
	assert_false(profile.allow_unwritten);
	assert_null(profile.targets);
	assert_null(profile.settings);
	assert_null(profile.variants);
	assert_non_null(profile.points);
	profile_free(&profile);
}

static void everything_is_read(void **state)
{
	struct profile profile = parse(
		"x.json",
		"{\"name\": \"abc-1\", \"summary\": \"a b\", \"seed\": \"18446744073709551615\","
		"\"repeats\": 7, \"phases\": {\"warmup\": 0, \"measure\": \"250ms\"},"
		"\"primary\": [\"read.mbps\"], \"strict\": false, \"strict_share\": 50.5,"
		"\"allow_unwritten\": true, \"targets\": [\"/a\"], \"settings\": [\"hugepages\"],"
		"\"variants\": [{\"label\": \"v\"}]," POINTS "}",
		NULL);

	assert_string_equal(profile.name, "abc-1");
	assert_string_equal(profile.summary, "a b");
	assert_true(profile.has_seed);
	assert_true(profile.seed == UINT64_MAX);
	assert_int_equal(profile.repeats, 7);
	assert_int_equal(profile.phases.warmup.params.time_ns, 0);
	assert_int_equal(profile.phases.measure_ns, 250000000);
	assert_false(profile.strict);
	assert_true(profile.strict_share_percent == 50.5);
	assert_true(profile.allow_unwritten);
	assert_int_equal(cJSON_GetArraySize(profile.primary), 1);
	assert_int_equal(cJSON_GetArraySize(profile.targets), 1);
	assert_int_equal(cJSON_GetArraySize(profile.settings), 1);
	assert_int_equal(cJSON_GetArraySize(profile.variants), 1);
	profile_free(&profile);
}

static void seed_may_be_a_number(void **state)
{
	struct profile profile = parse("x", "{\"seed\": 42, " POINTS "}", NULL);

	assert_true(profile.has_seed);
	assert_int_equal(profile.seed, 42);
	profile_free(&profile);
}

static void sets_override(void **state)
{
	static const char *const sets[] = {
		"repeats=9", "phases.measure=1s", "points[0].streams[*].workload.depth=8",
		"points[0].streams[0].engine.registered_buffers=true", NULL};
	struct profile_overrides overrides = {.sets = sets};
	struct profile profile = parse("x", "{\"repeats\": 2, " POINTS "}", &overrides);
	char *text = cJSON_PrintUnformatted(profile.points);

	assert_int_equal(profile.repeats, 9);
	assert_int_equal(profile.phases.measure_ns, 1000000000);
	assert_int_equal(profile.phases.warmup.params.time_ns, 500000000);
	assert_non_null(strstr(text, "{\"kind\":\"io\",\"depth\":8}"));
	assert_non_null(strstr(text, "{\"kind\":\"io_uring\",\"registered_buffers\":true}"));
	cJSON_free(text);
	profile_free(&profile);
}

static void targets_on_the_command_line_win(void **state)
{
	static const char *const targets[] = {"/dev/x \"y\"", "b", NULL};
	struct profile_overrides overrides = {.targets = targets};
	struct profile profile = parse("x", "{\"targets\": [\"/a\"], " POINTS "}", &overrides);

	assert_true(profile.targets_given);
	assert_int_equal(cJSON_GetArraySize(profile.targets), 2);
	assert_string_equal(cJSON_GetArrayItem(profile.targets, 0)->valuestring, "/dev/x \"y\"");
	profile_free(&profile);
}

static void no_such_file(void **state)
{
	struct profile profile = {.repeats = 77};
	struct error error = {0};

	assert_int_equal(profile_load("/nowhere/x.json", NULL, &profile, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "/nowhere/x.json"));
	assert_int_equal(profile.repeats, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets_fill_the_rest),
		cmocka_unit_test(everything_is_read),
		cmocka_unit_test(seed_may_be_a_number),
		cmocka_unit_test(sets_override),
		cmocka_unit_test(targets_on_the_command_line_win),
		cmocka_unit_test(no_such_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
