/* SPDX-License-Identifier: MIT */
/* base.c - shared memory on the machine's base pages, large folios refused. */
#include <sys/mman.h>

#include "base/error.h"
#include "memory/kinds.h"
#include "memory/memory.h"

static int base_probe(const void *params, uint64_t size_bytes, struct error *error)
{
	return memory_available_check("", size_bytes, error);
}

static void base_need(const void *params, uint64_t size_bytes, struct memory_need *ret)
{
	*ret = (struct memory_need){.kind = MEMORY_NEED_NOTHING};
}

static uint64_t base_page_bytes(const void *params)
{
	return memory_base_page_bytes();
}

static int base_map(const void *params, uint64_t size_bytes, struct mapping *ret,
		    struct error *error)
{
	uint64_t page_bytes = memory_base_page_bytes();
	struct mapping mapping;
	int code = memory_map_shared_aligned(size_bytes, page_bytes, 0, &mapping, error);

	if (code)
		return code;
	/* Measured: this also wins over a top-level shmem_enabled of force. */
	code = memory_advise(&mapping, false, error);
	if (code) {
		munmap(mapping.reserved, mapping.reserved_bytes);
		return code;
	}
	*ret = mapping;
	return 0;
}

const struct memory_ops memory_base = {
	.entry = {.name = "base",
		  .summary = "shared memory on base pages (4K on x86), large folios refused"},
	.probe = base_probe,
	.need = base_need,
	.page_bytes = base_page_bytes,
	.map = base_map,
};
