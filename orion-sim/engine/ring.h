/* SPDX-License-Identifier: MIT */
/* ring.h - setting up an io_uring: the best flags this kernel takes, files and buffers registered.
 */
#ifndef ORION_ENGINE_RING_H
#define ORION_ENGINE_RING_H

#include <liburing.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define RING_ENTRIES_MAX 32768

/* The kernel takes no more than this in one registered buffer. */
#define RING_CHUNK_SHIFT 30
#define RING_CHUNK_BYTES (1ull << RING_CHUNK_SHIFT)

/*
 * A ring whose completion queue holds entries (a power of two) as well. traits (size bytes) gets
 * the names of the flags in force. ERROR_CANNOT says what forbids it. io_uring_queue_exit closes.
 */
int ring_open(struct io_uring *ring, unsigned entries, char *traits, size_t size,
	      struct error *error);

/*
 * Registers the region in chunks of RING_CHUNK_BYTES, chunk i being buffer i. ERROR_CANNOT names
 * RLIMIT_MEMLOCK or the kernel version that is missing.
 */
int ring_register_region(struct io_uring *ring, void *region, uint64_t bytes, struct error *error);

/* Whether region_bytes can be registered, as far as can be told without mapping them. */
int ring_probe_region(struct io_uring *ring, uint64_t bytes, struct error *error);

#endif
