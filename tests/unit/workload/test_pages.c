/* SPDX-License-Identifier: MIT */
/* test_pages.c - zeropage reads what nobody wrote, alloc takes pages and gives them back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "stats/result.h"
#include "workload/alloc.h"
#include "workload/zeropage.h"

#define MIB (UINT64_C(1) << 20)

/* Sanitizers have memory of their own, which faults, too. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#endif

#define ASSERT_NEAR(value, expected, tolerance)                                                    \
	assert_true(fabs((value) - (expected)) <= (tolerance))

struct rig {
	const struct workload_ops *ops;
	union {
		struct zeropage_params zeropage;
		struct alloc_params alloc;
	} params;
	struct workload_setup setup;
	struct recorder *recorders; /* of two workers, one of which works */
	struct worker worker;
};

static void rig_open(struct rig *rig, const struct workload_ops *ops)
{
	memset(rig, 0, sizeof(*rig));
	rig->ops = ops;
	field_presets(ops->entry.fields, &rig->params);
	rig->setup = (struct workload_setup){.params = &rig->params, .workers = 1};
	rig->recorders = calloc(2, sizeof(*rig->recorders));
	assert_non_null(rig->recorders);
	recorder_init(&rig->recorders[0]);
	recorder_init(&rig->recorders[1]);
	rig->worker = (struct worker){.ops = ops,
				      .setup = &rig->setup,
				      .recorder = rig->recorders,
				      .phase = PHASE_MEASURE};
}

/* False, the reason printed, where the machine cannot. */
static bool rig_start(struct rig *rig)
{
	struct error error = {0};
	int status = rig->ops->probe(&rig->setup, &error);

	if (status == ERROR_CANNOT) {
		print_message("skipped, because %s\n", error.text);
		free(rig->recorders);
		return false;
	}
	if (status < 0 || rig->ops->setup(&rig->worker, &error) < 0)
		fail_msg("%s", error.text);
	return true;
}

static void rig_close(struct rig *rig)
{
	rig->ops->teardown(&rig->worker);
	free(rig->recorders);
}

static void step(struct rig *rig, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(rig->ops->step(&rig->worker), 0);
}

static struct tally *tally_of(const struct rig *rig, unsigned op_class)
{
	return &rig->recorders[0].classes[op_class].tally[PHASE_MEASURE];
}

static double derived(const struct rig *rig, const char *name)
{
	for (const struct derived *d = rig->ops->derived; d->name; d++)
		if (strcmp(d->name, name) == 0)
			return d->value(&rig->setup, NULL, rig->recorders);
	fail_msg("no figure is called %s", name);
	return NAN;
}

/* 64M in steps of 2M are 32 touches, each a fault, and nothing is allocated for them. */
static void check_zeropage(int source, int thp)
{
	struct rig rig;

	rig_open(&rig, &workload_zeropage);
	rig.params.zeropage.size_bytes = 64 * MIB;
	rig.params.zeropage.source = source;
	rig.params.zeropage.thp = thp;
	rig.params.zeropage.batch = 10;
	if (!rig_start(&rig))
		skip();
	step(&rig, 3 * (1 + 4));
	assert_int_equal(tally_of(&rig, ZEROPAGE_CLASS_FAULT)->ops, 3 * 32);
	assert_int_equal(tally_of(&rig, ZEROPAGE_CLASS_FAULT)->batches, 3 * 4);
	assert_int_equal(tally_of(&rig, ZEROPAGE_CLASS_MAP)->ops, 3);
	assert_int_equal(tally_of(&rig, ZEROPAGE_CLASS_FREE)->ops, 2);
#ifndef SANITIZED
	assert_in_range(tally_of(&rig, ZEROPAGE_CLASS_FAULT)->minor_faults, 3 * 32, 3 * 32 + 9);
#endif
	rig_close(&rig);
}

