/* SPDX-License-Identifier: MIT */
/* test_pool.c - the pools of huge pages of a machine with two nodes. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/error.h"
#include "memory/pool.h"
#include "tree.h"

#define PAGE_BYTES (2ull << 20)

static void put(const struct tree *tree, int node, const char *file, const char *text)
{
	char path[256];

	tree_put(tree, pool_path("", node, PAGE_BYTES, file, path, sizeof(path)), text);
}

static int make(void **state)
{
	static struct tree tree;

	tree_make(&tree);
	put(&tree, POOL_ALL_NODES, "nr_hugepages", "100\n");
	put(&tree, POOL_ALL_NODES, "free_hugepages", "40\n");
	put(&tree, POOL_ALL_NODES, "resv_hugepages", "30\n");
	put(&tree, POOL_ALL_NODES, "surplus_hugepages", "5\n");
	put(&tree, POOL_ALL_NODES, "nr_overcommit_hugepages", "0\n");
	put(&tree, 1, "nr_hugepages", "60\n");
	put(&tree, 1, "free_hugepages", "11\n");
	put(&tree, 1, "surplus_hugepages", "5\n");
	*state = &tree;
	return 0;
}

static int drop(void **state)
{
	tree_remove(*state);
	return 0;
}

static void test_reads_all_nodes_and_one(void **state)
{
	const struct tree *tree = *state;
	struct pool pool;

	assert_int_equal(pool_read(tree->root, POOL_ALL_NODES, PAGE_BYTES, &pool, NULL), 0);
	assert_int_equal(pool.pages, 100);
	assert_int_equal(pool.free, 40);
	assert_int_equal(pool.reserved, 30);
	assert_int_equal(pool.surplus, 5);
	assert_int_equal(pool_spare(&pool), 10);
	assert_int_equal(pool_read(tree->root, 1, PAGE_BYTES, &pool, NULL), 0);
	assert_int_equal(pool.pages, 60);
	assert_int_equal(pool.free, 11);
	assert_int_equal(pool.reserved, 0);
}

static void test_free_pages_that_are_reserved_are_not_had(void **state)
{
	const struct tree *tree = *state;
	struct error error = {0};

	assert_int_equal(pool_check(tree->root, PAGE_BYTES, 10 * PAGE_BYTES, &error), 0);
	assert_int_equal(pool_check(tree->root, PAGE_BYTES, 10 * PAGE_BYTES + 1, &error),
			 ERROR_CANNOT);
	assert_non_null(strstr(error.text, "needs 11 free 2M huge pages"));
	assert_non_null(strstr(error.text, "40 are free and 30"));
	assert_non_null(strstr(error.text, "echo 101 > "));
}

static void test_overcommitted_pages_can_be_had(void **state)
{
	const struct tree *tree = *state;

	put(tree, POOL_ALL_NODES, "nr_overcommit_hugepages", "8\n");
	assert_int_equal(pool_check(tree->root, PAGE_BYTES, 13 * PAGE_BYTES, NULL), 0);
	assert_int_equal(pool_check(tree->root, PAGE_BYTES, 14 * PAGE_BYTES, NULL), ERROR_CANNOT);
}

static void test_reservations_above_free_leave_nothing(void **state)
{
	const struct pool pool = {.pages = 9, .free = 3, .reserved = 4};

	assert_int_equal(pool_spare(&pool), 0);
}

static void test_missing_size_lists_the_others(void **state)
{
	const struct tree *tree = *state;
	struct error error = {0};

	assert_int_equal(pool_check(tree->root, 1ull << 30, 1, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "no 1G huge pages (there are: 2M)"));
}

static void test_garbage_is_an_error(void **state)
{
	const struct tree *tree = *state;
	struct error error = {0};
	struct pool pool = {.pages = 77};

	put(tree, POOL_ALL_NODES, "free_hugepages", "many\n");
	assert_true(pool_read(tree->root, POOL_ALL_NODES, PAGE_BYTES, &pool, &error) < 0);
	assert_non_null(strstr(error.text, "free_hugepages"));
	assert_int_equal(pool.pages, 77);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_reads_all_nodes_and_one),
		TEST(test_free_pages_that_are_reserved_are_not_had),
		TEST(test_overcommitted_pages_can_be_had),
		TEST(test_reservations_above_free_leave_nothing),
		TEST(test_missing_size_lists_the_others),
		TEST(test_garbage_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
