/* SPDX-License-Identifier: MIT */
/* tmpfs.c - a mounted tmpfs, what it is mounted with, and files in it. */
#include "memory/tmpfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/units.h"

/* Behind " - " come type, source and the options of the file system. */
const char *tmpfs_parse_huge(const char *line, char *word, size_t size)
{
	const char *options = strstr(line, " - ");
	size_t length = 0;

	for (unsigned spaces = 0; options && spaces < 4; spaces++) {
		options = strchr(options, ' ');
		options = options ? options + 1 : NULL;
	}
	while (options && strncmp(options, "huge=", 5) != 0) {
		options = strchr(options, ',');
		options = options ? options + 1 : NULL;
	}
	if (options)
		length = strcspn(options + 5, ", \n");
	snprintf(word, size, "%.*s", (int)length, options ? options + 5 : "");
	return word;
}

/* The line of the mount that an open folder lies on, by its mount id. */
static int find_mount(int fd, char **ret_line)
{
	CLEANUP(cleanup_fclose) FILE *file = fopen("/proc/self/mountinfo", "re");
	CLEANUP(cleanup_free) char *line = NULL;
	size_t line_size = 0;
	struct statx status;

	if (!file || statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) < 0 ||
	    !(status.stx_mask & STATX_MNT_ID))
		return -ENOENT;
	while (getline(&line, &line_size, file) >= 0) {
		if (strtoull(line, NULL, 10) != status.stx_mnt_id)
			continue;
		*ret_line = line;
		line = NULL;
		return 0;
	}
	return -ENOENT;
}

static int refuse(const char *folder, const char *reason, struct error *error)
{
	return error_set(error, ERROR_INPUT,
			 "dir: %s %s: name a folder on a tmpfs, made by mount -t tmpfs -o "
			 "huge=advise tmpfs FOLDER",
			 folder, reason);
}

int tmpfs_read(const char *folder, struct tmpfs *ret, struct error *error)
{
	CLEANUP(cleanup_close) int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP(cleanup_free) char *line = NULL;
	struct tmpfs tmpfs = {.free_bytes = UINT64_MAX};
	struct statfs status;

	if (fd < 0)
		return refuse(folder, strerror(errno), error);
	if (fstatfs(fd, &status) < 0)
		return error_set(error, -errno, "%s: statfs: %s", folder, strerror(errno));
	if ((uint32_t)status.f_type != TMPFS_MAGIC)
		return refuse(folder, "is on no tmpfs", error);
	if (status.f_blocks)
		tmpfs.free_bytes = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize;
	if (find_mount(fd, &line) == 0)
		tmpfs_parse_huge(line, tmpfs.huge, sizeof(tmpfs.huge));
	*ret = tmpfs;
	return 0;
}

int tmpfs_create(const char *folder, uint64_t size_bytes, char *path, size_t path_size, int *ret_fd,
		 struct error *error)
{
	CLEANUP(cleanup_close) int fd = -1;
	char text[32];

	snprintf(path, path_size, "%s/orion-sim-XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return error_set(error, errno == EACCES ? ERROR_CANNOT : -errno,
				 "no file can be made in %s: %s: name another dir, or run as a "
				 "user who may write it",
				 folder, strerror(errno));
	if (ftruncate(fd, (off_t)size_bytes) < 0) {
		int code = error_set(error, -errno, "no file of %s in %s: %s",
				     units_format_size(size_bytes, text), folder, strerror(errno));

		unlink(path);
		return code;
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}
