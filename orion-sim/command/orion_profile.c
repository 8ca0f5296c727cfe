/* SPDX-License-Identifier: MIT */
/* orion_profile.c - a test of Orion's as a profile, which is all that is run. */
#include "command/orion_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <cjson/cJSON.h>

#include "base/json.h"
#include "base/units.h"
#include "base/words.h"
#include "command/orion_loads.h"
#include "command/orion_luns.h"
#include "command/orion_options.h"
#include "report/orion.h"
#include "stats/document.h"
#include "workload/workload.h"

#define HUGE_PAGE_BYTES	  (UINT64_C(2) << 20)
#define BASE_PAGE_BYTES	  UINT64_C(4096)
#define REGION_LEAST	  (UINT64_C(16) << 20)
#define WARMUP		  "500ms"
#define CACHE_WARMUP_NS	  UINT64_C(120000000000)
#define CACHE_LEAST_BYTES UINT64_C(10485760) /* a second, else the cache's warm-up is given up */
#define NS		  UINT64_C(1000000000)

static void add_size(cJSON *object, const char *name, uint64_t bytes)
{
	char text[32];

	cJSON_AddStringToObject(object, name, units_format_size(bytes, text));
}

static void add_duration(cJSON *object, const char *name, uint64_t ns)
{
	char text[32];

	cJSON_AddStringToObject(object, name, units_format_duration(ns, text));
}

/* A region in which so many workers have shares of so many bytes. */
static uint64_t need_of(const struct orion_options *options, unsigned workers, uint64_t share_bytes)
{
	const struct workload_setup setup = {
		.region_page_bytes = options->hugenotneeded ? BASE_PAGE_BYTES : HUGE_PAGE_BYTES,
		.region_workers = workers};

	return workload_need_bytes(&setup, share_bytes);
}

/* One worker for small I/O; one for large, or one a sequential stream. */
static uint64_t need_of_loads(const struct orion_options *options, unsigned small, unsigned large)
{
	uint64_t small_bytes = (uint64_t)small * (options->size_small_kb << 10);
	uint64_t large_bytes = options->size_large_kb << 10;
	unsigned workers = small > 0;

	if (large && options->type == ORION_SEQ) {
		large_bytes *= options->num_stream_io;
		workers += large;
	} else if (large) {
		large_bytes *= large;
		workers++;
	} else {
		large_bytes = 0;
	}
	return need_of(options, workers, small_bytes > large_bytes ? small_bytes : large_bytes);
}

/* One size for all points, so that each runs in the same memory. */
static uint64_t region_bytes(const struct orion_test *test)
{
	const struct orion_matrix *matrix = test->matrix;
	uint64_t most = REGION_LEAST, needs[3];

	needs[0] =
		matrix->small.n ? need_of_loads(test->options, loads_most(&matrix->small), 0) : 0;
	needs[1] =
		matrix->large.n ? need_of_loads(test->options, 0, loads_most(&matrix->large)) : 0;
	needs[2] = matrix->mixed_small.n
			   ? need_of_loads(test->options, loads_most(&matrix->mixed_small),
					   loads_most(&matrix->mixed_large))
			   : 0;
	for (unsigned i = 0; i < 3; i++)
		if (needs[i] > most)
			most = needs[i];
	return most;
}

static cJSON *region_make(const struct orion_test *test)
{
	cJSON *region = cJSON_CreateObject(), *memory;

	if (test->options->hugenotneeded) {
		cJSON_AddStringToObject(region, "memory", "base");
	} else {
		memory = cJSON_AddObjectToObject(region, "memory");
		cJSON_AddStringToObject(memory, "kind", "hugetlb");
		cJSON_AddStringToObject(memory, "api", "shm");
	}
	add_size(region, "size", region_bytes(test));
	return region;
}

static cJSON *stream_make(const struct orion_options *options, const char *label, uint64_t size_kb,
			  bool sequential)
{
	cJSON *stream = cJSON_CreateObject(), *workload, *layout;

	cJSON_AddStringToObject(stream, "label", label);
	workload = cJSON_AddObjectToObject(stream, "workload");
	cJSON_AddStringToObject(workload, "kind", "io");
	add_size(workload, "block", size_kb << 10);
	json_add_count(workload, "depth", sequential ? options->num_stream_io : 1);
	cJSON_AddStringToObject(workload, "pattern", sequential ? "sequential" : "random");
	cJSON_AddStringToObject(stream, "engine", "libaio");
	cJSON_AddStringToObject(stream, "region", "sga");
	if (options->simulate == ORION_RAID0) {
		layout = cJSON_AddObjectToObject(stream, "layout");
		cJSON_AddStringToObject(layout, "kind", "raid0");
		add_size(layout, "stripe", options->stripe_kb << 10);
	}
	return stream;
}

