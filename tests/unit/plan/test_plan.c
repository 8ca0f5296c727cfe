/* SPDX-License-Identifier: MIT */
/* test_plan.c - the exact points: regions, streams, targets, variants, seed, time. */
#include "plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "memory/memory.h"
#include "plan/profile.h"
#include "workload/io.h"

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
		fail_msg("%s", error.text);
	return made;
}

static void release(struct made *made)
{
	plan_free(&made->plan);
	profile_free(&made->profile);
}

static const char two_streams[] =
	"{\"seed\": 5, \"repeats\": 2, \"phases\": {\"warmup\": \"1s\", \"measure\": \"4s\"},"
	"\"targets\": [\"/d1\", \"/d2\"], \"primary\": [\"read.mbps\"],"
	"\"points\": [{\"label\": \"mixed\", \"phases\": {\"measure\": \"2s\"}, \"repeats\": 4,"
	" \"regions\": {\"sga\": {\"memory\": \"hugetlb\", \"size\": \"32m\"},"
	"  \"pga\": {\"memory\": {\"kind\": \"mthp\", \"folio\": \"32k\"}}},"
	" \"streams\": [{\"label\": \"small\", \"workload\": {\"kind\": \"io\", \"depth\": 7},"
	"   \"engine\": \"libaio\", \"region\": \"sga\", \"workers\": 3, \"cpus\": \"0-1,4095\"},"
	"  {\"workload\": {\"kind\": \"io\", \"block\": \"1m\"}, \"engine\": \"null\","
	"   \"region\": \"pga\", \"pin\": false},"
	"  {\"workload\": \"io\", \"engine\": \"io_uring\", \"region\": \"sga\","
	"   \"targets\": [\"/own\"]}]},"
	" {\"regions\": {\"r\": {\"memory\": \"base\"}},"
	"  \"streams\": [{\"workload\": \"io\", \"engine\": \"sync\"}]}]}";

static void points_are_exact(void **state)
{
	struct made made = make(two_streams, NULL);
	const struct plan_point *point = &made.plan.variants[0].points[0];
	const struct io_params *params = point->streams[0].workload.params;

	assert_int_equal(made.plan.n_variants, 1);
	assert_string_equal(made.plan.variants[0].label, "");
	assert_int_equal(made.plan.variants[0].n_points, 2);
	assert_string_equal(made.plan.primary[0], "read.mbps");
	assert_string_equal(made.plan.primary[1], "");
	assert_string_equal(point->label, "mixed");
	assert_int_equal(point->warmup.params.time_ns, 1000000000);
	assert_int_equal(point->measure_ns, 2000000000);
	assert_int_equal(point->repeats, 4);
	assert_int_equal(point->n_regions, 2);
	assert_string_equal(point->regions[1].name, "pga");
	assert_int_equal(point->regions[0].size_bytes, 32 << 20);
	assert_int_equal(point->regions[1].size_bytes, 256 << 20);
	assert_int_equal(memory_ops_of(&point->regions[1].memory)
				 ->page_bytes(point->regions[1].memory.params),
			 32 << 10);
	assert_int_equal(point->n_streams, 3);
	assert_int_equal(params->depth, 7);
	assert_int_equal(params->block_bytes, 8192);
	assert_int_equal(point->streams[0].workers, 3);
	assert_true(point->streams[0].pin);
	assert_string_equal(point->streams[0].cpus, "0-1,4095");
	assert_int_equal(point->streams[1].region, 1);
	assert_false(point->streams[1].pin);
	assert_int_equal(point->streams[2].region, 0);
	release(&made);
}

static void what_is_not_said_is_found(void **state)
{
	struct made made = make(two_streams, NULL);
	const struct plan_point *points = made.plan.variants[0].points;

	assert_string_equal(points[0].streams[1].label, "io");
	assert_string_equal(points[0].streams[2].label, "io-2");
	assert_string_equal(points[1].label, "point 2");
	assert_int_equal(points[1].streams[0].region, 0);
	assert_int_equal(points[1].repeats, 2);
	assert_int_equal(points[1].measure_ns, 4000000000);
	release(&made);
}

static void targets_come_from_three_places(void **state)
{
	static const char *const given[] = {"/given", NULL};
	struct profile_overrides overrides = {.targets = given};
	struct made made = make(two_streams, NULL);
	const struct plan_point *point = &made.plan.variants[0].points[0];

	assert_int_equal(point->streams[0].n_targets, 2);
	assert_string_equal(point->streams[0].targets[1], "/d2");
	assert_int_equal(point->streams[1].n_targets, 0);
	assert_int_equal(point->streams[2].n_targets, 1);
	assert_string_equal(point->streams[2].targets[0], "/own");
	release(&made);
	made = make(two_streams, &overrides);
	point = &made.plan.variants[0].points[0];
	assert_int_equal(point->streams[0].n_targets, 1);
	assert_int_equal(point->streams[1].n_targets, 0);
	assert_string_equal(point->streams[2].targets[0], "/given");
	release(&made);
}

