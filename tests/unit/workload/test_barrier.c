/* SPDX-License-Identifier: MIT */
/* test_barrier.c - all wait for the last one, and nobody for one that will not come. */
#include "workload/barrier.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "stats/recorder.h"

#define TURNS 200u
#define MANY  4u

struct shared {
	struct barrier barrier;
	_Atomic uint32_t phase;
	_Atomic uint32_t passed[TURNS];
	_Atomic uint32_t early; /* passed a turn that not all had reached */
};

static struct shared *shared_open(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(shared != MAP_FAILED);
	shared->phase = PHASE_MEASURE;
	return shared;
}

static void shared_close(struct shared *shared)
{
	munmap(shared, sizeof(*shared));
}

static void *go_through(void *argument)
{
	struct shared *shared = argument;

	for (unsigned i = 0; i < TURNS; i++) {
		atomic_fetch_add(&shared->passed[i], 1);
		if (!barrier_wait(&shared->barrier, MANY, &shared->phase) ||
		    atomic_load(&shared->passed[i]) != MANY)
			atomic_fetch_add(&shared->early, 1);
	}
	return NULL;
}

static void test_threads_pass_together(void **state)
{
	struct shared *shared = shared_open();
	pthread_t threads[MANY];

	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, go_through, shared), 0);
	for (unsigned i = 0; i < MANY; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(shared->early, 0);
	shared_close(shared);
}

static void test_processes_pass_together(void **state)
{
	struct shared *shared = shared_open();
	int status;

	for (unsigned i = 0; i < MANY; i++) {
		if (fork())
			continue;
		go_through(shared);
		_exit(0);
	}
	for (unsigned i = 0; i < MANY; i++)
		assert_true(wait(&status) > 0 && status == 0);
	assert_int_equal(shared->early, 0);
	shared_close(shared);
}

static void test_one_alone_never_waits(void **state)
{
	struct shared *shared = shared_open();

	for (unsigned i = 0; i < TURNS; i++)
		assert_true(barrier_wait(&shared->barrier, 1, &shared->phase));
	shared_close(shared);
}

static void *drain_soon(void *argument)
{
	struct shared *shared = argument;

	clock_sleep_until(clock_now_ns() + 20000000);
	atomic_store(&shared->phase, PHASE_DRAIN);
	return NULL;
}

static void *break_soon(void *argument)
{
	struct shared *shared = argument;

	clock_sleep_until(clock_now_ns() + 20000000);
	barrier_break(&shared->barrier);
	return NULL;
}

/* Nobody wakes who waits when the crew drains: a killed worker cannot. */
static void test_who_waits_is_released(void **state)
{
	void *(*const ends[])(void *) = {drain_soon, break_soon};

	for (unsigned i = 0; i < 2; i++) {
		struct shared *shared = shared_open();
		uint64_t begin_ns = clock_now_ns();
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, ends[i], shared), 0);
		assert_false(barrier_wait(&shared->barrier, 2, &shared->phase));
		pthread_join(thread, NULL);
		/* For good, and without a busy loop for who comes again and again. */
		for (unsigned k = 0; k < 3; k++)
			assert_false(barrier_wait(&shared->barrier, 2, &shared->phase));
		assert_true(clock_now_ns() - begin_ns > UINT64_C(25000000));
		assert_true(clock_now_ns() - begin_ns < UINT64_C(10000000000));
		shared_close(shared);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_pass_together),
		cmocka_unit_test(test_processes_pass_together),
		cmocka_unit_test(test_one_alone_never_waits),
		cmocka_unit_test(test_who_waits_is_released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
