/* SPDX-License-Identifier: MIT */
/* test_sites.c - nodes and CPUs of a point on a machine of the test's own: two nodes, sparse ids.
 */
#include "run/sites.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../memory/tree.h"
#include "base/error.h"
#include "base/topology.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "run/point.h"

static struct tree tree;

/* Node 0 has CPUs 0-1, node 2 CPUs 4 and 6. */
static int machine_make(void **state)
{
	tree_make(&tree);
	tree_put(&tree, "/sys/devices/system/node/online", "0,2\n");
	tree_put(&tree, "/sys/devices/system/node/node0/cpulist", "0-1\n");
	tree_put(&tree, "/sys/devices/system/node/node2/cpulist", "4,6\n");
	tree_put(&tree, "/sys/devices/system/node/node0/distance", "10 21\n");
	tree_put(&tree, "/sys/devices/system/node/node2/distance", "21 10\n");
	return 0;
}

static int machine_drop(void **state)
{
	tree_remove(&tree);
	return 0;
}

static struct topology two_nodes(void)
{
	return (struct topology){
		.n_cpus = 3, .cpus = {1, 4, 6}, .n_nodes = 2, .nodes = {0, 2}, .page_bytes = 4096};
}

struct made {
	struct profile profile;
	struct plan plan;
	struct run_point point;
	struct target targets[1], *row;
	struct error error;
	int status;
};

/* Resolves the one point of a profile; target is what its streams read, or null. */
static void make(struct made *made, const struct topology *topology, const char *numa,
		 const char *stream_cpus, const struct target *target)
{
	char text[512];

	memset(made, 0, sizeof(*made));
	snprintf(text, sizeof(text),
		 "{\"points\": [{\"regions\": {\"sga\": {\"memory\": \"base\", \"size\": \"4m\", "
		 "\"numa\": %s}}, \"streams\": [{\"label\": \"reads\", \"workload\": \"io\", "
		 "\"engine\": \"null\", \"workers\": 2, \"cpus\": \"%s\"}]}]}",
		 numa, stream_cpus);
	if (profile_parse("test.json", text, NULL, &made->profile, &made->error) < 0 ||
	    plan_make(&made->profile, &made->plan, &made->error) < 0)
		fail_msg("%s", made->error.text);
	made->point.plan = &made->plan.variants[0].points[0];
	made->row = made->targets;
	made->point.targets = &made->row;
	if (target) {
		made->targets[0] = *target;
		made->plan.variants[0].points[0].streams[0].n_targets = 1;
	}
	made->status = sites_open(tree.root, topology, &made->point, &made->error);
	/* Names of targets are the plan's, and there are none. */
	made->plan.variants[0].points[0].streams[0].n_targets = 0;
}

static void drop(struct made *made)
{
	sites_close(&made->point);
	plan_free(&made->plan);
	profile_free(&made->profile);
}

static void test_cpus_are_those_that_are_named_or_all(void **state)
{
	static const struct {
		const char *cpus;
		unsigned n;
		int ids[3];
	} cases[] = {
		{"", 3, {1, 4, 6}}, {"6,1", 2, {6, 1}},		{"node:2", 2, {4, 6}},
		{"node:0", 1, {1}}, {"node:0,2", 3, {1, 4, 6}},
	};
	struct topology topology = two_nodes();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made made;

		make(&made, &topology, "\"default\"", cases[i].cpus, NULL);
		if (made.status)
			fail_msg("%s", made.error.text);
		assert_int_equal(made.point.cpus[0].n, cases[i].n);
		assert_memory_equal(made.point.cpus[0].ids, cases[i].ids, cases[i].n * sizeof(int));
		drop(&made);
	}
}

static void test_what_is_not_ours_is_refused(void **state)
{
	static const struct {
		const char *numa, *cpus, *part;
	} cases[] = {
		{"\"default\"", "0",
		 "cpus of reads: CPU 0 is none of those this process may use "
		 "(1,4,6)"},
		{"\"default\"", "node:1",
		 "cpus of reads: node 1 of '1' has no CPU that this process may use (there are "
		 "such "
		 "on node 0,2)"},
		{"{\"kind\": \"bind\", \"nodes\": \"0-2\"}", "",
		 "numa of region 'sga': node 1 is none of those with memory"},
		{"{\"kind\": \"preferred\", \"nodes\": \"99\"}", "",
		 "numa of region 'sga': node 99 is none of those with memory"},
	};
	struct topology topology = two_nodes();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made made;

		make(&made, &topology, cases[i].numa, cases[i].cpus, NULL);
		assert_int_equal(made.status, ERROR_INPUT);
		if (!strstr(made.error.text, cases[i].part))
			fail_msg("'%s' is not in '%s'", cases[i].part, made.error.text);
		drop(&made);
	}
}

static const char *nodes_of(const struct made *made)
{
	static char text[64];

	if (made->status)
		fail_msg("%s", made->error.text);
	if (made->point.unplaced)
		fail_msg("%s", made->point.unplaced);
	return node_set_format(&made->point.places[0].nodes, text, sizeof(text));
}

