/* SPDX-License-Identifier: MIT */
/* axes.h - lists in a point's "axes" become points with coordinates. */
#ifndef ORION_PLAN_AXES_H
#define ORION_PLAN_AXES_H

#include <cjson/cJSON.h>

#include "plan/path.h"

struct error;
struct json_document;

struct axis_coordinate {
	char axis[32];
	char value[64];
};

/* A point with every axis set to one value. */
struct axes_point {
	cJSON *body; /* owned: json_copy of the point without "axes", values assigned */
	struct axis_coordinate *coordinates; /* owned */
	unsigned n_coordinates;
};

/* Shorthand names and their paths, for `list`: {"block", "streams[*].workload.block", help}. */
struct axis_shorthand {
	const char *name, *path, *help;
};
extern const struct axis_shorthand axes_shorthands[]; /* name null ends it */

/* How many points axes_expand would make; the same errors. */
int axes_count(struct json_document *document, const cJSON *point, unsigned *ret,
	       struct error *error);

/* The product of all axes, the last axis fastest; owned array. More than 100000 points:
 * ERROR_INPUT. */
int axes_expand(struct json_document *document, const cJSON *point, struct axes_point **ret,
		unsigned *ret_n, struct error *error);

/* The list of a member of "axes": itself, or what {"path": …, "values": […]} has. */
const cJSON *axes_values(const cJSON *node);

/* Path that the key of a member of "axes" or "set", or the "path" of one that has "values", stands
 * for: a shorthand's, else the word itself; "….kind" becomes the whole choice. ERROR_INPUT lists
 * the shorthands. */
int axes_path(const struct json_document *document, const cJSON *node, char path[PATH_BYTES],
	      struct error *error);

/* Assigns every member of a "set" object (null is none) to the body. */
int axes_assign_set(struct json_document *document, cJSON *body, const cJSON *set,
		    struct error *error);

void axes_free(struct axes_point *points, unsigned n);

#endif
