/* SPDX-License-Identifier: MIT */
/* calibrate.c - the command calibrate: the highest load with a latency under a limit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "command/calibrate.h"
#include "command/command.h"
#include "command/execute.h"
#include "command/profiles.h"
#include "engine/engine.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "stats/result.h"

extern const struct command_ops command_calibrate;

#define LIMIT_PRESET_NS 10000000

struct calibrate_params {
	struct execute_params execute;
	uint64_t limit_ns;
	int percentile;
	char need[256];
	uint64_t block_bytes, large_bytes, beside;
	char stream[32];
	uint64_t depth_max, repeats, workers;
	uint64_t measure_ns, warmup_ns;
	char engine[256], memory[256];
};

/* Those of the search come first: they are what repeats it. */
static const struct field calibrate_fields[] = {
	FIELD_DURATION("max-latency", struct calibrate_params, limit_ns, "0", 0, 3600000000000,
		       "the limit; 0: that of --need, else 10ms"),
	FIELD_CHOICE("percentile", struct calibrate_params, percentile, "99", calibrate_percentiles,
		     "of the latency that must stay under the limit"),
	FIELD_TEXT("need", struct calibrate_params, need, "",
		   "what is needed, as iops=12000,mbps=400,p99=5ms: answers yes (exit code 0), no "
		   "(6) or too close to call (5)"),
	FIELD_SIZE("block", struct calibrate_params, block_bytes, "8K", 512, 1u << 30,
		   "bytes of a small read"),
	FIELD_SIZE("large", struct calibrate_params, large_bytes, "1M", 0, 1u << 30,
		   "bytes of a large read; 0 leaves the large ones out"),
	FIELD_COUNT("beside", struct calibrate_params, beside, "0", 0, 1024,
		    "large reads kept in flight while the small ones are searched"),
	FIELD_TEXT("stream", struct calibrate_params, stream, "",
		   "of a profile: whose latency counts; else the first stream that reads"),
	FIELD_COUNT("max-depth", struct calibrate_params, depth_max, "512", 1, 65536,
		    "the largest load: reads in flight, all workers together"),
	FIELD_COUNT("repeats", struct calibrate_params, repeats, "5", SEARCH_REPEATS_MIN,
		    SEARCH_REPEATS_MAX, "runs of each load that decides"),
	FIELD_COUNT("workers", struct calibrate_params, workers, "0", 0, 256,
		    "threads that read; 0: one a CPU, at most four"),
	FIELD_DURATION("time", struct calibrate_params, measure_ns, "2s", 10000000, 3600000000000,
		       "that each run measures"),
	FIELD_DURATION("warmup", struct calibrate_params, warmup_ns, "300ms", 0, 3600000000000,
		       "before it, in no figure"),
	FIELD_TEXT("engine", struct calibrate_params, engine, "io_uring",
		   "an engine, a name or an object with parameters"),
	FIELD_TEXT("memory", struct calibrate_params, memory, "base",
		   "where the buffers are: a memory kind, a name or an object with parameters"),
	EXECUTE_FIELDS(struct calibrate_params, execute),
	FIELD_END};

enum calibrate_list { CALIBRATE_SETS, CALIBRATE_TARGETS };

static const struct command_list calibrate_lists[] = {
	[CALIBRATE_SETS] = {.name = "set",
			    .placeholder = "PATH=VALUE",
			    .help = "changes the profile, as pmu=off"},
	[CALIBRATE_TARGETS] = {.name = "target",
			       .placeholder = "FILE",
			       .help = "file or block device to read"},
	{.name = NULL}};

/* A limit that is said twice must be said alike. */
static int wish_limit(const struct calibrate_params *params, struct calibrate_wish *wish,
		      struct error *error)
{
	const struct calibrate_need *need = &wish->need;
	char one[32], other[32];

	wish->latency = params->percentile;
	wish->limit_ns = params->limit_ns ? params->limit_ns : LIMIT_PRESET_NS;
	if (!need->latency_ns)
		return 0;
	if (params->limit_ns && params->limit_ns != need->latency_ns)
		return error_set(error, ERROR_INPUT,
				 "--max-latency is %s and --need has %s=%s; one limit is searched "
				 "for, so leave one of them out",
				 units_format_duration(params->limit_ns, one),
				 calibrate_latencies[need->latency].name,
				 units_format_duration(need->latency_ns, other));
	wish->latency = need->latency;
	wish->limit_ns = need->latency_ns;
	return 0;
}

