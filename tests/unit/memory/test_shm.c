/* SPDX-License-Identifier: MIT */
/* test_shm.c - the limits of System V segments are named, each with its value and the command. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <cmocka.h>

#include "child.h"
#include "lend.h"
#include "memory/shm.h"

#define MIB (1ull << 20)

static int take_namespace(const char *limit, const char *value)
{
	char path[64];
	struct error error = {0};

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", limit);
	if (unshare(CLONE_NEWIPC) || sysfile_write(path, value, &error)) {
		fprintf(stderr, "cannot have an IPC namespace with limits: %s\n", error.text);
		return CHILD_CANNOT;
	}
	return 0;
}

static int check_shmmax(void *unused)
{
	struct error error = {0};
	int ret = take_namespace("shmmax", "1000000");

	if (ret)
		return ret;
	CHILD_CHECK(shm_check(2 * MIB, 2 * MIB, &error) == ERROR_CANNOT);
	CHILD_CHECK(strstr(error.text, "kernel.shmmax allows (1000000 bytes, needed 2097152)"));
	CHILD_CHECK(strstr(error.text, "sysctl kernel.shmmax=2097152"));
	return 0;
}

static int check_shmall(void *unused)
{
	struct error error = {0};
	int ret = take_namespace("shmall", "600");

	if (ret)
		return ret;
	CHILD_CHECK(shmget(IPC_PRIVATE, 200 * 4096, IPC_CREAT | 0600) >= 0);
	CHILD_CHECK(shm_check(2 * MIB, 2 * MIB, &error) == ERROR_CANNOT);
	CHILD_CHECK(strstr(error.text, "hold 200 pages, this one needs 512 more"));
	CHILD_CHECK(strstr(error.text, "kernel.shmall is 600"));
	CHILD_CHECK(strstr(error.text, "sysctl kernel.shmall=712"));
	return 0;
}

static int check_shmmni(void *unused)
{
	struct error error = {0};
	int ret = take_namespace("shmmni", "2");

	if (ret)
		return ret;
	CHILD_CHECK(shm_check(2 * MIB, 2 * MIB, &error) == 0);
	for (int i = 0; i < 2; i++)
		CHILD_CHECK(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0);
	CHILD_CHECK(shm_check(2 * MIB, 2 * MIB, &error) == ERROR_CANNOT);
	CHILD_CHECK(strstr(error.text, "2 exist and kernel.shmmni is 2"));
	CHILD_CHECK(!strstr(error.text, "huge pages"));
	return 0;
}

/* The same limit met by the call itself: huge pages are free, and must not be blamed. */
static int map_at_shmmni(void *unused)
{
	struct error error = {0};
	void *address = NULL;
	int ret = take_namespace("shmmni", "1");

	if (ret)
		return ret;
	CHILD_CHECK(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0);
	CHILD_CHECK(shm_map_huge(2 * MIB, 2 * MIB, &address, &error) == ERROR_CANNOT);
	CHILD_CHECK(!address);
	CHILD_CHECK(strstr(error.text, "kernel.shmmni is 1"));
	return 0;
}

static int map_above_shmmax(void *unused)
{
	struct error error = {0};
	void *address = NULL;
	int ret = take_namespace("shmmax", "1000000");

	if (ret)
		return ret;
	CHILD_CHECK(shm_map_huge(2 * MIB, 2 * MIB, &address, &error) == ERROR_CANNOT);
	CHILD_CHECK(strstr(error.text, "kernel.shmmax"));
	return 0;
}

static int map_as_nobody(void *unused)
{
	const struct rlimit nothing = {0, 0};
	struct error error = {0};
	void *address = NULL;
	int ret = child_become_nobody();

	if (ret)
		return ret;
	CHILD_CHECK(!setrlimit(RLIMIT_MEMLOCK, &nothing));
	CHILD_CHECK(shm_check(2 * MIB, 2 * MIB, &error) == ERROR_CANNOT);
	CHILD_CHECK(strstr(error.text, "CAP_IPC_LOCK"));
	CHILD_CHECK(strstr(error.text, "sysctl vm.hugetlb_shm_group=65534"));
	error = (struct error){0};
	CHILD_CHECK(shm_map_huge(2 * MIB, 2 * MIB, &address, &error) == ERROR_CANNOT);
	CHILD_CHECK(strstr(error.text, "vm.hugetlb_shm_group"));
	return 0;
}

static int map_more_than_there_is(void *unused)
{
	struct error error = {0};
	void *address = NULL;

	CHILD_CHECK(shm_map_huge(2 * MIB, 1ull << 44, &address, &error) == ERROR_CANNOT);
	CHILD_CHECK(strstr(error.text, "free 2M huge pages"));
	CHILD_CHECK(strstr(error.text, "nr_hugepages"));
	return 0;
}

static void run(int (*function)(void *))
{
	int ret = child_run(function, NULL);

	if (ret == CHILD_CANNOT)
		skip();
	assert_int_equal(ret, 0);
}

static void test_shmmax(void **state)
{
	run(check_shmmax);
	run(map_above_shmmax);
}

static void test_shmall(void **state)
{
	run(check_shmall);
}

static void test_shmmni(void **state)
{
	struct lend lend = {0};
	int lent = lend_huge_pages(&lend, 1), ret = lent ? child_run(map_at_shmmni, NULL) : 0;

	lend_end(&lend);
	assert_true(ret == 0 || ret == CHILD_CANNOT);
	run(check_shmmni);
}

static void test_permission(void **state)
{
	run(map_as_nobody);
}

static void test_shortage(void **state)
{
	run(map_more_than_there_is);
}

/* One segment, whose id is gone while it is still attached. */
static void test_id_is_removed_at_once(void **state)
{
	struct lend lend = {0};
	struct error error = {0};
	struct shmid_ds status;
	struct shm_info info;
	int attached = 0, n;
	void *address;

	if (!lend_huge_pages(&lend, 1)) {
		lend_end(&lend);
		skip();
	}
	if (shm_map_huge(LEND_PAGE_BYTES, LEND_PAGE_BYTES, &address, &error)) {
		lend_end(&lend);
		fail_msg("%s", error.text);
	}
	n = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info);
	for (int i = 0; i <= n; i++)
		if (shmctl(i, SHM_STAT, &status) >= 0 && status.shm_cpid == getpid()) {
			attached++;
			assert_true(status.shm_perm.mode & SHM_DEST);
		}
	memset(address, 1, LEND_PAGE_BYTES);
	assert_int_equal(shmdt(address), 0);
	lend_end(&lend);
	assert_int_equal(attached, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shmmax),	 cmocka_unit_test(test_shmall),
		cmocka_unit_test(test_shmmni),	 cmocka_unit_test(test_permission),
		cmocka_unit_test(test_shortage), cmocka_unit_test(test_id_is_removed_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
