/* SPDX-License-Identifier: MIT */
/* test_conformance.c - what every engine must do, for every engine and every switch it has. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "rig.h"
#include "steps.h"
#include "variants.h"

#define FILE_BYTES (8u << 20)
#define TAIL_BYTES 1000u
#define N_BLOCKS   (FILE_BYTES / RIG_BLOCK)

static void random_reads(struct rig *rig, struct random *random, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		rig_read(rig, i, random_below(random, N_BLOCKS) * RIG_BLOCK);
}

static void test_probe_says_yes_where_open_works(void **state)
{
	const struct variant *variant = *state;
	struct engine_setup setup = {.depth = 32, .batch = 8, .region_bytes = 1 << 20, .queues = 2};
	const struct engine_ops *ops = engine_ops_of(&variant->choice);
	unsigned before = rig_count_fds();
	struct error error = {0};
	struct rig rig;

	step_open_or_skip(&rig, variant, 32, 8, 32, -1);
	rig_close(&rig);
	if (ops->probe(variant->choice.params, &setup, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(rig_count_fds(), before);
}

static void test_random_reads_bring_the_data(void **state)
{
	static const unsigned shapes[][2] = {{1, 1}, {5, 3}, {16, 4}, {32, 32}, {33, 7}, {128, 32}};
	struct random random;

	random_seed(&random, 42, 0);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct rig rig;

		step_open_or_skip(&rig, *state, shapes[i][0], shapes[i][1], 200, -1);
		random_reads(&rig, &random, 200);
		assert_int_equal(rig_turn(&rig, 200), 0);
		step_expect_full_reads(*state, &rig, 200);
		rig_close(&rig);
	}
}

static void test_every_request_comes_back_once(void **state)
{
	struct request *done[64];
	struct rig rig;
	unsigned n = 0;

	step_open_or_skip(&rig, *state, 64, 64, 64, -1);
	rig_reads(&rig, 64);
	assert_int_equal(step_submit_all(&rig, 0, 64), 64);
	while (n < 64) {
		int rc = rig.queue.ops->reap(&rig.queue, done, 1, 7);

		assert_in_range(rc, 1, 7);
		for (int i = 0; i < rc; i++)
			assert_int_equal(done[i]->retries++, 0);
		n += (unsigned)rc;
	}
	assert_int_equal(n, 64);
	assert_int_equal(rig.queue.ops->reap(&rig.queue, done, 0, 64), 0);
	rig_close(&rig);
}

static void test_writes_arrive(void **state)
{
	struct rig_file scratch;
	struct rig rig;

	step_need_file(*state);
	rig_file_open(&scratch, 64 * RIG_BLOCK);
	step_open_on_or_skip(&rig, *state, &scratch, 8, 8, 16, -1);
	for (unsigned i = 0; i < 16; i++) {
		rig_read(&rig, i, i * RIG_BLOCK)->op = REQUEST_WRITE;
		memset(rig.requests[i].buffer, 'a' + (int)i, RIG_BLOCK);
	}
	step_turn(*state, &rig, 16);
	for (unsigned i = 0; i < 16; i++) {
		assert_int_equal(rig.requests[i].result, RIG_BLOCK);
		rig_read(&rig, i, i * RIG_BLOCK);
	}
	step_turn(*state, &rig, 16);
	for (unsigned i = 0; i < 16; i++) {
		assert_int_equal(rig.requests[i].result, RIG_BLOCK);
		assert_int_equal(rig.region[i * RIG_BLOCK], 'a' + (int)i);
		assert_int_equal(rig.region[(i + 1) * RIG_BLOCK - 1], 'a' + (int)i);
	}
	rig_close(&rig);
	rig_file_close(&scratch);
}

static void test_end_of_file(void **state)
{
	struct rig rig;

	step_need_file(*state);
	step_open_or_skip(&rig, *state, 4, 4, 3, -1);
	rig_read(&rig, 0, FILE_BYTES);				 /* the tail: short */
	rig_read(&rig, 1, FILE_BYTES + (uint64_t)RIG_BLOCK * 8); /* wholly past the end */
	rig_read(&rig, 2, 0);
	step_turn(*state, &rig, 3);
	assert_int_equal(rig.requests[0].result, TAIL_BYTES);
	assert_true(rig_verify(&rig.requests[0], TAIL_BYTES));
	assert_int_equal(rig.requests[1].result, 0);
	assert_int_equal(rig.requests[2].result, RIG_BLOCK);
	rig_close(&rig);
}

static void test_full_queue_takes_no_more(void **state)
{
	static const unsigned depths[] = {1, 3, 8, 33};

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		unsigned depth = depths[i];
		struct rig rig;

		step_open_or_skip(&rig, *state, depth, depth, 64, -1);
		for (unsigned j = 0; j < 64; j++)
			rig_read(&rig, j, j * RIG_BLOCK);
		assert_int_equal(step_submit_all(&rig, 0, 64), depth);
		assert_int_equal(step_submit_all(&rig, depth, 64 - depth), 0);
		step_reap_exactly(&rig, 1);
		assert_int_equal(step_submit_all(&rig, depth, 64 - depth), 1);
		step_reap_exactly(&rig, depth);
		step_expect_full_reads(*state, &rig, depth + 1);
		rig_close(&rig);
	}
}

