/* SPDX-License-Identifier: MIT */
/* fault.c - first touches: every page of a region without pages, again and again. */
#include "workload/fault.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "memory/memory.h"
#include "stats/result.h"
#include "workload/barrier.h"
#include "workload/span.h"

static const char *const op_names[] = {"write", "read", NULL};
static const char *const order_names[] = {"sequential", "strided", NULL};
static const char *const renew_names[] = {"auto", "map", "drop", NULL};

static const struct field fault_fields[] = {
	FIELD_CHOICE("op", struct fault_params, op, "write", op_names,
		     "how a page is touched first: a word of it stored, or loaded"),
	FIELD_CHOICE("order", struct fault_params, order, "sequential", order_names,
		     "page by page, or a stride apart and then the pages between"),
	FIELD_SIZE("stride", struct fault_params, stride_bytes, "2M", 4096, UINT64_C(1) << 40,
		   "strided: bytes from one touch to the next"),
	FIELD_COUNT("batch", struct fault_params, batch, "512", 1, 1 << 20,
		    "pages a step, timed together"),
	FIELD_CHOICE("renew", struct fault_params, renew, "auto", renew_names,
		     "how a round gets fresh pages: the region is unmapped and mapped anew "
		     "(threads only), or its pages are dropped; auto: map for threads, else drop"),
	FIELD_COUNT("discard", struct fault_params, discard, "0", 0, 10000,
		    "rounds at the beginning that never count, beside those of the warm-up; all "
		    "pages were touched once before"),
	FIELD_END};

static const struct op_class fault_classes[] = {
	[FAULT_CLASS_PAGE] = {.name = "fault", .unit = "page", .timed_in_batches = true},
	[FAULT_CLASS_ROUND] = {.name = "round", .unit = "region"},
	[FAULT_CLASS_MAP] = {.name = "map", .unit = "region"},
	{.name = NULL}};

/* When a worker touched its part in this round; on a cache line of its own. */
struct fault_turn {
	_Alignas(128) uint64_t begin_ns, end_ns;
};

struct fault_shared {
	struct barrier touched; /* all pages of a round are there */
	struct barrier fresh;	/* and now none is */
	struct fault_turn turns[];
};

/* One worker's state. */
struct fault {
	const struct fault_params *params;
	struct fault_shared *shared;
	enum region_renewal renewal;
	uint64_t page_bytes, share_bytes, n_pages, stride_pages;
	char *share;		  /* of this round */
	uint64_t left, at, first; /* pages to touch, the next one, where this stride began */
	uint64_t rounds;	  /* begun */
	struct span span;
	uint64_t sum; /* of what was read, so that it is read */
};

static enum region_renewal fault_renewal(const struct workload_setup *setup)
{
	const struct fault_params *params = setup->params;

	if (params->renew == FAULT_RENEW_AUTO)
		return setup->worker_kind == WORKER_THREAD ? RENEWAL_MAP : RENEWAL_DROP;
	return params->renew == FAULT_RENEW_MAP ? RENEWAL_MAP : RENEWAL_DROP;
}

static uint64_t fault_page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static int fault_probe(const struct workload_setup *setup, struct error *error)
{
	const struct fault_params *params = setup->params;
	uint64_t share_bytes = workload_share_bytes(setup, setup->region_bytes);
	char text[32];

	if (setup->region_workers != setup->workers)
		return error_set(error, ERROR_INPUT,
				 "another stream uses the region, whose pages go with each round: "
				 "give this one a region of its own");
	if (share_bytes < fault_page_bytes())
		return error_set(error, ERROR_INPUT,
				 "%u workers share a region of %s, which is less than a page each: "
				 "ask for a larger one",
				 setup->workers, units_format_size(setup->region_bytes, text));
	if (params->stride_bytes % fault_page_bytes())
		return error_set(error, ERROR_INPUT,
				 "stride %s is not a multiple of a page, which is %llu bytes",
				 units_format_size(params->stride_bytes, text),
				 (unsigned long long)fault_page_bytes());
	if (setup->worker_kind == WORKER_PROCESS && params->renew == FAULT_RENEW_MAP)
		return error_set(error, ERROR_INPUT,
				 "processes cannot map their region anew for each other: say "
				 "\"renew\": \"drop\", or \"as\": \"threads\"");
	return 0;
}

