/* SPDX-License-Identifier: MIT */
/* test_pmu.c - groups are opened, read at one moment and scaled; refusals say why. */
#include "run/pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"

/* What every kernel counts, with a PMU or without. */
static const struct pmu_event software[] = {
	{EVENT_CYCLES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{EVENT_INSTRUCTIONS, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{EVENT_DTLB_MISSES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
};

static int open_nothing(struct perf_event_attr *attributes, int group_fd)
{
	return -ENOENT;
}

static int open_refused(struct perf_event_attr *attributes, int group_fd)
{
	return -EACCES;
}

static int open_no_third(struct perf_event_attr *attributes, int group_fd)
{
	assert_int_equal(attributes->exclude_hv, 1);
	assert_int_equal(attributes->exclude_kernel, 0);
	assert_int_equal(attributes->inherit, 0);
	if (attributes->config == PERF_COUNT_SW_CONTEXT_SWITCHES)
		return -EOPNOTSUPP;
	return pmu_open_event(attributes, group_fd);
}

static void test_refusals_say_why(void **state)
{
	struct error error = {0};
	struct pmu pmu;

	assert_int_equal(pmu_open_events(&pmu, software, 3, open_nothing, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "shows no counters of hardware events"));
	assert_non_null(strstr(error.text, strerror(ENOENT)));
	assert_int_equal(pmu_open_events(&pmu, software, 3, open_refused, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "sysctl kernel.perf_event_paranoid=1"));
}

static bool open_software(struct pmu *pmu, int (*open_event)(struct perf_event_attr *, int))
{
	struct error error = {0};

	if (pmu_open_events(pmu, software, 3, open_event, &error) == 0)
		return true;
	print_message("skipped, because %s\n", error.text);
	return false;
}

static void fault(unsigned pages)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, pages * page_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(at != MAP_FAILED);
	madvise(at, pages * page_bytes, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < pages; i++)
		at[i * page_bytes] = 1;
	munmap(at, pages * page_bytes);
}

static void test_a_group_is_read_at_one_moment(void **state)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	struct result_events sum = {0};
	struct pmu pmu;
	uint64_t until_ns;

	assert_non_null(recorder);
	if (!open_software(&pmu, pmu_open_event)) {
		free(recorder);
		skip();
	}
	recorder->events_counted = pmu_counted(&pmu);
	assert_int_equal(recorder->events_counted, 7);
	fault(10); /* before the first reading: not counted */
	pmu_read(&pmu, &recorder->events[0]);
	fault(100);
	until_ns = clock_now_ns() + 20000000;
	while (clock_now_ns() < until_ns)
		;
	pmu_read(&pmu, &recorder->events[1]);
	pmu_sum_up(recorder, &sum);
	pmu_close(&pmu);
	assert_int_equal(pmu.n, 0);
	assert_int_equal(sum.workers, 1);
	/* Software events are always on: nothing to scale. The clock runs while the thread does. */
	assert_true(sum.running_s > 0 && fabs(sum.running_s - sum.enabled_s) < 1e-9);
	assert_true(sum.cycles > 1e6 && sum.cycles < 1e9 * sum.enabled_s + 1e6);
	assert_true(sum.instructions >= 100);
#ifndef __SANITIZE_THREAD__ /* it takes faults of its own for every store */
	assert_true(sum.instructions < 200);
#endif
	free(recorder);
}

static void test_an_event_that_is_missing_is_no_zero(void **state)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	struct result_events sum = {0};
	struct pmu pmu;

	assert_non_null(recorder);
	if (!open_software(&pmu, open_no_third)) {
		free(recorder);
		skip();
	}
	recorder->events_counted = pmu_counted(&pmu);
	assert_int_equal(recorder->events_counted, 3);
	pmu_read(&pmu, &recorder->events[0]);
	fault(1);
	pmu_read(&pmu, &recorder->events[1]);
	pmu_sum_up(recorder, &sum);
	pmu_close(&pmu);
	assert_true(isnan(sum.dtlb_misses));
	assert_true(sum.instructions >= 1);
	free(recorder);
}

static void test_shared_counters_are_scaled(void **state)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	struct result_events sum = {0};

	assert_non_null(recorder);
	recorder->events_counted = 7;
	recorder->events[0] =
		(struct events){.enabled_ns = 1000, .running_ns = 500, .counts = {10, 20, 30}};
	recorder->events[1] = (struct events){.enabled_ns = 1000 + 4000000000,
					      .running_ns = 500 + 1000000000,
					      .counts = {10 + 100, 20 + 200, 30 + 7}};
	pmu_sum_up(recorder, &sum);
	pmu_sum_up(recorder, &sum);
	assert_int_equal(sum.workers, 2);
	assert_true(sum.enabled_s == 8 && sum.running_s == 2);
	assert_true(sum.cycles == 800 && sum.instructions == 1600 && sum.dtlb_misses == 56);
	free(recorder);
}

static void test_a_worker_that_was_never_on_counts_for_nothing(void **state)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	struct result_events sum = {0};
	struct pmu closed = {.n = 0};

	assert_non_null(recorder);
	pmu_read(&closed, &recorder->events[0]);
	assert_int_equal(recorder->events[0].enabled_ns, 0);
	recorder->events_counted = 7;
	recorder->events[0].enabled_ns = recorder->events[1].enabled_ns = 5;
	pmu_sum_up(recorder, &sum);
	assert_int_equal(sum.workers, 0);
	free(recorder);
}

static void test_the_probe_counts_or_says_why(void **state)
{
	struct error error = {0};
	int status = pmu_probe(&error);

	if (status < 0)
		print_message("no PMU here: %s\n", error.text);
	assert_true(status == 0 || (status == ERROR_CANNOT && error.text[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals_say_why),
		cmocka_unit_test(test_a_group_is_read_at_one_moment),
		cmocka_unit_test(test_an_event_that_is_missing_is_no_zero),
		cmocka_unit_test(test_shared_counters_are_scaled),
		cmocka_unit_test(test_a_worker_that_was_never_on_counts_for_nothing),
		cmocka_unit_test(test_the_probe_counts_or_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
