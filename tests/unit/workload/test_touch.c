/* SPDX-License-Identifier: MIT */
/* test_touch.c - every page is touched alike, timed in batches, and faulted before. */
#include "workload/touch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/field.h"

#define PAGES 256u

struct rig {
	struct touch_params params;
	struct workload_setup setup;
	struct worker worker;
	size_t page_bytes;
};

static void rig_open(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	rig->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	field_presets(workload_touch.entry.fields, &rig->params);
	rig->setup = (struct workload_setup){.params = &rig->params,
					     .region_bytes = PAGES * rig->page_bytes,
					     .region_page_bytes = (unsigned)rig->page_bytes,
					     .workers = 1,
					     .region_workers = 1};
	rig->worker = (struct worker){
		.ops = &workload_touch, .setup = &rig->setup, .seed = 5, .phase = PHASE_MEASURE};
	rig->worker.region = mmap(NULL, PAGES * rig->page_bytes, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	rig->worker.recorder = calloc(1, sizeof(*rig->worker.recorder));
	assert_true(rig->worker.region != MAP_FAILED);
	assert_non_null(rig->worker.recorder);
	recorder_init(rig->worker.recorder);
}

static void rig_start(struct rig *rig)
{
	struct error error = {0};

	assert_int_equal(workload_touch.probe(&rig->setup, &error), 0);
	if (workload_touch.setup(&rig->worker, &error) < 0)
		fail_msg("%s", error.text);
}

static void rig_close(struct rig *rig)
{
	workload_touch.teardown(&rig->worker);
	munmap(rig->worker.region, PAGES * rig->page_bytes);
	free(rig->worker.recorder);
}

static void step(struct rig *rig, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(workload_touch.step(&rig->worker), 0);
}

static void test_batches_are_counted_and_timed(void **state)
{
	const struct recorder_class *class;
	struct rig rig;

	rig_open(&rig);
	rig.params.batch = 10;
	rig_start(&rig);
	step(&rig, 7);
	rig.worker.phase = PHASE_WARMUP;
	step(&rig, 3);
	class = &rig.worker.recorder->classes[0];
	assert_int_equal(class->tally[PHASE_MEASURE].ops, 70);
	assert_int_equal(class->tally[PHASE_MEASURE].batches, 7);
	assert_int_equal(class->tally[PHASE_MEASURE].bytes, 0);
	assert_int_equal(class->interval[0].count, 70);
	assert_int_equal(class->tally[PHASE_WARMUP].ops, 30);
	assert_int_equal(class->warmup.count, 30);
	rig_close(&rig);
}

/* Each write adds one somewhere in its page. */
static void test_pages_are_drawn_evenly(void **state)
{
	uint64_t total = 0;
	struct rig rig;

	rig_open(&rig);
	rig.params.op = TOUCH_WRITE;
	rig_start(&rig);
	step(&rig, PAGES * 1000 / 64);
	for (unsigned page = 0; page < PAGES; page++) {
		const uint64_t *words = (const uint64_t *)(const void *)((char *)rig.worker.region +
									 page * rig.page_bytes);
		uint64_t hits = 0;
		unsigned lines = 0;

		for (size_t line = 0; line < rig.page_bytes / 64; line++) {
			hits += words[line * 8];
			lines += words[line * 8] > 0;
		}
		/* 1000 expected, standard deviation 32: six of them. */
		assert_in_range(hits, 800, 1200);
		assert_true(lines > rig.page_bytes / 64 * 9 / 10);
		total += hits;
	}
	assert_int_equal(total, rig.worker.recorder->classes[0].tally[PHASE_MEASURE].ops);
	rig_close(&rig);
}

static void test_reading_changes_nothing(void **state)
{
	struct rig rig;

	rig_open(&rig);
	rig_start(&rig);
	step(&rig, 1000);
	for (size_t i = 0; i < PAGES * rig.page_bytes; i += 64)
		assert_int_equal(((const char *)rig.worker.region)[i], 0);
	rig_close(&rig);
}

static long faults_of_steps(bool populate, int op)
{
	struct rusage before, after;
	struct rig rig;

	rig_open(&rig);
	/* As another process left it: the memory is there, this process has no page tables for it.
	 */
	memset(rig.worker.region, 0, PAGES * rig.page_bytes);
	assert_int_equal(madvise(rig.worker.region, PAGES * rig.page_bytes, MADV_DONTNEED), 0);
	rig.params.populate = populate;
	rig.params.op = op;
	rig_start(&rig);
	memset(rig.worker.recorder, 0, sizeof(*rig.worker.recorder));
	recorder_init(rig.worker.recorder);
	getrusage(RUSAGE_THREAD, &before);
	step(&rig, 200);
	getrusage(RUSAGE_THREAD, &after);
	rig_close(&rig);
	return after.ru_minflt - before.ru_minflt;
}

static void test_a_populated_region_does_not_fault(void **state)
{
	/* Without, the kernel brings in several neighbours a fault. */
	assert_true(faults_of_steps(true, TOUCH_READ) < 5);
	assert_true(faults_of_steps(true, TOUCH_WRITE) < 5);
	assert_true(faults_of_steps(false, TOUCH_WRITE) >= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batches_are_counted_and_timed),
		cmocka_unit_test(test_pages_are_drawn_evenly),
		cmocka_unit_test(test_reading_changes_nothing),
		cmocka_unit_test(test_a_populated_region_does_not_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
