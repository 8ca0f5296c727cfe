/* SPDX-License-Identifier: MIT */
/* target.c - opens a file or device for direct reads and learns what it asks of them. */
#include "engine/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/units.h"
#include "engine/devices.h"

/* From the kernel's statx interface; Debian 12's headers do not have the newer one. */
#define DIO_ALIGN	   0x00002000u
#define DIO_READ_ALIGN	   0x00020000u
#define DIO_MEM_AT	   0x98
#define DIO_OFFSET_AT	   0x9c
#define DIO_READ_OFFSET_AT 0xb4
#define BLOCK_FALLBACK	   4096u
#define BLOCK_FALLBACK_MAX 65536u
#define BUFFER_ALIGN_LEAST 4096u

void target_model(struct target *ret, uint64_t size_bytes)
{
	*ret = (struct target){
		.path = "model",
		.fd = -1,
		.size_bytes = size_bytes,
		.memory_align_bytes = 1,
		.offset_align_bytes = 1,
		.align_source = "model",
		.file_system = "none",
	};
}

static int too_many_open(const char *path, struct error *error)
{
	char limit[32];

	return error_set(error, ERROR_CANNOT,
			 "%s: cannot be opened: RLIMIT_NOFILE allows no more than %s open files; "
			 "raise it with ulimit -n",
			 path, limits_word(RLIMIT_NOFILE, 0, limit));
}

/* The sentence for a path that cannot even be looked up. */
static int lookup_failed(const char *path, int code, struct error *error)
{
	if (code == -ENOENT && device_is_name(path))
		return device_missing(path, error);
	if (code == -EMFILE)
		return too_many_open(path, error);
	if (code == -ENOENT)
		return error_set(error, ERROR_INPUT,
				 "%s: no such file; write one with: orion-sim prepare %s --size 4g",
				 path, path);
	return error_set(error, ERROR_INPUT, "%s: cannot be opened: %s", path, strerror(-code));
}

static int check_type(const char *path, int fd, const struct stat *status, struct error *error)
{
	char link[32], real[PATH_MAX] = "";
	const char *kind = "no file and no block device";

	if (S_ISBLK(status->st_mode))
		return 0;
	if (S_ISREG(status->st_mode)) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		if (readlink(link, real, sizeof(real) - 1) > 0 && device_is_name(real))
			return error_set(error, ERROR_INPUT,
					 "%s: a regular file where devices are, left by something "
					 "that wrote to a mistyped name; name the device (lsblk "
					 "shows them)",
					 path);
		return mount_check(fd, path, error);
	}
	if (S_ISDIR(status->st_mode))
		kind = "a directory";
	else if (S_ISCHR(status->st_mode))
		kind = "a character device";
	else if (S_ISFIFO(status->st_mode))
		kind = "a pipe";
	return error_set(error, ERROR_INPUT, "%s: is %s; name a file or a block device", path,
			 kind);
}

