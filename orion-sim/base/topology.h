/* SPDX-License-Identifier: MIT */
/* topology.h - CPUs this process may use, nodes that exist, the base page size. */
#ifndef ORION_BASE_TOPOLOGY_H
#define ORION_BASE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define TOPOLOGY_CPUS_MAX  4096
#define TOPOLOGY_NODES_MAX 1024

struct topology {
	int n_cpus;		     /* CPUs that sched_getaffinity allows */
	int cpus[TOPOLOGY_CPUS_MAX]; /* their ids, ascending, sparse ids as they are */
	int n_nodes;		     /* memory nodes allowed (libnuma), 1 where there is no NUMA */
	int nodes[TOPOLOGY_NODES_MAX];
	uint64_t page_bytes; /* base page of the system, asked for */
	uint64_t pmd_bytes;  /* PMD huge page (hpage_pmd_size), 0 where THP is not built in */
};

/* A set of memory nodes, laid out as the kernel's calls want it. */
#define NODE_SET_WORD_BITS (8 * sizeof(unsigned long))
struct node_set {
	unsigned long words[TOPOLOGY_NODES_MAX / NODE_SET_WORD_BITS];
};

static inline bool node_set_has(const struct node_set *set, int node)
{
	return node >= 0 && node < TOPOLOGY_NODES_MAX &&
	       set->words[(unsigned)node / NODE_SET_WORD_BITS] >>
			       ((unsigned)node % NODE_SET_WORD_BITS) &
		       1;
}

/* Nodes below TOPOLOGY_NODES_MAX only. */
static inline void node_set_add(struct node_set *set, int node)
{
	set->words[(unsigned)node / NODE_SET_WORD_BITS] |= 1ul
							   << ((unsigned)node % NODE_SET_WORD_BITS);
}

static inline unsigned node_set_count(const struct node_set *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof(set->words) / sizeof(set->words[0]); i++)
		n += (unsigned)__builtin_popcountl(set->words[i]);
	return n;
}

/* "0-1,4", cut where it does not fit. */
const char *node_set_format(const struct node_set *set, char *text, size_t size);

int topology_read(struct topology *ret, struct error *error);

/* The nodes that are allowed. */
void topology_node_set(const struct topology *topology, struct node_set *ret);

/* "0-3,8" -> ids, checked against what topology allows; ERROR_INPUT names the first that is not. */
int topology_parse_cpus(const struct topology *topology, const char *text, int *ret_cpus,
			int *ret_n, struct error *error);

/*
 * "0-1,4" -> the set, in the same way: ERROR_INPUT names the first node that does not exist, or
 * that the cpuset of this process leaves out. A null topology checks the form only.
 */
int topology_parse_nodes(const struct topology *topology, const char *text, struct node_set *ret,
			 struct error *error);

/*
 * Cuts the next "3" or "0-3" off a list of ids at *at: 1, 0 at its end (of an empty list at once),
 * or -EINVAL.
 */
int topology_next_range(const char **at, int *ret_first, int *ret_last);

/* Pins the calling thread to one CPU, or lets it use n of them. */
int topology_pin(int cpu, struct error *error);
int topology_confine(const int *cpus, int n, struct error *error);

#endif
