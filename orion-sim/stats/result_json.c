/* SPDX-License-Identifier: MIT */
/* result_json.c - a result written as a document of schema orion-sim/1. */
#include "stats/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "stats/calibration.h"
#include "stats/result_histograms.h"
#include "stats/result_schema.h"
#include "stats/summary.h"

/* Metrics that a class shows beside its members, and a point over its repeats. */
static const char *const class_metrics[] = {"iops", "mbps", "mibps", "mean_us", "cpu_us", NULL};
static const char *const median_metrics[] = {"iops",   "mbps",		"mibps",	 "mean_us",
					     "p50_us", "p99_us",	"p999_us",	 "max_us",
					     "cpu_us", "runner_cpu_us", "request_bytes", NULL};

/* Drawn figures are for people: six digits are more than any of them is good for. */
static void add_drawn(cJSON *object, const char *key, double value)
{
	char text[32];

	if (!isfinite(value)) {
		cJSON_AddNullToObject(object, key);
		return;
	}
	snprintf(text, sizeof(text), "%.6g", value);
	cJSON_AddRawToObject(object, key, text);
}

/* A copy, or null: what is not there is said to be not there. */
static void add_copy(cJSON *object, const char *key, const cJSON *node)
{
	cJSON_AddItemToObject(object, key, node ? cJSON_Duplicate(node, true) : cJSON_CreateNull());
}

static cJSON *usage_to_json(const struct usage *usage)
{
	cJSON *object = cJSON_CreateObject();

	members_write(schema_usage, usage, object);
	return object;
}

static cJSON *interval_columns(void)
{
	cJSON *columns = cJSON_CreateArray();

	for (const struct member *member = schema_interval; member->key; member++)
		cJSON_AddItemToArray(columns, cJSON_CreateString(member->key));
	return columns;
}

static cJSON *intervals_to_json(const struct result_class *class)
{
	cJSON *rows = cJSON_CreateArray();

	for (unsigned i = 0; i < class->n_intervals; i++) {
		cJSON *row = cJSON_CreateArray();

		for (const struct member *member = schema_interval; member->key; member++)
			cJSON_AddItemToArray(row, member_node(member, &class->intervals[i]));
		cJSON_AddItemToArray(rows, row);
	}
	return rows;
}

static cJSON *class_to_json(const struct result_repeat *repeat, const struct result_stream *stream,
			    const struct result_class *class, bool with_histograms)
{
	cJSON *object = cJSON_CreateObject();

	members_write(schema_class, class, object);
	for (unsigned i = 0; class_metrics[i]; i++)
		add_drawn(object, class_metrics[i],
			  summary_metric(class_metrics[i])->value(repeat, stream, class));
	cJSON_AddItemToObject(object, "intervals", intervals_to_json(class));
	if (with_histograms && class->histogram)
		histogram_write(class->histogram, cJSON_AddObjectToObject(object, "histogram"));
	return object;
}

static cJSON *derived_to_json(const struct result_stream *stream)
{
	cJSON *list = cJSON_CreateArray();

	for (unsigned i = 0; i < stream->n_derived; i++) {
		cJSON *object = cJSON_CreateObject();

		members_write(schema_derived, &stream->derived[i], object);
		cJSON_AddItemToArray(list, object);
	}
	return list;
}

static cJSON *stream_to_json(const struct result_repeat *repeat, const struct result_stream *stream,
			     bool with_histograms)
{
	cJSON *object = cJSON_CreateObject(), *classes;

	members_write(schema_stream, stream, object);
	cJSON_AddItemToObject(object, "usage", usage_to_json(&stream->usage));
	if (stream->events.workers > 0)
		members_write(schema_events, &stream->events,
			      cJSON_AddObjectToObject(object, "events"));
	classes = cJSON_AddArrayToObject(object, "classes");
	for (unsigned i = 0; i < stream->n_classes; i++)
		cJSON_AddItemToArray(classes, class_to_json(repeat, stream, &stream->classes[i],
							    with_histograms));
	if (stream->n_derived)
		cJSON_AddItemToObject(object, "derived", derived_to_json(stream));
	return object;
}

