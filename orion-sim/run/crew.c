/* SPDX-License-Identifier: MIT */
/* crew.c - the workers of one point: threads or processes of the runner. */
#include "run/crew.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "run/channel.h"
#include "run/crew_parts.h"

static size_t crew_bytes(unsigned n)
{
	return sizeof(struct crew) + n * sizeof(struct member);
}

static void *member_main(void *argument)
{
	member_run(argument);
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
					 .region = seat->region,
					 .mapped = seat->mapped,
					 .shared = seat->shared,
					 .crew_phase = &crew->channel->phase,
					 .buffers = seat->buffers,
					 .buffers_bytes = seat->buffers_bytes,
					 .recorder = recorder,
					 .phase = PHASE_GATE};
}

static int crew_open(const struct crew_seat *seats, unsigned n, struct channel *channel,
		     struct crew **ret, struct error *error)
{
	struct crew *crew = mmap(NULL, crew_bytes(n), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (crew == MAP_FAILED)
		return error_set(error, -errno, "no memory for %u workers: %s", n, strerror(errno));
	crew->channel = channel;
	crew->n = n;
	for (unsigned i = 0; i < n; i++)
		member_init(&crew->members[i], crew, &seats[i], &channel->recorders[i]);
	*ret = crew;
	return 0;
}

static int crew_create_threads(struct crew *crew, struct error *error)
{
	for (unsigned i = 0; i < crew->n; i++) {
		struct member *member = &crew->members[i];
		int status;

		if (member->seat->kind != WORKER_THREAD)
			continue;
		status = pthread_create(&member->thread, NULL, member_main, member);
		if (status) {
			error_set(error, -status, "worker %u of %u cannot be started: %s", i + 1,
				  crew->n, strerror(status));
			return error_negative(limits_explain_start(error));
		}
		member->started = true;
	}
	return 0;
}

static int crew_failure(const struct crew *crew, struct error *error)
{
	for (unsigned i = 0; i < crew->n; i++) {
		const struct member *member = &crew->members[i];

		if (member->error.code)
			return error_set(error, member->error.code, "stream %s, worker %u: %s",
					 member->seat->label, member->seat->index,
					 member->error.text);
	}
	return 0;
}

static int crew_await(struct crew *crew, struct error *error)
{
	struct channel *channel = crew->channel;

	for (;;) {
		uint32_t bell = atomic_load(&channel->bell);

		if (atomic_load(&crew->n_arrived) == crew->n)
			break;
		if (atomic_load(&channel->stop))
			return error_set(error, -ECANCELED,
					 "stopped while %u of %u workers were set up",
					 atomic_load(&crew->n_arrived), crew->n);
		channel_listen(channel, bell);
	}
	return atomic_load(&crew->n_failed) ? crew_failure(crew, error) : 0;
}

/* Whoever is at the gate goes home; a process that is not there yet is not waited for. */
static void crew_abandon(struct crew *crew)
{
	atomic_store(&crew->abandoned, true);
	channel_enter(crew->channel, PHASE_DRAIN);
	if (crew->group)
		kill(-crew->group, SIGKILL);
}

int crew_start(const struct crew_seat *seats, unsigned n, struct channel *channel,
	       struct crew **ret, struct error *error)
{
	struct crew *crew = NULL;
	int status = crew_open(seats, n, channel, &crew, error);

	if (status < 0)
		return status;
	/* Processes first: what is forked should have no other threads beside it. */
	status = crew_fork(crew, error);
	if (status == 0)
		status = crew_watch_processes(crew, error);
	if (status == 0)
		status = crew_create_threads(crew, error);
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

void crew_lead(void)
{
	setpriority(PRIO_PROCESS, 0, -20); /* of the calling thread alone */
}

void crew_enter(struct crew *crew, enum phase phase)
{
	struct channel *channel = crew->channel;

	atomic_store(&channel->phase_ns[phase], clock_now_ns());
	channel_enter(channel, phase);
}

unsigned crew_pids(const struct crew *crew, pid_t *ret_pids)
{
	unsigned n = 0;

	for (unsigned i = 0; i < crew->n; i++)
		if (crew->members[i].pid)
			ret_pids[n++] = crew->members[i].pid;
	return n;
}

void crew_join(struct crew *crew)
{
	for (unsigned i = 0; i < crew->n; i++)
		if (crew->members[i].started && !crew->members[i].pid)
			pthread_join(crew->members[i].thread, NULL);
	if (crew->has_undertaker)
		pthread_join(crew->undertaker, NULL);
	else if (crew->group)
		crew_bury(crew);
	munmap(crew, crew_bytes(crew->n));
}