static void test_every_step_is_a_fault(void **state)
{
	for (int source = ZEROPAGE_ANONYMOUS; source <= ZEROPAGE_DEV_ZERO; source++)
		check_zeropage(source, ZEROPAGE_NEVER);
}

static void test_huge_zero_page_serves_both_sources(void **state)
{
	for (int source = ZEROPAGE_ANONYMOUS; source <= ZEROPAGE_DEV_ZERO; source++)
		check_zeropage(source, ZEROPAGE_ADVISE);
}

/* The published rows: 72 processes that read 100G with a step of 2M. */
static void test_usemem_rate_is_the_published_one(void **state)
{
	struct rig rig;

	rig_open(&rig, &workload_zeropage);
	rig.params.zeropage.size_bytes = UINT64_C(100) << 30;
	tally_of(&rig, ZEROPAGE_CLASS_FAULT)->ops = 51200;
	tally_of(&rig, ZEROPAGE_CLASS_FAULT)->minor_faults = 51200;
	tally_of(&rig, ZEROPAGE_CLASS_FAULT)->busy_ns = 707592000;
	ASSERT_NEAR(derived(&rig, "usemem_kbps") * 72, 1333744848, 100);
	ASSERT_NEAR(derived(&rig, "runtime_s"), 0.707592, 1e-9);
	ASSERT_NEAR(derived(&rig, "faults_per_sec"), 51200 / 0.707592, 1e-3);
	ASSERT_NEAR(derived(&rig, "runtime_spread"), 0, 1e-9);
	rig.setup.workers = 2;
	rig.recorders[1].classes[ZEROPAGE_CLASS_FAULT].tally[PHASE_MEASURE] = (struct tally){
		.ops = 51200, .minor_faults = 51200, .busy_ns = 3 * UINT64_C(707592000)};
	ASSERT_NEAR(derived(&rig, "runtime_s"), 2 * 0.707592, 1e-9);
	ASSERT_NEAR(derived(&rig, "runtime_spread"), 100, 1e-9);
	ASSERT_NEAR(derived(&rig, "usemem_kbps") * 72, 1333744848.0 * 4 / 3, 200);
	free(rig.recorders);
}

static void test_a_worker_without_figures_spoils_the_mean(void **state)
{
	struct rig rig;

	rig_open(&rig, &workload_zeropage);
	assert_true(isnan(derived(&rig, "runtime_s")));
	assert_true(isnan(derived(&rig, "faults_per_sec")));
	assert_true(isnan(derived(&rig, "usemem_kbps")));
	free(rig.recorders);
}

static void test_steps_that_do_not_fit_are_refused(void **state)
{
	struct error error = {0};
	struct rig rig;

	rig_open(&rig, &workload_zeropage);
	rig.params.zeropage.step_bytes = 2 * rig.params.zeropage.size_bytes;
	assert_int_equal(workload_zeropage.probe(&rig.setup, &error), ERROR_INPUT);
	assert_string_equal(error.text, "step 2G is more than size 1G");
	rig.params.zeropage.step_bytes = 12;
	assert_int_equal(workload_zeropage.probe(&rig.setup, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "not a multiple of 8"));
	free(rig.recorders);
}

static void check_alloc(int page)
{
	struct rig rig;

	rig_open(&rig, &workload_alloc);
	rig.params.alloc.page = page;
	rig.params.alloc.pages = 8;
	if (!rig_start(&rig))
		skip();
	step(&rig, 5);
	for (unsigned c = ALLOC_CLASS_ALLOC; c <= ALLOC_CLASS_RELEASE; c++) {
		assert_int_equal(tally_of(&rig, c)->ops, 40);
		assert_int_equal(tally_of(&rig, c)->batches, 5);
		assert_true(tally_of(&rig, c)->busy_ns > 0);
		assert_int_equal(tally_of(&rig, c)->tsc_cycles > 0, clock_has_tsc());
		assert_int_equal(rig.recorders[0].classes[c].interval[0].count, 40);
	}
	rig_close(&rig);
}

