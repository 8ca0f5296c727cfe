/* SPDX-License-Identifier: MIT */
/* test_variants.c - baseline, number of blocks, and a baseline against itself. */
#include "plan/variants.h"

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
#include "workload/io.h"

#define POINTS                                                                                     \
	"\"points\": [{\"regions\": {\"r\": {\"memory\": \"base\"}},"                              \
	" \"streams\": [{\"workload\": \"io\", \"engine\": \"null\"}]}]"
#define TWO                                                                                        \
	"\"variants\": [{\"label\": \"shallow\"},"                                                 \
	" {\"label\": \"deep\", \"settings\": [\"hugepages\"], \"set\": {\"depth\": 128}}]"

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

static uint64_t depth(const struct made *made, unsigned variant)
{
	const struct io_params *params =
		made->plan.variants[variant].points[0].streams[0].workload.params;

	return params->depth;
}

static void the_first_is_the_baseline_unless_said(void **state)
{
	struct made made = make("{" TWO ", " POINTS "}", NULL);

	assert_int_equal(made.plan.baseline, 0);
	assert_string_equal(made.profile.baseline, "shallow");
	release(&made);
	made = make("{" TWO ", \"baseline\": \"deep\", " POINTS "}", NULL);
	assert_int_equal(made.plan.baseline, 1);
	assert_string_equal(
		cJSON_GetStringValue(cJSON_GetObjectItem(made.plan.effective, "baseline")), "deep");
	release(&made);
	made = make("{" POINTS "}", NULL);
	assert_int_equal(made.plan.baseline, 0);
	assert_string_equal(made.profile.baseline, "");
	assert_null(cJSON_GetObjectItem(made.plan.effective, "baseline"));
	release(&made);
}

static unsigned repeats(const char *text, const struct profile_overrides *overrides)
{
	struct made made = make(text, overrides);
	unsigned n = made.plan.repeats;

	assert_int_equal(made.plan.variants[0].points[0].repeats, n);
	assert_int_equal(plan_runs(&made.plan), n * made.plan.n_variants);
	assert_int_equal(plan_repeats_most(&made.plan), n);
	assert_int_equal(plan_repeats_least(&made.plan), n);
	release(&made);
	return n;
}

static void there_are_ten_blocks_unless_said(void **state)
{
	assert_int_equal(repeats("{" TWO ", " POINTS "}", NULL), 10);
	assert_int_equal(repeats("{" TWO ", \"repeats\": 4, " POINTS "}", NULL), 4);
	assert_int_equal(repeats("{\"variants\": [{\"label\": \"one\"}], " POINTS "}", NULL), 3);
	assert_int_equal(repeats("{" POINTS "}", NULL), 3);
}

static const struct profile_overrides aa = {.against_itself = true};

static void points_without_variants_are_both_sides(void **state)
{
	struct made made = make("{\"repeats\": 2, " POINTS "}", &aa);

	assert_int_equal(made.plan.n_variants, 2);
	assert_int_equal(made.plan.repeats, 10);
	assert_int_equal(made.plan.baseline, 0);
	assert_string_equal(made.plan.variants[0].label, "base");
	assert_string_equal(made.plan.variants[1].label, "base again");
	assert_int_equal(depth(&made, 0), depth(&made, 1));
	release(&made);
}

static void the_baseline_is_both_sides(void **state)
{
	struct made made =
		make("{" TWO ", \"baseline\": \"deep\", \"repeats\": 7, " POINTS "}", &aa);

	assert_int_equal(made.plan.n_variants, 2);
	assert_int_equal(made.plan.repeats, 7);
	assert_string_equal(made.plan.variants[0].label, "deep");
	assert_string_equal(made.plan.variants[1].label, "deep again");
	for (unsigned v = 0; v < 2; v++) {
		assert_int_equal(depth(&made, v), 128);
		assert_int_equal(cJSON_GetArraySize(made.plan.variants[v].more_settings), 1);
	}
	release(&made);
}

static void blocks_against_itself_can_be_said(void **state)
{
	static const char *const sets[] = {"points[0].streams[0].workload.depth=5", "repeats=4",
					   NULL};
	const struct profile_overrides overrides = {.sets = sets, .against_itself = true};

	assert_int_equal(repeats("{\"repeats\": 2, " POINTS "}", &overrides), 4);
	assert_int_equal(repeats("{" TWO ", " POINTS "}", &aa), 10);
}

static void a_label_without_room_is_not_cut(void **state)
{
	char text[1024], label[64];
	struct made made;

	memset(label, 'x', 63);
	label[63] = '\0';
	snprintf(text, sizeof(text), "{\"variants\": [{\"label\": \"%s\"}], " POINTS "}", label);
	made = make(text, &aa);
	assert_string_equal(made.plan.variants[0].label, label);
	assert_string_equal(made.plan.variants[1].label, "again");
	release(&made);
}

static void a_profile_that_is_wrong_is_so_against_itself(void **state)
{
	struct profile profile;
	struct error error = {0};

	assert_int_equal(profile_parse("test.json", "{\"variants\": [1], " POINTS "}", &aa,
				       &profile, &error),
			 ERROR_INPUT);
	assert_non_null(strstr(error.text, "test.json:1: variants[0]: must be an object"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_is_the_baseline_unless_said),
		cmocka_unit_test(there_are_ten_blocks_unless_said),
		cmocka_unit_test(points_without_variants_are_both_sides),
		cmocka_unit_test(the_baseline_is_both_sides),
		cmocka_unit_test(blocks_against_itself_can_be_said),
		cmocka_unit_test(a_label_without_room_is_not_cut),
		cmocka_unit_test(a_profile_that_is_wrong_is_so_against_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
