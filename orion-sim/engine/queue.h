/* SPDX-License-Identifier: MIT */
/* queue.h - what the engines share among themselves; nobody else needs it. */
#ifndef ORION_ENGINE_QUEUE_H
#define ORION_ENGINE_QUEUE_H

#include <stddef.h>

#include "engine/engine.h"

extern const struct engine_ops engine_io_uring, engine_libaio, engine_sync, engine_null;

/* Zeroed, on cache lines of its own, for free(); null when there is no memory. */
void *queue_memory(size_t bytes);

/* The targets' fds in a row, for free(): a struct target is too big to walk for every I/O. */
int *queue_fds(const struct engine_setup *setup);

/* The power of two that holds depth entries. */
unsigned queue_ring_entries(unsigned depth);

/* A number behind "Name:" in /proc/self/status ("Seccomp", 10; "CapEff", 16); -ENOENT if absent. */
int queue_status(const char *name, int base, uint64_t *ret);

/* Help of the parameter that several engines have. */
#define QUEUE_NOWAIT_HELP                                                                          \
	"RWF_NOWAIT: an I/O that would block comes back EAGAIN, is counted as a retry and issued " \
	"again without it"

/* ERROR_CANNOT if a target's file system does not take RWF_NOWAIT. */
int queue_probe_nowait(const struct engine_setup *setup, struct error *error);

/* Lets others run for a moment before a refused call is tried again. */
void queue_pause(uint64_t ns);

#endif
