/* SPDX-License-Identifier: MIT */
/* test_fault.c - every page once a round, and what is made of it. */
#include "workload/fault.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/field.h"
#include "memory/memory.h"
#include "stats/result.h"

#define PAGES	1024u
#define WORKERS 2u

/* Sanitizers have memory of their own, which faults, too. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#endif

#define ASSERT_NEAR(value, expected, tolerance)                                                    \
	assert_true(fabs((value) - (expected)) <= (tolerance))

struct rig {
	struct fault_params params;
	struct choice memory;
	struct region region;
	struct workload_setup setup;
	struct recorder *recorders;
	struct worker workers[WORKERS];
	_Atomic uint32_t phase;
	size_t page_bytes;
};

static void rig_worker(struct rig *rig, unsigned i, void *shared)
{
	uint64_t share_bytes = workload_share_bytes(&rig->setup, rig->region.mapping.bytes);

	rig->workers[i] = (struct worker){
		.ops = &workload_fault,
		.setup = &rig->setup,
		.index = i,
		.region_index = i,
		.mapped = &rig->region,
		.shared = shared,
		.buffers = (char *)rig->region.mapping.address + i * share_bytes,
		.buffers_bytes = share_bytes,
		.recorder = &rig->recorders[i],
		.phase = PHASE_MEASURE,
		/* Who is alone is stepped batch by batch. */
		.crew_phase = rig->setup.workers > 1 ? &rig->phase : NULL,
	};
}

static void rig_open(struct rig *rig, const char *memory, unsigned workers)
{
	const struct entry *entry = NULL;
	struct error error = {0};

	memset(rig, 0, sizeof(*rig));
	rig->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	rig->phase = PHASE_MEASURE;
	field_presets(workload_fault.entry.fields, &rig->params);
	rig->params.batch = 100;
	rig->params.discard = 0;
	assert_int_equal(catalog_find(&memory_catalog, memory, &entry, &error), 0);
	assert_int_equal(catalog_choose(entry, &rig->memory, &error), 0);
	rig->region = (struct region){.name = "sga",
				      .ops = memory_ops_of(&rig->memory),
				      .params = rig->memory.params,
				      .size_bytes = PAGES * rig->page_bytes};
	if (region_open(&rig->region, &error))
		fail_msg("%s", error.text);
	rig->setup = (struct workload_setup){.params = &rig->params,
					     .region_bytes = PAGES * rig->page_bytes,
					     .region_page_bytes = rig->page_bytes,
					     .workers = workers,
					     .region_workers = workers};
}

static void rig_start(struct rig *rig)
{
	struct error error = {0};
	void *shared;

	rig->recorders = calloc(rig->setup.workers, sizeof(*rig->recorders));
	assert_non_null(rig->recorders);
	shared = mmap(NULL, workload_fault.shared_bytes(&rig->setup), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED);
	if (workload_fault.probe(&rig->setup, &error))
		fail_msg("%s", error.text);
	for (unsigned i = 0; i < rig->setup.workers; i++) {
		recorder_init(&rig->recorders[i]);
		rig_worker(rig, i, shared);
		if (workload_fault.setup(&rig->workers[i], &error))
			fail_msg("%s", error.text);
	}
}

static void rig_close(struct rig *rig)
{
	void *shared = rig->workers[0].shared;

	for (unsigned i = 0; i < rig->setup.workers; i++)
		workload_fault.teardown(&rig->workers[i]);
	munmap(shared, workload_fault.shared_bytes(&rig->setup));
	free(rig->recorders);
	region_close(&rig->region);
	choice_free(&rig->memory);
}

/* Of a worker that is alone: one to renew the region, then as many as its pages need. */
static void play_round(struct rig *rig)
{
	unsigned batches = (unsigned)((PAGES + rig->params.batch - 1) / rig->params.batch);

	for (unsigned i = 0; i < batches + 1; i++)
		assert_int_equal(workload_fault.step(&rig->workers[0]), 0);
}

static const struct tally *tally_of(const struct rig *rig, enum fault_class op_class)
{
	return &rig->recorders[0].classes[op_class].tally[PHASE_MEASURE];
}

static double derived(const struct rig *rig, const char *name)
{
	for (const struct derived *d = workload_fault.derived; d->name; d++)
		if (strcmp(d->name, name) == 0)
			return d->value(&rig->setup, NULL, rig->recorders);
	fail_msg("no figure is called %s", name);
	return NAN;
}

static unsigned pages_written(const struct rig *rig)
{
	unsigned n = 0;

	for (unsigned i = 0; i < PAGES; i++)
		n += *(const uint64_t *)(const void *)((const char *)rig->region.mapping.address +
						       i * rig->page_bytes) == 1;
	return n;
}

