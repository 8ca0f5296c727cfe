/* SPDX-License-Identifier: MIT */
/* clock.c - the one clock everything is timed with, and what reading it costs. */
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>

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

const char *clock_utc(char text[32])
{
	time_t now = time(NULL);
	struct tm utc;

	if (!gmtime_r(&now, &utc) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc))
		snprintf(text, 32, "1970-01-01T00:00:00Z");
	return text;
}
