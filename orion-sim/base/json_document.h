/* SPDX-License-Identifier: MIT */
/* json_document.h - what a JSON document keeps beside its tree; private to json. */
#ifndef ORION_BASE_JSON_DOCUMENT_H
#define ORION_BASE_JSON_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <cjson/cJSON.h>

/* A node that is not of the text: a copy and its origin, or one that --set made: its own origin. */
struct json_origin {
	const cJSON *node, *origin; /* a null node is an empty cell */
};

struct json_document {
	char *name;
	char *text;
	cJSON *root;
	struct json_origin *origins; /* hash table by node, open addressing */
	size_t n_origins, n_cells;   /* cells: 0 or a power of two, never more than half full */
};

/* Notes where a node comes from; a later note on the same address wins. -ENOMEM. */
int json_remember(struct json_document *document, const cJSON *node, const cJSON *origin);

/* The node of the document's tree behind a copy (at any remove); else the node itself. */
const cJSON *json_origin_of(const struct json_document *document, const cJSON *node);

/* True for a node that json_set put in. */
bool json_is_set(const struct json_document *document, const cJSON *node);

/* The second of two members with one key, anywhere in the tree; null if there is none. -ENOMEM. */
int json_find_duplicate(const cJSON *tree, const cJSON **ret);

#endif
