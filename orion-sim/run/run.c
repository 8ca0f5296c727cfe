/* SPDX-License-Identifier: MIT */
/* run.c - points x repeats, interleaved, one process each. */
#include "run/run.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/topology.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "run/channel.h"
#include "run/counters.h"
#include "run/describe.h"
#include "run/observe.h"
#include "run/result_journal.h"
#include "run/point.h"
#include "run/record.h"
#include "run/runner.h"
#include "run/sampler.h"
#include "run/settings.h"
#include "run/watch.h"

/* Everything that lasts as long as one run of a plan. */
struct session {
	const struct plan *plan;
	const struct run_options *options;
	struct result *result;
	struct topology topology;
	struct target_table targets;
	struct run_point **points; /* owned: [variant][point] */
	struct counters counters;
	struct result_journal journal;
	struct settings *settings;	     /* borrowed from the machine now, or null */
	const struct plan_variant *borrower; /* variant that they were borrowed for */
	uint64_t started_ns, estimate_ns;
	unsigned run, runs;
	struct result_point *current; /* for progress */
};

static void session_note(struct session *session, const char *sentence)
{
	const struct observer *observer = session->options->observer;

	cJSON_AddItemToArray(session->result->notes, cJSON_CreateString(sentence));
	if (observer && observer->note)
		observer->note(observer->context, sentence);
}

/* Tells the observer the notes that a callee added behind the first n. */
static void session_tell(struct session *session, int n)
{
	const struct observer *observer = session->options->observer;
	const cJSON *note;
	int i = 0;

	if (!observer || !observer->note)
		return;
	cJSON_ArrayForEach (note, session->result->notes)
		if (i++ >= n && cJSON_IsString(note))
			observer->note(observer->context, note->valuestring);
}

static int session_open_points(struct session *session, struct error *error)
{
	const struct plan *plan = session->plan;

	session->points = calloc(plan->n_variants, sizeof(*session->points));
	if (!session->points)
		return error_set(error, -ENOMEM, "no memory for the points");
	for (unsigned v = 0; v < plan->n_variants; v++) {
		const struct plan_variant *variant = &plan->variants[v];

		session->points[v] = calloc(variant->n_points, sizeof(struct run_point));
		if (!session->points[v])
			return error_set(error, -ENOMEM, "no memory for the points");
		for (unsigned p = 0; p < variant->n_points; p++) {
			int status =
				run_point_open(&session->points[v][p], plan, &variant->points[p],
					       &session->targets, &session->topology, error);

			if (status < 0)
				return status;
		}
	}
	return 0;
}

static void session_close_points(struct session *session)
{
	for (unsigned v = 0; session->points && v < session->plan->n_variants; v++) {
		for (unsigned p = 0; session->points[v] && p < session->plan->variants[v].n_points;
		     p++)
			if (session->points[v][p].plan)
				run_point_close(&session->points[v][p]);
		free(session->points[v]);
	}
	free(session->points);
}

/* What the user asked for and can never be had is refused before anything is changed. */
static int session_refuse(struct session *session, struct error *error)
{
	for (unsigned v = 0; v < session->plan->n_variants; v++) {
		for (unsigned p = 0; p < session->plan->variants[v].n_points; p++) {
			int status = run_point_probe(&session->points[v][p], true, error);

			if (status < 0 && status != ERROR_CANNOT)
				return error_prefix(error, "%s: ",
						    session->result->variants[v].points[p].label);
		}
	}
	*error = (struct error){0};
	return 0;
}

/* What another run has borrowed goes with that run: none is begun that would rely on it. */
static int session_claim_settings(struct session *session, struct error *error)
{
	int declared = 0, status, n = cJSON_GetArraySize(session->result->notes);
	struct error why = {0};

	for (unsigned v = 0; v < session->plan->n_variants; v++)
		declared += cJSON_GetArraySize(session->plan->variants[v].settings) +
			    cJSON_GetArraySize(session->plan->variants[v].more_settings);
	if (!declared)
		return 0;
	status = settings_recover(session->result->notes, &why);
	session_tell(session, n);
	return status == -EBUSY ? error_set(error, ERROR_CANNOT, "%s", why.text) : 0;
}

