/* SPDX-License-Identifier: MIT */
/* effective.h - a wish written out with every option, default or not; reads back as a profile. */
#ifndef ORION_PLAN_EFFECTIVE_H
#define ORION_PLAN_EFFECTIVE_H

#include <cjson/cJSON.h>

struct plan_point;
struct profile;

/* The whole profile with its axes as they are, presets filled in. Owned by the caller; null if out
 * of memory. */
cJSON *effective_profile(const struct profile *profile);

/* One exact point, without its coordinates: may stand in "points" of a profile. Same ownership. */
cJSON *effective_point(const struct plan_point *point);

#endif