static void mixed_errors(const struct variant *variant, int bad_fd)
{
	struct rig rig;

	step_need_file(variant);
	step_open_or_skip(&rig, variant, 16, 8, 32, bad_fd);
	for (unsigned i = 0; i < 32; i++)
		rig_read(&rig, i, i * RIG_BLOCK)->target = i % 3 == 0;
	step_turn(variant, &rig, 32);
	for (unsigned i = 0; i < 32; i++) {
		assert_int_equal(rig.requests[i].result, i % 3 == 0 ? -EBADF : (int)RIG_BLOCK);
		if (i % 3)
			assert_true(rig_verify(&rig.requests[i], RIG_BLOCK));
	}
	rig_close(&rig);
}

static void test_error_hurts_its_own_request_only(void **state)
{
	mixed_errors(*state, -1);
}

static void test_closed_descriptor(void **state)
{
	mixed_errors(*state, 1000000);
}

static void test_buffer_that_cannot_be(void **state)
{
	struct rig rig;

	step_need_file(*state);
	step_open_or_skip(&rig, *state, 4, 4, 3, -1);
	for (unsigned i = 0; i < 3; i++)
		rig_read(&rig, i, 0);
	rig.requests[1].buffer = (void *)(uintptr_t)4096;
	step_turn(*state, &rig, 3);
	assert_int_equal(rig.requests[0].result, RIG_BLOCK);
	assert_int_equal(rig.requests[1].result, -EFAULT);
	assert_int_equal(rig.requests[2].result, RIG_BLOCK);
	rig_close(&rig);
}

static void test_reap_keeps_between_min_and_max(void **state)
{
	struct request *done[32];
	struct rig rig;
	unsigned left = 32;

	step_open_or_skip(&rig, *state, 32, 32, 32, -1);
	rig_reads(&rig, 32);
	assert_int_equal(step_submit_all(&rig, 0, 32), 32);
	while (left > 8) {
		int rc = rig.queue.ops->reap(&rig.queue, done, 2, 3);

		assert_in_range(rc, 2, 3);
		left -= (unsigned)rc;
	}
	assert_int_equal(rig.queue.ops->reap(&rig.queue, done, left, 32), left);
	rig_close(&rig);
}

static void test_reap_of_nothing_does_not_wait(void **state)
{
	struct request *done[4];
	struct rig rig;

	step_open_or_skip(&rig, *state, 4, 4, 4, -1);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(rig.queue.ops->reap(&rig.queue, done, 0, 4), 0);
	rig_close(&rig);
}

/* What submit held back must start without anybody waiting for it. */
static void test_polling_gets_there(void **state)
{
	uint64_t deadline_ns = clock_now_ns() + 10000000000u;
	struct request *done[8];
	struct rig rig;
	unsigned left = 8;

	step_open_or_skip(&rig, *state, 8, 8, 8, -1);
	rig_reads(&rig, 8);
	assert_int_equal(step_submit_all(&rig, 0, 8), 8);
	while (left && clock_now_ns() < deadline_ns) {
		int rc = rig.queue.ops->reap(&rig.queue, done, 0, left);

		assert_true(rc >= 0);
		left -= (unsigned)rc;
	}
	assert_int_equal(left, 0);
	step_expect_full_reads(*state, &rig, 8);
	rig_close(&rig);
}

static void test_close_waits_for_what_is_in_flight(void **state)
{
	for (unsigned round = 0; round < 20; round++) {
		struct rig rig;

		step_open_or_skip(&rig, *state, 64, 64, 64, -1);
		for (unsigned i = 0; i < 64; i++)
			rig_read(&rig, i, i * RIG_BLOCK);
		assert_int_equal(step_submit_all(&rig, 0, 64), 64);
		if (round % 2) {
			struct request *done[64];

			assert_true(rig.queue.ops->reap(&rig.queue, done, 1, 5) >= 1);
		}
		rig.queue.ops->close(&rig.queue);
		rig.queue.ops = NULL;
		step_expect_full_reads(*state, &rig, 64);
		memset(rig.region, 0x55, rig.region_bytes);
		usleep(2000);
		for (size_t at = 0; at < rig.region_bytes; at += 512)
			assert_int_equal(rig.region[at], 0x55);
		rig_close(&rig);
	}
}

static void test_open_and_close_leave_nothing_behind(void **state)
{
	/* io_destroy takes a while. */
	unsigned rounds = ((const struct variant *)*state)->switched ? 20 : 200;
	unsigned before = rig_count_fds();
	char traits[160] = "";

	for (unsigned round = 0; round < rounds; round++) {
		struct rig rig;

		step_open_or_skip(&rig, *state, 32, 8, 8, -1);
		if (!round)
			memcpy(traits, rig.queue.traits, sizeof(traits));
		assert_string_equal(rig.queue.traits, traits);
		rig_close(&rig);
	}
	assert_int_equal(rig_count_fds(), before);
}

