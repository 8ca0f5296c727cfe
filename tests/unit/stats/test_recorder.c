/* SPDX-License-Identifier: MIT */
/* test_recorder.c - nothing is lost or counted twice between a worker and its reader. */
#include "stats/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

static struct recorder *recorders_new(unsigned n)
{
	struct recorder *recorders = aligned_alloc(128, recorder_bytes(n));

	assert_non_null(recorders);
	memset(recorders, 0, recorder_bytes(n));
	for (unsigned i = 0; i < n; i++)
		recorder_init(&recorders[i]);
	return recorders;
}

static struct histogram *histograms_new(unsigned n)
{
	struct histogram *histograms = calloc(n, sizeof(*histograms));

	assert_non_null(histograms);
	for (unsigned i = 0; i < n; i++)
		histogram_reset(&histograms[i]);
	return histograms;
}

static void record(struct recorder *recorder, enum phase phase, uint64_t ns)
{
	recorder_add(recorder, phase, recorder_enter(recorder), 0, ns);
}

static void test_each_has_its_own_cache_lines(void **state)
{
	struct recorder *recorders = recorders_new(2);

	assert_int_equal(recorder_bytes(2), (char *)&recorders[2] - (char *)&recorders[0]);
	assert_int_equal((uintptr_t)&recorders[1] % 128, 0);
	assert_int_equal(offsetof(struct recorder, seen) % 128, 0);
	assert_true(recorders[1].classes[3].interval[1].min_ns == UINT64_MAX);
	free(recorders);
}

static void test_phases_are_kept_apart(void **state)
{
	struct recorder *recorder = recorders_new(1);
	struct histogram *into = histograms_new(1);

	record(recorder, PHASE_WARMUP, 10);
	record(recorder, PHASE_MEASURE, 20);
	record(recorder, PHASE_DRAIN, 30);
	recorder_collect_all(recorder, 1, into);
	assert_int_equal(into->count, 1);
	assert_int_equal(into->max_ns, 20);
	assert_int_equal(recorder->classes[0].warmup.max_ns, 10);
	free(into);
	free(recorder);
}

static void test_collect_waits_for_the_worker(void **state)
{
	struct recorder *recorder = recorders_new(1);
	struct histogram *into = histograms_new(1), *interval = histograms_new(1);

	record(recorder, PHASE_MEASURE, 1);
	recorder_flip(recorder);
	histogram_add(interval, 77);
	assert_int_equal(recorder_collect(recorder, 1, into, interval), -EAGAIN);
	assert_int_equal(into->count, 0);
	assert_int_equal(interval->max_ns, 77); /* untouched */
	record(recorder, PHASE_MEASURE, 2);
	assert_int_equal(recorder_collect(recorder, 1, into, interval), 0);
	assert_int_equal(into->count, 1);
	assert_int_equal(interval->count, 1);
	assert_int_equal(interval->max_ns, 1);
	assert_int_equal(recorder_collect(recorder, 1, into, interval), 0);
	assert_int_equal(into->count, 1); /* once only */
	assert_int_equal(interval->count, 0);
	free(interval);
	free(into);
	free(recorder);
}

/* A worker that waits for an I/O through several intervals writes its batch into either buffer. */
static void test_a_second_flip_waits_for_the_first(void **state)
{
	struct recorder *recorder = recorders_new(1);
	struct histogram *into = histograms_new(1);
	uint32_t entered = recorder_enter(recorder);

	for (int i = 0; i < 5; i++) {
		recorder_flip(recorder);
		assert_int_equal(recorder_collect(recorder, 1, into, NULL), -EAGAIN);
	}
	recorder_add(recorder, PHASE_MEASURE, entered, 0, 5);
	assert_int_not_equal(recorder_enter(recorder), entered);
	assert_int_equal(recorder_collect(recorder, 1, into, NULL), 0);
	assert_int_equal(into->count, 1);
	free(into);
	free(recorder);
}

static void test_a_flip_waits_for_the_collecting(void **state)
{
	struct recorder *recorder = recorders_new(1);
	struct histogram *into = histograms_new(1);

	record(recorder, PHASE_MEASURE, 1);
	recorder_flip(recorder);
	record(recorder, PHASE_MEASURE, 2);
	recorder_flip(recorder); /* the 1 is still there: the worker goes on where it is */
	record(recorder, PHASE_MEASURE, 3);
	assert_int_equal(recorder_collect(recorder, 1, into, NULL), 0);
	assert_int_equal(into->sum_ns, 1);
	recorder_flip(recorder);
	record(recorder, PHASE_MEASURE, 4);
	assert_int_equal(recorder_collect(recorder, 1, into, NULL), 0);
	assert_int_equal(into->sum_ns, 1 + 2 + 3);
	free(into);
	free(recorder);
}

