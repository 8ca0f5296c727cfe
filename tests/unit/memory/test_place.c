/* SPDX-License-Identifier: MIT */
/* test_place.c - policies are asked of the kernel, and refused in words. */
#include "memory/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lend.h"
#include "mempolicy.h"
#include "tree.h"

static struct choice numa_of(const char *json)
{
	struct json_document *document = NULL;
	struct choice choice = {0};
	struct error error = {0};

	if (json_parse("test", json, &document, &error) ||
	    catalog_read(&place_catalog, document, json_root(document), &choice, &error))
		fail_msg("%s", error.text);
	json_free(document);
	return choice;
}

static void test_nodes_are_needed_where_nothing_else_makes_sense(void **state)
{
	static const struct {
		const char *json, *sentence;
	} cases[] = {
		{"\"far\"", ""},
		{"\"interleave\"", ""},
		{"{\"kind\": \"bind\", \"nodes\": \"0-1,4\"}", ""},
		{"\"bind\"", "bind needs nodes; write {\"kind\": \"bind\", \"nodes\": \"0\"}"},
		{"\"preferred\"",
		 "preferred needs nodes; write {\"kind\": \"preferred\", \"nodes\": \"0\"}"},
		{"{\"kind\": \"weighted\", \"nodes\": \"1-\"}",
		 "'1-' is not a list of nodes (such as 0-1,4)"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct choice numa = numa_of(cases[i].json);
		struct error error = {0};

		assert_int_equal(place_form_check(&numa, &error),
				 *cases[i].sentence ? ERROR_INPUT : 0);
		assert_string_equal(error.text, cases[i].sentence);
		choice_free(&numa);
	}
}

/* mode numbers of linux/mempolicy.h. */
static void test_each_policy_is_asked_by_its_mode(void **state)
{
	static const struct {
		struct place place;
		int calls, mode;
		unsigned long nodes;
	} cases[] = {
		{{.policy = PLACE_DEFAULT}, 0, 0, 0},
		{{.policy = PLACE_LOCAL, .nodes = {{2}}}, 1, 4, 0},
		{{.policy = PLACE_BIND, .nodes = {{2}}}, 1, 2, 2},
		{{.policy = PLACE_INTERLEAVE, .nodes = {{3}}}, 1, 3, 3},
		{{.policy = PLACE_PREFERRED, .nodes = {{1}}}, 1, 1, 1},
		{{.policy = PLACE_PREFERRED, .nodes = {{5}}}, 1, 5, 5},
		{{.policy = PLACE_WEIGHTED, .nodes = {{3}}}, 1, 6, 3},
	};
	struct mapping mapping = {.bytes = 4096};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&kernel, 0, sizeof(kernel));
		kernel.ours = true;
		assert_int_equal(place_apply(&cases[i].place, &mapping, NULL), 0);
		assert_int_equal(kernel.calls, cases[i].calls);
		assert_int_equal(kernel.mode, cases[i].mode);
		assert_int_equal(kernel.nodes, cases[i].nodes);
	}
}

static void test_a_kernel_that_cannot_is_a_reason(void **state)
{
	static const struct {
		enum place_policy policy;
		int code;
		const char *part;
	} cases[] = {
		{PLACE_WEIGHTED, EINVAL, "no MPOL_WEIGHTED_INTERLEAVE, which came with Linux 6.9"},
		{PLACE_PREFERRED, EINVAL, "no MPOL_PREFERRED_MANY, which came with Linux 5.15"},
		{PLACE_BIND, ENOSYS, "no memory policies: boot one built with CONFIG_NUMA"},
		{PLACE_BIND, EPERM, "may not call mbind"},
		{PLACE_INTERLEAVE, ENOMEM, "mbind(MPOL_INTERLEAVE) to nodes 0-1: Cannot allocate"},
	};
	const struct memory_need need = {.kind = MEMORY_NEED_NOTHING};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct place place = place_on(cases[i].policy, 0, 1);
		struct error error = {0};

		kernel.ours = true;
		kernel.mbind_errno = cases[i].code;
		assert_int_equal(place_probe("", &place, &need, 4096, &error), ERROR_CANNOT);
		if (!strstr(error.text, cases[i].part))
			fail_msg("'%s' is not in '%s'", cases[i].part, error.text);
	}
	/* What the kernel refuses for no known reason is no matter of this machine. */
	kernel.mbind_errno = EINVAL;
	assert_int_equal(
		place_apply(&(struct place){.policy = PLACE_BIND}, &(struct mapping){0}, NULL),
		-EINVAL);
}

