/* SPDX-License-Identifier: MIT */
/* axes.c - lists in a point's "axes" become points with coordinates. */
#include "plan/axes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/words.h"
#include "plan/coordinate.h"
#include "plan/parts.h"
#include "plan/path.h"

const struct axis_shorthand axes_shorthands[] = {
	{"block", "streams[*].workload.block", "bytes of one I/O"},
	{"depth", "streams[*].workload.depth", "I/Os that each worker keeps in flight"},
	{"batch", "streams[*].workload.batch", "I/Os handed over at once"},
	{"pattern", "streams[*].workload.pattern", "order of the blocks"},
	{"engine", "streams[*].engine", "kernel interface, a name or an object with parameters"},
	{"memory", "regions[*].memory", "memory kind, a name or an object with parameters"},
	{"numa", "regions[*].numa", "NUMA policy, a name or an object with parameters"},
	{"size", "regions[*].size", "bytes of every region"},
	{"workers", "streams[*].workers", "threads or processes of every stream"},
	{"as", "streams[*].as", "what the workers of every stream are: threads or processes"},
	{NULL, NULL, NULL}};

struct axis_value {
	const cJSON *value; /* lent by the document */
	const cJSON *set;   /* the same; null for none */
	char text[64];
};

struct axis {
	const cJSON *node; /* lent by the document */
	char name[32];	   /* of its coordinates */
	char path[PATH_BYTES];
	unsigned n_values;
	struct axis_value *values; /* owned */
};

struct axes {
	struct json_document *document;
	struct axis *axes; /* owned */
	unsigned n;
};

static void axes_release(struct axes *axes)
{
	for (unsigned i = 0; i < axes->n; i++)
		free(axes->axes[i].values);
	free(axes->axes);
}

static const char *shorthand_path(const char *name)
{
	for (const struct axis_shorthand *s = axes_shorthands; s->name; s++)
		if (!strcmp(s->name, name))
			return s->path;
	return NULL;
}

static int axis_unknown(const struct json_document *document, const cJSON *node, const char *word,
			struct error *error)
{
	const char *names[sizeof(axes_shorthands) / sizeof(axes_shorthands[0])];
	char sentence[600];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		names[i] = axes_shorthands[i].name;
	words_unknown("axis", word, names, sentence, sizeof(sentence));
	return json_fail(document, node, error, ERROR_INPUT,
			 "%s; a path is possible, too, like streams[*].workload.depth", sentence);
}

const cJSON *axes_values(const cJSON *node)
{
	const cJSON *values = cJSON_GetObjectItemCaseSensitive(node, "values");

	return values ? values : node;
}

/* The path of an axis with a name of its own, else the key. */
static const char *path_word(const cJSON *node)
{
	const char *word = node->string;

	if (axes_values(node) != node)
		word = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(node, "path"));
	return word ? word : "";
}

int axes_path(const struct json_document *document, const cJSON *node, char path[PATH_BYTES],
	      struct error *error)
{
	const char *word = path_word(node), *found = shorthand_path(word);
	size_t length;

	if (!found && strpbrk(word, ".["))
		found = word;
	if (!found)
		return axis_unknown(document, node, word, error);
	length = strlen(found);
	if (length >= PATH_BYTES)
		return json_fail(document, node, error, ERROR_INPUT,
				 "the path is %zu bytes long, at most %d are possible; shorten it",
				 length, PATH_BYTES - 1);
	/* Parameters of the kind before would mean nothing to another, so a kind replaces all. */
	if (length > 5 && !strcmp(found + length - 5, ".kind"))
		length -= 5;
	memcpy(path, found, length);
	path[length] = '\0';
	return 0;
}

static bool axis_name_taken(const struct axes *axes, const char *name)
{
	for (unsigned i = 0; i < axes->n; i++)
		if (!strcmp(axes->axes[i].name, name))
			return true;
	return false;
}

/* Last two words: "pga.size" of "regions.pga.size". */
static const char *last_two_words(const char *path)
{
	const char *at = path_last_word(path);

	while (at > path + 1 && at[-2] != '.')
		at--;
	return at > path + 1 ? at - 1 : path;
}

/* "depth" of "streams[1].workload.depth"; where that is taken "depth[1]", else two words. */
static int axis_name_set(const struct axes *axes, struct axis *axis, struct error *error)
{
	const char *path = axis->path, *word = path_last_word(path), *index = strchr(path, '[');
	bool named = axes_values(axis->node) != axis->node;
	int n = snprintf(axis->name, sizeof(axis->name), "%s", named ? axis->node->string : word);

	if (axis_name_taken(axes, axis->name) && index && !named)
		n = snprintf(axis->name, sizeof(axis->name), "%s%.*s", word,
			     (int)strcspn(index, "]") + 1, index);
	if (axis_name_taken(axes, axis->name) && !named)
		n = snprintf(axis->name, sizeof(axis->name), "%s", last_two_words(path));
	if (n < 0 || (size_t)n >= sizeof(axis->name))
		return json_fail(axes->document, axis->node, error, ERROR_INPUT,
				 "the axis would be called '%s', at most 31 bytes are possible; "
				 "shorten the path",
				 word);
	if (axis_name_taken(axes, axis->name))
		return json_fail(axes->document, axis->node, error, ERROR_INPUT,
				 "two axes would be called '%s'; make them one", axis->name);
	return 0;
}

