/* SPDX-License-Identifier: MIT */
/* scratch.h - files, loop devices and mounts for a test, gone when it ends however it ends. */
#ifndef TESTS_UNIT_ENGINE_SCRATCH_H
#define TESTS_UNIT_ENGINE_SCRATCH_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/random.h"

#define UNUSED __attribute__((unused))
#define MIB    ((uint64_t)1 << 20)

struct scratch {
	char name[32];	 /* of the folder, in folder home */
	int home;	 /* where the test was started */
	bool is_disk;	 /* O_DIRECT reaches a disk here */
	bool is_private; /* mounts made here are seen by nobody else and end with the process */
};

static struct scratch scratch;

#define SKIP_UNLESS(condition, reason)                                                             \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			print_message("skipped: %s\n", reason);                                    \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

#define SKIP_UNLESS_DISK()                                                                         \
	SKIP_UNLESS(scratch.is_disk, "the build folder is on tmpfs or overlay, not on a disk")
#define SKIP_UNLESS_PRIVATE()                                                                      \
	SKIP_UNLESS(scratch.is_private, "mounts and loop devices need root (CAP_SYS_ADMIN)")

/* Group setup: a folder of its own in the build folder becomes the current one. */
UNUSED static int scratch_enter(void **state)
{
	struct statfs status;

	snprintf(scratch.name, sizeof(scratch.name), "scratch-XXXXXX");
	scratch.home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (scratch.home < 0 || !mkdtemp(scratch.name) || chmod(scratch.name, 0755) ||
	    chdir(scratch.name))
		return -1;
	scratch.is_disk = statfs(".", &status) == 0 && (uint32_t)status.f_type != TMPFS_MAGIC &&
			  (uint32_t)status.f_type != OVERLAYFS_SUPER_MAGIC;
	scratch.is_private = geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
			     mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
	return 0;
}

/* Runs a tool found in PATH, its output thrown away; true if it ended well. */
UNUSED static bool scratch_run(const char *const *argv)
{
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, (char **)(uintptr_t)argv, environ) == 0)
		waitpid(pid, &status, 0);
	posix_spawn_file_actions_destroy(&actions);
	return status == 0;
}

UNUSED static int scratch_leave(void **state)
{
	const char *argv[] = {"rm", "-rf", "--one-file-system", scratch.name, NULL};

	if (fchdir(scratch.home))
		return -1;
	return scratch_run(argv) ? 0 : -1;
}

/* A sparse file of that size. */
UNUSED static void scratch_sparse(const char *name, uint64_t size_bytes)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size_bytes), 0);
	close(fd);
}

/* Writes random bytes through the page cache, the file is made if missing. */
UNUSED static void scratch_write(const char *name, uint64_t offset_bytes, uint64_t length_bytes)
{
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char *buffer = malloc(length_bytes);
	struct random random;

	assert_true(fd >= 0 && buffer);
	random_seed(&random, 7, offset_bytes);
	random_fill(&random, buffer, length_bytes);
	assert_int_equal(pwrite(fd, buffer, length_bytes, (off_t)offset_bytes), length_bytes);
	free(buffer);
	close(fd);
}

/* FNV-1a of the whole file, 0 if it cannot be read. */
UNUSED static uint64_t scratch_hash(const char *name)
{
	FILE *file = fopen(name, "re");
	uint64_t hash = 0xcbf29ce484222325u;
	int byte;

	if (!file)
		return 0;
	while ((byte = getc(file)) != EOF)
		hash = (hash ^ (unsigned char)byte) * 0x100000001b3u;
	fclose(file);
	return hash;
}

/* Attaches file to a free loop device; it is detached when the returned fd (and a mount) is gone.
 */
UNUSED static int scratch_loop(const char *file, uint32_t block_bytes, uint32_t flags,
			       char device[32])
{
	struct loop_config config = {
		.block_size = block_bytes,
		.info = {.lo_flags = LO_FLAGS_AUTOCLEAR | flags},
	};
	int backing = open(file, O_RDWR | O_CLOEXEC);
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int fd = -1;

	config.fd = (uint32_t)backing;
	/* Another test may take the free one first. */
	for (int tries = 0; backing >= 0 && control >= 0 && fd < 0 && tries < 100; tries++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE);

		snprintf(device, 32, "/dev/loop%d", number);
		fd = number < 0 ? -1 : open(device, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &config) < 0) {
			close(fd);
			fd = -1;
			usleep(1000);
		}
	}
	if (backing >= 0)
		close(backing);
	if (control >= 0)
		close(control);
	return fd;
}

/*
 * Makes a file system in a sparse file and mounts it at folder NAME; false where the tool or the
 * kernel lacks it. It goes with scratch_unmount.
 */
UNUSED static bool scratch_mount(const char *name, const char *mkfs, const char *type,
				 uint64_t size_bytes, const char *options)
{
	const char *argv[] = {mkfs, NULL, NULL};
	char image[64], device[32];
	bool good;
	int fd;

	snprintf(image, sizeof(image), "%s.img", name);
	scratch_sparse(image, size_bytes);
	fd = scratch_loop(image, 512, 0, device);
	if (fd < 0)
		return false;
	argv[1] = device;
	good = scratch_run(argv) && mkdir(name, 0755) == 0 &&
	       mount(device, name, type, 0, options) == 0;
	close(fd);
	if (!good) {
		rmdir(name);
		unlink(image);
	}
	return good;
}

UNUSED static void scratch_unmount(const char *name)
{
	char image[64];

	snprintf(image, sizeof(image), "%s.img", name);
	assert_int_equal(umount2(name, MNT_DETACH), 0);
	rmdir(name);
	unlink(image);
}

/* The call was refused as the user's input, by a sentence with that word in it. */
#define ASSERT_REFUSED(call, error, word)                                                          \
	do {                                                                                       \
		(error)->text[0] = 0;                                                              \
		assert_int_equal(call, ERROR_INPUT);                                               \
		if (!strstr((error)->text, word))                                                  \
			fail_msg("no '%s' in: %s", word, (error)->text);                           \
	} while (0)

#endif
