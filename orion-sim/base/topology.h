/* SPDX-License-Identifier: MIT */
/* topology.h - CPUs this process may use, nodes that exist, the base page size. */
#ifndef ORION_BASE_TOPOLOGY_H
#define ORION_BASE_TOPOLOGY_H

#include <stdbool.h>
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

int topology_read(struct topology *ret, struct error *error);

/* "0-3,8" -> ids, checked against what topology allows; ERROR_INPUT names the first that is not. */
int topology_parse_cpus(const struct topology *topology, const char *text, int *ret_cpus,
			int *ret_n, struct error *error);

/* Pins the calling thread. */
int topology_pin(int cpu, struct error *error);

#endif
