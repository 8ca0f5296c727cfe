/* SPDX-License-Identifier: MIT */
/* libaio.c - Linux native AIO: io_submit, and completions read from the ring in user space. */
#include "engine/queue.h"

#include <libaio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/error.h"
#include "base/field.h"
#include "base/sysfile.h"

/* The kernel maps this at the address that io_setup returns as context. */
struct aio_ring {
	unsigned id, nr, head, tail;
	unsigned magic, compat_features, incompat_features, header_bytes;
	struct io_event events[];
};

#define AIO_RING_MAGIC 0xa10a10a1

/* An idle context that still says EAGAIN: about a tenth of a second of patience. */
#define STALL_TRIES 1000
#define STALL_NS    100000

struct libaio_params {
	bool userspace_reap, nowait;
};

static const struct field libaio_fields[] = {
	FIELD_BOOL("userspace_reap", struct libaio_params, userspace_reap, "true",
		   "take completions from the mapped ring; io_getevents only to wait"),
	FIELD_BOOL("nowait", struct libaio_params, nowait, "false", QUEUE_NOWAIT_HELP),
	{.name = NULL},
};

struct libaio {
	io_context_t context;
	struct aio_ring *ring; /* null: ask the kernel */
	int *fds;
	struct iocb *iocbs;
	/*
	 * Pointers to all iocbs: those of the used requests in flight first, then the free ones. So
	 * the next n free ones are the array that io_submit wants.
	 */
	struct iocb **slots;
	struct io_event *events;
	struct request **refused; /* failed in io_submit, to be handed back by reap */
	unsigned used, n_refused;
	bool nowait;
};

static int limit_refused(const struct engine_setup *setup, struct error *error)
{
	uint64_t have = 0, max = 0, need = (uint64_t)setup->depth * (setup->queues ?: 1);

	sysfile_read_u64("/proc/sys/fs/aio-nr", &have, NULL);
	sysfile_read_u64("/proc/sys/fs/aio-max-nr", &max, NULL);
	return error_set(error, ERROR_CANNOT,
			 "depth %u in %u queues needs %lu asynchronous requests, but fs.aio-max-nr "
			 "allows %lu on this machine and fs.aio-nr says that %lu are taken; "
			 "as root: sysctl fs.aio-max-nr=%lu",
			 setup->depth, setup->queues ?: 1, (unsigned long)need, (unsigned long)max,
			 (unsigned long)have, (unsigned long)(have + need));
}

static int setup_refused(int code, const struct engine_setup *setup, struct error *error)
{
	switch (-code) {
	case EAGAIN:
		return limit_refused(setup, error);
	case ENOSYS:
	case EPERM:
		return error_set(
			error, ERROR_CANNOT,
			"io_setup: %s: the kernel lacks CONFIG_AIO, or a seccomp filter (a "
			"container's, for one) forbids it; use the engine io_uring or sync",
			strerror(-code));
	case EINVAL:
		return error_set(error, ERROR_INPUT,
				 "io_setup takes no depth of %u; use a smaller one", setup->depth);
	default:
		return error_set(error, code, "io_setup for %u requests: %s", setup->depth,
				 strerror(-code));
	}
}

static int libaio_probe(const void *params, const struct engine_setup *setup, struct error *error)
{
	const struct libaio_params *libaio_params = params;
	uint64_t have, max;
	io_context_t context = NULL;
	int rc;

	if (sysfile_read_u64("/proc/sys/fs/aio-nr", &have, NULL) == 0 &&
	    sysfile_read_u64("/proc/sys/fs/aio-max-nr", &max, NULL) == 0 &&
	    have + (uint64_t)setup->depth * (setup->queues ?: 1) > max)
		return limit_refused(setup, error);
	rc = io_setup((int)setup->depth, &context);
	if (rc < 0)
		return setup_refused(rc, setup, error);
	io_destroy(context);
	return libaio_params->nowait ? queue_probe_nowait(setup, error) : 0;
}

