/* SPDX-License-Identifier: MIT */
/* limits.c - what the process and its control groups may have, in numbers and in words. */
#include "base/limits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "base/units.h"

#define CGROUP_FOLDER "/sys/fs/cgroup"
/* Version 1 says "no limit" by a number just below 2^63. */
#define CGROUP_NONE (UINT64_C(1) << 62)

/* A controller's file in either version. */
struct cgroup_file {
	const char *controller, *v1, *v2;
};

uint64_t limits_soft(int resource)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};

	getrlimit((__rlimit_resource_t)resource, &limit);
	return limit.rlim_cur == RLIM_INFINITY ? LIMITS_NONE : limit.rlim_cur;
}

const char *limits_word(int resource, int bytes, char text[32])
{
	uint64_t value = limits_soft(resource);

	if (value == LIMITS_NONE)
		snprintf(text, 32, "unlimited");
	else if (bytes)
		units_format_amount(value, text);
	else
		snprintf(text, 32, "%llu", (unsigned long long)value);
	return text;
}

/* "max", or a file that is not there, leaves what was found. */
static void cgroup_take(const char *path, struct limits_cgroup *least)
{
	uint64_t value;

	if (sysfile_read_u64(path, &value, NULL) || value >= CGROUP_NONE || value >= least->value)
		return;
	snprintf(least->path, sizeof(least->path), "%s", path);
	least->value = value;
}

/* From the group up to the root; in a container the path may be one of outside: then the root. */
static void cgroup_walk(const char *folder, char *group, const char *file,
			struct limits_cgroup *least)
{
	char path[512];
	char *slash;

	do {
		snprintf(path, sizeof(path), "%s%s/%s", folder, group, file);
		cgroup_take(path, least);
		slash = strrchr(group, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
}

static bool cgroup_lists(const char *controllers, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = controllers; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, length) == 0 && (at[length] == ',' || !at[length]))
			return true;
	}
	return false;
}

/* One line of /proc/self/cgroup: "4:memory:/group", or "0::/group" for version 2. */
static void cgroup_read_line(const char *root, char *line, const struct cgroup_file *file,
			     struct limits_cgroup *least)
{
	char *controllers = strchr(line, ':'), *group;
	char folder[128];

	if (!controllers)
		return;
	group = strchr(++controllers, ':');
	if (!group)
		return;
	*group++ = '\0';
	if (*group == '/' && !group[1])
		*group = '\0';
	if (!*controllers) {
		snprintf(folder, sizeof(folder), "%s" CGROUP_FOLDER "/unified", root);
		if (access(folder, F_OK))
			snprintf(folder, sizeof(folder), "%s" CGROUP_FOLDER, root);
		cgroup_walk(folder, group, file->v2, least);
	} else if (cgroup_lists(controllers, file->controller)) {
		snprintf(folder, sizeof(folder), "%s" CGROUP_FOLDER "/%s", root, file->controller);
		cgroup_walk(folder, group, file->v1, least);
	}
}

static int cgroup_least(const char *root, const struct cgroup_file *file, struct limits_cgroup *ret)
{
	struct limits_cgroup least = {.value = LIMITS_NONE};
	char path[128], text[4096], *save = NULL;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	if (sysfile_read(path, text, sizeof(text), NULL))
		return -ENOENT;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		cgroup_read_line(root, line, file, &least);
	if (least.value == LIMITS_NONE)
		return -ENOENT;
	*ret = least;
	return 0;
}

int limits_memory(const char *root, struct limits_cgroup *ret)
{
	static const struct cgroup_file file = {"memory", "memory.limit_in_bytes", "memory.max"};

	return cgroup_least(root, &file, ret);
}

int limits_processes(const char *root, struct limits_cgroup *ret)
{
	static const struct cgroup_file file = {"pids", "pids.max", "pids.max"};

	return cgroup_least(root, &file, ret);
}

int limits_raise_files(uint64_t count, const char *what, struct error *error)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= count)
		return 0;
	limit.rlim_cur = limit.rlim_max < count ? limit.rlim_max : count;
	if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= count)
		return 0;
	return error_set(error, ERROR_CANNOT,
			 "%s need %llu open files, and RLIMIT_NOFILE allows %llu: as root: "
			 "ulimit -n %llu",
			 what, (unsigned long long)count, (unsigned long long)limit.rlim_max,
			 (unsigned long long)count);
}

int limits_explain_start(struct error *error)
{
	struct limits_cgroup group;
	char text[32];
	int code = error->code;

	if (limits_soft(RLIMIT_NPROC) != LIMITS_NONE && getuid() != 0)
		code = error_append(error,
				    "; RLIMIT_NPROC is %s for all that this user runs: "
				    "ulimit -u unlimited",
				    limits_word(RLIMIT_NPROC, 0, text));
	if (limits_soft(RLIMIT_AS) != LIMITS_NONE)
		code = error_append(error, "; RLIMIT_AS is %s: ulimit -v unlimited",
				    limits_word(RLIMIT_AS, 1, text));
	if (limits_processes("", &group) == 0)
		code = error_append(error,
				    "; the control group may have %llu processes and threads: "
				    "echo max > %s",
				    (unsigned long long)group.value, group.path);
	return code;
}
