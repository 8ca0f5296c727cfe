/* SPDX-License-Identifier: MIT */
/* json.c - JSON text read with cJSON, with the line and the path of whatever is wrong in it. */
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json_document.h"
#include "base/json_scan.h"
#include "base/words.h"

enum {
	FILE_BYTES_MAX = 16 << 20,
	FEW_MEMBERS = 64,
};

#define COUNT_PRINTED_MAX 1000000000000000u /* cJSON prints 15 digits, the rest as 0 */
#define BYTE_ORDER_MARK	  "\xef\xbb\xbf"

struct member {
	const cJSON *node;
	size_t index;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *left = a, *right = b;
	int order = strcmp(left->node->string, right->node->string);

	if (order)
		return order;
	return left->index < right->index ? -1 : left->index > right->index;
}

static uint32_t hash_of(const char *key)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * 16777619u;
	return hash;
}

/* For few members comparing each with all before it is quicker than sorting them. */
static const cJSON *find_duplicate_of_few(const cJSON *object)
{
	uint32_t hashes[FEW_MEMBERS];
	const cJSON *child, *other;
	unsigned n = 0, i;

	cJSON_ArrayForEach (child, object) {
		hashes[n] = hash_of(child->string);
		for (i = 0; i < n && hashes[i] != hashes[n];)
			i++;
		for (other = object->child; i < n && other != child; other = other->next)
			if (!strcmp(other->string, child->string))
				return child;
		n++;
	}
	return NULL;
}

/* The first member, in the order of the text, whose key an earlier one has. */
static int find_duplicate_here(const cJSON *object, const cJSON **ret)
{
	size_t n = (size_t)cJSON_GetArraySize(object), i = 0, first = n;
	CLEANUP(cleanup_free) struct member *members = NULL;
	const cJSON *child;

	if (n <= FEW_MEMBERS) {
		*ret = find_duplicate_of_few(object);
		return 0;
	}
	members = calloc(n, sizeof(members[0]));
	if (!members)
		return -ENOMEM;
	cJSON_ArrayForEach (child, object) {
		members[i] = (struct member){.node = child, .index = i};
		i++;
	}
	qsort(members, n, sizeof(members[0]), compare_members);
	*ret = NULL;
	for (i = 1; i < n; i++)
		if (!strcmp(members[i - 1].node->string, members[i].node->string) &&
		    members[i].index < first) {
			first = members[i].index;
			*ret = members[i].node;
		}
	return 0;
}

int json_find_duplicate(const cJSON *tree, const cJSON **ret)
{
	const cJSON *child;
	int r;

	*ret = NULL;
	if (cJSON_IsObject(tree)) {
		r = find_duplicate_here(tree, ret);
		if (r || *ret)
			return r;
	}
	cJSON_ArrayForEach (child, tree) {
		r = json_find_duplicate(child, ret);
		if (r || *ret)
			return r;
	}
	return 0;
}

static int fail_memory(const char *name, struct error *error)
{
	return error_set(error, -ENOMEM, "%s: no memory to read it", name);
}

/* "NAME:LINE:COLUMN: sentence"; columns count characters, from 1. */
static int fail_fault(const char *name, const char *text, const struct json_fault *fault,
		      struct error *error)
{
	unsigned line = 1, column = 1;

	for (const char *c = text; c < fault->at; c++) {
		if (*c == '\n') {
			line++;
			column = 1;
		} else if ((*c & 0xc0) != 0x80) {
			column++;
		}
	}
	return error_set(error, ERROR_INPUT, "%s:%u:%u: %s", name, line, column, fault->sentence);
}

static int check_duplicates(const struct json_document *document, struct error *error)
{
	const cJSON *second;
	int r = json_find_duplicate(document->root, &second);

	if (r)
		return fail_memory(document->name, error);
	if (second)
		return json_fail(document, second, error, ERROR_INPUT,
				 "this key is given twice; leave one");
	return 0;
}

static int parse(const char *name, const char *text, const char *const *blanked,
		 struct json_document **ret, struct error *error)
{
	CLEANUP(cleanup_json) struct json_document *document = calloc(1, sizeof(*document));
	struct json_fault fault;
	int r;

