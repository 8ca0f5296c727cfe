/* SPDX-License-Identifier: MIT */
/* test_counters.c - differences of /proc/stat and /sys/block statistics, in the units they claim.
 */
#include "run/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"

static void test_differences_in_their_units(void **state)
{
	struct counters counters = {.stat_fd = -1, .n_devices = 1, .devices = {"sdx"}};
	struct counters_sample begin = {.stat = "cpu  100 0 50 1000 10 1 2 3 0 0\ncpu0 1 2\n",
					.device = {"10 1 80 5 20 0 160 7 0 30 0\n"}};
	struct counters_sample end = {.stat = "cpu  150 10 70 1500 20 2 5 4 0 0\ncpu0 1 2\n",
				      .device = {"110 3 1680 9 21 0 168 8 2 80 0\n"}};
	double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	struct result_device device;
	struct result_cpu cpu;

	counters_subtract(&counters, &begin, &end, &cpu, &device);
	assert_true(cpu.user_s > 59.9 * tick_s && cpu.user_s < 60.1 * tick_s);
	assert_true(cpu.busy_s > 83.9 * tick_s && cpu.busy_s < 84.1 * tick_s);
	assert_true(cpu.total_s > 594.9 * tick_s && cpu.total_s < 595.1 * tick_s);
	assert_string_equal(device.name, "sdx");
	assert_int_equal(device.reads, 100);
	assert_int_equal(device.read_merges, 2);
	assert_int_equal(device.read_bytes, 1600 * 512);
	assert_int_equal(device.writes, 1);
	assert_int_equal(device.write_bytes, 8 * 512);
	assert_int_equal(device.io_ticks_ms, 50);
}

static void test_idle_time_may_be_taken_back(void **state)
{
	struct counters counters = {.stat_fd = -1};
	struct counters_sample begin = {.stat = "cpu  100 0 50 1000 90 1 2 3 0 0\n"};
	struct counters_sample end = {.stat = "cpu  110 0 60 1005 10 1 2 3 0 0\n"};
	double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	struct result_cpu cpu;

	counters_subtract(&counters, &begin, &end, &cpu, NULL);
	assert_true(cpu.busy_s > 19.9 * tick_s && cpu.busy_s < 20.1 * tick_s);
	assert_true(cpu.total_s >= cpu.busy_s);
	assert_true(cpu.iowait_s >= 0);
}

static void test_a_device_without_statistics_is_left_out(void **state)
{
	char devices[1][32] = {"no-such-device"};
	struct counters counters;
	struct error error = {0};

	assert_int_equal(counters_open(&counters, devices, 1, &error), 0);
	assert_int_equal(counters.n_devices, 0);
	counters_close(&counters);
	assert_int_equal(counters.stat_fd, -1);
}

static void test_time_passes(void **state)
{
	static struct counters_sample begin, end;
	struct counters counters;
	struct error error = {0};
	struct result_cpu cpu;

	assert_int_equal(counters_open(&counters, NULL, 0, &error), 0);
	counters_read(&counters, &begin);
	clock_sleep_until(clock_now_ns() + UINT64_C(200000000));
	counters_read(&counters, &end);
	counters_subtract(&counters, &begin, &end, &cpu, NULL);
	assert_true(cpu.total_s > 0);
	assert_true(cpu.busy_s >= 0 && cpu.busy_s <= cpu.total_s);
	counters_close(&counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_differences_in_their_units),
		cmocka_unit_test(test_idle_time_may_be_taken_back),
		cmocka_unit_test(test_a_device_without_statistics_is_left_out),
		cmocka_unit_test(test_time_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
