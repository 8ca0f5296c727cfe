/* SPDX-License-Identifier: MIT */
/* alloc.h - pages taken from the kernel and given back, as user space can. */
#ifndef ORION_WORKLOAD_ALLOC_H
#define ORION_WORKLOAD_ALLOC_H

#include <stdint.h>

#include "workload/workload.h"

enum alloc_page { ALLOC_BASE, ALLOC_HUGE };
enum alloc_class { ALLOC_CLASS_ALLOC, ALLOC_CLASS_RELEASE };

struct alloc_params {
	int page; /* enum alloc_page */
	uint64_t pages;
};

extern const struct workload_ops workload_alloc;

#endif
