/* SPDX-License-Identifier: MIT */
/* test_calibrate_need.c - needs read from words, and held against what was found. */
#include "command/calibrate.h"

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
#include "command/command.h"
#include "stats/calibration.h"

static void test_reads_every_form(void **state)
{
	struct calibrate_need need;
	struct error error = {0};

	assert_int_equal(calibrate_need_parse("", &need, &error), 0);
	assert_true(need.iops == 0 && need.mbps == 0 && need.latency_ns == 0);
	assert_int_equal(calibrate_need_parse("iops=12000,mbps=400,p99=5ms", &need, &error), 0);
	assert_true(need.iops == 12000 && need.mbps == 400 && need.latency_ns == 5000000);
	assert_string_equal(calibrate_latencies[need.latency].name, "p99");
	assert_int_equal(calibrate_need_parse("mean=250us,iops=1.5k", &need, &error), 0);
	assert_true(need.iops == 1500 && need.mbps == 0 && need.latency_ns == 250000);
	assert_string_equal(calibrate_latencies[need.latency].name, "mean");
	assert_int_equal(calibrate_need_parse("p99.9=1s", &need, &error), 0);
	assert_string_equal(calibrate_latencies[need.latency].name, "p99.9");
}

static void test_refuses_the_rest(void **state)
{
	static const char *const words[][2] = {
		{"iops", "'iops' has no value"},
		{"iops=", "no number above 0"},
		{"iops=-1", "no number above 0"},
		{"iops=0", "no number above 0"},
		{"iops=nan", "no number above 0"},
		{"iops=1e400", "no number above 0"},
		{"iops=12x", "no number above 0"},
		{"iops=1,iops=2", "named twice"},
		{"p99=5", NULL}, /* seconds: allowed */
		{"p99=5 ms", "p99"},
		{"p99=0ms", "nothing meets"},
		{"p99=5ms,p50=1ms", "two limits"},
		{"p98=5ms", "nothing is called 'p98'"},
		{"iops=1,,mbps=2", "'' has no value"},
		{"\x1b[2J=1", "\\x1b"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct calibrate_need need = {.iops = 7};
		struct error error = {0};
		int status = calibrate_need_parse(words[i][0], &need, &error);

		if (!words[i][1]) {
			assert_int_equal(status, 0);
			continue;
		}
		assert_int_equal(status, ERROR_INPUT);
		if (!strstr(error.text, words[i][1]))
			fail_msg("%s: %s", words[i][0], error.text);
		assert_true(need.iops == 7);
	}
}

/* A calibration with one limited part and the loads of its search. */
static struct calibration *answered(const char *outcome, double iops, double low, double high,
				    const struct calibrate_need *need)
{
	static const unsigned loads[] = {1, 2, 4};
	struct calibrate_wish wish = {.need = *need};
	struct search_rule rule = {
		.loads = loads, .n_loads = 3, .limit = 5e6, .repeats = SEARCH_REPEATS_MIN};
	struct calibrate calibrate = {.wish = &wish};
	struct calibration *calibration = calloc(1, sizeof(*calibration));
	struct error error = {0};

	assert_non_null(calibration);
	calibration->parts = calloc(1, sizeof(*calibration->parts));
	assert_non_null(calibration->parts);
	calibration->n_parts = 1;
	calibration->parts[0] = calibration_part_unknown;
	snprintf(calibration->parts[0].outcome, sizeof(calibration->parts[0].outcome), "%s",
		 outcome);
	snprintf(calibration->percentile, sizeof(calibration->percentile), "p99");
	calibration->parts[0].iops = iops;
	calibration->parts[0].iops_low = low;
	calibration->parts[0].iops_high = high;
	assert_int_equal(search_open(&calibrate.series[0].search, &rule), 0);
	for (unsigned i = 0; i < 3; i++)
		search_add(&calibrate.series[0].search, i, 1e6 * loads[i], 1000 * loads[i]);
	if (calibrate_need_answer(&calibrate, calibration, &error) < 0)
		fail_msg("%s", error.text);
	search_close(&calibrate.series[0].search);
	return calibration;
}

static void expect_code(const char *outcome, double iops, double low, double high,
			const struct calibrate_need *need, int code)
{
	struct calibration *calibration = answered(outcome, iops, low, high, need);

	assert_int_equal(calibrate_code(calibration), code);
	calibration_free(calibration);
}

static void test_answers(void **state)
{
	const struct calibrate_need iops = {.iops = 3500}, nothing = {.iops = 0};

	expect_code("found", 4000, 3600, 4400, &iops, EXIT_CODE_OK);
	expect_code("found", 4000, 3400, 4400, &iops, EXIT_CODE_INCONCLUSIVE);
	expect_code("found", 3000, 2900, 3100, &iops, EXIT_CODE_REGRESSED);
	expect_code("unreached", 3000, 2900, 3100, &iops, EXIT_CODE_REGRESSED);
	expect_code("unmet", NAN, NAN, NAN, &iops, EXIT_CODE_REGRESSED);
	/* A search that was ended early has a lower bound: enough for a yes, not for a no. */
	expect_code("unsettled", 4000, 3600, 4400, &iops, EXIT_CODE_OK);
	expect_code("unsettled", 3000, 2900, 3100, &iops, EXIT_CODE_INCONCLUSIVE);
	expect_code("nothing", NAN, NAN, NAN, &iops, EXIT_CODE_INCONCLUSIVE);
	expect_code("unmet", NAN, NAN, NAN, &nothing, EXIT_CODE_REGRESSED);
	expect_code("unreached", 1, 1, 1, &nothing, EXIT_CODE_OK);
	expect_code("found", 1, 1, 1, &nothing, EXIT_CODE_OK);
	expect_code("unsettled", 1, 1, 1, &nothing, EXIT_CODE_INCONCLUSIVE);
}

/* The latency at the rate that is needed: 2 in flight give 2000 a second in 2 ms. */
static void test_latency_at_the_rate_that_is_needed(void **state)
{
	const struct calibrate_need need = {.iops = 1900, .latency_ns = 5000000, .latency = 2};
	const struct calibrate_need more = {.iops = 9000, .latency_ns = 5000000, .latency = 2};
	struct calibration *calibration = answered("found", 4000, 3900, 4100, &need);

	assert_int_equal(calibration->n_needs, 2);
	assert_string_equal(calibration->needs[1].what, "p99");
	assert_true(calibration->needs[1].got == 2e6);
	assert_string_equal(calibration->needs[1].answer, "yes");
	assert_true(calibration_factor(&calibration->needs[1], calibration->needs[1].got) == 2.5);
	calibration_free(calibration);
	expect_code("found", 4000, 3900, 4100, &more, EXIT_CODE_REGRESSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_every_form),
		cmocka_unit_test(test_refuses_the_rest),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_latency_at_the_rate_that_is_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
