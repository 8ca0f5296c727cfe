/* SPDX-License-Identifier: MIT */
/* io_uring.c - submission entries filled by submit, one system call a turn made by reap. */
#include "engine/queue.h"

#include <limits.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "engine/ring.h"
#include "engine/ring_poll.h"

/* A ring with nothing in flight that still refuses: about a tenth of a second of patience. */
#define STALL_TRIES 1000
#define STALL_NS    100000

struct uring_params {
	bool registered_buffers, registered_files, nowait;
	int poll; /* enum ring_poll */
	uint64_t sqpoll_idle_ns;
	char sqpoll_cpu[16];
};

static const char *const poll_names[] = {"none", "sqpoll", "iopoll", "hybrid", NULL};

static const struct field io_uring_fields[] = {
	FIELD_BOOL("registered_buffers", struct uring_params, registered_buffers, "false",
		   "pin the region once instead of for every I/O; hides what its page size costs"),
	FIELD_BOOL("registered_files", struct uring_params, registered_files, "true",
		   "look the targets up once instead of for every I/O"),
	FIELD_CHOICE("poll", struct uring_params, poll, "none", poll_names,
		     "who looks for work: interrupts, a kernel thread that submits, the worker "
		     "that polls the device, the same after a sleep"),
	FIELD_DURATION("sqpoll_idle", struct uring_params, sqpoll_idle_ns, "1s", 1000000,
		       60000000000, "sqpoll: its thread spins this long before it sleeps"),
	FIELD_TEXT("sqpoll_cpu", struct uring_params, sqpoll_cpu, "",
		   "sqpoll: the CPU its thread runs on; empty: any"),
	FIELD_BOOL("nowait", struct uring_params, nowait, "false", QUEUE_NOWAIT_HELP),
	{.name = NULL},
};

struct uring {
	struct io_uring ring;
	int *fds; /* what an entry's fd must be: a descriptor or, registered, the target's index */
	void *region;	       /* null unless registered */
	uint64_t region_bytes; /* likewise 0 */
	unsigned inflight;     /* taken by submit, not yet given back */
	enum ring_poll poll;
	bool nowait;
};

static const uint8_t plain_opcode[] = {
	[REQUEST_READ] = IORING_OP_READ, [REQUEST_WRITE] = IORING_OP_WRITE};
static const uint8_t fixed_opcode[] = {
	[REQUEST_READ] = IORING_OP_READ_FIXED, [REQUEST_WRITE] = IORING_OP_WRITE_FIXED};

static int setup_of(const struct uring_params *params, unsigned depth, struct ring_setup *ret,
		    struct error *error)
{
	struct ring_setup setup = {.entries = queue_ring_entries(depth),
				   .poll = (enum ring_poll)params->poll,
				   .idle_ms = (unsigned)(params->sqpoll_idle_ns / 1000000),
				   .cpu = -1};
	uint64_t cpu;
	int rc;

	if (params->sqpoll_cpu[0]) {
		rc = units_parse_count(params->sqpoll_cpu, &cpu, error);
		if (rc < 0)
			return error_prefix(error, "sqpoll_cpu: ");
		if (setup.poll != RING_POLL_SQPOLL || cpu > INT_MAX)
			return error_set(error, ERROR_INPUT,
					 "sqpoll_cpu is '%s' and poll is '%s': poll=sqpoll and one "
					 "CPU, or leave sqpoll_cpu out",
					 params->sqpoll_cpu, poll_names[params->poll]);
		setup.cpu = (int)cpu;
	}
	*ret = setup;
	return 0;
}

static int uring_probe(const void *params, const struct engine_setup *setup, struct error *error)
{
	const struct uring_params *uring_params = params;
	struct ring_setup ring_setup;
	struct io_uring ring;
	char traits[160];
	int rc = setup_of(uring_params, setup->depth, &ring_setup, error);

	if (rc == 0)
		rc = ring_open(&ring, &ring_setup, traits, sizeof(traits), error);
	if (rc < 0)
		return rc;
	rc = ring_poll_check(&ring, &ring_setup, setup, uring_params->registered_files, error);
	if (rc == 0 && uring_params->registered_buffers)
		rc = ring_probe_region(&ring, setup->region_bytes, error);
	if (rc == 0 && uring_params->nowait)
		rc = queue_probe_nowait(setup, error);
	io_uring_queue_exit(&ring);
	return rc;
}

