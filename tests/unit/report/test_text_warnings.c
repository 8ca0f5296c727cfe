/* SPDX-License-Identifier: MIT */
/* test_text_warnings.c - what a reader is told before believing a figure. */
#include "sample.h"
#include "stats/result.h"
#include "written.h"

static void test_warnings(void **state)
{
	struct result result;
	struct result_repeat *repeats;
	char *text;

	sample_demo(&result);
	repeats = result.variants[0].points[0].repeats;
	for (unsigned i = 0; i < 2; i++) {
		repeats[i].devices[0].read_bytes *= 2;
		repeats[i].audits[0].got_end_bytes /= 2;
		repeats[i].cpu.steal_s = 0.1;
		repeats[i].streams[0].classes[0].tally.errors = 3;
		repeats[i].streams[0].classes[0].tally.shorts = 5;
		repeats[i].streams[0].classes[0].tally.retries = 4000;
		repeats[i].streams[0].classes[0].overflow = 7;
	}
	snprintf(repeats[1].streams[0].failure, sizeof(repeats[1].streams[0].failure),
		 "read of 8192 bytes at offset 0 of /x: Input/output error");
	/* One repeat that is off is enough. */
	repeats[1].clock_step_s = -0.5;
	result.clock_cost_ns = 50000;
	text = unwrapped(written("text", &result));
	assert_says(text, "the clock stepped while it was measured: -0.500 s at 8K io_uring base.");
	assert_says(text,
		    "Warning: the devices below did not move the bytes we counted: 2.00 times "
		    "at 8K io_uring base.");
	assert_says(text, "as asked was another at the end: 50.0 % at 8K io_uring base.");
	assert_says(text, "the hypervisor gave CPU time to others: 2.5 % at 8K io_uring base.");
	assert_says(text, "operations failed for good: 3 at 8K io_uring base.");
	assert_says(text,
		    "First failure at 8K io_uring base: read of 8192 bytes at offset 0 of /x: "
		    "Input/output error");
	assert_says(text, "came back short and were continued: 5 at 8K io_uring base.");
	assert_says(text, "issued again after EAGAIN: 2.4 % at 8K io_uring base.");
	assert_says(text, "took more than 73 minutes: 7 at 8K io_uring base.");
	assert_says(text, "near what reading the clock costs: 373,");
	free(text);
	result_free(&result);
}

/* Rate times latency is what is in flight, unless the clock lies. */
static void test_littles_law(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	for (unsigned i = 0; i < 2; i++)
		result.variants[0].points[0].repeats[i].streams[0].mean_in_flight *= 2;
	text = unwrapped(written("text", &result));
	assert_says(text, "by Little's law (rate x mean latency) are not those counted: 0.5");
	assert_says(text,
		    " times at 8K io_uring base. Rate and latency do not fit each other there");
	free(text);
	result_free(&result);
}

static struct result_repeat *keep_busy(struct result *result, double share)
{
	struct result_repeat *repeats = result->variants[0].points[0].repeats;

	for (unsigned i = 0; i < 2; i++) {
		double busy_ns = share * repeats[i].duration_s * 1e9;

		busy_ns *= repeats[i].streams[0].workers;
		repeats[i].streams[0].usage.user_ns = (uint64_t)(busy_ns / 4);
		repeats[i].streams[0].usage.system_ns = (uint64_t)(busy_ns * 3 / 4);
	}
	return repeats;
}

/* Workers that could do no more are not a device that could do no more. */
static void test_the_drivers_limit(void **state)
{
	static const char sentence[] = "Warning: the workers had no time left: ";
	struct result result;
	struct result_repeat *repeats;
	char *text;

	sample_demo(&result);
	repeats = keep_busy(&result, 0.97);
	text = unwrapped(written("text", &result));
	assert_says(text, sentence);
	assert_says(text, "97 % busy at 8K io_uring base. The CPU was the limit there, and not the "
			  "device;");
	free(text);
	keep_busy(&result, 0.9);
	text = unwrapped(written("text", &result));
	assert_does_not_say(text, sentence);
	free(text);
	keep_busy(&result, 1);
	repeats[1].streams[0].usage.user_ns /= 4; /* one repeat that had time left */
	text = unwrapped(written("text", &result));
	assert_does_not_say(text, sentence);
	free(text);
	keep_busy(&result, 1);
	snprintf(repeats[0].streams[0].traits, sizeof(repeats[0].streams[0].traits), "IOPOLL");
	text = unwrapped(written("text", &result));
	assert_does_not_say(text, sentence);
	free(text);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_littles_law),
		cmocka_unit_test(test_the_drivers_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
