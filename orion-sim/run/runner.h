/* SPDX-License-Identifier: MIT */
/* runner.h - one process per point and repeat: maps, audits, measures, and is gone. */
#ifndef ORION_RUN_RUNNER_H
#define ORION_RUN_RUNNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct channel;
struct counters;
struct error;
struct run_point;
struct sampler;
struct topology;

struct runner_setup {
	const struct run_point *point;
	const struct topology *topology;
	const struct counters *counters;
	struct channel *channel;
	const struct sampler *sampler; /* null but in a repeat that is sampled */
	uint64_t seed;		       /* of this point and repeat */
	bool strict;
	bool pmu; /* count hardware events where there are counters */
	double strict_share_percent;
	bool marked;	/* marker.h */
	uint64_t place; /* of this repeat, as a marker tells it */
};

/*
 * Forks the runner. It dies with its parent, ignores the terminal's signals (the parent decides),
 * and leaves what it has to say in the channel. -errno where fork fails.
 */
int runner_fork(const struct runner_setup *setup, pid_t *ret_pid, struct error *error);

#endif
