/* SPDX-License-Identifier: MIT */
/* settings_numa_stat.c - whether the kernel counts on which node each page was allocated. */
#include <stdio.h>

#include "base/field.h"
#include "run/settings_parts.h"

struct numa_stat_params {
	uint64_t value;
};

static const struct field numa_stat_fields[] = {
	FIELD_COUNT("value", struct numa_stat_params, value, "0", 0, 1,
		    "0: numa_hit, numa_local and the like are not counted; 1: they are"),
	FIELD_END,
};

static const char *numa_stat_check(const void *params)
{
	return NULL;
}

static const char *numa_stat_path_of(const char *root, char *text, size_t size)
{
	snprintf(text, size, "%s/proc/sys/vm/numa_stat", root);
	return text;
}

static const char *numa_stat_path(const struct settings *settings, const struct change *change,
				  char *text, size_t size)
{
	return numa_stat_path_of(settings->place.root, text, size);
}

static void numa_stat_borrow(struct settings *settings, const void *params,
			     const struct memory_need *needs, unsigned n_needs, cJSON *notes)
{
	const struct numa_stat_params *own = params;

	settings_file_borrow(settings, &setting_numa_stat, own->value ? "1" : "0",
			     "boot a kernel built with CONFIG_NUMA", notes);
}

static void numa_stat_values(const char *root, cJSON *list)
{
	char path[512];

	settings_file_value(numa_stat_path_of(root, path, sizeof(path)), list);
}

const struct setting_ops setting_numa_stat = {
	.entry = {.name = "numa_stat",
		  .summary = "the kernel's NUMA counters on or off (vm.numa_stat), while we run",
		  .fields = numa_stat_fields,
		  .params_size = sizeof(struct numa_stat_params)},
	.check = numa_stat_check,
	.borrow = numa_stat_borrow,
	.give_back = settings_file_give_back,
	.path = numa_stat_path,
	.values = numa_stat_values,
};
