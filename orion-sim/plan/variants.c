/* SPDX-License-Identifier: MIT */
/* variants.c - the sides of a comparison that a profile declares. */
#include "plan/variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json.h"
#include "base/words.h"
#include "plan/parts.h"

#define AGAIN " again"

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *variant_label(const cJSON *variant)
{
	return cJSON_GetStringValue(member(variant, "label"));
}

unsigned variants_count(const struct profile *profile)
{
	return profile->variants ? (unsigned)cJSON_GetArraySize(profile->variants) : 1;
}

static int variant_label_check(const struct profile *profile, const cJSON *variant,
			       struct error *error)
{
	const cJSON *label = member(variant, "label"), *other;

	if (!cJSON_IsString(label) || !*label->valuestring)
		return json_fail(profile->document, label ? label : variant, error, ERROR_INPUT,
				 "a variant needs a \"label\", a short text of its own");
	if (strlen(label->valuestring) > 63)
		return json_fail(profile->document, label, error, ERROR_INPUT,
				 "is %zu bytes long, at most 63 are possible; shorten it",
				 strlen(label->valuestring));
	for (other = profile->variants->child; other != variant; other = other->next) {
		const char *text = variant_label(other);

		if (text && !strcmp(text, label->valuestring))
			return json_fail(profile->document, label, error, ERROR_INPUT,
					 "another variant is called '%s', too; give this one a "
					 "label of its own",
					 text);
	}
	return label_check(profile->document, label, label->valuestring, error);
}

static int variant_check(const struct profile *profile, const cJSON *variant, struct error *error)
{
	static const char *const keys[] = {"label", "settings", "set", NULL};
	const cJSON *set = member(variant, "set");
	int status;

	if (!cJSON_IsObject(variant))
		return json_fail(profile->document, variant, error, ERROR_INPUT,
				 "must be an object like {\"label\": \"a\", \"set\": {\"depth\": "
				 "8}}");
	status = json_check_keys(profile->document, variant, keys, error);
	if (status < 0)
		return status;
	if (set && !cJSON_IsObject(set))
		return json_fail(profile->document, set, error, ERROR_INPUT,
				 "must be an object of paths and values, like {\"depth\": 8}");
	status = variant_label_check(profile, variant, error);
	if (status < 0)
		return status;
	return settings_shape_check(profile->document, member(variant, "settings"), error);
}

static int baseline_unknown(const struct profile *profile, struct error *error)
{
	const cJSON *node = member(json_root(profile->document), "baseline"), *variant;
	const char *labels[VARIANTS_MAX + 1];
	char sentence[900];
	unsigned n = 0;

	cJSON_ArrayForEach (variant, profile->variants)
		labels[n++] = variant_label(variant);
	labels[n] = NULL;
	words_unknown("variant", profile->baseline, labels, sentence, sizeof(sentence));
	return json_fail(profile->document, node, error, ERROR_INPUT, "%s", sentence);
}

static int baseline_check(struct profile *profile, struct error *error)
{
	const cJSON *node = member(json_root(profile->document), "baseline"), *variant;

	if (!profile->variants)
		return *profile->baseline
			       ? json_fail(profile->document, node, error, ERROR_INPUT,
					   "names a variant, and the profile has no \"variants\"; "
					   "leave it out")
			       : 0;
	if (!*profile->baseline)
		snprintf(profile->baseline, sizeof(profile->baseline), "%s",
			 variant_label(profile->variants->child));
	cJSON_ArrayForEach (variant, profile->variants)
		if (!strcmp(profile->baseline, variant_label(variant)))
			return 0;
	return baseline_unknown(profile, error);
}

int variants_check(struct profile *profile, struct error *error)
{
	const cJSON *variant;

	if (profile->variants && (!cJSON_IsArray(profile->variants) || !profile->variants->child ||
				  cJSON_GetArraySize(profile->variants) > VARIANTS_MAX))
		return json_fail(profile->document, profile->variants, error, ERROR_INPUT,
				 "must be a list of 1 to %d variants; leave it out for none",
				 VARIANTS_MAX);
	cJSON_ArrayForEach (variant, profile->variants) {
		int status = variant_check(profile, variant, error);

		if (status < 0)
			return status;
	}
	return baseline_check(profile, error);
}

unsigned variants_baseline(const struct profile *profile)
{
	const cJSON *variant;
	unsigned i = 0;

	cJSON_ArrayForEach (variant, profile->variants) {
		if (!strcmp(profile->baseline, variant_label(variant)))
			return i;
		i++;
	}
	return 0;
}

static void side_add(cJSON *sides, const cJSON *variant, const char *label)
{
	cJSON *side = cJSON_CreateObject();
	const cJSON *child;

	cJSON_AddStringToObject(side, "label", label);
	cJSON_ArrayForEach (child, variant)
		if (strcmp(child->string, "label") != 0)
			cJSON_AddItemToObject(side, child->string, cJSON_Duplicate(child, true));
	cJSON_AddItemToArray(sides, side);
}

int variants_against_itself(struct profile *profile, struct error *error)
{
	CLEANUP(cleanup_free) char *list = NULL, *assignment = NULL;
	const cJSON *variant =
		cJSON_GetArrayItem(profile->variants, (int)variants_baseline(profile));
	const char *label = variant ? variant_label(variant) : "base";
	cJSON *sides = cJSON_CreateArray();
	char again[64 + sizeof(AGAIN)];

	snprintf(again, sizeof(again), "%s" AGAIN, label);
	side_add(sides, variant, label);
	/* A label that leaves no room for more. */
	side_add(sides, variant, strlen(again) < 64 ? again : "again");
	list = cJSON_PrintUnformatted(sides);
	cJSON_Delete(sides);
	if (!list || asprintf(&assignment, "variants=%s", list) < 0)
		return error_set(error, -ENOMEM, "no memory for the variants");
	return json_set(profile->document, assignment, error);
}
