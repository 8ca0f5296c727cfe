/* SPDX-License-Identifier: MIT */
/* run.c - blocks of variants, and points in each, one process a run. */
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
#include "plan/blocks.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "plan/variants.h"
#include "run/borrow.h"
#include "run/channel.h"
#include "run/counters.h"
#include "run/describe.h"
#include "run/observe.h"
#include "run/judge.h"
#include "run/marker_code.h"
#include "run/pages.h"
#include "run/result_journal.h"
#include "run/point.h"
#include "run/record.h"
#include "run/runner.h"
#include "run/sampler.h"
#include "run/session.h"
#include "run/settings.h"
#include "run/watch.h"

#define PAGES_PATIENCE_NS UINT64_C(1500000000)

static void session_give_back(struct session *session)
{
	int n = cJSON_GetArraySize(session->result->notes);

	borrow_end(&session->borrow);
	session_tell(session, n);
}

static int session_borrow_shared(struct session *session, struct error *error)
{
	int status, n = cJSON_GetArraySize(session->result->notes);

	session->borrow = (struct borrow){
		.plan = session->plan, .points = session->points, .notes = session->result->notes};
	status = borrow_begin(&session->borrow, error);
	session_tell(session, n);
	return status;
}

/* Sets the machine for a variant, unless it is set so already. */
static int session_borrow(struct session *session, unsigned v, struct error *error)
{
	struct result_variant *variant = &session->result->variants[v];
	int n = cJSON_GetArraySize(session->result->notes);
	int status = borrow_variant(&session->borrow, v, error);

	session_tell(session, n);
	if (status < 0)
		return status;
	if (!variant->settings)
		variant->settings = settings_describe(session->borrow.settings);
	return 0;
}

