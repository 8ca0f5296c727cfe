/* SPDX-License-Identifier: MIT */
/* sysfile.h - small files of /proc and /sys: read, write, pick a word. */
#ifndef ORION_BASE_SYSFILE_H
#define ORION_BASE_SYSFILE_H

#include <stddef.h>
#include <stdint.h>

struct error;

/*
 * Reads a whole small file into text (at most size - 1 bytes, NUL-terminated, trailing newline
 * cut; the rest of a longer file is left out). 0, or negative errno with a sentence that names the
 * file. error may be null.
 */
int sysfile_read(const char *path, char *text, size_t size, struct error *error);

/* Reads a file that holds one number; -EBADMSG where it holds anything else. */
int sysfile_read_u64(const char *path, uint64_t *ret, struct error *error);

/*
 * Writes text in one write(2). Never creates a file. The errno is the kernel's: an -EINVAL means
 * that the file does not take this value, not ERROR_INPUT.
 */
int sysfile_write(const char *path, const char *text, struct error *error);

/* "always inherit [never]" -> "never"; text without brackets is copied whole. */
void sysfile_bracketed(const char *text, char *word, size_t size);

/* Value in bytes of a "Name:   123 kB" line (/proc/meminfo, smaps); -ENOENT if absent. */
int sysfile_field_kb(const char *text, const char *name, uint64_t *ret_bytes);

#endif
