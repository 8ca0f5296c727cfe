/* SPDX-License-Identifier: MIT */
/* channel.c - the memory that a runner process and its parent share: phase, error, recorders. */
#include "run/channel.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

static size_t channel_bytes(unsigned n_recorders)
{
	return sizeof(struct channel) + n_recorders * sizeof(struct recorder);
}

int channel_open(unsigned n_recorders, struct channel **ret, struct error *error)
{
	struct channel *channel = mmap(NULL, channel_bytes(n_recorders), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

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

void channel_ring(struct channel *channel)
{
	atomic_fetch_add(&channel->bell, 1);
	syscall(SYS_futex, &channel->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
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
