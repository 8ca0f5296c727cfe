/* SPDX-License-Identifier: MIT */
/* pmu.c - hardware events of one thread, counted by the CPU itself. */
#include "run/pmu.h"

#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"

#define PARANOID_PATH "/proc/sys/kernel/perf_event_paranoid"

static const struct pmu_event pmu_events[] = {
	{EVENT_CYCLES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{EVENT_INSTRUCTIONS, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{EVENT_DTLB_MISSES, PERF_TYPE_HW_CACHE,
	 PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_READ << 8 |
		 PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
};

#define PMU_EVENTS (sizeof(pmu_events) / sizeof(*pmu_events))

int pmu_open_event(struct perf_event_attr *attributes, int group_fd)
{
	long fd = syscall(SYS_perf_event_open, attributes, 0, -1, group_fd, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int pmu_refusal(int code, struct error *error)
{
	char paranoid[32] = "not there";

	switch (-code) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return error_set(error, ERROR_CANNOT,
				 "the CPU shows no counters of hardware events (perf_event_open: "
				 "%s); a virtual machine has them if its host lends them",
				 strerror(-code));
	case EACCES:
	case EPERM:
		sysfile_read(PARANOID_PATH, paranoid, sizeof(paranoid), NULL);
		return error_set(error, ERROR_CANNOT,
				 "counting events of user and kernel is not allowed "
				 "(perf_event_open: %s; kernel.perf_event_paranoid is %s): as "
				 "root: sysctl kernel.perf_event_paranoid=1",
				 strerror(-code), paranoid);
	default:
		return error_set(error, ERROR_CANNOT,
				 "hardware events cannot be counted (perf_event_open: %s)",
				 strerror(-code));
	}
}

int pmu_open_events(struct pmu *ret, const struct pmu_event *events, unsigned n,
		    int (*open_event)(struct perf_event_attr *, int), struct error *error)
{
	struct pmu pmu = {.n = 0};

	for (unsigned i = 0; i < n; i++) {
		struct perf_event_attr attributes = {.size = sizeof(attributes),
						     .type = events[i].type,
						     .config = events[i].config,
						     .disabled = pmu.n == 0,
						     .exclude_hv = 1,
						     .read_format = PERF_FORMAT_GROUP |
								    PERF_FORMAT_TOTAL_TIME_ENABLED |
								    PERF_FORMAT_TOTAL_TIME_RUNNING};
		int fd = open_event(&attributes, pmu.n ? pmu.fds[0] : -1);

		if (fd < 0 && i == 0)
			return pmu_refusal(fd, error);
		if (fd < 0)
			continue;
		pmu.events[pmu.n] = events[i].event;
		pmu.fds[pmu.n++] = fd;
	}
	/* All at once: who joins a group that counts already would wait for the next switch. */
	if (ioctl(pmu.fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) < 0) {
		int code = -errno;

		pmu_close(&pmu);
		return pmu_refusal(code, error);
	}
	*ret = pmu;
	return 0;
}

int pmu_open(struct pmu *ret, struct error *error)
{
	return pmu_open_events(ret, pmu_events, PMU_EVENTS, pmu_open_event, error);
}

uint32_t pmu_counted(const struct pmu *pmu)
{
	uint32_t counted = 0;

	for (unsigned i = 0; i < pmu->n; i++)
		counted |= UINT32_C(1) << pmu->events[i];
	return counted;
}

void pmu_read(const struct pmu *pmu, struct events *ret)
{
	/* As perf_event_open(2) lays out a group: in the order in which they were opened. */
	struct {
		uint64_t n, enabled_ns, running_ns;
		uint64_t counts[EVENT_COUNT];
	} group = {0};
	ssize_t size = pmu->n ? read(pmu->fds[0], &group, sizeof(group)) : -1;

	*ret = (struct events){0};
	if (size < (ssize_t)((3 + pmu->n) * sizeof(uint64_t)))
		return;
	ret->enabled_ns = group.enabled_ns;
	ret->running_ns = group.running_ns;
	for (unsigned i = 0; i < pmu->n; i++)
		ret->counts[pmu->events[i]] = group.counts[i];
}

void pmu_close(struct pmu *pmu)
{
	while (pmu->n > 0)
		close(pmu->fds[--pmu->n]);
}

void pmu_sum_up(const struct recorder *recorder, struct result_events *ret)
{
	const struct events *begin = &recorder->events[0], *end = &recorder->events[1];
	double enabled_ns = (double)(end->enabled_ns - begin->enabled_ns);
	double running_ns = (double)(end->running_ns - begin->running_ns);
	double *const sums[EVENT_COUNT] = {&ret->cycles, &ret->instructions, &ret->dtlb_misses};

	if (!recorder->events_counted || begin->enabled_ns == 0 || end->enabled_ns == 0 ||
	    running_ns <= 0)
		return;
	ret->workers++;
	ret->enabled_s += enabled_ns / 1e9;
	ret->running_s += running_ns / 1e9;
	for (unsigned e = 0; e < EVENT_COUNT; e++) {
		double count = (double)(end->counts[e] - begin->counts[e]);

		*sums[e] += recorder->events_counted & UINT32_C(1) << e
				    ? count * enabled_ns / running_ns
				    : NAN;
	}
}

int pmu_probe(struct error *error)
{
	struct pmu pmu;
	int status = pmu_open(&pmu, error);

	if (status == 0)
		pmu_close(&pmu);
	return status;
}