static size_t fault_shared_bytes(const struct workload_setup *setup)
{
	return sizeof(struct fault_shared) + setup->workers * sizeof(struct fault_turn);
}

static int fault_setup(struct worker *worker, struct error *error)
{
	struct fault *fault = calloc(1, sizeof(*fault));

	if (!fault)
		return error_set(error, -ENOMEM, "no memory for a worker");
	fault->params = worker->setup->params;
	fault->shared = worker->shared;
	fault->renewal = fault_renewal(worker->setup);
	fault->page_bytes = fault_page_bytes();
	fault->share_bytes = worker->buffers_bytes;
	fault->n_pages = worker->buffers_bytes / fault->page_bytes;
	fault->stride_pages = fault->params->order == FAULT_STRIDED
				      ? fault->params->stride_bytes / fault->page_bytes
				      : 1;
	worker->private_data = fault;
	snprintf(worker->recorder->traits, sizeof(worker->recorder->traits), "%s",
		 fault->renewal == RENEWAL_MAP ? "unmapped and mapped anew" : "pages dropped");
	return 0;
}

/* Rounds to be discarded are warm-up whatever the phase. */
static enum phase fault_phase(const struct worker *worker, const struct fault *fault)
{
	if (worker->phase == PHASE_MEASURE && fault->rounds <= fault->params->discard)
		return PHASE_WARMUP;
	return worker->phase;
}

static struct tally *fault_tally(const struct worker *worker, enum fault_class op_class,
				 enum phase phase)
{
	return &worker->recorder->classes[op_class].tally[phase];
}

/* One operation that took a time of its own. */
static void fault_record(const struct worker *worker, const struct fault *fault,
			 enum fault_class op_class, uint64_t spent_ns)
{
	enum phase phase = fault_phase(worker, fault);
	struct tally *tally = fault_tally(worker, op_class, phase);

	recorder_add(worker->recorder, phase, recorder_enter(worker->recorder), op_class, spent_ns);
	tally->busy_ns += spent_ns;
	tally_count(tally, 1, 0);
}

/* As the published tool takes it: from the first worker's first touch to the last one's last. */
static void fault_end_round(const struct worker *worker, struct fault *fault)
{
	const struct fault_turn *turns = fault->shared->turns;
	uint64_t begin_ns = turns[0].begin_ns, end_ns = turns[0].end_ns;

	for (unsigned i = 1; i < worker->setup->workers; i++) {
		if (turns[i].begin_ns < begin_ns)
			begin_ns = turns[i].begin_ns;
		if (turns[i].end_ns > end_ns)
			end_ns = turns[i].end_ns;
	}
	fault_record(worker, fault, FAULT_CLASS_ROUND, end_ns - begin_ns);
}

/* The first worker does it for all, who wait. */
static int fault_renew(struct worker *worker, struct fault *fault)
{
	uint64_t begin_ns = clock_now_ns();
	struct error error = {0};
	int status = region_renew(worker->mapped, fault->renewal, &error);

	if (status < 0) {
		worker_fail(worker, status, "%s", error.text);
		barrier_break(&fault->shared->fresh);
		return status;
	}
	fault_record(worker, fault, FAULT_CLASS_MAP, clock_now_ns() - begin_ns);
	return 0;
}

static void fault_begin_round(struct worker *worker, struct fault *fault)
{
	fault->share =
		(char *)worker->mapped->mapping.address + worker->region_index * fault->share_bytes;
	fault->left = fault->n_pages;
	fault->at = fault->first = 0;
	span_begin(&fault->span, fault_tally(worker, FAULT_CLASS_PAGE, fault_phase(worker, fault)));
	fault->shared->turns[worker->index].begin_ns = clock_now_ns();
}

