/* SPDX-License-Identifier: MIT */
/* test_result_observed.c - counters and hot functions in a result: written, read back, and what
 * counts of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "sample.h"
#include "stats/comparison.h"
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

static void count(struct result_repeat *repeat, const char *name, int64_t delta)
{
	repeat->counted = true;
	repeat->counters =
		reallocarray(repeat->counters, repeat->n_counters + 1, sizeof(*repeat->counters));
	assert_non_null(repeat->counters);
	snprintf(repeat->counters[repeat->n_counters].name,
		 sizeof(repeat->counters[repeat->n_counters].name), "%s", name);
	repeat->counters[repeat->n_counters++].delta = delta;
}

/* The second repeat of the first point becomes one that was run for its hot functions. */
static void sample(struct result_repeat *repeat)
{
	struct result_sampling *sampling = &repeat->sampling;

	repeat->sampled = true;
	*sampling = (struct result_sampling){.event = "cpu-clock",
					     .frequency_hz = 999,
					     .kernel = 600,
					     .unresolved = 1,
					     .user = 399,
					     .idle = 77,
					     .lost = 5,
					     .n_functions = 2};
	sampling->functions = calloc(2, sizeof(*sampling->functions));
	assert_non_null(sampling->functions);
	strcpy(sampling->functions[0].name, "gup_fast_fallback");
	sampling->functions[0].percent = 54.03;
	strcpy(sampling->functions[1].name, "null_queue_rq [null_blk]");
	sampling->functions[1].percent = 0.11;
}

static void test_round_trip(void **state)
{
	struct result result, again;
	struct error error = {0};
	const struct result_repeat *repeat;
	char *text, *text_again;

	sample_demo(&result);
	count(&result.variants[0].points[0].repeats[0], "pgfault", 262144);
	count(&result.variants[0].points[0].repeats[0], "nr_free_pages", -7);
	result.variants[0].points[1].repeats[0].counted = true; /* and nothing changed */
	sample(&result.variants[0].points[0].repeats[1]);
	text = print(&result);
	if (result_from_json("again", text, &again, &error) < 0)
		fail_msg("%s", error.text);
	text_again = print(&again);
	assert_string_equal(text, text_again);
	repeat = &again.variants[0].points[0].repeats[0];
	assert_true(repeat->counted && !repeat->sampled);
	assert_int_equal(repeat->n_counters, 2);
	assert_string_equal(repeat->counters[1].name, "nr_free_pages");
	assert_int_equal(repeat->counters[1].delta, -7);
	assert_true(again.variants[0].points[1].repeats[0].counted);
	assert_int_equal(again.variants[0].points[1].repeats[0].n_counters, 0);
	assert_false(again.variants[0].points[2].repeats[0].counted);
	repeat = &again.variants[0].points[0].repeats[1];
	assert_true(repeat->sampled);
	assert_int_equal(repeat->sampling.lost, 5);
	assert_int_equal(repeat->sampling.n_functions, 2);
	assert_string_equal(repeat->sampling.functions[1].name, "null_queue_rq [null_blk]");
	free(text);
	free(text_again);
	result_free(&result);
	result_free(&again);
}

static void test_nothing_grows_where_nothing_is_asked(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	text = print(&result);
	assert_null(strstr(text, "\"counters\""));
	assert_null(strstr(text, "\"sampled\""));
	assert_null(strstr(text, "\"sampling\""));
	assert_null(strstr(text, "\"functions\""));
	free(text);
	result_free(&result);
}

/* Where in a document, and what stands there instead. */
static void assert_refused(const char *from, const char *to, const char *words)
{
	struct result result, again;
	struct error error = {0};
	char *text, *place, *broken;

	sample_demo(&result);
	count(&result.variants[0].points[0].repeats[0], "pgfault", 262144);
	sample(&result.variants[0].points[0].repeats[1]);
	text = print(&result);
	place = strstr(text, from);
	assert_non_null(place);
	assert_true(asprintf(&broken, "%.*s%s%s", (int)(place - text), text, to,
			     place + strlen(from)) > 0);
	assert_int_equal(result_from_json("broken", broken, &again, &error), ERROR_INPUT);
	if (!strstr(error.text, words))
		fail_msg("%s", error.text);
	free(broken);
	free(text);
	result_free(&result);
}

