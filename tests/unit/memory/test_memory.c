/* SPDX-License-Identifier: MIT */
/* test_memory.c - the catalog, placing shared memory, and failing without a trace. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "child.h"
#include "lend.h"
#include "memory/kinds.h"
#include "tree.h"

static void test_catalog_has_its_kinds(void **state)
{
	static const char *const names[] = {"base", "mthp", "hugetlb", "thp", "private"};

	for (size_t i = 0; i < 5; i++) {
		struct choice choice = {.entry = memory_catalog.entries[i]};
		const struct memory_ops *ops = memory_ops_of(&choice);

		assert_string_equal(choice.entry->name, names[i]);
		assert_true(ops->probe && ops->need && ops->page_bytes && ops->map);
	}
	assert_null(memory_catalog.entries[5]);
}

static void test_place_is_aligned_as_asked(void **state)
{
	static const struct {
		uint64_t size, align, remainder;
	} rows[] = {{1, 4096, 0},
		    {4096, 4096, 0},
		    {1 << 20, 2 << 20, 0},
		    {1 << 20, 128 << 10, 64 << 10},
		    {3 << 20, 4 << 20, 2 << 20}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mapping mapping = {0};
		struct error error = {0};
		char *reserved;

		assert_int_equal(memory_map_shared_aligned(rows[i].size, rows[i].align,
							   rows[i].remainder, &mapping, &error),
				 0);
		reserved = mapping.reserved;
		assert_int_equal((uintptr_t)mapping.address % rows[i].align, rows[i].remainder);
		assert_int_equal(mapping.bytes, memory_round_up(rows[i].size, 4096));
		assert_true((char *)mapping.address >= reserved);
		assert_true((char *)mapping.address + mapping.bytes <=
			    reserved + mapping.reserved_bytes);
		munmap(mapping.reserved, mapping.reserved_bytes);
		assert_false(lend_is_mapped(reserved, mapping.reserved_bytes));
	}
}

static int map_with_little_address_space(void *unused)
{
	const struct rlimit limit = {64 << 20, 64 << 20};
	struct mapping mapping = {0};
	struct error error = {0};

	if (setrlimit(RLIMIT_AS, &limit))
		return CHILD_CANNOT;
	CHILD_CHECK(memory_map_shared_aligned(1 << 30, 4096, 0, &mapping, &error) == ERROR_CANNOT);
	CHILD_CHECK(strstr(error.text, "ulimit -v unlimited"));
	CHILD_CHECK(!mapping.address);
	return 0;
}

static void test_no_address_space_is_an_error(void **state)
{
	assert_int_equal(child_run(map_with_little_address_space, NULL), 0);
}

static void test_available_memory_is_compared(void **state)
{
	struct error error = {0};
	struct tree tree;
	int enough, more;

	tree_make(&tree);
	tree_put(&tree, "/proc/meminfo",
		 "MemTotal:       2048 kB\nMemFree:         512 kB\nMemAvailable:   1024 kB\n");
	enough = memory_available_check(tree.root, 1 << 20, &error);
	more = memory_available_check(tree.root, (1 << 20) + 1, &error);
	tree_remove(&tree);
	assert_int_equal(enough, 0);
	assert_int_equal(more, ERROR_CANNOT);
	assert_non_null(strstr(error.text, "MemAvailable is 1M"));
}

/* A kind whose mapping cannot be populated: the kernel says EFAULT, no signal comes. */
static int map_behind_end_of_file(const void *params, uint64_t size_bytes, struct mapping *ret,
				  struct error *error)
{
	int fd = memfd_create("orion-test", MFD_CLOEXEC);
	void *address = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	if (address == MAP_FAILED)
		return error_set(error, -errno, "mmap");
	*ret = (struct mapping){address, size_bytes, address, size_bytes, false};
	return 0;
}

static void test_failed_populating_is_an_error_and_unmaps(void **state)
{
	struct memory_ops broken = memory_base;
	struct choice choice = lend_choice("\"base\"");
	struct region region = lend_region(&choice, 1 << 20);
	struct error error = {0};

	broken.map = map_behind_end_of_file;
	region.ops = &broken;
	assert_int_equal(region_open(&region, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "region 'sga': 1M in pages of 4K cannot be populated"));
	assert_null(region.mapping.address);
	choice_free(&choice);
}

static void test_faults_of_populating_are_counted(void **state)
{
	struct choice choice = lend_choice("\"base\"");
	struct region region = lend_region(&choice, 4 << 20);
	struct error error = {0};

	assert_int_equal(region_open(&region, &error), 0);
	assert_in_range(region.populate_faults, 1024, 1040);
	assert_false(region.populate_counted);
	region_close(&region);
	choice_free(&choice);
}

/* Linked in place of madvise: a kernel before 5.14 does not know MADV_POPULATE_WRITE. */
static bool kernel_is_old;
int __real_madvise(void *address, size_t length, int advice);
int __wrap_madvise(void *address, size_t length, int advice);

int __wrap_madvise(void *address, size_t length, int advice)
{
	if (kernel_is_old && advice == 23) {
		errno = EINVAL;
		return -1;
	}
	return __real_madvise(address, length, advice);
}

static void test_old_kernel_populates_by_stores(void **state)
{
	struct choice choice = lend_choice("\"base\"");
	struct region region = lend_region(&choice, 4 << 20);
	struct memory_audit audit = {0};
	struct error error = {0};
	int ret;

	kernel_is_old = true;
	ret = region_open(&region, &error);
	kernel_is_old = false;
	if (ret || region_audit(&region, &audit, &error))
		fail_msg("%s", error.text);
	assert_int_equal(audit.got_bytes, 4 << 20);
	region_close(&region);
	choice_free(&choice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_catalog_has_its_kinds),
		cmocka_unit_test(test_place_is_aligned_as_asked),
		cmocka_unit_test(test_no_address_space_is_an_error),
		cmocka_unit_test(test_available_memory_is_compared),
		cmocka_unit_test(test_failed_populating_is_an_error_and_unmaps),
		cmocka_unit_test(test_faults_of_populating_are_counted),
		cmocka_unit_test(test_old_kernel_populates_by_stores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
