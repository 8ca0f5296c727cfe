/* SPDX-License-Identifier: MIT */
/* observe.h - what a run looks at beside the work: counters of the kernel, hot functions. */
#ifndef ORION_RUN_OBSERVE_H
#define ORION_RUN_OBSERVE_H

#include "run/counters.h"

struct channel;
struct error;
struct plan;
struct result;
struct result_repeat;
struct run_point;
struct sampler;
struct target_table;

/* What the profile asks for, and the workloads of the point. Lent by the point. */
struct counter_wish observe_wish(const struct run_point *point);

/*
 * Opens counters: of the machine, of the devices below all targets, which are described in the
 * result, and those that any point (points[variant][point]) wishes for by name. Patterns of the
 * profile that nothing here answers to become notes of the result. -errno.
 */
int observe_open_counters(const struct plan *plan, struct run_point *const *points,
			  const struct target_table *table, struct result *result,
			  struct counters *counters, struct error *error);

/* What they grew by in the measure phase of a repeat. -ENOMEM. */
int observe_record_counters(const struct run_point *point, const struct counters *counters,
			    const struct channel *channel, struct result_repeat *ret);

/* The sampler that the plan asks for. ERROR_CANNOT with the remedy. */
int observe_open_sampler(const struct plan *plan, struct sampler **ret, struct error *error);

#endif
