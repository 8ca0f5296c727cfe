/* SPDX-License-Identifier: MIT */
/* limits.h - what the process and its control groups may have, in numbers and in words. */
#ifndef ORION_BASE_LIMITS_H
#define ORION_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

struct error;

#define LIMITS_NONE UINT64_MAX

/* A limit of a control group, and the file that it stands in. */
struct limits_cgroup {
	char path[512];
	uint64_t value;
};

/* The soft limit in force (RLIMIT_…), LIMITS_NONE if there is none. */
uint64_t limits_soft(int resource);

/* The same as "64K" (bytes true) or "20"; "unlimited". text holds 32 bytes. */
const char *limits_word(int resource, int bytes, char text[32]);

/*
 * The least limit on memory or on processes over this process's control group and those above it,
 * version 1 or 2. root is "" but in tests. -ENOENT if there is none.
 */
int limits_memory(const char *root, struct limits_cgroup *ret);
int limits_processes(const char *root, struct limits_cgroup *ret);

/*
 * Sees to it that count files can be open at once, raising the soft limit if that is enough.
 * ERROR_CANNOT: the hard limit is in the way; what says what they are for.
 */
int limits_raise_files(uint64_t count, const char *what, struct error *error);

/*
 * Puts behind a sentence about a process or thread that the kernel did not start which limits are
 * in force, and how to raise them. Returns the sentence's code.
 */
int limits_explain_start(struct error *error);

#endif
