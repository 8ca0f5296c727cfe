/* SPDX-License-Identifier: MIT */
/* calibrate_profile.c - the profile whose points are all loads that a calibration may ask for. */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "command/calibrate.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "workload/io.h"
#include "workload/workload.h"

#define REGION_BYTES	(UINT64_C(256) << 20)
#define WORKERS_PRESET	4
#define LARGE_DEPTH_MAX 128 /* in flight: beyond, large reads only wait for each other */

/* A name, or an object with parameters. */
static cJSON *choice_node(const char *text)
{
	cJSON *node = *text == '{' ? cJSON_Parse(text) : NULL;

	return node ? node : cJSON_CreateString(text);
}

static void add_duration(cJSON *object, const char *name, uint64_t ns)
{
	char text[32];

	cJSON_AddStringToObject(object, name, units_format_duration(ns, text));
}

static void add_size(cJSON *object, const char *name, uint64_t bytes)
{
	char text[32];

	cJSON_AddStringToObject(object, name, units_format_size(bytes, text));
}

/* As many workers as there are CPUs for, four at most. */
static unsigned wish_workers(const struct calibrate_wish *wish)
{
	cpu_set_t set;
	unsigned cpus = 1;

	if (wish->workers)
		return (unsigned)wish->workers;
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		cpus = (unsigned)CPU_COUNT(&set);
	return cpus == 0 ? 1 : cpus < WORKERS_PRESET ? cpus : WORKERS_PRESET;
}

/* Up to as many loads as there are workers, each has one I/O; beyond, all have as many. */
static unsigned load_workers(unsigned load, unsigned workers)
{
	unsigned n = load < workers ? load : workers;

	return n ? n : 1;
}

static void add_load(cJSON *values, const struct calibrate_part *part, unsigned load,
		     unsigned workers)
{
	cJSON *value = cJSON_CreateObject(), *set;
	unsigned n = load_workers(load, workers), depth = load / n;
	char label[32], path[64];

	snprintf(label, sizeof(label), "%u", load);
	snprintf(path, sizeof(path), "streams[%u].workers", part->stream);
	cJSON_AddNumberToObject(value, "value", depth);
	cJSON_AddStringToObject(value, "label", label);
	set = cJSON_AddObjectToObject(value, "set");
	cJSON_AddNumberToObject(set, path, n);
	cJSON_AddItemToArray(values, value);
}

/* Adds "axes" to a point. */
static void add_axis(cJSON *point, const struct calibrate_part *part, unsigned workers)
{
	cJSON *axes = cJSON_AddObjectToObject(point, "axes"), *values;
	char path[64];

	snprintf(path, sizeof(path), "streams[%u].workload.depth", part->stream);
	values = cJSON_AddArrayToObject(axes, path);
	for (unsigned i = 0; i < part->n_loads; i++)
		add_load(values, part, part->loads[i], workers);
}

static cJSON *make_stream(const struct calibrate_wish *wish, const char *label,
			  uint64_t block_bytes, const char *pattern)
{
	cJSON *stream = cJSON_CreateObject(), *workload;

	cJSON_AddStringToObject(stream, "label", label);
	workload = cJSON_AddObjectToObject(stream, "workload");
	cJSON_AddStringToObject(workload, "kind", "io");
	add_size(workload, "block", block_bytes);
	cJSON_AddStringToObject(workload, "pattern", pattern);
	cJSON_AddItemToObject(stream, "engine", choice_node(wish->engine));
	cJSON_AddStringToObject(stream, "region", "sga");
	return stream;
}

/* The same region for all loads, so that only the load differs. */
static uint64_t region_bytes(uint64_t most_bytes, unsigned workers)
{
	uint64_t size_bytes = REGION_BYTES;

	while (size_bytes / workers < most_bytes + (2 << 20))
		size_bytes *= 2;
	return size_bytes;
}

static cJSON *make_point(const struct calibrate_wish *wish, const struct calibrate_part *part,
			 cJSON *streams, uint64_t size_bytes)
{
	cJSON *point = cJSON_CreateObject(), *region;

	cJSON_AddStringToObject(point, "label", part->name);
	region = cJSON_AddObjectToObject(cJSON_AddObjectToObject(point, "regions"), "sga");
	cJSON_AddItemToObject(region, "memory", choice_node(wish->memory));
	add_size(region, "size", size_bytes);
	cJSON_AddItemToObject(point, "streams", streams);
	return point;
}