static void trait(struct queue *queue, const char *trait, const char *reason)
{
	size_t used = strlen(queue->traits);

	snprintf(queue->traits + used, sizeof(queue->traits) - used, "%s%s%s", used ? ", " : "",
		 trait, reason);
}

static void register_files(struct queue *queue, struct uring *uring)
{
	int rc = io_uring_register_files(&uring->ring, uring->fds, queue->setup.n_targets);

	if (rc < 0) {
		trait(queue, "files not registered: ", strerror(-rc));
		return;
	}
	trait(queue, "registered files", "");
	for (unsigned i = 0; i < queue->setup.n_targets; i++)
		uring->fds[i] = (int)i;
	for (unsigned i = 0; i < uring->ring.sq.ring_entries; i++)
		uring->ring.sq.sqes[i].flags = IOSQE_FIXED_FILE;
}

static int register_all(struct queue *queue, struct uring *uring, struct error *error)
{
	const struct uring_params *params = queue->params;
	int rc = 0;

	memset(uring->ring.sq.sqes, 0, uring->ring.sq.ring_entries * sizeof(struct io_uring_sqe));
	if (io_uring_register_ring_fd(&uring->ring) == 1)
		trait(queue, "registered ring", "");
	if (params->registered_files && queue->setup.n_targets)
		register_files(queue, uring);
	if (params->registered_buffers) {
		uring->region = queue->setup.region;
		uring->region_bytes = queue->setup.region_bytes;
		rc = ring_register_region(&uring->ring, uring->region, uring->region_bytes, error);
		trait(queue, "registered buffers", "");
	}
	return rc;
}

static void uring_free(struct uring *uring)
{
	free(uring->fds);
	free(uring);
}

static int uring_open(struct queue *queue, struct error *error)
{
	const struct uring_params *params = queue->params;
	struct uring *uring = queue_memory(sizeof(*uring));
	struct ring_setup setup;
	int rc;

	if (!uring)
		return error_set(error, -ENOMEM, "no memory for a queue");
	uring->poll = (enum ring_poll)params->poll;
	uring->nowait = params->nowait;
	uring->fds = queue_fds(&queue->setup);
	if (!uring->fds) {
		uring_free(uring);
		return error_set(error, -ENOMEM, "no memory for a queue");
	}
	rc = setup_of(params, queue->setup.depth, &setup, error);
	if (rc == 0)
		rc = ring_open(&uring->ring, &setup, queue->traits, sizeof(queue->traits), error);
	if (rc < 0) {
		uring_free(uring);
		return rc;
	}
	rc = register_all(queue, uring, error);
	if (rc < 0) {
		io_uring_queue_exit(&uring->ring);
		uring_free(uring);
		return rc;
	}
	queue->private_data = uring;
	return 0;
}

/* The entries' other members were set at open and are the same for every request. */
static inline void fill(struct io_uring_sqe *sqe, const int *fds, struct request *request)
{
	sqe->fd = fds[request->target];
	sqe->off = request->offset_bytes;
	sqe->addr = (uintptr_t)request->buffer;
	sqe->len = request->length_bytes;
	sqe->user_data = (uintptr_t)request;
}

static void fill_plain(struct uring *uring, struct request **requests, unsigned n)
{
	struct io_uring_sqe *sqes = uring->ring.sq.sqes;
	unsigned tail = uring->ring.sq.sqe_tail, mask = uring->ring.sq.ring_mask;
	const int *fds = uring->fds;

	for (unsigned i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = &sqes[(tail + i) & mask];

		sqe->opcode = plain_opcode[requests[i]->op];
		fill(sqe, fds, requests[i]);
	}
}