static cJSON *placement_to_json(const struct result_placement *placement)
{
	cJSON *object = cJSON_CreateObject(), *list;

	members_write(schema_placement, placement, object);
	list = cJSON_AddArrayToObject(object, "nodes");
	for (unsigned i = 0; i < placement->n_nodes; i++) {
		cJSON *node = cJSON_CreateObject();

		members_write(schema_node, &placement->nodes[i], node);
		cJSON_AddItemToArray(list, node);
	}
	return object;
}

static cJSON *audit_to_json(const struct result_audit *audit)
{
	cJSON *object = cJSON_CreateObject();

	members_write(schema_audit, audit, object);
	add_drawn(object, "got_percent",
		  audit->asked_bytes ? 100.0 * (double)audit->got_bytes / (double)audit->asked_bytes
				     : NAN);
	if (audit->placement.known)
		cJSON_AddItemToObject(object, "placement", placement_to_json(&audit->placement));
	return object;
}

static cJSON *device_to_json(const struct result_device *device)
{
	cJSON *object = cJSON_CreateObject();

	members_write(schema_device, device, object);
	return object;
}

static cJSON *cpu_to_json(const struct result_cpu *cpu)
{
	cJSON *object = cJSON_CreateObject();

	members_write(schema_cpu, cpu, object);
	return object;
}

static cJSON *functions_to_json(const struct result_sampling *sampling)
{
	cJSON *list = cJSON_CreateArray();

	for (unsigned i = 0; i < sampling->n_functions; i++) {
		cJSON *object = cJSON_CreateObject();

		members_write(schema_function, &sampling->functions[i], object);
		cJSON_AddItemToArray(list, object);
	}
	return list;
}

/* What was looked at beside the work itself, where anybody asked for it. */
static void add_observed(cJSON *object, const struct result_repeat *repeat)
{
	cJSON *map;

	if (repeat->sampling.event[0]) {
		members_write(schema_sampling, &repeat->sampling,
			      cJSON_AddObjectToObject(object, "sampling"));
		cJSON_AddItemToObject(object, "functions", functions_to_json(&repeat->sampling));
	}
	if (!repeat->counted)
		return;
	map = cJSON_AddObjectToObject(object, "counters");
	for (unsigned i = 0; i < repeat->n_counters; i++)
		cJSON_AddNumberToObject(map, repeat->counters[i].name,
					(double)repeat->counters[i].delta);
}

static cJSON *repeat_to_json(const struct result_repeat *repeat, bool with_histograms)
{
	cJSON *object = cJSON_CreateObject(), *list;

	members_write(schema_repeat, repeat, object);
	cJSON_AddItemToObject(object, "runner", usage_to_json(&repeat->runner));
	cJSON_AddItemToObject(object, "cpu", cpu_to_json(&repeat->cpu));
	add_observed(object, repeat);
	if (repeat->page_tables.known)
		members_write(schema_page_tables, &repeat->page_tables,
			      cJSON_AddObjectToObject(object, "page_tables"));
	if (repeat->warmup.known)
		members_write(schema_warmup, &repeat->warmup,
			      cJSON_AddObjectToObject(object, "warmup"));
	add_drawn(object, "device_request_bytes",
		  summary_metric("request_bytes")->value(repeat, NULL, NULL));
	list = cJSON_AddArrayToObject(object, "devices");
	for (unsigned i = 0; i < repeat->n_devices; i++)
		cJSON_AddItemToArray(list, device_to_json(&repeat->devices[i]));
	list = cJSON_AddArrayToObject(object, "audits");
	for (unsigned i = 0; i < repeat->n_audits; i++)
		cJSON_AddItemToArray(list, audit_to_json(&repeat->audits[i]));
	list = cJSON_AddArrayToObject(object, "streams");
	for (unsigned i = 0; i < repeat->n_streams; i++)
		cJSON_AddItemToArray(list,
				     stream_to_json(repeat, &repeat->streams[i], with_histograms));
	return object;
}

