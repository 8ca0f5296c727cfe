/* SPDX-License-Identifier: MIT */
/* describe.c - the part of a result that is known before anything has run. */
#include "run/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "engine/target.h"
#include "plan/blocks.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "run/fingerprint.h"
#include "stats/result.h"

static void describe_blocks(const struct plan *plan, struct result *ret)
{
	char note[256];

	memcpy(ret->baseline, plan->variants[plan->baseline].label, sizeof(ret->baseline));
	ret->against_itself = plan->profile->against_itself;
	blocks_note(plan_repeats_least(plan), plan->n_variants, note, sizeof(note));
	if (*note)
		cJSON_AddItemToArray(ret->notes, cJSON_CreateString(note));
}

/* "8K io_uring hugetlb 2M" where the profile gives no label. */
static void describe_label(const struct plan_point *planned, struct result_point *point)
{
	size_t length = 0;

	if (planned->label[0]) {
		snprintf(point->label, sizeof(point->label), "%s", planned->label);
		return;
	}
	for (unsigned i = 0; i < planned->n_coordinates && length < sizeof(point->label); i++)
		length += (size_t)snprintf(point->label + length, sizeof(point->label) - length,
					   "%s%s", i ? " " : "", planned->coordinates[i].value);
	if (planned->n_coordinates == 0)
		snprintf(point->label, sizeof(point->label), "point");
}

static int describe_point(const struct plan_point *planned, struct result_point *point)
{
	describe_label(planned, point);
	point->effective = cJSON_Duplicate(planned->effective, true);
	point->coordinates = calloc(planned->n_coordinates + 1, sizeof(*point->coordinates));
	/* One more may be sampled. */
	point->repeats = calloc(planned->repeats + 1, sizeof(*point->repeats));
	if (!point->coordinates || !point->repeats)
		return -ENOMEM;
	point->n_coordinates = planned->n_coordinates;
	for (unsigned i = 0; i < planned->n_coordinates; i++) {
		snprintf(point->coordinates[i].axis, sizeof(point->coordinates[i].axis), "%s",
			 planned->coordinates[i].axis);
		snprintf(point->coordinates[i].value, sizeof(point->coordinates[i].value), "%s",
			 planned->coordinates[i].value);
	}
	return 0;
}

static int describe_variant(const struct plan_variant *planned, struct result_variant *variant)
{
	snprintf(variant->label, sizeof(variant->label), "%s", planned->label);
	variant->points = calloc(planned->n_points, sizeof(*variant->points));
	if (!variant->points)
		return -ENOMEM;
	for (unsigned p = 0; p < planned->n_points; p++) {
		variant->n_points++;
		if (describe_point(&planned->points[p], &variant->points[p]) < 0)
			return -ENOMEM;
	}
	return 0;
}

int describe_result(const struct plan *plan, const char *version, struct result *ret,
		    struct error *error)
{
	*ret = (struct result){.seed = plan->seed, .repeats = plan->repeats};
	snprintf(ret->name, sizeof(ret->name), "%s", plan->name);
	snprintf(ret->summary, sizeof(ret->summary), "%s", plan->summary);
	snprintf(ret->version, sizeof(ret->version), "%s", version);
	memcpy(ret->primary, plan->primary, sizeof(ret->primary));
	clock_utc(ret->started_utc);
	ret->clock_cost_ns = clock_cost_ns();
	ret->fingerprint = fingerprint_machine("");
	ret->notes = cJSON_CreateArray();
	describe_blocks(plan, ret);
	ret->effective = cJSON_Duplicate(plan->effective, true);
	if (plan->allow_unwritten)
		cJSON_AddItemToArray(
			ret->notes,
			cJSON_CreateString(
				"allow_unwritten: ranges that were never written are "
				"answered without the device, so figures may be too good"));
	ret->variants = calloc(plan->n_variants, sizeof(*ret->variants));
	if (!ret->variants || !ret->notes)
		return error_set(error, -ENOMEM, "no memory for a result");
	for (unsigned v = 0; v < plan->n_variants; v++) {
		ret->n_variants++;
		if (describe_variant(&plan->variants[v], &ret->variants[v]) < 0)
			return error_set(error, -ENOMEM, "no memory for a result");
	}
	return 0;
}

void describe_devices(struct result *result, char devices[][32], unsigned n)
{
	cJSON *list = cJSON_AddArrayToObject(result->fingerprint, "devices");

	for (unsigned i = 0; i < n; i++)
		cJSON_AddItemToArray(list, fingerprint_device(devices[i]));
}

void describe_targets(struct result *result, const struct target *targets, unsigned n)
{
	cJSON *list = n ? cJSON_AddArrayToObject(result->fingerprint, "targets") : NULL;

	for (unsigned i = 0; i < n; i++) {
		cJSON *target = cJSON_CreateObject();

		cJSON_AddStringToObject(target, "path", targets[i].path);
		json_add_count(target, "size_bytes", targets[i].size_bytes);
		cJSON_AddItemToArray(list, target);
	}
}
