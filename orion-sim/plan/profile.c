/* SPDX-License-Identifier: MIT */
/* profile.c - the wish: a JSON profile, checked, its axes not yet expanded. */
#include "plan/profile.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/field.h"
#include "base/json.h"
#include "base/units.h"
#include "plan/blocks.h"
#include "plan/parts.h"
#include "plan/reference.h"
#include "plan/variants.h"

#define PRIMARY_MAX 8

const char *const profile_pmu_names[] = {"auto", "off", NULL};

static const struct field profile_fields[] = {
	FIELD_TEXT("name", struct profile, name, "", "a-z, 0-9 and -; else the file's name"),
	FIELD_TEXT("summary", struct profile, summary, "", "one line"),
	FIELD_COUNT("repeats", struct profile, repeats, "3", 1, 10000,
		    "times that every point is run; with variants the number of blocks, else 10"),
	FIELD_TEXT("baseline", struct profile, baseline, "",
		   "label of the variant that the others are held against; else the first"),
	FIELD_BOOL("strict", struct profile, strict, "true",
		   "fail a point whose memory is not what was asked"),
	FIELD_REAL("strict_share", struct profile, strict_share_percent, "99",
		   "percent of a region that must be as asked"),
	FIELD_BOOL("allow_unwritten", struct profile, allow_unwritten, "false",
		   "read holes and unwritten extents, too"),
	FIELD_CHOICE("pmu", struct profile, pmu, "auto", profile_pmu_names,
		     "count cycles, instructions and TLB misses where the CPU can"),
	FIELD_BOOL("marker", struct profile, marker, "false",
		   "show an emulator around this machine where measure phases begin and end"),
	FIELD_END};

static const char *const profile_others[] = {"seed",	 "phases",    "primary", "targets",
					     "settings", "variants",  "points",	 "counters",
					     "sample",	 "reference", NULL};

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static int seed_read(struct profile *profile, const cJSON *node, struct error *error)
{
	const char *text = cJSON_GetStringValue(node);
	double number;

	if (!node)
		return 0;
	profile->has_seed = true;
	if (text && !units_parse_count(text, &profile->seed, NULL))
		return 0;
	number = cJSON_IsNumber(node) ? node->valuedouble : -1;
	if (number >= 0 && number < 9007199254740992.0 && number == (double)(uint64_t)number) {
		profile->seed = (uint64_t)number;
		return 0;
	}
	return json_fail(profile->document, node, error, ERROR_INPUT,
			 "must be a whole number of 64 bits in quotes, like \"1\" (without quotes "
			 "below 2^53)");
}

/* "read.mbps" */
static bool primary_ok(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t class = strspn(text, letters), metric;

	if (!class || text[class] != '.')
		return false;
	metric = strspn(text + class + 1, letters);
	return metric && !text[class + 1 + metric] && class < 16 && class + 1 + metric < 64;
}

static int primary_check(const struct profile *profile, struct error *error)
{
	const cJSON *metric;

	if (!profile->primary)
		return 0;
	if (!cJSON_IsArray(profile->primary) || cJSON_GetArraySize(profile->primary) > PRIMARY_MAX)
		return json_fail(profile->document, profile->primary, error, ERROR_INPUT,
				 "must be a list of at most %d metrics like [\"read.mbps\"]",
				 PRIMARY_MAX);
	cJSON_ArrayForEach (metric, profile->primary) {
		if (!cJSON_IsString(metric) || !primary_ok(metric->valuestring))
			return json_fail(profile->document, metric, error, ERROR_INPUT,
					 "must be CLASS.METRIC in quotes, like \"read.mbps\" or "
					 "\"read.p99_us\"");
	}
	return 0;
}

static int points_check(const struct profile *profile, const cJSON *root, struct error *error)
{
	const cJSON *point;

	if (!profile->points)
		return json_fail(profile->document, root, error, ERROR_INPUT,
				 "the profile has no \"points\"; add a list with at least one "
				 "point");
	if (!cJSON_IsArray(profile->points) || !profile->points->child)
		return json_fail(profile->document, profile->points, error, ERROR_INPUT,
				 "must be a list with at least one point like {\"regions\": {…}, "
				 "\"streams\": […]}");
	cJSON_ArrayForEach (point, profile->points) {
		if (!cJSON_IsObject(point))
			return json_fail(profile->document, point, error, ERROR_INPUT,
					 "must be an object like {\"regions\": {…}, \"streams\": "
					 "[…]}");
	}
	return 0;
}

static bool name_is_ok(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

/* "/some/where/My Profile.json" -> "my-profile" */
static void name_from_path(const char *path, char name[64])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = strlen(base), n = 0;

	if (length > 5 && !strcmp(base + length - 5, ".json"))
		length -= 5;
	for (size_t i = 0; i < length && n < 63; i++) {
		char c = (char)tolower((unsigned char)base[i]);

		if (isalnum((unsigned char)c) && (unsigned char)c < 128)
			name[n++] = c;
		else if (n && name[n - 1] != '-')
			name[n++] = '-';
	}
	if (!n)
		name[n++] = '-';
	name[n] = '\0';
}

static int name_check(struct profile *profile, const cJSON *root, struct error *error)
{
	if (!*profile->name)
		name_from_path(json_name(profile->document), profile->name);
	if (!name_is_ok(profile->name))
		return json_fail(profile->document, member(root, "name"), error, ERROR_INPUT,
				 "'%s' is no name for a profile; use a-z, 0-9 and - only",
				 profile->name);
	return label_check(profile->document, member(root, "summary"), profile->summary, error);
}

