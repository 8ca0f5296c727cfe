/* SPDX-License-Identifier: MIT */
/* record.h - what a runner left in its channel becomes a repeat of the result. */
#ifndef ORION_RUN_RECORD_H
#define ORION_RUN_RECORD_H

#include "stats/result.h"

struct channel;
struct counters;
struct run_point;
struct watch;

/*
 * Fills ret from the channel and what was watched; wait_status as of waitpid. The repeat is ok only
 * if the runner went all its way, no worker failed and no signal ended it; else the reason says
 * what happened, and the figures stand as far as they go. -ENOMEM.
 */
int record_repeat(const struct run_point *point, const struct channel *channel, struct watch *watch,
		  const struct counters *counters, int wait_status, struct result_repeat *ret);

#endif
