/* SPDX-License-Identifier: MIT */
/* warmup.h - the runner waits, round by round, until the workload has warmed up. */
#ifndef ORION_RUN_WARMUP_H
#define ORION_RUN_WARMUP_H

#include <stdbool.h>
#include <stdint.h>

struct channel;
struct crew_seat;
struct warmup_rule;

/* What the last rounds were like when the warm-up ended; nothing of a fixed time. */
struct warmup_found {
	unsigned rounds; /* 0: nothing was looked at */
	bool reached;
	double range_percent, slope_percent; /* as stats/steady.h; NAN where there is no limit */
};

/*
 * Runner's main thread, the gate just opened: sleeps until the rule says that it is enough, and
 * leaves in channel->warmup what it saw. Once a round it adds up what all workers have completed;
 * they neither wait for it nor notice. Seats are those of the channel's recorders. True if to end
 * early, as of channel_wait.
 */
bool warmup_wait(struct channel *channel, const struct warmup_rule *rule,
		 const struct crew_seat *seats);

/* Operations of all workers and classes in the warm-up so far. */
uint64_t warmup_count(const struct channel *channel, const struct crew_seat *seats);

#endif
