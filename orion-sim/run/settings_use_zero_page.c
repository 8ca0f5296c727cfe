/* SPDX-License-Identifier: MIT */
/* settings_use_zero_page.c - whether a huge page that is only read is one zero page for all. */
#include "base/field.h"
#include "memory/thp.h"
#include "run/settings_parts.h"

struct use_zero_page_params {
	uint64_t value;
};

static const struct field use_zero_page_fields[] = {
	FIELD_COUNT(
		"value", struct use_zero_page_params, value, "1", 0, 1,
		"1: reads of untouched memory share one huge zero page; 0: each takes a huge page"),
	FIELD_END,
};

static const char *use_zero_page_check(const void *params)
{
	return NULL;
}

static const char *use_zero_page_path_of(const char *root, char *text, size_t size)
{
	return thp_path(root, 0, "use_zero_page", text, size);
}

static const char *use_zero_page_path(const struct settings *settings, const struct change *change,
				      char *text, size_t size)
{
	return use_zero_page_path_of(settings->place.root, text, size);
}

static void use_zero_page_borrow(struct settings *settings, const void *params,
				 const struct memory_need *needs, unsigned n_needs, cJSON *notes)
{
	const struct use_zero_page_params *own = params;

	settings_file_borrow(settings, &setting_use_zero_page, own->value ? "1" : "0",
			     "boot a kernel built with CONFIG_TRANSPARENT_HUGEPAGE", notes);
}

static void use_zero_page_values(const char *root, cJSON *list)
{
	char path[512];

	settings_file_value(use_zero_page_path_of(root, path, sizeof(path)), list);
}

const struct setting_ops setting_use_zero_page = {
	.entry = {.name = "use_zero_page",
		  .summary = "the huge zero page on or off, while we run",
		  .fields = use_zero_page_fields,
		  .params_size = sizeof(struct use_zero_page_params)},
	.check = use_zero_page_check,
	.borrow = use_zero_page_borrow,
	.give_back = settings_file_give_back,
	.path = use_zero_page_path,
	.values = use_zero_page_values,
};
