/* SPDX-License-Identifier: MIT */
/* io.c - direct reads at a fixed depth, random or sequential. */
#include "workload/io.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "engine/engine.h"
#include "engine/target.h"
#include "workload/frames.h"
#include "workload/io_aim.h"

/* Time inside submit is taken on one batch in so many: a third clock reading a batch would show. */
#define SUBMIT_SAMPLE 16

static const char *const pattern_names[] = {"random", "sequential", NULL};
static const char *const frames_names[] = {"round_robin", "random", NULL};

static const struct field io_fields[] = {
	FIELD_SIZE("block", struct io_params, block_bytes, "8K", 512, 1u << 30, "bytes of one I/O"),
	FIELD_COUNT("depth", struct io_params, depth, "32", 1, 65536,
		    "I/Os that each worker keeps in flight"),
	FIELD_COUNT("batch", struct io_params, batch, "0", 0, 4096,
		    "most I/Os handed over or taken back at once; 0: a quarter of depth, 1 to 32"),
	FIELD_COUNT("reap_min", struct io_params, reap_min, "1", 1, 4096,
		    "completions to wait for when the queue is full; at most batch"),
	FIELD_CHOICE("pattern", struct io_params, pattern, "random", pattern_names,
		     "order of the blocks"),
	FIELD_CHOICE("buffers", struct io_params, buffers, "round_robin", frames_names,
		     "how the next free buffer of the region is chosen"),
	FIELD_SIZE("offset", struct io_params, offset_bytes, "0", 0, 0,
		   "where the tested range of every target begins"),
	FIELD_SIZE("length", struct io_params, length_bytes, "0", 0, 0,
		   "bytes of every target that are tested; 0: to its end"),
	FIELD_COUNT("retries_max", struct io_params, retries_max, "1000", 0, 1000000,
		    "times an I/O is issued again after EAGAIN"),
	FIELD_COUNT("errors_max", struct io_params, errors_max, "0", 0, UINT64_MAX,
		    "failed I/Os that a worker goes on after"),
	FIELD_END};

static const struct op_class io_classes[] = {
	{.name = "read", .unit = "I/O"}, {.name = "write", .unit = "I/O"}, {.name = NULL}};

/* One worker's state. */
struct io {
	const struct io_params *params;
	struct queue queue;
	struct io_aim aim;
	struct frames frames;
	struct request *requests; /* owned: depth of them */
	struct request **idle;	  /* owned: not prepared */
	struct request **ready;	  /* owned: prepared, to be submitted in this order */
	struct request **done;	  /* owned: as reaped */
	uint32_t n_idle, n_ready, n_flight;
	uint32_t depth, batch, reap_min, block_bytes;
	uint64_t batches;
	uint64_t last_ns; /* latest reading of the clock */
};

static uint32_t io_batch(const struct io_params *params)
{
	uint64_t quarter = params->depth / 4;

	if (params->batch)
		return (uint32_t)params->batch;
	return quarter < 1 ? 1 : quarter > 32 ? 32 : (uint32_t)quarter;
}

static int io_check_params(const struct io_params *params, struct error *error)
{
	if (params->batch > params->depth)
		return error_set(error, ERROR_INPUT, "batch %lu is more than depth %lu; lower it",
				 params->batch, params->depth);
	if (params->reap_min > io_batch(params))
		return error_set(error, ERROR_INPUT, "reap_min %lu is more than batch %u; lower it",
				 params->reap_min, io_batch(params));
	return 0;
}

/* The smallest share of the region that a worker gets. */
static int io_check_region(const struct workload_setup *setup, struct error *error)
{
	const struct io_params *params = setup->params;
	uint64_t need_bytes = params->depth * params->block_bytes;
	char need[32], have[32], block[32];

	if (workload_share_bytes(setup, setup->region_bytes) >= need_bytes)
		return 0;
	return error_set(error, ERROR_INPUT,
			 "depth %lu x block %s for each of the %u workers that share the region "
			 "needs %s, but the "
			 "region's size is %s; enlarge it",
			 params->depth, units_format_size(params->block_bytes, block),
			 setup->region_workers,
			 units_format_size(workload_need_bytes(setup, need_bytes), need),
			 units_format_size(setup->region_bytes, have));
}

