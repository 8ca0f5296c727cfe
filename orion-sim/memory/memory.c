/* SPDX-License-Identifier: MIT */
/* memory.c - a region of database memory: mapped, touched, given back. */
#include "memory/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/sysfile.h"
#include "base/units.h"
#include "memory/kinds.h"
#include "memory/thp.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* What a run may need in a control group beside its region. */
#define MEMORY_BESIDE_BYTES (UINT64_C(64) << 20)

static const struct entry *const memory_entries[] = {
	&memory_base.entry, &memory_mthp.entry,	   &memory_hugetlb.entry,
	&memory_thp.entry,  &memory_private.entry, NULL,
};

const struct catalog memory_catalog = {.noun = "memory kind", .entries = memory_entries};

const struct memory_ops *memory_ops_of(const struct choice *memory)
{
	return (const struct memory_ops *)(const void *)memory->entry;
}

int memory_available_check(const char *root, uint64_t bytes, struct error *error)
{
	char path[512], text[8192], need[32], have[32];
	uint64_t available_bytes;
	struct limits_cgroup group;
	int ret;

	if (limits_memory(root, &group) == 0 && bytes > group.value)
		return error_set(error, ERROR_CANNOT,
				 "it needs %s of memory and the control group may have %s: echo "
				 "%llu > %s, or ask for a smaller region",
				 units_format_size(bytes, need),
				 units_format_amount(group.value, have),
				 (unsigned long long)(bytes + MEMORY_BESIDE_BYTES), group.path);
	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	ret = sysfile_read(path, text, sizeof(text), error);
	if (ret)
		return ret;
	if (sysfile_field_kb(text, "MemAvailable", &available_bytes) || bytes <= available_bytes)
		return 0;
	return error_set(error, ERROR_CANNOT,
			 "it needs %s of memory and MemAvailable is %s: ask for a smaller region",
			 units_format_size(bytes, need),
			 units_format_amount(available_bytes, have));
}

