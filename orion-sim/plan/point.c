/* SPDX-License-Identifier: MIT */
/* point.c - one expanded point, read exactly. */
#include "plan/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/field.h"
#include "base/json.h"
#include "base/topology.h"
#include "engine/engine.h"
#include "memory/memory.h"
#include "memory/place.h"
#include "plan/effective.h"
#include "plan/parts.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "workload/volume.h"
#include "workload/workload.h"

struct point_words {
	char label[64];
	uint64_t repeats;
};

struct stream_words {
	char label[32];
	char region[32];
	uint64_t workers;
	int as;
	bool pin;
	char cpus[128];
};

const struct field point_fields[] = {
	FIELD_TEXT("label", struct point_words, label, "", "shown for the point"),
	FIELD_COUNT("repeats", struct point_words, repeats, "1", 1, 10000,
		    "times that the point is run; else the profile's"),
	FIELD_END};

const struct field region_fields[] = {
	FIELD_SIZE("size", struct plan_region, size_bytes, "256M", 4096, UINT64_C(1) << 46,
		   "bytes, rounded up to whole pages"),
	FIELD_COUNT("size_percent", struct plan_region, size_percent, "0", 0, 90,
		    "in place of size: percent of the memory that is "
		    "available at the start, rounded down to a power "
		    "of two"),
	FIELD_END};

const char *const stream_as_names[] = {
	[WORKER_THREAD] = "threads", [WORKER_PROCESS] = "processes", [WORKER_PROCESS + 1] = NULL};

const struct field stream_fields[] = {
	FIELD_TEXT("label", struct stream_words, label, "",
		   "shown for the stream; else the workload's name"),
	FIELD_TEXT("region", struct stream_words, region, "",
		   "region that buffers come from; else the only one"),
	FIELD_COUNT("workers", struct stream_words, workers, "1", 1, 4096,
		    "threads or processes that do the same"),
	FIELD_CHOICE("as", struct stream_words, as, "threads", stream_as_names,
		     "what the workers are; processes have page tables of their own"),
	FIELD_TEXT("cpus", struct stream_words, cpus, "",
		   "CPUs for the workers: 0-3,8, node:0-1, near or far (of the targets' device); "
		   "else all that are allowed"),
	FIELD_BOOL("pin", struct stream_words, pin, "true", "give every worker a CPU of its own"),
	FIELD_END};

/* Who reads, for short parameter lists. */
struct reader {
	const struct profile *profile;
	const struct json_document *document;
	struct plan_point *point;
	struct error *error;
};

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static int region_name_check(const struct reader *reader, const cJSON *node)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t length = strlen(node->string);

	if (length && length < 32 && strspn(node->string, letters) == length)
		return 0;
	return json_fail(reader->document, node, reader->error, ERROR_INPUT,
			 "'%s' is no name for a region; use 1 to 31 of a-z, A-Z, 0-9, _ and -",
			 node->string);
}

/* Which nodes there are is the matter of the machine that runs. */
static int region_numa_read(const struct reader *reader, const cJSON *node, struct choice *ret)
{
	const cJSON *numa = member(node, "numa");
	struct error inner = {0};
	int status;

	if (!numa)
		return catalog_choose(place_catalog.entries[0], ret, reader->error);
	status = catalog_read(&place_catalog, reader->document, numa, ret, reader->error);
	if (status < 0 || place_form_check(ret, &inner) >= 0)
		return status;
	return json_fail(reader->document, numa, reader->error, ERROR_INPUT, "%s", inner.text);
}

static int region_read(const struct reader *reader, const cJSON *node, struct plan_region *ret)
{
	static const char *const others[] = {"memory", "numa", NULL};
	const cJSON *memory = member(node, "memory");
	int status = region_name_check(reader, node);

	if (status < 0)
		return status;
	if (!cJSON_IsObject(node))
		return json_fail(reader->document, node, reader->error, ERROR_INPUT,
				 "must be an object like {\"memory\": \"hugetlb\", \"size\": "
				 "\"256M\"}");
	snprintf(ret->name, sizeof(ret->name), "%s", node->string);
	field_presets(region_fields, ret);
	status = field_read(region_fields, reader->document, node, others, ret, reader->error);
	if (status < 0)
		return status;
	if (!memory)
		return json_fail(reader->document, node, reader->error, ERROR_INPUT,
				 "has no \"memory\"; add a kind (orion-sim list memory shows "
				 "them) or an axis of that name");
	status = catalog_read(&memory_catalog, reader->document, memory, &ret->memory,
			      reader->error);
	return status < 0 ? status : region_numa_read(reader, node, &ret->numa);
}