cJSON *result_repeat_to_json(const struct result_repeat *repeat, bool with_histograms)
{
	cJSON *object = repeat_to_json(repeat, with_histograms);

	cJSON_AddItemToObject(object, "interval_columns", interval_columns());
	return object;
}

static cJSON *median_to_json(const struct result_point *point, const struct result_repeat *shape,
			     unsigned stream, unsigned op_class)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddStringToObject(object, "stream", shape->streams[stream].label);
	cJSON_AddStringToObject(object, "class", shape->streams[stream].classes[op_class].name);
	for (unsigned i = 0; median_metrics[i]; i++)
		add_drawn(object, median_metrics[i],
			  summary_spread(point, stream, op_class, summary_metric(median_metrics[i]))
				  .median);
	for (unsigned i = 0; op_class == 0 && i < shape->streams[stream].n_derived; i++) {
		struct metric metric = summary_derived_metric(&shape->streams[stream].derived[i]);

		add_drawn(object, metric.name,
			  summary_spread(point, stream, op_class, &metric).median);
	}
	return object;
}

/* All ok repeats of a point have the same streams and classes: the first one shows which. */
static cJSON *medians_to_json(const struct result_point *point)
{
	const struct result_repeat *shape = NULL;
	cJSON *list = cJSON_CreateArray();

	for (unsigned i = 0; i < point->n_repeats && !shape; i++)
		if (result_repeat_counts(&point->repeats[i]))
			shape = &point->repeats[i];
	for (unsigned i = 0; shape && i < shape->n_streams; i++)
		for (unsigned j = 0; j < shape->streams[i].n_classes; j++)
			cJSON_AddItemToArray(list, median_to_json(point, shape, i, j));
	return list;
}

static cJSON *point_to_json(const struct result_point *point)
{
	cJSON *object = cJSON_CreateObject(), *child;

	members_write(schema_point, point, object);
	child = cJSON_AddObjectToObject(object, "coordinates");
	for (unsigned i = 0; i < point->n_coordinates; i++)
		cJSON_AddStringToObject(child, point->coordinates[i].axis,
					point->coordinates[i].value);
	cJSON_AddItemToObject(object, "medians", medians_to_json(point));
	add_copy(object, "effective", point->effective);
	child = cJSON_AddArrayToObject(object, "repeats");
	for (unsigned i = 0; i < point->n_repeats; i++)
		cJSON_AddItemToArray(child, repeat_to_json(&point->repeats[i], false));
	return object;
}

static cJSON *variant_to_json(const struct result_variant *variant)
{
	cJSON *object = cJSON_CreateObject(), *points;

	members_write(schema_variant, variant, object);
	add_copy(object, "settings", variant->settings);
	points = cJSON_AddArrayToObject(object, "points");
	for (unsigned i = 0; i < variant->n_points; i++)
		cJSON_AddItemToArray(points, point_to_json(&variant->points[i]));
	return object;
}

cJSON *result_to_json(const struct result *result)
{
	cJSON *root = cJSON_CreateObject(), *list;

	if (!root)
		return NULL;
	cJSON_AddStringToObject(root, "schema", RESULT_SCHEMA);
	members_write(schema_result, result, root);
	list = cJSON_AddArrayToObject(root, "primary");
	for (unsigned i = 0; i < 8 && result->primary[i][0]; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(result->primary[i]));
	add_copy(root, "notes", result->notes);
	add_copy(root, "fingerprint", result->fingerprint);
	add_copy(root, "effective", result->effective);
	if (result->calibration)
		cJSON_AddItemToObject(root, "calibration",
				      calibration_to_json(result->calibration));
	cJSON_AddItemToObject(root, "interval_columns", interval_columns());
	list = cJSON_AddArrayToObject(root, "variants");
	for (unsigned i = 0; i < result->n_variants; i++)
		cJSON_AddItemToArray(list, variant_to_json(&result->variants[i]));
	return root;
}
