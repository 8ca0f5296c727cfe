/* SPDX-License-Identifier: MIT */
/* settings_show.c - what could be borrowed, and what is borrowed now; nothing is changed here. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "run/settings_parts.h"

static int compare_sizes(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

unsigned settings_sizes(const char *folder, uint64_t sizes[SETTINGS_SIZES_MAX])
{
	DIR *directory = opendir(folder);
	const struct dirent *file;
	unsigned n = 0;

	while (directory && n < SETTINGS_SIZES_MAX && (file = readdir(directory))) {
		unsigned long long size_kb;

		if (sscanf(file->d_name, "hugepages-%llukB", &size_kb) == 1)
			sizes[n++] = size_kb << 10;
	}
	if (directory)
		closedir(directory);
	qsort(sizes, n, sizeof(*sizes), compare_sizes);
	return n;
}

/* Opening for writing changes nothing in /proc and /sys, and asks all that writing would. */
void settings_add_value(cJSON *list, const char *path, const char *value)
{
	CLEANUP(cleanup_close) int fd = open(path, O_WRONLY | O_CLOEXEC);
	int code = errno;
	cJSON *item = cJSON_CreateObject();

	cJSON_AddStringToObject(item, "path", path);
	cJSON_AddStringToObject(item, "value", value);
	if (fd < 0)
		cJSON_AddStringToObject(item, "why_not", strerror(code));
	cJSON_AddItemToArray(list, item);
}

cJSON *settings_values_at(const char *root, const struct entry *setting)
{
	cJSON *list = cJSON_CreateArray();

	settings_ops_of(setting)->values(root, list);
	return list;
}

cJSON *settings_values(const struct entry *setting)
{
	return settings_values_at("", setting);
}

int settings_borrowed_at(const struct settings_place *place, cJSON **ret, pid_t *ret_pid,
			 struct error *error)
{
	struct settings *settings = settings_new(place);
	pid_t pid = 0;
	int code;

	if (!settings)
		return error_set(error, -ENOMEM, "no memory for settings");
	code = settings_journal_peek(settings, &pid, error);
	if (!code || code == -ENOENT) {
		*ret = settings_describe(settings);
		*ret_pid = pid;
		code = 0;
	}
	settings_free(settings);
	return code;
}

int settings_borrowed(cJSON **ret, pid_t *ret_pid, struct error *error)
{
	const int node = 0;
	const struct settings_place place = {.root = "", .nodes = &node, .write = sysfile_write};

	return settings_borrowed_at(&place, ret, ret_pid, error);
}
