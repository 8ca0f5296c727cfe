/* SPDX-License-Identifier: MIT */
/* volume.c - the blocks of all targets in one row: how they form one volume, and where each lies.
 */
#include "workload/volume.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/units.h"

/*
 * Cells of the guide a band, at most; at least half as many. With two, no cell is larger than a
 * band of mean size, so that among equal ones at most one begins in each.
 */
#define GUIDE_DENSITY 2

extern const struct layout_ops layout_concat, layout_raid0;

static const struct entry *const layout_entries[] = {&layout_concat.entry, &layout_raid0.entry,
						     NULL};

const struct catalog layout_catalog = {.noun = "layout", .entries = layout_entries};

static const struct layout_ops *layout_ops_of(const struct choice *layout)
{
	if (!layout || !layout->entry)
		return &layout_concat;
	return (const struct layout_ops *)layout->entry;
}

static int open_guide(struct volume *volume)
{
	uint64_t most = (uint64_t)volume->n_bands * GUIDE_DENSITY, n;
	uint32_t band = 0;

	while ((volume->n_blocks - 1) >> volume->shift >= most)
		volume->shift++;
	n = ((volume->n_blocks - 1) >> volume->shift) + 1;
	volume->guide = calloc(n, sizeof(*volume->guide));
	if (!volume->guide)
		return -ENOMEM;
	for (uint64_t i = 0; i < n; i++) {
		while (i << volume->shift >= volume->first[band + 1])
			band++;
		volume->guide[i] = band;
	}
	return 0;
}

int volume_check(const struct choice *layout, uint64_t block_bytes, struct error *error)
{
	const struct layout_ops *ops = layout_ops_of(layout);

	return ops->check ? ops->check(layout->params, block_bytes, error) : 0;
}

int volume_open(struct volume *volume, const struct choice *layout,
		const struct volume_shape *shape, struct error *error)
{
	char size[32];
	int status = volume_check(layout, shape->block_bytes, error);

	if (status < 0)
		return status;
	*volume = (struct volume){.offset_bytes = shape->offset_bytes,
				  .block_bytes = shape->block_bytes};
	status = layout_ops_of(layout)->lay(layout ? layout->params : NULL, shape, volume);
	if (status == 0) {
		volume->n_blocks = volume->first[volume->n_bands];
		if (volume->n_blocks == 0) {
			volume_close(volume);
			return error_set(error, ERROR_INPUT,
					 "no target holds a whole block of %s in the range tested",
					 units_format_size(shape->block_bytes, size));
		}
		status = volume->n_bands > 1 ? open_guide(volume) : 0;
	}
	if (status < 0) {
		volume_close(volume);
		return error_set(error, -ENOMEM, "no memory for %u targets", shape->n_targets);
	}
	return 0;
}

void volume_close(struct volume *volume)
{
	free(volume->first);
	free(volume->guide);
	free(volume->bands);
	free(volume->members);
	*volume = (struct volume){.n_blocks = 0};
}

struct volume_place volume_place_in(const struct volume *volume, uint32_t band, uint64_t block)
{
	const struct volume_band *in = &volume->bands[band];
	uint64_t unit = block / in->unit_blocks;
	uint64_t row = unit / in->n_members;
	uint64_t blocks = row * in->unit_blocks + block % in->unit_blocks;

	return (struct volume_place){.target = volume->members[in->member + unit % in->n_members],
				     .offset_bytes = volume->offset_bytes + in->begin_bytes +
						     blocks * volume->block_bytes};
}
