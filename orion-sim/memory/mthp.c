/* SPDX-License-Identifier: MIT */
/* mthp.c - shared memory in large folios of one size (multi-size THP), advised. */
#include <sys/mman.h>

#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "memory/kinds.h"
#include "memory/memory.h"
#include "memory/thp.h"

struct mthp_params {
	uint64_t folio_bytes;
};

static const struct field mthp_fields[] = {
	FIELD_SIZE("folio", struct mthp_params, folio_bytes, "64k", 16 << 10, 512 << 20,
		   "size of the folios asked, a power of two"),
	FIELD_END,
};

static uint64_t mthp_page_bytes(const void *params)
{
	const struct mthp_params *mthp = params;

	return mthp->folio_bytes;
}

static int mthp_probe(const void *params, uint64_t size_bytes, struct error *error)
{
	uint64_t folio_bytes = mthp_page_bytes(params);
	char text[32];

	if (!memory_is_power_of_two(folio_bytes))
		return error_set(error, ERROR_INPUT, "folio %s is not a power of two: say 64k",
				 units_format_size(folio_bytes, text));
	if (folio_bytes <= memory_base_page_bytes())
		return error_set(error, ERROR_CANNOT,
				 "%s is not more than one base page of this machine: ask for a "
				 "larger folio",
				 units_format_size(folio_bytes, text));
	if (thp_shmem_state("", folio_bytes, error) != THP_ON)
		return ERROR_CANNOT;
	return memory_available_check("", memory_round_up(size_bytes, folio_bytes), error);
}

static void mthp_need(const void *params, uint64_t size_bytes, struct memory_need *ret)
{
	uint64_t folio_bytes = mthp_page_bytes(params);

	*ret = (struct memory_need){.kind = MEMORY_NEED_SHMEM_FOLIO,
				    .page_bytes = folio_bytes,
				    .bytes = memory_round_up(size_bytes, folio_bytes)};
}

/*
 * A folio can only be mapped where address and file offset agree modulo its size. An odd multiple
 * of the size asked fits that size and no larger one, so that larger ones that are enabled too
 * (for another point of the same plan, say) cannot win here.
 */
static int mthp_map(const void *params, uint64_t size_bytes, struct mapping *ret,
		    struct error *error)
{
	uint64_t folio_bytes = mthp_page_bytes(params);
	struct mapping mapping;
	int code = memory_map_shared_aligned(memory_round_up(size_bytes, folio_bytes),
					     2 * folio_bytes, folio_bytes, &mapping, error);

	if (code)
		return code;
	code = memory_advise(&mapping, true, error);
	if (code) {
		munmap(mapping.reserved, mapping.reserved_bytes);
		return code;
	}
	*ret = mapping;
	return 0;
}

const struct memory_ops memory_mthp = {
	.entry = {.name = "mthp",
		  .summary = "shared memory in large folios of one size (multi-size THP)",
		  .fields = mthp_fields,
		  .params_size = sizeof(struct mthp_params)},
	.probe = mthp_probe,
	.need = mthp_need,
	.page_bytes = mthp_page_bytes,
	.map = mthp_map,
};
