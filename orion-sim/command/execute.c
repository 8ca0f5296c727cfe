/* SPDX-License-Identifier: MIT */
/* execute.c - a profile run to its end: plan, run, save, report. Shared by run and demo. */
#include "command/execute.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "command/command.h"
#include "command/profiles.h"
#include "command/progress.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "report/report.h"
#include "run/run.h"
#include "stats/result.h"

const char *const execute_formats[] = {"text", "json", "csv", "none", NULL};
const char *const execute_progress[] = {"auto", "line", "plain", "none", NULL};

struct output_paths {
	char document[640], journal[680];
};

int execute_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sigaction action;

		/* Under nohup, SIGHUP is ignored; a descriptor would see it all the same. */
		if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&set, numbers[i]);
	}
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Nothing that exists is written over. */
static int choose_output(const char *asked, const char *name, struct output_paths *paths,
			 struct error *error)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &utc);
	if (asked[0])
		snprintf(paths->document, sizeof(paths->document), "%s", asked);
	else
		snprintf(paths->document, sizeof(paths->document), "orion-sim-%s-%s.json", name,
			 stamp);
	snprintf(paths->journal, sizeof(paths->journal), "%s.journal", paths->document);
	if (access(paths->document, F_OK) == 0 || access(paths->journal, F_OK) == 0)
		return error_set(error, ERROR_INPUT,
				 "--output: %s exists already, or its journal does; name another",
				 paths->document);
	return 0;
}

static int save(const struct result *result, const struct output_paths *paths, struct error *error)
{
	struct error own = {0};

	if (result_save(result, paths->document, &own) < 0) {
		if (error->code)
			error_append(error, "; and %s", own.text);
		else
			*error = own;
		if (access(paths->journal, F_OK) == 0)
			error_append(error, "; what was kept of the repeats is in %s",
				     paths->journal);
		return own.code;
	}
	unlink(paths->journal);
	fprintf(stderr, "orion-sim: result in %s\n", paths->document);
	return 0;
}

static int report(const struct result *result, int format, struct error *error)
{
	const struct entry *entry;
	int status;

	if (strcmp(execute_formats[format], "none") == 0)
		return 0;
	status = catalog_find(&report_catalog, execute_formats[format], &entry, error);
	return status < 0 ? status : report_ops_of(entry)->write(result, stdout, error);
}

/* What is worth keeping: something was started. */
static bool has_begun(const struct result *result)
{
	for (unsigned v = 0; v < result->n_variants; v++)
		for (unsigned p = 0; p < result->variants[v].n_points; p++)
			if (result->variants[v].points[p].n_repeats > 0 ||
			    result->variants[v].points[p].status == RESULT_SKIPPED)
				return true;
	return false;
}

static int finish(struct result *result, int status, const struct execute_params *params,
		  const struct execute_hooks *hooks, const struct output_paths *paths,
		  struct error *error)
{
	int code = status < 0 ? command_exit_code(error) : command_result_code(result);

	if (!has_begun(result)) {
		unlink(paths->journal);
		return code;
	}
	if (hooks && hooks->conclude(hooks->context, result, status < 0 ? NULL : error) < 0)
		code = EXIT_CODE_FAILED;
	else if (hooks && hooks->code && code == EXIT_CODE_OK)
		code = hooks->code(hooks->context, result);
	if (save(result, paths, error) < 0 && code == EXIT_CODE_OK)
		code = EXIT_CODE_FAILED;
	if (report(result, params->format, status < 0 ? NULL : error) < 0 && code == EXIT_CODE_OK)
		code = EXIT_CODE_FAILED;
	return code;
}

/* What a run is seen by: a person, and the command that asked for it. */
struct audience {
	struct progress progress;
	const struct execute_hooks *hooks; /* may be null */
};

static void audience_started(void *context, unsigned runs, double estimated_s)
{
	struct audience *audience = context;

	if (audience->hooks && audience->hooks->started)
		audience->hooks->started(audience->hooks->context);
	audience->progress.observer.started(&audience->progress, runs, estimated_s);
}

static void audience_progress(void *context, const struct run_progress *now)
{
	struct audience *audience = context;

	audience->progress.observer.progress(&audience->progress, now);
}

static void audience_repeat_done(void *context, const struct result_point *point,
				 const struct result_repeat *repeat)
{
	struct audience *audience = context;

	audience->progress.observer.repeat_done(&audience->progress, point, repeat);
	if (!audience->hooks || !audience->hooks->repeat_done)
		return;
	progress_close(&audience->progress);
	audience->hooks->repeat_done(audience->hooks->context, point, repeat);
}

static void audience_note(void *context, const char *sentence)
{
	struct audience *audience = context;

	audience->progress.observer.note(&audience->progress, sentence);
}

static int execute_plan(const struct plan *plan, const struct execute_params *params,
			const struct execute_hooks *hooks, int signal_fd, struct error *error)
{
	struct output_paths paths;
	struct audience audience = {.hooks = hooks};
	const struct observer observer = {.context = &audience,
					  .started = audience_started,
					  .progress = audience_progress,
					  .repeat_done = audience_repeat_done,
					  .note = audience_note};
	struct result result = {0};
	struct run_options options = {.signal_fd = signal_fd,
				      .journal_path = paths.journal,
				      .version = ORION_VERSION,
				      .observer = &observer,
				      .next = hooks ? hooks->next : NULL,
				      .next_context = hooks ? hooks->context : NULL};
	int status, code;

	if (choose_output(params->output, plan->name, &paths, error) < 0)
		return EXIT_CODE_USAGE;
	if (hooks && hooks->planned &&
	    hooks->planned(hooks->context, plan, &options.next_runs, error) < 0)
		return command_exit_code(error);
	progress_open(&audience.progress, (enum progress_kind)params->progress);
	audience.progress.at_most = plan_may_end_early(plan);
	status = run_plan(plan, &options, &result, error);
	progress_close(&audience.progress);
	code = finish(&result, status, params, hooks, &paths, error);
	result_free(&result);
	return code;
}

int execute_profile_by(struct profile *profile, const struct execute_params *params,
		       const struct execute_hooks *hooks, int signal_fd, struct error *error)
{
	struct plan plan;
	int code;

	if (command_check_profile(profile, error) < 0 ||
	    command_make_plan(profile, &plan, error) < 0)
		return command_exit_code(error);
	code = execute_plan(&plan, params, hooks, signal_fd, error);
	plan_free(&plan);
	return code;
}

int execute_profile(struct profile *profile, const struct execute_params *params, int signal_fd,
		    struct error *error)
{
	return execute_profile_by(profile, params, NULL, signal_fd, error);
}
