/* SPDX-License-Identifier: MIT */
/* test_topology.c - CPUs are those we may use, and lists of them are checked against that. */
#include "base/topology.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "expect.h"

static void only_allowed_cpus_are_listed(void **state)
{
	struct topology topology;
	cpu_set_t allowed, one;

	EXPECT_OK(topology_read(&topology, &error));
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	assert_int_equal(topology.n_cpus, CPU_COUNT(&allowed));
	for (int i = 0; i < topology.n_cpus; i++) {
		assert_true(CPU_ISSET(topology.cpus[i], &allowed));
		assert_true(!i || topology.cpus[i] > topology.cpus[i - 1]);
	}

	CPU_ZERO(&one);
	CPU_SET(topology.cpus[topology.n_cpus - 1], &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	EXPECT_OK(topology_read(&topology, &error));
	sched_setaffinity(0, sizeof(allowed), &allowed);
	assert_int_equal(topology.n_cpus, 1);
	assert_true(CPU_ISSET(topology.cpus[0], &one));
}

static void there_is_a_node_and_a_page_size(void **state)
{
	struct topology topology;

	EXPECT_OK(topology_read(&topology, &error));
	assert_in_range(topology.n_nodes, 1, TOPOLOGY_NODES_MAX);
	assert_true(topology.nodes[0] >= 0);
	assert_int_equal(topology.page_bytes, sysconf(_SC_PAGESIZE));
	assert_int_equal(topology.pmd_bytes & (topology.pmd_bytes - 1), 0);
	if (topology.pmd_bytes)
		assert_true(topology.pmd_bytes > topology.page_bytes);
}

static struct topology sparse(void)
{
	return (struct topology){.n_cpus = 6, .cpus = {0, 1, 2, 3, 8, 10}};
}

static void a_list_is_read_in_its_order(void **state)
{
	struct topology topology = sparse();
	int cpus[TOPOLOGY_CPUS_MAX], n = 0;

	EXPECT_OK(topology_parse_cpus(&topology, "8,0-2", cpus, &n, &error));
	assert_int_equal(n, 4);
	assert_memory_equal(cpus, ((int[]){8, 0, 1, 2}), 4 * sizeof(int));
	EXPECT_OK(topology_parse_cpus(&topology, "10", cpus, &n, &error));
	assert_int_equal(n, 1);
	assert_int_equal(cpus[0], 10);
}

static void a_cpu_that_is_not_ours_is_named(void **state)
{
	struct topology topology = sparse();
	int cpus[TOPOLOGY_CPUS_MAX] = {55}, n = 77;

	EXPECT_ERROR(topology_parse_cpus(&topology, "0-3,7", cpus, &n, &error), ERROR_INPUT,
		     "CPU 7 is none of those this process may use (0-3,8,10)");
	EXPECT_ERROR_PART(topology_parse_cpus(&topology, "2-8", cpus, &n, &error), ERROR_INPUT,
			  "CPU 4 is none");
	EXPECT_ERROR_PART(topology_parse_cpus(&topology, "0-99999999999999999", cpus, &n, &error),
			  ERROR_INPUT, "CPU 4 is none");
	EXPECT_ERROR(topology_parse_cpus(&topology, "0-2,1", cpus, &n, &error), ERROR_INPUT,
		     "CPU 1 is named twice");
	assert_int_equal(n, 77);
	assert_int_equal(cpus[0], 55);
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const texts[] = {"",	  ",",	  "0,",	  ",0",	 "a",	  "-1",	 "3-1",
					    "0-", "0--1", "0 ,1", "0;1", "0-1-2", "0x1", "all"};
	struct topology topology = sparse();
	int cpus[TOPOLOGY_CPUS_MAX], n = 77;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		EXPECT_ERROR_PART(topology_parse_cpus(&topology, texts[i], cpus, &n, &error),
				  ERROR_INPUT, "is not a list of CPUs (such as 0-3,8)");
	assert_int_equal(n, 77);
}

static void a_list_of_nodes_is_a_set(void **state)
{
	struct topology topology = {.n_nodes = 3, .nodes = {0, 1, 4}};
	struct node_set set = {0};
	char text[64];

	EXPECT_OK(topology_parse_nodes(&topology, "4,0-1", &set, &error));
	assert_int_equal(node_set_count(&set), 3);
	assert_string_equal(node_set_format(&set, text, sizeof(text)), "0-1,4");
	EXPECT_OK(topology_parse_nodes(NULL, "1000,3", &set, &error));
	assert_string_equal(node_set_format(&set, text, sizeof(text)), "3,1000");
	assert_false(node_set_has(&set, 0) || node_set_has(&set, -1) || node_set_has(&set, 5000));
}

static void a_node_that_is_not_ours_is_named(void **state)
{
	struct topology topology = {.n_nodes = 3, .nodes = {0, 1, 4}};
	struct node_set set = {.words = {55}};

	EXPECT_ERROR_PART(topology_parse_nodes(&topology, "0,99", &set, &error), ERROR_INPUT,
			  "node 99 is none of those with memory that this process may use (0-1,4)");
	EXPECT_ERROR_PART(topology_parse_nodes(&topology, "0-4", &set, &error), ERROR_INPUT,
			  "node 2 is none of those");
	EXPECT_ERROR_PART(topology_parse_nodes(NULL, "1024", &set, &error), ERROR_INPUT,
			  "node 1024 is none of those");
	EXPECT_ERROR(topology_parse_nodes(&topology, "4,4", &set, &error), ERROR_INPUT,
		     "node 4 is named twice");
	assert_int_equal(set.words[0], 55);
}

/* This process has been left out by its cpuset, as far as topology tells. */
static void a_node_that_exists_but_is_not_allowed_says_why(void **state)
{
	struct topology topology = {.n_nodes = 1, .nodes = {9}};
	struct node_set set;

	if (access("/sys/devices/system/node/node0", F_OK)) {
		print_message("skipped: this kernel shows no nodes\n");
		skip();
	}
	EXPECT_ERROR(topology_parse_nodes(&topology, "0", &set, &error), ERROR_INPUT,
		     "node 0 is none of those with memory that this process may use (9); see its "
		     "cpuset (cpuset.mems)");
}

static void what_is_no_list_of_nodes_is_refused(void **state)
{
	static const char *const texts[] = {"", ",", "0,", "a", "-1", "1-0", "0 1", "all"};
	struct node_set set;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		EXPECT_ERROR_PART(topology_parse_nodes(NULL, texts[i], &set, &error), ERROR_INPUT,
				  "is not a list of nodes (such as 0-1,4)");
}

static void the_thread_is_confined_to_several(void **state)
{
	struct topology before, confined;

	EXPECT_OK(topology_read(&before, &error));
	EXPECT_OK(topology_confine(before.cpus, before.n_cpus > 1 ? before.n_cpus - 1 : 1, &error));
	EXPECT_OK(topology_read(&confined, &error));
	EXPECT_OK(topology_confine(before.cpus, before.n_cpus, &error));
	assert_int_equal(confined.n_cpus, before.n_cpus > 1 ? before.n_cpus - 1 : 1);
}

static void the_thread_is_pinned(void **state)
{
	struct topology topology;
	cpu_set_t before;
	int last;

	EXPECT_OK(topology_read(&topology, &error));
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	last = topology.cpus[topology.n_cpus - 1];
	EXPECT_OK(topology_pin(last, &error));
	assert_int_equal(sched_getcpu(), last);
	sched_setaffinity(0, sizeof(before), &before);
}

static void a_cpu_that_is_not_there_cannot_be_pinned_to(void **state)
{
	EXPECT_ERROR_PART(topology_pin(TOPOLOGY_CPUS_MAX - 1, &error), ERROR_CANNOT,
			  "cannot pin to CPU 4095");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_allowed_cpus_are_listed),
		cmocka_unit_test(there_is_a_node_and_a_page_size),
		cmocka_unit_test(a_list_is_read_in_its_order),
		cmocka_unit_test(a_cpu_that_is_not_ours_is_named),
		cmocka_unit_test(what_is_no_list_is_refused),
		cmocka_unit_test(a_list_of_nodes_is_a_set),
		cmocka_unit_test(a_node_that_is_not_ours_is_named),
		cmocka_unit_test(a_node_that_exists_but_is_not_allowed_says_why),
		cmocka_unit_test(what_is_no_list_of_nodes_is_refused),
		cmocka_unit_test(the_thread_is_confined_to_several),
		cmocka_unit_test(the_thread_is_pinned),
		cmocka_unit_test(a_cpu_that_is_not_there_cannot_be_pinned_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
