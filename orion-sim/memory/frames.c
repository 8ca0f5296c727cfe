/* SPDX-License-Identifier: MIT */
/* frames.c - which folios a region is mapped from, by /proc/self/pagemap and /proc/kpageflags. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "memory/audit.h"
#include "memory/kinds.h"

/* Documentation/admin-guide/mm/pagemap.rst of the kernel: bits of an entry and of a frame's flags.
 */
#define PAGEMAP_PRESENT	 (1ull << 63)
#define PAGEMAP_FRAME	 ((1ull << 55) - 1)
#define FRAME_HEAD	 (1ull << 15)
#define FRAME_TAIL	 (1ull << 16)
#define FRAME_ORDERS_MAX 18

/* A multiple of the largest folio: none lies across two chunks. */
#define CHUNK_PAGES 65536u

struct frames {
	int pagemap, flags_fd;
	uint64_t page_bytes;
	uint64_t *entries; /* of one chunk */
	uint64_t *flags;   /* of a run of frames in it, and of the frame behind */
	struct memory_audit *audit;
};

/* Entries of n pages from address on. */
static int frames_read_entries(struct frames *frames, uint64_t address, uint64_t n,
			       struct error *error)
{
	size_t length = n * sizeof(*frames->entries);
	off_t offset = (off_t)(address / frames->page_bytes * sizeof(*frames->entries));
	ssize_t got = pread(frames->pagemap, frames->entries, length, offset);

	if (got == (ssize_t)length)
		return 0;
	return error_set(error, got < 0 ? -errno : -EIO, "cannot read /proc/self/pagemap: %s",
			 got < 0 ? strerror(errno) : "it ended early");
}

/* Flags of n frames; those of frames that do not exist read as 0. */
static int frames_read_flags(const struct frames *frames, uint64_t frame, uint64_t n, uint64_t *ret)
{
	size_t length = n * sizeof(*ret);
	ssize_t got = pread(frames->flags_fd, ret, length, (off_t)(frame * sizeof(*ret)));

	if (got < 0)
		return -errno;
	memset((char *)ret + got, 0, length - (size_t)got);
	return 0;
}

static bool frames_is_tail(const struct frames *frames, uint64_t frame)
{
	uint64_t flags = 0;

	return !frames_read_flags(frames, frame, 1, &flags) && flags & FRAME_TAIL;
}

/* Pages of the whole folio that starts at the frame: a power of two, mapped here or not. */
static uint64_t frames_folio_pages(const struct frames *frames, uint64_t head)
{
	uint64_t pages = 1;

	while (pages < 1u << FRAME_ORDERS_MAX && frames_is_tail(frames, head + pages))
		pages *= 2;
	return pages;
}

/* Folios lie at multiples of their size: the first such place that is no tail is the head. */
static uint64_t frames_find_head(const struct frames *frames, uint64_t tail)
{
	uint64_t head = tail;

	for (int order = 1; order <= FRAME_ORDERS_MAX && frames_is_tail(frames, head); order++)
		head = tail & ~((1ull << order) - 1);
	return head;
}

/*
 * Counts the first folio in a run of n neighbouring frames whose flags are read. Returns how many
 * pages of it are mapped in the run.
 */
static uint64_t frames_count_folio(struct frames *frames, uint64_t frame, const uint64_t *flags,
				   uint64_t n, uint64_t address)
{
	struct memory_audit *audit = frames->audit;
	uint64_t mapped = 1, pages = 1;
	bool whole;

	if (!(flags[0] & (FRAME_HEAD | FRAME_TAIL))) {
		audit_add(audit, frames->page_bytes, frames->page_bytes);
		if (audit->page_bytes == frames->page_bytes)
			audit->got_bytes += frames->page_bytes;
		return 1;
	}
	while (mapped < n && flags[mapped] & FRAME_TAIL)
		mapped++;
	whole = flags[0] & FRAME_HEAD && !(flags[mapped] & FRAME_TAIL);
	if (whole)
		pages = mapped;
	else
		pages = frames_folio_pages(frames, frames_find_head(frames, frame));
	audit_add(audit, pages * frames->page_bytes, mapped * frames->page_bytes);
	if (whole && pages * frames->page_bytes == audit->page_bytes &&
	    address % audit->page_bytes == 0)
		audit->got_bytes += audit->page_bytes;
	return mapped;
}

static int frames_count_run(struct frames *frames, uint64_t frame, uint64_t n, uint64_t address,
			    struct error *error)
{
	int ret = frames_read_flags(frames, frame, n + 1, frames->flags);

	if (ret)
		return error_set(error, ret, "cannot read /proc/kpageflags: %s", strerror(-ret));
	for (uint64_t i = 0; i < n;)
		i += frames_count_folio(frames, frame + i, frames->flags + i, n - i,
					address + i * frames->page_bytes);
	return 0;
}

static bool frames_is_present(uint64_t entry)
{
	return entry & PAGEMAP_PRESENT;
}

/* One chunk, cut into runs of frames that are neighbours. */
static int frames_count_chunk(struct frames *frames, uint64_t address, uint64_t n,
			      struct error *error)
{
	const uint64_t *entries = frames->entries;
	int ret = frames_read_entries(frames, address, n, error);
	uint64_t run;

