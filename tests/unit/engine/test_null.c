/* SPDX-License-Identifier: MIT */
/* test_null.c - order, capacity and service time of the engine without a kernel. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "engine/engine.h"
#include "rig.h"

struct fixture {
	struct choice choice;
	struct queue queue;
	struct request requests[16], *pointers[16], *done[16];
};

static void set_up(struct fixture *fixture, const char *text)
{
	struct engine_setup setup = {.depth = 8, .batch = 8, .queues = 1};
	struct error error = {0};

	rig_choose(&fixture->choice, text);
	if (queue_open(&fixture->queue, &fixture->choice, &setup, &error) < 0)
		fail_msg("%s", error.text);
	for (unsigned i = 0; i < 16; i++) {
		fixture->requests[i] = (struct request){.length_bytes = 4096 + i};
		fixture->pointers[i] = &fixture->requests[i];
	}
}

static void tear_down(struct fixture *fixture)
{
	if (fixture->queue.private_data)
		fixture->queue.ops->close(&fixture->queue);
	choice_free(&fixture->choice);
}

static int submit(struct fixture *fixture, unsigned first, unsigned n)
{
	return fixture->queue.ops->submit(&fixture->queue, fixture->pointers + first, n);
}

static int reap(struct fixture *fixture, unsigned min, unsigned max)
{
	return fixture->queue.ops->reap(&fixture->queue, fixture->done, min, max);
}

static void test_first_in_first_out_round_the_ring(void **state)
{
	struct fixture fixture = {0};

	set_up(&fixture, "\"null\"");
	assert_int_equal(submit(&fixture, 0, 6), 6);
	assert_int_equal(reap(&fixture, 1, 4), 4);
	assert_int_equal(submit(&fixture, 6, 10), 6);
	assert_int_equal(submit(&fixture, 12, 1), 0);
	assert_int_equal(reap(&fixture, 0, 16), 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_ptr_equal(fixture.done[i], &fixture.requests[4 + i]);
		assert_int_equal(fixture.done[i]->result, 4096 + 4 + i);
	}
	assert_int_equal(reap(&fixture, 0, 16), 0);
	tear_down(&fixture);
}

static void test_size_is_what_was_asked(void **state)
{
	struct fixture fixture = {0};

	set_up(&fixture, "{\"kind\": \"null\", \"size\": \"3g\"}");
	assert_int_equal(fixture.queue.ops->model_target_bytes(fixture.choice.params), 3ull << 30);
	tear_down(&fixture);
}

static void expect_service(const char *text, uint64_t service_ns)
{
	struct fixture fixture = {0};
	uint64_t start_ns, took_ns;

	set_up(&fixture, text);
	start_ns = clock_now_ns();
	assert_int_equal(submit(&fixture, 0, 4), 4);
	if (service_ns > 1000000)
		assert_int_equal(reap(&fixture, 0, 4), 0);
	assert_int_equal(reap(&fixture, 2, 3), 3);
	took_ns = clock_now_ns() - start_ns;
	assert_in_range(took_ns, service_ns, service_ns + 50000000);
	assert_int_equal(reap(&fixture, 0, 4), 1);
	start_ns = clock_now_ns();
	assert_int_equal(submit(&fixture, 0, 4), 4);
	fixture.queue.ops->close(&fixture.queue);
	assert_true(clock_now_ns() - start_ns >= service_ns);
	tear_down(&fixture);
}

static void test_service_time_is_slept(void **state)
{
	expect_service("{\"kind\": \"null\", \"service_time\": \"20ms\"}", 20000000);
}

static void test_service_time_is_spun(void **state)
{
	expect_service("{\"kind\": \"null\", \"service_time\": \"40us\"}", 40000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_in_first_out_round_the_ring),
		cmocka_unit_test(test_size_is_what_was_asked),
		cmocka_unit_test(test_service_time_is_slept),
		cmocka_unit_test(test_service_time_is_spun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
