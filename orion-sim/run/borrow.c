/* SPDX-License-Identifier: MIT */
/* borrow.c - which settings are borrowed when: the profile's once, a variant's around its runs. */
#include "run/borrow.h"

#include <string.h>

#include "memory/memory.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "run/point.h"
#include "run/settings.h"

/* What is said of every turn of a variant is noted once. */
static void borrow_tidy_notes(cJSON *notes, int n)
{
	for (int i = cJSON_GetArraySize(notes); i-- > n;) {
		const cJSON *note = cJSON_GetArrayItem(notes, i), *other;

		cJSON_ArrayForEach (other, notes)
			if (other == note || !strcmp(other->valuestring, note->valuestring))
				break;
		if (other != note)
			cJSON_DeleteItemFromArray(notes, i);
	}
}

static bool borrow_is_asked(const cJSON *list)
{
	return cJSON_GetArraySize(list) > 0;
}

static void borrow_add_needs(const struct borrow *borrow, unsigned v, struct memory_need *needs,
			     unsigned *n_needs)
{
	for (unsigned p = 0; p < borrow->plan->variants[v].n_points; p++)
		run_point_needs(&borrow->points[v][p], needs, n_needs, RUN_NEEDS_MAX);
}

/* Whoever comes between two variants could not be told to wait. */
static int borrow_hold(struct borrow *borrow, struct error *error)
{
	for (unsigned v = 0; v < borrow->plan->n_variants; v++)
		if (borrow_is_asked(borrow->plan->variants[v].more_settings))
			return settings_hold(borrow->settings, error);
	return 0;
}

int borrow_begin(struct borrow *borrow, struct error *error)
{
	const struct profile *profile = borrow->plan->profile;
	struct memory_need needs[RUN_NEEDS_MAX];
	unsigned n_needs = 0;
	int status;

	for (unsigned v = 0; v < borrow->plan->n_variants; v++)
		borrow_add_needs(borrow, v, needs, &n_needs);
	status = settings_apply(profile->document, profile->settings, needs, n_needs, borrow->notes,
				&borrow->settings, error);
	return status < 0 ? status : borrow_hold(borrow, error);
}

/* Do both leave the machine as all variants have it? */
static bool borrow_serves(const struct borrow *borrow, const struct plan_variant *variant)
{
	const struct plan_variant *now = borrow->variant;

	return now == variant || (!borrow_is_asked(variant->more_settings) &&
				  (!now || !borrow_is_asked(now->more_settings)));
}

int borrow_variant(struct borrow *borrow, unsigned v, struct error *error)
{
	const struct plan_variant *variant = &borrow->plan->variants[v];
	int status = 0, n = cJSON_GetArraySize(borrow->notes);
	struct memory_need needs[RUN_NEEDS_MAX];
	unsigned n_needs = 0;

	if (borrow_serves(borrow, variant))
		return 0;
	settings_shrink(borrow->settings, borrow->notes);
	borrow->variant = variant;
	if (borrow_is_asked(variant->more_settings)) {
		borrow_add_needs(borrow, v, needs, &n_needs);
		status = settings_extend(borrow->settings, borrow->plan->profile->document,
					 variant->more_settings, needs, n_needs, borrow->notes,
					 error);
	}
	borrow_tidy_notes(borrow->notes, n);
	return status;
}

void borrow_end(struct borrow *borrow)
{
	if (borrow->settings)
		settings_restore(borrow->settings, borrow->notes);
	borrow->settings = NULL;
	borrow->variant = NULL;
}