static struct aio_ring *ring_of(io_context_t context)
{
	struct aio_ring *ring = (struct aio_ring *)context;

	return ring->magic == AIO_RING_MAGIC && ring->incompat_features == 0 ? ring : NULL;
}

static void libaio_free(struct libaio *aio)
{
	free(aio->fds);
	free(aio->iocbs);
	free(aio->slots);
	free(aio->events);
	free(aio->refused);
	free(aio);
}

static struct libaio *libaio_new(const struct engine_setup *setup)
{
	unsigned depth = setup->depth;
	struct libaio *aio = queue_memory(sizeof(*aio));

	if (!aio)
		return NULL;
	aio->fds = queue_fds(setup);
	aio->iocbs = queue_memory(depth * sizeof(*aio->iocbs));
	aio->slots = queue_memory(depth * sizeof(struct iocb *));
	aio->events = queue_memory(depth * sizeof(*aio->events));
	aio->refused = queue_memory(depth * sizeof(struct request *));
	if (!aio->fds || !aio->iocbs || !aio->slots || !aio->events || !aio->refused) {
		libaio_free(aio);
		return NULL;
	}
	for (unsigned i = 0; i < depth; i++)
		aio->slots[i] = &aio->iocbs[i];
	return aio;
}

static int libaio_open(struct queue *queue, struct error *error)
{
	const struct libaio_params *params = queue->params;
	struct libaio *aio = libaio_new(&queue->setup);
	int rc;

	if (!aio)
		return error_set(error, -ENOMEM, "no memory for a queue of %u requests",
				 queue->setup.depth);
	rc = io_setup((int)queue->setup.depth, &aio->context);
	if (rc < 0) {
		libaio_free(aio);
		return setup_refused(rc, &queue->setup, error);
	}
	aio->nowait = params->nowait;
	if (params->userspace_reap)
		aio->ring = ring_of(aio->context);
	snprintf(queue->traits, sizeof(queue->traits), "%s",
		 aio->ring		  ? "user-space reap"
		 : params->userspace_reap ? "io_getevents (ring of an unknown layout)"
					  : "io_getevents");
	queue->private_data = aio;
	return 0;
}

static void fill(struct libaio *aio, struct request **requests, unsigned n)
{
	struct iocb **slots = aio->slots + aio->used;
	const int *fds = aio->fds;

	for (unsigned i = 0; i < n; i++) {
		struct iocb *iocb = slots[i];
		const struct request *request = requests[i];

		iocb->data = requests[i];
		iocb->aio_lio_opcode = request->op == REQUEST_WRITE ? IO_CMD_PWRITE : IO_CMD_PREAD;
		iocb->aio_fildes = fds[request->target];
		iocb->u.c.buf = request->buffer;
		iocb->u.c.nbytes = request->length_bytes;
		iocb->u.c.offset = (long long)request->offset_bytes;
	}
}

/* What came back EAGAIN waits when it is issued again. */
static void fill_nowait(struct libaio *aio, struct request **requests, unsigned n)
{
	struct iocb **slots = aio->slots + aio->used;

	for (unsigned i = 0; i < n; i++)
		slots[i]->aio_rw_flags = requests[i]->retries ? 0 : RWF_NOWAIT;
}

/* The first of n filled slots was refused for good: it completes with that code, out of the way. */
static void refuse(struct libaio *aio, unsigned n, int code)
{
	struct iocb *iocb = aio->slots[aio->used];
	struct request *request = iocb->data;

	request->result = code;
	aio->refused[aio->n_refused++] = request;
	memmove(&aio->slots[aio->used], &aio->slots[aio->used + 1],
		(n - 1) * sizeof(struct iocb *));
	aio->slots[aio->used + n - 1] = iocb;
}

/* EAGAIN means full while something is in flight; else only patience is left. */
static bool may_retry(const struct libaio *aio, int rc, unsigned *tries)
{
	if (rc == -EINTR)
		return true;
	if (aio->used || aio->n_refused || ++*tries > STALL_TRIES)
		return false;
	queue_pause(STALL_NS);
	return true;
}

