/* SPDX-License-Identifier: MIT */
/* effective.c - a wish written out with every option, default or not; reads back as a profile. */
#include "plan/effective.h"

#include <stdio.h>
#include <string.h>

#include "base/catalog.h"
#include "base/field.h"
#include "base/json.h"
#include "base/units.h"
#include "engine/engine.h"
#include "memory/memory.h"
#include "memory/place.h"
#include "plan/axes.h"
#include "plan/parts.h"
#include "plan/path.h"
#include "plan/plan.h"
#include "plan/point.h"
#include "plan/profile.h"
#include "workload/volume.h"
#include "workload/workload.h"

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Null in, nothing added. */
static void add_copy(cJSON *object, const char *name, const cJSON *node)
{
	if (node)
		cJSON_AddItemToObject(object, name, cJSON_Duplicate(node, true));
}

static void add_list(cJSON *object, const char *name, const cJSON *node)
{
	if (node)
		add_copy(object, name, node);
	else
		cJSON_AddArrayToObject(object, name);
}

static void add_duration(cJSON *object, const char *name, uint64_t duration_ns)
{
	char text[32];

	cJSON_AddStringToObject(object, name, units_format_duration(duration_ns, text));
}

static void add_phases(cJSON *object, const struct warmup *warmup, uint64_t measure_ns)
{
	cJSON *phases = cJSON_AddObjectToObject(object, "phases");

	cJSON_AddItemToObject(phases, "warmup", warmup_write(warmup));
	add_duration(phases, "measure", measure_ns);
}

/* All parameters of a choice; what an axis will replace need not be a good one and stays as it is.
 */
static cJSON *choice_full(const struct json_document *document, const struct catalog *catalog,
			  const cJSON *node)
{
	struct choice choice = {0};
	cJSON *full;

	if (catalog_read(catalog, document, node, &choice, NULL) < 0)
		return cJSON_Duplicate(node, true);
	full = choice_write(&choice);
	choice_free(&choice);
	return full;
}

static void add_choice(cJSON *object, const char *name, const struct json_document *document,
		       const struct catalog *catalog, const cJSON *node)
{
	if (node)
		cJSON_AddItemToObject(object, name, choice_full(document, catalog, node));
}

/* Every field as it is said, else its preset, unless that is the empty text. */
static void add_fields(cJSON *object, const struct field *fields, const cJSON *said)
{
	for (; fields->name; fields++) {
		const cJSON *node = member(said, fields->name);

		if (node)
			add_copy(object, fields->name, node);
		else if (fields->type == FIELD_TYPE_BOOL)
			cJSON_AddBoolToObject(object, fields->name,
					      !strcmp(fields->preset, "true"));
		else if (fields->type == FIELD_TYPE_COUNT)
			cJSON_AddRawToObject(object, fields->name, fields->preset);
		else if (*fields->preset)
			cJSON_AddStringToObject(object, fields->name, fields->preset);
	}
}

static cJSON *raw_axis_values(const struct json_document *document, const cJSON *axis)
{
	cJSON *copy = cJSON_CreateArray();
	char path[PATH_BYTES];
	const struct catalog *catalog =
		axes_path(document, axis, path, NULL) < 0 ? NULL : path_catalog(path);
	const cJSON *value;

	cJSON_ArrayForEach (value, axes_values(axis)) {
		const cJSON *inner = member(value, "value");
		cJSON *item;

		if (!catalog)
			item = cJSON_Duplicate(value, true);
		else if (!inner)
			item = choice_full(document, catalog, value);
		else {
			item = cJSON_Duplicate(value, true);
			cJSON_ReplaceItemInObjectCaseSensitive(
				item, "value", choice_full(document, catalog, inner));
		}
		cJSON_AddItemToArray(copy, item);
	}
	return copy;
}

static cJSON *raw_axis(const struct json_document *document, const cJSON *axis)
{
	cJSON *values = raw_axis_values(document, axis), *named;

	if (axes_values(axis) == axis)
		return values;
	named = cJSON_CreateObject();
	add_copy(named, "path", member(axis, "path"));
	cJSON_AddItemToObject(named, "values", values);
	return named;
}

static void add_raw_axes(cJSON *object, const struct json_document *document, const cJSON *axes)
{
	cJSON *copy;
	const cJSON *axis;

	if (!axes)
		return;
	copy = cJSON_AddObjectToObject(object, "axes");
	cJSON_ArrayForEach (axis, axes)
		cJSON_AddItemToObject(copy, axis->string, raw_axis(document, axis));
}

static void add_raw_regions(cJSON *object, const struct json_document *document,
			    const cJSON *regions)
{
	cJSON *copies;
	const cJSON *region;

	if (!regions)
		return;
	copies = cJSON_AddObjectToObject(object, "regions");
	cJSON_ArrayForEach (region, regions) {
		cJSON *copy = cJSON_AddObjectToObject(copies, region->string);

		add_choice(copy, "memory", document, &memory_catalog, member(region, "memory"));
		add_choice(copy, "numa", document, &place_catalog, member(region, "numa"));
		add_fields(copy, region_fields, region);
	}
}

static cJSON *raw_stream(const struct profile *profile, const cJSON *stream)
{
	cJSON *copy = cJSON_CreateObject();

	add_fields(copy, stream_fields, stream);
	add_choice(copy, "workload", profile->document, &workload_catalog,
		   member(stream, "workload"));
	add_choice(copy, "engine", profile->document, &engine_catalog, member(stream, "engine"));
	add_choice(copy, "layout", profile->document, &layout_catalog, member(stream, "layout"));
	if (!profile->targets_given)
		add_copy(copy, "targets", member(stream, "targets"));
	return copy;
}

