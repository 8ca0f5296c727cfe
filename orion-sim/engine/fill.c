/* SPDX-License-Identifier: MIT */
/* fill.c - writes incompressible data, some large writes in flight while the next is made up. */
#include "engine/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/random.h"
#include "base/units.h"

#define CHUNK_BYTES (4u << 20)
#define SLOTS	    4

struct slot {
	struct iocb iocb;
	char *buffer;
	uint64_t offset_bytes, length_bytes;
	bool busy;
};

struct fill {
	int fd;
	io_context_t context; /* null where the kernel gives none: writes then wait */
	struct slot slots[SLOTS];
	unsigned n_busy;
	uint64_t done_bytes;
};

static int write_failed(const struct fill *fill, int code, struct error *error)
{
	char done[32];

	units_format_amount(fill->done_bytes, done);
	if (code == -ENOSPC || code == -EDQUOT)
		return error_set(error, code, "%s after %s were written; free some or ask for less",
				 code == -ENOSPC ? "the disk is full" : "the quota is used up",
				 done);
	if (code == -EFBIG)
		return error_set(error, code,
				 "larger than a file may be here (after %s); ask for less", done);
	return error_set(error, code == -EIO ? ERROR_IO : code,
			 "write failed after %s were written: %s", done, strerror(-code));
}

/* Writes what is left of a slot and waits for it. */
static int slot_write(struct fill *fill, struct slot *slot, uint64_t from_bytes)
{
	while (from_bytes < slot->length_bytes) {
		ssize_t n =
			pwrite(fill->fd, slot->buffer + from_bytes, slot->length_bytes - from_bytes,
			       (off_t)(slot->offset_bytes + from_bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		from_bytes += (uint64_t)n;
	}
	fill->done_bytes += slot->length_bytes;
	return 0;
}

/* Takes back at least min finished writes. */
static int fill_reap(struct fill *fill, unsigned min)
{
	struct io_event events[SLOTS];
	int n, code = 0;

	if (!fill->n_busy)
		return 0;
	do
		n = io_getevents(fill->context, (long)min, SLOTS, events, NULL);
	while (n == -EINTR);
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++) {
		struct slot *slot = events[i].data;
		long result = (long)events[i].res;

		slot->busy = false;
		fill->n_busy--;
		if (result < 0 && result != -EAGAIN)
			code = (int)result;
		/* A short write says by its second half what stopped it. */
		else if (!code)
			code = slot_write(fill, slot, result < 0 ? 0 : (uint64_t)result);
	}
	return code;
}

static int fill_submit(struct fill *fill, struct slot *slot)
{
	struct iocb *iocb = &slot->iocb;

	if (!fill->context)
		return slot_write(fill, slot, 0);
	io_prep_pwrite(iocb, fill->fd, slot->buffer, slot->length_bytes,
		       (long long)slot->offset_bytes);
	iocb->data = slot;
	if (io_submit(fill->context, 1, &iocb) != 1)
		return slot_write(fill, slot, 0);
	slot->busy = true;
	fill->n_busy++;
	return 0;
}

static struct slot *free_slot(struct fill *fill)
{
	for (int i = 0; i < SLOTS; i++)
		if (!fill->slots[i].busy)
			return &fill->slots[i];
	return NULL;
}

static int fill_chunks(struct fill *fill, uint64_t begin_bytes, uint64_t end_bytes, uint64_t seed,
		       const struct fill_observer *observer, struct error *error)
{
	uint64_t at = begin_bytes;
	int code = 0;

	while (at < end_bytes || fill->n_busy) {
		struct slot *slot = at < end_bytes ? free_slot(fill) : NULL;
		struct random random;

		if (slot) {
			slot->offset_bytes = at;
			slot->length_bytes = CHUNK_BYTES - at % CHUNK_BYTES;
			if (slot->length_bytes > end_bytes - at)
				slot->length_bytes = end_bytes - at;
			random_seed(&random, seed, at / FILL_ALIGN_BYTES);
			random_fill(&random, slot->buffer, slot->length_bytes);
			at += slot->length_bytes;
			code = fill_submit(fill, slot);
		}
		if (!code)
			code = fill_reap(fill, slot ? 0 : 1);
		if (code)
			return write_failed(fill, code, error);
		if (observer && observer->progress(observer->context, fill->done_bytes,
						   end_bytes - begin_bytes))
			return error_set(error, -EINTR, "interrupted while it was written");
	}
	return 0;
}

/* Space first: a full disk shows before hours are spent, and growing writes would wait in turn. */
static int reserve(struct fill *fill, uint64_t begin_bytes, uint64_t end_bytes, struct error *error)
{
	int n;

	do
		n = fallocate(fill->fd, 0, (off_t)begin_bytes, (off_t)(end_bytes - begin_bytes));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EOPNOTSUPP && errno != ENOSYS)
		return write_failed(fill, -errno, error);
	return 0;
}

static void fill_release(struct fill *fill)
{
	/* Waits for what is in flight. */
	if (fill->context)
		io_destroy(fill->context);
	for (int i = 0; i < SLOTS; i++)
		free(fill->slots[i].buffer);
}

int fill_range(int fd, uint64_t begin_bytes, uint64_t end_bytes, uint64_t seed,
	       const struct fill_observer *observer, struct error *error)
{
	struct fill fill = {.fd = fd};
	int code = 0;

	if (begin_bytes % FILL_ALIGN_BYTES || end_bytes % FILL_ALIGN_BYTES)
		return error_set(error, ERROR_INPUT, "size %llu is not a multiple of %u",
				 (unsigned long long)end_bytes, FILL_ALIGN_BYTES);
	if (begin_bytes >= end_bytes)
		return 0;
	for (int i = 0; i < SLOTS && !code; i++) {
		void *buffer = NULL;

		code = -posix_memalign(&buffer, FILL_ALIGN_BYTES, CHUNK_BYTES);
		fill.slots[i].buffer = buffer;
	}
	if (code)
		error_set(error, code, "no memory for %u buffers of %u bytes", SLOTS, CHUNK_BYTES);
	/* Databases may have used up fs.aio-max-nr; one write at a time is then fast enough. */
	else if (io_setup(SLOTS, &fill.context) < 0)
		fill.context = NULL;
	if (!code)
		code = reserve(&fill, begin_bytes, end_bytes, error);
	if (!code)
		code = fill_chunks(&fill, begin_bytes, end_bytes, seed, observer, error);
	fill_release(&fill);
	if (!code && fdatasync(fd) < 0)
		code = write_failed(&fill, -errno, error);
	return code;
}

int fill_file(int fd, uint64_t size_bytes, uint64_t seed, const struct fill_observer *observer,
	      struct error *error)
{
	return fill_range(fd, 0, size_bytes, seed, observer, error);
}
