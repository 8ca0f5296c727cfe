/* SPDX-License-Identifier: MIT */
/* result_schema.c - members of the result structs as JSON keys, written and read by one table. */
#include "stats/result_schema.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "stats/result.h"

/* clang-format off */
#define ROW(key_, kind_, type, member)                                                             \
	{.key = (key_), .kind = (kind_), .offset = offsetof(type, member),                          \
	 .size = sizeof(((type *)0)->member)}
/* clang-format on */
#define ROW_END                                                                                    \
	{                                                                                          \
		.key = NULL                                                                        \
	}

const struct member schema_result[] = {
	ROW("name", MEMBER_TEXT, struct result, name),
	ROW("summary", MEMBER_TEXT, struct result, summary),
	ROW("version", MEMBER_TEXT, struct result, version),
	ROW("started_utc", MEMBER_TEXT, struct result, started_utc),
	ROW("ended_utc", MEMBER_TEXT, struct result, ended_utc),
	ROW("complete", MEMBER_BOOL, struct result, complete),
	ROW("signal", MEMBER_INT, struct result, signal),
	ROW("seed", MEMBER_U64_TEXT, struct result, seed),
	ROW("repeats", MEMBER_UNSIGNED, struct result, repeats),
	ROW("baseline", MEMBER_OPTIONAL, struct result, baseline),
	ROW("against_itself", MEMBER_FLAG, struct result, against_itself),
	ROW("clock_cost_ns", MEMBER_REAL, struct result, clock_cost_ns),
	ROW_END,
};

const struct member schema_variant[] = {
	ROW("label", MEMBER_TEXT, struct result_variant, label),
	ROW_END,
};

const struct member schema_point[] = {
	ROW("label", MEMBER_TEXT, struct result_point, label),
	ROW("status", MEMBER_STATUS, struct result_point, status),
	ROW("reason", MEMBER_OPTIONAL, struct result_point, reason),
	ROW_END,
};

const struct member schema_repeat[] = {
	ROW("index", MEMBER_UNSIGNED, struct result_repeat, index),
	ROW("place", MEMBER_SOME_UNSIGNED, struct result_repeat, place),
	ROW("status", MEMBER_STATUS, struct result_repeat, status),
	ROW("reason", MEMBER_OPTIONAL, struct result_repeat, reason),
	ROW("io_failure", MEMBER_BOOL, struct result_repeat, io_failure),
	ROW("started_utc", MEMBER_TEXT, struct result_repeat, started_utc),
	ROW("duration_s", MEMBER_REAL, struct result_repeat, duration_s),
	ROW("clock_step_s", MEMBER_SOME, struct result_repeat, clock_step_s),
	ROW("sampled", MEMBER_FLAG, struct result_repeat, sampled),
	ROW_END,
};

const struct member schema_sampling[] = {
	ROW("event", MEMBER_TEXT, struct result_sampling, event),
	ROW("frequency_hz", MEMBER_UNSIGNED, struct result_sampling, frequency_hz),
	ROW("kernel", MEMBER_U64, struct result_sampling, kernel),
	ROW("unresolved", MEMBER_U64, struct result_sampling, unresolved),
	ROW("user", MEMBER_U64, struct result_sampling, user),
	ROW("idle", MEMBER_U64, struct result_sampling, idle),
	ROW("lost", MEMBER_U64, struct result_sampling, lost),
	ROW_END,
};

const struct member schema_function[] = {
	ROW("name", MEMBER_TEXT, struct result_function, name),
	ROW("percent", MEMBER_REAL, struct result_function, percent),
	ROW_END,
};

const struct member schema_usage[] = {
	ROW("user_ns", MEMBER_U64, struct usage, user_ns),
	ROW("system_ns", MEMBER_U64, struct usage, system_ns),
	ROW("minor_faults", MEMBER_U64, struct usage, minor_faults),
	ROW("major_faults", MEMBER_U64, struct usage, major_faults),
	ROW("voluntary_switches", MEMBER_U64, struct usage, voluntary_switches),
	ROW("involuntary_switches", MEMBER_U64, struct usage, involuntary_switches),
	ROW_END,
};

