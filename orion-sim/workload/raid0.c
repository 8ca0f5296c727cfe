/* SPDX-License-Identifier: MIT */
/* raid0.c - the layout of stripes that go round all targets, as a volume manager or ASM has it. */
#include <stdlib.h>

#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "workload/volume.h"

extern const struct layout_ops layout_raid0;

struct raid0_params {
	uint64_t stripe_bytes;
};

static const struct field raid0_fields[] = {
	FIELD_SIZE("stripe", struct raid0_params, stripe_bytes, "1M", 512, UINT64_C(1) << 40,
		   "bytes in one target before the next one's turn; a multiple of the block"),
	FIELD_END};

/* A target with its whole stripes, the most first. */
struct member {
	uint32_t target;
	uint64_t units, rest_blocks;
};

static int raid0_check(const void *params, uint64_t block_bytes, struct error *error)
{
	const struct raid0_params *raid0 = params;
	char stripe[32], block[32];

	if (raid0->stripe_bytes % block_bytes == 0)
		return 0;
	return error_set(error, ERROR_INPUT,
			 "stripe %s is not a multiple of block %s, so that an I/O would lie on two "
			 "targets; change one of them",
			 units_format_size(raid0->stripe_bytes, stripe),
			 units_format_size(block_bytes, block));
}

/* Equal ones stay in the order that they were named in. */
static int member_compare(const void *a, const void *b)
{
	const struct member *one = a, *other = b;

	if (one->units != other->units)
		return one->units > other->units ? -1 : 1;
	return one->target < other->target ? -1 : 1;
}

static void band_add(struct volume *volume, struct volume_band band, uint64_t n_blocks)
{
	volume->bands[volume->n_bands] = band;
	volume->first[volume->n_bands + 1] = volume->first[volume->n_bands] + n_blocks;
	volume->n_bands++;
}

/* Where the smaller targets have ended, stripes go round the others: all are used to their end. */
static void stripes_lay(const struct raid0_params *raid0, const struct member *members, unsigned n,
			struct volume *volume)
{
	uint64_t unit_blocks = raid0->stripe_bytes / volume->block_bytes, row = 0;

	for (; n > 0; n--) {
		uint64_t rows = members[n - 1].units - row;

		if (rows == 0)
			continue;
		band_add(volume,
			 (struct volume_band){.begin_bytes = row * raid0->stripe_bytes,
					      .unit_blocks = unit_blocks,
					      .n_members = n},
			 rows * n * unit_blocks);
		row += rows;
	}
}

/* Blocks behind the last whole stripe of a target come last, each target by itself. */
static void rests_lay(const struct raid0_params *raid0, const struct member *members, unsigned n,
		      struct volume *volume)
{
	for (unsigned i = 0; i < n; i++)
		if (members[i].rest_blocks > 0)
			band_add(volume,
				 (struct volume_band){.begin_bytes = members[i].units *
								     raid0->stripe_bytes,
						      .unit_blocks = members[i].rest_blocks,
						      .member = i,
						      .n_members = 1},
				 members[i].rest_blocks);
}

static int raid0_lay(const void *params, const struct volume_shape *shape, struct volume *volume)
{
	const struct raid0_params *raid0 = params;
	unsigned n = shape->n_targets, bands_max = 2 * n + 1;
	struct member *members = calloc(n, sizeof(*members));

	volume->first = calloc(bands_max + 1u, sizeof(*volume->first));
	volume->bands = calloc(bands_max, sizeof(*volume->bands));
	volume->members = calloc(n, sizeof(*volume->members));
	if (!members || !volume->first || !volume->bands || !volume->members) {
		free(members);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < n; i++)
		members[i] =
			(struct member){.target = i,
					.units = shape->range_bytes[i] / raid0->stripe_bytes,
					.rest_blocks = shape->range_bytes[i] % raid0->stripe_bytes /
						       shape->block_bytes};
	qsort(members, n, sizeof(*members), member_compare);
	for (unsigned i = 0; i < n; i++)
		volume->members[i] = members[i].target;
	stripes_lay(raid0, members, n, volume);
	rests_lay(raid0, members, n, volume);
	free(members);
	return 0;
}

const struct layout_ops layout_raid0 = {
	.entry = {.name = "raid0",
		  .summary = "stripes that go round all targets, larger ones on to their end",
		  .fields = raid0_fields,
		  .params_size = sizeof(struct raid0_params)},
	.check = raid0_check,
	.lay = raid0_lay};
