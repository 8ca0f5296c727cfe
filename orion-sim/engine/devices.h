/* SPDX-License-Identifier: MIT */
/* devices.h - mounts and block devices as the kernel names them. */
#ifndef ORION_ENGINE_DEVICES_H
#define ORION_ENGINE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

struct error;

struct mount {
	char type[32];	  /* "ext4" */
	char source[256]; /* "/dev/vda", "server:/export" */
};

/*
 * The mount that an open file lies on, by its mount id in /proc/self/mountinfo. 0, or -ENOENT where
 * that is not told (another mount namespace).
 */
int mount_find(int fd, struct mount *ret);

/*
 * ERROR_INPUT if fd (a file or folder, O_PATH will do) is on a file system where O_DIRECT does not
 * reach a disk: tmpfs, ramfs, overlay. path is used in messages.
 */
int mount_check(int fd, const char *path, struct error *error);

/* Is that a name where only devices are expected? /dev/shm is not. */
bool device_is_name(const char *path);

/* ERROR_INPUT, "PATH: no such device (there are: vda, vdb)"; for a path under /dev. */
int device_missing(const char *path, struct error *error);

#endif