const struct member schema_cpu[] = {
	ROW("busy_s", MEMBER_REAL, struct result_cpu, busy_s),
	ROW("user_s", MEMBER_REAL, struct result_cpu, user_s),
	ROW("system_s", MEMBER_REAL, struct result_cpu, system_s),
	ROW("irq_s", MEMBER_REAL, struct result_cpu, irq_s),
	ROW("softirq_s", MEMBER_REAL, struct result_cpu, softirq_s),
	ROW("steal_s", MEMBER_REAL, struct result_cpu, steal_s),
	ROW("iowait_s", MEMBER_REAL, struct result_cpu, iowait_s),
	ROW("total_s", MEMBER_REAL, struct result_cpu, total_s),
	ROW_END,
};

const struct member schema_device[] = {
	ROW("name", MEMBER_TEXT, struct result_device, name),
	ROW("reads", MEMBER_U64, struct result_device, reads),
	ROW("read_bytes", MEMBER_U64, struct result_device, read_bytes),
	ROW("read_merges", MEMBER_U64, struct result_device, read_merges),
	ROW("writes", MEMBER_U64, struct result_device, writes),
	ROW("write_bytes", MEMBER_U64, struct result_device, write_bytes),
	ROW("io_ticks_ms", MEMBER_U64, struct result_device, io_ticks_ms),
	ROW_END,
};

const struct member schema_audit[] = {
	ROW("region", MEMBER_TEXT, struct result_audit, region),
	ROW("memory", MEMBER_TEXT, struct result_audit, memory),
	ROW("method", MEMBER_TEXT, struct result_audit, method),
	ROW("page_bytes", MEMBER_U64, struct result_audit, page_bytes),
	ROW("asked_bytes", MEMBER_U64, struct result_audit, asked_bytes),
	ROW("got_bytes", MEMBER_U64, struct result_audit, got_bytes),
	ROW("got_end_bytes", MEMBER_U64, struct result_audit, got_end_bytes),
	ROW("detail", MEMBER_TEXT, struct result_audit, detail),
	ROW_END,
};

const struct member schema_page_tables[] = {
	ROW("before_bytes", MEMBER_U64, struct result_page_tables, before_bytes),
	ROW("at_bytes", MEMBER_U64, struct result_page_tables, at_bytes),
	ROW("after_bytes", MEMBER_U64, struct result_page_tables, after_bytes),
	ROW("sec_before_bytes", MEMBER_U64, struct result_page_tables, sec_before_bytes),
	ROW("sec_at_bytes", MEMBER_U64, struct result_page_tables, sec_at_bytes),
	ROW("sec_after_bytes", MEMBER_U64, struct result_page_tables, sec_after_bytes),
	ROW("vm_pte_before_bytes", MEMBER_U64, struct result_page_tables, vm_pte_before_bytes),
	ROW("vm_pte_at_bytes", MEMBER_U64, struct result_page_tables, vm_pte_at_bytes),
	ROW("vm_pte_after_bytes", MEMBER_U64, struct result_page_tables, vm_pte_after_bytes),
	ROW_END,
};

const struct member schema_warmup[] = {
	ROW("rule", MEMBER_TEXT, struct result_warmup, rule),
	ROW("warmup_s", MEMBER_REAL, struct result_warmup, warmup_s),
	ROW("rounds", MEMBER_UNSIGNED, struct result_warmup, rounds),
	ROW("reached", MEMBER_BOOL, struct result_warmup, reached),
	ROW("range_percent", MEMBER_REAL, struct result_warmup, range_percent),
	ROW("slope_percent", MEMBER_REAL, struct result_warmup, slope_percent),
	ROW_END,
};

const struct member schema_events[] = {
	ROW("workers", MEMBER_UNSIGNED, struct result_events, workers),
	ROW("enabled_s", MEMBER_REAL, struct result_events, enabled_s),
	ROW("running_s", MEMBER_REAL, struct result_events, running_s),
	ROW("cycles", MEMBER_REAL, struct result_events, cycles),
	ROW("instructions", MEMBER_REAL, struct result_events, instructions),
	ROW("dtlb_misses", MEMBER_REAL, struct result_events, dtlb_misses),
	ROW_END,
};

const struct member schema_placement[] = {
	ROW("numa", MEMBER_TEXT, struct result_placement, numa),
	ROW("samples", MEMBER_U64, struct result_placement, samples),
	ROW("got_percent", MEMBER_REAL, struct result_placement, got_percent),
	ROW("got_end_percent", MEMBER_REAL, struct result_placement, got_end_percent),
	ROW_END,
};

