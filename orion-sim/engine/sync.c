/* SPDX-License-Identifier: MIT */
/* sync.c - preadv2 and pwritev2: one system call a request, done when submit returns. */
#include "engine/queue.h"

#include <stdlib.h>
#include <sys/uio.h>

#include "base/error.h"
#include "base/field.h"

struct sync_params {
	bool nowait;
};

static const struct field sync_fields[] = {
	FIELD_BOOL("nowait", struct sync_params, nowait, "false", QUEUE_NOWAIT_HELP),
	{.name = NULL},
};

struct sync_queue {
	int *fds;
	bool nowait;
	struct request **slots; /* done, not yet reaped, in order */
	unsigned mask, head, tail;
};

static int sync_probe(const void *params, const struct engine_setup *setup, struct error *error)
{
	const struct sync_params *sync_params = params;

	return sync_params->nowait ? queue_probe_nowait(setup, error) : 0;
}

static void sync_free(struct sync_queue *sync)
{
	free(sync->fds);
	free(sync->slots);
	free(sync);
}

static int sync_open(struct queue *queue, struct error *error)
{
	const struct sync_params *params = queue->params;
	unsigned entries = queue_ring_entries(queue->setup.depth);
	struct sync_queue *sync = queue_memory(sizeof(*sync));

	if (!sync)
		return error_set(error, -ENOMEM, "no memory for a queue");
	sync->mask = entries - 1;
	sync->nowait = params->nowait;
	sync->fds = queue_fds(&queue->setup);
	sync->slots = queue_memory(entries * sizeof(struct request *));
	if (!sync->fds || !sync->slots) {
		sync_free(sync);
		return error_set(error, -ENOMEM, "no memory for a queue of %u requests", entries);
	}
	queue->private_data = sync;
	return 0;
}

static int32_t sync_transfer(int fd, const struct request *request, int flags)
{
	struct iovec iovec = {.iov_base = request->buffer, .iov_len = request->length_bytes};
	off_t offset = (off_t)request->offset_bytes;
	ssize_t n;

	do {
		n = request->op == REQUEST_WRITE ? pwritev2(fd, &iovec, 1, offset, flags)
						 : preadv2(fd, &iovec, 1, offset, flags);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : (int32_t)n;
}

/* What came back EAGAIN waits when it is issued again. */
static int sync_flags(const struct sync_queue *sync, const struct request *request)
{
	return sync->nowait && !request->retries ? RWF_NOWAIT : 0;
}

/* One request a call, lest its time include its neighbours'. */
static int sync_submit(struct queue *queue, struct request **requests, unsigned n)
{
	struct sync_queue *sync = queue->private_data;

	if (!n || sync->tail - sync->head >= queue->setup.depth)
		return 0;
	requests[0]->result = sync_transfer(sync->fds[requests[0]->target], requests[0],
					    sync_flags(sync, requests[0]));
	sync->slots[sync->tail++ & sync->mask] = requests[0];
	return 1;
}

static int sync_reap(struct queue *queue, struct request **done, unsigned min, unsigned max)
{
	struct sync_queue *sync = queue->private_data;
	unsigned n = sync->tail - sync->head;

	if (n > max)
		n = max;
	for (unsigned i = 0; i < n; i++)
		done[i] = sync->slots[sync->head++ & sync->mask];
	return (int)n;
}

static void sync_close(struct queue *queue)
{
	sync_free(queue->private_data);
	queue->private_data = NULL;
}

const struct engine_ops engine_sync = {
	.entry = {.name = "sync",
		  .summary = "preadv2 and pwritev2, one request at a time",
		  .fields = sync_fields,
		  .params_size = sizeof(struct sync_params)},
	.probe = sync_probe,
	.open = sync_open,
	.submit = sync_submit,
	.reap = sync_reap,
	.close = sync_close,
};
