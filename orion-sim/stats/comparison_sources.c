/* SPDX-License-Identifier: MIT */
/* comparison_sources.c - the factors that could explain a change, and where in a result each
 * stands.
 */
#include "stats/comparison_sources.h"

#include <string.h>

#include "stats/comparison_parts.h"

const struct comparison_factor comparison_factors[] = {
	[FACTOR_KERNEL] = {"kernel", "release, build and taint of the kernel, its page sizes",
			   false},
	[FACTOR_CMDLINE] = {"cmdline",
			    "kernel command line, but for what says where to boot from and to "
			    "print to",
			    true},
	[FACTOR_MITIGATIONS] = {"mitigations", "states of the CPU's vulnerabilities", true},
	[FACTOR_CPU] = {"cpu", "model and number of CPUs, nodes, SMT", true},
	[FACTOR_GOVERNOR] = {"governor", "frequency and idle governors and drivers, boost", true},
	[FACTOR_CLOCK] = {"clock", "clock source", true},
	[FACTOR_RAM] = {"ram", "size of memory and swap, where it differs by more than 5 %", false},
	[FACTOR_THP] = {"thp", "transparent huge pages as they were during the run", true},
	[FACTOR_NUMA] = {"numa", "automatic NUMA balancing", true},
	[FACTOR_SCHEDULER] = {"scheduler", "I/O schedulers of the devices below the targets", true},
	[FACTOR_DEVICE] = {"device", "models and queue limits of the devices below the targets",
			   true},
	[FACTOR_MEMORY] = {"memory",
			   "share got of the memory asked for, and of the nodes asked for, where "
			   "it differs by more than a point",
			   true},
	[FACTOR_BUILD] = {"build", "version and build of orion-sim", true},
	[FACTOR_LIMITS] = {"limits", "limits of the kernel that a run may meet", false},
	{.name = NULL},
};

const struct source machine_sources[] = {
	{"kernel", FACTOR_KERNEL, "kernel", FORM_PLAIN, NULL},
	{"kernel_version", FACTOR_KERNEL, "kernel build", FORM_PLAIN, NULL},
	{"tainted", FACTOR_KERNEL, "kernel taint", FORM_PLAIN, NULL},
	{"page_bytes", FACTOR_KERNEL, "page bytes", FORM_PLAIN, NULL},
	{"pmd_bytes", FACTOR_KERNEL, "PMD bytes", FORM_PLAIN, NULL},
	{"command_line", FACTOR_CMDLINE, "kernel command line", FORM_COMMAND_LINE, NULL},
	{"mitigations", FACTOR_MITIGATIONS, "mitigation", FORM_MITIGATIONS, NULL},
	{"architecture", FACTOR_CPU, "architecture", FORM_PLAIN, NULL},
	{"cpu_model", FACTOR_CPU, "CPU model", FORM_PLAIN, NULL},
	{"cpus_online", FACTOR_CPU, "CPUs online", FORM_PLAIN, NULL},
	{"cpus_allowed", FACTOR_CPU, "CPUs allowed", FORM_PLAIN, NULL},
	{"nodes", FACTOR_CPU, "nodes", FORM_PLAIN, NULL},
	{"smt_active", FACTOR_CPU, "SMT active", FORM_PLAIN, NULL},
	{"governor", FACTOR_GOVERNOR, "governor", FORM_PLAIN, NULL},
	{"scaling_driver", FACTOR_GOVERNOR, "frequency driver", FORM_PLAIN, NULL},
	{"boost", FACTOR_GOVERNOR, "boost", FORM_PLAIN, NULL},
	{"no_turbo", FACTOR_GOVERNOR, "no_turbo", FORM_PLAIN, NULL},
	{"idle_driver", FACTOR_GOVERNOR, "idle driver", FORM_PLAIN, NULL},
	{"idle_governor", FACTOR_GOVERNOR, "idle governor", FORM_PLAIN, NULL},
	{"idle_states", FACTOR_GOVERNOR, "idle states", FORM_PLAIN, NULL},
	{"clocksource", FACTOR_CLOCK, "clock source", FORM_PLAIN, NULL},
	{"memory_total_bytes", FACTOR_RAM, "memory", FORM_BYTES, NULL},
	{"swap_total_bytes", FACTOR_RAM, "swap", FORM_BYTES, NULL},
	{"thp_enabled", FACTOR_THP, "thp enabled", FORM_CHOSEN, COMPARISON_THP "enabled"},
	{"thp_defrag", FACTOR_THP, "thp defrag", FORM_CHOSEN, COMPARISON_THP "defrag"},
	{"thp_shmem_enabled", FACTOR_THP, "thp shmem_enabled", FORM_CHOSEN,
	 COMPARISON_THP "shmem_enabled"},
	{"thp_sizes", FACTOR_THP, "thp enabled by size", FORM_PLAIN, NULL},
	{"shmem_enabled", FACTOR_THP, "shmem_enabled", FORM_MAP_CHOSEN,
	 COMPARISON_THP "*/shmem_enabled"},
	{"numa_balancing", FACTOR_NUMA, "numa_balancing", FORM_PLAIN,
	 "/proc/sys/kernel/numa_balancing"},
	{"aio_max_nr", FACTOR_LIMITS, "aio-max-nr", FORM_PLAIN, NULL},
	{"io_uring_disabled", FACTOR_LIMITS, "io_uring_disabled", FORM_PLAIN, NULL},
	{"shmmax", FACTOR_LIMITS, "shmmax", FORM_PLAIN, NULL},
	{"shmall", FACTOR_LIMITS, "shmall", FORM_PLAIN, NULL},
	{"build", FACTOR_BUILD, "build of orion-sim", FORM_PLAIN, NULL},
	{NULL, 0, NULL, FORM_PLAIN, NULL}};

