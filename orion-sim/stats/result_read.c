/* SPDX-License-Identifier: MIT */
/* result_read.c - a document of schema orion-sim/1 read back into a result. */
#include "stats/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json.h"
#include "stats/calibration.h"
#include "stats/result_schema.h"

/* What every reader needs: the document for its messages, and which column of a row is which. */
struct reading {
	const struct json_document *document;
	struct error *error;
	int column[SCHEMA_INTERVAL_COLUMNS]; /* place in a row of each member of schema_interval */
};

/* A child that must be there and be of the type that is_type tells. */
static const cJSON *child_of(const struct reading *reading, const cJSON *object, const char *key,
			     cJSON_bool (*is_type)(const cJSON *), const char *type)
{
	const cJSON *child = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!child)
		json_fail(reading->document, object, reading->error, ERROR_INPUT,
			  "lacks the key \"%s\"", key);
	else if (!is_type(child))
		json_fail(reading->document, child, reading->error, ERROR_INPUT, "must be %s",
			  type);
	else
		return child;
	return NULL;
}

static int read_members(const struct reading *reading, const struct member *members,
			const cJSON *object, void *into)
{
	return members_read(members, reading->document, object, into, reading->error);
}

static int read_child(const struct reading *reading, const cJSON *object, const char *key,
		      const struct member *members, void *into)
{
	const cJSON *child = child_of(reading, object, key, cJSON_IsObject, "an object");

	return child ? read_members(reading, members, child, into) : ERROR_INPUT;
}

/* A child that earlier documents lack; ret_there tells. */
static int read_later_child(const struct reading *reading, const cJSON *object, const char *key,
			    const struct member *members, void *into, bool *ret_there)
{
	*ret_there = cJSON_GetObjectItemCaseSensitive(object, key) != NULL;
	return *ret_there ? read_child(reading, object, key, members, into) : 0;
}

/* Every element must be of the type; so the memory asked for is in proportion to the document. */
static int count_elements(const struct reading *reading, const cJSON *list,
			  cJSON_bool (*is_type)(const cJSON *), const char *type, unsigned *ret_n)
{
	const cJSON *item;
	unsigned n = 0;

	cJSON_ArrayForEach (item, list) {
		if (!is_type(item))
			return json_fail(reading->document, item, reading->error, ERROR_INPUT,
					 "must be %s", type);
		n++;
	}
	*ret_n = n;
	return 0;
}

/*
 * Reads a list of objects into zeroed elements, each by read_one. ret_elements points to the
 * owner's pointer: on failure the owner frees what is there so far, like everything else of the
 * result.
 */
static int read_list(const struct reading *reading, const cJSON *object, const char *key,
		     size_t element_size,
		     int (*read_one)(const struct reading *, const cJSON *, void *),
		     void *ret_elements, unsigned *ret_n)
{
	const cJSON *list = child_of(reading, object, key, cJSON_IsArray, "a list"), *item;
	char *elements;
	unsigned n = 0;
	int rc = list ? 0 : ERROR_INPUT;

	if (rc == 0)
		rc = count_elements(reading, list, cJSON_IsObject, "an object", &n);
	if (rc < 0 || n == 0)
		return rc;
	elements = calloc(n, element_size);
	if (!elements)
		return error_set(reading->error, -ENOMEM, "no memory for the \"%s\" of %s", key,
				 json_name(reading->document));
	memcpy(ret_elements, &elements, sizeof(elements));
	*ret_n = n;
	cJSON_ArrayForEach (item, list) {
		rc = read_one(reading, item, elements);
		if (rc < 0)
			return rc;
		elements += element_size;
	}
	return 0;
}

