/* SPDX-License-Identifier: MIT */
/* test_thp.c - every combination of the size's setting and the one above it. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <cmocka.h>

#include "base/error.h"
#include "memory/thp.h"
#include "tree.h"

#define TOP  "/sys/kernel/mm/transparent_hugepage/shmem_enabled"
#define SIZE "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/shmem_enabled"
#define HUGE "/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/"

static int make(void **state)
{
	static struct tree tree;

	tree_make(&tree);
	*state = &tree;
	return 0;
}

static int drop(void **state)
{
	tree_remove(*state);
	return 0;
}

static void test_who_wins(void **state)
{
	static const struct {
		const char *top, *size;
		enum thp_state expected;
	} rows[] = {
		{"always within_size advise [never] deny force",
		 "always inherit within_size "
		 "[advise] never",
		 THP_ON},
		{"[never]", "[always]", THP_ON},
		{"[never]", "[within_size]", THP_ON},
		{"[never]", "[never]", THP_OFF},
		{"[never]", "[inherit]", THP_OFF},
		{"[advise]", "[inherit]", THP_ON},
		{"[within_size]", "[inherit]", THP_ON},
		{"[always]", "[inherit]", THP_ON},
		{"[always]", "[never]", THP_OFF},
		{"[deny]", "[advise]", THP_BLOCKED},
		{"[deny]", "[inherit]", THP_BLOCKED},
		{"[force]", "[advise]", THP_BLOCKED},
		{"[force]", "[inherit]", THP_ON},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tree *tree = *state;
		struct error why = {0};

		tree_put(tree, TOP, rows[i].top);
		tree_put(tree, SIZE, rows[i].size);
		print_message("%s above %s\n", rows[i].top, rows[i].size);
		assert_int_equal(thp_shmem_state(tree->root, 64 << 10, &why), rows[i].expected);
		assert_int_equal(why.code, rows[i].expected == THP_ON ? 0 : ERROR_CANNOT);
	}
}

static void test_never_names_the_command(void **state)
{
	const struct tree *tree = *state;
	struct error why = {0};
	char command[256];

	tree_put(tree, TOP, "[never]");
	tree_put(tree, SIZE, "always [never]");
	assert_int_equal(thp_shmem_state(tree->root, 64 << 10, &why), THP_OFF);
	snprintf(command, sizeof(command), "echo advise > %s" SIZE, tree->root);
	assert_non_null(strstr(why.text, command));
	assert_non_null(strstr(why.text, "64K"));
	assert_non_null(strstr(why.text, "'never'"));
}

static void test_force_and_deny_name_the_command(void **state)
{
	const struct tree *tree = *state;
	struct error why = {0};
	char command[256];

	tree_put(tree, SIZE, "[advise]");
	tree_put(tree, TOP, "[force]");
	assert_int_equal(thp_shmem_state(tree->root, 64 << 10, &why), THP_BLOCKED);
	snprintf(command, sizeof(command), "echo never > %s" TOP, tree->root);
	assert_non_null(strstr(why.text, command));
	assert_non_null(strstr(why.text, "'force'"));
}

/* As on 6.1: huge pages for shared memory, but no setting per size. */
static void test_old_kernel_is_named(void **state)
{
	const struct tree *tree = *state;
	struct error why = {0};

	tree_put(tree, TOP, "[never]");
	assert_int_equal(thp_shmem_state(tree->root, 64 << 10, &why), THP_ABSENT);
	assert_int_equal(why.code, ERROR_CANNOT);
	assert_non_null(strstr(why.text, "shmem mTHP came with Linux 6.11"));
}

static void test_size_that_the_machine_lacks_is_named(void **state)
{
	const struct tree *tree = *state;
	struct error why = {0};

	tree_put(tree, TOP, "[never]");
	tree_put(tree, HUGE "shmem_enabled", "[inherit]");
	assert_int_equal(thp_shmem_state(tree->root, 32 << 10, &why), THP_ABSENT);
	assert_non_null(strstr(why.text, "no 32K folios"));
}

static void test_kernel_without_thp_is_named(void **state)
{
	const struct tree *tree = *state;
	struct error why = {0};

	assert_int_equal(thp_shmem_state(tree->root, 64 << 10, &why), THP_ABSENT);
	assert_non_null(strstr(why.text, "CONFIG_TRANSPARENT_HUGEPAGE"));
	assert_int_equal(thp_shmem_state(tree->root, 64 << 10, NULL), THP_ABSENT);
}