/* Address space of one's own first: what is mapped later can then be placed without a race. */
int memory_map_aligned(int fd, int flags, uint64_t size_bytes, uint64_t align_bytes,
		       uint64_t remainder_bytes, struct mapping *ret, struct error *error)
{
	uint64_t bytes = memory_round_up(size_bytes, memory_base_page_bytes());
	uint64_t reserved_bytes = bytes + align_bytes + remainder_bytes;
	char text[32], limit[32];
	char *reserved, *address;

	units_format_size(bytes, text);
	reserved = mmap(NULL, reserved_bytes, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (reserved == MAP_FAILED)
		return error_set(
			error, errno == ENOMEM ? ERROR_CANNOT : -errno,
			"no address space for %s: %s; RLIMIT_AS is %s: ulimit -v unlimited", text,
			strerror(errno), limits_word(RLIMIT_AS, 1, limit));
	address = reserved + (align_bytes - (uintptr_t)reserved % align_bytes) % align_bytes +
		  remainder_bytes;
	if (mmap(address, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0) == MAP_FAILED) {
		int code = error_set(error, errno == ENOMEM ? ERROR_CANNOT : -errno,
				     "cannot map %s of %s memory: %s; RLIMIT_AS is %s: ulimit "
				     "-v unlimited; sysctl vm.overcommit_memory=0",
				     text, flags & MAP_PRIVATE ? "private" : "shared",
				     strerror(errno), limits_word(RLIMIT_AS, 1, limit));

		munmap(reserved, reserved_bytes);
		return code;
	}
	*ret = (struct mapping){.address = address,
				.bytes = bytes,
				.reserved = reserved,
				.reserved_bytes = reserved_bytes};
	return 0;
}

int memory_map_shared_aligned(uint64_t size_bytes, uint64_t align_bytes, uint64_t remainder_bytes,
			      struct mapping *ret, struct error *error)
{
	return memory_map_aligned(-1, MAP_SHARED | MAP_ANONYMOUS, size_bytes, align_bytes,
				  remainder_bytes, ret, error);
}

int memory_advise(const struct mapping *mapping, bool huge, struct error *error)
{
	int advice = huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;

	/* EINVAL: no THP built in, which suits whoever wants none. */
	if (!madvise(mapping->address, mapping->bytes, advice) || (!huge && errno == EINVAL))
		return 0;
	return error_set(error, -errno, "madvise(%s): %s",
			 huge ? "MADV_HUGEPAGE" : "MADV_NOHUGEPAGE", strerror(errno));
}

/* Before Linux 5.14. The pages are reserved or accounted since the mapping was made. */
static void region_store(const struct region *region)
{
	uint64_t page_bytes = memory_base_page_bytes();
	volatile char *bytes = region->mapping.address;

	for (uint64_t offset = 0; offset < region->mapping.bytes; offset += page_bytes)
		bytes[offset] = 0;
}

static int region_fail_populate(const struct region *region, int code, struct error *error)
{
	char size[32], page[32], available[32], meminfo[8192];
	uint64_t free_bytes = 0;

	units_format_size(region->mapping.bytes, size);
	units_format_size(region->ops->page_bytes(region->params), page);
	if (!sysfile_read("/proc/meminfo", meminfo, sizeof(meminfo), NULL))
		sysfile_field_kb(meminfo, "MemAvailable", &free_bytes);
	if (code != ENOMEM && code != EFAULT)
		return error_set(error, -code, "populating %s in pages of %s: %s", size, page,
				 strerror(code));
	return error_set(
		error, ERROR_CANNOT,
		"%s in pages of %s cannot be populated (%s; MemAvailable is %s): "
		"ask for a smaller region, or raise the limits of this cgroup (memory.max, "
		"hugetlb.*.max) and cpuset (cpuset.mems)",
		size, page, strerror(code), units_format_amount(free_bytes, available));
}

/* With the kernel's own call a shortage is an error; with stores it would be a SIGBUS. */
static int region_populate(const struct region *region, struct error *error)
{
	if (!madvise(region->mapping.address, region->mapping.bytes, MADV_POPULATE_WRITE))
		return 0;
	if (errno != EINVAL)
		return region_fail_populate(region, errno, error);
	region_store(region);
	return 0;
}

int region_touch(struct region *region, struct error *error)
{
	uint64_t page_bytes = region->ops->page_bytes(region->params);
	struct thp_counters counted = {0}, counted_end;
	struct rusage usage, usage_end;
	bool counts = !region->ops->is_private && !thp_counters_read("", page_bytes, &counted);
	int ret;

	getrusage(RUSAGE_THREAD, &usage);
	ret = region_populate(region, error);
	getrusage(RUSAGE_THREAD, &usage_end);
	if (ret)
		return ret;
	region->populate_faults = (uint64_t)(usage_end.ru_minflt - usage.ru_minflt);
	region->populate_counted = counts && !thp_counters_read("", page_bytes, &counted_end);
	if (region->populate_counted) {
		region->populate_folios = counted_end.allocated - counted.allocated;
		region->populate_fallbacks = counted_end.fallbacks - counted.fallbacks;
	}
	return 0;
}

/* Where the policy says. */
static int region_touch_placed(struct region *region, struct error *error)
{
	struct place_thread thread = {0};
	int ret = place_apply(&region->place, &region->mapping, error);

	if (!ret)
		ret = place_thread_move(&region->place, &thread, error);
	if (!ret)
		ret = region_touch(region, error);
	place_thread_return(&thread);
	return ret;
}

int region_open(struct region *region, struct error *error)
{
	int ret = region->ops->probe(region->params, region->size_bytes, error);

	if (!ret)
		ret = region->ops->map(region->params, region->size_bytes, &region->mapping, error);
	if (!ret)
		ret = region_touch_placed(region, error);
	if (ret) {
		region_close(region);
		error_prefix(error, "region '%s': ", region->name);
	}
	return ret;
}

void region_close(struct region *region)
{
	struct mapping *mapping = &region->mapping;

	if (!mapping->address)
		return;
	if (mapping->attached)
		shmdt(mapping->address);
	else
		munmap(mapping->reserved, mapping->reserved_bytes);
	*mapping = (struct mapping){0};
}
