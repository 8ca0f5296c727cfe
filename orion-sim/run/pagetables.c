/* SPDX-License-Identifier: MIT */
/* pagetables.c - what page tables cost: of the whole machine, and of a run's own processes. */
#include "run/pagetables.h"

#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/sysfile.h"
#include "base/units.h"

#define ENTRY_BYTES 8

static uint64_t field_of(const char *path, const char *name)
{
	char text[8192];
	uint64_t bytes = 0;

	if (sysfile_read(path, text, sizeof(text), NULL) == 0)
		sysfile_field_kb(text, name, &bytes);
	return bytes;
}

static uint64_t process_vm_pte(const char *root, const char *process)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/proc/%s/status", root, process);
	return field_of(path, "VmPTE");
}

void pagetables_read(const char *root, const pid_t *pids, unsigned n, struct pagetables *ret)
{
	char path[512], process[16];

	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	*ret = (struct pagetables){.page_tables_bytes = field_of(path, "PageTables"),
				   .sec_page_tables_bytes = field_of(path, "SecPageTables"),
				   .vm_pte_bytes = process_vm_pte(root, "self")};
	for (unsigned i = 0; i < n; i++) {
		snprintf(process, sizeof(process), "%d", (int)pids[i]);
		ret->vm_pte_bytes += process_vm_pte(root, process);
	}
}

uint64_t pagetables_need(uint64_t bytes, uint64_t page_bytes, uint64_t base_page_bytes)
{
	uint64_t covered_bytes = base_page_bytes / ENTRY_BYTES * base_page_bytes;

	if (page_bytes >= covered_bytes)
		return 0;
	return (bytes + covered_bytes - 1) / covered_bytes * base_page_bytes;
}

int pagetables_check(const char *root, unsigned processes, uint64_t bytes, uint64_t regions_bytes,
		     struct error *error)
{
	char path[512], need[32], beside[32], have[32];
	struct limits_cgroup group = {.value = LIMITS_NONE};
	uint64_t available_bytes;

	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	available_bytes = field_of(path, "MemAvailable");
	if (limits_memory(root, &group) == 0 && group.value < available_bytes)
		available_bytes = group.value;
	if (available_bytes == 0 || bytes + regions_bytes <= available_bytes)
		return 0;
	return error_set(error, ERROR_CANNOT,
			 "%u processes need %s of page tables beside %s of memory, and %s is "
			 "available: ask for fewer workers, a smaller region, or memory in huge "
			 "pages",
			 processes, units_format_amount(bytes, need),
			 units_format_amount(regions_bytes, beside),
			 units_format_amount(available_bytes, have));
}