static void test_pages_are_taken_and_given_back(void **state)
{
	check_alloc(ALLOC_BASE);
	check_alloc(ALLOC_HUGE);
}

/* The published rule: the rate is the number of CPUs times the counter's rate over the cycles. */
static void test_cycles_and_rate_agree(void **state)
{
	struct rig rig;

	rig_open(&rig, &workload_alloc);
	rig.setup.workers = 2;
	for (unsigned i = 0; i < 2; i++) {
		struct recorder_class *classes = rig.recorders[i].classes;

		classes[ALLOC_CLASS_ALLOC].tally[PHASE_MEASURE] = (struct tally){
			.ops = 1000000, .busy_ns = 200000000, .tsc_cycles = 438000000};
		classes[ALLOC_CLASS_RELEASE].tally[PHASE_MEASURE] = (struct tally){
			.ops = 1000000, .busy_ns = 50000000, .tsc_cycles = 109500000};
	}
	ASSERT_NEAR(derived(&rig, "alloc_cycles"), 438, 1e-9);
	ASSERT_NEAR(derived(&rig, "release_cycles"), 109.5, 1e-9);
	ASSERT_NEAR(derived(&rig, "cycles_per_page"), 547.5, 1e-9);
	ASSERT_NEAR(derived(&rig, "tsc_mhz"), 2190, 1e-6);
	ASSERT_NEAR(derived(&rig, "pages_per_sec"), 2 * 2190e6 / 547.5, 1e-3);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned c = ALLOC_CLASS_ALLOC; c <= ALLOC_CLASS_RELEASE; c++)
			rig.recorders[i].classes[c].tally[PHASE_MEASURE].tsc_cycles = 0;
	assert_true(isnan(derived(&rig, "cycles_per_page")));
	assert_true(isnan(derived(&rig, "tsc_mhz")));
	ASSERT_NEAR(derived(&rig, "pages_per_sec"), 8e6, 1e-3);
	free(rig.recorders);
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A folder as orion_pagebench has it, with a result that does not depend on what is written. */
static void fake_open(struct rig *rig, const char *result)
{
	char folder[] = "/tmp/orion-pagebench.XXXXXX";

	rig_open(rig, &workload_alloc);
	assert_non_null(mkdtemp(folder));
	write_file(folder, "run", "");
	write_file(folder, "result", result);
	rig->params.alloc.mode = ALLOC_KERNEL;
	snprintf(rig->params.alloc.debugfs, sizeof(rig->params.alloc.debugfs), "%s", folder);
}

static void fake_close(struct rig *rig)
{
	char path[512];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", rig->params.alloc.debugfs,
			 i ? "result" : "run");
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(rig->params.alloc.debugfs), 0);
}

/* What was written to the kernel, which keeps nothing; the file does. */
static void assert_told(const struct rig *rig, const char *expected)
{
	char path[512], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/run", rig->params.alloc.debugfs);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	assert_string_equal(text, expected);
}

