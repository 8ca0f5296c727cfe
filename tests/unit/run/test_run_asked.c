/* SPDX-License-Identifier: MIT */
/* test_run_asked.c - a run whose points are asked for one by one. */
#include "run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "plan/plan.h"
#include "plan/profile.h"

#define STREAM                                                                                     \
	"\"streams\": [{\"label\": \"reads\", \"workload\": {\"kind\": \"io\", \"block\": \"8k\"," \
	" \"depth\": 16}, \"engine\": \"null\", \"region\": \"sga\", \"workers\": 2}]"
#define REGION "\"regions\": {\"sga\": {\"memory\": \"base\", \"size\": \"4m\"}}"

struct ran {
	struct profile profile;
	struct plan plan;
	struct result result;
	struct error error;
	int status;
};

/* Asks for the third point twice, then once for the first. */
static bool ask_some(void *context, const struct result *result, struct run_ask *ret)
{
	static const unsigned order[] = {2, 2, 0};
	unsigned *asked = context;

	/* What was asked for last is there. */
	if (*asked > 0)
		assert_int_equal(result->variants[0].points[order[*asked - 1]].n_repeats,
				 *asked == 2 ? 2 : 1);
	if (*asked == 3)
		return false;
	*ret = (struct run_ask){.point = order[(*asked)++], .left = 3 - *asked};
	return true;
}

/* Asks for one point again and again. */
static bool ask_ever(void *context, const struct result *result, struct run_ask *ret)
{
	++*(unsigned *)context;
	*ret = (struct run_ask){.point = 1, .left = 1};
	return true;
}

static void run_asked(struct ran *ran,
		      bool (*next)(void *, const struct result *, struct run_ask *),
		      unsigned *asked)
{
	static const char text[] =
		"{\"name\": \"t\", \"repeats\": 2, \"phases\": {\"warmup\": 0, \"measure\": "
		"\"50ms\"},"
		" \"points\": [{\"axes\": {\"depth\": [1, 2, 3, 4]}, " REGION ", " STREAM "}]}";
	struct run_options options = {.signal_fd = -1,
				      .version = "test",
				      .next = next,
				      .next_context = asked,
				      .next_runs = 3};

	memset(ran, 0, sizeof(*ran));
	if (profile_parse("test.json", text, NULL, &ran->profile, &ran->error) < 0 ||
	    plan_make(&ran->profile, &ran->plan, &ran->error) < 0)
		fail_msg("%s", ran->error.text);
	ran->status = run_plan(&ran->plan, &options, &ran->result, &ran->error);
	if (ran->status < 0)
		fail_msg("%s", ran->error.text);
}

static void ran_free(struct ran *ran)
{
	result_free(&ran->result);
	plan_free(&ran->plan);
	profile_free(&ran->profile);
}

static void test_runs_what_is_asked_for(void **state)
{
	const struct result_variant *variant;
	unsigned asked = 0;
	struct ran ran;

	run_asked(&ran, ask_some, &asked);
	assert_true(ran.result.complete);
	variant = &ran.result.variants[0];
	/* In the plan's order, and nothing of the others. */
	assert_int_equal(variant->n_points, 2);
	assert_string_equal(variant->points[0].coordinates[0].value, "1");
	assert_string_equal(variant->points[1].coordinates[0].value, "3");
	assert_int_equal(variant->points[0].n_repeats, 1);
	assert_int_equal(variant->points[1].n_repeats, 2);
	assert_int_equal(variant->points[1].repeats[1].index, 1);
	assert_int_equal(variant->points[0].status, RESULT_OK);
	ran_free(&ran);
}

/* A point has as many runs as it has repeats. */
static void test_who_asks_for_ever_is_not_heard(void **state)
{
	unsigned asked = 0;
	struct ran ran;

	run_asked(&ran, ask_ever, &asked);
	assert_int_equal(asked, 3);
	assert_int_equal(ran.result.variants[0].n_points, 1);
	assert_int_equal(ran.result.variants[0].points[0].n_repeats, 2);
	ran_free(&ran);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_what_is_asked_for),
		cmocka_unit_test(test_who_asks_for_ever_is_not_heard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
