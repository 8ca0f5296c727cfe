/* SPDX-License-Identifier: MIT */
/* topology.c - CPUs this process may use, nodes that exist, the base page size. */
#include "base/topology.h"

#include <ctype.h>
#include <numa.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "base/words.h"

#define PMD_SIZE_PATH "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"

static void cleanup_cpu_set(cpu_set_t **set)
{
	if (*set)
		CPU_FREE(*set);
}

static int read_cpus(struct topology *topology, struct error *error)
{
	__attribute__((cleanup(cleanup_cpu_set))) cpu_set_t *set = CPU_ALLOC(TOPOLOGY_CPUS_MAX);
	size_t size = CPU_ALLOC_SIZE(TOPOLOGY_CPUS_MAX);

	if (!set)
		return error_set(error, -ENOMEM, "no memory for a set of CPUs");
	if (sched_getaffinity(0, size, set)) {
		int code = errno == EINVAL ? ERROR_CANNOT : -errno;

		return error_set(error, code,
				 "cannot ask which CPUs this process may use: %s (at most %d are "
				 "handled)",
				 strerror(errno), TOPOLOGY_CPUS_MAX);
	}
	topology->n_cpus = 0;
	for (int cpu = 0; cpu < TOPOLOGY_CPUS_MAX; cpu++)
		if (CPU_ISSET_S((size_t)cpu, size, set))
			topology->cpus[topology->n_cpus++] = cpu;
	return 0;
}

static void read_nodes(struct topology *topology)
{
	struct bitmask *allowed = numa_available() < 0 ? NULL : numa_get_mems_allowed();

	topology->n_nodes = 0;
	for (unsigned node = 0; allowed && node < allowed->size; node++)
		if (numa_bitmask_isbitset(allowed, node) && topology->n_nodes < TOPOLOGY_NODES_MAX)
			topology->nodes[topology->n_nodes++] = (int)node;
	if (allowed)
		numa_bitmask_free(allowed);
	if (!topology->n_nodes) {
		topology->n_nodes = 1;
		topology->nodes[0] = 0;
	}
}

int topology_read(struct topology *ret, struct error *error)
{
	int r = read_cpus(ret, error);

	if (r)
		return r;
	read_nodes(ret);
	ret->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	ret->pmd_bytes = 0;
	sysfile_read_u64(PMD_SIZE_PATH, &ret->pmd_bytes, NULL);
	return 0;
}

static bool may_use(const struct topology *topology, int cpu)
{
	for (int i = 0; i < topology->n_cpus; i++)
		if (topology->cpus[i] == cpu)
			return true;
	return false;
}

/* Ascending ids as "0-3,8", cut where it does not fit. */
static const char *show_ids(const int *ids, int n, char *text, size_t size)
{
	char whole[1024] = "";
	size_t used = 0;

	for (int i = 0, last; i < n && used < sizeof(whole); i = last + 1) {
		for (last = i; last + 1 < n && ids[last + 1] == ids[last] + 1;)
			last++;
		used += (size_t)snprintf(whole + used, sizeof(whole) - used, "%s%d", i ? "," : "",
					 ids[i]);
		if (last > i && used < sizeof(whole))
			used += (size_t)snprintf(whole + used, sizeof(whole) - used, "-%d",
						 ids[last]);
	}
	return words_quote(whole, text, size);
}

const char *node_set_format(const struct node_set *set, char *text, size_t size)
{
	int nodes[TOPOLOGY_NODES_MAX], n = 0;

	for (int node = 0; node < TOPOLOGY_NODES_MAX; node++)
		if (node_set_has(set, node))
			nodes[n++] = node;
	return show_ids(nodes, n, text, size);
}

/* Digits, cut off where no machine has that many; -1 where there is none. */
static int parse_id(const char **at)
{
	int id = 0;

	if (!isdigit((unsigned char)**at))
		return -1;
	for (; isdigit((unsigned char)**at); (*at)++)
		if (id < 100000000)
			id = id * 10 + (**at - '0');
	return id;
}

int topology_next_range(const char **at, int *ret_first, int *ret_last)
{
	const char *next = *at;
	int first, last;

	if (!*next)
		return 0;
	first = last = parse_id(&next);
	if (*next == '-') {
		next++;
		last = parse_id(&next);
	}
	if (first < 0 || last < first || (*next && *next != ','))
		return -EINVAL;
	/* A comma promises another one. */
	if (*next == ',' && !*++next)
		return -EINVAL;
	*ret_first = first;
	*ret_last = last;
	*at = next;
	return 1;
}

