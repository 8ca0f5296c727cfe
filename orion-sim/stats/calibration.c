/* SPDX-License-Identifier: MIT */
/* calibration.c - what a search for the highest load found, as a part of a result. */
#include "stats/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "stats/result.h"
#include "stats/result_schema.h"

/* clang-format off */
#define ROW(key_, kind_, type, member)                                                             \
	{.key = (key_), .kind = (kind_), .offset = offsetof(type, member),                          \
	 .size = sizeof(((type *)0)->member)}
/* clang-format on */

static const struct member calibration_members[] = {
	ROW("percentile", MEMBER_TEXT, struct calibration, percentile),
	ROW("limit_ns", MEMBER_REAL, struct calibration, limit_ns),
	ROW("command", MEMBER_TEXT, struct calibration, command),
	{.key = NULL},
};

static const struct member part_members[] = {
	ROW("name", MEMBER_TEXT, struct calibration_part, name),
	ROW("goal", MEMBER_TEXT, struct calibration_part, goal),
	ROW("outcome", MEMBER_TEXT, struct calibration_part, outcome),
	ROW("stream", MEMBER_TEXT, struct calibration_part, stream),
	ROW("process", MEMBER_OPTIONAL, struct calibration_part, process),
	ROW("block_bytes", MEMBER_U64, struct calibration_part, block_bytes),
	ROW("load", MEMBER_REAL, struct calibration_part, load),
	ROW("load_low", MEMBER_REAL, struct calibration_part, load_low),
	ROW("load_high", MEMBER_REAL, struct calibration_part, load_high),
	ROW("iops", MEMBER_REAL, struct calibration_part, iops),
	ROW("iops_low", MEMBER_REAL, struct calibration_part, iops_low),
	ROW("iops_high", MEMBER_REAL, struct calibration_part, iops_high),
	ROW("mbps", MEMBER_REAL, struct calibration_part, mbps),
	ROW("mbps_low", MEMBER_REAL, struct calibration_part, mbps_low),
	ROW("mbps_high", MEMBER_REAL, struct calibration_part, mbps_high),
	ROW("latency_ns", MEMBER_REAL, struct calibration_part, latency_ns),
	ROW("latency_low_ns", MEMBER_REAL, struct calibration_part, latency_low_ns),
	ROW("latency_high_ns", MEMBER_REAL, struct calibration_part, latency_high_ns),
	ROW("mean_ns", MEMBER_REAL, struct calibration_part, mean_ns),
	ROW("driver_percent", MEMBER_REAL, struct calibration_part, driver_percent),
	ROW("over_load", MEMBER_SOME, struct calibration_part, over_load),
	ROW("over_ns", MEMBER_SOME, struct calibration_part, over_ns),
	ROW("again_load", MEMBER_SOME, struct calibration_part, again_load),
	ROW("largest_load", MEMBER_REAL, struct calibration_part, largest_load),
	ROW("loads", MEMBER_UNSIGNED, struct calibration_part, loads),
	ROW("runs", MEMBER_UNSIGNED, struct calibration_part, runs),
	ROW("grid", MEMBER_UNSIGNED, struct calibration_part, grid),
	{.key = NULL},
};

static const struct member need_members[] = {
	ROW("what", MEMBER_TEXT, struct calibration_need, what),
	ROW("part", MEMBER_TEXT, struct calibration_need, part),
	ROW("asked", MEMBER_REAL, struct calibration_need, asked),
	ROW("got", MEMBER_REAL, struct calibration_need, got),
	ROW("low", MEMBER_REAL, struct calibration_need, low),
	ROW("high", MEMBER_REAL, struct calibration_need, high),
	ROW("answer", MEMBER_TEXT, struct calibration_need, answer),
	{.key = NULL},
};

const struct calibration_part calibration_part_unknown = {
	.load = NAN,
	.load_low = NAN,
	.load_high = NAN,
	.iops = NAN,
	.iops_low = NAN,
	.iops_high = NAN,
	.mbps = NAN,
	.mbps_low = NAN,
	.mbps_high = NAN,
	.latency_ns = NAN,
	.latency_low_ns = NAN,
	.latency_high_ns = NAN,
	.mean_ns = NAN,
	.driver_percent = NAN,
};

