/* SPDX-License-Identifier: MIT */
/* result_histograms.c - the sibling document that holds every histogram of a result. */
#include "stats/result_histograms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json.h"
#include "stats/histogram.h"
#include "stats/result.h"
#include "stats/result_schema.h"

void histogram_write(const struct histogram *histogram, cJSON *object)
{
	uint32_t last = 0;
	cJSON *cells;

	members_write(schema_histogram, histogram, object);
	cells = cJSON_AddArrayToObject(object, "cells");
	for (uint32_t cell = 0; cell < HISTOGRAM_CELLS; cell++) {
		if (!histogram->cells[cell])
			continue;
		cJSON_AddItemToArray(cells, cJSON_CreateNumber(cell - last));
		cJSON_AddItemToArray(cells, cJSON_CreateNumber((double)histogram->cells[cell]));
		last = cell;
	}
}

static bool whole_below(const cJSON *node, double bound)
{
	return cJSON_IsNumber(node) && node->valuedouble >= 0 && node->valuedouble < bound &&
	       node->valuedouble == floor(node->valuedouble);
}

static int cells_read(const struct json_document *document, const cJSON *cells,
		      struct histogram *histogram, struct error *error)
{
	uint64_t cell = 0, sum = histogram->overflow;

	if (!cJSON_IsArray(cells))
		return json_fail(document, cells, error, ERROR_INPUT, "must be a list");
	for (const cJSON *step = cells->child; step; step = step->next->next) {
		if (!whole_below(step, HISTOGRAM_CELLS) || !whole_below(step->next, 0x1p63))
			return json_fail(document, step, error, ERROR_INPUT,
					 "must be pairs of whole numbers: step, count");
		cell += (uint64_t)step->valuedouble;
		if (cell >= HISTOGRAM_CELLS)
			return json_fail(document, step, error, ERROR_INPUT,
					 "leads beyond the last of %d cells", HISTOGRAM_CELLS);
		histogram->cells[cell] += (uint64_t)step->next->valuedouble;
		sum += (uint64_t)step->next->valuedouble;
	}
	if (sum != histogram->count)
		return json_fail(document, cells, error, ERROR_INPUT,
				 "add up to %llu values where count says %llu",
				 (unsigned long long)sum, (unsigned long long)histogram->count);
	return 0;
}

int histogram_read(const struct json_document *document, const cJSON *object, struct histogram *ret,
		   struct error *error)
{
	const cJSON *cells;
	int rc;

	histogram_reset(ret);
	rc = members_read(schema_histogram, document, object, ret, error);
	if (rc < 0)
		return rc;
	cells = cJSON_GetObjectItemCaseSensitive(object, "cells");
	if (!cells)
		return json_fail(document, object, error, ERROR_INPUT, "lacks the key \"cells\"");
	return cells_read(document, cells, ret, error);
}

/* Where a histogram belongs: places from 0 in the result, and the name of the class. */
struct place {
	unsigned variant, point, repeat, stream;
	char op_class[16];
};

/* clang-format off */
static const struct member place_members[] = {
	{"variant", MEMBER_UNSIGNED, offsetof(struct place, variant), sizeof(unsigned)},
	{"point", MEMBER_UNSIGNED, offsetof(struct place, point), sizeof(unsigned)},
	{"repeat", MEMBER_UNSIGNED, offsetof(struct place, repeat), sizeof(unsigned)},
	{"stream", MEMBER_UNSIGNED, offsetof(struct place, stream), sizeof(unsigned)},
	{"class", MEMBER_TEXT, offsetof(struct place, op_class), sizeof(((struct place *)0)->op_class)},
	{.key = NULL},
};

static const struct member run_members[] = {
	{"started_utc", MEMBER_TEXT, offsetof(struct result, started_utc), sizeof(((struct result *)0)->started_utc)},
	{"seed", MEMBER_U64_TEXT, offsetof(struct result, seed), sizeof(uint64_t)},
	{.key = NULL},
};
/* clang-format on */

static void write_stream(const struct result_stream *stream, struct place *place, cJSON *list)
{
	for (unsigned i = 0; i < stream->n_classes; i++) {
		const struct result_class *class = &stream->classes[i];
		cJSON *object;

		if (!class->histogram)
			continue;
		memcpy(place->op_class, class->name, sizeof(place->op_class));
		object = cJSON_CreateObject();
		members_write(place_members, place, object);
		histogram_write(class->histogram, object);
		cJSON_AddItemToArray(list, object);
	}
}