static int io_check_target(const struct workload_setup *setup, const struct target *target,
			   struct error *error)
{
	const struct io_params *params = setup->params;
	uint64_t length_bytes = io_range_bytes(params, target);
	int status;

	status = target_check_alignment(target, params->offset_bytes, length_bytes,
					params->block_bytes, error);
	if (status < 0 || target->fd < 0)
		return status;
	return target_check_written(target, params->offset_bytes, length_bytes,
				    setup->allow_unwritten, NULL, error);
}

static int io_check_targets(const struct workload_setup *setup, struct error *error)
{
	for (unsigned i = 0; i < setup->n_targets; i++) {
		int status = io_check_target(setup, &setup->targets[i], error);

		if (status < 0)
			return status;
	}
	return 0;
}

static struct engine_setup io_engine_setup(const struct workload_setup *setup)
{
	const struct io_params *params = setup->params;

	return (struct engine_setup){.targets = setup->targets,
				     .n_targets = setup->n_targets,
				     .depth = (unsigned)params->depth,
				     .batch = io_batch(params),
				     .region_bytes =
					     workload_share_bytes(setup, setup->region_bytes),
				     .queues = setup->queues};
}

static int io_probe(const struct workload_setup *setup, struct error *error)
{
	struct engine_setup engine = io_engine_setup(setup);
	int status;

	status = io_check_params(setup->params, error);
	if (status == 0)
		status =
			volume_check(setup->layout,
				     ((const struct io_params *)setup->params)->block_bytes, error);
	if (status == 0)
		status = io_check_region(setup, error);
	if (status == 0)
		status = io_check_targets(setup, error);
	if (status == 0)
		status = engine_ops_of(setup->engine)->probe(setup->engine->params, &engine, error);
	return status;
}

static int io_open_requests(struct io *io, struct error *error)
{
	io->requests = calloc(io->depth, sizeof(*io->requests));
	io->idle = calloc(io->depth, sizeof(struct request *));
	io->ready = calloc(io->depth, sizeof(struct request *));
	io->done = calloc(io->depth, sizeof(struct request *));
	if (!io->requests || !io->idle || !io->ready || !io->done)
		return error_set(error, -ENOMEM, "no memory for %u requests", io->depth);
	/* The first to be taken is the first in memory. */
	for (uint32_t i = 0; i < io->depth; i++)
		io->idle[i] = &io->requests[io->depth - 1 - i];
	io->n_idle = io->depth;
	return 0;
}

static int io_open_queue(struct worker *worker, struct io *io, struct error *error)
{
	struct engine_setup engine = io_engine_setup(worker->setup);

	engine.region = worker->buffers;
	engine.region_bytes = worker->buffers_bytes;
	return queue_open(&io->queue, worker->setup->engine, &engine, error);
}

static void io_free(struct io *io)
{
	frames_close(&io->frames);
	io_aim_close(&io->aim);
	free(io->requests);
	free(io->idle);
	free(io->ready);
	free(io->done);
	free(io);
}

static int io_setup(struct worker *worker, struct error *error)
{
	const struct io_params *params = worker->setup->params;
	struct io *io = calloc(1, sizeof(*io));
	int status;

	if (!io)
		return error_set(error, -ENOMEM, "no memory for a worker");
	io->params = params;
	io->depth = (uint32_t)params->depth;
	io->batch = io_batch(params);
	io->reap_min = (uint32_t)params->reap_min;
	io->block_bytes = (uint32_t)params->block_bytes;
	status = io_aim_open(&io->aim, worker, error);
	if (status == 0)
		status = frames_open(&io->frames, (enum frames_order)params->buffers,
				     (uint32_t)(worker->buffers_bytes / params->block_bytes),
				     worker->seed, worker->index, error);
	if (status == 0)
		status = io_open_requests(io, error);
	if (status == 0)
		status = io_open_queue(worker, io, error);
	if (status < 0) {
		io_free(io);
		return status;
	}
	memcpy(worker->recorder->traits, io->queue.traits, sizeof(worker->recorder->traits));
	worker->private_data = io;
	return 0;
}