static int regions_read(const struct reader *reader, const cJSON *node)
{
	struct plan_point *point = reader->point;
	const cJSON *region;
	int n = cJSON_GetArraySize(node);

	if (!node)
		return 0;
	if (!cJSON_IsObject(node) || n > PLAN_REGIONS_MAX)
		return json_fail(reader->document, node, reader->error, ERROR_INPUT,
				 "must be an object of at most %d regions, like {\"sga\": "
				 "{\"memory\": \"hugetlb\", \"size\": \"256M\"}}",
				 PLAN_REGIONS_MAX);
	point->regions = calloc((size_t)n + 1, sizeof(*point->regions));
	if (!point->regions)
		return error_set(reader->error, -ENOMEM, "no memory for %d regions", n);
	cJSON_ArrayForEach (region, node) {
		int status = region_read(reader, region, &point->regions[point->n_regions]);

		/* One that was read in part is freed with the others. */
		point->n_regions++;
		if (status < 0)
			return status;
	}
	return 0;
}

static void region_free(struct plan_region *region)
{
	choice_free(&region->memory);
	choice_free(&region->numa);
}

static void region_names(const struct plan_point *point, char *text, size_t size)
{
	size_t used = 0;

	snprintf(text, size, "none");
	for (unsigned i = 0; i < point->n_regions && used < size; i++) {
		int n = snprintf(text + used, size - used, "%s%s", i ? ", " : "",
				 point->regions[i].name);

		used += n > 0 ? (size_t)n : size;
	}
}

static int stream_region_find(const struct reader *reader, const cJSON *node, const char *name,
			      struct plan_stream *stream)
{
	const struct plan_point *point = reader->point;
	const cJSON *said = member(node, "region");
	char names[256];

	stream->region = -1;
	region_names(point, names, sizeof(names));
	if (*name) {
		for (unsigned i = 0; i < point->n_regions; i++)
			if (!strcmp(point->regions[i].name, name))
				stream->region = (int)i;
		if (stream->region >= 0)
			return 0;
		return json_fail(reader->document, said, reader->error, ERROR_INPUT,
				 "the point has no region '%s' (there is: %s); name one of them or "
				 "add it to \"regions\"",
				 name, names);
	}
	if (!workload_ops_of(&stream->workload)->needs_region)
		return 0;
	if (point->n_regions == 1) {
		stream->region = 0;
		return 0;
	}
	return json_fail(reader->document, said ? said : node, reader->error, ERROR_INPUT,
			 "names no \"region\" for its buffers (there is: %s); %s", names,
			 point->n_regions ? "name one of them"
					  : "add one to the point's \"regions\"");
}

static int stream_choices_read(const struct reader *reader, const cJSON *node,
			       struct plan_stream *stream)
{
	const cJSON *workload = member(node, "workload"), *engine = member(node, "engine");
	const cJSON *layout = member(node, "layout");
	int status;

	if (!workload)
		return json_fail(reader->document, node, reader->error, ERROR_INPUT,
				 "has no \"workload\"; add one (orion-sim list workloads shows "
				 "them)");
	status = catalog_read(&workload_catalog, reader->document, workload, &stream->workload,
			      reader->error);
	if (status < 0)
		return status;
	if (engine && !cJSON_IsNull(engine))
		status = catalog_read(&engine_catalog, reader->document, engine, &stream->engine,
				      reader->error);
	if (status == 0 && layout)
		status = catalog_read(&layout_catalog, reader->document, layout, &stream->layout,
				      reader->error);
	/* An axis may give every stream an engine; one that does no I/O has no use for it. */
	if (status == 0 && !workload_ops_of(&stream->workload)->needs_targets) {
		choice_free(&stream->engine);
		choice_free(&stream->layout);
	} else if (status == 0 && !stream->engine.entry)
		return json_fail(reader->document, engine ? engine : node, reader->error,
				 ERROR_INPUT,
				 "has no \"engine\"; add one (orion-sim list engines shows them) "
				 "or an axis of that name");
	return status;
}

/* Copies the paths of a checked list. */
static int stream_targets_copy(const struct reader *reader, const cJSON *list,
			       struct plan_stream *stream)
{
	const cJSON *target;

