/* SPDX-License-Identifier: MIT */
/* zeropage.h - reads of private memory that nobody has written: the zero page, huge or not. */
#ifndef ORION_WORKLOAD_ZEROPAGE_H
#define ORION_WORKLOAD_ZEROPAGE_H

#include <stdint.h>

#include "workload/workload.h"

enum zeropage_source { ZEROPAGE_ANONYMOUS, ZEROPAGE_DEV_ZERO };
enum zeropage_thp { ZEROPAGE_ADVISE, ZEROPAGE_NEVER };
enum zeropage_class { ZEROPAGE_CLASS_FAULT, ZEROPAGE_CLASS_MAP, ZEROPAGE_CLASS_FREE };

struct zeropage_params {
	uint64_t size_bytes, step_bytes;
	int source; /* enum zeropage_source */
	int thp;    /* enum zeropage_thp */
	uint64_t batch;
};

extern const struct workload_ops workload_zeropage;

#endif
