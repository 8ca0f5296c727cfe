/* SPDX-License-Identifier: MIT */
/* test_summary.c - every metric by hand, and the spread over repeats. */
#include "stats/summary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sample.h"
#include "stats/result.h"

/* One stream of one class, with round figures. */
struct figures {
	struct result_repeat repeat;
	struct result_stream stream;
	struct result_class class;
	struct result_device devices[2];
};

static void figures_init(struct figures *figures)
{
	*figures = (struct figures){
		.class = {.name = "read",
			  .duration_s = 2,
			  .mean_ns = 250000,
			  .max_ns = 900000,
			  .percentile_ns = {1000, 2000, 3000, 4000, 5000},
			  .tally = {.ops = 1000,
				    .bytes = 8192000,
				    .errors = 1,
				    .shorts = 2,
				    .retries = 3,
				    .submit_ns = 500000}},
		.stream = {.n_classes = 1,
			   .mean_in_flight = 0.125,
			   .usage = {.user_ns = 1000000,
				     .system_ns = 3000000,
				     .minor_faults = 10,
				     .voluntary_switches = 15,
				     .involuntary_switches = 5}},
		.repeat = {.n_streams = 1,
			   .n_devices = 2,
			   .runner = {.user_ns = 2000000, .system_ns = 4000000}},
		.devices = {{.reads = 600, .read_bytes = 4915200},
			    {.reads = 300, .read_bytes = 3276800, .writes = 100}},
	};
	figures->stream.classes = &figures->class;
	figures->repeat.streams = &figures->stream;
	figures->repeat.devices = figures->devices;
}

static double value_of(const struct figures *figures, const char *name)
{
	const struct metric *metric = summary_metric(name);

	assert_non_null(metric);
	return metric->value(&figures->repeat, &figures->stream, &figures->class);
}

static void check(const struct figures *figures, const char *name, double expected)
{
	double value = value_of(figures, name);

	if (fabs(value - expected) > 1e-9 * fabs(expected))
		fail_msg("%s is %.12g, not %.12g", name, value, expected);
}

static void test_every_metric(void **state)
{
	struct figures figures;

	figures_init(&figures);
	check(&figures, "iops", 500);
	check(&figures, "mbps", 4.096);
	check(&figures, "mibps", 3.90625);
	check(&figures, "mean_us", 250);
	check(&figures, "p50_us", 1);
	check(&figures, "p90_us", 2);
	check(&figures, "p99_us", 3);
	check(&figures, "p999_us", 4);
	check(&figures, "p9999_us", 5);
	check(&figures, "max_us", 900);
	check(&figures, "cpu_us", 4);
	check(&figures, "runner_cpu_us", 6);
	check(&figures, "errors", 1);
	check(&figures, "shorts", 2);
	check(&figures, "retries", 3);
	check(&figures, "submit_us", 0.5);
	check(&figures, "faults", 0.01);
	check(&figures, "switches", 0.02);
	check(&figures, "little", 1); /* 500/s x 250 us */
	check(&figures, "request_bytes", 8192);
	check(&figures, "device_share", 1);
}

static void test_what_does_not_apply_is_nan(void **state)
{
	struct figures figures;

	figures_init(&figures);
	figures.repeat.n_devices = 0;
	assert_true(isnan(value_of(&figures, "request_bytes")));
	assert_true(isnan(value_of(&figures, "device_share")));
	figures.class.tally.bytes = 0; /* page faults move no bytes */
	assert_true(isnan(value_of(&figures, "mbps")));
	assert_true(isnan(value_of(&figures, "mibps")));
	figures.stream.mean_in_flight = 0;
	assert_true(isnan(value_of(&figures, "little")));
	figures.class.tally.ops = 0;
	for (const struct metric *metric = summary_metrics; metric->name; metric++)
		(void)value_of(&figures, metric->name); /* no division traps */
	assert_true(isnan(value_of(&figures, "mean_us")));
	assert_true(isnan(value_of(&figures, "cpu_us")));
	assert_true(value_of(&figures, "iops") == 0);
	figures.class.duration_s = 0;
	assert_true(isnan(value_of(&figures, "iops")));
}

static void test_catalog(void **state)
{
	assert_null(summary_metric("megabytes"));
	assert_false(summary_metric("p99_us")->higher_better);
	assert_true(summary_metric("iops")->higher_better);
	for (const struct metric *metric = summary_metrics; metric->name; metric++) {
		assert_ptr_equal(summary_metric(metric->name), metric);
		assert_non_null(metric->unit);
		assert_non_null(metric->help);
	}
}

static void test_median(void **state)
{
	double odd[] = {9, 1, 5}, even[] = {4, 1, 3, 2}, one[] = {7};

	assert_true(summary_median(odd, 3) == 5);
	assert_true(summary_median(even, 4) == 2.5);
	assert_true(summary_median(one, 1) == 7);
	assert_true(isnan(summary_median(one, 0)));
}

static void test_spread_over_ok_repeats(void **state)
{
	const struct metric *iops = summary_metric("iops");
	struct result result;
	struct result_point *point;
	struct spread spread;

	sample_mixed(&result);
	point = &result.variants[0].points[0];
	spread = summary_spread(point, 0, 0, iops);
	assert_int_equal(spread.n, 3);
	assert_true(fabs(spread.min - 20000 / 2.000274) < 1);
	assert_true(fabs(spread.median - 22000 / 2.000274) < 1);
	assert_true(fabs(spread.max - 24000 / 2.000274) < 1);
	point->repeats[2].status = RESULT_FAILED;
	spread = summary_spread(point, 0, 0, iops);
	assert_int_equal(spread.n, 2);
	assert_true(fabs(spread.median - 21000 / 2.000274) < 1);
	assert_int_equal(summary_spread(point, 2, 0, iops).n, 0);
	assert_int_equal(summary_spread(point, 1, 1, iops).n, 0);
	assert_true(isnan(summary_spread(&result.variants[0].points[1], 0, 0, iops).median));
	assert_int_equal(summary_spread(&result.variants[0].points[2], 0, 0, iops).n, 0);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_metric),
		cmocka_unit_test(test_what_does_not_apply_is_nan),
		cmocka_unit_test(test_catalog),
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_spread_over_ok_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
