/* SPDX-License-Identifier: MIT */
/* test_figures.c - every figure of a repeat by hand. */
#include "report/figures.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/result.h"

static void check(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-9))
		fail_msg("%.12g is not %.12g", value, expected);
}

static void test_every_figure(void **state)
{
	struct result_class classes[2] = {{.tally = {.ops = 600, .bytes = 4096000}},
					  {.tally = {.ops = 400, .bytes = 4096000}}};
	struct result_stream streams[2] = {
		{.n_classes = 1, .classes = &classes[0], .usage = {.user_ns = 1000000}},
		{.n_classes = 1, .classes = &classes[1], .usage = {.system_ns = 2000000}}};
	struct result_audit audits[2] = {
		{.page_bytes = 65536, .asked_bytes = 100, .got_bytes = 100, .got_end_bytes = 90},
		{.page_bytes = 65536, .asked_bytes = 300, .got_bytes = 200, .got_end_bytes = 200}};
	struct result_device devices[1] = {{.reads = 1000, .read_bytes = 8192000}};
	struct result_repeat repeat = {
		.cpu = {.busy_s = 1, .irq_s = 0.2, .softirq_s = 0.1, .steal_s = 0.4, .total_s = 4},
		.runner = {.user_ns = 2000000, .system_ns = 3000000},
		.n_streams = 2,
		.streams = streams,
		.n_audits = 2,
		.audits = audits,
		.n_devices = 1,
		.devices = devices};

	check(figure_busy_percent(&repeat), 25);
	check(figure_irq_percent(&repeat), 5);
	check(figure_softirq_percent(&repeat), 2.5);
	check(figure_steal_percent(&repeat), 10);
	check(figure_process_cpu_us(&repeat), 5);
	check(figure_other_cpu_us(&repeat), 2);
	check(figure_got_percent(&repeat), 75);
	check(figure_got_end_percent(&repeat), 72.5);
	check(figure_request_bytes(&repeat), 8192);
	check(figure_device_share(&repeat), 1);
	assert_int_equal(repeat_page_bytes(&repeat), 65536);
	audits[1].page_bytes = 4096;
	assert_int_equal(repeat_page_bytes(&repeat), 0);
	repeat.runner.user_ns = 0;
	repeat.runner.system_ns = 1; /* a sum of threads may exceed the process by a tick */
	check(figure_other_cpu_us(&repeat), 0);
}

static void test_an_empty_repeat_has_none(void **state)
{
	const struct result_repeat repeat = {.index = 0};

	assert_true(isnan(figure_busy_percent(&repeat)));
	assert_true(isnan(figure_process_cpu_us(&repeat)));
	assert_true(isnan(figure_other_cpu_us(&repeat)));
	assert_true(isnan(figure_got_percent(&repeat)));
	assert_true(isnan(figure_request_bytes(&repeat)));
	assert_true(isnan(figure_device_share(&repeat)));
	assert_int_equal(repeat_page_bytes(&repeat), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_figure),
		cmocka_unit_test(test_an_empty_repeat_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
