/* SPDX-License-Identifier: MIT */
/* extents.c - is what is to be read really on the disk? */
#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/units.h"
#include "engine/prepared.h"
#include "engine/target.h"

#define EXTENTS_BATCH	   512
#define SAMPLES		   64
#define SAMPLE_BYTES	   UINT64_C(65536)
#define SAMPLE_ALIGN_LEAST 4096u

/* Bytes of one kind, and where they begin. */
struct finding {
	uint64_t bytes, first_bytes;
};

struct survey {
	uint64_t begin_bytes, end_bytes; /* the tested range */
	uint64_t cursor_bytes;		 /* surveyed up to here */
	struct finding unwritten;	 /* holes and preallocated extents */
	struct finding indirect;	 /* compressed or in the inode: O_DIRECT is not direct */
};

static void finding_add(struct finding *finding, uint64_t begin_bytes, uint64_t end_bytes)
{
	if (!finding->bytes)
		finding->first_bytes = begin_bytes;
	finding->bytes += end_bytes - begin_bytes;
}

static void survey_extent(struct survey *survey, const struct fiemap_extent *extent)
{
	uint64_t begin = extent->fe_logical, end = extent->fe_logical + extent->fe_length;
	uint32_t flags = extent->fe_flags;

	if (begin < survey->cursor_bytes)
		begin = survey->cursor_bytes;
	if (end > survey->end_bytes)
		end = survey->end_bytes;
	if (begin >= end)
		return;
	if (begin > survey->cursor_bytes)
		finding_add(&survey->unwritten, survey->cursor_bytes, begin);
	/*
	 * Delayed allocation (a writer since the sync) is flushed before a direct read and so is
	 * on the disk; encrypted data is encoded, but in place.
	 */
	if (flags & FIEMAP_EXTENT_UNWRITTEN)
		finding_add(&survey->unwritten, begin, end);
	else if ((flags & FIEMAP_EXTENT_DATA_INLINE) ||
		 ((flags & FIEMAP_EXTENT_ENCODED) && !(flags & FIEMAP_EXTENT_DATA_ENCRYPTED)))
		finding_add(&survey->indirect, begin, end);
	survey->cursor_bytes = end;
}

/* 0, or negative errno of the ioctl. */
static int survey_extents(int fd, struct survey *survey)
{
	CLEANUP(cleanup_free) struct fiemap *map = NULL;
	bool more = true;

	map = calloc(1, sizeof(*map) + EXTENTS_BATCH * sizeof(map->fm_extents[0]));
	if (!map)
		return -ENOMEM;
	while (more && survey->cursor_bytes < survey->end_bytes) {
		uint64_t before_bytes = survey->cursor_bytes;

		memset(map, 0, sizeof(*map));
		map->fm_start = survey->cursor_bytes;
		map->fm_length = survey->end_bytes - survey->cursor_bytes;
		/* Else what was written a moment ago still counts as unwritten. */
		map->fm_flags = FIEMAP_FLAG_SYNC;
		map->fm_extent_count = EXTENTS_BATCH;
		if (ioctl(fd, FS_IOC_FIEMAP, map) < 0)
			return -errno;
		for (uint32_t i = 0; i < map->fm_mapped_extents; i++)
			survey_extent(survey, &map->fm_extents[i]);
		more = map->fm_mapped_extents == EXTENTS_BATCH &&
		       survey->cursor_bytes > before_bytes;
	}
	if (survey->cursor_bytes < survey->end_bytes)
		finding_add(&survey->unwritten, survey->cursor_bytes, survey->end_bytes);
	return 0;
}

static bool is_zero(const unsigned char *buffer, size_t length)
{
	return length == 0 || (buffer[0] == 0 && !memcmp(buffer, buffer + 1, length - 1));
}