static int lists_check(struct profile *profile, const cJSON *root, struct error *error)
{
	int status = primary_check(profile, error);

	if (!status)
		status = targets_check(profile->document, profile->targets, error);
	if (!status)
		status = settings_shape_check(profile->document, profile->settings, error);
	if (!status)
		status = variants_check(profile, error);
	if (!status)
		status = points_check(profile, root, error);
	if (!status && variants_count(profile) > 1 && !member(root, "repeats"))
		profile->repeats = BLOCKS_PRESET;
	return status;
}

static int share_check(const struct profile *profile, const cJSON *root, struct error *error)
{
	if (profile->strict_share_percent >= 0 && profile->strict_share_percent <= 100)
		return 0;
	return json_fail(profile->document, member(root, "strict_share"), error, ERROR_INPUT,
			 "is %g, but a share is between 0 and 100 percent",
			 profile->strict_share_percent);
}

static int profile_check(struct profile *profile, struct error *error)
{
	const cJSON *root = json_root(profile->document);
	int status;

	if (!cJSON_IsObject(root))
		return json_fail(profile->document, root, error, ERROR_INPUT,
				 "a profile must be an object like {\"points\": […]}");
	field_presets(profile_fields, profile);
	profile->phases = phases_preset();
	profile->primary = member(root, "primary");
	profile->targets = member(root, "targets");
	profile->settings = member(root, "settings");
	profile->variants = member(root, "variants");
	profile->points = member(root, "points");
	profile->reference = member(root, "reference");
	status =
		field_read(profile_fields, profile->document, root, profile_others, profile, error);
	if (!status)
		status = phases_read(profile->document, member(root, "phases"), &profile->phases,
				     error);
	if (!status)
		status = seed_read(profile, member(root, "seed"), error);
	if (!status)
		status = observed_read(profile->document, root, profile->observed.sampled,
				       &profile->observed, error);
	if (!status)
		status = reference_check(profile->document, profile->reference, error);
	if (!status)
		status = share_check(profile, root, error);
	if (!status)
		status = name_check(profile, root, error);
	if (!status)
		status = lists_check(profile, root, error);
	return status;
}

static int sets_apply(struct json_document *document, const char *const *sets, struct error *error)
{
	for (; sets && *sets; sets++) {
		int status = json_set(document, *sets, error);

		if (status < 0)
			return status;
	}
	return 0;
}

static int target_word_check(const char *target, unsigned n, struct error *error)
{
	if (n >= TARGETS_MAX)
		return error_set(error, ERROR_INPUT,
				 "--target is given more than %d times; a stream takes at most so "
				 "many targets",
				 TARGETS_MAX);
	if (!*target)
		return error_set(error, ERROR_INPUT,
				 "--target is empty; give the path of a file or block device");
	if (strlen(target) > TARGET_PATH_MAX)
		return error_set(error, ERROR_INPUT,
				 "--target is a path of %zu bytes, at most %d are possible; name "
				 "the file by a shorter one",
				 strlen(target), TARGET_PATH_MAX);
	return 0;
}

static int targets_apply(struct profile *profile, const char *const *targets, struct error *error)
{
	CLEANUP(cleanup_free) char *list = NULL, *assignment = NULL;
	cJSON *array;

	if (!targets || !*targets)
		return 0;
	for (unsigned n = 0; targets[n]; n++) {
		int status = target_word_check(targets[n], n, error);

		if (status < 0)
			return status;
	}
	array = cJSON_CreateArray();
	for (; *targets; targets++)
		cJSON_AddItemToArray(array, cJSON_CreateString(*targets));
	list = cJSON_PrintUnformatted(array);
	cJSON_Delete(array);
	if (!list || asprintf(&assignment, "targets=%s", list) < 0)
		return error_set(error, -ENOMEM, "no memory for the list of targets");
	profile->targets_given = true;
	return json_set(profile->document, assignment, error);
}

/* Repeats that the profile gives without variants are no blocks; those of --set are. */
static int against_itself(struct profile *profile, const char *const *sets, struct error *error)
{
	bool given = variants_count(profile) > 1;
	int status = variants_against_itself(profile, error);

	for (; sets && *sets; sets++)
		given = given || !strncmp(*sets, "repeats=", strlen("repeats="));
	if (!given)
		cJSON_DeleteItemFromObjectCaseSensitive(json_root(profile->document), "repeats");
	profile->against_itself = true;
	return status < 0 ? status : profile_check(profile, error);
}

/* Takes the document, also on failure. */
static int profile_make(struct json_document *document, const struct profile_overrides *overrides,
			struct profile *ret, struct error *error)
{
	struct profile profile = {.document = document,
				  .observed = {.sampled = overrides && overrides->sample}};
	int status = 0;

	if (overrides)
		status = sets_apply(document, overrides->sets, error);
	if (!status && overrides)
		status = targets_apply(&profile, overrides->targets, error);
	if (!status)
		status = profile_check(&profile, error);
	if (!status && overrides && overrides->against_itself)
		status = against_itself(&profile, overrides->sets, error);
	if (status < 0) {
		json_free(document);
		return status;
	}
	*ret = profile;
	return 0;
}

int profile_load(const char *path, const struct profile_overrides *overrides, struct profile *ret,
		 struct error *error)
{
	struct json_document *document;
	int status = json_read(path, &document, error);

	return status < 0 ? status : profile_make(document, overrides, ret, error);
}

int profile_parse(const char *name, const char *text, const struct profile_overrides *overrides,
		  struct profile *ret, struct error *error)
{
	struct json_document *document;
	int status = json_parse(name, text, &document, error);

	return status < 0 ? status : profile_make(document, overrides, ret, error);
}

void profile_free(struct profile *profile)
{
	json_free(profile->document);
	memset(profile, 0, sizeof(*profile));
}