/* "8K reads", "8K reads beside 4 x 1M" */
static void name_small(const struct calibrate_wish *wish, struct calibrate_part *part)
{
	char block[32], large[32];

	units_format_size(wish->block_bytes, block);
	if (wish->beside)
		snprintf(part->name, sizeof(part->name), "%.12s reads beside %u x %.12s", block,
			 (unsigned)wish->beside % 10000,
			 units_format_size(wish->large_bytes, large));
	else
		snprintf(part->name, sizeof(part->name), "%s reads", block);
}

static cJSON *make_small(const struct calibrate_wish *wish, struct calibrate_parts *parts)
{
	struct calibrate_part *part = &parts->parts[parts->n++];
	unsigned workers = wish_workers(wish);
	cJSON *streams = cJSON_CreateArray(), *point;
	uint64_t most_bytes = wish->depth_max / workers * wish->block_bytes;

	*part = (struct calibrate_part){.limited = true, .block_bytes = wish->block_bytes};
	name_small(wish, part);
	snprintf(part->stream_label, sizeof(part->stream_label), "reads");
	part->n_loads =
		search_grid(workers, (unsigned)wish->depth_max, part->loads, CALIBRATE_LOADS_MAX);
	cJSON_AddItemToArray(streams, make_stream(wish, "reads", wish->block_bytes, "random"));
	if (wish->beside) {
		cJSON *large = make_stream(wish, "large", wish->large_bytes, "random");

		cJSON_AddNumberToObject(cJSON_GetObjectItem(large, "workload"), "depth",
					(double)wish->beside);
		cJSON_AddItemToArray(streams, large);
		if (most_bytes < wish->beside * wish->large_bytes)
			most_bytes = wish->beside * wish->large_bytes;
	}
	point = make_point(wish, part, streams, region_bytes(most_bytes, workers + 1));
	add_axis(point, part, workers);
	return point;
}

/* Doublings alone: where the most is, is all that is asked. */
static unsigned large_loads(unsigned workers, unsigned max, unsigned *loads)
{
	unsigned n = 0;

	if (workers == 0)
		workers = 1;
	for (unsigned load = 1; load < max && n < CALIBRATE_LOADS_MAX - 1; load *= 2)
		if (load <= workers || load % workers == 0)
			loads[n++] = load;
	loads[n++] = max > workers ? max - max % workers : max;
	if (n > 1 && loads[n - 1] <= loads[n - 2])
		n--;
	return n;
}

/* The most MB/s: of random reads by all workers, or by one process that reads on and on. */
static cJSON *make_large(const struct calibrate_wish *wish, struct calibrate_parts *parts,
			 bool one_process)
{
	struct calibrate_part *part = &parts->parts[parts->n++];
	unsigned workers = one_process ? 1 : wish_workers(wish);
	unsigned max =
		wish->depth_max < LARGE_DEPTH_MAX ? (unsigned)wish->depth_max : LARGE_DEPTH_MAX;
	cJSON *streams = cJSON_CreateArray(), *stream, *point;
	char block[32];

	*part = (struct calibrate_part){.block_bytes = wish->large_bytes};
	units_format_size(wish->large_bytes, block);
	snprintf(part->name, sizeof(part->name), one_process ? "one process %.12s" : "%.12s reads",
		 block);
	snprintf(part->process, sizeof(part->process), "%s", one_process ? "one" : "");
	snprintf(part->stream_label, sizeof(part->stream_label), "reads");
	part->n_loads = large_loads(workers, max, part->loads);
	stream = make_stream(wish, "reads", wish->large_bytes,
			     one_process ? "sequential" : "random");
	if (one_process)
		cJSON_AddStringToObject(stream, "as", "processes");
	cJSON_AddItemToArray(streams, stream);
	point = make_point(wish, part, streams,
			   region_bytes(max / workers * wish->large_bytes, workers));
	add_axis(point, part, workers);
	return point;
}

/* Some runs may give no figure, where the machine stood still. */
static void add_phases(cJSON *profile, const struct calibrate_wish *wish)
{
	cJSON *phases = cJSON_AddObjectToObject(profile, "phases");

	add_duration(phases, "warmup", wish->warmup_ns);
	add_duration(phases, "measure", wish->measure_ns);
	cJSON_AddNumberToObject(profile, "repeats", 2.0 * (double)wish->repeats);
}

static void add_summary(cJSON *profile, const struct calibrate_wish *wish, const char *what)
{
	char summary[256], limit[32];

	snprintf(summary, sizeof(summary), "the highest load of %s with %s under %s", what,
		 calibrate_latencies[wish->latency].name,
		 units_format_latency((double)wish->limit_ns, limit));
	cJSON_AddStringToObject(profile, "summary", summary);
}

