/* SPDX-License-Identifier: MIT */
/* fault.h - first touches: every page of a region without pages, again and again. */
#ifndef ORION_WORKLOAD_FAULT_H
#define ORION_WORKLOAD_FAULT_H

#include <stdint.h>

#include "workload/workload.h"

enum fault_op { FAULT_WRITE, FAULT_READ };
enum fault_order { FAULT_SEQUENTIAL, FAULT_STRIDED };
enum fault_renew { FAULT_RENEW_AUTO, FAULT_RENEW_MAP, FAULT_RENEW_DROP };

enum fault_class { FAULT_CLASS_PAGE, FAULT_CLASS_ROUND, FAULT_CLASS_MAP };

struct fault_params {
	int op;	   /* enum fault_op */
	int order; /* enum fault_order */
	uint64_t stride_bytes;
	uint64_t batch;
	int renew; /* enum fault_renew */
	uint64_t discard;
};

extern const struct workload_ops workload_fault;

#endif
