/* SPDX-License-Identifier: MIT */
/* barrier.c - where the workers of a stream wait for each other, threads or processes. */
#include "workload/barrier.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "stats/recorder.h"

/* Those that a killed worker has left waiting look up this often. */
#define LOOK_UP_NS 5000000

/* Waking a sleeper takes longer than most of them are late. */
#define SPIN_NS 50000

static void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
	const struct timespec patience = {.tv_nsec = LOOK_UP_NS};

	syscall(SYS_futex, word, FUTEX_WAIT, value, &patience, NULL, 0);
}

static void futex_wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static bool barrier_is_over(struct barrier *barrier, const _Atomic uint32_t *crew_phase)
{
	if (atomic_load(&barrier->broken))
		return true;
	return crew_phase && atomic_load_explicit(crew_phase, memory_order_acquire) >= PHASE_DRAIN;
}

void barrier_break(struct barrier *barrier)
{
	atomic_store(&barrier->broken, 1);
	futex_wake_all(&barrier->turn);
}

bool barrier_wait(struct barrier *barrier, unsigned n, const _Atomic uint32_t *crew_phase)
{
	uint32_t turn = atomic_load(&barrier->turn);
	uint64_t spin_until_ns;

	/* Whoever comes again does not ask in a hurry. */
	if (atomic_load(&barrier->broken)) {
		futex_wait(&barrier->turn, turn);
		return false;
	}
	if (atomic_fetch_add(&barrier->arrived, 1) + 1 == n) {
		atomic_store(&barrier->arrived, 0);
		atomic_store(&barrier->turn, turn + 1);
		futex_wake_all(&barrier->turn);
		return true;
	}
	spin_until_ns = clock_now_ns() + SPIN_NS;
	while (atomic_load(&barrier->turn) == turn) {
		if (barrier_is_over(barrier, crew_phase)) {
			barrier_break(barrier);
			return atomic_load(&barrier->turn) != turn;
		}
		if (clock_now_ns() > spin_until_ns)
			futex_wait(&barrier->turn, turn);
	}
	return true;
}
