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
	struct error own = {0};
	pid_t pid = 0;
	int code;

	if (!settings)
		return error_set(error, -ENOMEM, "no memory for settings");
	code = settings_journal_peek(settings, &pid, &own);
	if (!code || code == -ENOENT) {
		*ret = settings_describe(settings);
		*ret_pid = pid;
		code = 0;
	} else if (error) {
		*error = own;
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

static int settings_probe_value(const cJSON *item, struct error *error)
{
	const char *path = cJSON_GetStringValue(cJSON_GetObjectItem(item, "path"));
	const char *why_not = cJSON_GetStringValue(cJSON_GetObjectItem(item, "why_not"));

	if (!why_not)
		return 0;
	return error_set(error, ERROR_CANNOT, "%s cannot be written: %s: %s", path, why_not,
			 geteuid() ? "run as root" : "run outside of this container");
}

static int settings_probe_journal(struct error *error)
{
	cJSON *borrowed = NULL;
	pid_t pid = 0;
	int code;

	if (access("/run", W_OK))
		return error_set(error, ERROR_CANNOT,
				 "/run cannot be written, where borrowed settings are noted: %s",
				 strerror(errno));
	code = settings_borrowed(&borrowed, &pid, error);
	cJSON_Delete(borrowed);
	if (!code && pid)
		return error_set(error, ERROR_CANNOT,
				 "another orion-sim (pid %d) has borrowed settings of this "
				 "machine: wait until it has ended",
				 pid);
	return code ? ERROR_CANNOT : 0;
}

int settings_probe(const struct entry *setting, struct error *error)
{
	cJSON *values = settings_values(setting);
	int code = 0;
	const cJSON *item;

	if (!cJSON_GetArraySize(values))
		code = error_set(error, ERROR_CANNOT, "this kernel has no such setting");
	cJSON_ArrayForEach (item, values)
		if (!code)
			code = settings_probe_value(item, error);
	cJSON_Delete(values);
	return code ? code : settings_probe_journal(error);
}