static int add_cpu(const struct topology *topology, int cpu, int *cpus, int *n, struct error *error)
{
	char allowed[256];

	if (!may_use(topology, cpu))
		return error_set(
			error, ERROR_INPUT, "CPU %d is none of those this process may use (%s)",
			cpu, show_ids(topology->cpus, topology->n_cpus, allowed, sizeof(allowed)));
	for (int i = 0; i < *n; i++)
		if (cpus[i] == cpu)
			return error_set(error, ERROR_INPUT, "CPU %d is named twice", cpu);
	cpus[(*n)++] = cpu;
	return 0;
}

static int fail_list(const char *what, const char *example, const char *text, struct error *error)
{
	char shown[64];

	return error_set(error, ERROR_INPUT, "'%s' is not a list of %s (such as %s)",
			 words_quote(text, shown, sizeof(shown)), what, example);
}

int topology_parse_cpus(const struct topology *topology, const char *text, int *ret_cpus,
			int *ret_n, struct error *error)
{
	int cpus[TOPOLOGY_CPUS_MAX], n = 0, first, last, more, r;
	const char *at = text;

	while ((more = topology_next_range(&at, &first, &last)) > 0)
		for (int cpu = first; cpu <= last; cpu++) {
			r = add_cpu(topology, cpu, cpus, &n, error);
			if (r)
				return r;
		}
	if (more < 0 || !n)
		return fail_list("CPUs", "0-3,8", text, error);
	memcpy(ret_cpus, cpus, (size_t)n * sizeof(cpus[0]));
	*ret_n = n;
	return 0;
}

void topology_node_set(const struct topology *topology, struct node_set *ret)
{
	*ret = (struct node_set){0};
	for (int i = 0; i < topology->n_nodes; i++)
		node_set_add(ret, topology->nodes[i]);
}

/* Is it there at all? */
static bool node_exists(int node)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", node);
	return !access(path, F_OK);
}

static int add_node(const struct topology *topology, int node, struct node_set *set,
		    struct error *error)
{
	struct node_set allowed = {0};
	char text[256];

	if (topology)
		topology_node_set(topology, &allowed);
	if (node >= TOPOLOGY_NODES_MAX || (topology && !node_set_has(&allowed, node)))
		return error_set(error, ERROR_INPUT,
				 "node %d is none of those with memory that this process may use "
				 "(%s)%s",
				 node, node_set_format(&allowed, text, sizeof(text)),
				 node_exists(node) ? "; see its cpuset (cpuset.mems)" : "");
	if (node_set_has(set, node))
		return error_set(error, ERROR_INPUT, "node %d is named twice", node);
	node_set_add(set, node);
	return 0;
}

int topology_parse_nodes(const struct topology *topology, const char *text, struct node_set *ret,
			 struct error *error)
{
	struct node_set set = {0};
	const char *at = text;
	int first, last, more;

	while ((more = topology_next_range(&at, &first, &last)) > 0)
		for (int node = first; node <= last; node++) {
			int r = add_node(topology, node, &set, error);

			if (r)
				return r;
		}
	if (more < 0 || !node_set_count(&set))
		return fail_list("nodes", "0-1,4", text, error);
	*ret = set;
	return 0;
}

int topology_confine(const int *cpus, int n, struct error *error)
{
	__attribute__((cleanup(cleanup_cpu_set))) cpu_set_t *set = CPU_ALLOC(TOPOLOGY_CPUS_MAX);
	size_t size = CPU_ALLOC_SIZE(TOPOLOGY_CPUS_MAX);

	if (!set)
		return error_set(error, -ENOMEM, "no memory for a set of CPUs");
	CPU_ZERO_S(size, set);
	for (int i = 0; i < n; i++)
		CPU_SET_S((size_t)cpus[i], size, set);
	if (sched_setaffinity(0, size, set))
		return error_set(error, errno == EINVAL ? ERROR_CANNOT : -errno,
				 "cannot pin to CPU %d%s: %s", cpus[0], n > 1 ? " and others" : "",
				 strerror(errno));
	return 0;
}

int topology_pin(int cpu, struct error *error)
{
	return topology_confine(&cpu, 1, error);
}
