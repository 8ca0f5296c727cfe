/* SPDX-License-Identifier: MIT */
/* test_counter_sources.c - counters by their names: found, wished for, subtracted. */
#include "run/counter_sources.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "../memory/tree.h"
#include "base/error.h"

#define FOLIOS "/sys/kernel/mm/transparent_hugepage/hugepages-"
#define NODE0  "/sys/devices/system/node/node0/numastat"
#define LAB    "/sys/kernel/debug/orion_elevator/counts"

static char begin[COUNTER_TEXT_BYTES], end[COUNTER_TEXT_BYTES];

/* Context: patterns, NULL-terminated. */
static bool has(const void *context, const char *name)
{
	for (const char *const *pattern = context; *pattern; pattern++)
		if (fnmatch(*pattern, name, 0) == 0)
			return true;
	return false;
}

static void fill_before(const struct tree *tree)
{
	tree_put(tree, "/proc/vmstat",
		 "nr_free_pages 1000\npgfault 10\nthp_fault_alloc 3\n"
		 "thp_fault_fallback 5\nnuma_hit 77\n");
	tree_put(tree, FOLIOS "64kB/stats/shmem_alloc", "8\n");
	tree_put(tree, FOLIOS "64kB/stats/shmem_fallback", "1\n");
	tree_put(tree, FOLIOS "2048kB/stats/shmem_alloc", "4\n");
	tree_put(tree, NODE0, "numa_hit 5\nnuma_miss 6\n");
	tree_put(tree, "/proc/pressure/memory",
		 "some avg10=0.00 avg60=0.00 avg300=0.00 total=100\n"
		 "full avg10=0.00 avg60=0.00 avg300=0.00 total=50\n");
	tree_put(tree, LAB, "elevator_lock_taken 40\nelevator_lock_waited 3\n");
}

static void fill_after(const struct tree *tree)
{
	tree_put(tree, "/proc/vmstat",
		 "nr_free_pages 900\npgfault 110\nthp_fault_alloc 3\n"
		 "thp_fault_fallback 6\nnuma_hit 78\n");
	tree_put(tree, FOLIOS "64kB/stats/shmem_alloc", "4104\n");
	tree_put(tree, FOLIOS "2048kB/stats/shmem_alloc", "5\n");
	tree_put(tree, NODE0, "numa_hit 15\nnuma_miss 6\n");
	tree_put(tree, "/proc/pressure/memory",
		 "some avg10=1.00 avg60=0.00 avg300=0.00 total=350\n"
		 "full avg10=0.00 avg60=0.00 avg300=0.00 total=50\n");
	tree_put(tree, LAB, "elevator_lock_taken 90\nelevator_lock_waited 10\n");
}

static void assert_counter(const struct result_counter *counter, const char *name, int64_t delta)
{
	assert_string_equal(counter->name, name);
	assert_int_equal(counter->delta, delta);
}

static void test_what_changed_of_what_is_wished_for(void **state)
{
	static const char *const patterns[] = {
		"thp_*",   "pgfault",	   "nr_free_pages",    "hugepages-64*",
		"node0.*", "psi.memory.*", "elevator_lock_w*", NULL};
	const struct counter_wish wish = {patterns, has};
	struct counter_files files;
	struct result_counter *counters;
	struct error error = {0};
	struct tree tree;
	unsigned n;

	tree_make(&tree);
	fill_before(&tree);
	assert_int_equal(counter_files_open(tree.root, &wish, &files, &error), 0);
	assert_int_equal(files.n, 6); /* not those of 2M */
	counter_files_read(&files, begin);
	fill_after(&tree);
	counter_files_read(&files, end);
	assert_int_equal(counter_files_subtract(&files, begin, end, &wish, &counters, &n), 0);
	assert_int_equal(n, 7);
	assert_counter(&counters[0], "nr_free_pages", -100);
	assert_counter(&counters[1], "pgfault", 100);
	assert_counter(&counters[2], "thp_fault_fallback", 1);
	assert_counter(&counters[3], "hugepages-64kB.shmem_alloc", 4096);
	assert_counter(&counters[4], "node0.numa_hit", 10);
	assert_counter(&counters[5], "psi.memory.some_us", 250);
	assert_counter(&counters[6], "elevator_lock_waited", 7);
	free(counters);
	counter_files_close(&files);
	tree_remove(&tree);
}

