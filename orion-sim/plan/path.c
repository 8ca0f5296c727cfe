/* SPDX-License-Identifier: MIT */
/* path.c - paths in a point ("streams[*].workload.depth") and what they lead to. */
#include "plan/path.h"

#include <stdio.h>
#include <string.h>

#include "base/catalog.h"
#include "base/error.h"
#include "base/field.h"
#include "base/json.h"
#include "engine/engine.h"
#include "memory/memory.h"
#include "memory/place.h"
#include "plan/parts.h"
#include "plan/point.h"
#include "workload/volume.h"
#include "workload/workload.h"

enum step_kind { STEP_NAME, STEP_INDEX, STEP_EVERY };

struct step {
	enum step_kind kind;
	char name[64];
	int index;
	const char *rest; /* what follows; "" behind the last step */
};

struct walk {
	const struct json_document *document;
	const char *path;
	const cJSON *blame;
	struct error *error;
};

/* Cuts the first step off; false if the text is no path. */
static bool step_cut(const char *text, struct step *ret)
{
	size_t length;

	if (*text == '[') {
		length = strcspn(text, "]");
		if (text[length] != ']' || length < 2)
			return false;
		if (length == 2 && text[1] == '*')
			ret->kind = STEP_EVERY;
		else if (strspn(text + 1, "0123456789") == length - 1 && length <= 6)
			ret->kind = STEP_INDEX;
		else
			return false;
		if (ret->kind == STEP_INDEX && sscanf(text + 1, "%d", &ret->index) != 1)
			return false;
		ret->rest = text + length + 1;
	} else {
		length = strcspn(text, ".[");
		if (!length || length >= sizeof(ret->name))
			return false;
		ret->kind = STEP_NAME;
		memcpy(ret->name, text, length);
		ret->name[length] = '\0';
		ret->rest = text + length;
	}
	if (*ret->rest == '.') {
		ret->rest++;
		return *ret->rest && *ret->rest != '[' && *ret->rest != '.';
	}
	return !*ret->rest || *ret->rest == '[';
}

static void names_list(const cJSON *object, char *text, size_t size)
{
	const cJSON *member;
	size_t used = 0;

	text[0] = '\0';
	cJSON_ArrayForEach (member, object) {
		int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "",
				 member->string);

		if (n < 0 || (size_t)n >= size - used)
			return;
		used += (size_t)n;
	}
}

static int walk_no_step(const struct walk *walk, const cJSON *node, const char *concrete,
			const struct step *step)
{
	const char *place = *concrete ? concrete : "the point";
	char names[256];

	if (step->kind == STEP_NAME && cJSON_IsObject(node)) {
		names_list(node, names, sizeof(names));
		return json_fail(
			walk->document, walk->blame, walk->error, ERROR_INPUT,
			"path '%s' matches nothing: %s has no '%s' (there is: %s); mend the path",
			walk->path, place, step->name, *names ? names : "nothing");
	}
	if (step->kind == STEP_NAME)
		return json_fail(walk->document, walk->blame, walk->error, ERROR_INPUT,
				 "path '%s' matches nothing: %s is no object, so it has no '%s'; "
				 "mend the path",
				 walk->path, place, step->name);
	return json_fail(walk->document, walk->blame, walk->error, ERROR_INPUT,
			 "path '%s' matches nothing: %s has %d elements, the first is 0; mend "
			 "the path",
			 walk->path, place, cJSON_IsArray(node) ? cJSON_GetArraySize(node) : 0);
}

static int walk_from(const struct walk *walk, const cJSON *node, const char *rest,
		     const char *concrete);

/* One child that a step leads to. The parameters of a kind given by its name are made later. */
static int walk_child(const struct walk *walk, const cJSON *child, const char *rest,
		      const char *concrete)
{
	if (!*rest)
		return 0;
	if (cJSON_IsString(child) && path_catalog(concrete) && !strpbrk(rest, ".["))
		return 0;
	return walk_from(walk, child, rest, concrete);
}

static int walk_every(const struct walk *walk, const cJSON *node, const char *rest,
		      const char *concrete)
{
	char deeper[PATH_BYTES + 80];
	const cJSON *child;
	int i = 0;

	cJSON_ArrayForEach (child, node) {
		int status;

		if (cJSON_IsObject(node))
			snprintf(deeper, sizeof(deeper), "%s.%.64s", concrete, child->string);
		else
			snprintf(deeper, sizeof(deeper), "%s[%d]", concrete, i);
		status = walk_child(walk, child, rest, deeper);
		if (status < 0)
			return status;
		i++;
	}
	return 0;
}

