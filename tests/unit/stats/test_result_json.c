/* SPDX-License-Identifier: MIT */
/* test_result_json.c - the document: there and back, its size, its keys. */
#include "stats/result.h"

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
#include "stats/document.h"

static char *text_of(const struct result *result)
{
	cJSON *tree = result_to_json(result);
	char *text = document_print(tree);

	assert_non_null(text);
	cJSON_Delete(tree);
	return text;
}

static char *histograms_text_of(const struct result *result)
{
	cJSON *tree = result_histograms_to_json(result);
	char *text = document_print(tree);

	assert_non_null(text);
	cJSON_Delete(tree);
	return text;
}

static void read_back(const char *text, struct result *ret)
{
	struct error error = {0};

	if (result_from_json("sample.json", text, ret, &error) < 0)
		fail_msg("%s", error.text);
}

/* Both documents of a result, and of what is read from them, are the same to the byte. */
static void check_round_trip(struct result *result)
{
	char *text = text_of(result), *histograms = histograms_text_of(result);
	char *text_again, *histograms_again;
	struct result again;
	struct error error = {0};

	read_back(text, &again);
	if (result_histograms_from_json("h.json", histograms, &again, &error) < 0)
		fail_msg("%s", error.text);
	text_again = text_of(&again);
	histograms_again = histograms_text_of(&again);
	assert_string_equal(text, text_again);
	assert_string_equal(histograms, histograms_again);
	free(text);
	free(text_again);
	free(histograms);
	free(histograms_again);
	result_free(&again);
	result_free(result);
}

static void test_round_trip(void **state)
{
	struct result result;

	sample_demo(&result);
	check_round_trip(&result);
	sample_demo_without_mthp(&result);
	check_round_trip(&result);
	sample_mixed(&result);
	check_round_trip(&result);
	memset(&result, 0, sizeof(result)); /* nothing was run */
	check_round_trip(&result);
}

/* A text is the same only if both sides forget the same; so the structs are looked at too. */
/* All but where their lists are. */
static void assert_audits_equal(const struct result_audit *before, const struct result_audit *after)
{
	struct result_audit a = *before, b = *after;

	assert_int_equal(a.placement.n_nodes, 1);
	assert_int_equal(b.placement.n_nodes, 1);
	assert_memory_equal(a.placement.nodes, b.placement.nodes, sizeof(*a.placement.nodes));
	a.placement.nodes = b.placement.nodes = NULL;
	assert_memory_equal(&a, &b, sizeof(a));
}

static void test_members_survive(void **state)
{
	struct result result, again;
	const struct result_repeat *before, *after;
	char *text;

	sample_mixed(&result);
	strcpy(result.variants[0].points[0].repeats[1].streams[0].failure, "dc died of signal 11");
	text = text_of(&result);
	read_back(text, &again);
	assert_string_equal(again.name, "oltp-and-scan");
	assert_int_equal(again.signal, 2);
	assert_false(again.complete);
	assert_true(again.seed == 16045690984503098046u);
	assert_true(again.clock_cost_ns == result.clock_cost_ns);
	assert_string_equal(again.variants[1].label, "thp on");
	assert_string_equal(again.variants[1].points[1].coordinates[0].axis,
			    "streams[*].workload.depth");
	assert_int_equal(again.variants[0].points[1].status, RESULT_FAILED);
	assert_true(again.variants[0].points[1].repeats[0].io_failure);
	assert_int_equal(again.variants[0].points[2].status, RESULT_INTERRUPTED);
	before = &result.variants[0].points[0].repeats[1];
	after = &again.variants[0].points[0].repeats[1];
	assert_memory_equal(&before->runner, &after->runner, sizeof(after->runner));
	assert_memory_equal(&before->cpu, &after->cpu, sizeof(after->cpu));
	assert_memory_equal(before->devices, after->devices, sizeof(*after->devices));
	assert_audits_equal(before->audits, after->audits);
	assert_string_equal(after->streams[0].failure, before->streams[0].failure);
	assert_memory_equal(&before->streams[0].classes[1].tally,
			    &after->streams[0].classes[1].tally, sizeof(struct tally));
	assert_memory_equal(before->streams[0].classes[1].percentile_ns,
			    after->streams[0].classes[1].percentile_ns,
			    sizeof(after->streams[0].classes[1].percentile_ns));
	assert_int_equal(after->streams[0].classes[1].n_intervals, 3);
	assert_memory_equal(before->streams[0].classes[1].intervals,
			    after->streams[0].classes[1].intervals,
			    3 * sizeof(struct result_interval));
	free(text);
	result_free(&again);
	result_free(&result);
}

static void test_the_demo_is_small(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	text = text_of(&result);
	print_message("the demo's document: %zu bytes\n", strlen(text));
	assert_in_range(strlen(text), 20000, 90 * 1024);
	free(text);
	text = histograms_text_of(&result);
	print_message("its histograms: %zu bytes\n", strlen(text));
	assert_in_range(strlen(text), 10000, 512 * 1024);
	free(text);
	result_free(&result);
}

static const cJSON *at(const cJSON *node, const char *key)
{
	const cJSON *child = cJSON_GetObjectItemCaseSensitive(node, key);

	if (!child)
		fail_msg("no key %s", key);
	return child;
}

static void check_near(const cJSON *object, const char *key, double expected)
{
	double value = at(object, key)->valuedouble;

	if (fabs(value - expected) > 1e-5 * fabs(expected))
		fail_msg("%s is %g, not %g", key, value, expected);
}

