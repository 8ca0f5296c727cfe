/* SPDX-License-Identifier: MIT */
/* crew.c - the workers of one point, each a thread of the runner process. */
#include "run/crew.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/topology.h"
#include "run/channel.h"

struct member {
	struct crew *crew;
	const struct crew_seat *seat;
	struct worker worker;
	pthread_t thread;
	struct error error; /* of its set-up */
};

struct crew {
	struct channel *channel;
	pthread_mutex_t mutex; /* guards what follows, until the gate is open */
	pthread_cond_t changed;
	unsigned n_arrived; /* have set up, or failed to */
	unsigned n_failed;
	bool open, abandoned;
	unsigned n;
	struct member members[];
};

static int member_setup(struct member *member)
{
	const struct crew_seat *seat = member->seat;
	int status = 0;

	if (seat->cpu >= 0)
		status = topology_pin(seat->cpu, &member->error);
	if (status == 0)
		status = member->worker.ops->setup(&member->worker, &member->error);
	return status;
}

/* Says how the set-up went and waits until the gate opens. True if work is to begin. */
static bool member_arrive(struct member *member, int status)
{
	struct crew *crew = member->crew;
	bool go;

	pthread_mutex_lock(&crew->mutex);
	crew->n_arrived++;
	if (status < 0)
		crew->n_failed++;
	pthread_cond_broadcast(&crew->changed);
	while (!crew->open && !crew->abandoned)
		pthread_cond_wait(&crew->changed, &crew->mutex);
	go = !crew->abandoned;
	pthread_mutex_unlock(&crew->mutex);
	return go;
}

static void member_leave_phase(struct worker *worker)
{
	struct recorder *recorder = worker->recorder;

	if (worker->phase != PHASE_MEASURE)
		return;
	recorder->end_ns = clock_now_ns();
	usage_read(RUSAGE_THREAD, &recorder->end);
}

static void member_enter_phase(struct worker *worker, enum phase phase)
{
	struct recorder *recorder = worker->recorder;

	member_leave_phase(worker);
	worker->phase = phase;
	if (phase != PHASE_MEASURE)
		return;
	usage_read(RUSAGE_THREAD, &recorder->begin);
	recorder->begin_ns = clock_now_ns();
}

/* The measured loop: nothing here but the phase, the step and a count. */
static void member_work(struct member *member)
{
	struct worker *worker = &member->worker;
	struct channel *channel = member->crew->channel;
	uint64_t steps[PHASE_COUNT] = {0};

	for (;;) {
		enum phase phase =
			(enum phase)atomic_load_explicit(&channel->phase, memory_order_acquire);

		if (__builtin_expect(phase != worker->phase, 0))
			member_enter_phase(worker, phase);
		if (phase >= PHASE_DRAIN)
			break;
		steps[phase]++;
		if (__builtin_expect(worker->ops->step(worker) < 0, 0)) {
			member_leave_phase(worker);
			atomic_fetch_add(&channel->failed, 1);
			channel_ring(channel);
			break;
		}
	}
	worker->recorder->step_count = steps[PHASE_MEASURE];
}

static void *member_main(void *argument)
{
	struct member *member = argument;
	int status = member_setup(member);

	if (member_arrive(member, status))
		member_work(member);
	if (status == 0)
		member->worker.ops->teardown(&member->worker);
	return NULL;
}

static void member_init(struct member *member, struct crew *crew, const struct crew_seat *seat,
			struct recorder *recorder)
{
	*member = (struct member){.crew = crew, .seat = seat};
	member->worker = (struct worker){.ops = seat->ops,
					 .setup = seat->setup,
					 .index = seat->index,
					 .region_index = seat->region_index,
					 .seed = seat->seed,
					 .buffers = seat->buffers,
					 .buffers_bytes = seat->buffers_bytes,
					 .recorder = recorder,
					 .phase = PHASE_GATE};
}

static void crew_abandon(struct crew *crew)
{
	pthread_mutex_lock(&crew->mutex);
	crew->abandoned = true;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->mutex);
}

static int crew_hire(struct crew *crew, const struct crew_seat *seats, unsigned n,
		     struct error *error)
{
	for (unsigned i = 0; i < n; i++) {
		struct member *member = &crew->members[i];
		int status;

		member_init(member, crew, &seats[i], &crew->channel->recorders[i]);
		status = pthread_create(&member->thread, NULL, member_main, member);
		if (status) {
			error_set(error, -status, "worker %u of %u cannot be started: %s", i + 1, n,
				  strerror(status));
			return error_negative(limits_explain_start(error));
		}
		crew->n++;
	}
	return 0;
}

static int crew_await(struct crew *crew, struct error *error)
{
	bool failed;

	pthread_mutex_lock(&crew->mutex);
	while (crew->n_arrived < crew->n)
		pthread_cond_wait(&crew->changed, &crew->mutex);
	failed = crew->n_failed > 0;
	pthread_mutex_unlock(&crew->mutex);
	for (unsigned i = 0; failed && i < crew->n; i++) {
		const struct member *member = &crew->members[i];

		if (member->error.code)
			return error_set(error, member->error.code, "stream %s, worker %u: %s",
					 member->seat->label, member->seat->index,
					 member->error.text);
	}
	return 0;
}

int crew_start(const struct crew_seat *seats, unsigned n, struct channel *channel,
	       struct crew **ret, struct error *error)
{
	struct crew *crew = calloc(1, sizeof(*crew) + n * sizeof(struct member));
	int status;

	if (!crew)
		return error_set(error, -ENOMEM, "no memory for %u workers", n);
	crew->channel = channel;
	pthread_mutex_init(&crew->mutex, NULL);
	pthread_cond_init(&crew->changed, NULL);
	status = crew_hire(crew, seats, n, error);
	if (status == 0)
		status = crew_await(crew, error);
	if (status < 0) {
		crew_abandon(crew);
		crew_join(crew);
		return status;
	}
	*ret = crew;
	return 0;
}

void crew_enter(struct crew *crew, enum phase phase)
{
	struct channel *channel = crew->channel;

	atomic_store(&channel->phase_ns[phase], clock_now_ns());
	atomic_store_explicit(&channel->phase, phase, memory_order_release);
	if (crew->open)
		return;
	pthread_mutex_lock(&crew->mutex);
	crew->open = true;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->mutex);
}

void crew_join(struct crew *crew)
{
	for (unsigned i = 0; i < crew->n; i++)
		pthread_join(crew->members[i].thread, NULL);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->mutex);
	free(crew);
}
