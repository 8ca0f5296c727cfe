/* SPDX-License-Identifier: MIT */
/* settings_thp_enabled.c - whether private memory gets large folios. */
#include "base/field.h"
#include "memory/thp.h"
#include "run/settings_parts.h"

struct thp_enabled_params {
	int value;
};

static const char *const thp_enabled_words[] = {"always", "madvise", "never", NULL};

static const struct field thp_enabled_fields[] = {
	FIELD_CHOICE("value", struct thp_enabled_params, value, "madvise", thp_enabled_words,
		     "who gets them: all, those who ask, nobody"),
	FIELD_END,
};

static const char *thp_enabled_check(const void *params)
{
	return NULL;
}

static const char *thp_enabled_path_of(const char *root, char *text, size_t size)
{
	return thp_path(root, 0, "enabled", text, size);
}

static const char *thp_enabled_path(const struct settings *settings, const struct change *change,
				    char *text, size_t size)
{
	return thp_enabled_path_of(settings->place.root, text, size);
}

static void thp_enabled_borrow(struct settings *settings, const void *params,
			       const struct memory_need *needs, unsigned n_needs, cJSON *notes)
{
	const struct thp_enabled_params *own = params;

	settings_file_borrow(settings, &setting_thp_enabled, thp_enabled_words[own->value],
			     "boot a kernel built with CONFIG_TRANSPARENT_HUGEPAGE", notes);
}

static void thp_enabled_values(const char *root, cJSON *list)
{
	char path[512];

	settings_file_value(thp_enabled_path_of(root, path, sizeof(path)), list);
}

const struct setting_ops setting_thp_enabled = {
	.entry = {.name = "thp_enabled",
		  .summary = "large folios of private memory, while we run",
		  .fields = thp_enabled_fields,
		  .params_size = sizeof(struct thp_enabled_params)},
	.check = thp_enabled_check,
	.borrow = thp_enabled_borrow,
	.give_back = settings_file_give_back,
	.path = thp_enabled_path,
	.values = thp_enabled_values,
};
