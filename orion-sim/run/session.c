/* SPDX-License-Identifier: MIT */
/* session.c - what one run of a plan has open, and what it refuses before it begins. */
#include "run/session.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "plan/plan.h"
#include "run/observe.h"
#include "run/run.h"
#include "run/settings.h"
#include "stats/result.h"

void session_note(struct session *session, const char *sentence)
{
	const struct observer *observer = session->options->observer;

	cJSON_AddItemToArray(session->result->notes, cJSON_CreateString(sentence));
	if (observer && observer->note)
		observer->note(observer->context, sentence);
}

void session_tell(struct session *session, int n)
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

static int session_open_counters(struct session *session, struct error *error)
{
	int n = cJSON_GetArraySize(session->result->notes);
	int status = observe_open_counters(session->plan, session->points, &session->targets,
					   session->result, &session->counters, error);

	session_tell(session, n);
	return status;
}

int session_open(struct session *session, struct error *error)
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

void session_close(struct session *session)
{
	result_journal_close(&session->journal);
	counters_close(&session->counters);
	session_close_points(session);
	target_table_close(&session->targets);
}
