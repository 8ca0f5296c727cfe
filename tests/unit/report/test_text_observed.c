/* SPDX-License-Identifier: MIT */
/* test_text_observed.c - counters of the kernel and hottest functions in reports. */
#include <stdio.h>

#include "sample.h"
#include "stats/result.h"
#include "written.h"

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

static void sample(struct result_repeat *repeat, const char *event)
{
	static const char *const names[] = {"get_huge_zero_page", "gup_fast_fallback"};
	struct result_sampling *sampling = &repeat->sampling;

	repeat->sampled = true;
	*sampling = (struct result_sampling){
		.frequency_hz = 999, .kernel = 6000, .user = 4000, .idle = 77, .n_functions = 2};
	snprintf(sampling->event, sizeof(sampling->event), "%s", event);
	sampling->functions = calloc(2, sizeof(*sampling->functions));
	assert_non_null(sampling->functions);
	for (int i = 0; i < 2; i++) {
		strcpy(sampling->functions[i].name, names[i]);
		sampling->functions[i].percent = i ? 5.5 : 54.03;
	}
}

static void test_counters_down_points_across(void **state)
{
	struct result result;
	char *text, line[512];

	sample_demo(&result);
	for (unsigned p = 0; p < 3; p++) {
		struct result_point *point = &result.variants[0].points[p];

		count(&point->repeats[0], "pgfault", 1000 * (p + 1));
		count(&point->repeats[1], "pgfault", 3000 * (p + 1));
	}
	count(&result.variants[0].points[1].repeats[0], "hugepages-64kB.shmem_alloc", 4096);
	text = written("text", &result);
	line_with(text, "pgfault ", line, sizeof(line));
	assert_says(line, " 2,000 ");
	assert_says(line, " 4,000 ");
	assert_says(line, " 6,000");
	line_with(text, "hugepages-64kB.shmem_alloc ", line, sizeof(line));
	assert_says(line, " 0 ");
	assert_says(line, " 2,048 "); /* of 4,096 and none */
	assert_says(text, "medians over the repeats");
	free(text);
	text = written("csv", &result);
	assert_says(text, ",counter_pgfault,counter_hugepages-64kB.shmem_alloc,axis_");
	free(text);
	result_free(&result);
}

/* More points than a line has room for are broken into several tables. */
static void test_wide_tables_are_broken(void **state)
{
	struct result result;
	unsigned n = 0;
	char *text;

	sample_demo(&result);
	for (unsigned p = 0; p < result.variants[0].n_points; p++)
		count(&result.variants[0].points[p].repeats[0], "numa_hit", 1);
	text = written("text", &result);
	for (const char *place = text; (place = strstr(place, "\nnuma_hit ")); place++)
		n++;
	assert_true(n >= 2);
	for (const char *place = text; place; place = strchr(place, '\n')) {
		place += *place == '\n';
		assert_true(strncmp(place, "numa_hit", 8) != 0 || strcspn(place, "\n") <= 120);
	}
	free(text);
	result_free(&result);
}

static void test_hottest_functions(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	sample(&result.variants[0].points[0].repeats[1], "cpu-clock");
	text = unwrapped(written("text", &result));
	assert_says(text,
		    "Hottest kernel functions of 8K io_uring base (cpu-clock, idle left out): "
		    "54.0 % get_huge_zero_page, 5.5 % gup_fast_fallback; 40.0 % user space; "
		    "of 10,000 busy samples.");
	assert_says(text, "cpu-clock is a timer");
	assert_does_not_say(text, "did not count");
	assert_does_not_say(text, "lost");
	free(text);
	result.variants[0].points[0].repeats[1].sampling.lost = 1234;
	strcpy(result.variants[0].points[0].repeats[1].sampling.event, "cycles");
	text = unwrapped(written("text", &result));
	assert_says(text, "busy samples, 1,234 were lost.");
	assert_does_not_say(text, "is a timer");
	free(text);
	result_free(&result);
}

static void test_a_failed_or_idle_sample_says_so(void **state)
{
	struct result result;
	struct result_repeat *repeat;
	char *text;

	sample_demo(&result);
	repeat = &result.variants[0].points[0].repeats[1];
	sample(repeat, "cpu-clock");
	repeat->status = RESULT_FAILED;
	strcpy(repeat->reason, "the runner was killed");
	text = unwrapped(written("text", &result));
	assert_says(text, "base: not sampled, the runner was killed.");
	assert_does_not_say(text, "did not count");
	free(text);
	repeat->status = RESULT_OK;
	repeat->sampling.kernel = repeat->sampling.user = 0;
	text = unwrapped(written("text", &result));
	assert_says(text, "no CPU was busy");
	free(text);
	result_free(&result);
}

static void test_a_sampled_repeat_has_no_line(void **state)
{
	struct result result;
	unsigned before = 0, after = 0;
	char *text;

	sample_demo(&result);
	text = written("csv", &result);
	for (const char *c = text; *c; c++)
		before += *c == '\n';
	free(text);
	sample(&result.variants[0].points[0].repeats[1], "cpu-clock");
	text = written("csv", &result);
	for (const char *c = text; *c; c++)
		after += *c == '\n';
	free(text);
	assert_int_equal(after, before - 1);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_down_points_across),
		cmocka_unit_test(test_wide_tables_are_broken),
		cmocka_unit_test(test_hottest_functions),
		cmocka_unit_test(test_a_failed_or_idle_sample_says_so),
		cmocka_unit_test(test_a_sampled_repeat_has_no_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