/* Coordinates would lie where an assignment replaces what an axis before it has set. */
static int axes_kept_check(const struct axes *axes, const cJSON *node, const char *path,
			   struct error *error)
{
	for (unsigned i = 0; i < axes->n; i++)
		if (path_covers(path, axes->axes[i].path))
			return json_fail(axes->document, node, error, ERROR_INPUT,
					 "'%s' replaces what axis '%s' before it sets; remove one "
					 "of the two, or put the wider one first",
					 node->string, axes->axes[i].node->string);
	return 0;
}

static int set_check(const struct axes *axes, const cJSON *set, struct error *error)
{
	const cJSON *member;
	char path[PATH_BYTES];

	if (set && !cJSON_IsObject(set))
		return json_fail(axes->document, set, error, ERROR_INPUT,
				 "must be an object of paths and values, like {\"depth\": 8}");
	cJSON_ArrayForEach (member, set) {
		int status = axes_path(axes->document, member, path, error);

		if (!status)
			status = axes_kept_check(axes, member, path, error);
		if (status < 0)
			return status;
	}
	return 0;
}

static int long_form_read(const struct axes *axes, const cJSON *node, struct axis_value *ret,
			  struct error *error)
{
	static const char *const keys[] = {"value", "label", "set", NULL};
	const cJSON *label = cJSON_GetObjectItemCaseSensitive(node, "label");
	int status = json_check_keys(axes->document, node, keys, error);

	ret->value = cJSON_GetObjectItemCaseSensitive(node, "value");
	ret->set = cJSON_GetObjectItemCaseSensitive(node, "set");
	if (!status)
		status = set_check(axes, ret->set, error);
	if (status < 0 || !label)
		return status;
	if (!cJSON_IsString(label) || !*label->valuestring ||
	    strlen(label->valuestring) >= sizeof(ret->text))
		return json_fail(axes->document, label, error, ERROR_INPUT,
				 "must be a text of 1 to %zu bytes", sizeof(ret->text) - 1);
	snprintf(ret->text, sizeof(ret->text), "%s", label->valuestring);
	return label_check(axes->document, label, ret->text, error);
}

static int axis_value_read(const struct axes *axes, struct axis *axis, const cJSON *node,
			   struct error *error)
{
	struct axis_value *ret = &axis->values[axis->n_values];
	int status = 0;

	ret->value = node;
	if (cJSON_GetObjectItemCaseSensitive(node, "value"))
		status = long_form_read(axes, node, ret, error);
	if (!status && !*ret->text)
		status = coordinate_text(axes->document, axis->path, ret->value, ret->text,
					 sizeof(ret->text), error);
	if (status < 0)
		return status;
	for (unsigned i = 0; i < axis->n_values; i++)
		if (!strcmp(axis->values[i].text, ret->text))
			return json_fail(axes->document, node, error, ERROR_INPUT,
					 "'%s' is twice in this axis; remove one, or tell them "
					 "apart by {\"value\": …, \"label\": \"…\"}",
					 ret->text);
	axis->n_values++;
	return 0;
}

static int axis_read(struct axes *axes, const cJSON *node, struct error *error)
{
	static const char *const keys[] = {"path", "values", NULL};
	struct axis *axis = &axes->axes[axes->n];
	const cJSON *list = axes_values(node), *value;
	int n = cJSON_GetArraySize(list);
	int status = list == node ? 0 : json_check_keys(axes->document, node, keys, error);

	axis->node = node;
	if (!status)
		status = axes_path(axes->document, node, axis->path, error);
	if (!status)
		status = axes_kept_check(axes, node, axis->path, error);
	if (!status)
		status = axis_name_set(axes, axis, error);
	if (status < 0)
		return status;
	if (!cJSON_IsArray(list) || !n || n > POINTS_MAX)
		return json_fail(axes->document, list, error, ERROR_INPUT,
				 "an axis must be a list of 1 to %d values, like [\"8k\", \"64k\"]",
				 POINTS_MAX);
	axis->values = calloc((size_t)n, sizeof(*axis->values));
	if (!axis->values)
		return error_set(error, -ENOMEM, "no memory for an axis of %d values", n);
	axes->n++;
	cJSON_ArrayForEach (value, list) {
		status = axis_value_read(axes, axis, value, error);
		if (status < 0)
			return status;
	}
	return 0;
}

