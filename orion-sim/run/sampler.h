/* SPDX-License-Identifier: MIT */
/* sampler.h - hot kernel functions: where all CPUs are found at, many times a second. */
#ifndef ORION_RUN_SAMPLER_H
#define ORION_RUN_SAMPLER_H

#include <stdint.h>

#include "stats/result.h"

struct error;
struct perf_event_attr;
struct topology;

struct sampler; /* owned by the program's main process; what it holds goes with its processes */

/* How events are opened, and where names are found: others than the kernel's in tests. */
struct sampler_source {
	/* perf_event_open(2) for all that runs on a CPU: a descriptor, or negative errno. */
	int (*open_event)(struct perf_event_attr *attributes, int cpu);
	const char *root; /* of /proc/kallsyms, "" but in tests */
};
extern const struct sampler_source sampler_kernel;

struct sampler_setup {
	const struct sampler_source *source;
	unsigned frequency_hz; /* samples a second and CPU */
	unsigned top;	       /* functions that a result names */
};

/*
 * Opens an event on every CPU that is online (cycles where there is a PMU, else the CPU's clock)
 * and a ring of bounded size for each; nothing is sampled yet. ERROR_CANNOT with the remedy: not
 * permitted, or the names of functions are hidden.
 */
int sampler_open(const struct sampler_setup *setup, struct sampler **ret, struct error *error);
void sampler_close(struct sampler *sampler);

/* Runner: both ends of what is sampled. No allocation; may be called in a forked process. */
void sampler_start(const struct sampler *sampler);
void sampler_stop(const struct sampler *sampler);

/* Program: empties the rings, every now and then; what finds no room meanwhile is counted as lost.
 */
void sampler_drain(struct sampler *sampler);

/* Drains for the last time, writes what was seen, and forgets it: ready for the next repeat. */
int sampler_finish(struct sampler *sampler, struct result_sampling *ret, struct error *error);

/* Takes one ring's bytes from tail to head; for tests. size is a power of two. */
void sampler_take(struct sampler *sampler, const unsigned char *ring, uint64_t size, uint64_t tail,
		  uint64_t head);

/* "cycles" or "cpu-clock": what can be sampled here; or ERROR_CANNOT with the remedy. */
int sampler_probe(const char **ret_event, struct error *error);

#endif
