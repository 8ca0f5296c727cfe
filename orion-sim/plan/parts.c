/* SPDX-License-Identifier: MIT */
/* parts.c - what a profile says in more than one place: phases, targets, settings, labels. */
#include "plan/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/field.h"
#include "base/json.h"
#include "base/topology.h"

const struct field phases_fields[] = {
	FIELD_DURATION("warmup", struct phases, warmup.params.time_ns, "500ms", 0, PROFILE_DURATION,
		       "time before measuring begins"),
	FIELD_DURATION("measure", struct phases, measure_ns, "5s", 1000000, PROFILE_DURATION,
		       "time that is measured"),
	FIELD_END};

struct phases phases_preset(void)
{
	struct phases phases = {.warmup = warmup_fixed(0)};

	field_presets(phases_fields, &phases);
	return phases;
}

int phases_read(const struct json_document *document, const cJSON *node, struct phases *phases,
		struct error *error)
{
	static const char *const others[] = {"warmup", NULL};
	const cJSON *warmup = cJSON_GetObjectItemCaseSensitive(node, "warmup");
	int status;

	if (!node)
		return 0;
	if (!cJSON_IsObject(node))
		return json_fail(document, node, error, ERROR_INPUT,
				 "must be an object like {\"warmup\": \"500ms\", \"measure\": "
				 "\"5s\"}");
	if (warmup && !warmup_is_duration(warmup)) {
		status = field_read(phases_fields + 1, document, node, others, phases, error);
		return status < 0 ? status : warmup_read(document, warmup, &phases->warmup, error);
	}
	status = field_read(phases_fields, document, node, NULL, phases, error);
	if (status == 0 && warmup)
		phases->warmup = warmup_fixed(phases->warmup.params.time_ns);
	return status;
}

int targets_check(const struct json_document *document, const cJSON *node, struct error *error)
{
	const cJSON *target;

	if (!node)
		return 0;
	if (!cJSON_IsArray(node))
		return json_fail(document, node, error, ERROR_INPUT,
				 "must be a list of paths like [\"/path/to/file\"]");
	if (cJSON_GetArraySize(node) > TARGETS_MAX)
		return json_fail(document, node, error, ERROR_INPUT,
				 "has %d targets, at most %d are possible; shorten the list",
				 cJSON_GetArraySize(node), TARGETS_MAX);
	cJSON_ArrayForEach (target, node) {
		if (!cJSON_IsString(target) || !*target->valuestring)
			return json_fail(document, target, error, ERROR_INPUT,
					 "must be the path of a file or block device, in quotes");
		if (strlen(target->valuestring) > TARGET_PATH_MAX)
			return json_fail(document, target, error, ERROR_INPUT,
					 "is a path of %zu bytes, at most %d are possible; name it "
					 "by a shorter one",
					 strlen(target->valuestring), TARGET_PATH_MAX);
	}
	return 0;
}

int settings_shape_check(const struct json_document *document, const cJSON *node,
			 struct error *error)
{
	const cJSON *setting;

	if (!node)
		return 0;
	if (!cJSON_IsArray(node))
		return json_fail(document, node, error, ERROR_INPUT,
				 "must be a list like [\"hugepages\", {\"kind\": "
				 "\"shmem_enabled\"}]");
	cJSON_ArrayForEach (setting, node) {
		const cJSON *kind = cJSON_GetObjectItemCaseSensitive(setting, "kind");

		if (!cJSON_IsString(setting) && !cJSON_IsString(kind))
			return json_fail(document, setting, error, ERROR_INPUT,
					 "must be the name of a setting or an object with a "
					 "\"kind\" (orion-sim list settings shows them)");
	}
	return 0;
}

int label_check(const struct json_document *document, const cJSON *node, const char *label,
		struct error *error)
{
	for (const char *c = label; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return json_fail(document, node, error, ERROR_INPUT,
					 "has a control character; use printable text");
	return 0;
}

int cpus_form_check(const char *text, struct error *error)
{
	CLEANUP(cleanup_free) struct topology *any = calloc(1, sizeof(*any));
	CLEANUP(cleanup_free) int *ids = calloc(TOPOLOGY_CPUS_MAX, sizeof(*ids));
	int n;

	if (!any || !ids)
		return error_set(error, -ENOMEM, "no memory to check cpus");
	any->n_cpus = TOPOLOGY_CPUS_MAX;
	for (int i = 0; i < TOPOLOGY_CPUS_MAX; i++)
		any->cpus[i] = i;
	return topology_parse_cpus(any, text, ids, &n, error);
}
