/* SPDX-License-Identifier: MIT */
/* place.c - on which memory nodes a region is to lie. */
#include "memory/place.h"

#include <errno.h>
#include <numaif.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/field.h"
#include "base/sysfile.h"
#include "base/units.h"
#include "memory/kinds.h"
#include "memory/memory.h"
#include "memory/place_parts.h"
#include "memory/pool.h"

/* linux/mempolicy.h has them, the numaif.h of older libraries does not. */
#define MODE_LOCAL	    4
#define MODE_PREFERRED_MANY 5
#define MODE_WEIGHTED	    6

struct place_params {
	char nodes[128];
};

static const struct field nodes_needed[] = {
	FIELD_TEXT("nodes", struct place_params, nodes, "", "nodes, like 0-1,4"), FIELD_END};

static const struct field nodes_optional[] = {
	FIELD_TEXT("nodes", struct place_params, nodes, "",
		   "nodes, like 0-1,4; else all that are allowed"),
	FIELD_END};

static const struct place_ops place_default = {
	.entry = {.name = "default",
		  .summary = "nothing is asked: on the node where it is populated"},
	.policy = PLACE_DEFAULT};

static const struct place_ops place_local = {
	.entry = {.name = "local", .summary = "on the node of the first worker that uses it"},
	.policy = PLACE_LOCAL};

static const struct place_ops place_near = {
	.entry = {.name = "near", .summary = "bound to the node of the device below the targets"},
	.policy = PLACE_BIND,
	.side = PLACE_NEAR};

static const struct place_ops place_far = {
	.entry = {.name = "far", .summary = "bound to the node farthest from that device"},
	.policy = PLACE_BIND,
	.side = PLACE_FAR};

static const struct place_ops place_bind = {.entry = {.name = "bind",
						      .summary = "on these nodes and nowhere else",
						      .fields = nodes_needed,
						      .params_size = sizeof(struct place_params)},
					    .policy = PLACE_BIND,
					    .needs_nodes = true};

static const struct place_ops place_interleave = {
	.entry = {.name = "interleave",
		  .summary = "page by page in turn, as much on each node",
		  .fields = nodes_optional,
		  .params_size = sizeof(struct place_params)},
	.policy = PLACE_INTERLEAVE};

static const struct place_ops place_preferred = {
	.entry = {.name = "preferred",
		  .summary = "on these nodes while they have memory, then elsewhere",
		  .fields = nodes_needed,
		  .params_size = sizeof(struct place_params)},
	.policy = PLACE_PREFERRED,
	.needs_nodes = true};

static const struct place_ops place_weighted = {
	.entry = {.name = "weighted",
		  .summary = "in turn, in shares by the kernel's weights of the nodes (Linux 6.9)",
		  .fields = nodes_optional,
		  .params_size = sizeof(struct place_params)},
	.policy = PLACE_WEIGHTED};

static const struct entry *const place_entries[] = {
	&place_default.entry,  &place_local.entry,     &place_near.entry,
	&place_far.entry,      &place_bind.entry,      &place_interleave.entry,
	&place_weighted.entry, &place_preferred.entry, NULL};

const struct catalog place_catalog = {.noun = "NUMA policy", .entries = place_entries};

const struct place_ops *place_ops_of(const struct choice *numa)
{
	return (const struct place_ops *)(const void *)numa->entry;
}

const char *place_nodes_text(const struct choice *numa)
{
	const struct place_params *params = numa->params;

	return params ? params->nodes : "";
}

int place_form_check(const struct choice *numa, struct error *error)
{
	const char *nodes = place_nodes_text(numa);
	struct node_set set;

	if (*nodes)
		return topology_parse_nodes(NULL, nodes, &set, error);
	if (!place_ops_of(numa)->needs_nodes)
		return 0;
	return error_set(error, ERROR_INPUT,
			 "%s needs nodes; write {\"kind\": \"%s\", \"nodes\": \"0\"}",
			 numa->entry->name, numa->entry->name);
}

static int place_mode(const struct place *place)
{
	switch (place->policy) {
	case PLACE_LOCAL:
		return MODE_LOCAL;
	case PLACE_BIND:
		return MPOL_BIND;
	case PLACE_INTERLEAVE:
		return MPOL_INTERLEAVE;
	case PLACE_PREFERRED:
		return node_set_count(&place->nodes) > 1 ? MODE_PREFERRED_MANY : MPOL_PREFERRED;
	case PLACE_WEIGHTED:
		return MODE_WEIGHTED;
	case PLACE_DEFAULT:
		break;
	}
	return MPOL_DEFAULT;
}

/* 0 or the errno. */
static int place_mbind(const struct place *place, void *address, uint64_t bytes)
{
	bool bare = place->policy == PLACE_LOCAL;

	/* The kernel takes one bit less than it is told. */
	return mbind(address, bytes, place_mode(place), bare ? NULL : place->nodes.words,
		     bare ? 0 : TOPOLOGY_NODES_MAX + 1, 0)
		       ? errno
		       : 0;
}