static int wish_check(const struct calibrate_wish *wish, bool has_profile, struct error *error)
{
	char block[32];

	if (*wish->stream && !has_profile)
		return error_set(error, ERROR_INPUT,
				 "--stream names a stream of a profile, and none is given; leave "
				 "it out, or name a profile");
	if (wish->beside && has_profile)
		return error_set(error, ERROR_INPUT,
				 "--beside belongs to reads without a profile; a profile's own "
				 "streams are what is beside");
	if (wish->beside && !wish->large_bytes)
		return error_set(error, ERROR_INPUT,
				 "--beside is %lu, but --large 0 leaves large reads out; drop one",
				 wish->beside);
	if (wish->block_bytes % 512 || wish->large_bytes % 512)
		return error_set(error, ERROR_INPUT,
				 "%s is no multiple of 512 bytes, which direct reads need",
				 units_format_size(wish->block_bytes % 512 ? wish->block_bytes
									   : wish->large_bytes,
						   block));
	if (wish->need.mbps > 0 && !has_profile && !wish->large_bytes)
		return error_set(error, ERROR_INPUT,
				 "--need names mbps, which large reads answer, but --large 0 "
				 "leaves them out; drop one");
	return 0;
}

static int make_wish(const struct calibrate_params *params, bool has_profile,
		     struct calibrate_wish *ret, struct error *error)
{
	int status;

	*ret = (struct calibrate_wish){.block_bytes = params->block_bytes,
				       .large_bytes = params->large_bytes,
				       .beside = params->beside,
				       .depth_max = params->depth_max,
				       .repeats = params->repeats,
				       .workers = params->workers,
				       .measure_ns = params->measure_ns,
				       .warmup_ns = params->warmup_ns,
				       .engine = params->engine,
				       .memory = params->memory,
				       .stream = params->stream};
	status = calibrate_need_parse(params->need, &ret->need, error);
	if (status == 0)
		status = wish_limit(params, ret, error);
	return status < 0 ? status : wish_check(ret, has_profile, error);
}

/* Said before a profile is made, which the user does not know of. */
static int check_targets(const struct command_args *args, const struct calibrate_wish *wish,
			 struct error *error)
{
	const struct entry *entry;
	struct choice choice = {.entry = NULL};

	if (args->n_words || args->lists[CALIBRATE_TARGETS].n || args->lists[CALIBRATE_SETS].n ||
	    *wish->engine == '{')
		return 0;
	if (catalog_find(&engine_catalog, wish->engine, &entry, error) < 0)
		return error_prefix(error, "--engine: ");
	choice.entry = entry;
	if (engine_ops_of(&choice)->model_target_bytes)
		return 0;
	return error_set(error, ERROR_INPUT,
			 "calibrate: there is nothing to read; name a file or a block device by "
			 "--target FILE (orion-sim prepare FILE makes a file)");
}

static int load_mix(const char *word, const struct profile_overrides *overrides,
		    const struct calibrate_wish *wish, struct calibrate_parts *parts, cJSON **ret,
		    struct error *error)
{
	struct profile profile;
	struct plan plan;
	int status = command_load_plan(word, overrides, &profile, &plan, error);

	if (status < 0)
		return status;
	status = calibrate_profile_of(&plan, wish, parts, ret, error);
	plan_free(&plan);
	profile_free(&profile);
	return status;
}

/* From the words to the profile of all loads. */
static int load_profile(const struct command_args *args, const struct calibrate_wish *wish,
			struct calibrate_parts *parts, struct profile *ret, struct error *error)
{
	struct profile_overrides overrides = {
		.sets = args->lists[CALIBRATE_SETS].values,
		.targets = args->lists[CALIBRATE_TARGETS].n ? args->lists[CALIBRATE_TARGETS].values
							    : NULL};
	CLEANUP(cleanup_free) char *text = NULL;
	cJSON *tree = NULL;
	int status;