static void test_broken_documents(void **state)
{
	assert_refused("262144", "\"many\"", "must be a number");
	assert_refused("262144", "1e300", "must be a number");
	assert_refused("\"pgfault\"",
		       "\"a_name_that_is_longer_than_any_that_a_kernel_would_give_to_a_counter\"",
		       "name longer than 63 bytes");
	assert_refused("54.03", "\"much\"", "percent");
	assert_refused("\"functions\"", "\"functionz\"", "functions");
}

static double value(const struct result_point *point, const char *name, unsigned op_class)
{
	struct metric metric;

	if (!summary_metric_of(point, name, &metric))
		return NAN;
	return summary_spread(point, 0, op_class, &metric).median;
}

static void test_a_counter_is_a_metric(void **state)
{
	struct result result;
	struct result_point *point;
	struct metric metric;

	sample_demo(&result);
	point = &result.variants[0].points[0];
	assert_false(summary_metric_of(point, "thp_fault_alloc", &metric));
	count(&point->repeats[0], "thp_fault_alloc", 10);
	point->repeats[1].counted = true;
	assert_true(summary_metric_of(point, "thp_fault_alloc", &metric));
	assert_string_equal(metric.name, "thp_fault_alloc");
	assert_false(metric.higher_better);
	/* 10 in one repeat, 0 in the other, since it was looked for there as well. */
	assert_true(value(point, "thp_fault_alloc", 0) == 5);
	assert_true(isnan(value(&result.variants[0].points[1], "thp_fault_alloc", 0)));
	point->repeats[1].counted = false;
	assert_true(value(point, "thp_fault_alloc", 0) == 10);
	/* A metric of that name comes first. */
	count(&point->repeats[0], "iops", 3);
	assert_true(value(point, "iops", 0) > 1000);
	result_free(&result);
}

/* Two variants of the mixed sample, one of which waits for memory; a name with dots is none of a
 * class. */
static void test_counters_are_compared(void **state)
{
	static const char *const metrics[] = {"psi.memory.some_us", NULL};
	const struct comparison_options options = {.metrics = metrics};
	struct comparison comparison;
	struct result result;
	struct error error = {0};
	bool found = false;

	sample_mixed(&result);
	for (unsigned v = 0; v < result.n_variants; v++)
		for (unsigned r = 0; r < result.variants[v].points[0].n_repeats; r++)
			count(&result.variants[v].points[0].repeats[r], "psi.memory.some_us",
			      10 * (v + 1));
	if (comparison_of_variants(&result, &options, &comparison, &error) < 0)
		fail_msg("%s", error.text);
	for (unsigned i = 0; i < comparison.n_rows; i++) {
		const struct comparison_row *row = &comparison.rows[i];

		if (strcmp(row->metric.name, "psi.memory.some_us") != 0)
			continue;
		found = true;
		assert_true(row->primary);
		assert_true(row->numbers.base.median == 10);
		assert_true(row->numbers.other.median == 20);
	}
	assert_true(found);
	comparison_free(&comparison);
	result_free(&result);
}

static void test_a_sampled_repeat_counts_nowhere(void **state)
{
	struct result result;
	struct result_point *point;
	struct spread before, after;

	sample_demo(&result);
	point = &result.variants[0].points[0];
	before = summary_spread(point, 0, 0, summary_metric("iops"));
	assert_int_equal(before.n, 2);
	sample(&point->repeats[1]);
	after = summary_spread(point, 0, 0, summary_metric("iops"));
	assert_int_equal(after.n, 1);
	assert_false(result_repeat_counts(&point->repeats[1]));
	assert_true(result_repeat_counts(&point->repeats[0]));
	point->repeats[0].status = RESULT_FAILED;
	assert_false(result_repeat_counts(&point->repeats[0]));
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_nothing_grows_where_nothing_is_asked),
		cmocka_unit_test(test_broken_documents),
		cmocka_unit_test(test_a_counter_is_a_metric),
		cmocka_unit_test(test_counters_are_compared),
		cmocka_unit_test(test_a_sampled_repeat_counts_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