	stream->targets = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*stream->targets));
	if (!stream->targets)
		return error_set(reader->error, -ENOMEM, "no memory for the targets");
	cJSON_ArrayForEach (target, list) {
		stream->targets[stream->n_targets] = strdup(target->valuestring);
		if (!stream->targets[stream->n_targets])
			return error_set(reader->error, -ENOMEM, "no memory for the targets");
		stream->n_targets++;
	}
	return 0;
}

/* The stream's own targets, else the profile's; none for an engine that models them. */
static int stream_targets_read(const struct reader *reader, const cJSON *node,
			       struct plan_stream *stream)
{
	const struct profile *profile = reader->profile;
	const cJSON *own = member(node, "targets"), *list = own;
	int status = targets_check(reader->document, own, reader->error);

	if (status < 0 || !workload_ops_of(&stream->workload)->needs_targets ||
	    engine_ops_of(&stream->engine)->model_target_bytes)
		return status;
	if (profile->targets_given || !cJSON_GetArraySize(list))
		list = profile->targets;
	if (!cJSON_GetArraySize(list))
		return json_fail(reader->document, own ? own : node, reader->error, ERROR_INPUT,
				 "has no targets, but engine %s needs files; give --target FILE or "
				 "\"targets\" (orion-sim prepare FILE makes one)",
				 stream->engine.entry->name);
	return stream_targets_copy(reader, list, stream);
}

/* Only the form: the machine that plans need not be the one that runs. */
static int stream_cpus_check(const struct reader *reader, const cJSON *node, const char *cpus)
{
	struct error inner = {0};
	struct node_set nodes;
	int status;

	if (!*cpus || !strcmp(cpus, "near") || !strcmp(cpus, "far"))
		return 0;
	if (!strncmp(cpus, "node:", 5))
		status = topology_parse_nodes(NULL, cpus + 5, &nodes, &inner);
	else
		status = cpus_form_check(cpus, &inner);
	if (status >= 0)
		return 0;
	return json_fail(reader->document, member(node, "cpus"), reader->error, status, "%s",
			 inner.text);
}

/* Every process that writes private memory gets pages of its own. */
static int stream_sharing_check(const struct reader *reader, const cJSON *node,
				const struct plan_stream *stream)
{
	const struct plan_region *regions = reader->point->regions;

	if (stream->worker_kind != WORKER_PROCESS || stream->region < 0 ||
	    !memory_ops_of(&regions[stream->region].memory)->is_private)
		return 0;
	return json_fail(reader->document, member(node, "as"), reader->error, ERROR_INPUT,
			 "processes cannot share region '%s', which is private; write threads",
			 regions[stream->region].name);
}

static bool label_taken(const struct plan_point *point, const struct plan_stream *stream)
{
	for (unsigned i = 0; i < point->n_streams; i++)
		if (!strcmp(point->streams[i].label, stream->label))
			return true;
	return false;
}

static int stream_label_set(const struct reader *reader, const cJSON *node, const char *label,
			    struct plan_stream *stream)
{
	const cJSON *said = member(node, "label");

	snprintf(stream->label, sizeof(stream->label), "%s",
		 *label ? label : stream->workload.entry->name);
	for (unsigned i = 2; !*label && label_taken(reader->point, stream); i++)
		snprintf(stream->label, sizeof(stream->label), "%.20s-%u",
			 stream->workload.entry->name, i);
	if (label_taken(reader->point, stream))
		return json_fail(reader->document, said ? said : node, reader->error, ERROR_INPUT,
				 "another stream of the point is called '%s', too; give this one a "
				 "label of its own",
				 stream->label);
	return label_check(reader->document, said, stream->label, reader->error);
}

/* Whatever ret holds after a failure is freed with the point. */
static int stream_read(const struct reader *reader, const cJSON *node, struct plan_stream *ret)
{
	static const char *const others[] = {"workload", "engine", "targets", "layout", NULL};
	struct stream_words words = {0};
	int status;

	if (!cJSON_IsObject(node))
		return json_fail(reader->document, node, reader->error, ERROR_INPUT,
				 "must be an object like {\"workload\": \"io\", \"engine\": "
				 "\"io_uring\"}");
	field_presets(stream_fields, &words);
	status = field_read(stream_fields, reader->document, node, others, &words, reader->error);
	if (status < 0)
		return status;
	ret->workers = (unsigned)words.workers;
	ret->worker_kind = (enum worker_kind)words.as;
	ret->pin = words.pin;
	memcpy(ret->cpus, words.cpus, sizeof(ret->cpus));
	status = stream_choices_read(reader, node, ret);
	if (!status)
		status = stream_label_set(reader, node, words.label, ret);
	if (!status)
		status = stream_region_find(reader, node, words.region, ret);
	if (!status)
		status = stream_sharing_check(reader, node, ret);
	if (!status)
		status = stream_cpus_check(reader, node, ret->cpus);
	if (!status)
		status = stream_targets_read(reader, node, ret);
	return status;
}

