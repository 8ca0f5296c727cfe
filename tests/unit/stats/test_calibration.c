/* SPDX-License-Identifier: MIT */
/* test_calibration.c - a calibration in a document, both ways, and whether a need is met. */
#include "stats/calibration.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "sample.h"
#include "stats/document.h"
#include "stats/result.h"

/* The demo with a calibration; result_free it. */
static void make(struct result *result)
{
	struct calibration *calibration = calloc(1, sizeof(*calibration));

	sample_demo(result);
	assert_non_null(calibration);
	calibration->parts = calloc(2, sizeof(*calibration->parts));
	calibration->needs = calloc(1, sizeof(*calibration->needs));
	assert_non_null(calibration->parts);
	assert_non_null(calibration->needs);
	calibration->n_parts = 2;
	calibration->n_needs = 1;
	calibration->limit_ns = 2e6;
	strcpy(calibration->percentile, "p99");
	strcpy(calibration->command, "orion-sim calibrate --target 'a b'");
	calibration->parts[0] = calibration_part_unknown;
	strcpy(calibration->parts[0].name, "8K reads");
	strcpy(calibration->parts[0].outcome, "unmet");
	calibration->parts[0].over_load = 1;
	calibration->parts[0].over_ns = 120000;
	calibration->parts[1] =
		(struct calibration_part){.load = 16, .mbps = 1250.5, .runs = 12, .loads = 7};
	strcpy(calibration->parts[1].name, "1M reads");
	strcpy(calibration->parts[1].process, "one");
	calibration->needs[0] =
		(struct calibration_need){.asked = 400, .got = 1250.5, .low = 1200, .high = 1300};
	strcpy(calibration->needs[0].what, "mbps");
	strcpy(calibration->needs[0].answer, "yes");
	result->calibration = calibration;
}

static char *document_of(const struct result *result)
{
	cJSON *tree = result_to_json(result);
	char *text = document_print(tree);

	cJSON_Delete(tree);
	assert_non_null(text);
	return text;
}

static void test_both_ways(void **state)
{
	struct result result, read = {0};
	struct error error = {0};
	char *text, *again;

	make(&result);
	text = document_of(&result);
	if (result_from_json("test.json", text, &read, &error) < 0)
		fail_msg("%s", error.text);
	assert_non_null(read.calibration);
	assert_int_equal(read.calibration->n_parts, 2);
	assert_true(isnan(read.calibration->parts[0].iops));
	assert_true(read.calibration->parts[0].over_ns == 120000);
	assert_string_equal(read.calibration->parts[1].process, "one");
	assert_string_equal(read.calibration->needs[0].answer, "yes");
	again = document_of(&read);
	assert_string_equal(text, again);
	free(text);
	free(again);
	result_free(&read);
	result_free(&result);
}

/* Other runs say nothing of it. */
static void test_left_out(void **state)
{
	struct result result, read = {0};
	struct error error = {0};
	char *text;

	sample_demo(&result);
	text = document_of(&result);
	assert_null(strstr(text, "calibration"));
	assert_int_equal(result_from_json("test.json", text, &read, &error), 0);
	assert_null(read.calibration);
	free(text);
	result_free(&read);
	result_free(&result);
}

/* text with the first word replaced by another; owned by the caller. */
static char *replaced(const char *text, const char *word, const char *other)
{
	const char *at = strstr(text, word);
	char *copy = malloc(strlen(text) + strlen(other) + 1);

	assert_non_null(at);
	assert_non_null(copy);
	sprintf(copy, "%.*s%s%s", (int)(at - text), text, other, at + strlen(word));
	return copy;
}

static void test_refuses_what_is_broken(void **state)
{
	static const char *const broken[][3] = {
		{"\"percentile\":", "\"percentil\":", "percentile"},
		{"\"parts\":", "\"part\":", "parts"},
		{"\"outcome\":", "\"outcom\":", "outcome"},
		{"\"needs\":", "\"needs\": 7, \"was\":", "list"},
		{"\"over_ns\":", "\"over_ns\": \"much\", \"was\":", "number"},
	};
	struct result result, read = {0};
	char *text;

	make(&result);
	text = document_of(&result);
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		char *copy = replaced(text, broken[i][0], broken[i][1]);
		struct error error = {0};

		assert_int_equal(result_from_json("test.json", copy, &read, &error), ERROR_INPUT);
		if (!strstr(error.text, broken[i][2]) || !strstr(error.text, "calibration"))
			fail_msg("%s", error.text);
		free(copy);
	}
	free(text);
	result_free(&result);
}

static void expect_answer(const char *what, double low, double high, const char *answer)
{
	struct calibration_need need = {.asked = 100, .low = low, .high = high};

	snprintf(need.what, sizeof(need.what), "%s", what);
	assert_string_equal(calibration_judge(&need), answer);
}

static void test_judges(void **state)
{
	expect_answer("iops", 100, 120, "yes");
	expect_answer("iops", 99, 120, "close");
	expect_answer("iops", 80, 100, "close");
	expect_answer("iops", 80, 99, "no");
	expect_answer("mbps", NAN, NAN, "unknown");
	/* Of a latency, less is better. */
	expect_answer("p99", 80, 100, "yes");
	expect_answer("p99.9", 80, 101, "close");
	expect_answer("mean", 101, 120, "no");
}

static void test_loads_of_points(void **state)
{
	struct calibration_part part = {.name = "8K reads"};
	struct result_point point = {.label = "8K reads 16"};

	assert_true(calibration_load(&part, &point) == 16);
	strcpy(point.label, "8K reads beside 4 x 1M 16");
	assert_true(isnan(calibration_load(&part, &point)));
	strcpy(part.name, "8K reads beside 4 x 1M");
	assert_true(calibration_load(&part, &point) == 16);
	strcpy(point.label, "8K reads beside 4 x 1M ");
	assert_true(isnan(calibration_load(&part, &point)));
	strcpy(point.label, "8K");
	assert_true(isnan(calibration_load(&part, &point)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_refuses_what_is_broken),
		cmocka_unit_test(test_judges),
		cmocka_unit_test(test_loads_of_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
