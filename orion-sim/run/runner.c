/* SPDX-License-Identifier: MIT */
/* runner.c - one process per point and repeat: maps, audits, measures, and is gone. */
#include "run/runner.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "run/channel.h"
#include "run/child.h"
#include "run/counters.h"
#include "run/crew.h"
#include "run/marker.h"
#include "run/point.h"
#include "run/sampler.h"

struct runner {
	const struct runner_setup *setup;
	const struct plan_point *plan;
	struct channel *channel;
	struct region regions[PLAN_REGIONS_MAX];
	unsigned n_regions; /* open */
	struct crew_seat *seats;
	pid_t *pids; /* owned: room for those of all workers */
};

static bool runner_renews(const struct runner *runner, unsigned r)
{
	for (unsigned s = 0; s < runner->plan->n_streams; s++) {
		const struct plan_stream *stream = &runner->plan->streams[s];

		if (stream->region == (int)r && workload_ops_of(&stream->workload)->renews_region)
			return true;
	}
	return false;
}

static int runner_audit(struct runner *runner, enum audit_time when, struct error *error)
{
	for (unsigned r = 0; r < runner->n_regions; r++) {
		struct memory_audit *audit = &runner->channel->audits[r][when];
		int status = 0;

		if (when == AUDIT_END && runner_renews(runner, r))
			status = region_refill(&runner->regions[r], error);
		if (status == 0)
			status = region_audit(&runner->regions[r], audit, error);
		if (status < 0)
			return status;
		runner->channel->audited[r][when] = true;
		if (!runner->setup->strict)
			continue;
		status = region_check(&runner->regions[r], audit,
				      runner->setup->strict_share_percent, error);
		if (status < 0)
			return error_prefix(error, when == AUDIT_END ? "at the end, " : "");
	}
	return 0;
}

static int runner_open_regions(struct runner *runner, struct error *error)
{
	for (unsigned r = 0; r < runner->plan->n_regions; r++) {
		const struct plan_region *planned = &runner->plan->regions[r];
		struct region *region = &runner->regions[r];
		int status;

		*region = (struct region){.ops = memory_ops_of(&planned->memory),
					  .params = planned->memory.params,
					  .size_bytes = planned->size_bytes,
					  .place = runner->setup->point->places[r]};
		memcpy(region->name, planned->name, sizeof(region->name));
		status = region_open(region, error);
		if (status < 0)
			return status;
		runner->n_regions++;
		runner->channel->n_regions = runner->n_regions;
	}
	return 0;
}

static void runner_close_regions(struct runner *runner)
{
	while (runner->n_regions > 0)
		region_close(&runner->regions[--runner->n_regions]);
}

static void runner_share(const struct region *region, const struct workload_setup *setup,
			 struct crew_seat *seat)
{
	uint64_t share_bytes = workload_share_bytes(setup, region->mapping.bytes);

	seat->buffers = (char *)region->mapping.address + seat->region_index * share_bytes;
	seat->buffers_bytes = share_bytes;
}

/* Goes with the runner. */
static int runner_share_memory(const struct workload_ops *ops, const struct workload_setup *setup,
			       void **ret, struct error *error)
{
	size_t bytes = ops->shared_bytes ? ops->shared_bytes(setup) : 0;
	void *shared;

	if (!bytes)
		return 0;
	shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (shared == MAP_FAILED)
		return error_set(error, -errno, "no memory for the workers to share: %s",
				 strerror(errno));
	*ret = shared;
	return 0;
}

static void runner_seat_stream(struct runner *runner, unsigned s, void *shared,
			       unsigned *seat_index, unsigned *region_taken)
{
	const struct plan_stream *stream = &runner->plan->streams[s];
	const struct workload_setup *setup = &runner->setup->point->setups[s];
	const struct run_cpus *cpus = &runner->setup->point->cpus[s];

	for (unsigned w = 0; w < stream->workers; w++) {
		struct crew_seat *seat = &runner->seats[*seat_index];

		*seat = (struct crew_seat){.ops = workload_ops_of(&stream->workload),
					   .setup = setup,
					   .label = stream->label,
					   .index = w,
					   .seed = runner->setup->seed + s,
					   .kind = stream->worker_kind,
					   .pmu = runner->setup->pmu,
					   .shared = shared,
					   .cpu = -1};
		if (stream->pin && cpus->n > 0)
			seat->cpu = cpus->ids[*seat_index % cpus->n];
		else if (stream->cpus[0]) {
			seat->cpus = cpus->ids;
			seat->n_cpus = cpus->n;
		}
		if (stream->region >= 0) {
			seat->region_index = region_taken[stream->region]++;
			seat->region = runner->regions[stream->region].mapping.address;
			seat->mapped = &runner->regions[stream->region];
			runner_share(&runner->regions[stream->region], setup, seat);
		}
		(*seat_index)++;
	}
}