static void test_nodes_are_those_that_are_named_or_all(void **state)
{
	static const struct {
		const char *numa, *cpus;
		enum place_policy policy;
		const char *nodes;
	} cases[] = {
		{"\"default\"", "", PLACE_DEFAULT, ""},
		{"\"interleave\"", "", PLACE_INTERLEAVE, "0,2"},
		{"{\"kind\": \"interleave\", \"nodes\": \"2\"}", "", PLACE_INTERLEAVE, "2"},
		{"{\"kind\": \"bind\", \"nodes\": \"2\"}", "", PLACE_BIND, "2"},
		{"\"local\"", "6", PLACE_LOCAL, "2"},
		{"\"local\"", "node:0", PLACE_LOCAL, "0"},
	};
	struct topology topology = two_nodes();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made made;

		make(&made, &topology, cases[i].numa, cases[i].cpus, NULL);
		assert_string_equal(nodes_of(&made), cases[i].nodes);
		assert_int_equal(made.point.places[0].policy, cases[i].policy);
		drop(&made);
	}
}

/* A node of CPUs alone has its memory next door. */
static void test_local_is_the_nearest_node_with_memory(void **state)
{
	struct topology topology = two_nodes();
	struct made made;

	topology.n_nodes = 1;
	make(&made, &topology, "\"local\"", "6", NULL);
	assert_string_equal(nodes_of(&made), "0");
	assert_int_equal(made.point.places[0].cpu, 6);
	drop(&made);
}

/* A file of ours, on a disk that the test's machine has on node 2 (or on none, or nowhere). */
static bool open_on_disk(struct target *target, const char *node)
{
	char names[TARGET_DEVICES_MAX][32], path[128];
	int n;

	memset(target, 0, sizeof(*target));
	target->fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (target->fd >= 0) {
		struct stat status;

		fstat(target->fd, &status);
		target->device = status.st_dev;
	}
	n = target->fd < 0 ? 0 : target_devices(target, names);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/sys/block/%.31s/numa_node", names[i]);
		tree_put(&tree, path, node);
	}
	if (n)
		return true;
	print_message("skipped: no block device is known below this folder\n");
	close(target->fd);
	return false;
}

static void test_near_and_far_are_about_the_device(void **state)
{
	struct topology topology = two_nodes();
	struct target target;
	struct made made;

	if (!open_on_disk(&target, "2"))
		skip();
	make(&made, &topology, "\"near\"", "near", &target);
	assert_string_equal(nodes_of(&made), "2");
	assert_int_equal(made.point.places[0].policy, PLACE_BIND);
	assert_int_equal(made.point.cpus[0].n, 2);
	assert_int_equal(made.point.cpus[0].ids[0], 4);
	drop(&made);
	make(&made, &topology, "\"far\"", "far", &target);
	assert_string_equal(nodes_of(&made), "0");
	assert_int_equal(made.point.cpus[0].n, 1);
	assert_int_equal(made.point.cpus[0].ids[0], 1);
	drop(&made);
	close(target.fd);
}

/* Resolves and expects the reason that the probe will give. */
static void expect_unplaced(const struct topology *topology, const char *numa,
			    const struct target *target, const char *part)
{
	struct made made;

	make(&made, topology, numa, "", target);
	assert_int_equal(made.status, 0);
	assert_int_equal(made.error.code, 0);
	assert_non_null(made.point.unplaced);
	if (!strstr(made.point.unplaced, part))
		fail_msg("'%s' is not in '%s'", part, made.point.unplaced);
	drop(&made);
}

static void test_what_this_machine_has_not_is_a_reason(void **state)
{
	struct topology one = two_nodes(), two = two_nodes();
	struct target target;
	struct made made;

	one.n_nodes = 1;
	expect_unplaced(&two, "\"near\"", NULL, "about the block devices below the targets");
	if (!open_on_disk(&target, "0"))
		skip();
	expect_unplaced(&one, "\"far\"", &target,
			"numa of region 'sga': no node is farther from the targets' device than "
			"others (those that this process may use: 0)");
	close(target.fd);
	assert_true(open_on_disk(&target, "-1"));
	expect_unplaced(&two, "\"far\"", &target, "does not say on which node it is");
	/* There is no doubt where there is one node only. */
	make(&made, &one, "\"near\"", "", &target);
	assert_string_equal(nodes_of(&made), "0");
	drop(&made);
	close(target.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus_are_those_that_are_named_or_all),
		cmocka_unit_test(test_what_is_not_ours_is_refused),
		cmocka_unit_test(test_nodes_are_those_that_are_named_or_all),
		cmocka_unit_test(test_local_is_the_nearest_node_with_memory),
		cmocka_unit_test(test_near_and_far_are_about_the_device),
		cmocka_unit_test(test_what_this_machine_has_not_is_a_reason),
	};

	return cmocka_run_group_tests(tests, machine_make, machine_drop);
}
