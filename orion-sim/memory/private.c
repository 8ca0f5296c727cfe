/* SPDX-License-Identifier: MIT */
/* private.c - memory of one process, as malloc gives it. */
#include <sys/mman.h>

#include "base/error.h"
#include "base/field.h"
#include "memory/kinds.h"
#include "memory/memory.h"
#include "memory/thp.h"

enum private_thp { PRIVATE_NEVER, PRIVATE_ADVISE };

struct private_params {
	int thp;
};

static const char *const private_thps[] = {"never", "advise", NULL};

static const struct field private_fields[] = {
	FIELD_CHOICE("thp", struct private_params, thp, "never", private_thps,
		     "whether large folios are refused, or folios of the size of a PMD (2M) asked"),
	FIELD_END,
};

static bool private_wants_thp(const void *params)
{
	return ((const struct private_params *)params)->thp == PRIVATE_ADVISE;
}

static uint64_t private_page_bytes(const void *params)
{
	uint64_t pmd_bytes = private_wants_thp(params) ? thp_pmd_bytes("") : 0;

	return pmd_bytes ? pmd_bytes : memory_base_page_bytes();
}

static int private_probe(const void *params, uint64_t size_bytes, struct error *error)
{
	if (private_wants_thp(params) && thp_anon_pmd_state("", error) != THP_ON)
		return ERROR_CANNOT;
	return memory_available_check("", memory_round_up(size_bytes, private_page_bytes(params)),
				      error);
}

static void private_need(const void *params, uint64_t size_bytes, struct memory_need *ret)
{
	*ret = (struct memory_need){.kind = MEMORY_NEED_NOTHING};
}

static int private_map(const void *params, uint64_t size_bytes, struct mapping *ret,
		       struct error *error)
{
	uint64_t page_bytes = private_page_bytes(params);
	struct mapping mapping;
	int code = memory_map_aligned(-1, MAP_PRIVATE | MAP_ANONYMOUS,
				      memory_round_up(size_bytes, page_bytes), page_bytes, 0,
				      &mapping, error);

	if (code)
		return code;
	code = memory_advise(&mapping, private_wants_thp(params), error);
	if (code) {
		munmap(mapping.reserved, mapping.reserved_bytes);
		return code;
	}
	*ret = mapping;
	return 0;
}

const struct memory_ops memory_private = {
	.entry = {.name = "private",
		  .summary = "memory of one process, as malloc gives it; for threads only",
		  .fields = private_fields,
		  .params_size = sizeof(struct private_params)},
	.is_private = true,
	.probe = private_probe,
	.need = private_need,
	.page_bytes = private_page_bytes,
	.map = private_map,
};