static void session_progress(void *context, const struct watch_interval *interval)
{
	struct session *session = context;
	const struct observer *observer = session->options->observer;
	struct run_progress progress = {.run = session->run,
					.runs = session->runs,
					.block = session->block + 1,
					.blocks = session->blocks,
					.variant = session->variant->label,
					.point = session->current,
					.phase = interval->phase == PHASE_WARMUP ? "warm-up"
										 : "measure",
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

/* Of the current repeat, as a marker tells it. */
static uint64_t session_place(const struct session *session, const struct result_repeat *repeat)
{
	return MARKER_PLACE(session->variant - session->result->variants,
			    session->current - session->variant->points,
			    repeat - session->current->repeats);
}

/* One runner from fork to record. */
static int session_run_watched(struct session *session, const struct run_point *point,
			       struct channel *channel, struct watch *watch,
			       struct result_repeat *repeat, struct error *error)
{
	struct runner_setup setup = {
		.point = point,
		.topology = &session->topology,
		.counters = &session->counters,
		.channel = channel,
		.sampler = session->sampler,
		.seed = session_seed(session->plan->seed,
				     (unsigned)(session->current - session->variant->points),
				     repeat->index),
		.strict = session->plan->strict,
		.pmu = session->plan->pmu == PROFILE_PMU_AUTO,
		.strict_share_percent = session->plan->strict_share_percent,
		.marked = session->plan->profile->marker,
		.place = session_place(session, repeat)};
	int status, wait_status = 0;
	pid_t pid;

	watch->signal_fd = session->options->signal_fd;
	watch->context = session;
	watch->interval = session_progress;
	watch->sampler = session->sampler;
	status = runner_fork(&setup, &pid, error);
	if (status == 0)
		status = watch_runner(watch, pid, &wait_status, error);
	if (watch->signal)
		session->result->signal = watch->signal;
	if (status == 0 && session->sampler)
		status = sampler_finish(session->sampler, &repeat->sampling, error);
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
	struct pages pages;
	int status = channel_open(point->n_workers, &channel, error);

	pages_note("", point, &pages);
	clock_utc(repeat->started_utc);
	if (status == 0)
		status = watch_open(&watch, point, channel, error);
	if (status == 0)
		status = session_run_watched(session, point, channel, &watch, repeat, error);
	watch_close(&watch);
	channel_close(channel);
	pages_await("", &pages, PAGES_PATIENCE_NS);
	return status;
}

static void session_keep(struct session *session, unsigned v, unsigned p,
			 struct result_repeat *repeat)
{
	const struct observer *observer = session->options->observer;
	struct result_point *point = &session->result->variants[v].points[p];
	struct error error = {0};

	judge_repeat(point, repeat);
	if (result_journal_append(&session->journal, v, p, repeat, &error) < 0) {
		session_note(session, error.text);
		result_journal_close(&session->journal);
	}
	if (observer && observer->repeat_done)
		observer->repeat_done(observer->context, point, repeat);
}

/* None of its repeats will be run. */
static void session_skip(struct session *session, const struct plan_point *planned,
			 struct result_point *point, const struct error *why)
{
	const struct observer *observer = session->options->observer;
	uint64_t spared_ns = plan_point_estimate_ns(planned);

	session->runs -= planned->repeats + planned->sampled;
	session->estimate_ns -= spared_ns < session->estimate_ns ? spared_ns : session->estimate_ns;
	point->status = RESULT_SKIPPED;
	snprintf(point->reason, sizeof(point->reason), "%s", why->text);
	if (observer && observer->repeat_done)
		observer->repeat_done(observer->context, point, NULL);
}

/* Is a point to be run in this block? Sampled are those that went well all the time. */
static bool session_has_repeat(const struct session *session, unsigned v, unsigned p)
{
	enum result_status status = session->result->variants[v].points[p].status;

	if (session->sampler)
		return status == RESULT_OK;
	return session->block < session->plan->variants[v].points[p].repeats &&
	       status != RESULT_SKIPPED;
}

/* One repeat of one point; trouble of this repeat alone stays in its record. */
static int session_point(struct session *session, unsigned v, unsigned p, struct error *error)
{
	const struct run_point *planned = &session->points[v][p];
	struct result_point *point = &session->result->variants[v].points[p];
	struct result_repeat *repeat;
	int status;

	if (!session_has_repeat(session, v, p))
		return 0;
	status = run_point_probe(planned, true, error);
	if (status == ERROR_CANNOT && session->block == 0) {
		session_skip(session, planned->plan, point, error);
		*error = (struct error){0};
		return 0;
	}
	session->run++;
	session->current = point;
	repeat = &point->repeats[point->n_repeats++];
	repeat->index = session->block;
	repeat->place = session->place;
	repeat->sampled = session->sampler != NULL;
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

static int session_variant(struct session *session, unsigned v, struct error *error)
{
	unsigned n_points = session->plan->variants[v].n_points, first = 0;
	int status;

	while (first < n_points && !session_has_repeat(session, v, first))
		first++;
	if (first == n_points)
		return 0;
	session->variant = &session->result->variants[v];
	status = session_borrow(session, v, error);
	for (unsigned p = first; status == 0 && p < n_points && !session_signalled(session); p++)
		status = session_point(session, v, p, error);
	return status;
}

/* One run of every variant. */
static int session_block(struct session *session, struct error *error)
{
	unsigned order[VARIANTS_MAX], n = session->plan->n_variants;
	int status = 0;

	block_order(session->plan->seed, session->block, n, order);
	for (unsigned i = 0; i < n && status == 0 && !session_signalled(session); i++) {
		session->place = i;
		status = session_variant(session, order[i], error);
	}
	return status;
}

/* One more block, whose figures count nowhere. That it cannot be is no failure of the run. */
static int session_sample(struct session *session, struct error *error)
{
	int status = observe_open_sampler(session->plan, &session->sampler, error);

	if (status == ERROR_CANNOT) {
		error_prefix(error, "hot functions were not sampled: ");
		session_note(session, error->text);
		*error = (struct error){0};
		return 0;
	}
	if (status == 0)
		status = session_block(session, error);
	sampler_close(session->sampler);
	session->sampler = NULL;
	return status;
}

static void session_expect(struct session *session, const struct run_ask *ask)
{
	const struct plan_point *planned = &session->plan->variants[0].points[ask->point];
	uint64_t run_ns = plan_point_estimate_ns(planned) / (planned->repeats + planned->sampled);

	session->runs = session->run + ask->left;
	session->estimate_ns = clock_now_ns() - session->started_ns + ask->left * run_ns;
}

/* One run after the other, as somebody asks who looks at what came before. */
static int session_asked(struct session *session, struct error *error)
{
	const struct run_options *options = session->options;
	struct result *result = session->result;
	struct run_ask ask;
	int status;

	session->variant = &result->variants[0];
	status = session_borrow(session, 0, error);
	while (status == 0 && options->next(options->next_context, result, &ask) &&
	       !session_signalled(session)) {
		session->block = result->variants[0].points[ask.point].n_repeats;
		if (!session_has_repeat(session, 0, ask.point))
			break;
		session_expect(session, &ask);
		status = session_point(session, 0, ask.point, error);
	}
	result_drop_unbegun(result);
	return status;
}

static int session_in_turn(struct session *session, struct error *error)
{
	int status = 0;

	for (; session->block < session->blocks && status == 0 && !session_signalled(session);
	     session->block++)
		status = session_block(session, error);
	if (status == 0 && session->plan->profile->observed.sampled && !session_signalled(session))
		status = session_sample(session, error);
	return status;
}

static int session_run(struct session *session, struct error *error)
{
	const struct observer *observer = session->options->observer;
	bool asked = session->options->next != NULL;
	int status;

	session->blocks = plan_repeats_most(session->plan);
	session->runs = asked ? session->options->next_runs : plan_runs(session->plan);
	session->estimate_ns = plan_estimate_ns(session->plan);
	if (asked)
		session->estimate_ns =
			session->estimate_ns / plan_runs(session->plan) * session->runs;
	session->started_ns = clock_now_ns();
	if (observer && observer->started)
		observer->started(observer->context, session->runs,
				  (double)session->estimate_ns / 1e9);
	status = session_borrow_shared(session, error);
	if (status == 0)
		status = asked ? session_asked(session, error) : session_in_turn(session, error);
	session_give_back(session);
	if (!asked)
		judge_unfinished(session->plan, session->result);
	session->result->complete = status == 0 && session->result->signal == 0;
	clock_utc(session->result->ended_utc);
	return status;
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
