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
#include "memory/thp.h"

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

/* What of a mapping is there, and what of that is mapped a PMD at a time. */
static void pmd_line(const char *line, bool *ours, uint64_t begin, uint64_t end,
		     uint64_t *present_bytes, uint64_t *pmd_bytes)
{
	static const char *const counts[] = {"AnonHugePages", "ShmemPmdMapped", "FilePmdMapped"};
	unsigned long first, behind;
	uint64_t bytes;

	if (sscanf(line, "%lx-%lx ", &first, &behind) == 2)
		*ours = first < end && behind > begin;
	if (!*ours)
		return;
	if (!sysfile_field_kb(line, "Rss", &bytes))
		*present_bytes += bytes;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (!sysfile_field_kb(line, counts[i], &bytes))
			*pmd_bytes += bytes;
}

int audit_pmd(const struct region *region, struct memory_audit *audit, struct error *error)
{
	CLEANUP(cleanup_fclose) FILE *file = fopen("/proc/self/smaps", "re");
	CLEANUP(cleanup_free) char *line = NULL;
	uint64_t begin = (uint64_t)(uintptr_t)region->mapping.address;
	uint64_t present_bytes = 0, pmd_bytes = 0;
	bool ours = false;
	size_t size = 0;

	if (!file)
		return error_set(error, -errno, "cannot open /proc/self/smaps: %s",
				 strerror(errno));
	while (getline(&line, &size, file) > 0)
		pmd_line(line, &ours, begin, begin + region->mapping.bytes, &present_bytes,
			 &pmd_bytes);
	audit->got_bytes = pmd_bytes;
	audit_add(audit, audit->page_bytes, pmd_bytes);
	audit_add(audit, memory_base_page_bytes(), present_bytes - pmd_bytes);
	if (present_bytes < region->mapping.bytes)
		audit->absent_bytes = region->mapping.bytes - present_bytes;
	return 0;
}

bool region_is_huge(const struct region *region)
{
	struct memory_need need;

	region->ops->need(region->params, region->size_bytes, &need);
	return need.kind == MEMORY_NEED_HUGE_PAGES;
}

/* Who may not see page frames still sees how much is mapped a PMD at a time. */
static int audit_unprivileged(const struct region *region, struct memory_audit *audit,
			      struct error *error)
{
	if (audit->page_bytes == thp_pmd_bytes("") &&
	    audit->page_bytes > memory_base_page_bytes()) {
		audit->method = "smaps PMD mappings";
		return audit_pmd(region, audit, error);
	}
	audit->method = "fault counters";
	return audit_faults(region, audit, error);
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
		if (code == -EPERM)
			code = audit_unprivileged(region, &audit, error);
	}
	if (!code)
		code = place_audit(region, &audit.placed, error);
	if (code)
		return code;
	*ret = audit;
	return 0;
}