/* Looks the path up without opening it: opening some devices does something. */
static int open_path(const char *path, struct stat *status, int *ret_fd, struct error *error)
{
	CLEANUP(cleanup_close) int fd = open(path, O_PATH | O_CLOEXEC);
	int code;

	if (fd < 0)
		return lookup_failed(path, -errno, error);
	if (fstat(fd, status) < 0)
		return lookup_failed(path, -errno, error);
	code = check_type(path, fd, status, error);
	if (code)
		return code;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int refuse_direct(const struct target *target, const char *how, struct error *error)
{
	return error_set(error, ERROR_INPUT,
			 "%s: O_DIRECT is refused here (%s, %s); use a file on ext4, xfs or btrfs, "
			 "or a block device",
			 target->path, target->file_system, how);
}

static int open_direct(struct target *target, int path_fd, struct error *error)
{
	char link[32];
	int code;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	target->fd = open(link, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOCTTY);
	if (target->fd >= 0)
		return 0;
	code = -errno;
	if (code == -EMFILE)
		return too_many_open(target->path, error);
	if (code == -EINVAL)
		return refuse_direct(target, "open: Invalid argument", error);
	if (code == -EACCES || code == -EPERM)
		return error_set(error, ERROR_INPUT,
				 "%s: may not be read by this user (%s); run as root or give this "
				 "user read permission",
				 target->path, strerror(-code));
	return error_set(error, code == -EIO ? ERROR_IO : ERROR_INPUT, "%s: cannot be opened: %s",
			 target->path, strerror(-code));
}

static int read_size(struct target *target, struct error *error)
{
	struct stat status;

	if (target->is_block) {
		if (ioctl(target->fd, BLKGETSIZE64, &target->size_bytes) < 0)
			return error_set(error, -errno, "%s: BLKGETSIZE64: %s", target->path,
					 strerror(errno));
	} else {
		if (fstat(target->fd, &status) < 0)
			return error_set(error, -errno, "%s: stat: %s", target->path,
					 strerror(errno));
		target->size_bytes = (uint64_t)status.st_size;
	}
	if (target->size_bytes)
		return 0;
	if (target->is_block)
		return error_set(error, ERROR_INPUT,
				 "%s: has length 0, there is no medium in it; name another device",
				 target->path);
	return error_set(error, ERROR_INPUT,
			 "%s: has length 0; remove it and write it with: orion-sim prepare %s "
			 "--size 4g",
			 target->path, target->path);
}

static uint32_t statx_word(const struct statx *status, size_t at)
{
	uint32_t word;

	memcpy(&word, (const char *)status + at, sizeof(word));
	return word;
}

static void set_alignment(struct target *target, uint32_t memory, uint32_t offset,
			  const char *source)
{
	target->offset_align_bytes = offset;
	target->memory_align_bytes = memory ? memory : offset;
	snprintf(target->align_source, sizeof(target->align_source), "%s", source);
}

static uint32_t file_system_block(int fd)
{
	struct statfs status;
	uint64_t block;

	if (fstatfs(fd, &status) < 0)
		return BLOCK_FALLBACK;
	block = (uint64_t)status.f_bsize;
	/* Network file systems give their transfer size here. */
	if (block < 512 || block > BLOCK_FALLBACK_MAX || (block & (block - 1)))
		return BLOCK_FALLBACK;
	return (uint32_t)block;
}

static int read_alignment(struct target *target, struct error *error)
{
	struct statx status;
	uint32_t block;
	int sector;

	if (statx(target->fd, "", AT_EMPTY_PATH, DIO_ALIGN | DIO_READ_ALIGN, &status) == 0 &&
	    (status.stx_mask & DIO_ALIGN)) {
		uint32_t offset = statx_word(&status, DIO_OFFSET_AT);

		/* The open succeeds all the same, and reads are then served from the page cache. */
		if (!offset)
			return refuse_direct(target, "statx: no direct I/O for this file", error);
		if ((status.stx_mask & DIO_READ_ALIGN) && statx_word(&status, DIO_READ_OFFSET_AT))
			offset = statx_word(&status, DIO_READ_OFFSET_AT);
		set_alignment(target, statx_word(&status, DIO_MEM_AT), offset, "statx");
		return 0;
	}
	if (target->is_block && ioctl(target->fd, BLKSSZGET, &sector) == 0 && sector > 0) {
		set_alignment(target, (uint32_t)sector, (uint32_t)sector, "BLKSSZGET");
		return 0;
	}
	block = file_system_block(target->fd);
	set_alignment(target, block, block, "file system block");
	return 0;
}

/* Some file systems take O_DIRECT at open and refuse it at the first read. */
static int probe_read(const struct target *target, struct error *error)
{
	CLEANUP(cleanup_free) void *buffer = NULL;
	uint32_t align = target->memory_align_bytes;
	char how[96];
	ssize_t n;

	if (align < BUFFER_ALIGN_LEAST)
		align = BUFFER_ALIGN_LEAST;
	if (posix_memalign(&buffer, align, target->offset_align_bytes))
		return error_set(error, -ENOMEM, "%s: no memory for a probe read", target->path);
	do
		n = pread(target->fd, buffer, target->offset_align_bytes, 0);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return 0;
	if (n == 0)
		return error_set(error, ERROR_INPUT,
				 "%s: claims %llu bytes, but a read at offset 0 gives none; name a "
				 "file on a disk or a block device",
				 target->path, (unsigned long long)target->size_bytes);
	if (errno != EINVAL && errno != EOPNOTSUPP)
		return error_set(error, ERROR_IO, "%s: read of %u bytes at offset 0: %s",
				 target->path, target->offset_align_bytes, strerror(errno));
	snprintf(how, sizeof(how), "read of %u bytes at offset 0: %s", target->offset_align_bytes,
		 strerror(errno));
	return refuse_direct(target, how, error);
}

static int examine(struct target *target, int path_fd, struct error *error)
{
	struct mount mount;
	int code;

	if (target->is_block)
		snprintf(target->file_system, sizeof(target->file_system), "block device");
	else if (mount_find(path_fd, &mount) == 0)
		snprintf(target->file_system, sizeof(target->file_system), "%s", mount.type);
	else
		snprintf(target->file_system, sizeof(target->file_system), "unknown file system");
	code = open_direct(target, path_fd, error);
	if (!code)
		code = read_size(target, error);
	if (!code)
		code = read_alignment(target, error);
	if (!code)
		code = probe_read(target, error);
	return code;
}

int target_open(const char *path, struct target *ret, struct error *error)
{
	CLEANUP(cleanup_close) int path_fd = -1;
	struct target target = {.fd = -1};
	struct stat status = {0};
	int code;

	if ((size_t)snprintf(target.path, sizeof(target.path), "%s", path) >= sizeof(target.path))
		return error_set(error, ERROR_INPUT,
				 "%.64s…: the path has more than %zu characters; use a shorter one",
				 path, sizeof(target.path) - 1);
	code = open_path(path, &status, &path_fd, error);
	if (code)
		return code;
	target.is_block = S_ISBLK(status.st_mode);
	target.device = target.is_block ? status.st_rdev : status.st_dev;
	code = examine(&target, path_fd, error);
	if (code) {
		target_close(&target);
		return code;
	}
	*ret = target;
	return 0;
}

void target_close(struct target *target)
{
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
}

static int check_multiple(const struct target *target, const char *what, uint64_t value,
			  struct error *error)
{
	char text[32], need[32];

	if (value % target->offset_align_bytes == 0)
		return 0;
	return error_set(error, ERROR_INPUT,
			 "%s: %s %s is not a multiple of %s, which this %s needs (told by %s)",
			 target->path, what, units_format_size(value, text),
			 units_format_size(target->offset_align_bytes, need),
			 target->is_block ? "device" : "file", target->align_source);
}

int target_check_alignment(const struct target *target, uint64_t offset_bytes,
			   uint64_t length_bytes, uint64_t block_bytes, struct error *error)
{
	uint64_t end = target->size_bytes, space;
	char block[32], offset[32], size[32], length[32];
	int code;

	units_format_size(block_bytes, block);
	units_format_size(offset_bytes, offset);
	units_format_size(length_bytes, length);
	units_format_size(end, size);
	if (!block_bytes)
		return error_set(error, ERROR_INPUT, "%s: block is 0; give at least %u",
				 target->path, target->offset_align_bytes);
	code = check_multiple(target, "block", block_bytes, error);
	if (!code)
		code = check_multiple(target, "offset", offset_bytes, error);
	if (code)
		return code;
	if (offset_bytes >= end)
		return error_set(error, ERROR_INPUT,
				 "%s: offset %s is behind the end, the target has %s", target->path,
				 offset, size);
	space = end - offset_bytes;
	if (length_bytes > space)
		return error_set(error, ERROR_INPUT,
				 "%s: offset %s and length %s reach behind the end, the target has "
				 "%s; give a length of at most %llu, or 0 for all",
				 target->path, offset, length, size, (unsigned long long)space);
	if (length_bytes)
		space = length_bytes;
	if (block_bytes > space)
		return error_set(error, ERROR_INPUT,
				 "%s: no block of %s fits in %llu bytes from offset %s on, the "
				 "target has %s; give a smaller block or a larger target",
				 target->path, block, (unsigned long long)space, offset, size);
	return 0;
}
