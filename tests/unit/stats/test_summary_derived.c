/* SPDX-License-Identifier: MIT */
/* test_summary_derived.c - figures that a workload declares: found by name, written, read back. */
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
#include "stats/summary.h"

static void declare(struct result_stream *stream, double rate, double cost)
{
	stream->derived = calloc(2, sizeof(*stream->derived));
	assert_non_null(stream->derived);
	stream->n_derived = 2;
	stream->derived[0] = (struct result_derived){.name = "faults_per_sec",
						     .unit = "pages/s",
						     .help = "pages a second",
						     .higher_better = true,
						     .value = rate};
	stream->derived[1] = (struct result_derived){
		.name = "sys_s", .unit = "s", .help = "system time", .value = cost};
}

/* The first point of the mixed result has two streams, the second of them two classes. */
static void make(struct result *result)
{
	struct result_point *point;

	sample_mixed(result);
	point = &result->variants[0].points[0];
	for (unsigned i = 0; i < point->n_repeats; i++)
		declare(&point->repeats[i].streams[1], 1000 + i, i == 0 ? NAN : 0.25);
	point->repeats[0].streams[1].classes[0].tally.user_ns = 256; /* a zero byte first */
}

static void check(const struct result *result)
{
	const struct result_point *point = &result->variants[0].points[0];
	struct metric metric;
	struct spread spread;

	assert_true(summary_metric_of(point, "faults_per_sec", &metric));
	assert_string_equal(metric.unit, "pages/s");
	assert_string_equal(metric.help, "pages a second");
	assert_true(metric.higher_better);
	assert_true(summary_metric_of(point, "sys_s", &metric));
	assert_false(metric.higher_better);
	spread = summary_spread(point, 1, 0, &metric);
	assert_int_equal(spread.n, point->n_repeats - 1);
	assert_true(spread.median == 0.25);
	/* They are the stream's, and stand in the row of its first class. */
	assert_int_equal(summary_spread(point, 1, 1, &metric).n, 0);
	assert_int_equal(summary_spread(point, 0, 0, &metric).n, 0);
	assert_true(summary_metric_of(point, "mbps", &metric));
	assert_true(metric.value == summary_metric("mbps")->value);
	assert_false(summary_metric_of(point, "loops", &metric));
	assert_false(summary_metric_of(&result->variants[0].points[1], "faults_per_sec", &metric));
}

static void test_found_by_name(void **state)
{
	struct result result;

	make(&result);
	check(&result);
	result_free(&result);
}

static void test_they_come_back(void **state)
{
	struct result result, again;
	struct error error = {0};
	cJSON *tree;
	char *text;

	make(&result);
	tree = result_to_json(&result);
	text = document_print(tree);
	assert_non_null(text);
	cJSON_Delete(tree);
	result_free(&result);
	assert_non_null(strstr(text, "\"user_ns\":256"));
	assert_null(strstr(text, "\"tsc_cycles\""));
	if (result_from_json("r.json", text, &again, &error) < 0)
		fail_msg("%s", error.text);
	free(text);
	check(&again);
	assert_int_equal(again.variants[0].points[0].repeats[0].streams[1].classes[0].tally.user_ns,
			 256);
	result_free(&again);
}

static void test_medians_have_them(void **state)
{
	const cJSON *point, *median;
	struct result result;
	unsigned found = 0;
	cJSON *tree;

	make(&result);
	tree = result_to_json(&result);
	point = cJSON_GetArrayItem(
		cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(tree, "variants"), 0),
				    "points"),
		0);
	cJSON_ArrayForEach (median, cJSON_GetObjectItem(point, "medians")) {
		const cJSON *value = cJSON_GetObjectItem(median, "sys_s");

		if (!value)
			continue;
		found++;
		assert_string_equal(value->valuestring, "0.25"); /* raw */
	}
	assert_int_equal(found, 1);
	cJSON_Delete(tree);
	result_free(&result);
}

/* A document that declares what is no figure is refused with its place. */
static void test_ill_typed_ones_are_refused(void **state)
{
	struct result result, again;
	struct error error = {0};
	char *text, *place;
	cJSON *tree;

	make(&result);
	tree = result_to_json(&result);
	text = document_print(tree);
	cJSON_Delete(tree);
	result_free(&result);
	place = strstr(text, "\"value\":");
	assert_non_null(place);
	place[1] = 'w';
	assert_int_equal(result_from_json("r.json", text, &again, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "streams[1].derived[0]: lacks the key \"value\""));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found_by_name),
		cmocka_unit_test(test_they_come_back),
		cmocka_unit_test(test_medians_have_them),
		cmocka_unit_test(test_ill_typed_ones_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