/* Devices below all targets, each once. */
static int session_open_counters(struct session *session, struct error *error)
{
	char devices[COUNTERS_DEVICES_MAX][32], found[TARGET_DEVICES_MAX][32];
	int n_notes = cJSON_GetArraySize(session->result->notes), status;
	unsigned n = 0;

	for (unsigned t = 0; t < session->targets.n; t++) {
		int n_found = target_devices(&session->targets.targets[t], found);

		for (int i = 0; i < n_found; i++) {
			unsigned d = 0;

			while (d < n && strcmp(devices[d], found[i]) != 0)
				d++;
			if (d == n && n < COUNTERS_DEVICES_MAX)
				memcpy(devices[n++], found[i], sizeof(found[i]));
		}
	}
	describe_devices(session->result, devices, n);
	status = counters_open(&session->counters, devices, n, error);
	if (status < 0)
		return status;
	status = observe_open_counters(session->plan, session->points, &session->counters,
				       session->result->notes, error);
	session_tell(session, n_notes);
	return status;
}

static void session_give_back(struct session *session)
{
	int n = cJSON_GetArraySize(session->result->notes);

	if (session->settings)
		settings_restore(session->settings, session->result->notes);
	session->settings = NULL;
	session->borrower = NULL;
	session_tell(session, n);
}

/* The profile's settings, then the variant's own, as one list; owned by the caller. */
static cJSON *session_settings_list(const struct plan_variant *variant)
{
	cJSON *list = cJSON_CreateArray();
	const cJSON *item;

	cJSON_ArrayForEach (item, variant->settings)
		cJSON_AddItemToArray(list, cJSON_Duplicate(item, true));
	cJSON_ArrayForEach (item, variant->more_settings)
		cJSON_AddItemToArray(list, cJSON_Duplicate(item, true));
	return list;
}

/* Borrows for a variant, unless what is borrowed already serves it. */
static int session_borrow(struct session *session, unsigned v, struct error *error)
{
	const struct plan_variant *variant = &session->plan->variants[v];
	struct memory_need needs[RUN_NEEDS_MAX];
	unsigned n_needs = 0;
	cJSON *list;
	int status, n = cJSON_GetArraySize(session->result->notes);

	if (session->borrower && (session->borrower == variant ||
				  (!session->borrower->more_settings && !variant->more_settings)))
		return 0;
	session_give_back(session);
	for (unsigned p = 0; p < variant->n_points; p++)
		run_point_needs(&session->points[v][p], needs, &n_needs, RUN_NEEDS_MAX);
	list = session_settings_list(variant);
	status = settings_apply(session->plan->profile->document, list, needs, n_needs,
				session->result->notes, &session->settings, error);
	cJSON_Delete(list);
	if (status < 0)
		return status;
	session->borrower = variant;
	if (!session->result->variants[v].settings)
		session->result->variants[v].settings = settings_describe(session->settings);
	session_tell(session, n);
	return 0;
}

static void session_progress(void *context, const struct watch_interval *interval)
{
	struct session *session = context;
	const struct observer *observer = session->options->observer;
	struct run_progress progress = {.run = session->run,
					.runs = session->runs,
					.point = session->current,
					.phase = "measure",
					.p50_ns = interval->p50_ns,
					.p99_ns = interval->p99_ns};
	uint64_t elapsed_ns = clock_now_ns() - session->started_ns;

	if (!observer || !observer->progress || interval->duration_s <= 0)
		return;
	progress.iops = (double)interval->ops / interval->duration_s;
	progress.mbps = (double)interval->bytes / interval->duration_s / 1e6;
	progress.elapsed_s = (double)elapsed_ns / 1e9;
	if (session->estimate_ns > elapsed_ns)
		progress.left_s = (double)(session->estimate_ns - elapsed_ns) / 1e9;
	observer->progress(observer->context, &progress);
}

