/* SPDX-License-Identifier: MIT */
/* io.h - direct reads at a fixed depth, random or sequential. */
#ifndef ORION_WORKLOAD_IO_H
#define ORION_WORKLOAD_IO_H

#include <stdint.h>

#include "workload/workload.h"

enum io_class { IO_CLASS_READ, IO_CLASS_WRITE };

struct io_params {
	uint64_t block_bytes;
	uint64_t depth, batch, reap_min;
	int pattern;			     /* enum pattern_kind */
	int buffers;			     /* enum frames_order */
	uint64_t offset_bytes, length_bytes; /* range of every target; length 0: to its end */
	uint64_t retries_max, errors_max;
};

extern const struct workload_ops workload_io;

#endif