const struct source device_sources[] = {
	{"scheduler", FACTOR_SCHEDULER, "scheduler", FORM_CHOSEN, NULL},
	{"model", FACTOR_DEVICE, "model", FORM_PLAIN, NULL},
	{"nr_requests", FACTOR_DEVICE, "nr_requests", FORM_PLAIN, NULL},
	{"max_sectors_kb", FACTOR_DEVICE, "max_sectors_kb", FORM_PLAIN, NULL},
	{"max_hw_sectors_kb", FACTOR_DEVICE, "max_hw_sectors_kb", FORM_PLAIN, NULL},
	{"max_segments", FACTOR_DEVICE, "max_segments", FORM_PLAIN, NULL},
	{"max_segment_size", FACTOR_DEVICE, "max_segment_size", FORM_PLAIN, NULL},
	{"logical_block_size", FACTOR_DEVICE, "logical_block_size", FORM_PLAIN, NULL},
	{"physical_block_size", FACTOR_DEVICE, "physical_block_size", FORM_PLAIN, NULL},
	{"rotational", FACTOR_DEVICE, "rotational", FORM_PLAIN, NULL},
	{"write_cache", FACTOR_DEVICE, "write_cache", FORM_PLAIN, NULL},
	{"io_poll", FACTOR_DEVICE, "io_poll", FORM_PLAIN, NULL},
	{"iostats", FACTOR_DEVICE, "iostats", FORM_PLAIN, NULL},
	{"nomerges", FACTOR_DEVICE, "nomerges", FORM_PLAIN, NULL},
	{"rq_affinity", FACTOR_DEVICE, "rq_affinity", FORM_PLAIN, NULL},
	{"wbt_lat_usec", FACTOR_DEVICE, "wbt_lat_usec", FORM_PLAIN, NULL},
	{NULL, 0, NULL, FORM_PLAIN, NULL}};

const struct comparison_factor *comparison_factor_of(const char *name)
{
	for (const struct comparison_factor *factor = comparison_factors; factor->name; factor++)
		if (strcmp(factor->name, name) == 0)
			return factor;
	return NULL;
}
