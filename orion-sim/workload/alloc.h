/* SPDX-License-Identifier: MIT */
/* alloc.h - pages taken from the kernel and given back, by user space and by the kernel. */
#ifndef ORION_WORKLOAD_ALLOC_H
#define ORION_WORKLOAD_ALLOC_H

#include <stdint.h>

#include "workload/workload.h"

enum alloc_mode { ALLOC_USER, ALLOC_KERNEL };
enum alloc_page { ALLOC_BASE, ALLOC_HUGE };
enum alloc_class { ALLOC_CLASS_ALLOC, ALLOC_CLASS_RELEASE };

struct alloc_params {
	int mode; /* enum alloc_mode */
	int page; /* enum alloc_page */
	uint64_t pages;
	uint64_t cpus;	   /* of mode kernel; 0: all */
	char debugfs[256]; /* the folder of orion_pagebench */
};

extern const struct workload_ops workload_alloc;

#endif
