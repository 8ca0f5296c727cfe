/* SPDX-License-Identifier: MIT */
/* null.c - the engine without a kernel: every request succeeds, at once or when it is due. */
#include "engine/queue.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"

/* What is due later than this is slept for; the rest is spun, since a sleep ends about that late.
 */
#define SPIN_NS 50000

struct null_params {
	uint64_t size_bytes, targets, service_ns;
};

static const struct field null_fields[] = {
	FIELD_SIZE("size", struct null_params, size_bytes, "64g", 4096, 0,
		   "size of each target that is imagined"),
	FIELD_COUNT("targets", struct null_params, targets, "1", 1, 1024,
		    "how many targets are imagined"),
	FIELD_DURATION(
		"service_time", struct null_params, service_ns, "0", 0, 3600000000000,
		"time from submission to completion; 0 completes without looking at a clock"),
	{.name = NULL},
};

/* Requests leave in the order they came, so two counters that only grow say what is in flight. */
struct null {
	struct request **slots;
	uint64_t *due_ns; /* null without a service time */
	uint64_t service_ns;
	unsigned mask, head, tail;
};

static int null_probe(const void *params, const struct engine_setup *setup, struct error *error)
{
	return 0;
}

static uint64_t null_model_target_bytes(const void *params)
{
	return ((const struct null_params *)params)->size_bytes;
}

static unsigned null_model_targets(const void *params)
{
	return (unsigned)((const struct null_params *)params)->targets;
}

static void null_free(struct null *null)
{
	free(null->slots);
	free(null->due_ns);
	free(null);
}

static int null_open(struct queue *queue, struct error *error)
{
	const struct null_params *params = queue->params;
	unsigned entries = queue_ring_entries(queue->setup.depth);
	struct null *null = queue_memory(sizeof(*null));

	if (!null)
		return error_set(error, -ENOMEM, "no memory for a queue");
	null->mask = entries - 1;
	null->service_ns = params->service_ns;
	null->slots = queue_memory(entries * sizeof(struct request *));
	if (null->service_ns)
		null->due_ns = queue_memory(entries * sizeof(*null->due_ns));
	if (!null->slots || (null->service_ns && !null->due_ns)) {
		null_free(null);
		return error_set(error, -ENOMEM, "no memory for a queue of %u requests", entries);
	}
	queue->private_data = null;
	return 0;
}

static int null_submit(struct queue *queue, struct request **requests, unsigned n)
{
	struct null *null = queue->private_data;
	unsigned room = queue->setup.depth - (null->tail - null->head);
	unsigned tail = null->tail, mask = null->mask;
	struct request **slots = null->slots;

	if (n > room)
		n = room;
	for (unsigned i = 0; i < n; i++) {
		requests[i]->result = (int32_t)requests[i]->length_bytes;
		slots[(tail + i) & mask] = requests[i];
	}
	if (null->service_ns) {
		uint64_t due_ns = clock_now_ns() + null->service_ns;

		for (unsigned i = 0; i < n; i++)
			null->due_ns[(tail + i) & mask] = due_ns;
	}
	null->tail = tail + n;
	return (int)n;
}

static uint64_t null_wait(uint64_t due_ns)
{
	uint64_t now_ns = clock_now_ns();

	while (now_ns < due_ns) {
		if (due_ns - now_ns > SPIN_NS)
			clock_sleep_until(due_ns - SPIN_NS);
		now_ns = clock_now_ns();
	}
	return now_ns;
}

/* How many of the oldest are due, after waiting for min of them. */
static unsigned null_due(struct null *null, unsigned min, unsigned max)
{
	uint64_t now_ns = null_wait(min ? null->due_ns[(null->head + min - 1) & null->mask] : 0);
	unsigned n = min;

	while (n < max && null->due_ns[(null->head + n) & null->mask] <= now_ns)
		n++;
	return n;
}

static int null_reap(struct queue *queue, struct request **done, unsigned min, unsigned max)
{
	struct null *null = queue->private_data;
	unsigned n = null->tail - null->head, head = null->head, mask = null->mask;
	struct request **slots = null->slots;

	if (n > max)
		n = max;
	if (null->service_ns)
		n = null_due(null, min, n);
	for (unsigned i = 0; i < n; i++)
		done[i] = slots[(head + i) & mask];
	null->head += n;
	return (int)n;
}

static void null_close(struct queue *queue)
{
	struct null *null = queue->private_data;

	if (null->service_ns && null->tail != null->head)
		null_wait(null->due_ns[(null->tail - 1) & null->mask]);
	null_free(null);
	queue->private_data = NULL;
}

const struct engine_ops engine_null = {
	.entry = {.name = "null",
		  .summary = "no I/O at all: what the harness itself costs",
		  .fields = null_fields,
		  .params_size = sizeof(struct null_params)},
	.probe = null_probe,
	.model_target_bytes = null_model_target_bytes,
	.model_targets = null_model_targets,
	.open = null_open,
	.submit = null_submit,
	.reap = null_reap,
	.close = null_close,
};
