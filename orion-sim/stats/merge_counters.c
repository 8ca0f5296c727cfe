/* SPDX-License-Identifier: MIT */
/* merge_counters.c - counters that somebody else took, into the repeats that they are of. */
#include "stats/merge_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json.h"
#include "stats/result.h"

static const char *const merge_keys[] = {"variant", "point", "repeat", "counters", NULL};

struct merge {
	struct json_document *document;
	struct result *result;
	struct error *error;
};

/* A place in a list of n. */
static int merge_place(const struct merge *merge, const cJSON *object, const char *name, unsigned n,
		       unsigned *ret)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, name);

	if (!cJSON_IsNumber(node) || node->valuedouble < 0 || node->valuedouble >= n ||
	    node->valuedouble != floor(node->valuedouble))
		return json_fail(merge->document, node ? node : object, merge->error, ERROR_INPUT,
				 "\"%s\" must be a place in the result's list of %u, from 0 on",
				 name, n);
	*ret = (unsigned)node->valuedouble;
	return 0;
}

static int merge_find(const struct merge *merge, const cJSON *object, struct result_repeat **ret)
{
	const struct result *result = merge->result;
	unsigned v, p, r;
	int status = merge_place(merge, object, "variant", result->n_variants, &v);

	if (status == 0)
		status = merge_place(merge, object, "point", result->variants[v].n_points, &p);
	if (status == 0)
		status = merge_place(merge, object, "repeat",
				     result->variants[v].points[p].n_repeats, &r);
	if (status == 0)
		*ret = &result->variants[v].points[p].repeats[r];
	return status;
}

static bool repeat_has(const struct result_repeat *repeat, const char *name)
{
	for (unsigned i = 0; i < repeat->n_counters; i++)
		if (strcmp(repeat->counters[i].name, name) == 0)
			return true;
	return false;
}

static int counter_check(const struct merge *merge, const struct result_repeat *repeat,
			 const cJSON *counter)
{
	if (!cJSON_IsNumber(counter) || !(fabs(counter->valuedouble) < 0x1p63))
		return json_fail(merge->document, counter, merge->error, ERROR_INPUT,
				 "must be a number of 64 bits");
	if (!*counter->string || strlen(counter->string) >= sizeof(repeat->counters->name))
		return json_fail(merge->document, counter, merge->error, ERROR_INPUT,
				 "a counter's name has 1 to %zu bytes",
				 sizeof(repeat->counters->name) - 1);
	if (repeat_has(repeat, counter->string))
		return json_fail(merge->document, counter, merge->error, ERROR_INPUT,
				 "this repeat has '%s' already", counter->string);
	return 0;
}

static int entry_check(const struct merge *merge, const cJSON *entry, struct result_repeat **ret)
{
	const cJSON *counters, *counter;
	int status;

	if (!cJSON_IsObject(entry))
		return json_fail(merge->document, entry, merge->error, ERROR_INPUT,
				 "must be an object like {\"variant\": 0, \"point\": 0, "
				 "\"repeat\": 0, \"counters\": {…}}");
	status = json_check_keys(merge->document, entry, merge_keys, merge->error);
	if (status == 0)
		status = merge_find(merge, entry, ret);
	if (status < 0)
		return status;
	counters = cJSON_GetObjectItemCaseSensitive(entry, "counters");
	if (!cJSON_IsObject(counters))
		return json_fail(merge->document, counters ? counters : entry, merge->error,
				 ERROR_INPUT, "\"counters\" must be an object of numbers");
	cJSON_ArrayForEach (counter, counters)
		if (status == 0)
			status = counter_check(merge, *ret, counter);
	return status;
}

static int entry_apply(const struct merge *merge, const cJSON *entry, struct result_repeat *repeat)
{
	const cJSON *counters = cJSON_GetObjectItemCaseSensitive(entry, "counters"), *counter;
	struct result_counter *grown = reallocarray(
		repeat->counters, repeat->n_counters + (size_t)cJSON_GetArraySize(counters) + 1,
		sizeof(*grown));

	if (!grown)
		return error_set(merge->error, -ENOMEM, "no memory for counters");
	repeat->counters = grown;
	repeat->counted = true;
	cJSON_ArrayForEach (counter, counters) {
		struct result_counter *added = &grown[repeat->n_counters++];

		*added = (struct result_counter){.delta = (int64_t)counter->valuedouble};
		snprintf(added->name, sizeof(added->name), "%s", counter->string);
	}
	return 0;
}

static int merge_list(const struct merge *merge, const cJSON *root)
{
	struct result_repeat *repeat = NULL;
	const cJSON *entry;
	int status = 0;

	if (!cJSON_IsArray(root))
		return json_fail(merge->document, root, merge->error, ERROR_INPUT,
				 "must be a list of counts, each of one repeat");
	cJSON_ArrayForEach (entry, root) {
		if (status == 0)
			status = entry_check(merge, entry, &repeat);
		if (status == 0)
			status = entry_apply(merge, entry, repeat);
	}
	return status;
}

int merge_counters(const char *path, struct result *result, struct error *error)
{
	CLEANUP(cleanup_json) struct json_document *document = NULL;
	struct merge merge = {.result = result, .error = error};
	int status = json_read(path, &document, error);

	if (status < 0)
		return status;
	merge.document = document;
	return merge_list(&merge, json_root(document));
}