const struct member schema_node[] = {
	ROW("node", MEMBER_INT, struct result_node, node),
	ROW("bytes", MEMBER_U64, struct result_node, bytes),
	ROW_END,
};

const struct member schema_stream[] = {
	ROW("label", MEMBER_TEXT, struct result_stream, label),
	ROW("workers", MEMBER_UNSIGNED, struct result_stream, workers),
	ROW("traits", MEMBER_TEXT, struct result_stream, traits),
	ROW("mean_in_flight", MEMBER_REAL, struct result_stream, mean_in_flight),
	ROW("failure", MEMBER_OPTIONAL, struct result_stream, failure),
	ROW_END,
};

const struct member schema_class[] = {
	ROW("name", MEMBER_TEXT, struct result_class, name),
	ROW("unit", MEMBER_TEXT, struct result_class, unit),
	ROW("timed_in_batches", MEMBER_FLAG, struct result_class, timed_in_batches),
	ROW("ops", MEMBER_U64, struct result_class, tally.ops),
	ROW("bytes", MEMBER_U64, struct result_class, tally.bytes),
	ROW("errors", MEMBER_U64, struct result_class, tally.errors),
	ROW("shorts", MEMBER_U64, struct result_class, tally.shorts),
	ROW("retries", MEMBER_U64, struct result_class, tally.retries),
	ROW("batches", MEMBER_U64, struct result_class, tally.batches),
	ROW("submit_ns", MEMBER_U64, struct result_class, tally.submit_ns),
	ROW("duration_s", MEMBER_REAL, struct result_class, duration_s),
	ROW("mean_ns", MEMBER_REAL, struct result_class, mean_ns),
	ROW("min_ns", MEMBER_U64, struct result_class, min_ns),
	ROW("p50_ns", MEMBER_U64, struct result_class, percentile_ns[0]),
	ROW("p90_ns", MEMBER_U64, struct result_class, percentile_ns[1]),
	ROW("p99_ns", MEMBER_U64, struct result_class, percentile_ns[2]),
	ROW("p999_ns", MEMBER_U64, struct result_class, percentile_ns[3]),
	ROW("p9999_ns", MEMBER_U64, struct result_class, percentile_ns[4]),
	ROW("max_ns", MEMBER_U64, struct result_class, max_ns),
	ROW("overflow", MEMBER_U64, struct result_class, overflow),
	ROW("busy_ns", MEMBER_U64_SOME, struct result_class, tally.busy_ns),
	ROW("user_ns", MEMBER_U64_SOME, struct result_class, tally.user_ns),
	ROW("system_ns", MEMBER_U64_SOME, struct result_class, tally.system_ns),
	ROW("minor_faults", MEMBER_U64_SOME, struct result_class, tally.minor_faults),
	ROW("tsc_cycles", MEMBER_U64_SOME, struct result_class, tally.tsc_cycles),
	ROW_END,
};

const struct member schema_derived[] = {
	ROW("name", MEMBER_TEXT, struct result_derived, name),
	ROW("unit", MEMBER_TEXT, struct result_derived, unit),
	ROW("help", MEMBER_TEXT, struct result_derived, help),
	ROW("higher_better", MEMBER_FLAG, struct result_derived, higher_better),
	ROW("value", MEMBER_REAL, struct result_derived, value),
	ROW_END,
};

const struct member schema_histogram[] = {
	ROW("count", MEMBER_U64, struct histogram, count),
	ROW("overflow", MEMBER_U64, struct histogram, overflow),
	ROW("sum_ns", MEMBER_U64_TEXT, struct histogram, sum_ns),
	ROW("min_ns", MEMBER_U64, struct histogram, min_ns),
	ROW("max_ns", MEMBER_U64, struct histogram, max_ns),
	ROW_END,
};

const struct member schema_interval[SCHEMA_INTERVAL_COLUMNS + 1] = {
	ROW("begin_s", MEMBER_REAL, struct result_interval, begin_s),
	ROW("duration_s", MEMBER_REAL, struct result_interval, duration_s),
	ROW("ops", MEMBER_U64, struct result_interval, ops),
	ROW("bytes", MEMBER_U64, struct result_interval, bytes),
	ROW("p50_ns", MEMBER_U64, struct result_interval, p50_ns),
	ROW("p99_ns", MEMBER_U64, struct result_interval, p99_ns),
	ROW("max_ns", MEMBER_U64, struct result_interval, max_ns),
	ROW_END,
};

static cJSON *u64_text_node(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return cJSON_CreateString(text);
}

