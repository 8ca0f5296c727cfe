/* SPDX-License-Identifier: MIT */
/* test_effective.c - an effective profile has every option and plans to the same points. */
#include "plan/effective.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/field.h"
#include "base/json.h"
#include "plan/plan.h"
#include "plan/profile.h"

struct made {
	struct profile profile;
	struct plan plan;
};

static struct made make(const char *text, const struct profile_overrides *overrides)
{
	struct made made;
	struct error error = {0};

	if (profile_parse("test.json", text, overrides, &made.profile, &error) < 0 ||
	    plan_make(&made.profile, &made.plan, &error) < 0)
		fail_msg("%s\n%s", error.text, text);
	return made;
}

static void release(struct made *made)
{
	plan_free(&made->plan);
	profile_free(&made->profile);
}

static void assert_same_json(const cJSON *a, const cJSON *b)
{
	char *left = cJSON_Print(a), *right = cJSON_Print(b);

	assert_string_equal(left, right);
	cJSON_free(left);
	cJSON_free(right);
}

static void assert_same_point(const struct plan_point *a, const struct plan_point *b)
{
	assert_string_equal(a->label, b->label);
	assert_int_equal(a->n_coordinates, b->n_coordinates);
	for (unsigned i = 0; i < a->n_coordinates; i++) {
		assert_string_equal(a->coordinates[i].axis, b->coordinates[i].axis);
		assert_string_equal(a->coordinates[i].value, b->coordinates[i].value);
	}
	assert_same_json(a->effective, b->effective);
}

static void assert_same_plan(const struct plan *a, const struct plan *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->summary, b->summary);
	assert_true(a->seed == b->seed);
	assert_int_equal(a->repeats, b->repeats);
	assert_int_equal(a->strict, b->strict);
	assert_true(a->strict_share_percent == b->strict_share_percent);
	assert_int_equal(a->allow_unwritten, b->allow_unwritten);
	assert_memory_equal(a->primary, b->primary, sizeof(a->primary));
	assert_int_equal(a->n_variants, b->n_variants);
	for (unsigned v = 0; v < a->n_variants; v++) {
		assert_string_equal(a->variants[v].label, b->variants[v].label);
		assert_int_equal(a->variants[v].n_points, b->variants[v].n_points);
		for (unsigned p = 0; p < a->variants[v].n_points; p++)
			assert_same_point(&a->variants[v].points[p], &b->variants[v].points[p]);
	}
	assert_same_json(a->effective, b->effective);
}

static void assert_repeatable(const char *text, const struct profile_overrides *overrides)
{
	struct made first = make(text, overrides);
	char *again = cJSON_Print(first.plan.effective);
	struct made second = make(again, NULL);

	assert_same_plan(&first.plan, &second.plan);
	cJSON_free(again);
	release(&first);
	release(&second);
}

static const char *const profiles[] = {
	"{\"points\": [{\"regions\": {\"r\": {\"memory\": \"base\"}},"
	" \"streams\": [{\"workload\": \"io\", \"engine\": \"null\"}]}]}",

	"{\"name\": \"x\", \"summary\": \"s\", \"seed\": \"18446744073709551615\","
	"\"repeats\": 4, \"phases\": {\"warmup\": \"1500us\"}, \"primary\": [\"read.mbps\"],"
	"\"strict\": false, \"strict_share\": 12.5, \"allow_unwritten\": true,"
	"\"targets\": [\"/a b\", \"/\\\"c\\\"\"], \"settings\": [\"hugepages\"],"
	"\"points\": [{\"label\": \"l\", \"repeats\": 2, \"phases\": {\"measure\": 0.5},"
	" \"axes\": {\"block\": [{\"value\": 512, \"set\": {\"depth\": 3, \"batch\": 3}}, \"64k\"],"
	"  \"engine\": [\"io_uring\", {\"kind\": \"io_uring\", \"registered_buffers\": true},"
	"   {\"value\": \"sync\", \"label\": \"plain\"}],"
	"  \"memory\": [\"mthp\", {\"kind\": \"hugetlb\", \"page\": \"1g\"}],"
	"  \"streams[*].workload.pattern\": [\"sequential\"]},"
	" \"regions\": {\"a\": {\"size\": 1048576}, \"b\": {\"memory\": \"base\"}},"
	" \"streams\": [{\"label\": \"one\", \"workload\": \"io\", \"region\": \"a\", \"cpus\": "
	"\"1\"},"
	"  {\"workload\": {\"kind\": \"io\", \"length\": \"1g\"}, \"region\": \"b\","
	"   \"targets\": [\"/own\"], \"pin\": false, \"workers\": 2}]}]}",

	/* Axes by a name, layouts, a warm-up that fills a cache. */
	"{\"targets\": [\"/a\", \"/b\"],"
	"\"points\": [{\"phases\": {\"warmup\": {\"kind\": \"cache\", \"bytes\": \"64m\"}},"
	" \"axes\": {\"small\": {\"path\": \"streams[0].workload.depth\", \"values\": [1, 2]},"
	"  \"streams[1].layout\": [\"concat\", {\"kind\": \"raid0\", \"stripe\": \"64k\"}]},"
	" \"regions\": {\"r\": {\"memory\": \"base\"}},"
	" \"streams\": [{\"label\": \"a\", \"workload\": \"io\", \"engine\": \"sync\", \"layout\": "
	"\"raid0\"},"
	"  {\"label\": \"b\", \"workload\": \"io\", \"engine\": \"sync\"},"
	"  {\"label\": \"c\", \"workload\": \"touch\", \"layout\": \"raid0\"}]}]}",

	/* What an axis replaces need not make sense. */
	"{\"variants\": [{\"label\": \"a\", \"set\": {\"depth\": 2}},"
	"  {\"label\": \"b\", \"settings\": [{\"kind\": \"hugepages\"}]}],"
	"\"points\": [{\"axes\": {\"streams[0].engine.kind\": [\"null\"],"
	"  \"streams[0].engine.size\": [\"1g\", \"2g\"], \"batch\": [1]},"
	" \"regions\": {\"r\": {\"memory\": \"base\"}},"
	" \"streams\": [{\"workload\": \"io\", \"engine\": \"to be seen\"}]}]}",
};