/* Between two rounds. Who is not waited for any more goes on, and finds the crew draining. */
static int fault_next_round(struct worker *worker, struct fault *fault)
{
	struct fault_shared *shared = fault->shared;
	unsigned n = worker->setup->workers;
	int status = 0;

	if (!barrier_wait(&shared->touched, n, worker->crew_phase))
		return 0;
	if (worker->index == 0 && fault->rounds)
		fault_end_round(worker, fault);
	fault->rounds++;
	if (worker->index == 0)
		status = fault_renew(worker, fault);
	if (status == 0 && barrier_wait(&shared->fresh, n, worker->crew_phase))
		fault_begin_round(worker, fault);
	return status;
}

/*
 * Nothing but the touch between two faults: not even that of the memory in which a sanitizer keeps
 * books of ours. Returns the sum of what was read.
 */
__attribute__((no_sanitize("thread"))) static uint64_t touch_pages(char *page,
								   uint64_t stride_bytes,
								   uint64_t n, enum fault_op op)
{
	uint64_t sum = 0;

	for (; op == FAULT_WRITE && n; n--, page += stride_bytes)
		__atomic_store_n((uint64_t *)(void *)page, 1, __ATOMIC_RELAXED);
	for (; n; n--, page += stride_bytes)
		sum += __atomic_load_n((uint64_t *)(void *)page, __ATOMIC_RELAXED);
	return sum;
}

/* In stretches of pages a stride apart; where one ends, the next begins a page behind its first. */
static void fault_touch(struct fault *fault, uint64_t n)
{
	fault->left -= n;
	while (n > 0) {
		uint64_t stride = fault->stride_pages;
		uint64_t stretch = (fault->n_pages - fault->at + stride - 1) / stride;

		if (stretch > n)
			stretch = n;
		fault->sum += touch_pages(fault->share + fault->at * fault->page_bytes,
					  stride * fault->page_bytes, stretch,
					  (enum fault_op)fault->params->op);
		n -= stretch;
		fault->at += stretch * stride;
		if (fault->at >= fault->n_pages)
			fault->at = ++fault->first;
	}
}

static void fault_batch(struct worker *worker, struct fault *fault)
{
	enum phase phase = fault_phase(worker, fault);
	uint64_t n = fault->left < fault->params->batch ? fault->left : fault->params->batch;
	struct tally *tally = fault_tally(worker, FAULT_CLASS_PAGE, phase);
	uint64_t begin_ns, end_ns;
	uint32_t active = recorder_enter(worker->recorder);

	span_move(&fault->span, tally);
	begin_ns = clock_now_ns();
	fault_touch(fault, n);
	end_ns = clock_now_ns();
	recorder_add_n(worker->recorder, phase, active, FAULT_CLASS_PAGE,
		       (end_ns - begin_ns + n / 2) / n, n);
	tally->busy_ns += end_ns - begin_ns;
	tally_count(tally, n, 0);
	tally->batches++;
	if (fault->left == 0) {
		fault->shared->turns[worker->index].end_ns = end_ns;
		span_end(&fault->span);
	}
}

static int fault_step(struct worker *worker)
{
	struct fault *fault = worker->private_data;

	if (fault->left == 0)
		return fault_next_round(worker, fault);
	do
		fault_batch(worker, fault);
	while (fault->left > 0 && worker_goes_on(worker));
	return 0;
}

static void fault_teardown(struct worker *worker)
{
	struct fault *fault = worker->private_data;

	span_end(&fault->span);
	barrier_break(&fault->shared->touched);
	barrier_break(&fault->shared->fresh);
	free(fault);
	worker->private_data = NULL;
}

/* Pages that all workers together touch in a round. */
static double fault_round_pages(const struct workload_setup *setup)
{
	uint64_t page_bytes = setup->region_page_bytes;
	uint64_t mapped_bytes = (setup->region_bytes + page_bytes - 1) / page_bytes * page_bytes;
	uint64_t share_pages = workload_share_bytes(setup, mapped_bytes) / fault_page_bytes();

	return (double)(share_pages * setup->workers);
}

