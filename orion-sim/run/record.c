/* SPDX-License-Identifier: MIT */
/* record.c - what a runner left in its channel becomes a repeat of the result. */
#include "run/record.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/limits.h"
#include "base/units.h"
#include "run/channel.h"
#include "run/counters.h"
#include "run/observe.h"
#include "run/pmu.h"
#include "run/point.h"
#include "run/watch.h"

static int record_class(const struct channel *channel, const struct watch_stream *stream,
			struct watch_class *watched, const struct op_class *op_class, unsigned c,
			double duration_s, struct result_class *ret)
{
	snprintf(ret->name, sizeof(ret->name), "%s", op_class->name);
	snprintf(ret->unit, sizeof(ret->unit), "%s", op_class->unit);
	ret->timed_in_batches = op_class->timed_in_batches;
	ret->duration_s = duration_s;
	ret->tally =
		recorders_sum(&channel->recorders[stream->first_recorder], stream->n_recorders, c);
	result_class_summarize(ret, &watched->total);
	ret->n_intervals = watched->n_intervals;
	ret->intervals = watched->intervals;
	watched->intervals = NULL;
	ret->histogram = malloc(sizeof(*ret->histogram));
	if (!ret->histogram)
		return -ENOMEM;
	*ret->histogram = watched->total;
	return 0;
}

static void record_workers(const struct channel *channel, const struct watch_stream *stream,
			   struct result_stream *ret)
{
	uint64_t samples = 0;

	for (unsigned i = 0; i < stream->n_recorders; i++) {
		const struct recorder *recorder = &channel->recorders[stream->first_recorder + i];
		struct usage own = {0};

		usage_subtract(&recorder->end, &recorder->begin, &own);
		usage_add(&ret->usage, &own);
		pmu_sum_up(recorder, &ret->events);
		if (recorder->failure_code && !ret->failure[0])
			snprintf(ret->failure, sizeof(ret->failure), "%s", recorder->failure);
		/* Mean in flight of the stream is the sum of its workers' means. */
		samples = recorder->depth_samples;
		if (samples)
			ret->mean_in_flight += (double)recorder->depth_sum / (double)samples;
	}
}

static bool record_class_has(const struct channel *channel, const struct watch_stream *stream,
			     unsigned c)
{
	for (unsigned i = 0; i < stream->n_recorders; i++) {
		const struct tally *tally =
			channel->recorders[stream->first_recorder + i].classes[c].tally;

		for (unsigned p = 0; p < PHASE_COUNT; p++)
			if (tally[p].ops || tally[p].errors)
				return true;
	}
	return false;
}

/* Classes that no operation of the stream belonged to are left out; the first stands for none. */
static bool record_class_used(const struct channel *channel, const struct watch_stream *stream,
			      unsigned c)
{
	bool any = false;

	for (unsigned i = 0; i < stream->n_classes; i++)
		any = any || record_class_has(channel, stream, i);
	return any ? record_class_has(channel, stream, c) : c == 0;
}

static int record_derived(const struct workload_ops *ops, const struct workload_setup *setup,
			  const struct recorder *workers, struct result_stream *stream)
{
	unsigned n = 0;

	while (ops->derived && ops->derived[n].name)
		n++;
	if (n == 0)
		return 0;
	stream->derived = calloc(n, sizeof(*stream->derived));
	if (!stream->derived)
		return -ENOMEM;
	stream->n_derived = n;
	for (unsigned i = 0; i < n; i++) {
		const struct derived *from = &ops->derived[i];
		struct result_derived *to = &stream->derived[i];

		snprintf(to->name, sizeof(to->name), "%s", from->name);
		snprintf(to->unit, sizeof(to->unit), "%s", from->unit);
		snprintf(to->help, sizeof(to->help), "%s", from->help);
		to->higher_better = from->higher_better;
		to->value = from->value(setup, stream, workers);
	}
	return 0;
}

