/* SPDX-License-Identifier: MIT */
/* test_nodes.c - CPUs, devices and distances of nodes with sparse ids, from a tree of our own. */
#include "base/nodes.h"

#include <unistd.h>

#include "../memory/tree.h"
#include "expect.h"

static struct tree tree;

/* Nodes 0, 2 and 5 in a row; 5 has memory only. */
static int three_nodes(void **state)
{
	tree_make(&tree);
	tree_put(&tree, "/sys/devices/system/node/online", "0,2,5\n");
	tree_put(&tree, "/sys/devices/system/node/node0/cpulist", "0-1,8\n");
	tree_put(&tree, "/sys/devices/system/node/node2/cpulist", "4-6\n");
	tree_put(&tree, "/sys/devices/system/node/node5/cpulist", "\n");
	tree_put(&tree, "/sys/devices/system/node/node0/distance", "10 16 28\n");
	tree_put(&tree, "/sys/devices/system/node/node2/distance", "16 10 21\n");
	tree_put(&tree, "/sys/devices/system/node/node5/distance", "28 21 10\n");
	return 0;
}

static int no_nodes(void **state)
{
	tree_remove(&tree);
	return 0;
}

static struct node_set set_of(int a, int b, int c)
{
	struct node_set set = {0};

	node_set_add(&set, a);
	node_set_add(&set, b);
	node_set_add(&set, c);
	return set;
}

static const char *chosen(struct node_set from, struct node_set among, enum nodes_side side)
{
	static char text[64];
	struct node_set set;

	nodes_choose(tree.root, &from, &among, side, &set);
	return node_set_format(&set, text, sizeof(text));
}

static void a_cpu_has_a_node(void **state)
{
	assert_int_equal(nodes_of_cpu(tree.root, 8), 0);
	assert_int_equal(nodes_of_cpu(tree.root, 5), 2);
	assert_int_equal(nodes_of_cpu(tree.root, 3), -1);
}

static void only_allowed_cpus_of_a_node_are_given(void **state)
{
	struct topology topology = {.n_cpus = 4, .cpus = {1, 5, 6, 7}};
	struct node_set set = set_of(0, 2, 5);
	int cpus[TOPOLOGY_CPUS_MAX];

	assert_int_equal(nodes_cpus(tree.root, &topology, &set, cpus), 3);
	assert_memory_equal(cpus, ((int[]){1, 5, 6}), 3 * sizeof(int));
	set = set_of(2, 2, 2);
	assert_int_equal(nodes_cpus(tree.root, &topology, &set, cpus), 2);
	set = set_of(5, 5, 5);
	assert_int_equal(nodes_cpus(tree.root, &topology, &set, cpus), 0);
	nodes_with_cpus(tree.root, &topology, &set);
	assert_true(node_set_has(&set, 0) && node_set_has(&set, 2) && node_set_count(&set) == 2);
}

static void distances_are_in_the_order_of_online_nodes(void **state)
{
	assert_int_equal(nodes_distance(tree.root, 0, 5), 28);
	assert_int_equal(nodes_distance(tree.root, 5, 2), 21);
	assert_int_equal(nodes_distance(tree.root, 2, 2), 10);
	/* What is not told is guessed. */
	assert_int_equal(nodes_distance(tree.root, 0, 3), 20);
	assert_int_equal(nodes_distance(tree.root, 7, 7), 10);
}

static void near_and_far_go_by_distance(void **state)
{
	assert_string_equal(chosen(set_of(0, 0, 0), set_of(0, 2, 5), NODES_NEAR), "0");
	assert_string_equal(chosen(set_of(0, 0, 0), set_of(0, 2, 5), NODES_FAR), "5");
	/* The device's own node may not be among those that are allowed. */
	assert_string_equal(chosen(set_of(5, 5, 5), set_of(0, 2, 2), NODES_NEAR), "2");
	/* Two devices: each is near to one, and 2 is the farthest from both. */
	assert_string_equal(chosen(set_of(0, 5, 5), set_of(0, 2, 5), NODES_NEAR), "0,5");
	assert_string_equal(chosen(set_of(0, 5, 5), set_of(0, 2, 5), NODES_FAR), "2");
}

static void nothing_is_far_where_all_is_equally_near(void **state)
{
	assert_string_equal(chosen(set_of(0, 0, 0), set_of(0, 0, 0), NODES_FAR), "");
	assert_string_equal(chosen(set_of(0, 2, 5), set_of(0, 2, 5), NODES_FAR), "");
}

/* As a disk hangs on a controller, and that on a bus; the first that tells is believed. */
static void a_device_is_where_its_bus_is(void **state)
{
	char from[128], to[128];

	tree_put(&tree, "/sys/devices/pci/0000:80/nvme/nvme1/nvme1n1/size", "1\n");
	tree_put(&tree, "/sys/devices/pci/0000:80/numa_node", "2\n");
	tree_put(&tree, "/sys/devices/virtio/vda/size", "1\n");
	tree_put(&tree, "/sys/devices/virtio/numa_node", "-1\n");
	tree_put(&tree, "/sys/block/none", "");
	snprintf(to, sizeof(to), "%s/sys/devices/pci/0000:80/nvme/nvme1/nvme1n1", tree.root);
	snprintf(from, sizeof(from), "%s/sys/block/nvme1n1", tree.root);
	assert_int_equal(symlink(to, from), 0);
	snprintf(to, sizeof(to), "%s/sys/devices/virtio/vda", tree.root);
	snprintf(from, sizeof(from), "%s/sys/block/vda", tree.root);
	assert_int_equal(symlink(to, from), 0);
	assert_int_equal(nodes_of_device(tree.root, "nvme1n1"), 2);
	assert_int_equal(nodes_of_device(tree.root, "vda"), -1);
	assert_int_equal(nodes_of_device(tree.root, "absent"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_has_a_node),
		cmocka_unit_test(only_allowed_cpus_of_a_node_are_given),
		cmocka_unit_test(distances_are_in_the_order_of_online_nodes),
		cmocka_unit_test(near_and_far_go_by_distance),
		cmocka_unit_test(nothing_is_far_where_all_is_equally_near),
		cmocka_unit_test(a_device_is_where_its_bus_is),
	};

	return cmocka_run_group_tests(tests, three_nodes, no_nodes);
}
