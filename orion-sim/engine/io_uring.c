/* SPDX-License-Identifier: MIT */
/* io_uring.c - submission entries filled by submit, one system call a turn made by reap. */
#include "engine/queue.h"

#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/field.h"
#include "engine/ring.h"

/* A ring with nothing in flight that still refuses: about a tenth of a second of patience. */
#define STALL_TRIES 1000
#define STALL_NS    100000

struct uring_params {
	bool registered_buffers, registered_files;
};

static const struct field io_uring_fields[] = {
	FIELD_BOOL("registered_buffers", struct uring_params, registered_buffers, "false",
		   "pin the region once instead of for every I/O; hides what its page size costs"),
	FIELD_BOOL("registered_files", struct uring_params, registered_files, "true",
		   "look the targets up once instead of for every I/O"),
	{.name = NULL},
};

struct uring {
	struct io_uring ring;
	int *fds; /* what an entry's fd must be: a descriptor or, registered, the target's index */
	void *region;	       /* null unless registered */
	uint64_t region_bytes; /* likewise 0 */
	unsigned inflight;     /* taken by submit, not yet given back */
};

static const uint8_t plain_opcode[] = {
	[REQUEST_READ] = IORING_OP_READ, [REQUEST_WRITE] = IORING_OP_WRITE};
static const uint8_t fixed_opcode[] = {
	[REQUEST_READ] = IORING_OP_READ_FIXED, [REQUEST_WRITE] = IORING_OP_WRITE_FIXED};

static int uring_probe(const void *params, const struct engine_setup *setup, struct error *error)
{
	const struct uring_params *uring_params = params;
	struct io_uring ring;
	char traits[160];
	int rc = ring_open(&ring, queue_ring_entries(setup->depth), traits, sizeof(traits), error);

	if (rc < 0)
		return rc;
	if (uring_params->registered_buffers)
		rc = ring_probe_region(&ring, setup->region_bytes, error);
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
	struct uring *uring = queue_memory(sizeof(*uring));
	int rc;

	if (!uring)
		return error_set(error, -ENOMEM, "no memory for a queue");
	uring->fds = queue_fds(&queue->setup);
	if (!uring->fds) {
		uring_free(uring);
		return error_set(error, -ENOMEM, "no memory for a queue");
	}
	rc = ring_open(&uring->ring, queue_ring_entries(queue->setup.depth), queue->traits,
		       sizeof(queue->traits), error);
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
	uring->ring.sq.sqe_tail += n;
	uring->inflight += n;
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

static int uring_reap(struct queue *queue, struct request **done, unsigned min, unsigned max)
{
	struct uring *uring = queue->private_data;
	struct io_uring *ring = &uring->ring;
	int rc = enter(uring, min);

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
