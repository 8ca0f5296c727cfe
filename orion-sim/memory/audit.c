/* SPDX-License-Identifier: MIT */
/* audit.c - what a region is made of. */
#include "memory/audit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "memory/kinds.h"

void audit_add(struct memory_audit *audit, uint64_t folio_bytes, uint64_t bytes)
{
	unsigned size_log2 = 63u - (unsigned)__builtin_clzll(folio_bytes);

	if (size_log2 >= 12 && size_log2 - 12 < MEMORY_FOLIO_SIZES)
		audit->by_size[size_log2 - 12] += bytes;
}

/* One mapping of /proc/self/smaps, as far as its lines are read. */
struct smaps_entry {
	bool ours;
	uint64_t page_bytes;
};

static void smaps_line(const char *line, struct smaps_entry *entry, uint64_t begin, uint64_t end,
		       struct memory_audit *audit)
{
	unsigned long first, behind;
	uint64_t bytes;

	if (sscanf(line, "%lx-%lx ", &first, &behind) == 2) {
		entry->ours = first < end && behind > begin;
		return;
	}
	if (!entry->ours)
		return;
	if (!sysfile_field_kb(line, "KernelPageSize", &bytes))
		entry->page_bytes = bytes;
	/* These two come behind it, and are what is populated. */
	else if (entry->page_bytes && (!sysfile_field_kb(line, "Shared_Hugetlb", &bytes) ||
				       !sysfile_field_kb(line, "Private_Hugetlb", &bytes))) {
		audit_add(audit, entry->page_bytes, bytes);
		if (entry->page_bytes == audit->page_bytes)
			audit->got_bytes += bytes;
	}
}

int audit_smaps(const struct region *region, struct memory_audit *audit, struct error *error)
{
	CLEANUP(cleanup_fclose) FILE *file = fopen("/proc/self/smaps", "re");
	CLEANUP(cleanup_free) char *line = NULL;
	uint64_t begin = (uint64_t)(uintptr_t)region->mapping.address;
	uint64_t found_bytes = 0;
	struct smaps_entry entry = {0};
	size_t size = 0;

	if (!file)
		return error_set(error, -errno, "cannot open /proc/self/smaps: %s",
				 strerror(errno));
	while (getline(&line, &size, file) > 0)
		smaps_line(line, &entry, begin, begin + region->mapping.bytes, audit);
	for (unsigned i = 0; i < MEMORY_FOLIO_SIZES; i++)
		found_bytes += audit->by_size[i];
	if (found_bytes < region->mapping.bytes)
		audit->absent_bytes = region->mapping.bytes - found_bytes;
	return 0;
}

bool region_is_huge(const struct region *region)
{
	struct memory_need need;

	region->ops->need(region->params, region->size_bytes, &need);
	return need.kind == MEMORY_NEED_HUGE_PAGES;
}

int region_audit(const struct region *region, struct memory_audit *ret, struct error *error)
{
	struct memory_audit audit = {.page_bytes = region->ops->page_bytes(region->params),
				     .asked_bytes = region->mapping.bytes};
	int code;

	if (region_is_huge(region)) {
		audit.method = "smaps";
		code = audit_smaps(region, &audit, error);
	} else {
		audit.method = "pagemap+kpageflags";
		code = audit_frames(region, &audit, error);
		if (code == -EPERM) {
			audit.method = "fault counters";
			code = audit_faults(region, &audit, error);
		}
	}
	if (!code)
		code = place_audit(region, &audit.placed, error);
	if (code)
		return code;
	*ret = audit;
	return 0;
}
