/* SPDX-License-Identifier: MIT */
/* test_pagetables.c - page tables are read, added up and foreseen. */
#include "run/pagetables.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "../memory/tree.h"
#include "base/error.h"

#define MIB (UINT64_C(1) << 20)

static void test_files_are_added_up(void **state)
{
	pid_t pids[] = {17, 18, 19};
	struct pagetables tables;
	struct tree tree = {0};

	tree_make(&tree);
	tree_put(&tree, "/proc/meminfo",
		 "MemTotal: 8 kB\nPageTables:      2048 kB\nSecPageTables:     16 kB\n");
	tree_put(&tree, "/proc/self/status", "Name: a\nVmPTE:\t      40 kB\n");
	tree_put(&tree, "/proc/17/status", "Name: b\nVmPTE:\t     100 kB\n");
	tree_put(&tree, "/proc/19/status", "Name: c\nVmPTE:\t       4 kB\n");
	pagetables_read(tree.root, pids, 3, &tables); /* 18 is gone */
	assert_int_equal(tables.page_tables_bytes, 2 * MIB);
	assert_int_equal(tables.sec_page_tables_bytes, 16384);
	assert_int_equal(tables.vm_pte_bytes, 144 * 1024);
	tree_put(&tree, "/proc/meminfo", "MemTotal: 8 kB\n");
	pagetables_read(tree.root, NULL, 0, &tables);
	assert_int_equal(tables.page_tables_bytes, 0);
	assert_int_equal(tables.vm_pte_bytes, 40 * 1024);
	tree_remove(&tree);
}

static void test_need_follows_the_size_of_pages(void **state)
{
	assert_int_equal(pagetables_need(1024 * MIB, 4096, 4096), 2 * MIB);
	assert_int_equal(pagetables_need(1024 * MIB, 65536, 4096), 2 * MIB);
	assert_int_equal(pagetables_need(1024 * MIB, 2 * MIB, 4096), 0);
	assert_int_equal(pagetables_need(1, 4096, 4096), 4096);
	/* 64K base pages: a table covers 512 MiB. */
	assert_int_equal(pagetables_need(1024 * MIB, 65536, 65536), 2 * 65536);
	assert_int_equal(pagetables_need(1024 * MIB, 2 * MIB, 65536), 2 * 65536);
}

static void test_what_does_not_fit_is_told(void **state)
{
	struct error error = {0};
	struct tree tree = {0};

	tree_make(&tree);
	tree_put(&tree, "/proc/meminfo", "MemAvailable:    2097152 kB\n");
	assert_int_equal(pagetables_check(tree.root, 500, 1024 * MIB, 1024 * MIB, &error), 0);
	assert_int_equal(pagetables_check(tree.root, 500, 1025 * MIB, 1024 * MIB, &error),
			 ERROR_CANNOT);
	assert_string_equal(error.text,
			    "500 processes need 1G of page tables beside 1G of memory, and 2G is "
			    "available: ask for fewer workers, a smaller region, or memory in huge "
			    "pages");
	tree_remove(&tree);
}

/* A child that touches 64 MiB in base pages has 128 KiB of page tables for it. */
static void test_a_child_for_real(void **state)
{
	struct pagetables before, at;
	uint64_t bytes = 64 * MIB, most = MIB;
	int fds[2];
	char *region;
	char byte;
	pid_t pid;

	region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(region != MAP_FAILED);
	madvise(region, bytes, MADV_NOHUGEPAGE);
	assert_int_equal(pipe(fds), 0);
	pagetables_read("", NULL, 0, &before);
	pid = fork();
	if (pid == 0) {
		for (uint64_t i = 0; i < bytes; i += 4096)
			((volatile char *)region)[i] = 1;
		(void)!write(fds[1], "x", 1);
		pause();
	}
	assert_int_equal(read(fds[0], &byte, 1), 1);
	pagetables_read("", &pid, 1, &at);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fds[0]);
	close(fds[1]);
	munmap(region, bytes);
	assert_true(before.vm_pte_bytes > 0);
	assert_true(before.page_tables_bytes >= before.vm_pte_bytes / 2);
#ifdef __SANITIZE_THREAD__ /* its own memory, several times as much as ours, has page tables, too  \
			    */
	most = 8 * MIB;
#endif
	assert_in_range(at.vm_pte_bytes - before.vm_pte_bytes,
			pagetables_need(bytes, 4096, (uint64_t)sysconf(_SC_PAGESIZE)), most);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_are_added_up),
		cmocka_unit_test(test_need_follows_the_size_of_pages),
		cmocka_unit_test(test_what_does_not_fit_is_told),
		cmocka_unit_test(test_a_child_for_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
