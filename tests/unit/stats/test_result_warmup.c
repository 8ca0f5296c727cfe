/* SPDX-License-Identifier: MIT */
/* test_result_warmup.c - what ended a warm-up: written, read back, and not demanded. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "sample.h"
#include "stats/document.h"
#include "stats/result.h"

static char *print(const struct result *result)
{
	cJSON *tree = result_to_json(result);
	char *text = document_print(tree);

	assert_non_null(text);
	cJSON_Delete(tree);
	return text;
}

static char *make(void)
{
	struct result_warmup *warmup;
	struct result result;
	char *text;

	sample_demo(&result);
	warmup = &result.variants[0].points[0].repeats[0].warmup;
	*warmup = (struct result_warmup){.known = true,
					 .rule = "agree 2s",
					 .warmup_s = 30.000125,
					 .rounds = 15,
					 .range_percent = 7.25,
					 .slope_percent = NAN};
	text = print(&result);
	result_free(&result);
	return text;
}

static void test_it_comes_back(void **state)
{
	const struct result_warmup *warmup;
	struct error error = {0};
	struct result result;
	char *text = make();

	if (result_from_json("r.json", text, &result, &error) < 0)
		fail_msg("%s", error.text);
	free(text);
	warmup = &result.variants[0].points[0].repeats[0].warmup;
	assert_true(warmup->known);
	assert_string_equal(warmup->rule, "agree 2s");
	assert_true(warmup->warmup_s == 30.000125);
	assert_int_equal(warmup->rounds, 15);
	assert_false(warmup->reached);
	assert_true(warmup->range_percent == 7.25);
	assert_true(isnan(warmup->slope_percent));
	assert_false(result.variants[0].points[0].repeats[1].warmup.known);
	result_free(&result);
}

static void test_a_fixed_time_leaves_it_out(void **state)
{
	struct error error = {0};
	struct result result;
	char *text;

	sample_demo(&result);
	text = print(&result);
	result_free(&result);
	assert_null(strstr(text, "warmup_s"));
	if (result_from_json("r.json", text, &result, &error) < 0)
		fail_msg("%s", error.text);
	free(text);
	assert_false(result.variants[0].points[0].repeats[0].warmup.known);
	result_free(&result);
}

static void test_a_broken_one_is_refused(void **state)
{
	struct error error = {0};
	struct result result;
	char *text = make(), *rounds = strstr(text, "\"rounds\"");

	assert_non_null(rounds);
	rounds[1] = 'R';
	assert_int_equal(result_from_json("r.json", text, &result, &error), ERROR_INPUT);
	if (!strstr(error.text, "repeats[0].warmup: lacks the key \"rounds\""))
		fail_msg("%s", error.text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_comes_back),
		cmocka_unit_test(test_a_fixed_time_leaves_it_out),
		cmocka_unit_test(test_a_broken_one_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
