/* SPDX-License-Identifier: MIT */
/* test_fit.c - regions that take a share of memory, and streams that need no engine. */
#include "plan/fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "plan/plan.h"
#include "plan/profile.h"

#define GIB (UINT64_C(1) << 30)

static const char text[] =
	"{\"name\": \"t\", \"points\": [{\"axes\": {\"as\": [\"threads\", \"processes\"]},"
	" \"regions\": {\"a\": {\"memory\": \"base\", \"size_percent\": 10},"
	"  \"b\": {\"memory\": \"base\", \"size\": \"3m\"}},"
	" \"streams\": [{\"workload\": \"touch\", \"region\": \"a\"},"
	"  {\"label\": \"two\", \"workload\": \"touch\", \"engine\": \"null\", \"region\": "
	"\"b\"}]}]}";

static void make(const char *source, struct profile *profile, struct plan *plan)
{
	struct error error = {0};

	if (profile_parse("test.json", source, NULL, profile, &error) < 0 ||
	    plan_make(profile, plan, &error) < 0)
		fail_msg("%s", error.text);
}

static const char *effective_text(const cJSON *effective, const char *list, const char *name,
				  const char *key)
{
	const cJSON *items = cJSON_GetObjectItemCaseSensitive(effective, list);
	const cJSON *item =
		name ? cJSON_GetObjectItemCaseSensitive(items, name) : cJSON_GetArrayItem(items, 0);

	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, key));
}

static void test_a_share_becomes_a_size(void **state)
{
	const struct plan_point *point;
	struct error error = {0};
	struct profile profile;
	struct plan plan;

	make(text, &profile, &plan);
	assert_int_equal(plan_fit(&plan, 25 * GIB, &error), 0);
	for (unsigned p = 0; p < 2; p++) {
		point = &plan.variants[0].points[p];
		assert_int_equal(point->regions[0].size_bytes, 2 * GIB);
		assert_int_equal(point->regions[0].size_percent, 0);
		assert_int_equal(point->regions[1].size_bytes, 3u << 20);
		assert_string_equal(effective_text(point->effective, "regions", "a", "size"), "2G");
	}
	/* Once is enough. */
	assert_int_equal(plan_fit(&plan, 250 * GIB, &error), 0);
	assert_int_equal(plan.variants[0].points[0].regions[0].size_bytes, 2 * GIB);
	plan_free(&plan);
	profile_free(&profile);
}

static void test_a_share_of_nothing_is_refused(void **state)
{
	struct error error = {0};
	struct profile profile;
	struct plan plan;

	make(text, &profile, &plan);
	assert_int_equal(plan_fit(&plan, 10000, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "region a is to take 10 %"));
	plan_free(&plan);
	profile_free(&profile);
}

/* The effective form says "engine": null, and reads back. */
static void test_streams_without_an_engine(void **state)
{
	struct profile profile, second;
	struct plan plan, again;
	const cJSON *stream;
	char *printed;

	make(text, &profile, &plan);
	for (unsigned s = 0; s < 2; s++)
		assert_null(plan.variants[0].points[0].streams[s].engine.entry);
	assert_int_equal(plan.variants[0].points[0].streams[0].worker_kind, WORKER_THREAD);
	assert_int_equal(plan.variants[0].points[1].streams[0].worker_kind, WORKER_PROCESS);
	stream = cJSON_GetArrayItem(
		cJSON_GetObjectItemCaseSensitive(plan.variants[0].points[1].effective, "streams"),
		0);
	assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(stream, "engine")));
	assert_string_equal(
		effective_text(plan.variants[0].points[1].effective, "streams", NULL, "as"),
		"processes");
	printed = cJSON_Print(plan.effective);
	make(printed, &second, &again);
	cJSON_free(printed);
	assert_int_equal(again.variants[0].n_points, 2);
	assert_int_equal(again.variants[0].points[0].regions[0].size_percent, 10);
	plan_free(&again);
	profile_free(&second);
	plan_free(&plan);
	profile_free(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_share_becomes_a_size),
		cmocka_unit_test(test_a_share_of_nothing_is_refused),
		cmocka_unit_test(test_streams_without_an_engine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
