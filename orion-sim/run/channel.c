/* SPDX-License-Identifier: MIT */
/* channel.c - the memory that a runner process and its parent share: phase, error, recorders. */
#include "run/channel.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static size_t channel_bytes(unsigned n_recorders)
{
	return sizeof(struct channel) + n_recorders * sizeof(struct recorder);
}

int channel_open(unsigned n_recorders, struct channel **ret, struct error *error)
{
	struct channel *channel = mmap(NULL, channel_bytes(n_recorders), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (channel == MAP_FAILED)
		return error_set(error, -ENOMEM, "no memory for the recorders of %u workers: %s",
				 n_recorders, strerror(errno));
	channel->n_recorders = n_recorders;
	for (unsigned i = 0; i < n_recorders; i++)
		recorder_init(&channel->recorders[i]);
	*ret = channel;
	return 0;
}

void channel_close(struct channel *channel)
{
	if (channel)
		munmap(channel, channel_bytes(channel->n_recorders));
}

int channel_populate(struct recorder *recorder, unsigned n_classes, struct error *error)
{
	uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	size_t before = (uintptr_t)recorder % page_bytes;
	char *at = (char *)recorder - before;
	size_t bytes = (size_t)((char *)&recorder->classes[n_classes] - at);

	if (madvise(at, bytes, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL)
		return error_set(error, -errno, "no memory for the recorder: %s", strerror(errno));
	/* Before Linux 5.14. Reading is enough: shared memory is mapped as it may be used. */
	for (size_t i = 0; i < bytes; i += page_bytes)
		(void)*(volatile char *)(at + i);
	return 0;
}

void channel_ring(struct channel *channel)
{
	atomic_fetch_add(&channel->bell, 1);
	syscall(SYS_futex, &channel->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void channel_listen(struct channel *channel, uint32_t seen)
{
	syscall(SYS_futex, &channel->bell, FUTEX_WAIT, seen, NULL, NULL, 0);
}

bool channel_gate(struct channel *channel)
{
	while (atomic_load(&channel->phase) == PHASE_GATE)
		syscall(SYS_futex, &channel->phase, FUTEX_WAIT, PHASE_GATE, NULL, NULL, 0);
	return atomic_load(&channel->phase) < PHASE_DRAIN;
}

void channel_enter(struct channel *channel, enum phase phase)
{
	atomic_store(&channel->phase, phase);
	syscall(SYS_futex, &channel->phase, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static bool channel_ended(struct channel *channel)
{
	return atomic_load(&channel->stop) || atomic_load(&channel->failed);
}

bool channel_wait(struct channel *channel, uint64_t deadline_ns)
{
	struct timespec deadline = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
				    .tv_nsec = (long)(deadline_ns % 1000000000u)};

	for (;;) {
		uint32_t bell = atomic_load(&channel->bell);

		if (channel_ended(channel))
			return true;
		if (clock_now_ns() >= deadline_ns)
			return false;
		/* Absolute time on CLOCK_MONOTONIC; not private, since the parent rings as well. */
		syscall(SYS_futex, &channel->bell, FUTEX_WAIT_BITSET, bell, &deadline, NULL,
			FUTEX_BITSET_MATCH_ANY);
	}
}