/* A buffer that reaches over the seam of two registered chunks can only go the plain way. */
static void fill_fixed(struct uring *uring, struct request **requests, unsigned n)
{
	struct io_uring_sqe *sqes = uring->ring.sq.sqes;
	unsigned tail = uring->ring.sq.sqe_tail, mask = uring->ring.sq.ring_mask;
	uint64_t start = (uintptr_t)uring->region, bytes = uring->region_bytes;
	const int *fds = uring->fds;

	for (unsigned i = 0; i < n; i++) {
		struct request *request = requests[i];
		struct io_uring_sqe *sqe = &sqes[(tail + i) & mask];
		uint64_t first = (uintptr_t)request->buffer - start;
		uint64_t last = first + request->length_bytes - 1;
		bool whole = last < bytes && first >> RING_CHUNK_SHIFT == last >> RING_CHUNK_SHIFT;

		sqe->opcode = whole ? fixed_opcode[request->op] : plain_opcode[request->op];
		sqe->buf_index = whole ? (uint16_t)(first >> RING_CHUNK_SHIFT) : 0;
		fill(sqe, fds, request);
	}
}

/* What came back EAGAIN waits when it is issued again. */
static void fill_nowait(struct uring *uring, struct request **requests, unsigned n)
{
	struct io_uring_sqe *sqes = uring->ring.sq.sqes;
	unsigned tail = uring->ring.sq.sqe_tail, mask = uring->ring.sq.ring_mask;

	for (unsigned i = 0; i < n; i++)
		sqes[(tail + i) & mask].rw_flags = requests[i]->retries ? 0 : RWF_NOWAIT;
}

/* The submission queue holds depth entries, so whoever is below the depth finds room. */
static int uring_submit(struct queue *queue, struct request **requests, unsigned n)
{
	struct uring *uring = queue->private_data;
	unsigned room = queue->setup.depth - uring->inflight;

	if (n > room)
		n = room;
	if (uring->region)
		fill_fixed(uring, requests, n);
	else
		fill_plain(uring, requests, n);
	if (uring->nowait)
		fill_nowait(uring, requests, n);
	uring->ring.sq.sqe_tail += n;
	uring->inflight += n;
	/* No system call unless the thread sleeps; should waking it fail, reap tries again. */
	if (uring->poll == RING_POLL_SQPOLL)
		io_uring_submit(&uring->ring);
	return (int)n;
}

/*
 * After EAGAIN or EBUSY: waits for one more completion of what the kernel holds, since that frees
 * what it lacks, or for a moment where it holds nothing.
 */
static int relieve(struct uring *uring, unsigned ready, int code, unsigned *tries)
{
	unsigned held = uring->inflight - io_uring_sq_ready(&uring->ring) - ready;
	struct io_uring_cqe *cqe;
	int rc;

	if (!held) {
		if (++*tries > STALL_TRIES)
			return code;
		queue_pause(STALL_NS);
		return 0;
	}
	rc = io_uring_wait_cqe_nr(&uring->ring, &cqe, ready + 1);
	return rc == -EINTR || rc == -EAGAIN || rc == -EBUSY ? 0 : rc;
}

/* Submits what is held back and waits until min completions lie ready, mostly in one call. */
static int enter(struct uring *uring, unsigned min)
{
	struct io_uring *ring = &uring->ring;
	unsigned tries = 0;

	for (;;) {
		unsigned ready = io_uring_cq_ready(ring);
		int rc;

		if (!io_uring_sq_ready(ring) && ready >= min)
			return 0;
		rc = io_uring_submit_and_wait(ring, min);
		if (rc >= 0 || rc == -EINTR)
			continue;
		if (rc != -EAGAIN && rc != -EBUSY)
			return rc;
		if (ready >= min)
			return 0;
		rc = relieve(uring, ready, rc, &tries);
		if (rc < 0)
			return rc;
	}
}

