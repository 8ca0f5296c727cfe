/* SPDX-License-Identifier: MIT */
/* devices.c - from an open file to its mount and to the disks below it. */
#include "engine/devices.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "engine/target.h"

#define STACK_DEPTH_MAX 16 /* dm over md over partition …: deeper is a loop */

/* A space in a mount's source is written as \040. */
static void unescape_octal(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		unsigned code;

		if (sscanf(from, "\\%3o", &code) == 1) {
			*to = (char)code;
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = 0;
}

int mount_find(int fd, struct mount *ret)
{
	CLEANUP(cleanup_fclose) FILE *file = NULL;
	CLEANUP(cleanup_free) char *line = NULL;
	size_t line_size = 0;
	struct statx status;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) < 0 ||
	    !(status.stx_mask & STATX_MNT_ID))
		return -ENOENT;
	file = fopen("/proc/self/mountinfo", "re");
	if (!file)
		return -ENOENT;
	while (getline(&line, &line_size, file) >= 0) {
		const char *tail = strstr(line, " - ");
		struct mount mount;

		if (!tail || strtoull(line, NULL, 10) != status.stx_mnt_id)
			continue;
		if (sscanf(tail, " - %31s %255s", mount.type, mount.source) != 2)
			return -ENOENT;
		unescape_octal(mount.source);
		*ret = mount;
		return 0;
	}
	return -ENOENT;
}

int mount_check(int fd, const char *path, struct error *error)
{
	struct statfs status;
	const char *name;

	if (fstatfs(fd, &status) < 0)
		return error_set(error, -errno, "%s: statfs: %s", path, strerror(errno));
	switch ((uint32_t)status.f_type) {
	case TMPFS_MAGIC:
		name = "tmpfs";
		break;
	case RAMFS_MAGIC:
		name = "ramfs";
		break;
	case OVERLAYFS_SUPER_MAGIC:
		return error_set(
			error, ERROR_INPUT,
			"%s: is on overlay (a container's own file system), where O_DIRECT "
			"means nothing; use a file on a mounted volume or a block device",
			path);
	default:
		return 0;
	}
	return error_set(error, ERROR_INPUT,
			 "%s: is on %s, which is memory and no disk; use a file on a disk's file "
			 "system or a block device",
			 path, name);
}

static int has_medium(const struct dirent *entry)
{
	char path[sizeof("/sys/block//size") + NAME_MAX];
	uint64_t sectors;

	if (entry->d_name[0] == '.')
		return 0;
	snprintf(path, sizeof(path), "/sys/block/%s/size", entry->d_name);
	return sysfile_read_u64(path, &sectors, NULL) == 0 && sectors > 0;
}

bool device_is_name(const char *path)
{
	return !strncmp(path, "/dev/", 5) && strncmp(path, "/dev/shm/", 9) != 0;
}

int device_missing(const char *path, struct error *error)
{
	struct dirent **entries = NULL;
	char names[256] = "none";
	size_t used = 0;
	int n = scandir("/sys/block", &entries, has_medium, versionsort);

	for (int i = 0; i < n; i++) {
		if (used + 40 < sizeof(names))
			used += (size_t)snprintf(names + used, 40, "%s%.32s", used ? ", " : "",
						 entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return error_set(error, ERROR_INPUT, "%s: no such device (there are: %s; lsblk shows them)",
			 path, names);
}

struct device_list {
	char (*names)[32];
	int n;
};

static void list_add(struct device_list *list, const char *name)
{
	for (int i = 0; i < list->n; i++)
		if (!strcmp(list->names[i], name))
			return;
	if (list->n < TARGET_DEVICES_MAX)
		snprintf(list->names[list->n++], 32, "%.31s", name);
}

static void list_resolve(struct device_list *list, const char *sys_path, int depth);

/* Resolves every link in a folder; returns how many there are. */
static int list_resolve_folder(struct device_list *list, const char *folder, int depth)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir))) {
		char path[PATH_MAX];

		if (entry->d_name[0] == '.')
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) <
		    sizeof(path))
			list_resolve(list, path, depth + 1);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Adds the disks below a device, given as any path to its folder in sysfs. */
static void list_resolve(struct device_list *list, const char *sys_path, int depth)
{
	CLEANUP(cleanup_free) char *real = realpath(sys_path, NULL);
	char path[PATH_MAX];
	char *slash;

	if (!real || depth > STACK_DEPTH_MAX)
		return;
	snprintf(path, sizeof(path), "%s/partition", real);
	slash = strrchr(real, '/');
	if (access(path, F_OK) == 0 && slash) {
		*slash = 0;
		slash = strrchr(real, '/');
	}
	snprintf(path, sizeof(path), "%s/slaves", real);
	if (list_resolve_folder(list, path, depth) == 0 && slash)
		list_add(list, slash + 1);
}

/* btrfs over several devices names only one of them as its mount's source. */
static bool list_resolve_btrfs(struct device_list *list, const char *source)
{
	const char *name = strrchr(source, '/') + 1;
	DIR *dir = opendir("/sys/fs/btrfs");
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		char folder[PATH_MAX], path[PATH_MAX + NAME_MAX];

		snprintf(folder, sizeof(folder), "/sys/fs/btrfs/%s/devices", entry->d_name);
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		if (entry->d_name[0] != '.' && access(path, F_OK) == 0)
			found = list_resolve_folder(list, folder, 0) > 0;
	}
	if (dir)
		closedir(dir);
	return found;
}

static void list_resolve_number(struct device_list *list, dev_t device)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device), minor(device));
	list_resolve(list, path, 0);
}

int target_devices(const struct target *target, char names[][32])
{
	struct device_list list = {.names = names};
	struct mount mount;
	struct stat status;

	if (target->fd < 0)
		return 0;
	if (major(target->device) != 0) {
		list_resolve_number(&list, target->device);
		return list.n;
	}
	/* An anonymous device number: the mount's source is the best that can be had. */
	if (mount_find(target->fd, &mount) != 0 || strncmp(mount.source, "/dev/", 5) != 0 ||
	    stat(mount.source, &status) != 0 || !S_ISBLK(status.st_mode))
		return 0;
	if (strcmp(mount.type, "btrfs") != 0 || !list_resolve_btrfs(&list, mount.source))
		list_resolve_number(&list, status.st_rdev);
	return list.n;
}
