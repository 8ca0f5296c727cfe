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

/* Who looks for work: nobody (system calls and interrupts), a thread of the kernel for submissions,
 * the caller for completions, the same after a sleep. */
enum ring_poll { RING_POLL_NONE, RING_POLL_SQPOLL, RING_POLL_IOPOLL, RING_POLL_HYBRID };

struct ring_setup {
	unsigned entries; /* a power of two; the completion queue holds as many */
	enum ring_poll poll;
	unsigned idle_ms; /* SQPOLL: how long its thread spins before it sleeps */
	int cpu;	  /* SQPOLL: where its thread runs, -1: anywhere */
};

/*
 * traits (size bytes) gets the names of the flags in force, and of those that were left out because
 * they do not go with SQPOLL. ERROR_CANNOT says what forbids it. io_uring_queue_exit closes.
 */
int ring_open(struct io_uring *ring, const struct ring_setup *setup, char *traits, size_t size,
	      struct error *error);

/*
 * Registers the region in chunks of RING_CHUNK_BYTES, chunk i being buffer i. ERROR_CANNOT names
 * RLIMIT_MEMLOCK or the kernel version that is missing.
 */
int ring_register_region(struct io_uring *ring, void *region, uint64_t bytes, struct error *error);

/* Whether region_bytes can be registered, as far as can be told without mapping them. */
int ring_probe_region(struct io_uring *ring, uint64_t bytes, struct error *error);

#endif
