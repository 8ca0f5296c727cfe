/* SPDX-License-Identifier: MIT */
/* check.c - an audit in words, and whether it is good enough. */
#include "memory/memory.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "base/units.h"
#include "memory/kinds.h"
#include "memory/thp.h"

static void detail_add(char *text, size_t size, const char *name, uint64_t bytes)
{
	size_t used = strlen(text);
	char amount[32];

	snprintf(text + used, size - used, "%s%s %s", used ? ", " : "", name,
		 units_format_size(bytes, amount));
}

const char *memory_audit_detail(const struct memory_audit *audit, char *text, size_t size)
{
	bool done[MEMORY_FOLIO_SIZES] = {false};
	char folio[32];

	text[0] = '\0';
	for (;;) {
		int most = -1;

		for (int i = 0; i < MEMORY_FOLIO_SIZES; i++)
			if (!done[i] && audit->by_size[i] &&
			    (most < 0 || audit->by_size[i] > audit->by_size[most]))
				most = i;
		if (most < 0)
			break;
		done[most] = true;
		detail_add(text, size, units_format_size(4096ull << most, folio),
			   audit->by_size[most]);
	}
	if (audit->absent_bytes)
		detail_add(text, size, "absent", audit->absent_bytes);
	return text;
}

double memory_audit_percent(const struct memory_audit *audit)
{
	if (!audit->asked_bytes)
		return 100;
	return 100.0 * (double)audit->got_bytes / (double)audit->asked_bytes;
}

/* Size of the largest folios in the region, if they are larger than what was asked. */
static uint64_t check_larger(const struct memory_audit *audit)
{
	uint64_t larger_bytes = 0;

	for (int i = 0; i < MEMORY_FOLIO_SIZES; i++)
		if (audit->by_size[i] && 4096ull << i > audit->page_bytes)
			larger_bytes = 4096ull << i;
	return larger_bytes;
}

static void check_explain_larger(uint64_t larger_bytes, struct error *reason)
{
	char path[512], text[256] = "unknown", word[64], larger[32];

	thp_path("", larger_bytes, "shmem_enabled", path, sizeof(path));
	sysfile_read(path, text, sizeof(text), NULL);
	sysfile_bracketed(text, word, sizeof(word));
	error_set(reason, ERROR_CANNOT,
		  "folios of %s were taken instead, since %s is '%s': echo "
		  "never > %s",
		  units_format_size(larger_bytes, larger), path, word, path);
}

static void check_explain_absent(uint64_t absent_bytes, struct error *reason)
{
	char meminfo[8192] = "", absent[32], free[32], swap[32];
	uint64_t free_bytes = 0, swap_bytes = 0;

	sysfile_read("/proc/meminfo", meminfo, sizeof(meminfo), NULL);
	sysfile_field_kb(meminfo, "MemAvailable", &free_bytes);
	sysfile_field_kb(meminfo, "SwapTotal", &swap_bytes);
	error_set(reason, ERROR_CANNOT,
		  "%s of it is not in memory any more (MemAvailable %s, swap %s): %s",
		  units_format_size(absent_bytes, absent), units_format_amount(free_bytes, free),
		  units_format_amount(swap_bytes, swap),
		  swap_bytes ? "swapoff -a" : "ask for a smaller region");
}

static void check_explain_small(const struct region *region, struct error *reason)
{
	char meminfo[8192] = "", free[32];
	uint64_t free_bytes = 0;

	sysfile_read("/proc/meminfo", meminfo, sizeof(meminfo), NULL);
	sysfile_field_kb(meminfo, "MemFree", &free_bytes);
	units_format_amount(free_bytes, free);
	if (region->populate_counted)
		error_set(
			reason, ERROR_CANNOT,
			"while it was populated the kernel allocated %llu folios of this size and "
			"fell back to smaller ones %llu times (MemFree %s, perhaps in small "
			"pieces): echo 1 > /proc/sys/vm/compact_memory",
			(unsigned long long)region->populate_folios,
			(unsigned long long)region->populate_fallbacks, free);
	else
		error_set(
			reason, ERROR_CANNOT,
			"the kernel took smaller ones (MemFree %s, perhaps in small pieces): echo "
			"1 > /proc/sys/vm/compact_memory",
			free);
}

/* The likeliest first: the setting, folios of another size, pages gone, fragmentation. */
static void check_explain(const struct region *region, const struct memory_audit *audit,
			  struct error *reason)
{
	uint64_t larger_bytes = check_larger(audit);
	struct memory_need need;

	region->ops->need(region->params, region->size_bytes, &need);
	if (need.kind == MEMORY_NEED_SHMEM_FOLIO &&
	    thp_shmem_state("", audit->page_bytes, reason) != THP_ON)
		return;
	if (region->ops->is_private && audit->page_bytes > memory_base_page_bytes() &&
	    thp_anon_pmd_state("", reason) != THP_ON)
		return;
	if (larger_bytes && need.kind != MEMORY_NEED_HUGE_PAGES)
		check_explain_larger(larger_bytes, reason);
	else if (2 * audit->absent_bytes >= audit->asked_bytes - audit->got_bytes)
		check_explain_absent(audit->absent_bytes, reason);
	else
		check_explain_small(region, reason);
}

int region_check(const struct region *region, const struct memory_audit *audit, double percent,
		 struct error *error)
{
	char asked[32], got[32], page[32], detail[160];
	struct error reason = {0};

	if (memory_audit_percent(audit) >= percent)
		return place_check(region, &audit->placed, percent, error);
	check_explain(region, audit, &reason);
	memory_audit_detail(audit, detail, sizeof(detail));
	return error_set(error, ERROR_CANNOT,
			 "region '%s': %s asked in pages of %s, %s got (%.1f %%, by %s: %s), %g %% "
			 "needed; %s",
			 region->name, units_format_size(audit->asked_bytes, asked),
			 units_format_size(audit->page_bytes, page),
			 units_format_size(audit->got_bytes, got), memory_audit_percent(audit),
			 audit->method, detail, percent, reason.text);
}