static const char *place_mode_name(const struct place *place)
{
	static const char *const names[] = {"MPOL_DEFAULT",
					    "MPOL_PREFERRED",
					    "MPOL_BIND",
					    "MPOL_INTERLEAVE",
					    "MPOL_LOCAL",
					    "MPOL_PREFERRED_MANY",
					    "MPOL_WEIGHTED_INTERLEAVE"};

	return names[place_mode(place)];
}

static int place_fail(const struct place *place, int code, struct error *error)
{
	const char *name = place_mode_name(place);
	char nodes[128];

	node_set_format(&place->nodes, nodes, sizeof(nodes));
	if (code == ENOSYS)
		return error_set(error, ERROR_CANNOT,
				 "this kernel has no memory policies: boot one built with "
				 "CONFIG_NUMA");
	if (code == EPERM)
		return error_set(error, ERROR_CANNOT,
				 "this process may not call mbind, most likely since it is in a "
				 "container: allow it (docker run --cap-add SYS_NICE)");
	if (code == EINVAL && place_mode(place) == MODE_WEIGHTED)
		return error_set(error, ERROR_CANNOT,
				 "this kernel knows no %s, which came with Linux 6.9: boot a newer "
				 "one, or ask for interleave",
				 name);
	if (code == EINVAL && place_mode(place) == MODE_PREFERRED_MANY)
		return error_set(
			error, ERROR_CANNOT,
			"this kernel knows no %s, which came with Linux 5.15: boot a newer "
			"one, or prefer one node",
			name);
	return error_set(error, code == ENOMEM ? ERROR_CANNOT : -code, "mbind(%s) to nodes %s: %s",
			 name, nodes, strerror(code));
}

/* Policies are refused or taken when they are set, whatever is or will be there. */
static int place_try(const struct place *place, struct error *error)
{
	uint64_t bytes = memory_base_page_bytes();
	void *page = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int code;

	if (page == MAP_FAILED)
		return error_set(error, -errno, "no address space: %s", strerror(errno));
	code = place_mbind(place, page, bytes);
	munmap(page, bytes);
	return code ? place_fail(place, code, error) : 0;
}

int place_apply(const struct place *place, const struct mapping *mapping, struct error *error)
{
	int code;

	if (place->policy == PLACE_DEFAULT)
		return 0;
	code = place_mbind(place, mapping->address, mapping->bytes);
	return code ? place_fail(place, code, error) : 0;
}

void place_weights(const char *root, const struct place *place, struct place_weights *ret)
{
	*ret = (struct place_weights){0};
	for (int node = 0; node < TOPOLOGY_NODES_MAX; node++) {
		uint64_t weight = 1;
		char path[256];

		if (!node_set_has(&place->nodes, node))
			continue;
		snprintf(path, sizeof(path),
			 "%s/sys/kernel/mm/mempolicy/weighted_interleave/node%d", root, node);
		if (place->policy == PLACE_WEIGHTED)
			sysfile_read_u64(path, &weight, NULL);
		ret->of[node] = (unsigned)weight;
		ret->sum += (unsigned)weight;
	}
}

bool place_has_shares(const struct place *place)
{
	return place->policy == PLACE_INTERLEAVE || place->policy == PLACE_WEIGHTED;
}

unsigned place_needs(const char *root, const struct place *place, const struct memory_need *need,
		     struct memory_need *ret, unsigned max)
{
	uint64_t pages = need->page_bytes ? need->bytes / need->page_bytes : 0;
	struct place_weights weights;
	unsigned n = 0;

	if (!max)
		return 0;
	ret[0] = *need;
	if (place->policy == PLACE_DEFAULT || need->kind != MEMORY_NEED_HUGE_PAGES)
		return 1;
	ret[0].nodes = place->nodes;
	ret[0].nodes_only = place->policy != PLACE_PREFERRED;
	if (!place_has_shares(place) || node_set_count(&place->nodes) > max)
		return 1;
	place_weights(root, place, &weights);
	for (int node = 0; node < TOPOLOGY_NODES_MAX; node++) {
		uint64_t turns = (pages + weights.sum - 1) / weights.sum;

		if (!weights.of[node])
			continue;
		ret[n] = *need;
		ret[n].nodes = (struct node_set){0};
		ret[n].nodes_only = true;
		node_set_add(&ret[n].nodes, node);
		ret[n++].bytes = need->page_bytes * turns * weights.of[node];
	}
	return n;
}

/* Free huge pages of the nodes; -ENOENT where the kernel keeps no count by node. */
static int place_free_pages(const char *root, const struct memory_need *need, uint64_t *ret,
			    int *ret_first)
{
	uint64_t free = 0;
	int first = -1;

	for (int node = 0; node < TOPOLOGY_NODES_MAX; node++) {
		struct pool pool;

		if (!node_set_has(&need->nodes, node))
			continue;
		if (pool_read(root, node, need->page_bytes, &pool, NULL) < 0)
			return -ENOENT;
		free += pool.free;
		first = first < 0 ? node : first;
	}
	*ret = free;
	*ret_first = first;
	return 0;
}

