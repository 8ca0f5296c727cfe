/* SPDX-License-Identifier: MIT */
/* io_aim.c - where a worker of io aims: blocks of a volume, by a pattern. */
#include "workload/io_aim.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/target.h"
#include "workload/io.h"

uint64_t io_range_bytes(const struct io_params *params, const struct target *target)
{
	uint64_t rest = target->size_bytes > params->offset_bytes
				? target->size_bytes - params->offset_bytes
				: 0;

	return params->length_bytes ? params->length_bytes : rest;
}

static int aim_open_volume(struct io_aim *aim, const struct workload_setup *setup,
			   struct error *error)
{
	const struct io_params *params = setup->params;
	uint64_t *ranges = calloc(setup->n_targets, sizeof(*ranges));
	struct volume_shape shape = {.range_bytes = ranges,
				     .n_targets = setup->n_targets,
				     .offset_bytes = params->offset_bytes,
				     .block_bytes = params->block_bytes};
	int status;

	if (!ranges)
		return error_set(error, -ENOMEM, "no memory for %u targets", setup->n_targets);
	for (unsigned i = 0; i < setup->n_targets; i++)
		ranges[i] = io_range_bytes(params, &setup->targets[i]);
	status = volume_open(&aim->volume, setup->layout, &shape, error);
	free(ranges);
	return status;
}

int io_aim_open(struct io_aim *aim, const struct worker *worker, struct error *error)
{
	const struct workload_setup *setup = worker->setup;
	const struct io_params *params = setup->params;
	int status = aim_open_volume(aim, setup, error);

	if (status < 0)
		return status;
	pattern_open(&aim->pattern, (enum pattern_kind)params->pattern, aim->volume.n_blocks,
		     worker->seed, worker->index, setup->workers);
	aim->warmup = aim->pattern;
	aim->warmup.kind = PATTERN_RANDOM;
	aim->warms_apart = setup->random_warmup && params->pattern != PATTERN_RANDOM;
	return 0;
}

void io_aim_close(struct io_aim *aim)
{
	volume_close(&aim->volume);
}