static void test_what_was_not_collected_comes_later(void **state)
{
	struct recorder *recorder = recorders_new(1);
	struct histogram *into = histograms_new(1);

	for (uint64_t i = 1; i <= 4; i++) { /* flipped, taken, never collected */
		record(recorder, PHASE_MEASURE, i);
		recorder_flip(recorder);
	}
	recorder_collect_all(recorder, 1, into);
	recorder_collect_all(recorder, 1, into);
	assert_int_equal(into->count, 4);
	assert_int_equal(into->sum_ns, 1 + 2 + 3 + 4);
	free(into);
	free(recorder);
}

#define RACE_VALUES 300000u

struct race {
	struct recorder *recorder;
	_Atomic unsigned refused;
	_Atomic bool done;
};

/* As if an I/O took long: until the reader has asked at least twice in vain. */
static void worker_pause(const struct race *race)
{
	unsigned before = atomic_load(&race->refused);

	while (atomic_load(&race->refused) < before + 2)
		sched_yield();
}

static void *race_worker(void *context)
{
	struct race *race = context;

	for (unsigned i = 1; i <= RACE_VALUES;) {
		uint32_t active = recorder_enter(race->recorder);

		if (i / 8 % 7500 == 3750)
			worker_pause(race);
		for (unsigned batch = 0; batch < 8 && i <= RACE_VALUES; batch++, i++)
			recorder_add(race->recorder, PHASE_MEASURE, active, i % 2, i);
	}
	race->done = true;
	return NULL;
}

/* The sum tells each value from its double. */
static void test_race_with_a_real_worker(void **state)
{
	struct race race = {.recorder = recorders_new(1)};
	struct histogram *into = histograms_new(2), *interval = histograms_new(2);
	uint64_t by_interval = 0;
	unsigned filled = 0;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, race_worker, &race), 0);
	while (!race.done) {
		recorder_flip(race.recorder);
		if (recorder_collect(race.recorder, 2, into, interval) < 0) {
			race.refused++;
			continue;
		}
		filled += interval[0].count > 0;
		by_interval += interval[0].count + interval[1].count;
	}
	assert_int_equal(by_interval, into[0].count + into[1].count);
	assert_int_equal(pthread_join(thread, NULL), 0);
	recorder_collect_all(race.recorder, 2, into);
	assert_int_equal(into[0].count, RACE_VALUES / 2);
	assert_int_equal(into[1].count, RACE_VALUES / 2);
	assert_int_equal(into[0].sum_ns + into[1].sum_ns,
			 (uint64_t)RACE_VALUES * (RACE_VALUES + 1) / 2);
	assert_true(filled >= 4); /* once between two pauses at least */
	free(interval);
	free(into);
	free(race.recorder);
}

static void test_usage(void **state)
{
	struct usage begin, end, spent, sum = {.user_ns = 5};

	usage_read(RUSAGE_SELF, &begin);
	do
		usage_read(RUSAGE_SELF, &end);
	while (end.user_ns + end.system_ns < begin.user_ns + begin.system_ns + 3000000);
	usage_subtract(&end, &begin, &spent);
	assert_true(spent.user_ns + spent.system_ns >= 2000000);
	assert_true(spent.user_ns + spent.system_ns < 2000000000);
	usage_add(&sum, &spent);
	assert_int_equal(sum.user_ns, spent.user_ns + 5);
	usage_subtract(&begin, &end, &spent); /* a step back is no time, not 584 years */
	assert_int_equal(spent.user_ns + spent.system_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_has_its_own_cache_lines),
		cmocka_unit_test(test_phases_are_kept_apart),
		cmocka_unit_test(test_collect_waits_for_the_worker),
		cmocka_unit_test(test_a_second_flip_waits_for_the_first),
		cmocka_unit_test(test_a_flip_waits_for_the_collecting),
		cmocka_unit_test(test_what_was_not_collected_comes_later),
		cmocka_unit_test(test_race_with_a_real_worker),
		cmocka_unit_test(test_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
