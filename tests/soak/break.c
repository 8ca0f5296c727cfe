/* SPDX-License-Identifier: MIT */
/* break.c - something wrong put into a good profile. */
#include "break.h"

#include <stdlib.h>
#include <string.h>

/* The parts of a profile that things go wrong in. */
struct parts {
	cJSON *profile, *point, *region, *stream, *workload;
};

static cJSON *member(cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void put(cJSON *object, const char *name, const char *json)
{
	cJSON_DeleteItemFromObjectCaseSensitive(object, name);
	cJSON_AddItemToObject(object, name, cJSON_Parse(json));
}

/* A value that a member must not have. */
static const struct wrong {
	enum { OF_PROFILE, OF_POINT, OF_REGION, OF_STREAM, OF_WORKLOAD } of;
	const char *name, *json;
} wrongs[] = {
	{OF_PROFILE, "poinst", "1"},
	{OF_PROFILE, "repeats", "0"},
	{OF_PROFILE, "repeats", "\"many\""},
	{OF_PROFILE, "seed", "-1"},
	{OF_PROFILE, "settings", "[\"nosuch\"]"},
	{OF_PROFILE, "phases", "{\"measure\": \"0s\"}"},
	{OF_PROFILE, "points", "[]"},
	{OF_PROFILE, "primary", "[\"read.nosuch\"]"},
	{OF_PROFILE, "variants", "[{\"set\": {}}]"},
	{OF_POINT, "axes", "{\"nosuch\": [1]}"},
	{OF_POINT, "axes", "{\"depth\": []}"},
	{OF_POINT, "streams", "[]"},
	{OF_POINT, "phases", "3"},
	{OF_REGION, "memory", "\"hugeltb\""},
	{OF_REGION, "size", "\"12x\""},
	{OF_REGION, "size", "0"},
	{OF_REGION, "nodes", "1"},
	{OF_STREAM, "engine", "\"libaoi\""},
	{OF_STREAM, "engine", "{\"kind\": \"sync\", \"deep\": 1}"},
	{OF_STREAM, "region", "\"nosuch\""},
	{OF_STREAM, "workers", "5000"},
	{OF_STREAM, "workers", "1.5"},
	{OF_STREAM, "workload", "\"oi\""},
	{OF_STREAM, "cpus", "\"3-1\""},
	{OF_WORKLOAD, "depth", "0"},
	{OF_WORKLOAD, "depth", "\"deep\""},
	{OF_WORKLOAD, "depth", "65537"},
	{OF_WORKLOAD, "batch", "4096"},
	{OF_WORKLOAD, "reap_min", "4096"},
	{OF_WORKLOAD, "pattern", "\"zigzag\""},
	{OF_WORKLOAD, "block", "\"1g\""},
};

/* What only the run can see, for streams that read a file. */
static const struct wrong late[] = {
	{OF_WORKLOAD, "block", "700"},
	{OF_WORKLOAD, "offset", "\"1t\""},
	{OF_WORKLOAD, "length", "\"1t\""},
	{OF_STREAM, "targets", "[\"nosuch/file\"]"},
	{OF_STREAM, "targets", "[\"/dev/null\"]"},
	{OF_STREAM, "targets", "[\".\"]"},
};

static const char *const texts[] = {
	"",
	"[]",
	"{\"name\": \"a\", \"name\": \"b\"}",
	"{\"points\": [{\"streams\": [{\"workload\": \"io\", \"engine\": \"sync\"}]}]} x",
	"{\"points\": \"\xff\"}",
};

static void put_wrong(const struct parts *parts, const struct wrong *wrong)
{
	cJSON *const objects[] = {parts->profile, parts->point, parts->region, parts->stream,
				  parts->workload};

	put(objects[wrong->of], wrong->name, wrong->json);
}

static struct parts find_parts(cJSON *profile)
{
	struct parts parts = {.profile = profile, .point = member(profile, "points")->child};

	parts.region = member(parts.point, "regions")->child;
	parts.stream = member(parts.point, "streams")->child;
	parts.workload = member(parts.stream, "workload");
	return parts;
}

char *profile_break(cJSON *profile, uint64_t which)
{
	const size_t n_wrongs = sizeof(wrongs) / sizeof(wrongs[0]);
	const size_t n_late = sizeof(late) / sizeof(late[0]);
	const size_t n_texts = sizeof(texts) / sizeof(texts[0]);
	struct parts parts = find_parts(profile);
	size_t n = (size_t)(which % (n_wrongs + n_late + n_texts + 1));
	char *text;

	/* An axis or a variant would put another value in. */
	cJSON_DeleteItemFromObject(parts.point, "axes");
	cJSON_DeleteItemFromObject(profile, "variants");
	if (n < n_wrongs) {
		put_wrong(&parts, &wrongs[n]);
	} else if (n < n_wrongs + n_late) {
		put(parts.stream, "engine", "\"sync\"");
		put_wrong(&parts, &late[n - n_wrongs]);
	}
	text = cJSON_Print(profile);
	cJSON_Delete(profile);
	if (n >= n_wrongs + n_late + n_texts) {
		text[(which >> 32) % strlen(text)] = '\0';
	} else if (n >= n_wrongs + n_late) {
		free(text);
		text = strdup(texts[n - n_wrongs - n_late]);
	}
	return text;
}