static void add_raw_phases(cJSON *object, const struct json_document *document, const cJSON *phases)
{
	const cJSON *warmup = member(phases, "warmup");
	cJSON *copy = phases ? cJSON_Duplicate(phases, true) : NULL;

	if (!copy)
		return;
	if (warmup && !warmup_is_duration(warmup))
		cJSON_ReplaceItemInObjectCaseSensitive(
			copy, "warmup", choice_full(document, &warmup_catalog, warmup));
	cJSON_AddItemToObject(object, "phases", copy);
}

static void add_raw_points(cJSON *object, const struct profile *profile)
{
	cJSON *copies = cJSON_AddArrayToObject(object, "points");
	const cJSON *point, *stream;

	cJSON_ArrayForEach (point, profile->points) {
		cJSON *copy = cJSON_CreateObject(), *streams;

		cJSON_AddItemToArray(copies, copy);
		add_copy(copy, "label", member(point, "label"));
		add_raw_phases(copy, profile->document, member(point, "phases"));
		add_copy(copy, "repeats", member(point, "repeats"));
		add_raw_axes(copy, profile->document, member(point, "axes"));
		add_raw_regions(copy, profile->document, member(point, "regions"));
		streams = cJSON_AddArrayToObject(copy, "streams");
		cJSON_ArrayForEach (stream, member(point, "streams"))
			cJSON_AddItemToArray(streams, raw_stream(profile, stream));
	}
}

cJSON *effective_profile(const struct profile *profile)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddStringToObject(object, "name", profile->name);
	cJSON_AddStringToObject(object, "summary", profile->summary);
	json_add_u64_text(object, "seed", profile->seed);
	json_add_count(object, "repeats", profile->repeats);
	add_phases(object, &profile->phases.warmup, profile->phases.measure_ns);
	add_list(object, "primary", profile->primary);
	cJSON_AddBoolToObject(object, "strict", profile->strict);
	cJSON_AddNumberToObject(object, "strict_share", profile->strict_share_percent);
	cJSON_AddBoolToObject(object, "allow_unwritten", profile->allow_unwritten);
	cJSON_AddStringToObject(object, "pmu", profile_pmu_names[profile->pmu]);
	if (profile->marker)
		cJSON_AddBoolToObject(object, "marker", true);
	observed_write(&profile->observed, object);
	add_copy(object, "reference", profile->reference);
	add_list(object, "targets", profile->targets);
	add_list(object, "settings", profile->settings);
	if (*profile->baseline)
		cJSON_AddStringToObject(object, "baseline", profile->baseline);
	add_copy(object, "variants", profile->variants);
	add_raw_points(object, profile);
	return object;
}

static void add_regions(cJSON *object, const struct plan_point *point)
{
	cJSON *regions = cJSON_AddObjectToObject(object, "regions");
	char size[32];

	for (unsigned i = 0; i < point->n_regions; i++) {
		const struct plan_region *region = &point->regions[i];
		cJSON *copy = cJSON_AddObjectToObject(regions, region->name);

		cJSON_AddItemToObject(copy, "memory", choice_write(&region->memory));
		cJSON_AddItemToObject(copy, "numa", choice_write(&region->numa));
		cJSON_AddStringToObject(copy, "size", units_format_size(region->size_bytes, size));
		json_add_count(copy, "size_percent", region->size_percent);
	}
}

static cJSON *stream_full(const struct plan_point *point, const struct plan_stream *stream)
{
	cJSON *copy = cJSON_CreateObject(), *targets;

	cJSON_AddStringToObject(copy, "label", stream->label);
	cJSON_AddItemToObject(copy, "workload", choice_write(&stream->workload));
	cJSON_AddItemToObject(copy, "engine",
			      stream->engine.entry ? choice_write(&stream->engine)
						   : cJSON_CreateNull());
	if (stream->layout.entry)
		cJSON_AddItemToObject(copy, "layout", choice_write(&stream->layout));
	if (stream->region >= 0)
		cJSON_AddStringToObject(copy, "region", point->regions[stream->region].name);
	targets = cJSON_AddArrayToObject(copy, "targets");
	for (unsigned i = 0; i < stream->n_targets; i++)
		cJSON_AddItemToArray(targets, cJSON_CreateString(stream->targets[i]));
	json_add_count(copy, "workers", stream->workers);
	cJSON_AddStringToObject(copy, "as", stream_as_names[stream->worker_kind]);
	cJSON_AddStringToObject(copy, "cpus", stream->cpus);
	cJSON_AddBoolToObject(copy, "pin", stream->pin);
	return copy;
}

cJSON *effective_point(const struct plan_point *point)
{
	cJSON *object = cJSON_CreateObject(), *streams;

	cJSON_AddStringToObject(object, "label", point->label);
	add_phases(object, &point->warmup, point->measure_ns);
	json_add_count(object, "repeats", point->repeats);
	add_regions(object, point);
	streams = cJSON_AddArrayToObject(object, "streams");
	for (unsigned i = 0; i < point->n_streams; i++)
		cJSON_AddItemToArray(streams, stream_full(point, &point->streams[i]));
	return object;
}