static struct tally fault_sum(const struct workload_setup *setup, const struct recorder *workers,
			      enum fault_class op_class)
{
	return recorders_sum(workers, setup->workers, op_class);
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static double derive_user_s(const struct workload_setup *setup, const struct result_stream *stream,
			    const struct recorder *workers)
{
	struct tally sum = fault_sum(setup, workers, FAULT_CLASS_PAGE);

	return ratio((double)sum.user_ns / 1e9, (double)sum.ops) * fault_round_pages(setup);
}

static double derive_system_s(const struct workload_setup *setup,
			      const struct result_stream *stream, const struct recorder *workers)
{
	struct tally sum = fault_sum(setup, workers, FAULT_CLASS_PAGE);

	return ratio((double)sum.system_ns / 1e9, (double)sum.ops) * fault_round_pages(setup);
}

static double derive_per_cpu(const struct workload_setup *setup, const struct result_stream *stream,
			     const struct recorder *workers)
{
	struct tally sum = fault_sum(setup, workers, FAULT_CLASS_PAGE);

	return ratio((double)sum.ops, (double)(sum.user_ns + sum.system_ns) / 1e9);
}

static double derive_per_sec(const struct workload_setup *setup, const struct result_stream *stream,
			     const struct recorder *workers)
{
	struct tally sum = fault_sum(setup, workers, FAULT_CLASS_ROUND);

	return ratio((double)sum.ops * fault_round_pages(setup), (double)sum.busy_ns / 1e9);
}

static double derive_taken(const struct workload_setup *setup, const struct result_stream *stream,
			   const struct recorder *workers)
{
	struct tally sum = fault_sum(setup, workers, FAULT_CLASS_PAGE);

	return ratio((double)sum.minor_faults, (double)sum.ops);
}

static double derive_warmup_rounds(const struct workload_setup *setup,
				   const struct result_stream *stream,
				   const struct recorder *workers)
{
	return (double)workers[0].classes[FAULT_CLASS_ROUND].tally[PHASE_WARMUP].ops;
}

/* The published row, whose "faults" are pages; then what it leaves out. */
static const struct derived fault_derived[] = {
	{"user_s", "s", "user time of all workers to touch the region once (RUSAGE_THREAD)", false,
	 derive_user_s},
	{"sys_s", "s", "system time of all workers to touch the region once (RUSAGE_THREAD)", false,
	 derive_system_s},
	{"faults_per_sec_per_cpu", "pages/CPU s",
	 "pages touched first per second of user and system time, whatever faults that took", true,
	 derive_per_cpu},
	{"faults_per_sec", "pages/s",
	 "pages of a round per second from the first worker's first touch to the last one's last",
	 true, derive_per_sec},
	{"taken_per_page", "faults/page",
	 "minor faults taken per page touched: 1/16 where a fault brings 16 pages", false,
	 derive_taken},
	{"warmup_rounds", "rounds", "rounds that do not count: of the warm-up, and the first ones",
	 true, derive_warmup_rounds},
	{.name = NULL}};

static const char *const fault_counters[] = {
	"pgfault",     "hugepages-*.shmem_*", "hugepages-*.anon_fault_*",
	"thp_fault_*", "thp_file_*",	      NULL};

const struct workload_ops workload_fault = {
	.entry = {.name = "fault",
		  .summary = "first touches of every page of a freshly mapped region, in rounds",
		  .fields = fault_fields,
		  .params_size = sizeof(struct fault_params)},
	.classes = fault_classes,
	.derived = fault_derived,
	.counters = fault_counters,
	.needs_region = true,
	.renews_region = true,
	.probe = fault_probe,
	.shared_bytes = fault_shared_bytes,
	.setup = fault_setup,
	.step = fault_step,
	.teardown = fault_teardown};
