/* SPDX-License-Identifier: MIT */
/* test_limits.c - limits of the process and of its control groups are found and named. */
#include "base/limits.h"

#include <stdio.h>
#include <sys/resource.h>

#include "../memory/child.h"
#include "../memory/tree.h"
#include "expect.h"

static struct tree tree;

static int make_tree(void **state)
{
	tree_make(&tree);
	return 0;
}

static int remove_tree(void **state)
{
	tree_remove(&tree);
	return 0;
}

static void put_memory(const char *path, const char *text)
{
	char name[512];

	snprintf(name, sizeof(name), "/sys/fs/cgroup%s", path);
	tree_put(&tree, name, text);
}

static void expect_least(uint64_t value, const char *path)
{
	struct limits_cgroup group;
	char name[512];

	assert_int_equal(limits_memory(tree.root, &group), 0);
	assert_int_equal(group.value, value);
	snprintf(name, sizeof(name), "%s/sys/fs/cgroup%s", tree.root, path);
	assert_string_equal(group.path, name);
}

static void the_least_limit_on_the_way_up_counts(void **state)
{
	tree_put(&tree, "/proc/self/cgroup", "5:cpu,memory:/a/b\n0::/\n");
	put_memory("/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put_memory("/memory/a/memory.limit_in_bytes", "1000\n");
	put_memory("/memory/a/b/memory.limit_in_bytes", "2000\n");
	expect_least(1000, "/memory/a/memory.limit_in_bytes");
}

static void version_2_is_read_as_well(void **state)
{
	tree_put(&tree, "/proc/self/cgroup", "0::/a/b\n");
	put_memory("/a/memory.max", "max\n");
	put_memory("/a/b/memory.max", "4096\n");
	expect_least(4096, "/a/b/memory.max");
}

static void a_hybrid_has_version_2_elsewhere(void **state)
{
	tree_put(&tree, "/proc/self/cgroup", "2:name=systemd:/x\n0::/a\n");
	put_memory("/unified/a/memory.max", "77\n");
	put_memory("/a/memory.max", "1\n");
	expect_least(77, "/unified/a/memory.max");
}

/* In a container the path may be one that only the outside knows. */
static void an_unknown_path_leads_to_the_root(void **state)
{
	tree_put(&tree, "/proc/self/cgroup", "4:memory:/docker/0123\n");
	put_memory("/memory/memory.limit_in_bytes", "5000\n");
	expect_least(5000, "/memory/memory.limit_in_bytes");
}

static void no_limit_is_said(void **state)
{
	struct limits_cgroup group = {.value = 1};

	assert_int_equal(limits_memory(tree.root, &group), -ENOENT);
	tree_put(&tree, "/proc/self/cgroup", "4:memory:/\n0::/\nnonsense\n");
	put_memory("/memory/memory.limit_in_bytes", "9223372036854771712\n");
	assert_int_equal(limits_memory(tree.root, &group), -ENOENT);
	assert_int_equal(limits_processes(tree.root, &group), -ENOENT);
	assert_int_equal(group.value, 1);
}

static void processes_have_a_limit_of_their_own(void **state)
{
	struct limits_cgroup group;

	tree_put(&tree, "/proc/self/cgroup", "7:pids:/a\n");
	tree_put(&tree, "/sys/fs/cgroup/pids/a/pids.max", "20\n");
	assert_int_equal(limits_processes(tree.root, &group), 0);
	assert_int_equal(group.value, 20);
}

static int raise_files(void *unused)
{
	const struct rlimit limit = {64, 128};
	struct error error = {0};
	char text[32];

	CHILD_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	CHILD_CHECK(strcmp(limits_word(RLIMIT_NOFILE, 0, text), "64") == 0);
	CHILD_CHECK(limits_raise_files(10, "10 files", &error) == 0);
	CHILD_CHECK(limits_soft(RLIMIT_NOFILE) == 64);
	CHILD_CHECK(limits_raise_files(100, "100 files", &error) == 0);
	CHILD_CHECK(limits_soft(RLIMIT_NOFILE) == 100);
	CHILD_CHECK(limits_raise_files(129, "90 targets", &error) == ERROR_CANNOT);
	CHILD_CHECK(strcmp(error.text, "90 targets need 129 open files, and RLIMIT_NOFILE allows "
				       "128: as root: ulimit -n 129") == 0);
	/* As many as can be had, for those who get by with less. */
	CHILD_CHECK(limits_soft(RLIMIT_NOFILE) == 128);
	return 0;
}

static void open_files_are_raised_as_far_as_they_may(void **state)
{
	assert_int_equal(child_run(raise_files, NULL), 0);
}

static int explain(void *unused)
{
	const struct rlimit processes = {20, 20}, space = {UINT64_C(1) << 30, UINT64_C(1) << 30};
	struct error error = {0};

	error_set(&error, -EAGAIN, "no more");
	CHILD_CHECK(setrlimit(RLIMIT_AS, &space) == 0 && setrlimit(RLIMIT_NPROC, &processes) == 0);
	CHILD_CHECK(limits_explain_start(&error) == -EAGAIN);
	CHILD_CHECK(strncmp(error.text, "no more; ", 9) == 0);
	CHILD_CHECK(strstr(error.text, "RLIMIT_AS is 1G: ulimit -v unlimited"));
	CHILD_CHECK(!strstr(error.text, "RLIMIT_NPROC") == (getuid() == 0));
	if (getuid() != 0)
		return 0;
	if (child_become_nobody())
		return CHILD_CANNOT;
	CHILD_CHECK(limits_explain_start(&error) == -EAGAIN);
	CHILD_CHECK(strstr(error.text, "RLIMIT_NPROC is 20 for all that this user runs"));
	return 0;
}

static void what_cannot_start_names_the_limits_in_force(void **state)
{
	int status;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	print_message("skipped: a sanitizer needs more address space than the limit\n");
	skip();
#endif
	status = child_run(explain, NULL);
	if (status == CHILD_CANNOT)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_least_limit_on_the_way_up_counts, make_tree,
						remove_tree),
		cmocka_unit_test_setup_teardown(version_2_is_read_as_well, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(a_hybrid_has_version_2_elsewhere, make_tree,
						remove_tree),
		cmocka_unit_test_setup_teardown(an_unknown_path_leads_to_the_root, make_tree,
						remove_tree),
		cmocka_unit_test_setup_teardown(no_limit_is_said, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(processes_have_a_limit_of_their_own, make_tree,
						remove_tree),
		cmocka_unit_test(open_files_are_raised_as_far_as_they_may),
		cmocka_unit_test(what_cannot_start_names_the_limits_in_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
