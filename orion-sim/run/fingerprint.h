/* SPDX-License-Identifier: MIT */
/* fingerprint.h - the machine and its settings that figures depend on, as JSON. */
#ifndef ORION_RUN_FINGERPRINT_H
#define ORION_RUN_FINGERPRINT_H

#include <cjson/cJSON.h>

/* kernel, command line, CPUs, memory, THP and hugetlb settings, clocksource, libraries; owned by
 * the caller. */
cJSON *fingerprint_machine(void);

/* Queue attributes of a block device by its /sys/block name: scheduler, max_segments,
 * max_sectors_kb … */
cJSON *fingerprint_device(const char *name);

#endif