static void stream_free(struct plan_stream *stream)
{
	choice_free(&stream->workload);
	choice_free(&stream->engine);
	choice_free(&stream->layout);
	for (unsigned i = 0; i < stream->n_targets; i++)
		free(stream->targets[i]);
	free(stream->targets);
}

static int streams_read(const struct reader *reader, const cJSON *body)
{
	const cJSON *node = member(body, "streams"), *stream;
	struct plan_point *point = reader->point;
	int n = cJSON_GetArraySize(node);

	if (!cJSON_IsArray(node) || !n || n > STREAMS_MAX)
		return json_fail(reader->document, node ? node : body, reader->error, ERROR_INPUT,
				 "a point needs \"streams\", a list of 1 to %d objects like "
				 "{\"workload\": \"io\", \"engine\": \"io_uring\"}",
				 STREAMS_MAX);
	point->streams = calloc((size_t)n, sizeof(*point->streams));
	if (!point->streams)
		return error_set(reader->error, -ENOMEM, "no memory for %d streams", n);
	cJSON_ArrayForEach (stream, node) {
		struct plan_stream *ret = &point->streams[point->n_streams];
		int status = stream_read(reader, stream, ret);

		if (status < 0) {
			stream_free(ret);
			return status;
		}
		point->n_streams++;
	}
	return 0;
}

static int regions_used_check(const struct reader *reader, const cJSON *body)
{
	const struct plan_point *point = reader->point;
	const cJSON *regions = member(body, "regions");

	for (unsigned i = 0; i < point->n_regions; i++) {
		bool used = false;

		for (unsigned k = 0; k < point->n_streams; k++)
			used |= point->streams[k].region == (int)i;
		if (!used)
			return json_fail(reader->document, member(regions, point->regions[i].name),
					 reader->error, ERROR_INPUT,
					 "no stream uses region '%s'; remove it, or name it as the "
					 "\"region\" of a stream",
					 point->regions[i].name);
	}
	return 0;
}

static int words_read(const struct reader *reader, const cJSON *body)
{
	static const char *const others[] = {"phases", "axes", "regions", "streams", NULL};
	struct point_words words = {.repeats = reader->profile->repeats};
	struct phases phases = reader->profile->phases;
	int status =
		field_read(point_fields, reader->document, body, others, &words, reader->error);

	if (!status)
		status = label_check(reader->document, member(body, "label"), words.label,
				     reader->error);
	if (!status)
		status = phases_read(reader->document, member(body, "phases"), &phases,
				     reader->error);
	if (status < 0)
		return status;
	memcpy(reader->point->label, words.label, sizeof(words.label));
	reader->point->repeats = (unsigned)words.repeats;
	reader->point->sampled = reader->profile->observed.sampled;
	reader->point->warmup = phases.warmup;
	reader->point->measure_ns = phases.measure_ns;
	return 0;
}

int point_read(const struct profile *profile, const cJSON *body, struct plan_point *ret,
	       struct error *error)
{
	struct plan_point point = {0};
	struct reader reader = {
		.profile = profile, .document = profile->document, .point = &point, .error = error};
	int status = words_read(&reader, body);

	if (!status)
		status = regions_read(&reader, member(body, "regions"));
	if (!status)
		status = streams_read(&reader, body);
	if (!status)
		status = regions_used_check(&reader, body);
	if (status < 0) {
		point_free(&point);
		return status;
	}
	*ret = point;
	return 0;
}

void point_free(struct plan_point *point)
{
	for (unsigned i = 0; i < point->n_regions; i++)
		region_free(&point->regions[i]);
	for (unsigned i = 0; i < point->n_streams; i++)
		stream_free(&point->streams[i]);
	free(point->regions);
	free(point->streams);
	free(point->coordinates);
	cJSON_Delete(point->effective);
	memset(point, 0, sizeof(*point));
}