static int record_stream(const struct run_point *point, const struct channel *channel,
			 struct watch *watch, unsigned s, double duration_s,
			 struct result_stream *ret)
{
	const struct plan_stream *planned = &point->plan->streams[s];
	const struct workload_ops *ops = workload_ops_of(&planned->workload);
	struct watch_stream *stream = &watch->streams[s];

	snprintf(ret->label, sizeof(ret->label), "%s", planned->label);
	ret->workers = planned->workers;
	snprintf(ret->traits, sizeof(ret->traits), "%s",
		 channel->recorders[stream->first_recorder].traits);
	record_workers(channel, stream, ret);
	ret->classes = calloc(stream->n_classes, sizeof(*ret->classes));
	if (!ret->classes)
		return -ENOMEM;
	for (unsigned c = 0; c < stream->n_classes; c++) {
		int status;

		if (!record_class_used(channel, stream, c))
			continue;
		status = record_class(channel, stream, &stream->classes[c], &ops->classes[c], c,
				      duration_s, &ret->classes[ret->n_classes++]);
		if (status < 0)
			return status;
	}
	return record_derived(ops, &point->setups[s], &channel->recorders[stream->first_recorder],
			      ret);
}

static int record_placement(const struct choice *numa, const struct memory_audit *audits,
			    bool at_end, struct result_placement *ret)
{
	const struct place_audit *begin = &audits[AUDIT_BEGIN].placed;
	const struct place_audit *end = &audits[AUDIT_END].placed;

	if (begin->code)
		return 0;
	choice_label(numa, ret->numa, sizeof(ret->numa));
	ret->samples = begin->sampled;
	ret->got_percent = place_audit_percent(begin);
	ret->got_end_percent = at_end && !end->code ? place_audit_percent(end) : NAN;
	ret->nodes = calloc(begin->n_nodes + 1, sizeof(*ret->nodes));
	if (!ret->nodes)
		return -ENOMEM;
	ret->known = true;
	ret->n_nodes = begin->n_nodes;
	for (unsigned i = 0; i < begin->n_nodes; i++)
		ret->nodes[i] = (struct result_node){begin->nodes[i].node, begin->nodes[i].bytes};
	return 0;
}

