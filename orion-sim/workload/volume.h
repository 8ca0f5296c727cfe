/* SPDX-License-Identifier: MIT */
/* volume.h - the blocks of all targets in one row: how they form one volume, and where each lies.
 */
#ifndef ORION_WORKLOAD_VOLUME_H
#define ORION_WORKLOAD_VOLUME_H

#include <stddef.h>
#include <stdint.h>

#include "base/catalog.h"

struct error;
struct volume;

/* Ranges of n_targets targets, range_bytes[] long, beginning at offset_bytes of each. */
struct volume_shape {
	const uint64_t *range_bytes; /* borrowed while a volume is opened */
	unsigned n_targets;
	uint64_t offset_bytes, block_bytes;
};

/* How targets form a volume: an entry of layout_catalog. */
struct layout_ops {
	struct entry entry;
	/* ERROR_INPUT where blocks of that size do not fit it; null where all do. */
	int (*check)(const void *params, uint64_t block_bytes, struct error *error);
	/* Fills first[], n_bands and, if need be, bands and members, which the volume owns.
	 * -ENOMEM. */
	int (*lay)(const void *params, const struct volume_shape *shape, struct volume *volume);
};

extern const struct catalog layout_catalog; /* the first entry is what a profile means that says
					       nothing */

/* Blocks in a row: of one target, or rows of stripes over the same targets. */
struct volume_band {
	uint64_t begin_bytes; /* where it begins in each of its targets' ranges */
	uint64_t unit_blocks; /* blocks that follow each other in one target */
	uint32_t member;      /* first of its targets in volume.members */
	uint32_t n_members;
};

/* Block b lies in the band whose first[] it has passed. */
struct volume {
	uint64_t n_blocks;
	unsigned n_bands;
	uint64_t *first; /* owned: first block of each band, and n_blocks behind the last */
	/*
	 * Owned, for more than one band: the bands of the blocks b << shift, one cell each, so that
	 * looking one up costs the same for two as for a thousand.
	 */
	uint32_t *guide;
	unsigned shift;
	uint64_t offset_bytes, block_bytes;
	struct volume_band *bands; /* owned; null where each target is a band */
	uint32_t *members;	   /* owned: targets of the bands */
};

struct volume_place {
	uint32_t target;
	uint64_t offset_bytes;
};

/*
 * Lays the whole blocks of all ranges out; each is in the volume once. A null layout, or one
 * without an entry, is the catalog's first. Allocates; ERROR_INPUT where no range holds a block or
 * the layout cannot have blocks of that size, -ENOMEM.
 */
int volume_open(struct volume *volume, const struct choice *layout,
		const struct volume_shape *shape, struct error *error);
void volume_close(struct volume *volume);

/* Can a volume have blocks of that size? ERROR_INPUT. */
int volume_check(const struct choice *layout, uint64_t block_bytes, struct error *error);

/*
 * The band that holds a block, for more than one band. A cell of the guide in which at most one
 * band begins is decided without a branch: half of them would be mispredicted. Cells in which
 * more begin are as rare among the blocks as such bands are small.
 */
static inline uint32_t volume_find(const struct volume *volume, uint64_t block)
{
	uint32_t band = volume->guide[block >> volume->shift];

	band += block >= volume->first[band + 1];
	while (__builtin_expect(block >= volume->first[band + 1], 0))
		band++;
	return band;
}

/* A block of a band by its number in it, where bands are not targets. */
struct volume_place volume_place_in(const struct volume *volume, uint32_t band, uint64_t block);

static inline struct volume_place volume_place(const struct volume *volume, uint64_t block)
{
	uint32_t band = volume->n_bands > 1 ? volume_find(volume, block) : 0;

	block -= volume->first[band];
	if (volume->bands)
		return volume_place_in(volume, band, block);
	return (struct volume_place){
		.target = band, .offset_bytes = volume->offset_bytes + block * volume->block_bytes};
}

#endif
