/* SPDX-License-Identifier: MIT */
/* observe.c - what a run looks at beside the work: counters of the kernel, hot functions. */
#include "run/observe.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "run/channel.h"
#include "run/describe.h"
#include "run/point.h"
#include "run/sampler.h"

/* Devices below all targets, each once; returns how many. */
static unsigned observe_devices(const struct target_table *table,
				char devices[COUNTERS_DEVICES_MAX][32])
{
	char found[TARGET_DEVICES_MAX][32];
	unsigned n = 0;

	for (unsigned t = 0; t < table->n; t++) {
		int n_found = target_devices(&table->targets[t], found);

		for (int i = 0; i < n_found; i++) {
			unsigned d = 0;

			while (d < n && strcmp(devices[d], found[i]) != 0)
				d++;
			if (d == n && n < COUNTERS_DEVICES_MAX)
				memcpy(devices[n++], found[i], sizeof(found[i]));
		}
	}
	return n;
}

static bool point_wishes(const void *context, const char *name)
{
	const struct run_point *point = context;
	const cJSON *pattern;

	cJSON_ArrayForEach (pattern, point->counters)
		if (fnmatch(pattern->valuestring, name, 0) == 0)
			return true;
	for (unsigned s = 0; s < point->plan->n_streams; s++) {
		const char *const *own =
			workload_ops_of(&point->plan->streams[s].workload)->counters;

		for (; own && *own; own++)
			if (fnmatch(*own, name, 0) == 0)
				return true;
	}
	return false;
}

/* Does a point ask for any counter at all, whether the machine has it or not? */
static bool point_wishes_any(const struct run_point *point)
{
	if (point->counters && point->counters->child)
		return true;
	for (unsigned s = 0; s < point->plan->n_streams; s++)
		if (workload_ops_of(&point->plan->streams[s].workload)->counters)
			return true;
	return false;
}

struct counter_wish observe_wish(const struct run_point *point)
{
	return (struct counter_wish){.context = point, .has = point_wishes};
}

struct all_points {
	const struct plan *plan;
	struct run_point *const *points;
};

static bool any_point_wishes(const void *context, const char *name)
{
	const struct all_points *all = context;

	for (unsigned v = 0; v < all->plan->n_variants; v++)
		for (unsigned p = 0; p < all->plan->variants[v].n_points; p++)
			if (point_wishes(&all->points[v][p], name))
				return true;
	return false;
}

static void note_unknown(const cJSON *patterns, cJSON *notes)
{
	const cJSON *pattern;
	char text[256];

	cJSON_ArrayForEach (pattern, patterns) {
		if (counter_exists("", pattern->valuestring))
			continue;
		snprintf(text, sizeof(text),
			 "counters: this machine has none called '%s' (orion-sim list counters "
			 "shows those there are)",
			 pattern->valuestring);
		cJSON_AddItemToArray(notes, cJSON_CreateString(text));
	}
}

int observe_open_counters(const struct plan *plan, struct run_point *const *points,
			  const struct target_table *table, struct result *result,
			  struct counters *counters, struct error *error)
{
	const struct all_points all = {plan, points};
	const struct counter_wish wish = {.context = &all, .has = any_point_wishes};
	char devices[COUNTERS_DEVICES_MAX][32];
	unsigned n = observe_devices(table, devices);
	int status = counters_open(counters, devices, n, error);

	if (status < 0)
		return status;
	describe_devices(result, devices, n);
	describe_targets(result, table->targets, table->n);
	note_unknown(plan->profile->observed.counters, result->notes);
	return counter_files_open("", &wish, &counters->files, error);
}

int observe_record_counters(const struct run_point *point, const struct counters *counters,
			    const struct channel *channel, struct result_repeat *ret)
{
	const struct counter_wish wish = observe_wish(point);

	ret->counted = point_wishes_any(point);
	if (!ret->counted)
		return 0;
	return counter_files_subtract(&counters->files, channel->counters[0].text,
				      channel->counters[1].text, &wish, &ret->counters,
				      &ret->n_counters);
}

int observe_open_sampler(const struct plan *plan, struct sampler **ret, struct error *error)
{
	const struct observed *observed = &plan->profile->observed;
	const struct sampler_setup setup = {.source = &sampler_kernel,
					    .frequency_hz = (unsigned)observed->frequency_hz,
					    .top = (unsigned)observed->top};

	return sampler_open(&setup, ret, error);
}
