/* SPDX-License-Identifier: MIT */
/* engine.c - the catalog of engines, and opening a queue of any of them. */
#include "engine/engine.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "engine/queue.h"
#include "engine/target.h"

#define CACHE_LINE_BYTES   64
#define NOWAIT_PROBE_BYTES 4096

static const struct entry *const engine_entries[] = {
	&engine_io_uring.entry, &engine_libaio.entry, &engine_sync.entry, &engine_null.entry, NULL,
};

const struct catalog engine_catalog = {.noun = "engine", .entries = engine_entries};

/* entry is the first member of engine_ops. */
static_assert(offsetof(struct engine_ops, entry) == 0, "engine_ops_of casts");

const struct engine_ops *engine_ops_of(const struct choice *engine)
{
	return (const struct engine_ops *)engine->entry;
}

int queue_open(struct queue *queue, const struct choice *engine, const struct engine_setup *setup,
	       struct error *error)
{
	struct queue fresh = {
		.ops = engine_ops_of(engine),
		.params = engine->params,
		.setup = *setup,
	};
	int rc;

	assert(setup->depth > 0);
	rc = fresh.ops->open(&fresh, error);
	if (rc < 0) {
		error_prefix(error, "engine %s: ", engine->entry->name);
		return rc;
	}
	*queue = fresh;
	return 0;
}

void *queue_memory(size_t bytes)
{
	size_t whole = (bytes + CACHE_LINE_BYTES - 1) & ~(size_t)(CACHE_LINE_BYTES - 1);
	void *memory = aligned_alloc(CACHE_LINE_BYTES, whole);

	if (memory)
		memset(memory, 0, whole);
	return memory;
}

int *queue_fds(const struct engine_setup *setup)
{
	int *fds = queue_memory((setup->n_targets + 1) * sizeof(*fds));

	for (unsigned i = 0; fds && i < setup->n_targets; i++)
		fds[i] = setup->targets[i].fd;
	return fds;
}

unsigned queue_ring_entries(unsigned depth)
{
	return depth <= 1 ? 1 : 1u << (32 - __builtin_clz(depth - 1));
}

int queue_status(const char *name, int base, uint64_t *ret)
{
	char text[16384], key[32];
	const char *line;
	int rc = sysfile_read("/proc/self/status", text, sizeof(text), NULL);

	if (rc < 0)
		return rc;
	snprintf(key, sizeof(key), "\n%s:", name);
	line = strstr(text, key);
	if (!line)
		return -ENOENT;
	*ret = strtoull(line + strlen(key), NULL, base);
	return 0;
}

/* EAGAIN is an answer as good as any; only EOPNOTSUPP is one for good. */
static int probe_nowait(const struct target *target, void *buffer, size_t bytes,
			struct error *error)
{
	struct iovec iovec = {.iov_base = buffer, .iov_len = bytes};

	if (preadv2(target->fd, &iovec, 1, 0, RWF_NOWAIT) >= 0 || errno != EOPNOTSUPP)
		return 0;
	return error_set(error, ERROR_CANNOT,
			 "nowait: %s lies on %s, which does not take RWF_NOWAIT: nowait=false",
			 target->path, target->file_system);
}

int queue_probe_nowait(const struct engine_setup *setup, struct error *error)
{
	int rc = 0;

	for (unsigned i = 0; !rc && setup->targets && i < setup->n_targets; i++) {
		const struct target *target = &setup->targets[i];
		size_t bytes = target->offset_align_bytes > NOWAIT_PROBE_BYTES
				       ? target->offset_align_bytes
				       : NOWAIT_PROBE_BYTES;
		void *buffer = target->fd < 0 ? NULL : aligned_alloc(bytes, bytes);

		if (buffer)
			rc = probe_nowait(target, buffer, bytes, error);
		free(buffer);
	}
	return rc;
}

void queue_pause(uint64_t ns)
{
	clock_sleep_until(clock_now_ns() + ns);
}
