/* SPDX-License-Identifier: MIT */
/* point.h - one expanded point, read exactly. */
#ifndef ORION_PLAN_POINT_H
#define ORION_PLAN_POINT_H

#include <cjson/cJSON.h>

#include "base/field.h"

struct error;
struct plan_point;
struct profile;

#define STREAMS_MAX 64

extern const struct field point_fields[], region_fields[], stream_fields[];
extern const char *const stream_as_names[]; /* by enum worker_kind */

/*
 * Reads a body that has no axes left into ret (label, phases, repeats, regions, streams, not the
 * coordinates), what it does not say from the profile. ret is to be zeroed before; point_free after
 * success only.
 */
int point_read(const struct profile *profile, const cJSON *body, struct plan_point *ret,
	       struct error *error);

/* Frees what the point owns, coordinates and effective too. */
void point_free(struct plan_point *point);

#endif
