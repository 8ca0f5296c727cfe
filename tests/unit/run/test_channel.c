/* SPDX-License-Identifier: MIT */
/* test_channel.c - the runner's main thread sleeps until the deadline, a stop or a failure, in both
 * processes. */
#include "run/channel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"

#define MS UINT64_C(1000000)

static void test_waits_until_the_deadline(void **state)
{
	struct channel *channel;
	uint64_t begin_ns;

	assert_int_equal(channel_open(3, &channel, NULL), 0);
	begin_ns = clock_now_ns();
	assert_false(channel_wait(channel, begin_ns + 30 * MS));
	assert_true(clock_now_ns() - begin_ns >= 30 * MS);
	assert_false(channel_wait(channel, begin_ns));
	channel_close(channel);
}

static void test_another_process_can_stop_it(void **state)
{
	struct channel *channel;
	uint64_t begin_ns;
	pid_t child;

	assert_int_equal(channel_open(1, &channel, NULL), 0);
	child = fork();
	if (child == 0) {
		clock_sleep_until(clock_now_ns() + 50 * MS);
		atomic_store(&channel->stop, 1);
		channel_ring(channel);
		_exit(0);
	}
	begin_ns = clock_now_ns();
	assert_true(channel_wait(channel, begin_ns + 60000 * MS));
	assert_true(clock_now_ns() - begin_ns < 30000 * MS);
	waitpid(child, NULL, 0);
	channel_close(channel);
}

static void test_a_ring_alone_does_not_end_it(void **state)
{
	struct channel *channel;
	pid_t child;

	assert_int_equal(channel_open(1, &channel, NULL), 0);
	child = fork();
	if (child == 0) {
		channel_ring(channel);
		_exit(0);
	}
	assert_false(channel_wait(channel, clock_now_ns() + 50 * MS));
	waitpid(child, NULL, 0);
	channel_close(channel);
}

static void test_recorders_are_fresh_and_on_their_own_lines(void **state)
{
	struct channel *channel;

	assert_int_equal(channel_open(2, &channel, NULL), 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal((uintptr_t)&channel->recorders[i] % 128, 0);
		assert_int_equal(channel->recorders[i].classes[0].interval[1].min_ns, UINT64_MAX);
	}
	channel_close(channel);
	channel_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits_until_the_deadline),
		cmocka_unit_test(test_another_process_can_stop_it),
		cmocka_unit_test(test_a_ring_alone_does_not_end_it),
		cmocka_unit_test(test_recorders_are_fresh_and_on_their_own_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