	if (args->n_words) {
		status = load_mix(args->words[0], &overrides, wish, parts, &tree, error);
		/* They are in the profile by now. */
		overrides = (struct profile_overrides){.sets = NULL};
	} else {
		status = calibrate_profile(wish, parts, &tree, error);
	}
	if (status < 0)
		return status;
	text = cJSON_Print(tree);
	cJSON_Delete(tree);
	if (!text)
		return error_set(error, -ENOMEM, "no memory for a profile");
	return profile_parse("calibrate", text, &overrides, ret, error);
}

static void append(char *text, size_t size, const char *name, const char *value)
{
	size_t length = strlen(text);

	if (strpbrk(value, " {}\"'") || !*value)
		snprintf(text + length, size - length, " %s '%s'", name, value);
	else
		snprintf(text + length, size - length, " %s%s%s", name, *name ? " " : "", value);
}

/* What repeats it: every option that is not as it is without being named. */
static void write_command(const struct command_args *args, char *text, size_t size)
{
	struct calibrate_params presets;
	char option[64], value[512], preset[512];

	memset(&presets, 0, sizeof(presets));
	field_presets(calibrate_fields, &presets);
	snprintf(text, size, "orion-sim calibrate");
	if (args->n_words)
		append(text, size, "", args->words[0]);
	for (unsigned i = 0; i < args->lists[CALIBRATE_TARGETS].n; i++)
		append(text, size, "--target", args->lists[CALIBRATE_TARGETS].values[i]);
	for (const struct field *field = calibrate_fields;
	     field->name && strcmp(field->name, "format") != 0; field++) {
		field_format(field, args->params, value, sizeof(value));
		field_format(field, &presets, preset, sizeof(preset));
		snprintf(option, sizeof(option), "--%s", field->name);
		if (strcmp(value, preset) != 0)
			append(text, size, option, value);
	}
	for (unsigned i = 0; i < args->lists[CALIBRATE_SETS].n; i++)
		append(text, size, "--set", args->lists[CALIBRATE_SETS].values[i]);
}

static int hook_planned(void *context, const struct plan *plan, unsigned *ret_runs,
			struct error *error)
{
	struct calibrate *calibrate = context;
	int status = calibrate_open(calibrate, plan, error);

	*ret_runs = calibrate_left(calibrate);
	return status;
}

static int hook_conclude(void *context, struct result *result, struct error *error)
{
	return calibrate_conclude(context, result, error);
}

static int hook_code(void *context, const struct result *result)
{
	return calibrate_code(result->calibration);
}

static int search(struct calibrate *calibrate, struct profile *profile,
		  const struct execute_params *params, struct error *error)
{
	struct execute_hooks hooks = {.context = calibrate,
				      .planned = hook_planned,
				      .next = calibrate_next,
				      .conclude = hook_conclude,
				      .code = hook_code};
	int signal_fd = execute_signals();
	int code = execute_profile_by(profile, params, &hooks, signal_fd, error);

	if (signal_fd >= 0)
		close(signal_fd);
	calibrate_close(calibrate);
	return code;
}

static int calibrate_run(const struct command_args *args, struct error *error)
{
	const struct calibrate_params *params = args->params;
	struct calibrate_wish wish;
	CLEANUP(cleanup_free) struct calibrate_parts *parts = calloc(1, sizeof(*parts));
	CLEANUP(cleanup_free) struct calibrate *calibrate = calloc(1, sizeof(*calibrate));
	struct profile profile;
	int code;

	if (!parts || !calibrate) {
		error_set(error, -ENOMEM, "no memory for a calibration");
		return EXIT_CODE_FAILED;
	}
	if (make_wish(params, args->n_words > 0, &wish, error) < 0 ||
	    check_targets(args, &wish, error) < 0 ||
	    load_profile(args, &wish, parts, &profile, error) < 0)
		return command_exit_code(error);
	calibrate->wish = &wish;
	calibrate->parts = parts;
	write_command(args, calibrate->command, sizeof(calibrate->command));
	code = search(calibrate, &profile, &params->execute, error);
	profile_free(&profile);
	return code;
}

const struct command_ops command_calibrate = {
	.entry = {.name = "calibrate",
		  .summary = "the highest load with a latency under a limit, and what it delivers",
		  .fields = calibrate_fields,
		  .params_size = sizeof(struct calibrate_params)},
	.words_usage = "[PROFILE]",
	.words_max = 1,
	.lists = calibrate_lists,
	.run = calibrate_run};
