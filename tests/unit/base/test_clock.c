/* SPDX-License-Identifier: MIT */
/* test_clock.c - the clock goes forward, costs little, and sleeps through signals. */
#include "base/clock.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "expect.h"

static void it_never_goes_back(void **state)
{
	uint64_t before_ns = clock_now_ns();

	assert_true(before_ns > 0);
	for (int i = 0; i < 100000; i++) {
		uint64_t now_ns = clock_now_ns();

		assert_true(now_ns >= before_ns);
		before_ns = now_ns;
	}
}

static void its_cost_is_believable(void **state)
{
	double cost_ns = clock_cost_ns();

	assert_true(cost_ns > 0.5);
	assert_true(cost_ns < 100000);
}

static void do_nothing(int signal)
{
}

static void a_sleep_is_not_cut_short_by_signals(void **state)
{
	struct sigaction action = {.sa_handler = do_nothing}, old;
	struct itimerval often = {.it_interval = {.tv_usec = 2000}, .it_value = {.tv_usec = 2000}};
	struct itimerval never = {.it_value = {.tv_sec = 0}};
	uint64_t deadline_ns = clock_now_ns() + 30000000;

	assert_int_equal(sigaction(SIGALRM, &action, &old), 0);
	setitimer(ITIMER_REAL, &often, NULL);
	clock_sleep_until(deadline_ns);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	assert_true(clock_now_ns() >= deadline_ns);
}

static void a_deadline_in_the_past_returns_at_once(void **state)
{
	uint64_t start_ns = clock_now_ns();

	clock_sleep_until(0);
	clock_sleep_until(start_ns - 1);
	assert_true(clock_now_ns() - start_ns < 1000000000);
}

static void a_step_is_told_from_a_rate_and_a_pause(void **state)
{
	static const struct {
		int64_t monotonic_ns, raw_ns, step_ns;
	} rows[] = {
		{1000000000, 1000000000, 0},	     {1000400000, 1000000000, 0},
		{1040000000, 1000000000, 0},	     {960000000, 1000000000, 0},
		{3600000000000, 3601000000000, 0},   {1500000000, 1000000000, 500000000},
		{500000000, 1000000000, -500000000}, {-500000000, 1000000000, -1500000000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct clock_moment begin = {5000000000, 7000000000}, end = begin;

		end.monotonic_ns += (uint64_t)rows[i].monotonic_ns;
		end.raw_ns += (uint64_t)rows[i].raw_ns;
		assert_int_equal(clock_step_ns(begin, end), rows[i].step_ns);
	}
}

static void the_real_clock_does_not_step(void **state)
{
	struct clock_moment begin = clock_moment_now();

	clock_sleep_until(begin.monotonic_ns + 20000000);
	assert_int_equal(clock_step_ns(begin, clock_moment_now()), 0);
}

static void the_time_of_day_is_utc(void **state)
{
	struct tm parsed = {.tm_sec = 0};
	char text[32];
	const char *end = strptime(clock_utc(text), "%Y-%m-%dT%H:%M:%SZ", &parsed);

	assert_non_null(end);
	assert_string_equal(end, "");
	assert_true(llabs((long long)(timegm(&parsed) - time(NULL))) <= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_never_goes_back),
		cmocka_unit_test(its_cost_is_believable),
		cmocka_unit_test(a_sleep_is_not_cut_short_by_signals),
		cmocka_unit_test(a_deadline_in_the_past_returns_at_once),
		cmocka_unit_test(a_step_is_told_from_a_rate_and_a_pause),
		cmocka_unit_test(the_real_clock_does_not_step),
		cmocka_unit_test(the_time_of_day_is_utc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