/* cJSON prints no more than 15 digits for certain. */
static cJSON *u64_node(uint64_t value)
{
	char text[24];

	if (value < 1000000000000000u)
		return cJSON_CreateNumber((double)value);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return cJSON_CreateRaw(text);
}

/* To nine decimals, the ns of a time in s; what lies beyond is noise of the sums it came from. */
static cJSON *real_node(double value)
{
	if (!isfinite(value))
		return cJSON_CreateNull();
	return cJSON_CreateNumber(round(value * 1e9) / 1e9);
}

cJSON *member_node(const struct member *member, const void *from)
{
	const void *place = (const char *)from + member->offset;

	switch (member->kind) {
	case MEMBER_TEXT:
	case MEMBER_OPTIONAL:
		return cJSON_CreateString(place);
	case MEMBER_U64:
	case MEMBER_U64_SOME:
		return u64_node(*(const uint64_t *)place);
	case MEMBER_U64_TEXT:
		return u64_text_node(*(const uint64_t *)place);
	case MEMBER_UNSIGNED:
	case MEMBER_SOME_UNSIGNED:
		return cJSON_CreateNumber(*(const unsigned *)place);
	case MEMBER_INT:
		return cJSON_CreateNumber(*(const int *)place);
	case MEMBER_REAL:
	case MEMBER_SOME:
		return real_node(*(const double *)place);
	case MEMBER_BOOL:
	case MEMBER_FLAG:
		return cJSON_CreateBool(*(const bool *)place);
	case MEMBER_STATUS:
		return cJSON_CreateString(result_status_name(*(const enum result_status *)place));
	}
	return NULL;
}

static bool is_optional(const struct member *member)
{
	return member->kind == MEMBER_OPTIONAL || member->kind == MEMBER_FLAG ||
	       member->kind == MEMBER_U64_SOME || member->kind == MEMBER_SOME ||
	       member->kind == MEMBER_SOME_UNSIGNED;
}

/* The first byte of an empty text and of false is 0. */
static bool is_empty(const struct member *member, const void *from)
{
	const char *place = (const char *)from + member->offset;
	uint64_t count;
	double real;

	if (member->kind == MEMBER_U64_SOME) {
		memcpy(&count, place, sizeof(count));
		return count == 0;
	}
	if (member->kind == MEMBER_SOME_UNSIGNED)
		return *(const unsigned *)(const void *)place == 0;
	if (member->kind != MEMBER_SOME)
		return !*place;
	memcpy(&real, place, sizeof(real));
	return real == 0;
}

void members_write(const struct member *members, const void *from, cJSON *object)
{
	for (const struct member *member = members; member->key; member++) {
		if (is_optional(member) && is_empty(member, from))
			continue;
		cJSON_AddItemToObject(object, member->key, member_node(member, from));
	}
}

static int read_text(const struct member *member, const struct json_document *document,
		     const cJSON *node, char *into, struct error *error)
{
	if (!cJSON_IsString(node))
		return json_fail(document, node, error, ERROR_INPUT, "must be a string");
	if (strlen(node->valuestring) >= member->size)
		return json_fail(document, node, error, ERROR_INPUT,
				 "is longer than the %zu bytes there is room for",
				 member->size - 1);
	memset(into, 0, member->size);
	memcpy(into, node->valuestring, strlen(node->valuestring));
	return 0;
}

/* A whole number in [min, max]; 2^64, to which UINT64_MAX was rounded when written, reads as max.
 */
static int read_whole(const struct json_document *document, const cJSON *node, double min,
		      double max, double *ret, struct error *error)
{
	if (!cJSON_IsNumber(node))
		return json_fail(document, node, error, ERROR_INPUT, "must be a number");
	if (!(node->valuedouble >= min && node->valuedouble <= max) ||
	    node->valuedouble != floor(node->valuedouble))
		return json_fail(document, node, error, ERROR_INPUT,
				 "must be a whole number between %.0f and %.0f, and is %g", min,
				 max, node->valuedouble);
	*ret = node->valuedouble;
	return 0;
}

static int read_u64(const struct json_document *document, const cJSON *node, uint64_t *ret,
		    struct error *error)
{
	double value = 0;
	int rc = read_whole(document, node, 0, 0x1p64, &value, error);

	if (rc == 0)
		*ret = value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
	return rc;
}