static int axes_read(const cJSON *node, struct axes *axes, struct error *error)
{
	const cJSON *axis;

	if (node && !cJSON_IsObject(node))
		return json_fail(axes->document, node, error, ERROR_INPUT,
				 "must be an object of lists, like {\"block\": [\"8k\", \"64k\"]}");
	axes->axes = calloc((size_t)cJSON_GetArraySize(node) + 1, sizeof(*axes->axes));
	if (!axes->axes)
		return error_set(error, -ENOMEM, "no memory for the axes");
	cJSON_ArrayForEach (axis, node) {
		int status = axis_read(axes, axis, error);

		if (status < 0)
			return status;
	}
	return 0;
}

static int product_of(const struct axes *axes, const cJSON *node, unsigned *ret,
		      struct error *error)
{
	uint64_t product = 1;

	for (unsigned i = 0; i < axes->n; i++) {
		product *= axes->axes[i].n_values;
		if (product > POINTS_MAX)
			return json_fail(axes->document, node, error, ERROR_INPUT,
					 "the axes make more than %d points; shorten their lists",
					 POINTS_MAX);
	}
	*ret = (unsigned)product;
	return 0;
}

int axes_assign_set(struct json_document *document, cJSON *body, const cJSON *set,
		    struct error *error)
{
	const cJSON *member;

	cJSON_ArrayForEach (member, set) {
		char path[PATH_BYTES];
		int status = axes_path(document, member, path, error);

		if (!status)
			status = path_assign(document, body, path, member, member, error);
		if (status < 0)
			return status;
	}
	return 0;
}

/* Value of an axis in the point of that number, the last axis being the lowest digit. */
static const struct axis_value *axis_pick(const struct axes *axes, unsigned i, unsigned number)
{
	unsigned weight = 1;

	for (unsigned k = i + 1; k < axes->n; k++)
		weight *= axes->axes[k].n_values;
	return &axes->axes[i].values[number / weight % axes->axes[i].n_values];
}

static int axes_place(const struct axes *axes, unsigned number, struct axes_point *point,
		      struct error *error)
{
	for (unsigned i = 0; i < axes->n; i++) {
		const struct axis *axis = &axes->axes[i];
		const struct axis_value *value = axis_pick(axes, i, number);
		struct axis_coordinate *coordinate = &point->coordinates[i];
		int status;

		snprintf(coordinate->axis, sizeof(coordinate->axis), "%s", axis->name);
		snprintf(coordinate->value, sizeof(coordinate->value), "%s", value->text);
		status = path_assign(axes->document, point->body, axis->path, value->value,
				     axis->node, error);
		if (!status)
			status = axes_assign_set(axes->document, point->body, value->set, error);
		if (status < 0)
			return status;
	}
	return 0;
}

static int axes_make(const struct axes *axes, const cJSON *base, struct axes_point *points,
		     unsigned n, struct error *error)
{
	for (unsigned i = 0; i < n; i++) {
		int status;

		points[i].body = json_copy(axes->document, base);
		points[i].coordinates = calloc(axes->n + 1u, sizeof(*points[i].coordinates));
		points[i].n_coordinates = axes->n;
		if (!points[i].body || !points[i].coordinates)
			return error_set(error, -ENOMEM, "no memory for %u points", n);
		status = axes_place(axes, i, &points[i], error);
		if (status < 0)
			return status;
	}
	return 0;
}

int axes_count(struct json_document *document, const cJSON *point, unsigned *ret,
	       struct error *error)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(point, "axes");
	struct axes axes = {.document = document};
	int status = axes_read(node, &axes, error);

	if (!status)
		status = product_of(&axes, node, ret, error);
	axes_release(&axes);
	return status;
}

int axes_expand(struct json_document *document, const cJSON *point, struct axes_point **ret,
		unsigned *ret_n, struct error *error)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(point, "axes");
	struct axes axes = {.document = document};
	struct axes_point *points = NULL;
	cJSON *base = NULL;
	unsigned n = 0;
	int status = axes_read(node, &axes, error);

	if (!status)
		status = product_of(&axes, node, &n, error);
	if (!status) {
		points = calloc(n, sizeof(*points));
		base = json_copy(document, point);
		cJSON_DeleteItemFromObjectCaseSensitive(base, "axes");
		status = points && base ? axes_make(&axes, base, points, n, error)
					: error_set(error, -ENOMEM, "no memory for %u points", n);
	}
	cJSON_Delete(base);
	axes_release(&axes);
	if (status < 0) {
		axes_free(points, n);
		return status;
	}
	*ret = points;
	*ret_n = n;
	return 0;
}

void axes_free(struct axes_point *points, unsigned n)
{
	for (unsigned i = 0; points && i < n; i++) {
		cJSON_Delete(points[i].body);
		free(points[i].coordinates);
	}
	free(points);
}