static int runner_seats(struct runner *runner, struct error *error)
{
	unsigned region_taken[PLAN_REGIONS_MAX] = {0}, seat_index = 0;

	runner->seats = calloc(runner->setup->point->n_workers, sizeof(*runner->seats));
	runner->pids = calloc(runner->setup->point->n_workers, sizeof(*runner->pids));
	if (!runner->seats || !runner->pids)
		return error_set(error, -ENOMEM, "no memory for the workers");
	for (unsigned s = 0; s < runner->plan->n_streams; s++) {
		void *shared = NULL;
		int status =
			runner_share_memory(workload_ops_of(&runner->plan->streams[s].workload),
					    &runner->setup->point->setups[s], &shared, error);

		if (status < 0)
			return status;
		runner_seat_stream(runner, s, shared, &seat_index, region_taken);
	}
	return 0;
}

/* Both ends of the measure phase: counters outside, phase change inside. */
static void runner_phases(struct runner *runner, struct crew *crew)
{
	struct channel *channel = runner->channel;
	const struct plan_point *plan = runner->plan;
	const struct warmup_rule rule = warmup_rule_of(&plan->warmup);
	bool early = false;

	if (rule.round_ns) {
		warmup_count(channel, runner->seats); /* faults on what it will read once more */
		crew_enter(crew, PHASE_WARMUP);
		early = warmup_wait(channel, &rule, runner->seats);
	}
	if (!early) {
		counters_read(runner->setup->counters, &channel->counters[0]);
		usage_read(RUSAGE_SELF, &channel->self[0]);
		channel->moments[0] = clock_moment_now();
		if (runner->setup->sampler)
			sampler_start(runner->setup->sampler);
		if (runner->setup->marked)
			marker_begin();
		crew_enter(crew, PHASE_MEASURE);
		channel_wait(channel, clock_now_ns() + plan->measure_ns);
	}
	crew_enter(crew, PHASE_DRAIN);
	if (runner->setup->marked && !early)
		marker_end(runner->setup->place);
	if (runner->setup->sampler)
		sampler_stop(runner->setup->sampler);
	if (!early) {
		channel->moments[1] = clock_moment_now();
		usage_read(RUSAGE_SELF, &channel->self[1]);
		counters_read(runner->setup->counters, &channel->counters[1]);
	}
}

static void runner_read_pagetables(struct runner *runner, enum pagetables_time when,
				   const struct crew *crew)
{
	unsigned n = crew ? crew_pids(crew, runner->pids) : 0;

	pagetables_read("", runner->pids, n, &runner->channel->pagetables[when]);
	runner->channel->pagetables_read = when == PAGETABLES_AFTER;
}

/* Brings in the pages that counters are read into: their faults are none of the work's. */
static void runner_rehearse(struct runner *runner)
{
	counters_read(runner->setup->counters, &runner->channel->counters[0]);
	counters_read(runner->setup->counters, &runner->channel->counters[1]);
}

/* From a full gate to an empty house. */
static int runner_measure(struct runner *runner, struct crew *crew, struct error *error)
{
	crew_lead();
	runner_read_pagetables(runner, PAGETABLES_AT, crew);
	runner_rehearse(runner);
	runner_phases(runner, crew);
	crew_join(crew);
	return runner_audit(runner, AUDIT_END, error);
}

static int runner_work(struct runner *runner, struct error *error)
{
	struct crew *crew = NULL;
	int status;

	runner_read_pagetables(runner, PAGETABLES_BEFORE, NULL);
	status = runner_open_regions(runner, error);
	if (status == 0)
		status = runner_audit(runner, AUDIT_BEGIN, error);
	if (status == 0)
		status = runner_seats(runner, error);
	if (status == 0)
		status = crew_start(runner->seats, runner->setup->point->n_workers, runner->channel,
				    &crew, error);
	if (status == 0)
		status = runner_measure(runner, crew, error);
	free(runner->seats);
	free(runner->pids);
	runner_close_regions(runner);
	if (status == 0)
		runner_read_pagetables(runner, PAGETABLES_AFTER, NULL);
	return status;
}

static void runner_settle(pid_t parent)
{
	sigset_t none;

	child_settle(parent, "orion-runner");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void runner_main(const struct runner_setup *setup, pid_t parent)
{
	struct runner runner = {
		.setup = setup, .plan = setup->point->plan, .channel = setup->channel};
	struct error error = {0};

	runner_settle(parent);
	if (runner_work(&runner, &error) < 0)
		setup->channel->error = error;
	atomic_store(&setup->channel->finished, 1);
	_exit(0);
}

int runner_fork(const struct runner_setup *setup, pid_t *ret_pid, struct error *error)
{
	pid_t parent = getpid(), pid;

	pid = fork();
	if (pid < 0) {
		error_set(error, -errno, "the runner process cannot be started: %s",
			  strerror(errno));
		return error_negative(limits_explain_start(error));
	}
	if (pid == 0)
		runner_main(setup, parent);
	*ret_pid = pid;
	return 0;
}
