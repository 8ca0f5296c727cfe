/* SPDX-License-Identifier: MIT */
/* engine.h - a queue of requests to the kernel, the same for every interface it offers. */
#ifndef ORION_ENGINE_ENGINE_H
#define ORION_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/catalog.h"

struct error;
struct target;

enum request_op { REQUEST_READ, REQUEST_WRITE };

/*
 * One I/O. The worker owns it, lends it (with its buffer) to the engine by submit, and has it back
 * by reap. Engines read the first five members and write only result. With nowait they read
 * retries, too: RWF_NOWAIT goes only with a request that was not refused for it before.
 */
struct request {
	void *buffer;
	uint64_t offset_bytes;
	uint32_t length_bytes;
	uint32_t target;       /* index into engine_setup.targets */
	uint32_t op;	       /* enum request_op */
	int32_t result;	       /* bytes transferred, or -errno */
	uint32_t done_bytes;   /* worker's: transferred by earlier parts of a short transfer */
	uint32_t retries;      /* worker's: times re-issued after EAGAIN */
	uint32_t frame;	       /* worker's: which buffer of the region */
	uint64_t intended_ns;  /* when it was due; equals submitted_ns in a closed loop */
	uint64_t submitted_ns; /* when its batch was handed to submit */
	uint64_t completed_ns; /* when its batch was reaped */
};

struct engine_setup {
	const struct target *targets; /* borrowed for the queue's life; fds open */
	unsigned n_targets;
	unsigned depth; /* most requests in flight */
	unsigned batch; /* most requests a submit call */
	void *region;	/* buffers come from here */
	uint64_t region_bytes;
	unsigned queues; /* how many such queues the whole point opens (limits are machine-wide) */
};

struct engine_ops;

struct queue {
	const struct engine_ops *ops;
	const void *params;	   /* borrowed */
	struct engine_setup setup; /* copied */
	void *private_data;	   /* the engine's, owned by it */
	char traits[160]; /* what is in force: "DEFER_TASKRUN SINGLE_ISSUER registered files" */
};

struct engine_ops {
	struct entry entry;
	/*
	 * Can a queue like this be had here, and if not, why: ERROR_CANNOT with the limit's name,
	 * value, need and the command ("io_uring is off: kernel.io_uring_disabled=2; sysctl
	 * kernel.io_uring_disabled=0"). setup->targets may be null. Leaves nothing open.
	 */
	int (*probe)(const void *params, const struct engine_setup *setup, struct error *error);
	/* Modelled size in bytes of a target that has no file; null for engines that need files. */
	uint64_t (*model_target_bytes)(const void *params);
	/* How many there are; null for one. */
	unsigned (*model_targets)(const void *params);
	/*
	 * In the thread that will use it (SINGLE_ISSUER, ring fds). Registers files and buffers,
	 * allocates all it will ever need. Leaves nothing open on failure.
	 */
	int (*open)(struct queue *queue, struct error *error);
	/*
	 * Takes up to n requests in order and returns how many (short if the queue or the kernel is
	 * full, also 0; the rest stays the caller's), or negative errno when nothing can be taken
	 * any more. EINTR and short submits are continued inside. May hold them back until reap
	 * waits (one system call for both). Never allocates.
	 */
	int (*submit)(struct queue *queue, struct request **requests, unsigned n);
	/*
	 * Gives back between min and max finished requests in done and returns how many. min 0 does
	 * not wait, but submits what was held back. min is at most the number in flight. EINTR is
	 * retried. Negative errno on failure. Never allocates.
	 */
	int (*reap)(struct queue *queue, struct request **done, unsigned min, unsigned max);
	/* Waits for whatever is in flight, then releases. */
	void (*close)(struct queue *queue);
};

extern const struct catalog engine_catalog;
const struct engine_ops *engine_ops_of(const struct choice *engine);

/* Fills queue from the choice and opens it. */
int queue_open(struct queue *queue, const struct choice *engine, const struct engine_setup *setup,
	       struct error *error);

#endif
