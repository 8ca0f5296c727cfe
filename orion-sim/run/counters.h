/* SPDX-License-Identifier: MIT */
/* counters.h - counters of the kernel read before and after the measure phase. */
#ifndef ORION_RUN_COUNTERS_H
#define ORION_RUN_COUNTERS_H

#include <stdint.h>

#include "run/counter_sources.h"
#include "stats/result.h"

struct error;

#define COUNTERS_DEVICES_MAX 16

/* Files are opened beforehand; reading is pread into buffers that exist already: no allocation. */
struct counters {
	int stat_fd;
	unsigned n_devices;
	char devices[COUNTERS_DEVICES_MAX][32];
	int device_fds[COUNTERS_DEVICES_MAX];
	struct counter_files files; /* what is asked for by name; none once it is opened */
};

struct counters_sample {
	char stat[1024];
	char device[COUNTERS_DEVICES_MAX][256];
	char text[COUNTER_TEXT_BYTES]; /* of the files */
};

int counters_open(struct counters *counters, char devices[][32], unsigned n_devices,
		  struct error *error);
void counters_read(const struct counters *counters, struct counters_sample *ret);
void counters_close(struct counters *counters);

/* Differences. devices holds counters->n_devices entries. */
void counters_subtract(const struct counters *counters, const struct counters_sample *begin,
		       const struct counters_sample *end, struct result_cpu *ret_cpu,
		       struct result_device *ret_devices);

#endif
