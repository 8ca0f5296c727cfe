/* SPDX-License-Identifier: MIT */
/* test_pages.c - huge pages are waited for after a runner, as long as it is worth it. */
#include "run/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/topology.h"
#include "machine.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "run/point.h"

#define SECOND_NS UINT64_C(1000000000)

struct fixture {
	struct profile profile;
	struct plan plan;
	struct topology topology;
	struct target_table targets;
	struct run_point point;
	struct pages pages;
};

/* 64 pages are free of the 100 there are. */
static void fixture_open(struct fixture *fixture, const char *memory)
{
	struct error error = {0};
	char text[512];

	memset(fixture, 0, sizeof(*fixture));
	snprintf(text, sizeof(text),
		 "{\"points\": [{\"regions\": {\"r\": {\"memory\": \"%s\", \"size\": \"64m\"}},"
		 " \"streams\": [{\"workload\": \"io\", \"engine\": \"null\"}]}]}",
		 memory);
	if (profile_parse("test.json", text, NULL, &fixture->profile, &error) ||
	    plan_make(&fixture->profile, &fixture->plan, &error) ||
	    topology_read(&fixture->topology, &error) ||
	    run_point_open(&fixture->point, &fixture->plan, &fixture->plan.variants[0].points[0],
			   &fixture->targets, &fixture->topology, &error))
		fail_msg("%s", error.text);
	machine_pool(0, 100, 64);
	machine_sum();
	pages_note(machine.tree.root, &fixture->point, &fixture->pages);
}

static void fixture_close(struct fixture *fixture)
{
	run_point_close(&fixture->point);
	plan_free(&fixture->plan);
	profile_free(&fixture->profile);
}

static void pages_free(uint64_t free)
{
	machine_pool(0, 100, free);
	machine_sum();
}

/* At once, as the kernel does it: nobody reads half a number. */
static void pages_come_back(void)
{
	char path[256], fresh[300];
	FILE *file;

	pool_path(machine.tree.root, POOL_ALL_NODES, MACHINE_PAGE_BYTES, "free_hugepages", path,
		  sizeof(path));
	snprintf(fresh, sizeof(fresh), "%s.fresh", path);
	file = fopen(fresh, "w");
	if (!file || fputs("64\n", file) < 0 || fclose(file) || rename(fresh, path))
		_exit(1);
}

static uint64_t await_ns(const struct fixture *fixture, uint64_t patience_ns)
{
	uint64_t begin_ns = clock_now_ns();

	pages_await(machine.tree.root, &fixture->pages, patience_ns);
	return clock_now_ns() - begin_ns;
}

static void test_pages_that_come_back_are_waited_for(void **state)
{
	struct fixture fixture;
	struct pool pool;
	pid_t child;

	fixture_open(&fixture, "hugetlb");
	assert_int_equal(fixture.pages.n, 1);
	assert_int_equal(fixture.pages.page_bytes[0], MACHINE_PAGE_BYTES);
	assert_int_equal(fixture.pages.free[0], 64);
	pages_free(32);
	child = fork();
	if (!child) {
		clock_sleep_until(clock_now_ns() + SECOND_NS / 10);
		pages_come_back();
		_exit(0);
	}
	assert_in_range(await_ns(&fixture, 30 * SECOND_NS), 0, 20 * SECOND_NS);
	assert_int_equal(
		pool_read(machine.tree.root, POOL_ALL_NODES, MACHINE_PAGE_BYTES, &pool, NULL), 0);
	assert_int_equal(pool.free, 64);
	waitpid(child, NULL, 0);
	fixture_close(&fixture);
}

static void test_pages_that_others_took_are_not_waited_for_long(void **state)
{
	struct fixture fixture;

	fixture_open(&fixture, "hugetlb");
	pages_free(63);
	assert_in_range(await_ns(&fixture, SECOND_NS / 10), SECOND_NS / 10, 10 * SECOND_NS);
	fixture_close(&fixture);
}

static void test_nothing_is_waited_for_where_all_is_free(void **state)
{
	struct fixture fixture;

	fixture_open(&fixture, "hugetlb");
	pages_free(70);
	assert_in_range(await_ns(&fixture, 60 * SECOND_NS), 0, 30 * SECOND_NS);
	fixture_close(&fixture);
	fixture_open(&fixture, "base");
	assert_int_equal(fixture.pages.n, 0);
	pages_free(0);
	assert_in_range(await_ns(&fixture, 60 * SECOND_NS), 0, 30 * SECOND_NS);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pages_that_come_back_are_waited_for,
						machine_make, machine_drop),
		cmocka_unit_test_setup_teardown(test_pages_that_others_took_are_not_waited_for_long,
						machine_make, machine_drop),
		cmocka_unit_test_setup_teardown(test_nothing_is_waited_for_where_all_is_free,
						machine_make, machine_drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
