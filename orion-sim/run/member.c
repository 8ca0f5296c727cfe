/* SPDX-License-Identifier: MIT */
/* member.c - one worker of a crew, from set-up to teardown. */
#include <sys/resource.h>

#include "base/clock.h"
#include "base/topology.h"
#include "run/channel.h"
#include "run/crew_parts.h"

static unsigned member_count_classes(const struct workload_ops *ops)
{
	unsigned n = 0;

	while (n < RECORDER_CLASSES_MAX && ops->classes[n].name)
		n++;
	return n;
}

/* Counters that cannot be had leave no trace but their absence. */
static void member_open_pmu(struct member *member)
{
	if (member->seat->pmu && !member->seat->ops->starts_processes &&
	    pmu_open(&member->pmu, NULL) == 0)
		member->worker.recorder->events_counted = pmu_counted(&member->pmu);
}

static int member_setup(struct member *member)
{
	const struct crew_seat *seat = member->seat;
	struct worker *worker = &member->worker;
	int status = 0;

	if (seat->cpu >= 0)
		status = topology_pin(seat->cpu, &member->error);
	else if (seat->n_cpus)
		status = topology_confine(seat->cpus, (int)seat->n_cpus, &member->error);
	if (status == 0)
		status = channel_populate(worker->recorder, member_count_classes(worker->ops),
					  &member->error);
	if (status == 0)
		status = worker->ops->setup(worker, &member->error);
	if (status == 0)
		member_open_pmu(member);
	return status;
}

void member_arrive(struct member *member)
{
	struct crew *crew = member->crew;

	atomic_store(&member->arrived, true);
	if (member->error.code)
		atomic_fetch_add(&crew->n_failed, 1);
	atomic_fetch_add(&crew->n_arrived, 1);
	channel_ring(crew->channel);
}

static void member_read_usage(const struct member *member, struct usage *own, unsigned end)
{
	struct recorder *recorder = member->worker.recorder;
	struct usage children;

	usage_read(RUSAGE_THREAD, own);
	if (member->seat->kind == WORKER_PROCESS) {
		usage_read(RUSAGE_SELF, &recorder->process[end]);
		usage_read(RUSAGE_CHILDREN, &children);
		usage_add(own, &children);
		usage_add(&recorder->process[end], &children);
	}
	if (recorder->events_counted)
		pmu_read(&member->pmu, &recorder->events[end]);
}

static void member_leave_phase(struct member *member)
{
	struct worker *worker = &member->worker;

	if (worker->phase != PHASE_MEASURE)
		return;
	worker->recorder->end_ns = clock_now_ns();
	member_read_usage(member, &worker->recorder->end, 1);
}

static void member_enter_phase(struct member *member, enum phase phase)
{
	struct worker *worker = &member->worker;

	member_leave_phase(member);
	worker->phase = phase;
	if (phase != PHASE_MEASURE)
		return;
	member_read_usage(member, &worker->recorder->begin, 0);
	worker->recorder->begin_ns = clock_now_ns();
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
			member_enter_phase(member, phase);
		if (phase >= PHASE_DRAIN)
			break;
		steps[phase]++;
		if (__builtin_expect(worker->ops->step(worker) < 0, 0)) {
			member_leave_phase(member);
			atomic_fetch_add(&channel->failed, 1);
			channel_ring(channel);
			break;
		}
	}
	worker->recorder->step_count = steps[PHASE_MEASURE];
}

void member_run(struct member *member)
{
	int status = member_setup(member);

	member_arrive(member);
	if (channel_gate(member->crew->channel) && status == 0)
		member_work(member);
	if (status == 0)
		member->worker.ops->teardown(&member->worker);
	pmu_close(&member->pmu);
}