void calibration_free(struct calibration *calibration)
{
	if (!calibration)
		return;
	free(calibration->parts);
	free(calibration->needs);
	free(calibration);
}

static void add_object(cJSON *list, const struct member *members, const void *from)
{
	cJSON *object = cJSON_CreateObject();

	members_write(members, from, object);
	cJSON_AddItemToArray(list, object);
}

cJSON *calibration_to_json(const struct calibration *calibration)
{
	cJSON *object = cJSON_CreateObject(), *list;

	members_write(calibration_members, calibration, object);
	list = cJSON_AddArrayToObject(object, "parts");
	for (unsigned i = 0; i < calibration->n_parts; i++)
		add_object(list, part_members, &calibration->parts[i]);
	if (calibration->n_needs == 0)
		return object;
	list = cJSON_AddArrayToObject(object, "needs");
	for (unsigned i = 0; i < calibration->n_needs; i++)
		add_object(list, need_members, &calibration->needs[i]);
	return object;
}

/* A list of structs by their table; *ret is owned by the caller, also on failure. */
static int read_structs(const struct json_document *document, const cJSON *list,
			const struct member *members, size_t size, void **ret, unsigned *ret_n,
			struct error *error)
{
	const cJSON *item;
	char *structs;

	if (!cJSON_IsArray(list))
		return json_fail(document, list, error, ERROR_INPUT, "must be a list");
	structs = calloc((size_t)cJSON_GetArraySize(list) + 1, size);
	if (!structs)
		return error_set(error, -ENOMEM, "no memory for a calibration");
	*ret = structs;
	cJSON_ArrayForEach (item, list) {
		int rc = members_read(members, document, item, structs + *ret_n * size, error);

		if (rc < 0)
			return rc;
		++*ret_n;
	}
	return 0;
}

static int read_lists(const struct json_document *document, const cJSON *object,
		      struct calibration *calibration, struct error *error)
{
	const cJSON *parts = cJSON_GetObjectItemCaseSensitive(object, "parts");
	const cJSON *needs = cJSON_GetObjectItemCaseSensitive(object, "needs");
	void *list = NULL;
	int rc;

	if (!parts)
		return json_fail(document, object, error, ERROR_INPUT, "lacks the key \"parts\"");
	rc = read_structs(document, parts, part_members, sizeof(*calibration->parts), &list,
			  &calibration->n_parts, error);
	calibration->parts = list;
	if (rc < 0 || !needs)
		return rc;
	list = NULL;
	rc = read_structs(document, needs, need_members, sizeof(*calibration->needs), &list,
			  &calibration->n_needs, error);
	calibration->needs = list;
	return rc;
}

int calibration_read(const struct json_document *document, const cJSON *object,
		     struct calibration **ret, struct error *error)
{
	struct calibration *calibration = calloc(1, sizeof(*calibration));
	int rc;

	if (!calibration)
		return error_set(error, -ENOMEM, "no memory for a calibration");
	rc = members_read(calibration_members, document, object, calibration, error);
	if (rc == 0)
		rc = read_lists(document, object, calibration, error);
	if (rc < 0) {
		calibration_free(calibration);
		return rc;
	}
	*ret = calibration;
	return 0;
}

double calibration_load(const struct calibration_part *part, const struct result_point *point)
{
	size_t length = strlen(part->name);
	char *end;
	double load;

	if (strncmp(point->label, part->name, length) != 0 || point->label[length] != ' ')
		return NAN;
	load = strtod(point->label + length + 1, &end);
	return *end || end == point->label + length + 1 ? NAN : load;
}

double calibration_factor(const struct calibration_need *need, double value)
{
	bool less_is_better = need->what[0] == 'p' || strcmp(need->what, "mean") == 0;

	return less_is_better ? need->asked / value : value / need->asked;
}

const char *calibration_judge(const struct calibration_need *need)
{
	double one = calibration_factor(need, need->low);
	double other = calibration_factor(need, need->high);

	if (isnan(one) || isnan(other))
		return "unknown";
	if (fmin(one, other) >= 1)
		return "yes";
	return fmax(one, other) < 1 ? "no" : "close";
}