struct helper {
	const struct variant *variant;
	uint64_t stream;
	const char *complaint; /* null if all went well */
};

static void *read_in_thread(void *argument)
{
	struct helper *helper = argument;
	struct random random;
	struct error error = {0};
	struct rig rig;

	random_seed(&random, 42, helper->stream);
	if (rig_open(&rig, &helper->variant->choice, &step_file, 16, 4, 500, -1, &error) < 0) {
		helper->complaint = "open failed";
		return NULL;
	}
	random_reads(&rig, &random, 500);
	if (rig_turn(&rig, 500) < 0)
		helper->complaint = "a turn failed";
	for (unsigned i = 0; i < 500 && !helper->complaint; i++)
		if (!(helper->variant->nowait && rig.requests[i].result == -EAGAIN) &&
		    (rig.requests[i].result != (int)RIG_BLOCK ||
		     (!helper->variant->models && !rig_verify(&rig.requests[i], RIG_BLOCK))))
			helper->complaint = "a read brought the wrong data";
	rig_close(&rig);
	return NULL;
}

static void test_two_queues_in_two_threads(void **state)
{
	struct helper helpers[2] = {{*state, 1, NULL}, {*state, 2, NULL}};
	pthread_t threads[2];
	struct rig rig;

	step_open_or_skip(&rig, *state, 16, 4, 4, -1);
	rig_close(&rig);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_in_thread, &helpers[i]), 0);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_null(helpers[0].complaint);
	assert_null(helpers[1].complaint);
}

static atomic_uint alarms;

static void count_alarm(int signal_number)
{
	atomic_fetch_add(&alarms, 1);
}

static void test_signals_interrupt_nothing(void **state)
{
	struct itimerval often = {.it_interval = {0, 300}, .it_value = {0, 300}}, never = {0};
	struct sigaction action = {.sa_handler = count_alarm}, old;
	struct random random;
	struct rig rig;

	step_open_or_skip(&rig, *state, 8, 4, 1000, -1);
	random_seed(&random, 7, 0);
	random_reads(&rig, &random, 1000);
	sigaction(SIGALRM, &action, &old);
	setitimer(ITIMER_REAL, &often, NULL);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(rig_turn(&rig, 1000), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	step_expect_full_reads(*state, &rig, 1000);
	rig_close(&rig);
}

static void test_turns_allocate_nothing(void **state)
{
	struct random random;
	size_t before;
	struct rig rig;

	step_open_or_skip(&rig, *state, 32, 8, 500, -1);
	random_seed(&random, 9, 0);
	random_reads(&rig, &random, 500);
	before = mallinfo2().uordblks;
	assert_int_equal(rig_turn(&rig, 500), 0);
	assert_int_equal(mallinfo2().uordblks, before);
	rig_close(&rig);
}

static const struct {
	const char *name;
	CMUnitTestFunction function;
} suite[] = {
	{"probe says yes where open works", test_probe_says_yes_where_open_works},
	{"random reads bring the data", test_random_reads_bring_the_data},
	{"every request comes back once", test_every_request_comes_back_once},
	{"writes arrive", test_writes_arrive},
	{"end of file", test_end_of_file},
	{"a full queue takes no more", test_full_queue_takes_no_more},
	{"an error hurts its own request only", test_error_hurts_its_own_request_only},
	{"a closed descriptor", test_closed_descriptor},
	{"a buffer that cannot be", test_buffer_that_cannot_be},
	{"reap keeps between min and max", test_reap_keeps_between_min_and_max},
	{"reap of nothing does not wait", test_reap_of_nothing_does_not_wait},
	{"polling gets there", test_polling_gets_there},
	{"close waits for what is in flight", test_close_waits_for_what_is_in_flight},
	{"open and close leave nothing behind", test_open_and_close_leave_nothing_behind},
	{"two queues in two threads", test_two_queues_in_two_threads},
	{"signals interrupt nothing", test_signals_interrupt_nothing},
	{"turns allocate nothing", test_turns_allocate_nothing},
};

#define N_SUITE (sizeof(suite) / sizeof(suite[0]))

int main(void)
{
	static struct variant variants[VARIANTS_MAX];
	static struct CMUnitTest tests[VARIANTS_MAX * N_SUITE];
	static char names[VARIANTS_MAX * N_SUITE][160];
	unsigned n = variants_list(variants), count = 0;
	int failed;

	rig_file_open(&step_file, FILE_BYTES + TAIL_BYTES);
	for (unsigned i = 0; i < n; i++) {
		for (size_t j = 0; j < N_SUITE; j++, count++) {
			snprintf(names[count], sizeof(names[count]), "%s: %s", variants[i].label,
				 suite[j].name);
			tests[count] = (struct CMUnitTest){.name = names[count],
							   .test_func = suite[j].function,
							   .initial_state = &variants[i]};
		}
	}
	failed = _cmocka_run_group_tests("engine conformance", tests, count, NULL, NULL);
	for (unsigned i = 0; i < n; i++)
		choice_free(&variants[i].choice);
	rig_file_close(&step_file);
	return failed;
}