static void axis_add(cJSON *axes, const char *name, unsigned stream, const char *what,
		     const struct loads *loads)
{
	cJSON *axis = cJSON_AddObjectToObject(axes, name), *values;
	char path[64];

	snprintf(path, sizeof(path), "streams[%u].%s", stream, what);
	cJSON_AddStringToObject(axis, "path", path);
	values = cJSON_AddArrayToObject(axis, "values");
	for (unsigned i = 0; i < loads->n; i++)
		cJSON_AddItemToArray(values, cJSON_CreateNumber(loads->values[i]));
}

/* What fills an array's cache before sequential streams are measured. */
static void cache_add(const struct orion_options *options, cJSON *point)
{
	uint64_t mb = 0, seconds;
	cJSON *warmup;

	if (*options->cache_mb && units_parse_count(options->cache_mb, &mb, NULL) == 0 && mb == 0)
		return;
	warmup = cJSON_AddObjectToObject(cJSON_AddObjectToObject(point, "phases"), "warmup");
	cJSON_AddStringToObject(warmup, "kind", "cache");
	if (mb == 0) {
		add_duration(warmup, "time", CACHE_WARMUP_NS);
		return;
	}
	seconds = (mb << 20) / CACHE_LEAST_BYTES;
	add_size(warmup, "bytes", mb << 20);
	add_duration(warmup, "time",
		     seconds * NS > CACHE_WARMUP_NS ? seconds * NS : CACHE_WARMUP_NS);
}

static const struct loads no_loads;

/* Points of these loads together; an empty list is a load of 0. */
static void points_add(const struct orion_test *test, const char *label, const struct loads *small,
		       const struct loads *large, cJSON *points)
{
	const struct orion_options *options = test->options;
	bool sequential = options->type == ORION_SEQ;
	cJSON *point, *axes, *streams;

	if (!small->n && !large->n)
		return;
	point = cJSON_CreateObject();
	cJSON_AddItemToArray(points, point);
	cJSON_AddStringToObject(point, "label", label);
	if (large->n && sequential)
		cache_add(options, point);
	axes = cJSON_AddObjectToObject(point, "axes");
	if (large->n)
		axis_add(axes, ORION_LARGE, small->n > 0, sequential ? "workers" : "workload.depth",
			 large);
	if (small->n)
		axis_add(axes, ORION_SMALL, 0, "workload.depth", small);
	cJSON_AddItemToObject(cJSON_AddObjectToObject(point, "regions"), "sga", region_make(test));
	streams = cJSON_AddArrayToObject(point, "streams");
	if (small->n)
		cJSON_AddItemToArray(
			streams, stream_make(options, ORION_SMALL, options->size_small_kb, false));
	if (large->n)
		cJSON_AddItemToArray(streams, stream_make(options, ORION_LARGE,
							  options->size_large_kb, sequential));
}

static void head_add(const struct orion_test *test, cJSON *profile)
{
	const struct orion_options *options = test->options;
	cJSON *phases, *list;
	char whole[ORION_TESTNAME_MAX + ORION_LOADS_BYTES + 8], summary[250];

	snprintf(whole, sizeof(whole), "%.*s: %s", ORION_TESTNAME_MAX, options->testname,
		 test->command_line);
	words_quote(whole, summary, sizeof(summary));
	cJSON_AddStringToObject(profile, "name", "orion");
	cJSON_AddStringToObject(profile, "summary", summary);
	cJSON_AddNumberToObject(profile, "repeats", 1);
	phases = cJSON_AddObjectToObject(profile, "phases");
	cJSON_AddStringToObject(phases, "warmup", WARMUP);
	add_duration(phases, "measure", options->duration_s * NS);
	list = cJSON_AddArrayToObject(profile, "primary");
	cJSON_AddItemToArray(list, cJSON_CreateString("read.iops"));
	cJSON_AddItemToArray(list, cJSON_CreateString("read.mean_us"));
	list = cJSON_AddArrayToObject(profile, "settings");
	if (!options->hugenotneeded)
		cJSON_AddItemToArray(list, cJSON_CreateString("hugepages"));
	list = cJSON_AddArrayToObject(profile, "targets");
	for (unsigned i = 0; i < test->luns->n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(test->luns->paths[i]));
}

char *orion_profile_text(const struct orion_test *test)
{
	const struct orion_matrix *matrix = test->matrix;
	cJSON *profile = cJSON_CreateObject(), *points;
	char *text;

	head_add(test, profile);
	points = cJSON_AddArrayToObject(profile, "points");
	points_add(test, ORION_SMALL, &matrix->small, &no_loads, points);
	points_add(test, ORION_LARGE, &no_loads, &matrix->large, points);
	if (matrix->mixed_small.n && matrix->mixed_large.n)
		points_add(test, "mixed", &matrix->mixed_small, &matrix->mixed_large, points);
	text = document_print(profile);
	cJSON_Delete(profile);
	return text;
}
