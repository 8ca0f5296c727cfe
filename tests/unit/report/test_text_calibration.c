/* SPDX-License-Identifier: MIT */
/* test_text_calibration.c - what the text says of each outcome of a search. */
#include "report/text_calibration.h"

#include <math.h>

#include "sample.h"
#include "stats/calibration.h"
#include "stats/result.h"
#include "written.h"

/* The demo's first six points as loads 1 to 32 of a search that found 8. */
static struct calibration_part *make(struct result *result)
{
	struct calibration *calibration = calloc(1, sizeof(*calibration));
	struct result_variant *variant;

	sample_demo(result);
	variant = &result->variants[0];
	assert_non_null(calibration);
	calibration->parts = calloc(1, sizeof(*calibration->parts));
	calibration->needs = calloc(3, sizeof(*calibration->needs));
	assert_non_null(calibration->parts);
	assert_non_null(calibration->needs);
	calibration->n_parts = 1;
	calibration->limit_ns = 2e6;
	strcpy(calibration->percentile, "p99");
	strcpy(calibration->command, "orion-sim calibrate --target t");
	for (unsigned p = 0; p < 6; p++)
		snprintf(variant->points[p].label, sizeof(variant->points[p].label), "8K reads %u",
			 1u << p);
	calibration->parts[0] = (struct calibration_part){.name = "8K reads",
							  .goal = "limit",
							  .outcome = "found",
							  .stream = "reads",
							  .block_bytes = 8192,
							  .load = 8,
							  .load_low = 7.9,
							  .load_high = 9.2,
							  .iops = 61000,
							  .iops_low = 59800,
							  .iops_high = 62100,
							  .mbps = 500,
							  .mbps_low = 490,
							  .mbps_high = 509,
							  .latency_ns = 1.86e6,
							  .latency_low_ns = 1.8e6,
							  .latency_high_ns = 1.92e6,
							  .mean_ns = 540000,
							  .driver_percent = 40,
							  .over_load = 9,
							  .over_ns = 2.1e6,
							  .largest_load = 512,
							  .loads = 6,
							  .runs = 12,
							  .grid = 106};
	snprintf(calibration->parts[0].stream, sizeof(calibration->parts[0].stream), "%s",
		 variant->points[0].repeats[0].streams[0].label);
	result->calibration = calibration;
	return calibration->parts;
}

static void need(struct result *result, const char *what, double asked, double got,
		 const char *answer)
{
	struct calibration_need *added =
		&result->calibration->needs[result->calibration->n_needs++];

	*added = (struct calibration_need){
		.asked = asked, .got = got, .low = got * 0.9, .high = got * 1.1};
	strcpy(added->what, what);
	strcpy(added->answer, answer);
	strcpy(added->part, "8K reads");
}

static char *report_of(struct result *result)
{
	char *text = unwrapped(written("text", result));

	result_free(result);
	return text;
}

static void test_found(void **state)
{
	struct result result;
	char *text;

	make(&result);
	need(&result, "iops", 12000, 61000, "yes");
	text = report_of(&result);
	assert_says(text,
		    "Yes: this host does what is needed. This host sustains 61,000 8K reads/s "
		    "with p99 under 2.00 ms; your 12,000 leave a factor of 5.08. That is with "
		    "8 in flight (95% interval 59,800 to 62,100, 8 to 9 in flight).");
	assert_says(text, "max_iops 61,000 reads/s [59,800 .. 62,100] 8K reads, 8 in flight");
	assert_says(text, "actual_latency 1.86 ms [1.80 .. 1.92]");
	assert_says(text, "6 of 106 loads were measured, in 12 runs");
	assert_says(text, "<- the answer");
	assert_says(text, "Repeat: orion-sim calibrate --target t");
	assert_does_not_say(text, "Best:");
	assert_does_not_say(text, "Warning: 8K reads:");
	free(text);
}

static void test_not_enough(void **state)
{
	struct result result;
	char *text;

	make(&result);
	need(&result, "iops", 122000, 61000, "no");
	need(&result, "p99", 1e6, 1.86e6, "close");
	text = report_of(&result);
	assert_says(text, "No: this host does not do what is needed.");
	assert_says(text, "your 122,000 are 2.00 times as much");
	assert_says(text, "p99 1.00 ms 1.86 ms [1.67 ms .. 2.05 ms] 0.538 x too close to call");
	free(text);
	make(&result);
	need(&result, "iops", 60000, 61000, "close");
	text = report_of(&result);
	assert_says(text, "Too close to call.");
	assert_says(text, "your 60,000 are too close to that to call");
	free(text);
}

static void test_other_outcomes(void **state)
{
	struct calibration_part *part;
	struct result result;
	char *text;

	part = make(&result);
	*part = calibration_part_unknown;
	strcpy(part->name, "8K reads");
	strcpy(part->goal, "limit");
	strcpy(part->outcome, "unmet");
	part->over_load = 1;
	part->over_ns = 120e3;
	result.calibration->limit_ns = 10e3;
	text = report_of(&result);
	assert_says(text, "No depth meets 10 us: at depth 1, the smallest, p99 is 120 us.");
	assert_does_not_say(text, "max_iops");
	free(text);
	part = make(&result);
	strcpy(part->outcome, "unreached");
	text = report_of(&result);
	assert_says(text,
		    "This host gives 61,000 8K reads/s with 8 in flight, the largest load that "
		    "was asked for. p99 is 1.86 ms there: the limit of 2.00 ms is not reached");
	free(text);
	part = make(&result);
	strcpy(part->outcome, "unsettled");
	result.complete = false;
	result.signal = 2;
	text = report_of(&result);
	assert_says(text,
		    "Incomplete: SIGINT ended the search early. The search ended before it was "
		    "through. So far 8 in flight are the most with p99 under 2.00 ms: 61,000 8K "
		    "reads/s. 9 in flight are over it.");
	assert_says(text, "so far: 8K reads");
	free(text);
}

static void test_warnings(void **state)
{
	struct calibration_part *part;
	struct result result;
	char *text;

	part = make(&result);
	part->again_load = 16;
	part->driver_percent = 97;
	part->iops_low = 30000;
	text = report_of(&result);
	assert_says(text,
		    "the curve is not monotone: 16 in flight are under the limit though 9 are "
		    "not");
	assert_says(text, "were busy 97% of their time");
	assert_says(text, "differ so much that the interval is wide");
	free(text);
	make(&result);
	strcpy(result.calibration->percentile, "p99.99");
	text = report_of(&result);
	assert_says(text, "p99.99 rests on the");
	free(text);
}

static void test_most(void **state)
{
	struct calibration_part *part;
	struct result result;
	char *text;

	part = make(&result);
	strcpy(part->goal, "rate");
	strcpy(part->process, "one");
	text = report_of(&result);
	assert_says(text, "max_pmbps 500 MB/s [490 .. 509] 8K sequential reads, 8 in flight");
	assert_says(text, "<- the most");
	free(text);
	part = make(&result);
	strcpy(part->goal, "rate");
	strcpy(part->outcome, "unreached");
	text = report_of(&result);
	assert_says(text,
		    "max_mbps 500 MB/s [490 .. 509] 8K random reads, 8 in flight, the largest "
		    "asked for: it may give more");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),	       cmocka_unit_test(test_not_enough),
		cmocka_unit_test(test_other_outcomes), cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