static void write_point(const struct result_point *point, struct place *place, cJSON *list)
{
	for (place->repeat = 0; place->repeat < point->n_repeats; place->repeat++) {
		const struct result_repeat *repeat = &point->repeats[place->repeat];

		if (repeat->sampled)
			continue;
		for (place->stream = 0; place->stream < repeat->n_streams; place->stream++)
			write_stream(&repeat->streams[place->stream], place, list);
	}
}

cJSON *result_histograms_to_json(const struct result *result)
{
	cJSON *root = cJSON_CreateObject(), *list;
	struct place place;

	if (!root)
		return NULL;
	cJSON_AddStringToObject(root, "schema", RESULT_SCHEMA);
	members_write(run_members, result, root);
	list = cJSON_AddArrayToObject(root, "histograms");
	for (place.variant = 0; place.variant < result->n_variants; place.variant++) {
		const struct result_variant *variant = &result->variants[place.variant];

		for (place.point = 0; place.point < variant->n_points; place.point++)
			write_point(&variant->points[place.point], &place, list);
	}
	return root;
}

static struct result_class *find_class(struct result *result, const struct place *place)
{
	struct result_point *point;
	struct result_repeat *repeat;
	struct result_stream *stream;

	if (place->variant >= result->n_variants ||
	    place->point >= result->variants[place->variant].n_points)
		return NULL;
	point = &result->variants[place->variant].points[place->point];
	if (place->repeat >= point->n_repeats)
		return NULL;
	repeat = &point->repeats[place->repeat];
	if (place->stream >= repeat->n_streams)
		return NULL;
	stream = &repeat->streams[place->stream];
	for (unsigned i = 0; i < stream->n_classes; i++)
		if (strcmp(stream->classes[i].name, place->op_class) == 0)
			return &stream->classes[i];
	return NULL;
}

static int read_one(const struct json_document *document, const cJSON *object,
		    struct result *result, struct error *error)
{
	struct place place;
	struct result_class *class;
	int rc = members_read(place_members, document, object, &place, error);

	if (rc < 0)
		return rc;
	class = find_class(result, &place);
	if (!class || class->histogram)
		return json_fail(document, object, error, ERROR_INPUT,
				 class ? "is there twice"
				       : "belongs to no class of the result beside it");
	class->histogram = malloc(sizeof(*class->histogram));
	if (!class->histogram)
		return error_set(error, -ENOMEM, "no memory for the histograms of %s",
				 json_name(document));
	return histogram_read(document, object, class->histogram, error);
}

/* Same start and seed: the histograms are those of this run and not of an earlier one. */
static int check_run(const struct json_document *document, const struct result *result,
		     struct error *error)
{
	struct result other = {0};
	int rc = schema_check(document, error);

	if (rc == 0)
		rc = members_read(run_members, document, json_root(document), &other, error);
	if (rc < 0)
		return rc;
	if (other.seed == result->seed && strcmp(other.started_utc, result->started_utc) == 0)
		return 0;
	return error_set(error, ERROR_INPUT,
			 "%s belongs to another run (started %s, the result beside it %s): move it "
			 "away",
			 json_name(document), other.started_utc, result->started_utc);
}

int histograms_from_document(const struct json_document *document, struct result *result,
			     struct error *error)
{
	const cJSON *list, *object;
	int rc = check_run(document, result, error);

	if (rc < 0)
		return rc;
	list = cJSON_GetObjectItemCaseSensitive(json_root(document), "histograms");
	if (!cJSON_IsArray(list))
		return json_fail(document, list ? list : json_root(document), error, ERROR_INPUT,
				 "must have a list \"histograms\"");
	cJSON_ArrayForEach (object, list) {
		rc = read_one(document, object, result, error);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int result_histograms_from_json(const char *name, const char *text, struct result *result,
				struct error *error)
{
	CLEANUP(cleanup_json) struct json_document *document = NULL;
	int rc = json_parse(name, text, &document, error);

	return rc < 0 ? rc : histograms_from_document(document, result, error);
}
