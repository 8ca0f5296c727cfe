/* SPDX-License-Identifier: MIT */
/* json_path.c - values put into a tree by a path: "points[0].streams[*].workload.depth". */
#include "base/json.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json_document.h"
#include "base/json_scan.h"
#include "base/words.h"

enum {
	PATH_SHOWN_BYTES = 200,
	INDEX_MAX = 100000000,
	KEY_BYTES_MAX = 127,
};

enum step_type {
	STEP_KEY,
	STEP_INDEX,
	STEP_ALL,
};

struct step {
	enum step_type type;
	char key[KEY_BYTES_MAX + 1];
	int index;
};

struct assignment {
	struct json_document *document;
	const char *path; /* as written, for messages */
	unsigned n_steps;
	struct step steps[JSON_DEPTH_MAX];
	const cJSON *value;
	bool by_user; /* --set: what is put in has no place in the text */
	struct error *error;
};

static int apply(struct assignment *assignment, cJSON *node, unsigned at);

__attribute__((format(printf, 2, 3))) static int fail(const struct assignment *assignment,
						      const char *format, ...)
{
	char sentence[400], path[PATH_SHOWN_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	words_quote(assignment->path, path, sizeof(path));
	if (assignment->by_user)
		return error_set(assignment->error, ERROR_INPUT, "--set %s: %s", path, sentence);
	return json_fail(assignment->document, assignment->value, assignment->error, ERROR_INPUT,
			 "cannot be put at %s: %s", path, sentence);
}

static int fail_memory(const struct assignment *assignment)
{
	return error_set(assignment->error, -ENOMEM, "no memory for a copy of a value");
}

/* The path up to and including a step. */
static const char *show_steps(const struct assignment *assignment, unsigned n, char *text,
			      size_t size)
{
	char whole[2 * PATH_SHOWN_BYTES] = "";
	size_t used = 0;

	for (unsigned i = 0; i < n && used < sizeof(whole); i++) {
		const struct step *step = &assignment->steps[i];
		char *at = whole + used;
		size_t left = sizeof(whole) - used;

		if (step->type == STEP_KEY)
			used += (size_t)snprintf(at, left, "%s%s", i ? "." : "", step->key);
		else if (step->type == STEP_ALL)
			used += (size_t)snprintf(at, left, "[*]");
		else
			used += (size_t)snprintf(at, left, "[%d]", step->index);
	}
	return words_quote(whole, text, size);
}

static int take_key(const char *key, size_t length, struct step *ret)
{
	if (!length || length > KEY_BYTES_MAX)
		return -EINVAL;
	*ret = (struct step){.type = STEP_KEY};
	memcpy(ret->key, key, length);
	return 0;
}

/* "[3]", "[*]" or "[\"any key\"]" at *at, which is moved behind it. */
static int parse_bracket(const char **at, struct step *ret)
{
	const char *start = *at + 1, *end = start;

	if (*start == '*') {
		*ret = (struct step){.type = STEP_ALL};
		end++;
	} else if (*start == '"') {
		start++;
		end = start + strcspn(start, "\"");
		if (!*end || take_key(start, (size_t)(end - start), ret))
			return -EINVAL;
		end++;
	} else {
		*ret = (struct step){.type = STEP_INDEX};
		for (; isdigit((unsigned char)*end); end++)
			if (ret->index < INDEX_MAX)
				ret->index = ret->index * 10 + (*end - '0');
		if (end == start)
			return -EINVAL;
	}
	if (*end != ']')
		return -EINVAL;
	*at = end + 1;
	return 0;
}

static int parse_step(const char **at, bool first, struct step *ret)
{
	size_t length;
	int r;

	if (**at == '[')
		return parse_bracket(at, ret);
	if (!first && *(*at)++ != '.')
		return -EINVAL;
	length = strcspn(*at, ".[");
	r = take_key(*at, length, ret);
	*at += length;
	return r;
}

static int parse_path(struct assignment *assignment)
{
	const char *at = assignment->path;
	unsigned n = 0;

	do {
		if (n == JSON_DEPTH_MAX || parse_step(&at, !n, &assignment->steps[n]))
			return fail(assignment,
				    "not a path (such as points[0].streams[*].workload.depth)");
		n++;
	} while (*at);
	assignment->n_steps = n;
	return 0;
}

static unsigned depth_of(const cJSON *node)
{
	const cJSON *child;
	unsigned depth = 0;

	cJSON_ArrayForEach (child, node) {
		unsigned below = depth_of(child) + 1;

		if (below > depth)
			depth = below;
	}
	return depth;
}

/* What --set puts in is its own origin: no line of the text is to blame for it. */
static int remember_as_set(struct json_document *document, const cJSON *node)
{
	const cJSON *child;
	int r = json_remember(document, node, node);

	cJSON_ArrayForEach (child, node) {
		if (!r)
			r = remember_as_set(document, child);
	}
	return r;
}

/* A node of our own, blamed on the user or on the value; takes node over, which may be null. */
static cJSON *adopt(const struct assignment *assignment, cJSON *node)
{
	struct json_document *document = assignment->document;
	const cJSON *origin = json_origin_of(document, assignment->value);
	int r = -ENOMEM;

	if (node && assignment->by_user)
		r = remember_as_set(document, node);
	else if (node)
		r = json_remember(document, node, origin);
	if (r) {
		cJSON_Delete(node);
		return NULL;
	}
	return node;
}

static cJSON *copy_value(const struct assignment *assignment)
{
	if (assignment->by_user)
		return adopt(assignment, cJSON_Duplicate(assignment->value, true));
	return json_copy(assignment->document, assignment->value);
}

/* Takes the new node over. */
static int replace(const struct assignment *assignment, cJSON *parent, cJSON *old, cJSON *new_node)
{
	bool done = false;

	if (new_node && cJSON_IsObject(parent))
		done = cJSON_ReplaceItemInObjectCaseSensitive(parent, old->string, new_node);
	else if (new_node)
		done = cJSON_ReplaceItemViaPointer(parent, old, new_node);
	if (done)
		return 0;
	cJSON_Delete(new_node);
	return fail_memory(assignment);
}

/* Takes the new node over. */
static int add(const struct assignment *assignment, cJSON *parent, const char *key, cJSON *new_node)
{
	if (new_node && cJSON_AddItemToObject(parent, key, new_node))
		return 0;
	cJSON_Delete(new_node);
	return fail_memory(assignment);
}

/* "io" -> {"kind": "io"}, so that a parameter can be set where only a name was given. */
static int open_kind(const struct assignment *assignment, cJSON *parent, cJSON **name)
{
	cJSON *object = adopt(assignment, cJSON_CreateObject());
	/* The string goes; only one that is a copy has an origin that stays. */
	bool is_copy = json_origin_of(assignment->document, *name) != *name;
	cJSON *kind = is_copy ? json_copy(assignment->document, *name)
			      : adopt(assignment, cJSON_Duplicate(*name, true));
	int r;

	if (!object || !cJSON_AddItemToObject(object, "kind", kind)) {
		cJSON_Delete(kind);
		cJSON_Delete(object);
		return fail_memory(assignment);
	}
	r = replace(assignment, parent, *name, object);
	if (!r)
		*name = object;
	return r;
}

/* Goes on at a child of parent, or replaces it where the path ends. */
static int descend(struct assignment *assignment, cJSON *parent, cJSON *child, unsigned at)
{
	int r;

	if (at + 1 == assignment->n_steps)
		return replace(assignment, parent, child, copy_value(assignment));
	if (cJSON_IsString(child) && assignment->steps[at + 1].type == STEP_KEY) {
		r = open_kind(assignment, parent, &child);
		if (r)
			return r;
	}
	return apply(assignment, child, at + 1);
}

static int apply_key(struct assignment *assignment, cJSON *node, unsigned at)
{
	const char *key = assignment->steps[at].key;
	char shown[PATH_SHOWN_BYTES];
	cJSON *child, *made;
	int r;

	if (!cJSON_IsObject(node))
		return fail(assignment, "'%s' is not an object, it has no key '%s'",
			    show_steps(assignment, at, shown, sizeof(shown)), key);
	child = cJSON_GetObjectItemCaseSensitive(node, key);
	if (child)
		return descend(assignment, node, child, at);
	if (at + 1 == assignment->n_steps)
		return add(assignment, node, key, copy_value(assignment));
	if (assignment->steps[at + 1].type != STEP_KEY)
		return fail(assignment, "there is no '%s'",
			    show_steps(assignment, at + 1, shown, sizeof(shown)));
	made = adopt(assignment, cJSON_CreateObject());
	r = add(assignment, node, key, made);
	return r ? r : apply(assignment, made, at + 1);
}

static int apply_index(struct assignment *assignment, cJSON *node, unsigned at)
{
	int index = assignment->steps[at].index, n = cJSON_GetArraySize(node);
	char shown[PATH_SHOWN_BYTES];

	show_steps(assignment, at, shown, sizeof(shown));
	if (!cJSON_IsArray(node))
		return fail(assignment, "'%s' is not an array", shown);
	if (index >= n)
		return fail(assignment, "'%s' has no element %d (it has %d, the first is 0)", shown,
			    index, n);
	return descend(assignment, node, cJSON_GetArrayItem(node, index), at);
}

static int apply_all(struct assignment *assignment, cJSON *node, unsigned at)
{
	char shown[PATH_SHOWN_BYTES];
	cJSON *next;

	if (!node->child)
		return fail(assignment, "'%s' has no elements",
			    show_steps(assignment, at, shown, sizeof(shown)));
	for (cJSON *child = node->child; child; child = next) {
		int r;

		next = child->next; /* the child may be replaced */
		r = descend(assignment, node, child, at);
		if (r)
			return r;
	}
	return 0;
}

static int apply(struct assignment *assignment, cJSON *node, unsigned at)
{
	switch (assignment->steps[at].type) {
	case STEP_KEY:
		return apply_key(assignment, node, at);
	case STEP_INDEX:
		return apply_index(assignment, node, at);
	default:
		return apply_all(assignment, node, at);
	}
}

static int assign(struct assignment *assignment, cJSON *root)
{
	int r = parse_path(assignment);

	if (r)
		return r;
	if (assignment->n_steps + depth_of(assignment->value) > JSON_DEPTH_MAX)
		return fail(assignment, "nested deeper than %d", JSON_DEPTH_MAX);
	return apply(assignment, root, 0);
}

int json_assign(struct json_document *document, cJSON *object, const char *path, const cJSON *value,
		struct error *error)
{
	struct assignment assignment = {
		.document = document, .path = path, .value = value, .error = error};

	return assign(&assignment, object);
}

/* The '=' that ends the path; null if there is none. */
static const char *find_equals(const char *text)
{
	bool quoted = false;

	for (; *text && (quoted || *text != '='); text++)
		quoted ^= *text == '"';
	return *text ? text : NULL;
}

static bool is_utf8(const char *text)
{
	size_t length = 1;

	for (; *text && length; text += length)
		length = words_utf8(text);
	return length;
}

/* JSON where it reads as such, else a string. */
static int parse_value(const struct assignment *assignment, const char *text, cJSON **ret)
{
	const cJSON *second = NULL;
	struct json_fault fault;
	cJSON *value;

	if (!is_utf8(assignment->path) || !is_utf8(text))
		return fail(assignment, "path and value have to be UTF-8");
	value = json_scan(text, &fault) ? cJSON_CreateString(text) : cJSON_Parse(text);
	if (!value || json_find_duplicate(value, &second)) {
		cJSON_Delete(value);
		return fail_memory(assignment);
	}
	if (second) {
		fail(assignment, "the key '%s' is given twice; leave one", second->string);
		cJSON_Delete(value);
		return ERROR_INPUT;
	}
	*ret = value;
	return 0;
}

int json_set(struct json_document *document, const char *assignment_text, struct error *error)
{
	const char *equals = find_equals(assignment_text);
	CLEANUP(cleanup_free)
	char *path = strndup(assignment_text,
			     equals ? (size_t)(equals - assignment_text) : strlen(assignment_text));
	struct assignment assignment = {
		.document = document, .path = path, .by_user = true, .error = error};
	cJSON *value = NULL;
	int r;

	if (!path)
		return error_set(error, -ENOMEM, "no memory for --set");
	if (!equals)
		return fail(&assignment, "write it as PATH=VALUE");
	r = parse_value(&assignment, equals + 1, &value);
	if (r)
		return r;
	assignment.value = value;
	r = assign(&assignment, document->root);
	cJSON_Delete(value);
	return r;
}
