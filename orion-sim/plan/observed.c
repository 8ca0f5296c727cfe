/* SPDX-License-Identifier: MIT */
/* observed.c - what a profile wants seen beside the work: counters of the kernel, hot functions. */
#include "plan/observed.h"

#include <string.h>

#include "base/error.h"
#include "base/json.h"

#define COUNTERS_MAX	   64
#define COUNTER_NAME_BYTES 63

const struct field observed_sample_fields[] = {
	FIELD_COUNT("frequency", struct observed, frequency_hz, "999", 1, 10000,
		    "samples a second and CPU"),
	FIELD_COUNT("top", struct observed, top, "20", 1, 1000,
		    "hottest functions that the result names"),
	FIELD_END};

static int counters_check(const struct json_document *document, const cJSON *node,
			  struct error *error)
{
	const cJSON *pattern;

	if (!cJSON_IsArray(node) || cJSON_GetArraySize(node) > COUNTERS_MAX)
		return json_fail(
			document, node, error, ERROR_INPUT,
			"must be a list of at most %d names or patterns like [\"pgfault\", "
			"\"thp_*\"]; orion-sim list counters shows those there are",
			COUNTERS_MAX);
	cJSON_ArrayForEach (pattern, node) {
		const char *text = cJSON_GetStringValue(pattern);

		if (!text || !*text || strlen(text) > COUNTER_NAME_BYTES)
			return json_fail(document, pattern, error, ERROR_INPUT,
					 "must be the name of a counter of at most %d bytes, in "
					 "quotes, like \"pgfault\" or \"thp_*\"",
					 COUNTER_NAME_BYTES);
	}
	return 0;
}

static int sample_read(const struct json_document *document, const cJSON *node,
		       struct observed *observed, struct error *error)
{
	if (cJSON_IsBool(node)) {
		observed->sampled = cJSON_IsTrue(node);
		return 0;
	}
	if (!cJSON_IsObject(node))
		return json_fail(document, node, error, ERROR_INPUT,
				 "must be true, false or an object like {\"frequency\": 999, "
				 "\"top\": 20}");
	observed->sampled = true;
	return field_read(observed_sample_fields, document, node, NULL, observed, error);
}

int observed_read(const struct json_document *document, const cJSON *profile, bool sample_anyway,
		  struct observed *ret, struct error *error)
{
	const cJSON *counters = cJSON_GetObjectItemCaseSensitive(profile, "counters");
	const cJSON *sample = cJSON_GetObjectItemCaseSensitive(profile, "sample");
	int status = 0;

	*ret = (struct observed){.counters = counters};
	field_presets(observed_sample_fields, ret);
	if (counters)
		status = counters_check(document, counters, error);
	if (status == 0 && sample)
		status = sample_read(document, sample, ret, error);
	ret->sampled = ret->sampled || sample_anyway;
	return status;
}

void observed_write(const struct observed *observed, cJSON *profile)
{
	if (observed->counters)
		cJSON_AddItemToObject(profile, "counters",
				      cJSON_Duplicate(observed->counters, true));
	if (observed->sampled)
		field_write(observed_sample_fields, observed,
			    cJSON_AddObjectToObject(profile, "sample"));
}