/* One runner from fork to record. */
static int session_run_watched(struct session *session, const struct run_point *point,
			       struct channel *channel, struct watch *watch,
			       struct result_repeat *repeat, struct error *error)
{
	struct runner_setup setup = {.point = point,
				     .topology = &session->topology,
				     .counters = &session->counters,
				     .channel = channel,
				     .seed = session->plan->seed + ((uint64_t)repeat->index << 32),
				     .strict = session->plan->strict,
				     .pmu = session->plan->pmu == PROFILE_PMU_AUTO,
				     .strict_share_percent = session->plan->strict_share_percent};
	int status, wait_status = 0;
	pid_t pid;

	watch->signal_fd = session->options->signal_fd;
	watch->context = session;
	watch->interval = session_progress;
	status = runner_fork(&setup, &pid, error);
	if (status == 0)
		status = watch_runner(watch, pid, &wait_status, error);
	if (watch->signal)
		session->result->signal = watch->signal;
	if (status < 0)
		return status;
	status = record_repeat(point, channel, watch, &session->counters, wait_status, repeat);
	return status < 0 ? error_set(error, status, "no memory to record a repeat") : 0;
}

static int session_run_repeat(struct session *session, const struct run_point *point,
			      struct result_repeat *repeat, struct error *error)
{
	struct channel *channel = NULL;
	struct watch watch = {.signal_fd = -1};
	int status = channel_open(point->n_workers, &channel, error);

	clock_utc(repeat->started_utc);
	if (status == 0)
		status = watch_open(&watch, point, channel, error);
	if (status == 0)
		status = session_run_watched(session, point, channel, &watch, repeat, error);
	watch_close(&watch);
	channel_close(channel);
	return status;
}

/* A point is as good as its worst repeat. */
static void point_judge(struct result_point *point, const struct result_repeat *repeat)
{
	if (repeat->status == RESULT_OK || point->status != RESULT_OK)
		return;
	point->status = repeat->status;
	snprintf(point->reason, sizeof(point->reason), "%s", repeat->reason);
}

static void session_keep(struct session *session, unsigned v, unsigned p,
			 struct result_repeat *repeat)
{
	const struct observer *observer = session->options->observer;
	struct result_point *point = &session->result->variants[v].points[p];
	struct error error = {0};

	point_judge(point, repeat);
	if (result_journal_append(&session->journal, v, p, repeat, &error) < 0) {
		session_note(session, error.text);
		result_journal_close(&session->journal);
	}
	if (observer && observer->repeat_done)
		observer->repeat_done(observer->context, point, repeat);
}

static void session_skip(struct session *session, struct result_point *point,
			 const struct error *why)
{
	const struct observer *observer = session->options->observer;

	point->status = RESULT_SKIPPED;
	snprintf(point->reason, sizeof(point->reason), "%s", why->text);
	if (observer && observer->repeat_done)
		observer->repeat_done(observer->context, point, NULL);
}

/* One repeat of one point; trouble of this repeat alone stays in its record. */
static int session_point(struct session *session, unsigned v, unsigned p, unsigned r,
			 struct error *error)
{
	const struct run_point *planned = &session->points[v][p];
	struct result_point *point = &session->result->variants[v].points[p];
	struct result_repeat *repeat;
	int status;

	if (r >= planned->plan->repeats || point->status == RESULT_SKIPPED)
		return 0;
	session->run++;
	session->current = point;
	status = run_point_probe(planned, true, error);
	if (status == ERROR_CANNOT && r == 0) {
		session_skip(session, point, error);
		*error = (struct error){0};
		return 0;
	}
	repeat = &point->repeats[point->n_repeats++];
	repeat->index = r;
	if (status == 0)
		status = session_run_repeat(session, planned, repeat, error);
	if (status < 0) {
		repeat->status = RESULT_FAILED;
		snprintf(repeat->reason, sizeof(repeat->reason), "%s", error->text);
		*error = (struct error){0};
	}
	session_keep(session, v, p, repeat);
	return 0;
}