	if (!strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)))
		text += strlen(BYTE_ORDER_MARK);
	if (json_scan(text, &fault))
		return fail_fault(name, text, &fault, error);
	if (!document)
		return fail_memory(name, error);
	document->name = strdup(name);
	document->text = strdup(text);
	if (document->text && blanked)
		json_blank(document->text, blanked);
	document->root = document->text ? cJSON_Parse(document->text) : NULL;
	if (!document->name || !document->text || !document->root)
		return fail_memory(name, error);
	r = check_duplicates(document, error);
	if (r)
		return r;
	*ret = document;
	document = NULL;
	return 0;
}

int json_parse(const char *name, const char *text, struct json_document **ret, struct error *error)
{
	return parse(name, text, NULL, ret, error);
}

/* The whole file, NUL-terminated; *ret_bytes without that NUL. */
static int read_text(const char *path, char **ret, size_t *ret_bytes, struct error *error)
{
	CLEANUP(cleanup_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(cleanup_free) char *text = NULL;
	size_t used = 0, size = 0;
	ssize_t n = 1;

	if (fd < 0)
		return error_set(error, ERROR_INPUT, "cannot open %s: %s", path, strerror(errno));
	while (n > 0) {
		if (used + 1 >= size) {
			char *larger = realloc(text, size ? size * 2 : 16384);

			if (!larger)
				return fail_memory(path, error);
			text = larger;
			size = size ? size * 2 : 16384;
		}
		do
			n = read(fd, text + used, size - used - 1);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return error_set(error, ERROR_INPUT, "cannot read %s: %s", path,
					 strerror(errno));
		used += (size_t)n;
		if (used > FILE_BYTES_MAX)
			return error_set(error, ERROR_INPUT,
					 "%s: more than %d MiB, that is no JSON file of ours", path,
					 FILE_BYTES_MAX >> 20);
	}
	text[used] = '\0';
	*ret = text;
	*ret_bytes = used;
	text = NULL;
	return 0;
}

int json_read_without(const char *path, const char *const *names, struct json_document **ret,
		      struct error *error)
{
	CLEANUP(cleanup_free) char *text = NULL;
	size_t bytes;
	int r = read_text(path, &text, &bytes, error);

	if (r)
		return r;
	if (strlen(text) != bytes) {
		struct json_fault fault = {.at = text + strlen(text),
					   .sentence = "a NUL byte, this is no JSON text"};

		return fail_fault(path, text, &fault, error);
	}
	return parse(path, text, names, ret, error);
}

int json_read(const char *path, struct json_document **ret, struct error *error)
{
	return json_read_without(path, NULL, ret, error);
}

void json_free(struct json_document *document)
{
	if (!document)
		return;
	cJSON_Delete(document->root);
	free(document->origins);
	free(document->text);
	free(document->name);
	free(document);
}

void cleanup_json(struct json_document **document)
{
	json_free(*document);
}

cJSON *json_root(const struct json_document *document)
{
	return document->root;
}

const char *json_name(const struct json_document *document)
{
	return document->name;
}

/* Two trees of one shape: notes for every node of the copy where it comes from. */
static int remember_tree(struct json_document *document, const cJSON *copy, const cJSON *node)
{
	const cJSON *child = node->child;
	int r = json_remember(document, copy, json_origin_of(document, node));

	for (const cJSON *part = copy->child; part && child && !r;
	     part = part->next, child = child->next)
		r = remember_tree(document, part, child);
	return r;
}

cJSON *json_copy(struct json_document *document, const cJSON *node)
{
	cJSON *copy = cJSON_Duplicate(node, true);

	if (copy && remember_tree(document, copy, node)) {
		cJSON_Delete(copy);
		return NULL;
	}
	return copy;
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

int json_check_keys(const struct json_document *document, const cJSON *object,
		    const char *const *names, struct error *error)
{
	char sentence[900];
	const cJSON *child;

	if (!cJSON_IsObject(object))
		return json_fail(document, object, error, ERROR_INPUT,
				 "an object in braces is expected here");
	cJSON_ArrayForEach (child, object) {
		if (is_one_of(child->string, names))
			continue;
		words_unknown("key", child->string, names, sentence, sizeof(sentence));
		return json_fail(document, child, error, ERROR_INPUT, "%s", sentence);
	}
	return 0;
}

cJSON *json_add_u64_text(cJSON *object, const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return cJSON_AddStringToObject(object, name, text);
}

cJSON *json_add_count(cJSON *object, const char *name, uint64_t value)
{
	char text[32];

	if (value < COUNT_PRINTED_MAX)
		return cJSON_AddNumberToObject(object, name, (double)value);
	snprintf(text, sizeof(text), "%" PRIu64, value);
	return cJSON_AddRawToObject(object, name, text);
}
