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

/* The allowed CPUs as "0-3,8", cut where it does not fit. */
static const char *show_cpus(const struct topology *topology, char *text, size_t size)
{
	char whole[1024] = "";
	size_t used = 0;

	for (int i = 0, last; i < topology->n_cpus && used < sizeof(whole); i = last + 1) {
		for (last = i; last + 1 < topology->n_cpus &&
			       topology->cpus[last + 1] == topology->cpus[last] + 1;)
			last++;
		used += (size_t)snprintf(whole + used, sizeof(whole) - used, "%s%d", i ? "," : "",
					 topology->cpus[i]);
		if (last > i && used < sizeof(whole))
			used += (size_t)snprintf(whole + used, sizeof(whole) - used, "-%d",
						 topology->cpus[last]);
	}
	return words_quote(whole, text, size);
}

/* Digits, cut off where no machine has that many CPUs; -1 where there is none. */
static int parse_cpu(const char **at)
{
	int cpu = 0;

	if (!isdigit((unsigned char)**at))
		return -1;
	for (; isdigit((unsigned char)**at); (*at)++)
		if (cpu < 100000000)
			cpu = cpu * 10 + (**at - '0');
	return cpu;
}

/* "3" or "0-3" at *at; negative where it is neither. */
static int parse_range(const char **at, int *ret_first, int *ret_last)
{
	int first = parse_cpu(at), last = first;

	if (**at == '-') {
		(*at)++;
		last = parse_cpu(at);
	}
	*ret_first = first;
	*ret_last = last;
	return first < 0 || last < first || (**at && **at != ',') ? -EINVAL : 0;
}

static int add_cpu(const struct topology *topology, int cpu, int *cpus, int *n, struct error *error)
{
	char allowed[256];

	if (!may_use(topology, cpu))
		return error_set(error, ERROR_INPUT,
				 "CPU %d is none of those this process may use (%s)", cpu,
				 show_cpus(topology, allowed, sizeof(allowed)));
	for (int i = 0; i < *n; i++)
		if (cpus[i] == cpu)
			return error_set(error, ERROR_INPUT, "CPU %d is named twice", cpu);
	cpus[(*n)++] = cpu;
	return 0;
}

int topology_parse_cpus(const struct topology *topology, const char *text, int *ret_cpus,
			int *ret_n, struct error *error)
{
	int cpus[TOPOLOGY_CPUS_MAX], n = 0, first, last, r;
	const char *at = text;
	char shown[64];

	do {
		if (parse_range(&at, &first, &last))
			return error_set(error, ERROR_INPUT,
					 "'%s' is not a list of CPUs (such as 0-3,8)",
					 words_quote(text, shown, sizeof(shown)));
		for (int cpu = first; cpu <= last; cpu++) {
			r = add_cpu(topology, cpu, cpus, &n, error);
			if (r)
				return r;
		}
	} while (*at++ == ',');
	memcpy(ret_cpus, cpus, (size_t)n * sizeof(cpus[0]));
	*ret_n = n;
	return 0;
}

int topology_pin(int cpu, struct error *error)
{
	__attribute__((cleanup(cleanup_cpu_set))) cpu_set_t *set = CPU_ALLOC(TOPOLOGY_CPUS_MAX);
	size_t size = CPU_ALLOC_SIZE(TOPOLOGY_CPUS_MAX);

	if (!set)
		return error_set(error, -ENOMEM, "no memory for a set of CPUs");
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	if (sched_setaffinity(0, size, set))
		return error_set(error, errno == EINVAL ? ERROR_CANNOT : -errno,
				 "cannot pin to CPU %d: %s", cpu, strerror(errno));
	return 0;
}