/* Huge pages and folios are borrowed where they are asked for. */
static void add_settings(cJSON *profile, const struct calibrate_wish *wish)
{
	cJSON *settings;

	if (strcmp(wish->memory, "base") == 0)
		return;
	settings = cJSON_AddArrayToObject(profile, "settings");
	cJSON_AddItemToArray(settings, cJSON_CreateString("hugepages"));
	cJSON_AddItemToArray(settings, cJSON_CreateString("shmem_enabled"));
}

int calibrate_profile(const struct calibrate_wish *wish, struct calibrate_parts *parts, cJSON **ret,
		      struct error *error)
{
	cJSON *profile = cJSON_CreateObject(), *points;

	*parts = (struct calibrate_parts){.n = 0};
	cJSON_AddStringToObject(profile, "name", "calibrate");
	add_phases(profile, wish);
	add_settings(profile, wish);
	points = cJSON_AddArrayToObject(profile, "points");
	cJSON_AddItemToArray(points, make_small(wish, parts));
	add_summary(profile, wish, parts->parts[0].name);
	/* Beside the small ones, large reads are part of what is measured. */
	if (wish->large_bytes && !wish->beside) {
		cJSON_AddItemToArray(points, make_large(wish, parts, false));
		cJSON_AddItemToArray(points, make_large(wish, parts, true));
	}
	*ret = profile;
	return profile ? 0 : error_set(error, -ENOMEM, "no memory for a profile");
}

static bool is_reader(const struct plan_stream *stream)
{
	return stream->workload.entry == &workload_io.entry;
}

static const struct io_params *reader_params(const struct plan_stream *stream)
{
	return stream->workload.params;
}

/* The stream that --stream names, else the first that reads. */
static int find_stream(const struct plan_point *point, const char *label, unsigned *ret,
		       struct error *error)
{
	for (unsigned i = 0; i < point->n_streams; i++) {
		const struct plan_stream *stream = &point->streams[i];

		if (*label ? strcmp(stream->label, label) != 0 : !is_reader(stream))
			continue;
		if (!is_reader(stream))
			return error_set(error, ERROR_INPUT,
					 "--stream: '%s' reads nothing, and its load is not a "
					 "number of I/Os; name a stream whose workload is io",
					 label);
		*ret = i;
		return 0;
	}
	if (*label)
		return error_set(error, ERROR_INPUT,
				 "--stream: the profile's point has no stream '%s'", label);
	return error_set(error, ERROR_INPUT,
			 "no stream of the profile's point reads (workload io), so there is no "
			 "load to search");
}

/* Depth of another stream of the mix while the one that is searched by has so much of its own. */
static unsigned scaled_depth(const struct plan_point *point, unsigned i, unsigned judged,
			     unsigned depth)
{
	double share = (double)reader_params(&point->streams[i])->depth /
		       (double)reader_params(&point->streams[judged])->depth;
	double scaled = round(share * depth);

	return scaled < 1 ? 1 : (unsigned)scaled;
}

static unsigned region_workers(const struct plan_point *point, int region)
{
	unsigned workers = 0;

	for (unsigned i = 0; i < point->n_streams; i++)
		workers += point->streams[i].region == region ? point->streams[i].workers : 0;
	return workers;
}

/* Do the buffers of all streams find room in their regions? */
static bool depth_fits(const struct plan_point *point, unsigned judged, unsigned depth)
{
	for (unsigned i = 0; i < point->n_streams; i++) {
		const struct plan_stream *stream = &point->streams[i];
		uint64_t need_bytes;

		if (!is_reader(stream) || stream->region < 0)
			continue;
		need_bytes =
			scaled_depth(point, i, judged, depth) * reader_params(stream)->block_bytes;
		if (point->regions[stream->region].size_bytes /
			    region_workers(point, stream->region) <
		    need_bytes)
			return false;
	}
	return true;
}

static void add_mix_load(cJSON *values, const struct plan_point *point,
			 const struct calibrate_part *part, unsigned load)
{
	unsigned depth = load / point->streams[part->stream].workers;
	cJSON *value = cJSON_CreateObject(), *set;
	char text[64];

	snprintf(text, sizeof(text), "%u", load);
	cJSON_AddNumberToObject(value, "value", depth);
	cJSON_AddStringToObject(value, "label", text);
	set = cJSON_AddObjectToObject(value, "set");
	for (unsigned i = 0; i < point->n_streams; i++) {
		if (i == part->stream || !is_reader(&point->streams[i]))
			continue;
		snprintf(text, sizeof(text), "streams[%u].workload.depth", i);
		cJSON_AddNumberToObject(set, text, scaled_depth(point, i, part->stream, depth));
	}
	cJSON_AddItemToArray(values, value);
}