static void test_switched_off_process_is_named(void **state)
{
	const struct tree *tree = *state;
	struct error why = {0};
	enum thp_state found;

	tree_put(tree, TOP, "[never]");
	tree_put(tree, SIZE, "[advise]");
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	found = thp_shmem_state(tree->root, 64 << 10, &why);
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	assert_int_equal(found, THP_BLOCKED);
	assert_non_null(strstr(why.text, "PR_SET_THP_DISABLE"));
}

static void test_counters(void **state)
{
	const struct tree *tree = *state;
	struct thp_counters counters = {1, 2};

	assert_int_equal(thp_counters_read(tree->root, 2 << 20, &counters), -ENOENT);
	assert_int_equal(counters.allocated, 1);
	tree_put(tree, HUGE "stats/shmem_alloc", "123\n");
	tree_put(tree, HUGE "stats/shmem_fallback", "7\n");
	assert_int_equal(thp_counters_read(tree->root, 2 << 20, &counters), 0);
	assert_int_equal(counters.allocated, 123);
	assert_int_equal(counters.fallbacks, 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

#define FOLDER "/sys/kernel/mm/transparent_hugepage/"

static void test_pmd_size_is_asked(void **state)
{
	const struct tree *tree = *state;

	assert_int_equal(thp_pmd_bytes(tree->root), 0);
	tree_put(tree, FOLDER "hpage_pmd_size", "536870912\n");
	assert_int_equal(thp_pmd_bytes(tree->root), 512 << 20);
}

/* Before Linux 6.11 one setting is for all shared memory, and there is no other. */
static void test_shared_folios_of_older_kernels(void **state)
{
	static const struct {
		const char *top;
		enum thp_state expected;
		const char *words;
	} rows[] = {
		{"[always] never", THP_ON, NULL},
		{"[advise] never", THP_ON, NULL},
		{"[within_size]", THP_ON, NULL},
		{"[force]", THP_ON, NULL},
		{"always [never]", THP_OFF, "echo advise > "},
		{"[deny]", THP_BLOCKED, "echo advise > "},
	};
	const struct tree *tree = *state;

	tree_put(tree, FOLDER "hpage_pmd_size", "2097152\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct error why = {0};

		tree_put(tree, TOP, rows[i].top);
		assert_int_equal(thp_shmem_pmd_state(tree->root, &why), rows[i].expected);
		if (rows[i].words)
			assert_non_null(strstr(why.text, rows[i].words));
	}
	/* Its own setting counts where there is one. */
	tree_put(tree, HUGE "shmem_enabled", "[never]");
	tree_put(tree, TOP, "[advise]");
	assert_int_equal(thp_shmem_pmd_state(tree->root, NULL), THP_OFF);
}

static void test_private_folios(void **state)
{
	static const struct {
		const char *top, *size; /* a null size: a kernel before 6.8 */
		enum thp_state expected;
		const char *words;
	} rows[] = {
		{"always [madvise] never", NULL, THP_ON, NULL},
		{"[always]", NULL, THP_ON, NULL},
		{"[never]", NULL, THP_OFF, "echo madvise > "},
		{"[never]", "[madvise]", THP_ON, NULL},
		{"[never]", "[always]", THP_ON, NULL},
		{"[madvise]", "[inherit]", THP_ON, NULL},
		{"[never]", "[inherit]", THP_OFF, FOLDER "enabled is 'never'"},
		{"[always]", "[never]", THP_OFF, "hugepages-2048kB/enabled is 'never'"},
	};
	const struct tree *tree = *state;

	assert_int_equal(thp_anon_pmd_state(tree->root, NULL), THP_ABSENT);
	tree_put(tree, FOLDER "hpage_pmd_size", "2097152\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct error why = {0};

		tree_put(tree, FOLDER "enabled", rows[i].top);
		if (rows[i].size)
			tree_put(tree, HUGE "enabled", rows[i].size);
		assert_int_equal(thp_anon_pmd_state(tree->root, &why), rows[i].expected);
		if (rows[i].words)
			assert_non_null(strstr(why.text, rows[i].words));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_who_wins),
		TEST(test_never_names_the_command),
		TEST(test_force_and_deny_name_the_command),
		TEST(test_old_kernel_is_named),
		TEST(test_size_that_the_machine_lacks_is_named),
		TEST(test_kernel_without_thp_is_named),
		TEST(test_switched_off_process_is_named),
		TEST(test_counters),
		TEST(test_pmd_size_is_asked),
		TEST(test_shared_folios_of_older_kernels),
		TEST(test_private_folios),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
