/* SPDX-License-Identifier: MIT */
/* run.c - the command run: a profile by file or by name. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/field.h"
#include "command/command.h"
#include "command/execute.h"
#include "plan/profile.h"

extern const struct command_ops command_run;

struct run_params {
	struct execute_params execute;
	bool aa;
	bool sample;
};

static const struct field run_fields[] = {
	EXECUTE_FIELDS(struct run_params, execute),
	FIELD_BOOL("aa", struct run_params, aa, "false",
		   "the baseline against itself, in 10 blocks: what it tells apart is noise"),
	FIELD_BOOL("sample", struct run_params, sample, "false",
		   "runs each point once more, for its hottest kernel functions"),
	FIELD_END};

enum run_list { RUN_SETS, RUN_TARGETS };

static const struct command_list run_lists[] = {
	[RUN_SETS] = {.name = "set",
		      .placeholder = "PATH=VALUE",
		      .help = "changes the profile, as points[0].streams[*].workload.depth=8"},
	[RUN_TARGETS] = {.name = "target",
			 .placeholder = "FILE",
			 .help = "file or block device to read, for all streams"},
	{.name = NULL}};

static int run_run(const struct command_args *args, struct error *error)
{
	const struct run_params *params = args->params;
	struct profile_overrides overrides = {
		.sets = args->lists[RUN_SETS].values,
		.targets = args->lists[RUN_TARGETS].n ? args->lists[RUN_TARGETS].values : NULL,
		.against_itself = params->aa,
		.sample = params->sample};
	struct profile profile;
	char path[512];
	int signal_fd, code;

	if (command_find_profile(args->words[0], path, error) < 0)
		return command_exit_code(error);
	if (profile_load(path, &overrides, &profile, error) < 0)
		return command_exit_code(error);
	signal_fd = execute_signals();
	code = execute_profile(&profile, &params->execute, signal_fd, error);
	if (signal_fd >= 0)
		close(signal_fd);
	profile_free(&profile);
	return code;
}

const struct command_ops command_run = {
	.entry = {.name = "run",
		  .summary = "runs a profile and reports what it measured",
		  .fields = run_fields,
		  .params_size = sizeof(struct run_params)},
	.words_usage = "PROFILE",
	.words_min = 1,
	.words_max = 1,
	.lists = run_lists,
	.run = run_run};
