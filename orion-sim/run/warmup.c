/* SPDX-License-Identifier: MIT */
/* warmup.c - the runner waits, round by round, until the workload has warmed up. */
#include "run/warmup.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "plan/warmup.h"
#include "run/channel.h"
#include "run/crew.h"
#include "stats/steady.h"

/* Rates of the last rounds, the latest one last. */
struct rounds {
	unsigned n;
	double rates[WARMUP_WINDOW_MAX];
	uint64_t seen_ns, seen_ops; /* at the end of the last one */
};

/*
 * A count of the tallies, by where it is in one. Only classes that there are: others have no memory
 * yet, and reading would give them some.
 */
static uint64_t count_sum(const struct channel *channel, const struct crew_seat *seats,
			  size_t offset)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < channel->n_recorders; i++) {
		const struct op_class *classes = seats[i].ops->classes;

		for (unsigned c = 0; classes[c].name; c++) {
			const struct tally *tally =
				&channel->recorders[i].classes[c].tally[PHASE_WARMUP];

			sum += __atomic_load_n(
				(const uint64_t *)(const void *)((const char *)tally + offset),
				__ATOMIC_RELAXED);
		}
	}
	return sum;
}

uint64_t warmup_count(const struct channel *channel, const struct crew_seat *seats)
{
	return count_sum(channel, seats, offsetof(struct tally, ops));
}

static void rounds_add(struct rounds *rounds, unsigned window, uint64_t now_ns, uint64_t ops)
{
	double duration_s = (double)(now_ns - rounds->seen_ns) / 1e9;

	if (rounds->n == window)
		memmove(rounds->rates, rounds->rates + 1, --rounds->n * sizeof(*rounds->rates));
	rounds->rates[rounds->n++] = (double)(ops - rounds->seen_ops) / duration_s;
	rounds->seen_ns = now_ns;
	rounds->seen_ops = ops;
}

static void found_set(struct warmup_found *found, const struct steady *steady,
		      const struct steady_rule *rule)
{
	found->rounds++;
	found->reached = steady->reached;
	found->range_percent = steady->range_percent;
	found->slope_percent = isinf(rule->slope_percent) ? NAN : steady->slope_percent;
}

static void found_moved(struct warmup_found *found, bool reached)
{
	found->rounds++;
	found->reached = reached;
	found->range_percent = NAN;
	found->slope_percent = NAN;
}

bool warmup_wait(struct channel *channel, const struct warmup_rule *rule,
		 const struct crew_seat *seats)
{
	const struct steady_rule steady_rule = {.window = rule->window,
						.range_percent = rule->range_percent,
						.slope_percent = rule->slope_percent};
	struct warmup_found *found = &channel->warmup;
	struct rounds rounds = {.seen_ns = clock_now_ns()};

	for (unsigned i = 0; i < rule->rounds_max && !found->reached; i++) {
		struct steady steady;

		/* From the end of the last one: where the runner was late, none is cut short. */
		if (channel_wait(channel, rounds.seen_ns + rule->round_ns))
			return true;
		if (rule->bytes) {
			rounds.seen_ns += rule->round_ns;
			found_moved(found, count_sum(channel, seats,
						     offsetof(struct tally, bytes)) >= rule->bytes);
		}
		if (rule->window == 0)
			continue;
		rounds_add(&rounds, rule->window, clock_now_ns(), warmup_count(channel, seats));
		steady = steady_judge(&steady_rule, rounds.rates, rounds.n);
		found_set(found, &steady, &steady_rule);
	}
	return false;
}
