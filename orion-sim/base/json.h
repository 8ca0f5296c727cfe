/* SPDX-License-Identifier: MIT */
/* json.h - JSON text read with cJSON, with the line and the path of whatever is wrong in it. */
#ifndef ORION_BASE_JSON_H
#define ORION_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "base/error.h"

struct json_document; /* owns the text, the tree, and the origin of every copied node */

/*
 * Parses text (copied). Refuses syntax errors (with line and column), duplicate keys, anything
 * behind the document, nesting deeper than 64, strings that are not UTF-8. name is used in
 * messages, usually the file's path.
 */
int json_parse(const char *name, const char *text, struct json_document **ret, struct error *error);

/* Reads and parses a file of at most 16 MiB; one that cannot be read is ERROR_INPUT as well. */
int json_read(const char *path, struct json_document **ret, struct error *error);

/*
 * The same, with every list or object emptied that is a member of one of these names
 * (NULL-terminated) anywhere below the document itself: quicker where they are large and not
 * wanted. They are checked, but for keys given twice.
 */
int json_read_without(const char *path, const char *const *names, struct json_document **ret,
		      struct error *error);

void json_free(struct json_document *document);
void cleanup_json(struct json_document **document);

/* Lent; lives as long as the document. */
cJSON *json_root(const struct json_document *document);
const char *json_name(const struct json_document *document);

/*
 * Sets the error to "NAME:LINE: PATH: sentence" for a node of the document, or of a copy made with
 * json_copy (whose origin is then named), or "--set PATH: sentence" for one that json_set put in.
 * Returns code.
 */
int json_fail(const struct json_document *document, const cJSON *node, struct error *error,
	      int code, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* NOLINTNEXTLINE(readability-identifier-naming) */
#define json_fail(...) error_negative(json_fail(__VA_ARGS__))

/* Same, but about a place: writes "NAME:LINE: PATH" (or "--set PATH") into text. */
void json_where(const struct json_document *document, const cJSON *node, char *text, size_t size);

/*
 * Deep copy whose nodes remember where they came from. Owned by the caller (cJSON_Delete), but must
 * be freed before the document.
 */
cJSON *json_copy(struct json_document *document, const cJSON *node);

/*
 * Applies one "path=value": path as in messages (points[0].streams[1].workload.depth; [*] stands
 * for every element of an array or member of an object, ["any key"] for a key with dots), value as
 * JSON if it parses as such, else as a string. Objects on the way are made where missing, a string
 * on the way becomes {"kind": string}; an array element must exist. ERROR_INPUT with the sentence
 * otherwise; part of the elements of a [*] may be set by then.
 */
int json_set(struct json_document *document, const char *assignment, struct error *error);

/*
 * The same on a part of the tree or a copy: value is copied in with its origin, and blamed for what
 * goes wrong.
 */
int json_assign(struct json_document *document, cJSON *object, const char *path, const cJSON *value,
		struct error *error);

/* Every key of the object must be one of names (NULL-terminated); the error lists them. */
int json_check_keys(const struct json_document *document, const cJSON *object,
		    const char *const *names, struct error *error);

/* 64-bit numbers that must be exact travel as decimal strings. */
cJSON *json_add_u64_text(cJSON *object, const char *name, uint64_t value);

/*
 * Whole number as JSON number, printed exactly. From 10^15 on, where cJSON would round, the node in
 * the tree is raw text and becomes a number when it is read back.
 */
cJSON *json_add_count(cJSON *object, const char *name, uint64_t value);

#endif
