/* SPDX-License-Identifier: MIT */
/* profiles.h - where profiles are found by their name, and how one becomes a plan. */
#ifndef ORION_COMMAND_PROFILES_H
#define ORION_COMMAND_PROFILES_H

#include "plan/plan.h"
#include "plan/profile.h"

struct error;

#define PROFILE_PATH_BYTES 512
#define PROFILE_DIRS_MAX   8

struct profile_place {
	char name[64];
	char path[PROFILE_PATH_BYTES];
};

/* Existing directories that are searched, in this order, none twice; returns how many. */
unsigned command_profile_dirs(char paths[PROFILE_DIRS_MAX][PROFILE_PATH_BYTES]);

/* Every profile that command_find_profile finds by its name, sorted by it. ret is owned by the
 * caller (free). -ENOMEM only. */
int command_profile_places(struct profile_place **ret, unsigned *ret_n, struct error *error);

/* What plan_make cannot know: metrics of "primary" and settings, those of variants too.
 * ERROR_INPUT. */
int command_check_profile(const struct profile *profile, struct error *error);

/* plan_make, and plan_fit to the memory that is available here and now. */
int command_make_plan(struct profile *profile, struct plan *ret, struct error *error);

/*
 * From the word on the command line to exact points, metrics and settings checked, too; nothing is
 * touched. On success plan_free and then profile_free are the caller's.
 */
int command_load_plan(const char *word, const struct profile_overrides *overrides,
		      struct profile *ret_profile, struct plan *ret_plan, struct error *error);

#endif