static void put_pool(const struct tree *tree, int node, const char *pages, const char *free)
{
	char path[256];

	tree_put(tree, pool_path("", node, LEND_PAGE_BYTES, "nr_hugepages", path, sizeof(path)),
		 pages);
	tree_put(tree, pool_path("", node, LEND_PAGE_BYTES, "free_hugepages", path, sizeof(path)),
		 free);
	tree_put(tree,
		 pool_path("", node, LEND_PAGE_BYTES, "surplus_hugepages", path, sizeof(path)),
		 "0");
}

/* Node 0 with 10 huge pages free, node 1 with 2 of 4, and 64 MiB of memory each. */
static struct tree two_nodes(void)
{
	struct tree tree;

	tree_make(&tree);
	put_pool(&tree, 0, "12", "10");
	put_pool(&tree, 1, "4", "2");
	tree_put(&tree, "/sys/devices/system/node/node0/meminfo",
		 "Node 0 MemTotal:     131072 kB\nNode 0 MemFree:       65536 kB\n"
		 "Node 0 Inactive(file):  1024 kB\n");
	tree_put(&tree, "/sys/devices/system/node/node1/meminfo",
		 "Node 1 MemTotal:     131072 kB\nNode 1 MemFree:       65536 kB\n");
	tree_put(&tree, "/sys/kernel/mm/mempolicy/weighted_interleave/node0", "3\n");
	tree_put(&tree, "/sys/kernel/mm/mempolicy/weighted_interleave/node1", "1\n");
	return tree;
}

static struct memory_need pages(uint64_t n)
{
	return (struct memory_need){.kind = MEMORY_NEED_HUGE_PAGES,
				    .page_bytes = LEND_PAGE_BYTES,
				    .bytes = n * LEND_PAGE_BYTES};
}

static void test_too_few_huge_pages_on_the_nodes_are_named(void **state)
{
	static const struct {
		enum place_policy policy;
		int a, b;
		uint64_t pages;
		const char *part; /* null: it can be had */
	} cases[] = {
		{PLACE_BIND, 1, 1, 2, NULL},
		{PLACE_BIND, 1, 1, 3,
		 "it needs 3 free 2M huge pages on node 1, where 2 are free: echo 5 > "},
		{PLACE_BIND, 0, 1, 12, NULL},
		{PLACE_BIND, 0, 1, 13, "it needs 13 free 2M huge pages on node 0-1, where 12"},
		{PLACE_INTERLEAVE, 0, 1, 4, NULL},
		{PLACE_INTERLEAVE, 0, 1, 6, "it needs 3 free 2M huge pages on node 1, where 2"},
		{PLACE_WEIGHTED, 0, 1, 8, NULL},
		{PLACE_WEIGHTED, 0, 1, 9, "it needs 3 free 2M huge pages on node 1, where 2"},
		{PLACE_PREFERRED, 1, 1, 3, NULL},
	};
	struct tree tree = two_nodes();

	kernel.ours = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct place place = place_on(cases[i].policy, cases[i].a, cases[i].b);
		struct memory_need need = pages(cases[i].pages);
		struct error error = {0};
		int ret = place_probe(tree.root, &place, &need, need.bytes, &error);

		assert_int_equal(ret, cases[i].part ? ERROR_CANNOT : 0);
		if (cases[i].part && !strstr(error.text, cases[i].part))
			fail_msg("'%s' is not in '%s'", cases[i].part, error.text);
	}
	tree_remove(&tree);
}

/* The kernel would kill somebody instead. */
static void test_too_little_memory_on_the_nodes_is_named(void **state)
{
	const struct memory_need none = {.kind = MEMORY_NEED_NOTHING};
	struct place one = place_on(PLACE_BIND, 1, 1), both = place_on(PLACE_BIND, 0, 1);
	struct tree tree = two_nodes();
	struct error error = {0};

	kernel.ours = true;
	assert_int_equal(place_probe(tree.root, &one, &none, 64 << 20, &error), 0);
	assert_int_equal(place_probe(tree.root, &both, &none, 129 << 20, &error), 0);
	assert_int_equal(place_probe(tree.root, &both, &none, 130 << 20, &error), ERROR_CANNOT);
	assert_int_equal(place_probe(tree.root, &one, &none, 65 << 20, &error), ERROR_CANNOT);
	assert_string_equal(error.text, "it needs 65M of memory on node 1, which can give 64M: ask "
					"for a smaller region or more nodes");
	tree_remove(&tree);
}

