/* SPDX-License-Identifier: MIT */
/* json_locate.c - where in its file a node of a tree stands, and how its path is written. */
#include "base/json_document.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/json_scan.h"
#include "base/words.h"

enum {
	FIRST_CELLS = 256,
	KEY_SHOWN_BYTES = 64,
};

/* The way from the root to a node. */
struct chain {
	unsigned n;
	const cJSON *nodes[JSON_DEPTH_MAX + 1];
	size_t indices[JSON_DEPTH_MAX + 1]; /* of each node in its parent */
};

static size_t cell_of(const struct json_document *document, const cJSON *node)
{
	uint64_t hash = ((uint64_t)(uintptr_t)node >> 4) * 0x9e3779b97f4a7c15u;
	size_t mask = document->n_cells - 1, cell = (size_t)(hash >> 32) & mask;

	while (document->origins[cell].node && document->origins[cell].node != node)
		cell = (cell + 1) & mask;
	return cell;
}

static int grow_origins(struct json_document *document)
{
	struct json_document larger = *document;

	larger.n_cells = document->n_cells ? document->n_cells * 2 : FIRST_CELLS;
	larger.origins = calloc(larger.n_cells, sizeof(larger.origins[0]));
	if (!larger.origins)
		return -ENOMEM;
	for (size_t i = 0; i < document->n_cells; i++)
		if (document->origins[i].node)
			larger.origins[cell_of(&larger, document->origins[i].node)] =
				document->origins[i];
	free(document->origins);
	*document = larger;
	return 0;
}

int json_remember(struct json_document *document, const cJSON *node, const cJSON *origin)
{
	size_t cell;

	if (document->n_origins * 2 >= document->n_cells && grow_origins(document))
		return -ENOMEM;
	cell = cell_of(document, node);
	if (!document->origins[cell].node)
		document->n_origins++;
	document->origins[cell] = (struct json_origin){.node = node, .origin = origin};
	return 0;
}

const cJSON *json_origin_of(const struct json_document *document, const cJSON *node)
{
	const struct json_origin *found;

	if (!document->n_cells)
		return node;
	found = &document->origins[cell_of(document, node)];
	return found->node ? found->origin : node;
}

bool json_is_set(const struct json_document *document, const cJSON *node)
{
	return document->n_cells && document->origins[cell_of(document, node)].origin == node;
}

static bool find_chain(const cJSON *node, const cJSON *wanted, struct chain *chain)
{
	size_t index = 0;

	chain->nodes[chain->n++] = node;
	if (node == wanted)
		return true;
	for (const cJSON *child = node->child; child && chain->n <= JSON_DEPTH_MAX;
	     child = child->next) {
		chain->indices[chain->n] = index++;
		if (find_chain(child, wanted, chain))
			return true;
	}
	chain->n--;
	return false;
}

static bool is_plain_key(const char *key)
{
	if (!*key)
		return false;
	for (; *key; key++)
		if (!isalnum((unsigned char)*key) && !strchr("_-", *key))
			return false;
	return true;
}

static void write_path(const struct chain *chain, char *text, size_t size)
{
	char key[KEY_SHOWN_BYTES];
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 1; i < chain->n && used < size; i++) {
		char *at = text + used;
		size_t left = size - used;

		if (cJSON_IsArray(chain->nodes[i - 1])) {
			used += (size_t)snprintf(at, left, "[%zu]", chain->indices[i]);
			continue;
		}
		words_quote(chain->nodes[i]->string, key, sizeof(key));
		if (is_plain_key(key))
			used += (size_t)snprintf(at, left, "%s%s", i > 1 ? "." : "", key);
		else
			used += (size_t)snprintf(at, left, "[\"%s\"]", key);
	}
}

/* Replacing and adding at the end keep the place of every node that the text has. */
static unsigned line_of(const struct json_document *document, const struct chain *chain)
{
	const char *at = json_scan_token(document->text);
	unsigned line = 1;

	for (unsigned i = 1; i < chain->n; i++)
		at = json_scan_child(at, chain->indices[i]);
	for (const char *c = document->text; c < at; c++)
		line += *c == '\n';
	return line;
}

static bool has_set_node(const struct json_document *document, const struct chain *chain)
{
	for (unsigned i = 0; i < chain->n; i++)
		if (json_is_set(document, chain->nodes[i]))
			return true;
	return false;
}

void json_where(const struct json_document *document, const cJSON *node, char *text, size_t size)
{
	struct chain chain = {.n = 0};
	char path[512];

	if (!node || !find_chain(document->root, json_origin_of(document, node), &chain)) {
		words_quote(document->name, text, size);
		return;
	}
	write_path(&chain, path, sizeof(path));
	if (has_set_node(document, &chain))
		snprintf(text, size, "--set %s", path);
	else
		snprintf(text, size, "%s:%u%s%s", document->name, line_of(document, &chain),
			 *path ? ": " : "", path);
}

int(json_fail)(const struct json_document *document, const cJSON *node, struct error *error,
	       int code, const char *format, ...)
{
	char where[700], sentence[sizeof(error->text)];
	va_list args;

	if (!error)
		return code;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	json_where(document, node, where, sizeof(where));
	return error_set(error, code, "%s: %s", where, sentence);
}
