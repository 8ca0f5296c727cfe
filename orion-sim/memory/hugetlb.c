/* SPDX-License-Identifier: MIT */
/* hugetlb.c - shared memory of huge pages: a System V segment as Oracle's SGA, mmap or memfd. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "memory/kinds.h"
#include "memory/memory.h"
#include "memory/pool.h"
#include "memory/shm.h"

#define HUGETLB_PAGE_SHIFT 26 /* MAP_HUGE_SHIFT and MFD_HUGE_SHIFT: where log2(page size) goes */

enum hugetlb_api { HUGETLB_SHM, HUGETLB_MMAP, HUGETLB_MEMFD };

struct hugetlb_params {
	uint64_t page_bytes;
	int api;
};

static const char *const hugetlb_apis[] = {"shm", "mmap", "memfd", NULL};

static const struct field hugetlb_fields[] = {
	FIELD_SIZE("page", struct hugetlb_params, page_bytes, "2M", 64 << 10, 16ull << 30,
		   "size of the huge pages"),
	FIELD_CHOICE("api", struct hugetlb_params, api, "shm", hugetlb_apis,
		     "how they are mapped: a System V segment, an anonymous mapping, a memfd"),
	FIELD_END,
};

static uint64_t hugetlb_page_bytes(const void *params)
{
	const struct hugetlb_params *hugetlb = params;

	return hugetlb->page_bytes;
}

static int hugetlb_probe(const void *params, uint64_t size_bytes, struct error *error)
{
	const struct hugetlb_params *hugetlb = params;
	uint64_t bytes = memory_round_up(size_bytes, hugetlb->page_bytes);
	char text[32];
	int ret;

	if (!memory_is_power_of_two(hugetlb->page_bytes))
		return error_set(error, ERROR_INPUT, "page %s is not a power of two: say 2M or 1G",
				 units_format_size(hugetlb->page_bytes, text));
	ret = pool_check("", hugetlb->page_bytes, bytes, error);
	if (!ret && hugetlb->api == HUGETLB_SHM)
		ret = shm_check(hugetlb->page_bytes, bytes, error);
	return ret;
}

static void hugetlb_need(const void *params, uint64_t size_bytes, struct memory_need *ret)
{
	uint64_t page_bytes = hugetlb_page_bytes(params);

	*ret = (struct memory_need){.kind = MEMORY_NEED_HUGE_PAGES,
				    .page_bytes = page_bytes,
				    .bytes = memory_round_up(size_bytes, page_bytes)};
}

/* ENOMEM is most often a pool that somebody else drew from since the probe. */
static int hugetlb_fail(int code, const char *call, uint64_t page_bytes, uint64_t bytes,
			struct error *error)
{
	int ret = code == ENOMEM ? pool_check("", page_bytes, bytes, error) : 0;

	if (ret)
		return ret;
	return error_set(error, code == ENOMEM ? ERROR_CANNOT : -code,
			 "%s of %llu bytes of huge pages: %s", call, (unsigned long long)bytes,
			 strerror(code));
}

/* fd: -1 for an anonymous mapping. The kernel reserves the pages here, or says ENOMEM. */
static int hugetlb_mmap(int fd, uint64_t page_bytes, uint64_t bytes, void **ret_address,
			struct error *error)
{
	unsigned size_bits = (unsigned)__builtin_ctzll(page_bytes) << HUGETLB_PAGE_SHIFT;
	int flags =
		fd < 0 ? (int)(size_bits | MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB) : MAP_SHARED;
	void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (address == MAP_FAILED)
		return hugetlb_fail(errno, "mmap", page_bytes, bytes, error);
	*ret_address = address;
	return 0;
}

static int hugetlb_memfd(uint64_t page_bytes, uint64_t bytes, void **ret_address,
			 struct error *error)
{
	unsigned size_bits = (unsigned)__builtin_ctzll(page_bytes) << HUGETLB_PAGE_SHIFT;
	CLEANUP(cleanup_close)
	int fd = memfd_create("orion-sim", size_bits | MFD_CLOEXEC | MFD_HUGETLB);

	if (fd < 0)
		return hugetlb_fail(errno, "memfd_create", page_bytes, bytes, error);
	if (ftruncate(fd, (off_t)bytes))
		return hugetlb_fail(errno, "ftruncate", page_bytes, bytes, error);
	return hugetlb_mmap(fd, page_bytes, bytes, ret_address, error);
}

static int hugetlb_map(const void *params, uint64_t size_bytes, struct mapping *ret,
		       struct error *error)
{
	const struct hugetlb_params *hugetlb = params;
	uint64_t page_bytes = hugetlb->page_bytes;
	uint64_t bytes = memory_round_up(size_bytes, page_bytes);
	void *address = NULL;
	int code;

	if (hugetlb->api == HUGETLB_SHM)
		code = shm_map_huge(page_bytes, bytes, &address, error);
	else if (hugetlb->api == HUGETLB_MMAP)
		code = hugetlb_mmap(-1, page_bytes, bytes, &address, error);
	else
		code = hugetlb_memfd(page_bytes, bytes, &address, error);
	if (code)
		return code;
	*ret = (struct mapping){.address = address,
				.bytes = bytes,
				.reserved = address,
				.reserved_bytes = bytes,
				.attached = hugetlb->api == HUGETLB_SHM};
	return 0;
}

const struct memory_ops memory_hugetlb = {
	.entry = {.name = "hugetlb",
		  .summary = "shared memory on reserved huge pages, as Oracle's SGA has it",
		  .fields = hugetlb_fields,
		  .params_size = sizeof(struct hugetlb_params)},
	.probe = hugetlb_probe,
	.need = hugetlb_need,
	.page_bytes = hugetlb_page_bytes,
	.map = hugetlb_map,
};