/* Two CPUs of 2 GHz: 400.5 and 600 cycles a pair, so 200.25 and 300 ns. */
static void test_kernel_is_asked_and_its_figures_are_ours(void **state)
{
	struct rig rig;
	const struct histogram *histogram;

	fake_open(&rig,
		  "{\"bench\": \"orion_pagebench\", \"version\": 1, \"order\": 0,\n"
		  " \"slice_pairs\": 64, \"tsc_khz\": 2000000, \"cpus\": [\n"
		  "  {\"cpu\": 0, \"pairs\": 3000, \"cycles\": 1201500, \"failures\": 0},\n"
		  "  {\"cpu\": 5, \"pairs\": 1000, \"cycles\": 600000, \"failures\": 2}\n]}\n");
	rig.params.alloc.cpus = 2;
	assert_true(rig_start(&rig));
	step(&rig, 1);
	rig.recorders[0].step_count = 1;
	assert_told(&rig, "start 2\nstop\n");
	histogram = &rig.recorders[0].classes[ALLOC_CLASS_ALLOC].interval[0];
	assert_int_equal(tally_of(&rig, ALLOC_CLASS_ALLOC)->ops, 4000);
	assert_int_equal(tally_of(&rig, ALLOC_CLASS_ALLOC)->errors, 2);
	assert_int_equal(tally_of(&rig, ALLOC_CLASS_RELEASE)->ops, 0);
	assert_int_equal(histogram->count, 4000);
	assert_int_equal(histogram->sum_ns, 3000 * 20025 / 100 + 1000 * 300);
	ASSERT_NEAR(derived(&rig, "cycles_per_page"), 1801500.0 / 4000, 1e-9);
	assert_true(isnan(derived(&rig, "alloc_cycles")));
	assert_true(isnan(derived(&rig, "release_cycles")));
	ASSERT_NEAR(derived(&rig, "tsc_mhz"), 2000, 1e-6);
	ASSERT_NEAR(derived(&rig, "pages_per_sec"), 2 * 4000e9 / 900750, 1e-3);
	rig_close(&rig);
	fake_close(&rig);
}

static void test_kernel_that_tells_nonsense_fails_the_step(void **state)
{
	static const char *const results[][2] = {
		{"", "/result:"},
		{"{\"tsc_khz\": 0, \"cpus\": []}", "no result of orion_pagebench"},
		{"{\"tsc_khz\": 1000, \"cpus\": [{\"cpu\": 0, \"pairs\": 1}]}",
		 "cpus[0]: there is no number 'cycles'"},
	};

	for (unsigned i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		struct rig rig;

		fake_open(&rig, results[i][0]);
		assert_true(rig_start(&rig));
		assert_true(rig.ops->step(&rig.worker) < 0);
		assert_non_null(strstr(rig.recorders[0].failure, results[i][1]));
		assert_int_equal(tally_of(&rig, ALLOC_CLASS_ALLOC)->ops, 0);
		rig_close(&rig);
		fake_close(&rig);
	}
}

static void test_kernel_that_is_not_there_is_told_with_the_remedy(void **state)
{
	struct rig rig;
	struct error error = {0};

	rig_open(&rig, &workload_alloc);
	rig.params.alloc.mode = ALLOC_KERNEL;
	snprintf(rig.params.alloc.debugfs, sizeof(rig.params.alloc.debugfs), "/nowhere");
	assert_int_equal(rig.ops->probe(&rig.setup, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "there is no /nowhere/run: "));
	assert_non_null(strstr(error.text, "scripts/lab/lab build --patches numa-threshold"));
	assert_non_null(strstr(error.text, "mount -t debugfs"));
	rig.setup.workers = 2;
	assert_int_equal(rig.ops->probe(&rig.setup, &error), ERROR_INPUT);
	rig.setup.workers = 1;
	rig.params.alloc.page = ALLOC_HUGE;
	assert_int_equal(rig.ops->probe(&rig.setup, &error), ERROR_INPUT);
	free(rig.recorders);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_step_is_a_fault),
		cmocka_unit_test(test_huge_zero_page_serves_both_sources),
		cmocka_unit_test(test_usemem_rate_is_the_published_one),
		cmocka_unit_test(test_a_worker_without_figures_spoils_the_mean),
		cmocka_unit_test(test_steps_that_do_not_fit_are_refused),
		cmocka_unit_test(test_pages_are_taken_and_given_back),
		cmocka_unit_test(test_cycles_and_rate_agree),
		cmocka_unit_test(test_kernel_is_asked_and_its_figures_are_ours),
		cmocka_unit_test(test_kernel_that_tells_nonsense_fails_the_step),
		cmocka_unit_test(test_kernel_that_is_not_there_is_told_with_the_remedy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
