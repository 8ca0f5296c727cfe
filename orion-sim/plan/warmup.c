/* SPDX-License-Identifier: MIT */
/* warmup.c - what ends a warm-up: a time, two windows that agree, a steady state, a full cache. */
#include "plan/warmup.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/field.h"
#include "base/json.h"
#include "base/units.h"
#include "plan/parts.h"

#define ROUND_MIN_NS UINT64_C(1000000)
#define ROUND_MAX_NS UINT64_C(86400000000000)
#define ROUNDS_MAX   10000
#define PERCENT_MAX  1000
#define MOVED_NS     UINT64_C(10000000) /* how often it is asked how much was moved */

static const struct field fixed_fields[] = {FIELD_DURATION("time", struct warmup_params, time_ns,
							   "500ms", 0, PROFILE_DURATION,
							   "how long it takes"),
					    FIELD_END};

static const struct field agree_fields[] = {
	FIELD_DURATION("window", struct warmup_params, window_ns, "1s", ROUND_MIN_NS, ROUND_MAX_NS,
		       "time that a rate is taken over"),
	FIELD_REAL("within", struct warmup_params, within_percent, "5",
		   "percent of their mean by which two successive rates may differ"),
	FIELD_DURATION("max", struct warmup_params, max_ns, "30s", 2 * ROUND_MIN_NS,
		       PROFILE_DURATION, "time after which it ends all the same"),
	FIELD_END};

static const struct field steady_fields[] = {
	FIELD_DURATION("round", struct warmup_params, round_ns, "1s", ROUND_MIN_NS, ROUND_MAX_NS,
		       "time that a rate is taken over"),
	FIELD_COUNT("window", struct warmup_params, window, "5", 2, WARMUP_WINDOW_MAX,
		    "last rounds that are looked at"),
	FIELD_REAL("range", struct warmup_params, range_percent, "20",
		   "percent of their mean that may lie between the least and the most of them"),
	FIELD_REAL("slope", struct warmup_params, slope_percent, "10",
		   "percent of their mean by which a line through them may rise or fall"),
	FIELD_COUNT("rounds_max", struct warmup_params, rounds_max, "25", 2, ROUNDS_MAX,
		    "rounds after which it ends all the same"),
	FIELD_END};

static void fixed_rule(const struct warmup_params *params, struct warmup_rule *ret)
{
	*ret = (struct warmup_rule){.round_ns = params->time_ns, .rounds_max = 1};
}

static const struct field cache_fields[] = {
	FIELD_SIZE("bytes", struct warmup_params, bytes, "0", 0, UINT64_C(1) << 50,
		   "ends it when they were moved; 0: the time alone does"),
	FIELD_DURATION("time", struct warmup_params, time_ns, "2m", MOVED_NS, PROFILE_DURATION,
		       "after which it ends in any case"),
	FIELD_END};

/* Two rates agree where the range of a window of two is small. */
static void agree_rule(const struct warmup_params *params, struct warmup_rule *ret)
{
	uint64_t rounds = params->max_ns / params->window_ns;

	*ret = (struct warmup_rule){.round_ns = params->window_ns,
				    .rounds_max =
					    rounds < UINT32_MAX ? (unsigned)rounds : UINT32_MAX,
				    .window = 2,
				    .range_percent = params->within_percent,
				    .slope_percent = INFINITY};
}

static void steady_rule(const struct warmup_params *params, struct warmup_rule *ret)
{
	*ret = (struct warmup_rule){.round_ns = params->round_ns,
				    .rounds_max = (unsigned)params->rounds_max,
				    .window = (unsigned)params->window,
				    .range_percent = params->range_percent,
				    .slope_percent = params->slope_percent};
}

static void cache_rule(const struct warmup_params *params, struct warmup_rule *ret)
{
	uint64_t round_ns = params->bytes ? MOVED_NS : params->time_ns;

	*ret = (struct warmup_rule){.round_ns = round_ns,
				    .rounds_max = (unsigned)(params->time_ns / round_ns),
				    .bytes = params->bytes,
				    .at_random = true};
}

static int percent_check(const char *name, double percent, struct error *error)
{
	if (percent > 0 && percent <= PERCENT_MAX)
		return 0;
	return error_set(error, ERROR_INPUT,
			 "%s is %g, but must be more than 0 and at most %d percent", name, percent,
			 PERCENT_MAX);
}

static int agree_check(const struct warmup_params *params, struct error *error)
{
	char max[32], window[32];

	if (params->max_ns < 2 * params->window_ns)
		return error_set(error, ERROR_INPUT,
				 "max is %s, but two windows of %s take longer; raise max or "
				 "shorten window",
				 units_format_duration(params->max_ns, max),
				 units_format_duration(params->window_ns, window));
	return percent_check("within", params->within_percent, error);
}

