/* SPDX-License-Identifier: MIT */
/* ring_poll.h - what must be true of kernel and devices before a ring can poll. */
#ifndef ORION_ENGINE_RING_POLL_H
#define ORION_ENGINE_RING_POLL_H

#include <stdbool.h>

struct engine_setup;
struct error;
struct io_uring;
struct ring_setup;
struct target;

/*
 * ERROR_CANNOT where an open ring of that set-up would not do: with IOPOLL, a device below a target
 * that has no queue to be polled; with SQPOLL, files that are not registered and must be.
 */
int ring_poll_check(const struct io_uring *ring, const struct ring_setup *setup,
		    const struct engine_setup *engine, bool registered_files, struct error *error);

/* The second part of it, for one target; root: "" for the machine, else a test's directory. */
int ring_poll_check_target(const char *root, const struct target *target, struct error *error);

#endif