static int libaio_submit(struct queue *queue, struct request **requests, unsigned n)
{
	struct libaio *aio = queue->private_data;
	unsigned room = queue->setup.depth - aio->used - aio->n_refused;
	unsigned taken = 0, tries = 0;

	if (n > room)
		n = room;
	fill(aio, requests, n);
	if (aio->nowait)
		fill_nowait(aio, requests, n);
	while (taken < n) {
		int rc = io_submit(aio->context, (long)(n - taken), &aio->slots[aio->used]);

		if (rc > 0) {
			aio->used += (unsigned)rc;
			taken += (unsigned)rc;
		} else if (rc == 0 || rc == -EAGAIN || rc == -EINTR) {
			if (!may_retry(aio, rc, &tries))
				return taken || aio->used || aio->n_refused ? (int)taken : -EAGAIN;
		} else {
			refuse(aio, n - taken, rc);
			taken++;
		}
	}
	return (int)taken;
}

static unsigned take_refused(struct libaio *aio, struct request **done, unsigned max)
{
	unsigned n = aio->n_refused < max ? aio->n_refused : max;

	memcpy(done, aio->refused, n * sizeof(struct request *));
	aio->n_refused -= n;
	memmove(aio->refused, aio->refused + n, aio->n_refused * sizeof(struct request *));
	return n;
}

static struct request *finish(struct libaio *aio, const struct io_event *event)
{
	struct request *request = event->data;

	request->result = (int32_t)(long)event->res;
	aio->slots[--aio->used] = event->obj;
	return request;
}

static unsigned take_ring(struct libaio *aio, struct request **done, unsigned max)
{
	struct aio_ring *ring = aio->ring;
	unsigned head = ring->head, tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	unsigned n = 0;

	while (n < max && head != tail) {
		done[n++] = finish(aio, &ring->events[head]);
		if (++head == ring->nr)
			head = 0;
	}
	if (n)
		__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	return n;
}

static int take_kernel(struct libaio *aio, struct request **done, unsigned min, unsigned max)
{
	int n;

	do {
		n = io_getevents(aio->context, (long)min, (long)max, aio->events, NULL);
	} while (n == -EINTR);
	for (int i = 0; i < n; i++)
		done[i] = finish(aio, &aio->events[i]);
	return n;
}

static int libaio_reap(struct queue *queue, struct request **done, unsigned min, unsigned max)
{
	struct libaio *aio = queue->private_data;
	unsigned n = 0;

	if (aio->n_refused)
		n = take_refused(aio, done, max);
	if (aio->ring) {
		n += take_ring(aio, done + n, max - n);
		if (n >= min)
			return (int)n;
	}
	while (aio->used && n < max) {
		unsigned room = max - n < aio->used ? max - n : aio->used;
		int rc = take_kernel(aio, done + n, n < min ? min - n : 0, room);

		if (rc < 0)
			return n ? (int)n : rc;
		n += (unsigned)rc;
		if (n >= min)
			break;
	}
	return (int)n;
}

static void libaio_close(struct queue *queue)
{
	struct libaio *aio = queue->private_data;

	/* io_destroy would wait as well, but holding up everybody else who is closing. */
	while (aio->used && take_kernel(aio, aio->refused, 1, aio->used) > 0)
		;
	io_destroy(aio->context);
	libaio_free(aio);
	queue->private_data = NULL;
}

const struct engine_ops engine_libaio = {
	.entry = {.name = "libaio",
		  .summary = "Linux native AIO, as Oracle and the original Orion use it",
		  .fields = libaio_fields,
		  .params_size = sizeof(struct libaio_params)},
	.probe = libaio_probe,
	.open = libaio_open,
	.submit = libaio_submit,
	.reap = libaio_reap,
	.close = libaio_close,
};
