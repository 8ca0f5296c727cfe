/* SPDX-License-Identifier: MIT */
/* installed.c - what is installed with the program for itself alone, and where it is. */
#include "base/installed.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* Tests lie this deep in a build. */
#define LEVELS_MAX 6

static bool folder_is_ours(const char *path, uid_t owner)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
	       (status.st_uid == 0 || status.st_uid == owner) && !(status.st_mode & S_IWOTH);
}

/* base/libexec/orion-sim/name, if that is a folder of ours. */
static bool folder_below(const char *base, const char *name, uid_t owner,
			 char path[INSTALLED_PATH_BYTES])
{
	char whole[2 * INSTALLED_PATH_BYTES];
	int length = snprintf(whole, sizeof(whole), "%s/libexec/orion-sim/%s", base, name);

	if (length >= INSTALLED_PATH_BYTES || !folder_is_ours(whole, owner))
		return false;
	memcpy(path, whole, (size_t)length + 1);
	return true;
}

int installed_find(const char *name, char path[INSTALLED_PATH_BYTES], struct error *error)
{
	char at[INSTALLED_PATH_BYTES];
	ssize_t length = readlink("/proc/self/exe", at, sizeof(at) - 1);
	struct stat program = {.st_uid = 0};

	if (length > 0) {
		at[length] = '\0';
		stat(at, &program);
		for (unsigned level = 0; level < LEVELS_MAX && strrchr(at, '/'); level++) {
			*strrchr(at, '/') = '\0';
			if (folder_below(at, name, program.st_uid, path))
				return 0;
		}
	}
	if (snprintf(path, INSTALLED_PATH_BYTES, "%s/%s", ORION_LIBEXEC_DIR, name) <
		    INSTALLED_PATH_BYTES &&
	    folder_is_ours(path, program.st_uid))
		return 0;
	return error_set(error, -ENOENT,
			 "there is no folder libexec/orion-sim/%s of ours above the program, nor "
			 "in " ORION_LIBEXEC_DIR ": install the program with it (cmake --install)",
			 name);
}
