/* SPDX-License-Identifier: MIT */
/* pagebench.h - the kernel's own benchmark of page allocation: orion_pagebench of a patched one. */
#ifndef ORION_WORKLOAD_PAGEBENCH_H
#define ORION_WORKLOAD_PAGEBENCH_H

#include <stdint.h>

#include "base/topology.h"

struct error;

/* What the thread on one CPU did: pages allocated and freed, and what the TSC says of it. */
struct pagebench_cpu {
	uint64_t pairs, cycles, failures;
};

struct pagebench {
	int run_fd; /* whoever has it open has the benchmark */
	char result_path[320];
	char *text; /* owned: room for a result */
	uint64_t tsc_khz;
	unsigned n_cpus; /* of the last result */
	struct pagebench_cpu cpus[TOPOLOGY_CPUS_MAX];
};

/* folder: orion_pagebench of debugfs. ERROR_CANNOT where the kernel has none, or nobody may. */
int pagebench_probe(const char *folder, struct error *error);

/* The same where another has it open. pagebench_close() only after a good one. */
int pagebench_open(struct pagebench *pagebench, const char *folder, struct error *error);
/* Ends its threads, if they still run. */
void pagebench_close(struct pagebench *pagebench);

/* One thread on each of the first n online CPUs, 0: on all, until it is stopped. */
int pagebench_start(struct pagebench *pagebench, uint64_t n, struct error *error);

/* Ends them and reads what they did. */
int pagebench_stop(struct pagebench *pagebench, struct error *error);

#endif