static void test_figures_for_readers_of_the_json(void **state)
{
	struct result result;
	cJSON *tree;
	const cJSON *point, *repeat, *class;
	const struct result_class *source;
	const struct usage *usage;
	char *text;

	sample_demo(&result);
	source = &result.variants[0].points[2].repeats[0].streams[0].classes[0];
	usage = &result.variants[0].points[2].repeats[0].streams[0].usage;
	text = text_of(&result);
	tree = cJSON_Parse(text);
	free(text);
	assert_string_equal(at(tree, "schema")->valuestring, RESULT_SCHEMA);
	assert_string_equal(at(tree, "seed")->valuestring, "16045690984503098046");
	point = cJSON_GetArrayItem(at(at(tree, "variants")->child, "points"), 2);
	assert_string_equal(at(at(point, "coordinates"), "memory")->valuestring, "hugetlb");
	repeat = at(point, "repeats")->child;
	class = at(at(repeat, "streams")->child, "classes")->child;
	check_near(class, "iops", (double)source->tally.ops / source->duration_s);
	check_near(class, "mbps", (double)source->tally.bytes / source->duration_s / 1e6);
	check_near(class, "mibps", (double)source->tally.bytes / source->duration_s / 1048576);
	check_near(class, "mean_us", source->mean_ns / 1e3);
	check_near(class, "cpu_us",
		   (double)(usage->user_ns + usage->system_ns) / 1e3 / (double)source->tally.ops);
	check_near(class, "p999_ns", (double)source->percentile_ns[3]);
	class = at(point, "medians")->child;
	assert_string_equal(at(class, "stream")->valuestring, "reads");
	assert_string_equal(at(class, "class")->valuestring, "read");
	check_near(class, "request_bytes", 8192);
	cJSON_Delete(tree);
	result_free(&result);
}

static char *replace(const char *text, const char *from, const char *to)
{
	const char *place = strstr(text, from);
	size_t size = strlen(text) + strlen(to) + 1;
	char *changed = malloc(size);

	assert_non_null(place);
	assert_non_null(changed);
	snprintf(changed, size, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
	return changed;
}

/* What follows from the rest is worked out anew, whatever a document claims. */
static void test_drawn_figures_are_not_trusted(void **state)
{
	struct result result, again;
	char *text, *forged, *text_again;

	sample_demo(&result);
	text = text_of(&result);
	forged = replace(text, "\"iops\":", "\"iops\":9");
	assert_string_not_equal(text, forged);
	read_back(forged, &again);
	text_again = text_of(&again);
	assert_string_equal(text_again, text);
	free(text);
	free(forged);
	free(text_again);
	result_free(&again);
	result_free(&result);
}

static void test_numbers_at_their_limits(void **state)
{
	struct result result, again;
	struct result_class *class;
	char *text;

	sample_demo(&result);
	class = &result.variants[0].points[0].repeats[0].streams[0].classes[0];
	class->max_ns = UINT64_MAX;
	class->tally.bytes = ((uint64_t)1 << 53) - 1;
	class->mean_ns = 123456.78901234567;
	result.clock_cost_ns = NAN;
	result.seed = UINT64_MAX;
	text = text_of(&result);
	read_back(text, &again);
	class = &again.variants[0].points[0].repeats[0].streams[0].classes[0];
	assert_true(class->max_ns == UINT64_MAX);
	assert_true(class->tally.bytes == ((uint64_t)1 << 53) - 1);
	assert_true(fabs(class->mean_ns - 123456.78901234567) < 1e-9);
	assert_true(isnan(again.clock_cost_ns));
	assert_true(again.seed == UINT64_MAX);
	free(text);
	result_free(&again);
	check_round_trip(&result);
}

static void test_histograms_are_kept(void **state)
{
	struct result result, again;
	struct error error = {0};
	char *text, *histograms;

	sample_mixed(&result);
	text = text_of(&result);
	histograms = histograms_text_of(&result);
	read_back(text, &again);
	assert_null(again.variants[1].points[0].repeats[2].streams[0].classes[1].histogram);
	assert_int_equal(result_histograms_from_json("h", histograms, &again, &error), 0);
	assert_memory_equal(again.variants[1].points[0].repeats[2].streams[0].classes[1].histogram,
			    result.variants[1].points[0].repeats[2].streams[0].classes[1].histogram,
			    sizeof(struct histogram));
	free(text);
	free(histograms);
	result_free(&again);
	result_free(&result);
}

static void test_one_repeat_for_the_journal(void **state)
{
	struct result result;
	cJSON *tree;
	const cJSON *class;
	char *line;

	sample_mixed(&result);
	tree = result_repeat_to_json(&result.variants[0].points[0].repeats[0], true);
	class = at(at(at(tree, "streams")->child, "classes")->child, "histogram");
	assert_true(cJSON_IsArray(at(class, "cells")));
	assert_true(cJSON_IsArray(at(tree, "interval_columns")));
	line = document_print_line(tree);
	assert_null(strchr(line, '\n'));
	free(line);
	cJSON_Delete(tree);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_members_survive),
		cmocka_unit_test(test_the_demo_is_small),
		cmocka_unit_test(test_figures_for_readers_of_the_json),
		cmocka_unit_test(test_drawn_figures_are_not_trusted),
		cmocka_unit_test(test_numbers_at_their_limits),
		cmocka_unit_test(test_histograms_are_kept),
		cmocka_unit_test(test_one_repeat_for_the_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
