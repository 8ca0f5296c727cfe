/* SPDX-License-Identifier: MIT */
/* clock.c - the one clock everything is timed with, and what reading it costs. */
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>

/* The kernel adjusts the rate of CLOCK_MONOTONIC by half a thousandth at most. */
#define SLEW_SHARE 1000

/* A process may lose its CPU between reading one clock and the other. */
#define READING_NS 50000000

enum {
	COST_ROUNDS = 16,
	COST_READINGS = 10000,
};

double clock_cost_ns(void)
{
	uint64_t least_ns = UINT64_MAX;

	for (int round = 0; round < COST_ROUNDS; round++) {
		uint64_t start_ns = clock_now_ns(), end_ns = start_ns;

		for (int i = 0; i < COST_READINGS; i++)
			end_ns = clock_now_ns();
		if (end_ns - start_ns < least_ns)
			least_ns = end_ns - start_ns;
	}
	return (double)least_ns / COST_READINGS;
}

void clock_sleep_until(uint64_t deadline_ns)
{
	struct timespec deadline = {
		.tv_sec = (time_t)(deadline_ns / 1000000000u),
		.tv_nsec = (long)(deadline_ns % 1000000000u),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR)
		;
}

struct clock_moment clock_moment_now(void)
{
	struct timespec raw;

	clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
	return (struct clock_moment){.monotonic_ns = clock_now_ns(),
				     .raw_ns = (uint64_t)raw.tv_sec * 1000000000u +
					       (uint64_t)raw.tv_nsec};
}

int64_t clock_step_ns(struct clock_moment begin, struct clock_moment end)
{
	int64_t monotonic_ns = (int64_t)(end.monotonic_ns - begin.monotonic_ns);
	int64_t raw_ns = (int64_t)(end.raw_ns - begin.raw_ns);
	int64_t step_ns = monotonic_ns - raw_ns;
	int64_t allowed_ns = READING_NS + raw_ns / SLEW_SHARE;

	return step_ns > allowed_ns || step_ns < -allowed_ns ? step_ns : 0;
}

const char *clock_utc(char text[32])
{
	time_t now = time(NULL);
	struct tm utc;

	if (!gmtime_r(&now, &utc) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc))
		snprintf(text, 32, "1970-01-01T00:00:00Z");
	return text;
}
