/* SPDX-License-Identifier: MIT */
/* target.h - a file or block device that I/O goes to, and the guard in front of it. */
#ifndef ORION_ENGINE_TARGET_H
#define ORION_ENGINE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

#define TARGET_DEVICES_MAX 16

struct target {
	char path[512]; /* as the user named it */
	int fd;		/* O_DIRECT; O_RDONLY unless opened for writing; -1 when closed */
	bool is_block;
	uint64_t size_bytes;
	uint32_t memory_align_bytes; /* what O_DIRECT asks of buffers */
	uint32_t offset_align_bytes; /* what O_DIRECT asks of offsets and lengths (of reads) */
	char align_source[32];	     /* "statx", "BLKSSZGET", "file system block" */
	char file_system[32];	     /* "ext4", "block device" */
	dev_t device;		     /* st_rdev of a block device, else st_dev */
};

/* For the null engine and tests: no file behind it, fd -1. */
void target_model(struct target *ret, uint64_t size_bytes);

/*
 * Opens for direct reads and asks the kernel for size and alignment. ERROR_INPUT, with a sentence
 * that names the remedy, for: no such file (a path under /dev that is missing or is no device too),
 * directory, other file types, length 0, tmpfs, ramfs, overlay (by f_type), a file system that
 * refuses O_DIRECT (open, or a probe read at offset 0 that gives EINVAL). Follows symlinks
 * (reading). Never writes. target_close afterwards; ret is untouched on failure.
 */
int target_open(const char *path, struct target *ret, struct error *error);
void target_close(struct target *target);

/*
 * Block, offset and step must be multiples of offset_align_bytes, the range inside the size:
 * ERROR_INPUT with the value needed ("…: block 512 is not a multiple of 4096, which this device
 * needs").
 */
int target_check_alignment(const struct target *target, uint64_t offset_bytes,
			   uint64_t length_bytes, uint64_t block_bytes, struct error *error);

/*
 * Refuses a range that is not really written: holes and unwritten extents by FIEMAP with SYNC;
 * where FIEMAP is unsupported (block devices, some file systems), 64 samples spread over the range
 * are read and all zero is the same refusal. ERROR_INPUT names the first such place, how much of
 * the range it is, and the remedy (orion-sim prepare, or allow_unwritten). unwritten_bytes (may be
 * null) gets the amount found, also when allowed.
 */
int target_check_written(const struct target *target, uint64_t offset_bytes, uint64_t length_bytes,
			 bool allow_unwritten, uint64_t *ret_unwritten_bytes, struct error *error);

/*
 * Names of the block devices below a target as in /sys/block ("nvme0n1", "vda"): partitions resolve
 * to their disk, dm and md to their slaves. Returns how many (at most TARGET_DEVICES_MAX), 0 if
 * unknown.
 */
int target_devices(const struct target *target, char names[][32]);

#endif
