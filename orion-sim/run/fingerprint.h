/* SPDX-License-Identifier: MIT */
/* fingerprint.h - the machine and its settings that figures depend on, as JSON. */
#ifndef ORION_RUN_FINGERPRINT_H
#define ORION_RUN_FINGERPRINT_H

#include <stddef.h>
#include <cjson/cJSON.h>

/*
 * Kernel, command line, CPUs, memory, THP and hugetlb settings, clocksource, governors, idle
 * states; what the machine does not tell is left out. Files that hold one setting, idle states and
 * mitigations are read below root, which is "" but in tests. Owned by the caller.
 */
cJSON *fingerprint_machine(const char *root);

/* Queue attributes of a block device by its /sys/block name: scheduler, max_segments,
 * max_sectors_kb … */
cJSON *fingerprint_device(const char *name);

/*
 * {"spectre_v2": "Retpolines; STIBP: disabled"}: state of every vulnerability of the CPU that the
 * kernel knows, without those that do not affect it and what else says no more. root is "" but in
 * tests. Owned by the caller.
 */
cJSON *fingerprint_mitigations(const char *root);

/*
 * This very program: compiler, what it was built with, and a hash over its machine code, which is
 * the same wherever the same sources are built alike. Returns text.
 */
const char *fingerprint_build(char *text, size_t size);

#endif
