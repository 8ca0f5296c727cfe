/* SPDX-License-Identifier: MIT */
/* test_result_costs.c - page tables and hardware events: written, read back, and not demanded. */
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

static char *print(const struct result *result)
{
	cJSON *tree = result_to_json(result);
	char *text = document_print(tree);

	assert_non_null(text);
	cJSON_Delete(tree);
	return text;
}

static double metric(const char *name, const struct result *result)
{
	const struct result_repeat *repeat = &result->variants[0].points[0].repeats[0];

	return summary_metric(name)->value(repeat, &repeat->streams[0],
					   &repeat->streams[0].classes[0]);
}

static void fill(struct result_repeat *repeat)
{
	double ops = (double)repeat->streams[0].classes[0].tally.ops;

	repeat->page_tables = (struct result_page_tables){.known = true,
							  .before_bytes = 1000,
							  .at_bytes = 5000,
							  .after_bytes = 1001,
							  .sec_before_bytes = 7,
							  .sec_at_bytes = 9,
							  .sec_after_bytes = 8,
							  .vm_pte_before_bytes = 100,
							  .vm_pte_at_bytes = 4000,
							  .vm_pte_after_bytes = 101};
	repeat->streams[0].events = (struct result_events){.workers = 1,
							   .enabled_s = 4,
							   .running_s = 1,
							   .cycles = 100 * ops,
							   .instructions = 250 * ops,
							   .dtlb_misses = NAN};
	repeat->streams[0].classes[0].timed_in_batches = true;
	repeat->clock_step_s = -0.5;
}

static void check_metrics(const struct result *result)
{
	assert_true(metric("page_table_bytes", result) == 4000);
	assert_true(metric("sec_page_table_bytes", result) == 2);
	assert_true(metric("vm_pte_bytes", result) == 4000);
	assert_true(fabs(metric("cycles_per_op", result) - 100) < 1e-6);
	assert_true(fabs(metric("instructions_per_op", result) - 250) < 1e-6);
	assert_true(isnan(metric("dtlb_misses_per_op", result)));
	assert_true(metric("counted_percent", result) == 25);
}

static void test_they_come_back(void **state)
{
	const struct result_repeat *repeat;
	struct result result, again;
	struct error error = {0};
	char *text;

	sample_demo(&result);
	fill(&result.variants[0].points[0].repeats[0]);
	text = print(&result);
	result_free(&result);
	if (result_from_json("r.json", text, &again, &error) < 0)
		fail_msg("%s", error.text);
	free(text);
	repeat = &again.variants[0].points[0].repeats[0];
	assert_true(repeat->page_tables.known);
	assert_int_equal(repeat->page_tables.after_bytes, 1001);
	assert_int_equal(repeat->page_tables.sec_after_bytes, 8);
	assert_int_equal(repeat->page_tables.vm_pte_after_bytes, 101);
	assert_true(repeat->streams[0].classes[0].timed_in_batches);
	assert_true(repeat->clock_step_s == -0.5);
	check_metrics(&again);
	result_free(&again);
}

static void test_earlier_documents_do_without(void **state)
{
	struct result result, again;
	struct error error = {0};
	char *text;

	sample_demo(&result);
	text = print(&result);
	result_free(&result);
	assert_null(strstr(text, "page_tables"));
	assert_null(strstr(text, "\"events\""));
	assert_null(strstr(text, "timed_in_batches"));
	assert_null(strstr(text, "clock_step_s"));
	if (result_from_json("r.json", text, &again, &error) < 0)
		fail_msg("%s", error.text);
	free(text);
	assert_false(again.variants[0].points[0].repeats[0].page_tables.known);
	assert_true(isnan(metric("page_table_bytes", &again)));
	assert_true(isnan(metric("vm_pte_bytes", &again)));
	assert_true(isnan(metric("cycles_per_op", &again)));
	result_free(&again);
}

/* Counts of some workers say nothing about the operations of all. */
static void test_all_workers_must_be_counted(void **state)
{
	struct result result;
	struct result_stream *stream;

	sample_demo(&result);
	stream = &result.variants[0].points[0].repeats[0].streams[0];
	stream->workers = 2;
	stream->events = (struct result_events){.workers = 1, .cycles = 5};
	assert_true(isnan(metric("cycles_per_op", &result)));
	stream->events.workers = 2;
	assert_false(isnan(metric("cycles_per_op", &result)));
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_they_come_back),
		cmocka_unit_test(test_earlier_documents_do_without),
		cmocka_unit_test(test_all_workers_must_be_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
