/* SPDX-License-Identifier: MIT */
/* spawn.h - processes started and waited for, one loop after the other. */
#ifndef ORION_WORKLOAD_SPAWN_H
#define ORION_WORKLOAD_SPAWN_H

#include <stdint.h>

#include "workload/workload.h"

#define SPAWN_AT_ONCE_MAX 64

enum spawn_op {
	SPAWN_FORK,
	SPAWN_VFORK,
	SPAWN_POSIX_SPAWN,
	SPAWN_EXEC,
	SPAWN_SHELL,
	SPAWN_COMPILE,
	SPAWN_DC
};

/* What a loop is depends on the op, so that only one of them counts in a stream. */
enum spawn_class { SPAWN_CLASS_SPAWN, SPAWN_CLASS_EXEC, SPAWN_CLASS_SHELL, SPAWN_CLASS_PROGRAM };

struct spawn_params {
	int op; /* enum spawn_op */
	uint64_t at_once, chain;
	uint64_t ballast_bytes, dirty_bytes;
	int ballast_thp; /* as memory kind private names them */
	uint64_t limit_ns, errors_max;
	char path[256], folder[256];
};

extern const struct workload_ops workload_spawn;

#endif