static int place_probe_pages(const char *root, const struct memory_need *need, struct error *error)
{
	uint64_t pages = need->bytes / need->page_bytes, free, more = 0;
	char page[32], nodes[128], path[256];
	struct pool pool;
	int first;

	if (place_free_pages(root, need, &free, &first) < 0)
		return 0;
	if (!pool_read(root, POOL_ALL_NODES, need->page_bytes, &pool, NULL) &&
	    pool.overcommit > pool.surplus)
		more = pool.overcommit - pool.surplus;
	if (pages <= free + more)
		return 0;
	pool_read(root, first, need->page_bytes, &pool, NULL);
	return error_set(
		error, ERROR_CANNOT,
		"it needs %llu free %s huge pages on node %s, where %llu are free: echo "
		"%llu > %s",
		(unsigned long long)pages, units_format_size(need->page_bytes, page),
		node_set_format(&need->nodes, nodes, sizeof(nodes)), (unsigned long long)free,
		(unsigned long long)(pool.pages + pages - free),
		pool_path(root, first, need->page_bytes, "nr_hugepages", path, sizeof(path)));
}

/* What a node can give without swapping, roughly: free, and the cache of files that is clean. */
static uint64_t place_node_available(const char *root, int node)
{
	static const char *const names[] = {"MemFree", "Active(file)", "Inactive(file)",
					    "SReclaimable"};
	char path[256], text[8192], name[64];
	uint64_t sum = 0, bytes;

	snprintf(path, sizeof(path), "%s/sys/devices/system/node/node%d/meminfo", root, node);
	if (sysfile_read(path, text, sizeof(text), NULL) < 0)
		return UINT64_MAX;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(name, sizeof(name), "Node %d %s", node, names[i]);
		if (!sysfile_field_kb(text, name, &bytes))
			sum += bytes;
	}
	return sum;
}

/* Beyond what there is, a bound region ends in the out-of-memory killer and not in an error. */
static int place_probe_memory(const char *root, const struct place *place, uint64_t bytes,
			      struct error *error)
{
	uint64_t available = 0;
	char need[32], have[32], nodes[128];

	for (int node = 0; node < TOPOLOGY_NODES_MAX; node++)
		if (node_set_has(&place->nodes, node)) {
			uint64_t more = place_node_available(root, node);

			available = more > UINT64_MAX - available ? UINT64_MAX : available + more;
		}
	if (bytes <= available)
		return 0;
	return error_set(error, ERROR_CANNOT,
			 "it needs %s of memory on node %s, which can give %s: ask for a smaller "
			 "region or more nodes",
			 units_format_size(bytes, need),
			 node_set_format(&place->nodes, nodes, sizeof(nodes)),
			 units_format_amount(available, have));
}

int place_probe(const char *root, const struct place *place, const struct memory_need *need,
		uint64_t bytes, struct error *error)
{
	struct memory_need needs[PLACE_NODES_MAX];
	unsigned n;
	int ret;

	if (place->policy == PLACE_DEFAULT)
		return 0;
	ret = place_try(place, error);
	if (ret || place->policy == PLACE_PREFERRED)
		return ret;
	if (need->kind != MEMORY_NEED_HUGE_PAGES)
		return place_probe_memory(root, place, bytes, error);
	n = place_needs(root, place, need, needs, PLACE_NODES_MAX);
	for (unsigned i = 0; i < n && !ret; i++)
		ret = place_probe_pages(root, &needs[i], error);
	return ret;
}

int place_thread_move(const struct place *place, struct place_thread *thread, struct error *error)
{
	struct topology *topology;
	int ret;

	*thread = (struct place_thread){0};
	if (place->policy != PLACE_LOCAL || place->cpu < 0)
		return 0;
	topology = calloc(1, sizeof(*topology));
	thread->cpus = calloc(TOPOLOGY_CPUS_MAX, sizeof(*thread->cpus));
	ret = topology && thread->cpus ? topology_read(topology, error)
				       : error_set(error, -ENOMEM, "no memory for a set of CPUs");
	if (!ret) {
		thread->n_cpus = topology->n_cpus;
		memcpy(thread->cpus, topology->cpus,
		       (size_t)topology->n_cpus * sizeof(*thread->cpus));
		ret = topology_pin(place->cpu, error);
		thread->moved = !ret;
	}
	free(topology);
	if (ret)
		place_thread_return(thread);
	return ret;
}

void place_thread_return(struct place_thread *thread)
{
	if (thread->moved)
		topology_confine(thread->cpus, thread->n_cpus, NULL);
	free(thread->cpus);
	*thread = (struct place_thread){0};
}