static void check_rounds(const char *memory, int order, int renew, int op)
{
	struct rig rig;

	rig_open(&rig, memory, 1);
	rig.params.order = order;
	rig.params.stride_bytes = 7 * rig.page_bytes;
	rig.params.renew = renew;
	rig.params.op = op;
	rig_start(&rig);
	play_round(&rig);
	play_round(&rig);
	assert_int_equal(pages_written(&rig), op == FAULT_WRITE ? PAGES : 0);
	assert_int_equal(tally_of(&rig, FAULT_CLASS_PAGE)->ops, 2 * PAGES);
	assert_int_equal(tally_of(&rig, FAULT_CLASS_PAGE)->batches, 2 * 11);
	assert_int_equal(tally_of(&rig, FAULT_CLASS_ROUND)->ops, 1);
	assert_int_equal(tally_of(&rig, FAULT_CLASS_MAP)->ops, 2);
	assert_int_equal(rig.recorders[0].classes[FAULT_CLASS_PAGE].interval[0].count, 2 * PAGES);
#ifndef SANITIZED
	assert_in_range(tally_of(&rig, FAULT_CLASS_PAGE)->minor_faults, 2 * PAGES, 2 * PAGES + 20);
#endif
	rig_close(&rig);
}

static void test_every_page_once_a_round(void **state)
{
	static const char *const memories[] = {"base", "private"};

	for (unsigned m = 0; m < 2; m++)
		for (int order = FAULT_SEQUENTIAL; order <= FAULT_STRIDED; order++)
			for (int renew = FAULT_RENEW_MAP; renew <= FAULT_RENEW_DROP; renew++)
				for (int op = FAULT_WRITE; op <= FAULT_READ; op++)
					check_rounds(memories[m], order, renew, op);
}

static void test_figures_follow_from_the_counts(void **state)
{
	struct tally *page, *round;
	struct rig rig;

	rig_open(&rig, "base", 1);
	rig_start(&rig);
	page = &rig.recorders[0].classes[FAULT_CLASS_PAGE].tally[PHASE_MEASURE];
	round = &rig.recorders[0].classes[FAULT_CLASS_ROUND].tally[PHASE_MEASURE];
	assert_true(isnan(derived(&rig, "faults_per_sec")));
	assert_true(isnan(derived(&rig, "user_s")));
	*page = (struct tally){.ops = 4ull * PAGES,
			       .user_ns = 400000000,
			       .system_ns = 1600000000,
			       .minor_faults = PAGES / 4};
	*round = (struct tally){.ops = 4, .busy_ns = 8000000000};
	rig.recorders[0].classes[FAULT_CLASS_ROUND].tally[PHASE_WARMUP].ops = 3;
	ASSERT_NEAR(derived(&rig, "user_s"), 0.1, 1e-9);
	ASSERT_NEAR(derived(&rig, "sys_s"), 0.4, 1e-9);
	/* The published rule: pages over the sum of both. */
	ASSERT_NEAR(derived(&rig, "faults_per_sec_per_cpu"), PAGES / 0.5, 1e-6);
	ASSERT_NEAR(derived(&rig, "faults_per_sec"), PAGES / 2.0, 1e-6);
	ASSERT_NEAR(derived(&rig, "taken_per_page"), 1 / 16.0, 1e-9);
	ASSERT_NEAR(derived(&rig, "warmup_rounds"), 3, 0);
	*page = *round = (struct tally){0};
	rig_close(&rig);
}

static void test_first_rounds_do_not_count(void **state)
{
	struct rig rig;

	rig_open(&rig, "base", 1);
	rig.params.discard = 2;
	rig_start(&rig);
	for (unsigned i = 0; i < 4; i++)
		play_round(&rig);
	assert_int_equal(tally_of(&rig, FAULT_CLASS_PAGE)->ops, 2 * PAGES);
	assert_int_equal(rig.recorders[0].classes[FAULT_CLASS_PAGE].tally[PHASE_WARMUP].ops,
			 2 * PAGES);
	ASSERT_NEAR(derived(&rig, "warmup_rounds"), 2, 0);
	rig_close(&rig);
}

