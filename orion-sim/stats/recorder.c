/* SPDX-License-Identifier: MIT */
/* recorder.c - the reader's side of the recorders: swap buffers, collect, clear. */
#include "stats/recorder.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>

size_t recorder_bytes(unsigned n)
{
	return (size_t)n * sizeof(struct recorder);
}

void recorder_init(struct recorder *recorder)
{
	for (unsigned i = 0; i < RECORDER_CLASSES_MAX; i++) {
		recorder->classes[i].warmup.min_ns = UINT64_MAX;
		recorder->classes[i].interval[0].min_ns = UINT64_MAX;
		recorder->classes[i].interval[1].min_ns = UINT64_MAX;
	}
}

/*
 * Who may touch buffer b: the worker, from its acquire of active == b until its release of seen !=
 * b; the reader, from its acquire of seen != b until its release of active == b. So a clearing is
 * seen by the worker before it enters, and every value of a batch by the reader before it collects.
 * A second flip on top of one that is not yet taken would break this (the worker may have read
 * active already and not yet written seen), so it is left out: the request still stands.
 */
static bool worker_has_followed(const struct recorder *recorder, uint32_t active)
{
	return atomic_load_explicit(&recorder->seen, memory_order_acquire) == active;
}

/* Of a buffer that the worker has left. */
static bool is_collected(const struct recorder *recorder, uint32_t buffer)
{
	for (unsigned i = 0; i < RECORDER_CLASSES_MAX; i++)
		if (recorder->classes[i].interval[buffer].count > 0)
			return false;
	return true;
}

void recorder_flip(struct recorder *recorder)
{
	uint32_t active = atomic_load_explicit(&recorder->active, memory_order_relaxed);

	if (worker_has_followed(recorder, active) && is_collected(recorder, !active))
		atomic_store_explicit(&recorder->active, !active, memory_order_release);
}

/* Empty buffers are not written to: their cache lines stay with whoever has them. */
static void buffer_drain(struct histogram *buffer, struct histogram *into)
{
	if (buffer->count == 0)
		return;
	histogram_merge(into, buffer);
	histogram_reset(buffer);
}

int recorder_collect(struct recorder *recorder, unsigned n_classes, struct histogram *into,
		     struct histogram *with_interval)
{
	uint32_t active = atomic_load_explicit(&recorder->active, memory_order_relaxed);

	if (!worker_has_followed(recorder, active))
		return -EAGAIN;
	for (unsigned i = 0; i < n_classes; i++) {
		struct histogram *left = &recorder->classes[i].interval[!active];

		if (with_interval) {
			histogram_reset(&with_interval[i]);
			histogram_merge(&with_interval[i], left);
		}
		buffer_drain(left, &into[i]);
	}
	return 0;
}

void recorder_collect_all(struct recorder *recorder, unsigned n_classes, struct histogram *into)
{
	for (unsigned i = 0; i < n_classes; i++) {
		buffer_drain(&recorder->classes[i].interval[0], &into[i]);
		buffer_drain(&recorder->classes[i].interval[1], &into[i]);
	}
}

void tally_add(struct tally *into, const struct tally *from)
{
	into->ops += from->ops;
	into->bytes += from->bytes;
	into->errors += from->errors;
	into->shorts += from->shorts;
	into->retries += from->retries;
	into->submit_ns += from->submit_ns;
	into->batches += from->batches;
	into->busy_ns += from->busy_ns;
	into->user_ns += from->user_ns;
	into->system_ns += from->system_ns;
	into->minor_faults += from->minor_faults;
	into->tsc_cycles += from->tsc_cycles;
}

struct tally recorders_sum(const struct recorder *recorders, unsigned n, unsigned op_class)
{
	struct tally sum = {0};

	for (unsigned i = 0; i < n; i++)
		tally_add(&sum, &recorders[i].classes[op_class].tally[PHASE_MEASURE]);
	return sum;
}

static uint64_t timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

void usage_read(int who, struct usage *ret)
{
	struct rusage usage = {0};
	struct timespec now;

	/* Without this the kernel may tell what it knew at the last tick, some milliseconds ago. */
	clock_gettime(who == RUSAGE_THREAD ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID,
		      &now);
	getrusage(who, &usage);
	*ret = (struct usage){
		.user_ns = timeval_ns(usage.ru_utime),
		.system_ns = timeval_ns(usage.ru_stime),
		.minor_faults = (uint64_t)usage.ru_minflt,
		.major_faults = (uint64_t)usage.ru_majflt,
		.voluntary_switches = (uint64_t)usage.ru_nvcsw,
		.involuntary_switches = (uint64_t)usage.ru_nivcsw,
	};
}

/* The kernel scales user and system time against each other, so that one of them may step back. */
static uint64_t difference(uint64_t end, uint64_t begin)
{
	return end > begin ? end - begin : 0;
}

void usage_subtract(const struct usage *end, const struct usage *begin, struct usage *ret)
{
	*ret = (struct usage){
		.user_ns = difference(end->user_ns, begin->user_ns),
		.system_ns = difference(end->system_ns, begin->system_ns),
		.minor_faults = difference(end->minor_faults, begin->minor_faults),
		.major_faults = difference(end->major_faults, begin->major_faults),
		.voluntary_switches =
			difference(end->voluntary_switches, begin->voluntary_switches),
		.involuntary_switches =
			difference(end->involuntary_switches, begin->involuntary_switches),
	};
}

void usage_add(struct usage *into, const struct usage *from)
{
	into->user_ns += from->user_ns;
	into->system_ns += from->system_ns;
	into->minor_faults += from->minor_faults;
	into->major_faults += from->major_faults;
	into->voluntary_switches += from->voluntary_switches;
	into->involuntary_switches += from->involuntary_switches;
}