static void runs_and_time_are_counted(void **state)
{
	struct made made = make(two_streams, NULL);

	assert_int_equal(plan_runs(&made.plan), 4 + 2);
	assert_int_equal(plan_estimate_ns(&made.plan),
			 4 * (uint64_t)3300000000 + 2 * (uint64_t)5300000000);
	release(&made);
}

static const char variants[] =
	"{\"settings\": [\"hugepages\"],"
	"\"variants\": [{\"label\": \"a\", \"settings\": [\"shmem_enabled\"]},"
	" {\"label\": \"b\", \"set\": {\"depth\": 9, \"streams[0].engine\": \"sync\"}}],"
	"\"points\": [{\"axes\": {\"block\": [\"8k\", \"16k\"]},"
	" \"regions\": {\"r\": {\"memory\": \"base\"}},"
	" \"streams\": [{\"workload\": \"io\", \"engine\": \"null\", \"targets\": [\"/x\"]}]}]}";

static void variants_have_the_same_points(void **state)
{
	struct made made = make(variants, NULL);
	const struct plan_variant *a = &made.plan.variants[0], *b = &made.plan.variants[1];
	const struct io_params *params;

	assert_int_equal(made.plan.n_variants, 2);
	assert_int_equal(a->n_points, 2);
	assert_int_equal(b->n_points, 2);
	assert_string_equal(b->label, "b");
	assert_int_equal(cJSON_GetArraySize(a->settings), 1);
	assert_int_equal(cJSON_GetArraySize(a->more_settings), 1);
	assert_null(b->more_settings);
	assert_string_equal(a->points[1].label, "16K");
	params = a->points[1].streams[0].workload.params;
	assert_int_equal(params->depth, 32);
	params = b->points[1].streams[0].workload.params;
	assert_int_equal(params->depth, 9);
	assert_int_equal(params->block_bytes, 16384);
	assert_string_equal(b->points[0].streams[0].engine.entry->name, "sync");
	release(&made);
}

static void a_seed_is_drawn_once(void **state)
{
	struct made first = make(variants, NULL), second = make(variants, NULL);
	const cJSON *seed = cJSON_GetObjectItem(first.plan.effective, "seed");
	char text[32];

	assert_true(first.profile.has_seed);
	assert_true(first.plan.seed != second.plan.seed);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)first.plan.seed);
	assert_string_equal(cJSON_GetStringValue(seed), text);
	release(&first);
	release(&second);
}

static void a_long_label_is_cut(void **state)
{
	struct made made =
		make("{\"points\": [{\"label\": \"a label of more than forty bytes, just so\","
		     " \"axes\": {\"block\": [{\"value\": 512, \"label\": \"a value whose label is "
		     "long, too\"}]}, \"regions\": {\"r\": {\"memory\": \"base\"}},"
		     " \"streams\": [{\"workload\": \"io\", \"engine\": \"null\"}]}]}",
		     NULL);

	assert_string_equal(made.plan.variants[0].points[0].label,
			    "a label of more than forty bytes, just so a value whose labe…");
	release(&made);
}

static void a_thousand_points_are_quick(void **state)
{
	char text[8192], *at = text;
	uint64_t begin_ns = clock_now_ns();
	struct made made;

	at += sprintf(at, "{\"points\": [{\"axes\": {\"depth\": [1");
	for (int i = 2; i <= 500; i++)
		at += sprintf(at, ",%d", i);
	sprintf(at, "], \"engine\": [\"io_uring\", \"libaio\"]},"
		    "\"regions\": {\"r\": {\"memory\": \"base\"}},"
		    "\"streams\": [{\"workload\": \"io\", \"targets\": [\"/x\"]}]}]}");
	made = make(text, NULL);
	assert_int_equal(made.plan.variants[0].n_points, 1000);
	release(&made);
	assert_true(clock_now_ns() - begin_ns < 2000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_exact),
		cmocka_unit_test(what_is_not_said_is_found),
		cmocka_unit_test(targets_come_from_three_places),
		cmocka_unit_test(runs_and_time_are_counted),
		cmocka_unit_test(variants_have_the_same_points),
		cmocka_unit_test(a_seed_is_drawn_once),
		cmocka_unit_test(a_long_label_is_cut),
		cmocka_unit_test(a_thousand_points_are_quick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
