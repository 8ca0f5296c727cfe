/* SPDX-License-Identifier: MIT */
/* bench_step.c - what a step of the harness costs with no work in it: prints ns, the least of five
 * rounds. */
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "run/channel.h"
#include "run/crew.h"

static const struct op_class no_classes[] = {{.name = NULL}};

static int empty_setup(struct worker *worker, struct error *error)
{
	return 0;
}

static int empty_step(struct worker *worker)
{
	return 0;
}

static void empty_teardown(struct worker *worker)
{
}

static const struct workload_ops empty = {.entry = {.name = "empty", .summary = "no work"},
					  .classes = no_classes,
					  .setup = empty_setup,
					  .step = empty_step,
					  .teardown = empty_teardown};

/* ns a step of one worker, by its own clock; negative if it could not be measured. */
static double measure(void)
{
	struct workload_setup setup = {.workers = 1};
	struct crew_seat seat = {.ops = &empty, .setup = &setup, .label = "empty", .cpu = -1};
	struct channel *channel;
	struct crew *crew;
	double ns = -1;

	if (channel_open(1, &channel, NULL) < 0)
		return -1;
	if (crew_start(&seat, 1, channel, &crew, NULL) == 0) {
		const struct recorder *recorder = &channel->recorders[0];

		crew_enter(crew, PHASE_MEASURE);
		clock_sleep_until(clock_now_ns() + UINT64_C(200000000));
		crew_enter(crew, PHASE_DRAIN);
		crew_join(crew);
		if (recorder->step_count)
			ns = (double)(recorder->end_ns - recorder->begin_ns) /
			     (double)recorder->step_count;
	}
	channel_close(channel);
	return ns;
}

int main(void)
{
	double least_ns = -1;

	for (int round = 0; round < 5; round++) {
		double ns = measure();

		if (ns > 0 && (least_ns < 0 || ns < least_ns))
			least_ns = ns;
	}
	if (least_ns < 0)
		return 1;
	printf("%.2f\n", least_ns);
	return 0;
}