static void effective_profiles_repeat_the_plan(void **state)
{
	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
		assert_repeatable(profiles[i], NULL);
}

static void overrides_are_in_it(void **state)
{
	static const char *const sets[] = {"repeats=11", "points[0].label=other", NULL};
	static const char *const targets[] = {"/given", NULL};
	struct profile_overrides overrides = {.sets = sets, .targets = targets};

	assert_repeatable(profiles[0], &overrides);
	assert_repeatable(profiles[1], &overrides);
}

/* One exact point alone can be run again, too. */
static void effective_points_repeat_the_point(void **state)
{
	struct made first = make(profiles[1], NULL);

	for (unsigned i = 0; i < first.plan.variants[0].n_points; i++) {
		const struct plan_point *point = &first.plan.variants[0].points[i];
		cJSON *root = cJSON_CreateObject();
		struct made second;
		char *text;

		cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "points"),
				     cJSON_Duplicate(point->effective, true));
		text = cJSON_Print(root);
		second = make(text, NULL);
		assert_int_equal(second.plan.variants[0].n_points, 1);
		assert_same_json(point->effective, second.plan.variants[0].points[0].effective);
		release(&second);
		cJSON_free(text);
		cJSON_Delete(root);
	}
	release(&first);
}

static void assert_all_fields(const cJSON *object, const struct choice *choice)
{
	const struct field *field = choice->entry->fields;

	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(object, "kind")),
			    choice->entry->name);
	for (; field && field->name; field++)
		if (!cJSON_GetObjectItemCaseSensitive(object, field->name))
			fail_msg("%s lacks %s", choice->entry->name, field->name);
}

static void every_option_is_in_it(void **state)
{
	static const char *const stream_keys[] = {"label",   "workload", "engine", "region",
						  "targets", "workers",	 "cpus",   "pin"};
	static const char *const profile_keys[] = {"name",    "summary",      "seed",
						   "repeats", "phases",	      "primary",
						   "strict",  "strict_share", "allow_unwritten",
						   "targets", "settings",     "points"};
	struct made made = make(profiles[0], NULL);
	const struct plan_point *point = &made.plan.variants[0].points[0];
	const cJSON *regions = cJSON_GetObjectItem(point->effective, "regions");
	const cJSON *streams = cJSON_GetObjectItem(point->effective, "streams");
	const cJSON *stream = cJSON_GetArrayItem(streams, 0);

	for (size_t i = 0; i < sizeof(profile_keys) / sizeof(profile_keys[0]); i++)
		assert_non_null(cJSON_GetObjectItem(made.plan.effective, profile_keys[i]));
	for (size_t i = 0; i < sizeof(stream_keys) / sizeof(stream_keys[0]); i++)
		assert_non_null(cJSON_GetObjectItem(stream, stream_keys[i]));
	assert_all_fields(cJSON_GetObjectItem(stream, "workload"), &point->streams[0].workload);
	assert_all_fields(cJSON_GetObjectItem(stream, "engine"), &point->streams[0].engine);
	assert_all_fields(cJSON_GetObjectItem(cJSON_GetObjectItem(regions, "r"), "memory"),
			  &point->regions[0].memory);
	release(&made);
}

/* A layout is written where one is said, and belongs to targets only. */
static void layouts_are_in_it(void **state)
{
	struct made made = make(profiles[2], NULL);
	const struct plan_point *point = &made.plan.variants[0].points[3];
	const cJSON *streams = cJSON_GetObjectItem(point->effective, "streams");

	assert_string_equal(point->coordinates[0].value, "2");
	assert_string_equal(point->coordinates[1].axis, "layout");
	assert_string_equal(point->coordinates[1].value, "raid0 64K");
	assert_all_fields(cJSON_GetObjectItem(cJSON_GetArrayItem(streams, 0), "layout"),
			  &point->streams[0].layout);
	assert_all_fields(cJSON_GetObjectItem(cJSON_GetArrayItem(streams, 1), "layout"),
			  &point->streams[1].layout);
	assert_null(cJSON_GetObjectItem(cJSON_GetArrayItem(streams, 2), "layout"));
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effective_profiles_repeat_the_plan),
		cmocka_unit_test(overrides_are_in_it),
		cmocka_unit_test(effective_points_repeat_the_point),
		cmocka_unit_test(every_option_is_in_it),
		cmocka_unit_test(layouts_are_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