	for (uint64_t i = 0; !ret && i < n; i += run) {
		uint64_t frame = entries[i] & PAGEMAP_FRAME;

		run = 1;
		if (!frames_is_present(entries[i])) {
			frames->audit->absent_bytes += frames->page_bytes;
			continue;
		}
		if (!frame)
			return -EPERM;
		while (i + run < n && frames_is_present(entries[i + run]) &&
		       (entries[i + run] & PAGEMAP_FRAME) == frame + run)
			run++;
		ret = frames_count_run(frames, frame, run, address + i * frames->page_bytes, error);
	}
	return ret;
}

static int frames_count(struct frames *frames, const struct region *region, struct error *error)
{
	uint64_t pages = region->mapping.bytes / frames->page_bytes;
	uint64_t address = (uint64_t)(uintptr_t)region->mapping.address;
	int ret = 0;

	for (uint64_t i = 0; !ret && i < pages; i += CHUNK_PAGES) {
		uint64_t n = pages - i < CHUNK_PAGES ? pages - i : CHUNK_PAGES;

		ret = frames_count_chunk(frames, address + i * frames->page_bytes, n, error);
	}
	return ret;
}

int audit_frames(const struct region *region, struct memory_audit *audit, struct error *error)
{
	CLEANUP(cleanup_close) int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	CLEANUP(cleanup_close) int flags_fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	CLEANUP(cleanup_free) uint64_t *buffer = calloc(2 * CHUNK_PAGES + 1, sizeof(*buffer));
	struct memory_audit counted = *audit;
	struct frames frames = {.pagemap = pagemap,
				.flags_fd = flags_fd,
				.page_bytes = memory_base_page_bytes(),
				.audit = &counted};
	int ret;

	if (!buffer)
		return error_set(error, -ENOMEM, "no memory for an audit");
	if (pagemap < 0 || flags_fd < 0)
		return -EPERM;
	frames.entries = buffer;
	frames.flags = buffer + CHUNK_PAGES;
	ret = frames_count(&frames, region, error);
	if (!ret)
		*audit = counted;
	return ret;
}

/*
 * Every fault brought one folio of the size asked or one base page: bytes and faults give how many
 * of each, to the nearest (a few faults are the process's own). There are no more than the kernel
 * has counted.
 */
static uint64_t faults_folios(const struct region *region, uint64_t page_bytes)
{
	uint64_t folio_bytes = region->ops->page_bytes(region->params);
	uint64_t pages = region->mapping.bytes / page_bytes, in_folio = folio_bytes / page_bytes;
	uint64_t folios, faults = region->populate_faults;

	if (in_folio == 1)
		return faults < pages ? faults : pages;
	folios = faults < pages ? (pages - faults + (in_folio - 1) / 2) / (in_folio - 1) : 0;
	if (folios > faults)
		folios = faults;
	if (region->populate_counted && folios > region->populate_folios)
		folios = region->populate_folios;
	return folios < pages / in_folio ? folios : pages / in_folio;
}

/* Bytes that are not there now, as far as the process may see that. */
static int faults_absent(const struct region *region, uint64_t page_bytes, uint64_t *ret,
			 struct error *error)
{
	CLEANUP(cleanup_close) int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	CLEANUP(cleanup_free) uint64_t *buffer = calloc(CHUNK_PAGES, sizeof(*buffer));
	struct frames frames = {.pagemap = pagemap, .page_bytes = page_bytes, .entries = buffer};
	uint64_t address = (uint64_t)(uintptr_t)region->mapping.address;
	uint64_t pages = region->mapping.bytes / page_bytes, absent_bytes = 0;

	if (!buffer)
		return error_set(error, -ENOMEM, "no memory for an audit");
	for (uint64_t i = 0; pagemap >= 0 && i < pages; i += CHUNK_PAGES) {
		uint64_t n = pages - i < CHUNK_PAGES ? pages - i : CHUNK_PAGES;
		int code = frames_read_entries(&frames, address + i * page_bytes, n, error);

		if (code)
			return code;
		for (uint64_t j = 0; j < n; j++)
			absent_bytes += frames_is_present(buffer[j]) ? 0 : page_bytes;
	}
	*ret = absent_bytes;
	return 0;
}

int audit_faults(const struct region *region, struct memory_audit *audit, struct error *error)
{
	uint64_t page_bytes = memory_base_page_bytes(), present_bytes;
	uint64_t got_bytes = faults_folios(region, page_bytes) * audit->page_bytes;
	int ret = faults_absent(region, page_bytes, &audit->absent_bytes, error);

	if (ret)
		return ret;
	present_bytes = region->mapping.bytes - audit->absent_bytes;
	audit->got_bytes = got_bytes < present_bytes ? got_bytes : present_bytes;
	audit_add(audit, audit->page_bytes, audit->got_bytes);
	if (audit->page_bytes != page_bytes)
		audit_add(audit, page_bytes, present_bytes - audit->got_bytes);
	return 0;
}