static void test_nothing_is_opened_for_nothing(void **state)
{
	static const char *const patterns[] = {"no_such_*", NULL};
	const struct counter_wish wish = {patterns, has};
	struct counter_files files;
	struct result_counter *counters = NULL;
	struct error error = {0};
	struct tree tree;
	unsigned n = 1;

	tree_make(&tree);
	fill_before(&tree);
	assert_int_equal(counter_files_open(tree.root, &wish, &files, &error), 0);
	assert_int_equal(files.n, 0);
	counter_files_read(&files, begin);
	assert_int_equal(counter_files_subtract(&files, begin, begin, &wish, &counters, &n), 0);
	assert_int_equal(n, 0);
	free(counters);
	counter_files_close(&files);
	tree_remove(&tree);
}

static void test_more_than_there_is_room_for(void **state)
{
	static const char *const patterns[] = {"*", NULL};
	const struct counter_wish wish = {patterns, has};
	struct counter_files files;
	struct error error = {0};
	struct tree tree;
	char path[128];

	tree_make(&tree);
	for (int i = 0; i <= COUNTER_TEXT_BYTES / 256; i++) {
		snprintf(path, sizeof(path), "/proc/pressure/p%d", i);
		tree_put(&tree, path, "some total=1\n");
	}
	assert_int_equal(counter_files_open(tree.root, &wish, &files, &error), -E2BIG);
	assert_non_null(strstr(error.text, "ask for fewer"));
	assert_int_equal(files.n, 0);
	tree_remove(&tree);
}

static void test_text_that_is_none_of_ours(void **state)
{
	static const char *const patterns[] = {"*", NULL};
	const struct counter_wish wish = {patterns, has};
	struct counter_files files;
	struct error error = {0};
	struct tree tree;

	tree_make(&tree);
	tree_put(&tree, "/proc/vmstat", "\n\nhalf\nname value\n 7 8 9\n");
	tree_put(&tree, FOLIOS "64kB/stats/shmem_alloc", "many\n");
	tree_put(&tree, "/proc/pressure/cpu", "some total=\nfull\n");
	tree_put(&tree, NODE0, "");
	assert_int_equal(counter_files_open(tree.root, &wish, &files, &error), 0);
	assert_int_equal(files.n, 1); /* "7" may pass for a name */
	counter_files_close(&files);
	tree_remove(&tree);
}

static void test_this_machine_counts_faults(void **state)
{
	static const char *const patterns[] = {"pgfault", NULL};
	const struct counter_wish wish = {patterns, has};
	struct counter_files files;
	struct result_counter *counters;
	struct error error = {0};
	unsigned n;

	assert_true(counter_exists("", "pgfault"));
	assert_true(counter_exists("", "pgfau*"));
	assert_false(counter_exists("", "pgfau"));
	assert_int_equal(counter_files_open("", &wish, &files, &error), 0);
	assert_int_equal(files.n, 1);
	counter_files_read(&files, begin);
	for (int i = 0; i < 100; i++) {
		volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		assert_true(page != MAP_FAILED);
		*page = 1;
		munmap((void *)(uintptr_t)page, 4096);
	}
	counter_files_read(&files, end);
	assert_int_equal(counter_files_subtract(&files, begin, end, &wish, &counters, &n), 0);
	assert_int_equal(n, 1);
	assert_string_equal(counters[0].name, "pgfault");
	assert_true(counters[0].delta >= 100);
	free(counters);
	counter_files_close(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_changed_of_what_is_wished_for),
		cmocka_unit_test(test_nothing_is_opened_for_nothing),
		cmocka_unit_test(test_more_than_there_is_room_for),
		cmocka_unit_test(test_text_that_is_none_of_ours),
		cmocka_unit_test(test_this_machine_counts_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