static int record_audits(const struct run_point *point, const struct channel *channel,
			 struct result_repeat *ret)
{
	ret->audits = calloc(channel->n_regions + 1, sizeof(*ret->audits));
	if (!ret->audits)
		return -ENOMEM;
	for (unsigned r = 0; r < channel->n_regions; r++) {
		const struct plan_region *planned = &point->plan->regions[r];
		const struct memory_audit *audit = &channel->audits[r][AUDIT_BEGIN];
		struct result_audit *to = &ret->audits[ret->n_audits];

		if (!channel->audited[r][AUDIT_BEGIN])
			continue;
		ret->n_audits++;
		snprintf(to->region, sizeof(to->region), "%s", planned->name);
		plan_memory_label(&planned->memory, to->memory, sizeof(to->memory));
		snprintf(to->method, sizeof(to->method), "%s", audit->method);
		to->page_bytes = audit->page_bytes;
		to->asked_bytes = audit->asked_bytes;
		to->got_bytes = audit->got_bytes;
		if (channel->audited[r][AUDIT_END])
			to->got_end_bytes = channel->audits[r][AUDIT_END].got_bytes;
		memory_audit_detail(audit, to->detail, sizeof(to->detail));
		if (record_placement(&planned->numa, channel->audits[r],
				     channel->audited[r][AUDIT_END], &to->placement) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int record_counters(const struct channel *channel, const struct counters *counters,
			   struct result_repeat *ret)
{
	ret->n_devices = counters->n_devices;
	ret->devices = calloc(counters->n_devices + 1, sizeof(*ret->devices));
	if (!ret->devices)
		return -ENOMEM;
	usage_subtract(&channel->self[1], &channel->self[0], &ret->runner);
	/* RUSAGE_CHILDREN knows children only once they are gone, set-up and all. */
	for (unsigned i = 0; i < channel->n_recorders; i++) {
		const struct recorder *recorder = &channel->recorders[i];
		struct usage own = {0};

		usage_subtract(&recorder->process[1], &recorder->process[0], &own);
		usage_add(&ret->runner, &own);
	}
	counters_subtract(counters, &channel->counters[0], &channel->counters[1], &ret->cpu,
			  ret->devices);
	return 0;
}

static bool record_has_processes(const struct run_point *point)
{
	for (unsigned s = 0; s < point->plan->n_streams; s++)
		if (point->plan->streams[s].worker_kind == WORKER_PROCESS)
			return true;
	return false;
}

/* Threads share one set of page tables: nothing that a result should grow for. */
static void record_page_tables(const struct run_point *point, const struct channel *channel,
			       struct result_page_tables *ret)
{
	const struct pagetables *before = &channel->pagetables[PAGETABLES_BEFORE];
	const struct pagetables *at = &channel->pagetables[PAGETABLES_AT];
	const struct pagetables *after = &channel->pagetables[PAGETABLES_AFTER];

	if (!channel->pagetables_read || !record_has_processes(point))
		return;
	*ret = (struct result_page_tables){.known = true,
					   .before_bytes = before->page_tables_bytes,
					   .at_bytes = at->page_tables_bytes,
					   .after_bytes = after->page_tables_bytes,
					   .sec_before_bytes = before->sec_page_tables_bytes,
					   .sec_at_bytes = at->sec_page_tables_bytes,
					   .sec_after_bytes = after->sec_page_tables_bytes,
					   .vm_pte_before_bytes = before->vm_pte_bytes,
					   .vm_pte_at_bytes = at->vm_pte_bytes,
					   .vm_pte_after_bytes = after->vm_pte_bytes};
}

/* A fixed time is in the effective options, and nothing was found. */
static void record_warmup(const struct run_point *point, const struct channel *channel,
			  struct result_warmup *ret)
{
	const struct warmup_found *found = &channel->warmup;
	uint64_t begin_ns = atomic_load(&channel->phase_ns[PHASE_WARMUP]);
	uint64_t end_ns = atomic_load(&channel->phase_ns[PHASE_MEASURE]);

	if (found->rounds == 0)
		return;
	*ret = (struct result_warmup){.known = true,
				      .warmup_s = (double)(end_ns - begin_ns) / 1e9,
				      .rounds = found->rounds,
				      .reached = found->reached,
				      .range_percent = found->range_percent,
				      .slope_percent = found->slope_percent};
	warmup_label(&point->plan->warmup, ret->rule, sizeof(ret->rule));
}

static void record_fail(struct result_repeat *repeat, enum result_status status, const char *text)
{
	repeat->status = status;
	snprintf(repeat->reason, sizeof(repeat->reason), "%s", text);
}

/* SIGKILL is the kernel's, for want of memory, or somebody's. */
static void record_kill(const struct run_point *point, const struct watch *watch, char *text,
			size_t size)
{
	char need[32], have[32];
	struct limits_cgroup group;
	uint64_t need_bytes = 0;

	for (unsigned r = 0; r < point->plan->n_regions; r++)
		need_bytes += point->plan->regions[r].size_bytes;
	units_format_amount(need_bytes, need);
	if (watch_oom_kills() == watch->oom_kills)
		snprintf(text, size, "the runner was killed by somebody (SIGKILL)");
	else if (limits_memory("", &group) == 0)
		snprintf(text, size,
			 "the kernel killed the runner for want of memory: its regions have %s and "
			 "the control group may have %s; raise %s or ask for less",
			 need, units_format_amount(group.value, have), group.path);
	else
		snprintf(text, size,
			 "the kernel killed the runner for want of memory: its regions have %s; "
			 "see dmesg, and ask for less",
			 need);
}

static void record_death(const struct run_point *point, const struct watch *watch,
			 struct result_repeat *repeat, int wait_status)
{
	char text[sizeof(repeat->reason)];
	int number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;

	if (number == SIGKILL)
		record_kill(point, watch, text, sizeof(text));
	else if (number == SIGBUS)
		snprintf(text, sizeof(text),
			 "the runner died of SIGBUS: the kernel had no page for the region");
	else if (number)
		snprintf(text, sizeof(text), "the runner died of signal %d (%s)", number,
			 strsignal(number));
	else
		snprintf(text, sizeof(text), "the runner ended early with status %d",
			 WEXITSTATUS(wait_status));
	record_fail(repeat, RESULT_FAILED, text);
}

static void record_worker_failures(const struct run_point *point, const struct channel *channel,
				   const struct watch *watch, struct result_repeat *repeat)
{
	for (unsigned s = 0; s < watch->n_streams; s++) {
		const struct watch_stream *stream = &watch->streams[s];

		for (unsigned i = 0; i < stream->n_recorders; i++) {
			const struct recorder *recorder =
				&channel->recorders[stream->first_recorder + i];
			uint64_t code = (uint64_t)-recorder->failure_code;

			if (recorder->failure_code == 0 || atomic_load(&channel->failed) == 0)
				continue;
			repeat->io_failure = code == EIO;
			repeat->status = RESULT_FAILED;
			snprintf(repeat->reason, sizeof(repeat->reason), "stream %s, worker %u: %s",
				 point->plan->streams[s].label, i, recorder->failure);
			return;
		}
	}
}

static void record_judge(const struct run_point *point, const struct channel *channel,
			 const struct watch *watch, int wait_status, struct result_repeat *repeat)
{
	char text[96];

	repeat->status = RESULT_OK;
	if (watch->signal) {
		snprintf(text, sizeof(text), "ended early by signal %d (%s)", watch->signal,
			 strsignal(watch->signal));
		record_fail(repeat, RESULT_INTERRUPTED, text);
	} else if (atomic_load(&channel->finished) == 0) {
		record_death(point, watch, repeat, wait_status);
	} else if (channel->error.code) {
		record_fail(repeat, RESULT_FAILED, channel->error.text);
		repeat->io_failure = channel->error.code == ERROR_IO;
	} else {
		record_worker_failures(point, channel, watch, repeat);
	}
}

int record_repeat(const struct run_point *point, const struct channel *channel, struct watch *watch,
		  const struct counters *counters, int wait_status, struct result_repeat *ret)
{
	uint64_t begin_ns = atomic_load(&channel->phase_ns[PHASE_MEASURE]);
	uint64_t end_ns = atomic_load(&channel->phase_ns[PHASE_DRAIN]);
	int status;

	record_judge(point, channel, watch, wait_status, ret);
	status = record_audits(point, channel, ret);
	if (status < 0 || begin_ns == 0 || end_ns <= begin_ns)
		return status;
	ret->duration_s = (double)(end_ns - begin_ns) / 1e9;
	if (channel->moments[1].raw_ns)
		ret->clock_step_s =
			(double)clock_step_ns(channel->moments[0], channel->moments[1]) / 1e9;
	status = record_counters(channel, counters, ret);
	if (status == 0)
		status = observe_record_counters(point, counters, channel, ret);
	record_page_tables(point, channel, &ret->page_tables);
	record_warmup(point, channel, &ret->warmup);
	ret->streams = calloc(watch->n_streams, sizeof(*ret->streams));
	if (!ret->streams)
		return -ENOMEM;
	for (unsigned s = 0; status == 0 && s < watch->n_streams; s++) {
		ret->n_streams++;
		status = record_stream(point, channel, watch, s, ret->duration_s, &ret->streams[s]);
	}
	return status;
}
