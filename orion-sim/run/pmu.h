/* SPDX-License-Identifier: MIT */
/* pmu.h - hardware events of one thread, counted by the CPU itself. */
#ifndef ORION_RUN_PMU_H
#define ORION_RUN_PMU_H

#include <stdint.h>

#include "stats/result.h"

struct error;
struct perf_event_attr;

/* One group of counters: the kernel puts them on the PMU together or not at all. */
struct pmu {
	unsigned n; /* 0: none is open */
	int fds[EVENT_COUNT];
	enum event events[EVENT_COUNT];
};

/* What to ask perf_event_open(2) for. */
struct pmu_event {
	enum event event;
	uint32_t type;
	uint64_t config;
};

/* Opens one event of the calling thread: a descriptor, or negative errno. */
int pmu_open_event(struct perf_event_attr *attributes, int group_fd);

/*
 * Opens the events for the calling thread, user and kernel, and lets them count. The first must be
 * there, of the others those that are. ERROR_CANNOT with the reason and, if there is one, the
 * remedy.
 */
int pmu_open(struct pmu *ret, struct error *error);

/* The same with events and a way to open them that the caller brings. */
int pmu_open_events(struct pmu *ret, const struct pmu_event *events, unsigned n,
		    int (*open_event)(struct perf_event_attr *, int), struct error *error);

/* One bit for each event that is counted. */
uint32_t pmu_counted(const struct pmu *pmu);

/* All counters by one read(2), at one moment. enabled_ns 0 if that failed. */
void pmu_read(const struct pmu *pmu, struct events *ret);

/* Closes what is open, if anything. */
void pmu_close(struct pmu *pmu);

/*
 * Adds what a worker's two readings differ by. What was counted in part of the time, because the
 * PMU was shared by turns, is taken for all of it.
 */
void pmu_sum_up(const struct recorder *recorder, struct result_events *ret);

/* Can events be counted here: 0, or ERROR_CANNOT with the reason. */
int pmu_probe(struct error *error);

#endif