/* Aims idle requests at their next place until a batch is ready. */
static inline void io_prepare(struct worker *worker, struct io *io)
{
	struct pattern *source = io->aim.warms_apart && worker->phase == PHASE_WARMUP
					 ? &io->aim.warmup
					 : &io->aim.pattern;
	/* Copies of our own can stay in registers, whatever is written through the requests. */
	struct pattern pattern = *source;
	const struct volume volume = io->aim.volume;

	while (io->n_ready < io->batch && io->n_idle > 0) {
		struct request *request = io->idle[--io->n_idle];
		struct volume_place place = volume_place(&volume, pattern_next(&pattern));

		request->frame = frames_take(&io->frames);
		request->buffer =
			(char *)worker->buffers + (uint64_t)request->frame * io->block_bytes;
		request->offset_bytes = place.offset_bytes;
		request->target = place.target;
		request->length_bytes = io->block_bytes;
		request->op = REQUEST_READ;
		request->done_bytes = 0;
		request->retries = 0;
		io->ready[io->n_ready++] = request;
	}
	*source = pattern;
}

/* Keeps the order of what the engine did not take. */
static void io_keep_rest(struct io *io, uint32_t taken)
{
	io->n_ready -= taken;
	memmove(io->ready, io->ready + taken, io->n_ready * sizeof(struct request *));
}

/* What is in flight began as long ago as it did before the clock was set back. */
static void io_follow_clock(struct io *io, uint64_t back_ns)
{
	for (uint32_t i = 0; i < io->depth; i++) {
		io->requests[i].intended_ns -= back_ns;
		io->requests[i].submitted_ns -= back_ns;
	}
}

/* No clock may go back, but those of virtual machines have; the run says so (clock_step_ns). */
static inline uint64_t io_now_ns(struct io *io)
{
	uint64_t now_ns = clock_now_ns();

	if (__builtin_expect(now_ns < io->last_ns, 0))
		io_follow_clock(io, io->last_ns - now_ns);
	io->last_ns = now_ns;
	return now_ns;
}

static inline uint64_t io_since_ns(uint64_t begin_ns)
{
	uint64_t now_ns = clock_now_ns();

	return now_ns > begin_ns ? now_ns - begin_ns : 0;
}

static inline int io_submit_ready(struct worker *worker, struct io *io, struct tally *tally)
{
	uint32_t n = io->n_ready < io->batch ? io->n_ready : io->batch;
	uint64_t now_ns;
	int taken;

	if (n == 0)
		return 0;
	now_ns = io_now_ns(io);
	for (uint32_t i = 0; i < n; i++) {
		struct request *request = io->ready[i];

		/* A continued or repeated I/O is still the one that began earlier. */
		if (request->done_bytes == 0 && request->retries == 0) {
			request->intended_ns = now_ns;
			request->submitted_ns = now_ns;
		}
	}
	taken = io->queue.ops->submit(&io->queue, io->ready, n);
	if (taken < 0) {
		worker_fail(worker, taken, "submit: %s", strerror(-taken));
		return taken;
	}
	if (io->batches++ % SUBMIT_SAMPLE == 0)
		tally->submit_ns += SUBMIT_SAMPLE * io_since_ns(now_ns);
	tally->batches++;
	io->n_flight += (uint32_t)taken;
	if (__builtin_expect((uint32_t)taken == io->n_ready, 1))
		io->n_ready = 0;
	else
		io_keep_rest(io, (uint32_t)taken);
	return 0;
}

static void io_retire(struct io *io, struct request *request)
{
	frames_give(&io->frames, request->frame);
	io->idle[io->n_idle++] = request;
}

static void io_describe_failure(struct worker *worker, const struct request *request, int code)
{
	const struct target *target = &worker->setup->targets[request->target];
	const char *name = target->path[0] ? target->path : "modelled target";

	if (code == 0)
		worker_fail(
			worker, ERROR_IO,
			"read of %u bytes at offset %lu of %s: end of file; the target has shrunk "
			"since it was checked",
			request->length_bytes, request->offset_bytes, name);
	else
		worker_fail(worker, ERROR_IO, "read of %u bytes at offset %lu of %s: %s",
			    request->length_bytes, request->offset_bytes, name, strerror(code));
}