static int read_interval(const struct reading *reading, const cJSON *row,
			 struct result_interval *interval)
{
	for (int i = 0; i < SCHEMA_INTERVAL_COLUMNS; i++) {
		const cJSON *node = cJSON_GetArrayItem(row, reading->column[i]);
		int rc;

		if (!node)
			return json_fail(reading->document, row, reading->error, ERROR_INPUT,
					 "must have a number for each of interval_columns");
		rc = member_read(&schema_interval[i], reading->document, node, interval,
				 reading->error);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_intervals(const struct reading *reading, const cJSON *object,
			  struct result_class *class)
{
	const cJSON *list = child_of(reading, object, "intervals", cJSON_IsArray, "a list"), *row;
	unsigned n = 0;
	int rc = list ? 0 : ERROR_INPUT;

	if (rc == 0)
		rc = count_elements(reading, list, cJSON_IsArray, "a list", &n);
	if (rc < 0 || n == 0)
		return rc;
	class->intervals = calloc(n, sizeof(*class->intervals));
	if (!class->intervals)
		return error_set(reading->error, -ENOMEM, "no memory for the intervals of %s",
				 json_name(reading->document));
	cJSON_ArrayForEach (row, list) {
		rc = read_interval(reading, row, &class->intervals[class->n_intervals++]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_class(const struct reading *reading, const cJSON *object, void *into)
{
	int rc = read_members(reading, schema_class, object, into);

	return rc < 0 ? rc : read_intervals(reading, object, into);
}

static int read_derived(const struct reading *reading, const cJSON *object, void *into)
{
	return read_members(reading, schema_derived, object, into);
}

static int read_stream(const struct reading *reading, const cJSON *object, void *into)
{
	struct result_stream *stream = into;
	int rc = read_members(reading, schema_stream, object, stream);
	bool has_events;

	if (rc == 0)
		rc = read_child(reading, object, "usage", schema_usage, &stream->usage);
	if (rc == 0)
		rc = read_later_child(reading, object, "events", schema_events, &stream->events,
				      &has_events);
	if (rc == 0)
		rc = read_list(reading, object, "classes", sizeof(*stream->classes), read_class,
			       &stream->classes, &stream->n_classes);
	if (rc == 0 && cJSON_GetObjectItemCaseSensitive(object, "derived"))
		rc = read_list(reading, object, "derived", sizeof(*stream->derived), read_derived,
			       &stream->derived, &stream->n_derived);
	return rc;
}

static int read_device(const struct reading *reading, const cJSON *object, void *into)
{
	return read_members(reading, schema_device, object, into);
}

static int read_node(const struct reading *reading, const cJSON *object, void *into)
{
	return read_members(reading, schema_node, object, into);
}

static int read_audit(const struct reading *reading, const cJSON *object, void *into)
{
	struct result_audit *audit = into;
	struct result_placement *placement = &audit->placement;
	int rc = read_members(reading, schema_audit, object, audit);

	if (rc == 0)
		rc = read_later_child(reading, object, "placement", schema_placement, placement,
				      &placement->known);
	if (rc < 0 || !placement->known)
		return rc;
	return read_list(reading, cJSON_GetObjectItemCaseSensitive(object, "placement"), "nodes",
			 sizeof(*placement->nodes), read_node, &placement->nodes,
			 &placement->n_nodes);
}

static int read_text_into(const struct reading *reading, const cJSON *node, const char *what,
			  const char *text, char *into, size_t size)
{
	if (strlen(text) >= size)
		return json_fail(reading->document, node, reading->error, ERROR_INPUT,
				 "has a %s longer than %zu bytes", what, size - 1);
	memcpy(into, text, strlen(text) + 1);
	return 0;
}

static int read_function(const struct reading *reading, const cJSON *object, void *into)
{
	return read_members(reading, schema_function, object, into);
}

static int read_sampling(const struct reading *reading, const cJSON *object,
			 struct result_sampling *sampling)
{
	bool there;
	int rc = read_later_child(reading, object, "sampling", schema_sampling, sampling, &there);

	if (rc < 0 || !there)
		return rc;
	return read_list(reading, object, "functions", sizeof(*sampling->functions), read_function,
			 &sampling->functions, &sampling->n_functions);
}

static int read_counter(const struct reading *reading, const cJSON *item,
			struct result_counter *counter)
{
	if (!cJSON_IsNumber(item) || !(fabs(item->valuedouble) < 0x1p63))
		return json_fail(reading->document, item, reading->error, ERROR_INPUT,
				 "must be a number of 64 bits");
	counter->delta = (int64_t)item->valuedouble;
	return read_text_into(reading, item, "name", item->string, counter->name,
			      sizeof(counter->name));
}

static int read_counters(const struct reading *reading, const cJSON *object,
			 struct result_repeat *repeat)
{
	const cJSON *map, *item;
	int rc = 0;

	repeat->counted = cJSON_GetObjectItemCaseSensitive(object, "counters") != NULL;
	if (!repeat->counted)
		return 0;
	map = child_of(reading, object, "counters", cJSON_IsObject, "an object");
	if (!map)
		return ERROR_INPUT;
	repeat->counters = calloc((size_t)cJSON_GetArraySize(map) + 1, sizeof(*repeat->counters));
	if (!repeat->counters)
		return error_set(reading->error, -ENOMEM, "no memory for the counters of %s",
				 json_name(reading->document));
	cJSON_ArrayForEach (item, map)
		if (rc == 0)
			rc = read_counter(reading, item, &repeat->counters[repeat->n_counters++]);
	return rc;
}

static int read_repeat(const struct reading *reading, const cJSON *object, void *into)
{
	struct result_repeat *repeat = into;
	int rc = read_members(reading, schema_repeat, object, repeat);

	if (rc == 0)
		rc = read_child(reading, object, "runner", schema_usage, &repeat->runner);
	if (rc == 0)
		rc = read_child(reading, object, "cpu", schema_cpu, &repeat->cpu);
	if (rc == 0)
		rc = read_later_child(reading, object, "page_tables", schema_page_tables,
				      &repeat->page_tables, &repeat->page_tables.known);
	if (rc == 0)
		rc = read_later_child(reading, object, "warmup", schema_warmup, &repeat->warmup,
				      &repeat->warmup.known);
	if (rc == 0)
		rc = read_sampling(reading, object, &repeat->sampling);
	if (rc == 0)
		rc = read_counters(reading, object, repeat);
	if (rc == 0)
		rc = read_list(reading, object, "devices", sizeof(*repeat->devices), read_device,
			       &repeat->devices, &repeat->n_devices);
	if (rc == 0)
		rc = read_list(reading, object, "audits", sizeof(*repeat->audits), read_audit,
			       &repeat->audits, &repeat->n_audits);
	if (rc == 0)
		rc = read_list(reading, object, "streams", sizeof(*repeat->streams), read_stream,
			       &repeat->streams, &repeat->n_streams);
	return rc;
}

/* Their order is that of the axes. */
static int read_coordinates(const struct reading *reading, const cJSON *object,
			    struct result_point *point)
{
	const cJSON *map = child_of(reading, object, "coordinates", cJSON_IsObject, "an object");
	const cJSON *item;
	int rc = 0;

	if (!map)
		return ERROR_INPUT;
	point->coordinates =
		calloc((size_t)cJSON_GetArraySize(map) + 1, sizeof(*point->coordinates));
	if (!point->coordinates)
		return error_set(reading->error, -ENOMEM, "no memory for the coordinates of %s",
				 json_name(reading->document));
	cJSON_ArrayForEach (item, map) {
		struct result_coordinate *coordinate = &point->coordinates[point->n_coordinates++];

		if (!cJSON_IsString(item))
			return json_fail(reading->document, item, reading->error, ERROR_INPUT,
					 "must be a string");
		rc = read_text_into(reading, item, "name", item->string, coordinate->axis,
				    sizeof(coordinate->axis));
		if (rc == 0)
			rc = read_text_into(reading, item, "value", item->valuestring,
					    coordinate->value, sizeof(coordinate->value));
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Parts that are kept as they are. Null, or no such key, is NULL. */
static int copy_child(const struct reading *reading, const cJSON *object, const char *key,
		      cJSON **ret)
{
	const cJSON *child = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!child || cJSON_IsNull(child))
		return 0;
	if (!cJSON_IsObject(child) && !cJSON_IsArray(child))
		return json_fail(reading->document, child, reading->error, ERROR_INPUT,
				 "must be an object, a list or null");
	*ret = cJSON_Duplicate(child, true);
	return *ret ? 0
		    : error_set(reading->error, -ENOMEM, "no memory for the \"%s\" of %s", key,
				json_name(reading->document));
}

static int read_point(const struct reading *reading, const cJSON *object, void *into)
{
	struct result_point *point = into;
	int rc = read_members(reading, schema_point, object, point);

	if (rc == 0)
		rc = read_coordinates(reading, object, point);
	if (rc == 0)
		rc = copy_child(reading, object, "effective", &point->effective);
	if (rc == 0)
		rc = read_list(reading, object, "repeats", sizeof(*point->repeats), read_repeat,
			       &point->repeats, &point->n_repeats);
	return rc;
}

static int read_variant(const struct reading *reading, const cJSON *object, void *into)
{
	struct result_variant *variant = into;
	int rc = read_members(reading, schema_variant, object, variant);

	if (rc == 0)
		rc = copy_child(reading, object, "settings", &variant->settings);
	if (rc == 0)
		rc = read_list(reading, object, "points", sizeof(*variant->points), read_point,
			       &variant->points, &variant->n_points);
	return rc;
}

static int read_primary(const struct reading *reading, const cJSON *root, struct result *result)
{
	const cJSON *list = child_of(reading, root, "primary", cJSON_IsArray, "a list"), *item;
	size_t n = 0;
	int rc = list ? 0 : ERROR_INPUT;

	if (rc < 0)
		return rc;
	cJSON_ArrayForEach (item, list) {
		if (!cJSON_IsString(item) ||
		    n == sizeof(result->primary) / sizeof(*result->primary))
			return json_fail(reading->document, item, reading->error, ERROR_INPUT,
					 "must be one of at most 8 strings");
		rc = read_text_into(reading, item, "name", item->valuestring, result->primary[n++],
				    sizeof(*result->primary));
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int find_columns(struct reading *reading, const cJSON *root)
{
	const cJSON *list = child_of(reading, root, "interval_columns", cJSON_IsArray, "a list");

	for (int i = 0; list && i < SCHEMA_INTERVAL_COLUMNS; i++) {
		const cJSON *item;
		int place = 0;

		reading->column[i] = -1;
		cJSON_ArrayForEach (item, list) {
			if (cJSON_IsString(item) &&
			    strcmp(item->valuestring, schema_interval[i].key) == 0)
				reading->column[i] = place;
			place++;
		}
		if (reading->column[i] < 0)
			return json_fail(reading->document, list, reading->error, ERROR_INPUT,
					 "lacks the column \"%s\"", schema_interval[i].key);
	}
	return list ? 0 : ERROR_INPUT;
}

static int read_calibration(const struct reading *reading, const cJSON *root,
			    struct calibration **ret)
{
	const cJSON *child = cJSON_GetObjectItemCaseSensitive(root, "calibration");

	return child ? calibration_read(reading->document, child, ret, reading->error) : 0;
}

static int read_result(struct reading *reading, const cJSON *root, struct result *result)
{
	int rc = read_members(reading, schema_result, root, result);

	if (rc == 0)
		rc = read_primary(reading, root, result);
	if (rc == 0)
		rc = copy_child(reading, root, "notes", &result->notes);
	if (rc == 0)
		rc = copy_child(reading, root, "fingerprint", &result->fingerprint);
	if (rc == 0)
		rc = copy_child(reading, root, "effective", &result->effective);
	if (rc == 0)
		rc = read_calibration(reading, root, &result->calibration);
	if (rc == 0)
		rc = find_columns(reading, root);
	if (rc == 0)
		rc = read_list(reading, root, "variants", sizeof(*result->variants), read_variant,
			       &result->variants, &result->n_variants);
	return rc;
}

int result_from_document(struct json_document *document, struct result *ret, struct error *error)
{
	struct reading reading = {.document = document, .error = error};
	struct result result = {0};
	int rc = schema_check(document, error);

	if (rc == 0)
		rc = read_result(&reading, json_root(document), &result);
	if (rc < 0) {
		result_free(&result);
		return rc;
	}
	*ret = result;
	return 0;
}

int result_from_json(const char *name, const char *text, struct result *ret, struct error *error)
{
	CLEANUP(cleanup_json) struct json_document *document = NULL;
	int rc = json_parse(name, text, &document, error);

	return rc < 0 ? rc : result_from_document(document, ret, error);
}