static void test_needs_are_one_a_node_where_there_are_shares(void **state)
{
	struct place bound = place_on(PLACE_BIND, 0, 1), turns = place_on(PLACE_WEIGHTED, 0, 1);
	struct memory_need need = pages(10), ret[4];
	struct tree tree = two_nodes();

	assert_int_equal(place_needs(tree.root, &(struct place){0}, &need, ret, 4), 1);
	assert_int_equal(node_set_count(&ret[0].nodes), 0);
	assert_int_equal(place_needs(tree.root, &bound, &need, ret, 4), 1);
	assert_int_equal(ret[0].nodes.words[0], 3);
	assert_true(ret[0].nodes_only);
	/* 3 and 1 in turn: 10 pages are 3 turns. */
	assert_int_equal(place_needs(tree.root, &turns, &need, ret, 4), 2);
	assert_int_equal(ret[0].nodes.words[0], 1);
	assert_int_equal(ret[0].bytes, 9 * LEND_PAGE_BYTES);
	assert_int_equal(ret[1].nodes.words[0], 2);
	assert_int_equal(ret[1].bytes, 3 * LEND_PAGE_BYTES);
	turns.policy = PLACE_PREFERRED;
	assert_int_equal(place_needs(tree.root, &turns, &need, ret, 4), 1);
	assert_false(ret[0].nodes_only);
	tree_remove(&tree);
}

/* On the machine itself, whatever it has: all of it on its first node. */
static void bind_for_real(const char *memory, bool lent)
{
	struct choice choice = lend_choice(memory);
	struct region region = lend_region(&choice, 8 << 20);
	struct memory_audit audit = {0};
	struct error error = {0};
	struct topology topology;
	int ret = topology_read(&topology, &error);

	if (!ret) {
		region.place = place_on(PLACE_BIND, topology.nodes[0], topology.nodes[0]);
		ret = lent ? region_open(&region, &error) : 0;
	}
	if (!ret && lent)
		ret = region_audit(&region, &audit, &error);
	if (!ret && lent)
		ret = region_check(&region, &audit, 100, &error);
	region_close(&region);
	choice_free(&choice);
	if (ret && (strstr(error.text, "CONFIG_NUMA") || strstr(error.text, "container")))
		print_message("skipped: %s\n", error.text);
	else if (ret)
		fail_msg("%s", error.text);
	else if (lent) {
		assert_int_equal(audit.placed.n_nodes, 1);
		assert_int_equal(audit.placed.nodes[0].node, topology.nodes[0]);
		assert_int_equal(audit.placed.nodes[0].bytes, 8 << 20);
	}
}

static void test_base_pages_are_bound_for_real(void **state)
{
	bind_for_real("\"base\"", true);
}

static void test_huge_pages_are_bound_for_real(void **state)
{
	struct lend lend = {0};
	struct topology topology;
	bool lent = false;

	/* They come from all nodes alike, and are to suffice on the first. */
	if (!topology_read(&topology, NULL))
		lent = lend_huge_pages(&lend, 4 * (uint64_t)topology.n_nodes);

	bind_for_real("{\"kind\": \"hugetlb\", \"api\": \"mmap\"}", lent);
	if (lent)
		bind_for_real("{\"kind\": \"hugetlb\", \"api\": \"shm\"}", lent);
	lend_end(&lend);
	if (!lent)
		skip();
}

static void test_a_local_region_is_populated_from_its_cpu(void **state)
{
	struct topology before, moved, after;
	struct place place = {.policy = PLACE_LOCAL};
	struct place_thread thread;

	assert_int_equal(topology_read(&before, NULL), 0);
	place.cpu = before.cpus[before.n_cpus - 1];
	assert_int_equal(place_thread_move(&place, &thread, NULL), 0);
	assert_int_equal(topology_read(&moved, NULL), 0);
	place_thread_return(&thread);
	assert_int_equal(topology_read(&after, NULL), 0);
	assert_int_equal(moved.n_cpus, 1);
	assert_int_equal(moved.cpus[0], place.cpu);
	assert_int_equal(after.n_cpus, before.n_cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_nodes_are_needed_where_nothing_else_makes_sense, reset),
		cmocka_unit_test_setup(test_each_policy_is_asked_by_its_mode, reset),
		cmocka_unit_test_setup(test_a_kernel_that_cannot_is_a_reason, reset),
		cmocka_unit_test_setup(test_too_few_huge_pages_on_the_nodes_are_named, reset),
		cmocka_unit_test_setup(test_too_little_memory_on_the_nodes_is_named, reset),
		cmocka_unit_test_setup(test_needs_are_one_a_node_where_there_are_shares, reset),
		cmocka_unit_test_setup(test_base_pages_are_bound_for_real, reset),
		cmocka_unit_test_setup(test_huge_pages_are_bound_for_real, reset),
		cmocka_unit_test_setup(test_a_local_region_is_populated_from_its_cpu, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