/* Batches as large as the profile has them would not fit a small load. */
static void free_batches(cJSON *streams, const struct plan_point *point)
{
	for (unsigned i = 0; i < point->n_streams; i++) {
		cJSON *workload =
			cJSON_GetObjectItem(cJSON_GetArrayItem(streams, (int)i), "workload");

		if (!is_reader(&point->streams[i]))
			continue;
		cJSON_DeleteItemFromObject(workload, "batch");
		cJSON_DeleteItemFromObject(workload, "reap_min");
	}
}

static void mix_loads(const struct plan_point *point, const struct calibrate_wish *wish,
		      struct calibrate_part *part)
{
	unsigned workers = point->streams[part->stream].workers, n;
	unsigned max = (unsigned)(wish->depth_max / workers);

	while (max > 1 && !depth_fits(point, part->stream, max))
		max--;
	n = search_grid(1, max ? max : 1, part->loads, CALIBRATE_LOADS_MAX);
	for (unsigned i = 0; i < n; i++)
		part->loads[i] *= workers;
	part->n_loads = n;
}

static cJSON *make_mix(const struct plan_point *point, const struct calibrate_part *part)
{
	cJSON *node = cJSON_Duplicate(point->effective, true), *values;
	char path[64];

	cJSON_DeleteItemFromObject(node, "label");
	cJSON_DeleteItemFromObject(node, "phases");
	cJSON_DeleteItemFromObject(node, "repeats");
	cJSON_AddStringToObject(node, "label", part->name);
	free_batches(cJSON_GetObjectItem(node, "streams"), point);
	snprintf(path, sizeof(path), "streams[%u].workload.depth", part->stream);
	values = cJSON_AddArrayToObject(cJSON_AddObjectToObject(node, "axes"), path);
	for (unsigned i = 0; i < part->n_loads; i++)
		add_mix_load(values, point, part, part->loads[i]);
	return node;
}

static int check_mix(const struct plan *plan, struct error *error)
{
	if (plan->n_variants > 1)
		return error_set(error, ERROR_INPUT,
				 "profile %s has %u variants, and a calibration is of one; search "
				 "each by a profile of its own",
				 plan->name, plan->n_variants);
	if (plan->variants[0].n_points > 1)
		return error_set(error, ERROR_INPUT,
				 "profile %s has %u points, and a calibration is of one; leave one "
				 "value in each of its axes, as by --set "
				 "'points[0].axes={}' where there is one point with axes",
				 plan->name, plan->variants[0].n_points);
	return 0;
}

static cJSON *mix_profile(const struct plan *plan, const struct calibrate_wish *wish,
			  const struct calibrate_part *part)
{
	static const char *const dropped[] = {"points",	  "variants", "baseline",  "primary",
					      "sample",	  "phases",   "reference", "repeats",
					      "counters", "summary"};
	cJSON *profile = cJSON_Duplicate(plan->effective, true);

	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		cJSON_DeleteItemFromObject(profile, dropped[i]);
	add_phases(profile, wish);
	add_summary(profile, wish, part->name);
	cJSON_AddItemToArray(cJSON_AddArrayToObject(profile, "points"),
			     make_mix(&plan->variants[0].points[0], part));
	return profile;
}

int calibrate_profile_of(const struct plan *plan, const struct calibrate_wish *wish,
			 struct calibrate_parts *parts, cJSON **ret, struct error *error)
{
	const struct plan_point *point = &plan->variants[0].points[0];
	struct calibrate_part *part = &parts->parts[0];
	int status = check_mix(plan, error);
	char block[32];

	*parts = (struct calibrate_parts){.n = 1};
	part->limited = true;
	if (status == 0)
		status = find_stream(point, wish->stream, &part->stream, error);
	if (status < 0)
		return status;
	part->block_bytes = reader_params(&point->streams[part->stream])->block_bytes;
	memcpy(part->stream_label, point->streams[part->stream].label, sizeof(part->stream_label));
	snprintf(part->name, sizeof(part->name), "%.12s reads of %.20s",
		 units_format_size(part->block_bytes, block), plan->name);
	mix_loads(point, wish, part);
	*ret = mix_profile(plan, wish, part);
	return 0;
}