/* The CPU time of a round that a phase ends in is divided, as its pages are. */
static void test_a_phase_may_end_in_a_round(void **state)
{
	struct tally *tallies;
	struct rig rig;

	rig_open(&rig, "base", 1);
	rig_start(&rig);
	tallies = rig.recorders[0].classes[FAULT_CLASS_PAGE].tally;
	rig.workers[0].phase = PHASE_WARMUP;
	for (unsigned i = 0; i < 6; i++)
		workload_fault.step(&rig.workers[0]);
	rig.workers[0].phase = PHASE_MEASURE;
	for (unsigned i = 0; i < 6; i++)
		workload_fault.step(&rig.workers[0]);
	assert_int_equal(tallies[PHASE_WARMUP].ops, 500);
	assert_int_equal(tallies[PHASE_MEASURE].ops, PAGES - 500);
#ifndef SANITIZED
	assert_in_range(tallies[PHASE_WARMUP].minor_faults, 500, 520);
	assert_in_range(tallies[PHASE_MEASURE].minor_faults, PAGES - 500, PAGES - 480);
#endif
	assert_true(tallies[PHASE_WARMUP].user_ns + tallies[PHASE_WARMUP].system_ns > 0);
	rig_close(&rig);
}

struct helper {
	struct rig *rig;
	int status;
};

static void *second_worker(void *argument)
{
	struct helper *helper = argument;
	struct worker *worker = &helper->rig->workers[1];

	while (helper->status == 0 && atomic_load(&helper->rig->phase) < PHASE_DRAIN)
		helper->status = workload_fault.step(worker);
	return NULL;
}

static void test_two_workers_share_a_round(void **state)
{
	struct helper helper = {0};
	pthread_t thread;
	struct rig rig;

	rig_open(&rig, "base", 2);
	rig_start(&rig);
	helper.rig = &rig;
	assert_int_equal(pthread_create(&thread, NULL, second_worker, &helper), 0);
	while (tally_of(&rig, FAULT_CLASS_ROUND)->ops < 20)
		assert_int_equal(workload_fault.step(&rig.workers[0]), 0);
	atomic_store(&rig.phase, PHASE_DRAIN);
	pthread_join(thread, NULL);
	assert_int_equal(helper.status, 0);
	for (unsigned i = 0; i < 2; i++)
		assert_in_range(rig.recorders[i].classes[0].tally[PHASE_MEASURE].ops,
				20 * PAGES / 2, 21 * PAGES / 2);
	assert_int_equal(rig.recorders[1].classes[FAULT_CLASS_ROUND].tally[PHASE_MEASURE].ops, 0);
	rig_close(&rig);
}

static int refuse_map(const void *params, uint64_t size_bytes, struct mapping *ret,
		      struct error *error)
{
	return error_set(error, ERROR_CANNOT, "no memory today");
}

static void test_a_failure_is_told_and_keeps_nobody_waiting(void **state)
{
	struct memory_ops ops;
	struct helper helper = {0};
	pthread_t thread;
	struct rig rig;

	rig_open(&rig, "base", 2);
	rig_start(&rig);
	helper.rig = &rig;
	ops = *rig.region.ops;
	ops.map = refuse_map;
	rig.region.ops = &ops;
	assert_int_equal(pthread_create(&thread, NULL, second_worker, &helper), 0);
	assert_int_equal(workload_fault.step(&rig.workers[0]), ERROR_CANNOT);
	assert_string_equal(rig.recorders[0].failure, "region 'sga': no memory today");
	/* The crew drains now, and the other one sees it. */
	atomic_store(&rig.phase, PHASE_DRAIN);
	pthread_join(thread, NULL);
	assert_int_equal(helper.status, 0);
	assert_int_equal(rig.recorders[1].failure_code, 0);
	rig_close(&rig);
}

static void test_what_cannot_be_is_refused(void **state)
{
	struct error error = {0};
	struct rig rig;

	rig_open(&rig, "base", 1);
	rig.setup.region_workers = 2;
	assert_int_equal(workload_fault.probe(&rig.setup, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "another stream uses the region"));
	rig.setup.region_workers = rig.setup.workers = 2 * PAGES;
	assert_int_equal(workload_fault.probe(&rig.setup, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "less than a page each"));
	rig.setup.region_workers = rig.setup.workers = 2;
	rig.params.stride_bytes = rig.page_bytes + 1;
	assert_int_equal(workload_fault.probe(&rig.setup, &error), ERROR_INPUT);
	rig.params.stride_bytes = rig.page_bytes;
	rig.params.renew = FAULT_RENEW_MAP;
	assert_int_equal(workload_fault.probe(&rig.setup, &error), 0);
	rig.setup.worker_kind = WORKER_PROCESS;
	assert_int_equal(workload_fault.probe(&rig.setup, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "\"renew\": \"drop\""));
	region_close(&rig.region);
	choice_free(&rig.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_page_once_a_round),
		cmocka_unit_test(test_figures_follow_from_the_counts),
		cmocka_unit_test(test_first_rounds_do_not_count),
		cmocka_unit_test(test_a_phase_may_end_in_a_round),
		cmocka_unit_test(test_two_workers_share_a_round),
		cmocka_unit_test(test_a_failure_is_told_and_keeps_nobody_waiting),
		cmocka_unit_test(test_what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
