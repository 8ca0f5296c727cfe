/* SPDX-License-Identifier: MIT */
/* kinds.h - the memory kinds and what they share; for this room only. */
#ifndef ORION_MEMORY_KINDS_H
#define ORION_MEMORY_KINDS_H

#include <stdint.h>
#include <unistd.h>

#include "memory/memory.h"

extern const struct memory_ops memory_base, memory_mthp, memory_hugetlb, memory_thp, memory_private;

static inline uint64_t memory_base_page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* step must not be 0. */
static inline uint64_t memory_round_up(uint64_t bytes, uint64_t step)
{
	return (bytes + step - 1) / step * step;
}

static inline bool memory_is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* ERROR_CANNOT if MemAvailable (of root's /proc/meminfo, "" for the machine) is below bytes. */
int memory_available_check(const char *root, uint64_t bytes, struct error *error);

#endif