/*
 * Whatever is not a whole transfer: EAGAIN is issued again within bounds, a short transfer is
 * continued from the last block that O_DIRECT can begin at, anything else is an error for good.
 */
static void io_mend(struct worker *worker, struct io *io, struct request *request,
		    struct tally *tally)
{
	uint32_t align_bytes = worker->setup->targets[request->target].offset_align_bytes;
	uint32_t kept_bytes = 0;

	if (request->result == -EAGAIN && request->retries < io->params->retries_max) {
		request->retries++;
		tally->retries++;
		io->ready[io->n_ready++] = request;
		return;
	}
	if (request->result > 0)
		kept_bytes = (uint32_t)request->result / align_bytes * align_bytes;
	if (kept_bytes > 0) {
		tally->shorts++;
		tally->bytes += kept_bytes;
		request->done_bytes += kept_bytes;
		request->buffer = (char *)request->buffer + kept_bytes;
		request->offset_bytes += kept_bytes;
		request->length_bytes -= kept_bytes;
		io->ready[io->n_ready++] = request;
		return;
	}
	tally->errors++;
	io_describe_failure(worker, request, request->result < 0 ? -request->result : 0);
	io_retire(io, request);
}

/* Takes back what has finished and records it as of one clock reading. */
static inline int io_reap(struct worker *worker, struct io *io, uint32_t min, struct tally *tally)
{
	struct recorder *recorder = worker->recorder;
	uint32_t active = recorder_enter(recorder);
	uint64_t now_ns, ops = 0, bytes = 0;
	int n = io->queue.ops->reap(&io->queue, io->done, min, io->batch);

	if (n < 0) {
		worker_fail(worker, n, "reap: %s", strerror(-n));
		return n;
	}
	if (n == 0)
		return 0;
	now_ns = io_now_ns(io);
	io->n_flight -= (uint32_t)n;
	for (int i = 0; i < n; i++) {
		struct request *request = io->done[i];

		request->completed_ns = now_ns;
		if (__builtin_expect(request->result != (int32_t)request->length_bytes, 0)) {
			io_mend(worker, io, request, tally);
			continue;
		}
		recorder_add(recorder, worker->phase, active, IO_CLASS_READ,
			     now_ns - request->submitted_ns);
		ops++;
		bytes += request->length_bytes;
		io_retire(io, request);
	}
	tally_count(tally, ops, bytes);
	return 0;
}

static int io_step(struct worker *worker)
{
	struct io *io = worker->private_data;
	struct recorder *recorder = worker->recorder;
	struct tally *tally = &recorder->classes[IO_CLASS_READ].tally[worker->phase];
	uint32_t min;
	int status;

	io_prepare(worker, io);
	status = io_submit_ready(worker, io, tally);
	if (status < 0)
		return status;
	if (worker->phase == PHASE_MEASURE) {
		recorder->depth_sum += io->n_flight;
		recorder->depth_samples++;
	}
	/* While there is room for another batch, only look; else wait. */
	min = io->n_flight + io->batch > io->depth || io->n_idle + io->n_ready < io->batch
		      ? io->reap_min
		      : 0;
	if (min > io->n_flight)
		min = io->n_flight;
	status = io_reap(worker, io, min, tally);
	if (status == 0 && tally->errors > io->params->errors_max)
		return recorder->failure_code;
	return status;
}

static void io_teardown(struct worker *worker)
{
	struct io *io = worker->private_data;
	struct tally *tally = &worker->recorder->classes[IO_CLASS_READ].tally[PHASE_DRAIN];

	worker->phase = PHASE_DRAIN;
	while (io->n_flight > 0 && io_reap(worker, io, 1, tally) == 0)
		;
	io->queue.ops->close(&io->queue);
	io_free(io);
	worker->private_data = NULL;
}

const struct workload_ops workload_io = {
	.entry = {.name = "io",
		  .summary = "direct reads at a fixed depth, random or sequential",
		  .fields = io_fields,
		  .params_size = sizeof(struct io_params)},
	.classes = io_classes,
	.needs_targets = true,
	.needs_region = true,
	.probe = io_probe,
	.setup = io_setup,
	.step = io_step,
	.teardown = io_teardown};
