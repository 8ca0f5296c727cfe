/* SPDX-License-Identifier: MIT */
/* concat.c - the layout of targets one behind the other. */
#include <errno.h>
#include <stdlib.h>

#include "workload/volume.h"

extern const struct layout_ops layout_concat;

static int concat_lay(const void *params, const struct volume_shape *shape, struct volume *volume)
{
	volume->first = calloc(shape->n_targets + 1, sizeof(*volume->first));
	if (!volume->first)
		return -ENOMEM;
	volume->n_bands = shape->n_targets;
	for (unsigned i = 0; i < shape->n_targets; i++)
		volume->first[i + 1] =
			volume->first[i] + shape->range_bytes[i] / shape->block_bytes;
	return 0;
}

const struct layout_ops layout_concat = {
	.entry = {.name = "concat", .summary = "one target behind the other"}, .lay = concat_lay};