static int walk_no_path(const struct walk *walk)
{
	return json_fail(walk->document, walk->blame, walk->error, ERROR_INPUT,
			 "'%s' is no path; write it like streams[*].workload.depth or "
			 "regions.NAME.size",
			 walk->path);
}

static int walk_from(const struct walk *walk, const cJSON *node, const char *rest,
		     const char *concrete)
{
	struct step step;
	char deeper[PATH_BYTES + 80];
	const cJSON *child;

	if (!step_cut(rest, &step) || strlen(concrete) >= PATH_BYTES)
		return walk_no_path(walk);
	if (step.kind == STEP_EVERY && (cJSON_IsArray(node) || cJSON_IsObject(node)) && node->child)
		return walk_every(walk, node, step.rest, concrete);
	if (step.kind == STEP_NAME && cJSON_IsObject(node)) {
		child = cJSON_GetObjectItemCaseSensitive(node, step.name);
		snprintf(deeper, sizeof(deeper), "%s%s%s", concrete, *concrete ? "." : "",
			 step.name);
		/* Phases that the profile gives to all points are made where one differs. */
		if (!child && !*concrete && !strcmp(step.name, "phases"))
			return 0;
		if (child || !*step.rest)
			return walk_child(walk, child, step.rest, deeper);
	} else if (step.kind == STEP_INDEX && cJSON_IsArray(node)) {
		child = cJSON_GetArrayItem(node, step.index);
		snprintf(deeper, sizeof(deeper), "%s[%d]", concrete, step.index);
		if (child)
			return walk_child(walk, child, step.rest, deeper);
	}
	return walk_no_step(walk, node, concrete, &step);
}

int path_assign(struct json_document *document, cJSON *object, const char *path, const cJSON *value,
		const cJSON *blame, struct error *error)
{
	struct walk walk = {.document = document, .path = path, .blame = blame, .error = error};
	int status = walk_from(&walk, object, path, "");

	return status < 0 ? status : json_assign(document, object, path, value, error);
}

bool path_covers(const char *over, const char *under)
{
	struct step a, b;

	for (; *over; over = a.rest, under = b.rest) {
		if (!*under || !step_cut(over, &a) || !step_cut(under, &b))
			return false;
		if (a.kind == STEP_EVERY)
			continue;
		if (a.kind != b.kind || (a.kind == STEP_NAME && strcmp(a.name, b.name) != 0) ||
		    (a.kind == STEP_INDEX && a.index != b.index))
			return false;
	}
	return true;
}

const char *path_last_word(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static const struct catalog *word_catalog(const char *word, size_t length)
{
	static const struct {
		const char *word;
		const struct catalog *catalog;
	} catalogs[] = {{"engine", &engine_catalog}, {"layout", &layout_catalog},
			{"memory", &memory_catalog}, {"numa", &place_catalog},
			{"warmup", &warmup_catalog}, {"workload", &workload_catalog}};

	for (size_t i = 0; i < sizeof(catalogs) / sizeof(catalogs[0]); i++)
		if (strlen(catalogs[i].word) == length && !strncmp(catalogs[i].word, word, length))
			return catalogs[i].catalog;
	return NULL;
}

const struct catalog *path_catalog(const char *path)
{
	const char *word = path_last_word(path);

	/* A region may be called "memory". */
	if (strchr(path, '.') == NULL || (!strncmp(path, "regions.", 8) && word == path + 8))
		return NULL;
	return word_catalog(word, strlen(word));
}

static const struct field *fields_find(const struct field *fields, const char *name)
{
	for (; fields && fields->name; fields++)
		if (!strcmp(fields->name, name))
			return fields;
	return NULL;
}

static const struct field *catalog_field(const struct catalog *catalog, const char *name)
{
	for (const struct entry *const *entry = catalog->entries; *entry; entry++) {
		const struct field *field = fields_find((*entry)->fields, name);

		if (field)
			return field;
	}
	return NULL;
}

const struct field *path_field(const char *path)
{
	const char *word = path_last_word(path), *parent = word;
	const struct catalog *catalog;

	if (word == path)
		return fields_find(point_fields, word);
	while (parent > path && parent[-1] == '.')
		parent--;
	while (parent > path && parent[-1] != '.')
		parent--;
	catalog = word_catalog(parent, (size_t)(word - 1 - parent));
	if (catalog)
		return catalog_field(catalog, word);
	if (!strncmp(path, "regions", 7))
		return fields_find(region_fields, word);
	if (!strncmp(path, "streams", 7))
		return fields_find(stream_fields, word);
	return !strncmp(path, "phases", 6) ? fields_find(phases_fields, word) : NULL;
}
