/* SPDX-License-Identifier: MIT */
/* path.h - paths in a point ("streams[*].workload.depth") and what they lead to. */
#ifndef ORION_PLAN_PATH_H
#define ORION_PLAN_PATH_H

#include <stdbool.h>
#include <cjson/cJSON.h>

#define PATH_BYTES 256

struct catalog;
struct error;
struct field;
struct json_document;

/*
 * Assigns value at every place of the object that the path matches; [*] stands for every element
 * of an array and every member of an object. All but the last word must exist (of an engine given
 * by its name only, too: it becomes an object). ERROR_INPUT that names the place of blame where
 * nothing matches.
 */
int path_assign(struct json_document *document, cJSON *object, const char *path, const cJSON *value,
		const cJSON *blame, struct error *error);

/* Would an assignment to path over replace what one to path under has set? */
bool path_covers(const char *over, const char *under);

/* Catalog that a value at path is chosen from (…engine, …memory, …numa, …warmup, …workload); null
 * for others. */
const struct catalog *path_catalog(const char *path);

/* The field that a value at path is read by; null if there is none of that name. */
const struct field *path_field(const char *path);

/* Last word of a path: "depth". Lent, points into path. */
const char *path_last_word(const char *path);

#endif