/* Reads samples until one is not all zero; if none is, the whole range counts as unwritten. */
static int survey_samples(const struct target *target, struct survey *survey, struct error *error)
{
	CLEANUP(cleanup_free) void *buffer = NULL;
	uint64_t span = survey->end_bytes - survey->begin_bytes;
	uint64_t align = target->offset_align_bytes, length = span, memory_align;

	if (length > SAMPLE_BYTES)
		length = SAMPLE_BYTES;
	length = length < align ? align : length - length % align;
	memory_align = target->memory_align_bytes;
	if (memory_align < SAMPLE_ALIGN_LEAST)
		memory_align = SAMPLE_ALIGN_LEAST;
	if (posix_memalign(&buffer, memory_align, length))
		return error_set(error, -ENOMEM, "%s: no memory for a sample", target->path);
	for (unsigned i = 0; i < SAMPLES; i++) {
		uint64_t at = survey->begin_bytes;
		ssize_t n;

		if (span > length)
			at += (uint64_t)((unsigned __int128)(span - length) * i / (SAMPLES - 1));
		at -= at % align;
		do
			n = pread(target->fd, buffer, length, (off_t)at);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return error_set(error, ERROR_IO,
					 "%s: read of %llu bytes at offset %llu: %s", target->path,
					 (unsigned long long)length, (unsigned long long)at,
					 strerror(errno));
		if (!is_zero(buffer, (size_t)n))
			return 0;
	}
	finding_add(&survey->unwritten, survey->begin_bytes, survey->end_bytes);
	return 0;
}

/* What the user can do about it, and that works for this very target. */
static const char *remedy(const struct target *target, char *text, size_t size)
{
	char bytes[32];

	units_format_size(target->size_bytes, bytes);
	if (target->is_block)
		snprintf(text, size, "test a device that has been filled");
	else if (prepared_is_ours(target))
		snprintf(text, size, "finish it (orion-sim prepare %s --size %s)", target->path,
			 bytes);
	else
		snprintf(text, size, "test a file that is (orion-sim prepare NEWFILE --size %s)",
			 bytes);
	return text;
}

static int refuse(const struct target *target, const struct survey *survey, bool sampled,
		  struct error *error)
{
	const struct finding *finding = &survey->unwritten;
	const char *what = "were never written";
	char part[32], whole[32], first[32], words[640];

	if (!finding->bytes) {
		finding = &survey->indirect;
		what = "are compressed or kept in the inode";
	}
	units_format_amount(finding->bytes, part);
	units_format_amount(survey->end_bytes - survey->begin_bytes, whole);
	units_format_size(finding->first_bytes, first);
	remedy(target, words, sizeof(words));
	if (sampled)
		return error_set(
			error, ERROR_INPUT,
			"%s: %u samples of the tested %s from offset %s on are all zero, as "
			"if it was never written, and reads of such a range are answered "
			"without the disk; %s or say \"allow_unwritten\": true",
			target->path, SAMPLES, whole, first, words);
	return error_set(error, ERROR_INPUT,
			 "%s: %s of the tested %s %s (first at offset %s), reads of them are "
			 "answered without the disk; %s or say \"allow_unwritten\": true",
			 target->path, part, whole, what, first, words);
}

int target_check_written(const struct target *target, uint64_t offset_bytes, uint64_t length_bytes,
			 bool allow_unwritten, uint64_t *ret_unwritten_bytes, struct error *error)
{
	struct survey survey = {.begin_bytes = offset_bytes, .cursor_bytes = offset_bytes};
	bool sampled = target->is_block;
	uint64_t found_bytes;
	int code = 0;

	survey.end_bytes = target->size_bytes;
	if (offset_bytes < survey.end_bytes && length_bytes &&
	    length_bytes < survey.end_bytes - offset_bytes)
		survey.end_bytes = offset_bytes + length_bytes;
	if (offset_bytes >= survey.end_bytes)
		return target_check_alignment(target, offset_bytes, length_bytes,
					      target->offset_align_bytes, error);
	if (!sampled)
		code = survey_extents(target->fd, &survey);
	if (code == -EOPNOTSUPP || code == -ENOTTY) {
		sampled = true;
		code = 0;
	}
	if (code)
		return error_set(error, code == -EIO ? ERROR_IO : code,
				 "%s: cannot be asked where it is written (FIEMAP): %s",
				 target->path, strerror(-code));
	if (sampled)
		code = survey_samples(target, &survey, error);
	if (code)
		return code;
	found_bytes = survey.unwritten.bytes + survey.indirect.bytes;
	if (found_bytes && !allow_unwritten)
		return refuse(target, &survey, sampled, error);
	if (ret_unwritten_bytes)
		*ret_unwritten_bytes = found_bytes;
	return 0;
}
