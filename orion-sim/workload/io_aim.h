/* SPDX-License-Identifier: MIT */
/* io_aim.h - where a worker of io aims: blocks of a volume, by a pattern. */
#ifndef ORION_WORKLOAD_IO_AIM_H
#define ORION_WORKLOAD_IO_AIM_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/pattern.h"
#include "workload/volume.h"

struct error;
struct io_params;
struct target;
struct worker;

struct io_aim {
	struct volume volume;
	struct pattern pattern;
	struct pattern warmup; /* what warm-ups read … */
	bool warms_apart;      /* … where that is something else */
};

/* Bytes of a target that are tested. */
uint64_t io_range_bytes(const struct io_params *params, const struct target *target);

/* Allocates; errors as volume_open. */
int io_aim_open(struct io_aim *aim, const struct worker *worker, struct error *error);
void io_aim_close(struct io_aim *aim);

#endif
