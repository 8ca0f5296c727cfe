/* SPDX-License-Identifier: MIT */
/* clock.h - the one clock everything is timed with, and what reading it costs. */
#ifndef ORION_BASE_CLOCK_H
#define ORION_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in ns: in the vDSO on every kernel we meet, comparable between processes. */
static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Is there a time stamp counter to be read without the kernel? */
static inline bool clock_has_tsc(void)
{
#ifdef __x86_64__
	return true;
#else
	return false;
#endif
}

/* The CPU's time stamp counter, which ticks at a rate of its own; 0 where there is none. */
static inline uint64_t clock_tsc(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/* Mean cost of clock_now_ns() in ns over a short loop (some ms), the least of several rounds. */
double clock_cost_ns(void);

/* Sleeps until the deadline on that clock, resuming after signals. */
void clock_sleep_until(uint64_t deadline_ns);

/* One moment by two clocks: the one that everything is timed with, and one that nobody sets. */
struct clock_moment {
	uint64_t monotonic_ns, raw_ns;
};

struct clock_moment clock_moment_now(void);

/*
 * By how much the first clock went ahead of the other from one moment to a later one (behind:
 * negative); 0 for as little as adjusting its rate and reading both may explain.
 */
int64_t clock_step_ns(struct clock_moment begin, struct clock_moment end);

/* Wall-clock time as UTC "2026-11-30T16:04:59Z"; text holds 32 bytes. */
const char *clock_utc(char text[32]);

#endif