/* Completions that the kernel has finished but not shown: it does so when entered. */
static bool hides_some(const struct io_uring *ring)
{
	return __atomic_load_n(ring->sq.kflags, __ATOMIC_RELAXED) &
	       (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
}

static unsigned take(struct uring *uring, struct request **done, unsigned max)
{
	struct io_uring_cq *cq = &uring->ring.cq;
	unsigned head = *cq->khead, ready = io_uring_smp_load_acquire(cq->ktail) - head;
	unsigned n = ready < max ? ready : max, mask = cq->ring_mask;
	const struct io_uring_cqe *cqes = cq->cqes;

	for (unsigned i = 0; i < n; i++) {
		const struct io_uring_cqe *cqe = &cqes[(head + i) & mask];

		done[i] = (struct request *)(uintptr_t)cqe->user_data;
		done[i]->result = cqe->res;
	}
	io_uring_smp_store_release(cq->khead, head + n);
	uring->inflight -= n;
	return n;
}

/* Was the call refused for a while only? Waits that while, up to the limit of patience. */
static bool may_reenter(int code, unsigned *tries)
{
	if (code == -EINTR)
		return true;
	if ((code != -EAGAIN && code != -EBUSY) || ++*tries > STALL_TRIES)
		return false;
	queue_pause(STALL_NS);
	return true;
}

/*
 * The thread may have gone to sleep over what was handed to it: liburing looks, and wakes it. It
 * counts its own entries, so that io_uring_sq_ready says nothing about what we hold back.
 */
static int enter_sqpoll(struct uring *uring, unsigned min)
{
	struct io_uring *ring = &uring->ring;
	unsigned tries = 0;

	for (;;) {
		bool enough = io_uring_cq_ready(ring) >= min;
		int rc = enough ? io_uring_submit(ring) : io_uring_submit_and_wait(ring, min);

		if (rc < 0 && !may_reenter(rc, &tries))
			return rc;
		if (rc >= 0 && io_uring_cq_ready(ring) >= min)
			return 0;
	}
}

/*
 * A polled device raises no interrupt: its completions are found by entering only, and not even
 * then while earlier ones lie in the queue. So it is emptied before every call.
 */
static int reap_iopoll(struct uring *uring, struct request **done, unsigned min, unsigned max)
{
	struct io_uring *ring = &uring->ring;
	unsigned n = take(uring, done, max), tries = 0;

	while (uring->inflight && (n < min || !n || io_uring_sq_ready(ring))) {
		int rc = n < min ? io_uring_submit_and_wait(ring, min - n)
				 : io_uring_submit_and_get_events(ring);

		if (rc < 0 && !may_reenter(rc, &tries))
			return n ? (int)n : rc;
		n += take(uring, done + n, max - n);
		if (rc >= 0 && n >= min && !io_uring_sq_ready(ring))
			break;
	}
	return (int)n;
}

static int uring_reap(struct queue *queue, struct request **done, unsigned min, unsigned max)
{
	struct uring *uring = queue->private_data;
	struct io_uring *ring = &uring->ring;
	int rc;

	if (uring->poll >= RING_POLL_IOPOLL)
		return reap_iopoll(uring, done, min, max);
	rc = uring->poll == RING_POLL_SQPOLL ? enter_sqpoll(uring, min) : enter(uring, min);
	if (rc < 0)
		return rc;
	if (!min && !io_uring_cq_ready(ring) && hides_some(ring))
		io_uring_get_events(ring);
	/* The completion queue holds the whole depth, so this cannot be; a lost one would hang. */
	if (*ring->cq.koverflow)
		return -EOVERFLOW;
	return (int)take(uring, done, max);
}

static void uring_close(struct queue *queue)
{
	struct uring *uring = queue->private_data;
	struct request *done[64];

	while (uring->inflight && uring_reap(queue, done, 1, 64) > 0)
		;
	io_uring_queue_exit(&uring->ring);
	uring_free(uring);
	queue->private_data = NULL;
}

const struct engine_ops engine_io_uring = {
	.entry = {.name = "io_uring",
		  .summary = "submission and completion rings shared with the kernel",
		  .fields = io_uring_fields,
		  .params_size = sizeof(struct uring_params)},
	.probe = uring_probe,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.close = uring_close,
};
