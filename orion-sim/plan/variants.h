/* SPDX-License-Identifier: MIT */
/* variants.h - the sides of a comparison that a profile declares. */
#ifndef ORION_PLAN_VARIANTS_H
#define ORION_PLAN_VARIANTS_H

#include "plan/profile.h"

struct error;

#define VARIANTS_MAX 64

/* How many sides there are: 1 for a profile without variants. */
unsigned variants_count(const struct profile *profile);

/* Labels, settings and overrides in their form, and the baseline, which is the first unless said.
 */
int variants_check(struct profile *profile, struct error *error);

/* Which of the variants is the baseline; 0 for a profile without any. */
unsigned variants_baseline(const struct profile *profile);

/*
 * Of a profile that was checked: its baseline, or without variants its points as they are, becomes
 * both sides, "base" and "base again". To be checked again.
 */
int variants_against_itself(struct profile *profile, struct error *error);

#endif