static bool session_signalled(struct session *session)
{
	struct pollfd poll_fd = {.fd = session->options->signal_fd, .events = POLLIN};
	struct signalfd_siginfo info;

	if (session->result->signal == 0 && poll(&poll_fd, 1, 0) > 0 &&
	    read(poll_fd.fd, &info, sizeof(info)) == sizeof(info))
		session->result->signal = (int)info.ssi_signo;
	return session->result->signal != 0;
}

/* Variants change places from repeat to repeat (ABBA), so that a drift of the host hits all alike.
 */
static int session_repeat_all(struct session *session, unsigned r, struct error *error)
{
	const struct plan *plan = session->plan;

	for (unsigned i = 0; i < plan->n_variants; i++) {
		unsigned v = r % 2 ? plan->n_variants - 1 - i : i;
		int status = session_borrow(session, v, error);

		for (unsigned p = 0; status == 0 && p < plan->variants[v].n_points; p++) {
			if (session_signalled(session))
				return 0;
			status = session_point(session, v, p, r, error);
		}
		if (status < 0)
			return status;
	}
	return 0;
}

static unsigned session_most_repeats(const struct plan *plan)
{
	unsigned most = 0;

	for (unsigned v = 0; v < plan->n_variants; v++)
		for (unsigned p = 0; p < plan->variants[v].n_points; p++)
			if (plan->variants[v].points[p].repeats > most)
				most = plan->variants[v].points[p].repeats;
	return most;
}

/* Points that were not run as often as planned say so, whatever the repeats they have. */
static void session_mark_unfinished(struct session *session)
{
	for (unsigned v = 0; v < session->plan->n_variants; v++) {
		for (unsigned p = 0; p < session->plan->variants[v].n_points; p++) {
			struct result_point *point = &session->result->variants[v].points[p];
			unsigned planned = session->plan->variants[v].points[p].repeats;

			if (point->status != RESULT_OK || point->n_repeats >= planned)
				continue;
			point->status = RESULT_INTERRUPTED;
			snprintf(point->reason, sizeof(point->reason),
				 "the run ended before this: %u of %u repeats done",
				 point->n_repeats, planned);
		}
	}
}

static int session_run(struct session *session, struct error *error)
{
	const struct observer *observer = session->options->observer;
	unsigned repeats = session_most_repeats(session->plan);
	int status = 0;

	session->runs = plan_runs(session->plan);
	session->estimate_ns = plan_estimate_ns(session->plan);
	session->started_ns = clock_now_ns();
	if (observer && observer->started)
		observer->started(observer->context, session->runs,
				  (double)session->estimate_ns / 1e9);
	for (unsigned r = 0; r < repeats && status == 0 && !session_signalled(session); r++)
		status = session_repeat_all(session, r, error);
	session_give_back(session);
	session_mark_unfinished(session);
	session->result->complete = status == 0 && session->result->signal == 0;
	clock_utc(session->result->ended_utc);
	return status;
}

static int session_open(struct session *session, struct error *error)
{
	int status = topology_read(&session->topology, error);

	if (status == 0)
		status = target_table_open(&session->targets, session->plan, error);
	if (status == 0)
		status = session_open_points(session, error);
	if (status == 0)
		status = session_refuse(session, error);
	if (status == 0)
		status = session_claim_settings(session, error);
	if (status == 0)
		status = session_open_counters(session, error);
	if (status == 0)
		status = result_journal_open(&session->journal, session->options->journal_path,
					     session->result, error);
	return status;
}

static void session_close(struct session *session)
{
	result_journal_close(&session->journal);
	counters_close(&session->counters);
	session_close_points(session);
	target_table_close(&session->targets);
}

int run_plan(const struct plan *plan, const struct run_options *options, struct result *ret,
	     struct error *error)
{
	struct session *session = calloc(1, sizeof(*session));
	int status;

	if (!session)
		return error_set(error, -ENOMEM, "no memory for a run");
	*session = (struct session){.plan = plan, .options = options, .result = ret};
	session->counters.stat_fd = -1;
	session->journal.fd = -1;
	status = describe_result(plan, options->version, ret, error);
	if (status == 0)
		status = session_open(session, error);
	if (status == 0)
		status = session_run(session, error);
	session_close(session);
	free(session);
	return status;
}
