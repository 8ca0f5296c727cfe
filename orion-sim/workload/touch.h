/* SPDX-License-Identifier: MIT */
/* touch.h - what sessions of a database do to the SGA: cache lines of random pages. */
#ifndef ORION_WORKLOAD_TOUCH_H
#define ORION_WORKLOAD_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/workload.h"

enum touch_op { TOUCH_READ, TOUCH_WRITE };

struct touch_params {
	int op; /* enum touch_op */
	uint64_t batch;
	bool populate;
};

extern const struct workload_ops workload_touch;

#endif
