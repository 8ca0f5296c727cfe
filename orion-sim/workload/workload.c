/* SPDX-License-Identifier: MIT */
/* workload.c - the catalog of workloads, and what they share. */
#include "workload/workload.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "workload/alloc.h"
#include "workload/fault.h"
#include "workload/io.h"
#include "workload/spawn.h"
#include "workload/touch.h"
#include "workload/zeropage.h"

static const struct entry *const workload_entries[] = {
	&workload_io.entry,
	&workload_touch.entry,
	&workload_fault.entry,
	&workload_zeropage.entry,
	&workload_alloc.entry,
	&workload_spawn.entry,
	NULL,
};

const struct catalog workload_catalog = {.noun = "workload", .entries = workload_entries};

const struct workload_ops *workload_ops_of(const struct choice *workload)
{
	return (const struct workload_ops *)workload->entry;
}

uint64_t workload_share_bytes(const struct workload_setup *setup, uint64_t region_bytes)
{
	uint64_t share_bytes = region_bytes / setup->region_workers;
	uint64_t align_bytes = setup->region_page_bytes;

	if (setup->region_workers == 1)
		return share_bytes;
	if (align_bytes > share_bytes)
		align_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	return share_bytes - share_bytes % align_bytes;
}

uint64_t workload_need_bytes(const struct workload_setup *setup, uint64_t share_bytes)
{
	uint64_t align_bytes = setup->region_page_bytes;

	if (setup->region_workers == 1)
		return share_bytes;
	if (align_bytes > share_bytes)
		align_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	return (share_bytes + align_bytes - 1) / align_bytes * align_bytes * setup->region_workers;
}

void worker_fail(struct worker *worker, int code, const char *format, ...)
{
	struct recorder *recorder = worker->recorder;
	va_list arguments;

	if (recorder->failure_code)
		return;
	va_start(arguments, format);
	vsnprintf(recorder->failure, sizeof(recorder->failure), format, arguments);
	va_end(arguments);
	recorder->failure_code = code;
}