static int steady_check(const struct warmup_params *params, struct error *error)
{
	int status = percent_check("range", params->range_percent, error);

	if (status == 0)
		status = percent_check("slope", params->slope_percent, error);
	if (status < 0 || params->rounds_max >= params->window)
		return status;
	return error_set(error, ERROR_INPUT,
			 "rounds_max is %" PRIu64 ", but a window is %" PRIu64
			 " rounds; raise rounds_max or shorten window",
			 params->rounds_max, params->window);
}

static const struct warmup_ops warmup_of_fixed = {
	.entry = {.name = "fixed",
		  .summary = "ends after a time; what a plain duration means",
		  .fields = fixed_fields,
		  .params_size = sizeof(struct warmup_params)},
	.rule = fixed_rule};

static const struct warmup_ops warmup_of_agree = {
	.entry = {.name = "agree",
		  .summary = "ends when the rates of two successive windows agree",
		  .fields = agree_fields,
		  .params_size = sizeof(struct warmup_params)},
	.rule = agree_rule,
	.check = agree_check};

static const struct warmup_ops warmup_of_steady = {
	.entry = {.name = "steady",
		  .summary = "ends at the steady state of the SNIA SSS-PTS (there in rounds of 1m)",
		  .fields = steady_fields,
		  .params_size = sizeof(struct warmup_params)},
	.rule = steady_rule,
	.check = steady_check};

static const struct warmup_ops warmup_of_cache = {
	.entry = {.name = "cache",
		  .summary = "fills a cache below by reads at random, whatever the pattern is",
		  .fields = cache_fields,
		  .params_size = sizeof(struct warmup_params)},
	.rule = cache_rule};

static const struct entry *const warmup_entries[] = {&warmup_of_fixed.entry, &warmup_of_agree.entry,
						     &warmup_of_steady.entry,
						     &warmup_of_cache.entry, NULL};

const struct catalog warmup_catalog = {.noun = "warm-up", .entries = warmup_entries};

struct warmup warmup_fixed(uint64_t time_ns)
{
	return (struct warmup){.ops = &warmup_of_fixed, .params = {.time_ns = time_ns}};
}

bool warmup_is_duration(const cJSON *node)
{
	if (cJSON_IsString(node))
		return !isalpha((unsigned char)node->valuestring[0]);
	return !cJSON_IsObject(node);
}

int warmup_read(const struct json_document *document, const cJSON *node, struct warmup *ret,
		struct error *error)
{
	struct error inner = {0};
	struct choice choice;
	struct warmup warmup;
	int status = catalog_read(&warmup_catalog, document, node, &choice, error);

	if (status < 0)
		return status;
	warmup.ops = (const struct warmup_ops *)(const void *)choice.entry;
	memcpy(&warmup.params, choice.params, sizeof(warmup.params));
	choice_free(&choice);
	if (warmup.ops->check && warmup.ops->check(&warmup.params, &inner) < 0)
		return json_fail(document, node, error, ERROR_INPUT, "%s", inner.text);
	*ret = warmup;
	return 0;
}

cJSON *warmup_write(const struct warmup *warmup)
{
	struct warmup_params params = warmup->params;
	struct choice choice = {.entry = &warmup->ops->entry, .params = &params};
	char text[32];

	if (warmup->ops == &warmup_of_fixed)
		return cJSON_CreateString(units_format_duration(params.time_ns, text));
	return choice_write(&choice);
}

const char *warmup_label(const struct warmup *warmup, char *text, size_t size)
{
	struct warmup_params params = warmup->params;
	struct choice choice = {.entry = &warmup->ops->entry, .params = &params};
	char time[32];

	if (warmup->ops != &warmup_of_fixed)
		return choice_label(&choice, text, size);
	snprintf(text, size, "%s", units_format_duration(params.time_ns, time));
	return text;
}

struct warmup_rule warmup_rule_of(const struct warmup *warmup)
{
	struct warmup_rule rule;

	warmup->ops->rule(&warmup->params, &rule);
	return rule;
}

uint64_t warmup_longest_ns(const struct warmup *warmup)
{
	struct warmup_rule rule = warmup_rule_of(warmup);

	return rule.round_ns * rule.rounds_max;
}

bool warmup_may_end_early(const struct warmup *warmup)
{
	struct warmup_rule rule = warmup_rule_of(warmup);

	return rule.window > 0 || rule.bytes > 0;
}