static int read_u64_text(const struct json_document *document, const cJSON *node, uint64_t *ret,
			 struct error *error)
{
	if (!cJSON_IsString(node) || units_parse_count(node->valuestring, ret, NULL) < 0)
		return json_fail(document, node, error, ERROR_INPUT,
				 "must be a whole number written as a string, as in \"1\"");
	return 0;
}

static int read_real(const struct json_document *document, const cJSON *node, double *ret,
		     struct error *error)
{
	if (!cJSON_IsNumber(node) && !cJSON_IsNull(node))
		return json_fail(document, node, error, ERROR_INPUT, "must be a number or null");
	*ret = cJSON_IsNull(node) ? NAN : node->valuedouble;
	return 0;
}

static int read_bool(const struct json_document *document, const cJSON *node, bool *ret,
		     struct error *error)
{
	if (!cJSON_IsBool(node))
		return json_fail(document, node, error, ERROR_INPUT, "must be true or false");
	*ret = cJSON_IsTrue(node);
	return 0;
}

static int read_status(const struct json_document *document, const cJSON *node,
		       enum result_status *ret, struct error *error)
{
	for (int status = RESULT_OK; cJSON_IsString(node) && status <= RESULT_INTERRUPTED;
	     status++) {
		if (strcmp(node->valuestring, result_status_name(status)) == 0) {
			*ret = status;
			return 0;
		}
	}
	return json_fail(document, node, error, ERROR_INPUT,
			 "must be one of ok, skipped, failed, interrupted");
}

int member_read(const struct member *member, const struct json_document *document,
		const cJSON *node, void *into, struct error *error)
{
	void *place = (char *)into + member->offset;
	double value = 0;
	int rc;

	switch (member->kind) {
	case MEMBER_TEXT:
	case MEMBER_OPTIONAL:
		return read_text(member, document, node, place, error);
	case MEMBER_U64:
	case MEMBER_U64_SOME:
		return read_u64(document, node, place, error);
	case MEMBER_U64_TEXT:
		return read_u64_text(document, node, place, error);
	case MEMBER_UNSIGNED:
	case MEMBER_SOME_UNSIGNED:
		rc = read_whole(document, node, 0, UINT32_MAX, &value, error);
		*(unsigned *)place = (unsigned)value;
		return rc;
	case MEMBER_INT:
		rc = read_whole(document, node, INT32_MIN, INT32_MAX, &value, error);
		*(int *)place = (int)value;
		return rc;
	case MEMBER_REAL:
	case MEMBER_SOME:
		return read_real(document, node, place, error);
	case MEMBER_BOOL:
	case MEMBER_FLAG:
		return read_bool(document, node, place, error);
	case MEMBER_STATUS:
		return read_status(document, node, place, error);
	}
	return ERROR_INPUT;
}

int members_read(const struct member *members, const struct json_document *document,
		 const cJSON *object, void *into, struct error *error)
{
	const cJSON *next; /* documents have the keys in the order of the table mostly */

	if (!cJSON_IsObject(object))
		return json_fail(document, object, error, ERROR_INPUT, "must be an object");
	next = object->child;
	for (const struct member *member = members; member->key; member++) {
		const cJSON *node = next;
		int rc;

		if (!node || strcmp(node->string, member->key) != 0)
			node = cJSON_GetObjectItemCaseSensitive(object, member->key);
		if (node)
			next = node->next;
		if (!node && is_optional(member))
			continue;
		if (!node)
			return json_fail(document, object, error, ERROR_INPUT,
					 "lacks the key \"%s\"", member->key);
		rc = member_read(member, document, node, into, error);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int schema_check(const struct json_document *document, struct error *error)
{
	const cJSON *root = json_root(document);
	const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
	size_t length = strlen(RESULT_SCHEMA);

	if (!cJSON_IsObject(root) || !cJSON_IsString(schema))
		return error_set(error, ERROR_INPUT,
				 "%s is not a result of orion-sim: it has no \"schema\": "
				 "\"" RESULT_SCHEMA "\"",
				 json_name(document));
	if (strncmp(schema->valuestring, RESULT_SCHEMA, length) == 0 &&
	    (schema->valuestring[length] == '\0' || schema->valuestring[length] == '.'))
		return 0;
	return json_fail(document, schema, error, ERROR_INPUT,
			 "is \"%.40s\", and this orion-sim reads " RESULT_SCHEMA
			 ": use the orion-sim that wrote it",
			 schema->valuestring);
}
