/* SPDX-License-Identifier: MIT */
/* ring.c - setting up an io_uring: the best flags this kernel takes, files and buffers registered.
 */
#include "engine/ring.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "base/units.h"
#include "engine/queue.h"

/* A closed ring gives its memory back late, so ENOMEM may pass: a fifth of a second of patience. */
#define RETRY_TRIES 20
#define RETRY_NS    10000000

#define CAPABILITY_IPC_LOCK 14

#ifndef IORING_SETUP_HYBRID_IOPOLL
#define IORING_SETUP_HYBRID_IOPOLL (1u << 17) /* Linux 6.13 */
#endif

/* Newest first: the order in which they are given up. */
static const struct ring_flag {
	unsigned bits;
	const char *name;
} ring_flags[] = {
	{IORING_SETUP_DEFER_TASKRUN, "DEFER_TASKRUN"},
	{IORING_SETUP_SINGLE_ISSUER, "SINGLE_ISSUER"},
	{IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, "COOP_TASKRUN"},
	{IORING_SETUP_SUBMIT_ALL, "SUBMIT_ALL"},
	{IORING_SETUP_CQSIZE, "CQSIZE"},
};

#define N_FLAGS (sizeof(ring_flags) / sizeof(ring_flags[0]))

/* The kernel refuses these with SQPOLL: completions are the business of its own thread there. */
#define SQPOLL_EXCLUDES                                                                            \
	(IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG)

/* What is asked for and never given up. */
static unsigned poll_flags(const struct ring_setup *setup)
{
	switch (setup->poll) {
	case RING_POLL_SQPOLL:
		return IORING_SETUP_SQPOLL | (setup->cpu >= 0 ? IORING_SETUP_SQ_AFF : 0);
	case RING_POLL_IOPOLL:
		return IORING_SETUP_IOPOLL;
	case RING_POLL_HYBRID:
		return IORING_SETUP_IOPOLL | IORING_SETUP_HYBRID_IOPOLL;
	default:
		return 0;
	}
}

static bool is_excluded(const struct ring_setup *setup, const struct ring_flag *flag)
{
	return setup->poll == RING_POLL_SQPOLL && flag->bits & SQPOLL_EXCLUDES;
}

static unsigned flags_from(const struct ring_setup *setup, size_t newest)
{
	unsigned flags = poll_flags(setup);

	for (size_t i = newest; i < N_FLAGS; i++)
		flags |= is_excluded(setup, &ring_flags[i]) ? 0 : ring_flags[i].bits;
	return flags;
}

static void name_add(char *traits, size_t size, const char *name)
{
	size_t used = strlen(traits);

	snprintf(traits + used, size - used, "%s%s", used ? " " : "", name);
}

static void flags_name(const struct ring_setup *setup, size_t newest, char *traits, size_t size)
{
	static const char *const polls[] = {
		[RING_POLL_IOPOLL] = "IOPOLL", [RING_POLL_HYBRID] = "IOPOLL HYBRID_IOPOLL"};
	char text[64];

	traits[0] = '\0';
	if (setup->poll == RING_POLL_SQPOLL) {
		snprintf(text, sizeof(text), "SQPOLL (idle %u ms", setup->idle_ms);
		name_add(traits, size, text);
		if (setup->cpu >= 0) {
			snprintf(text, sizeof(text), "on CPU %d", setup->cpu);
			name_add(traits, size, text);
		}
		name_add(traits, size, "without DEFER_TASKRUN COOP_TASKRUN)");
	} else if (setup->poll != RING_POLL_NONE) {
		name_add(traits, size, polls[setup->poll]);
	}
	for (size_t i = newest; i < N_FLAGS; i++)
		if (!is_excluded(setup, &ring_flags[i]))
			name_add(traits, size, ring_flags[i].name);
}

static int forbidden(int code, struct error *error)
{
	uint64_t disabled = 0, group = 0, seccomp = 0;

	if (sysfile_read_u64("/proc/sys/kernel/io_uring_disabled", &disabled, NULL) < 0)
		disabled = 0;
	if (disabled == 2)
		return error_set(error, ERROR_CANNOT,
				 "io_uring is off: kernel.io_uring_disabled=2; as root: "
				 "sysctl kernel.io_uring_disabled=0, or use the engine libaio");
	if (disabled == 1) {
		/* -1, no group at all, is no number that sysfile knows. */
		bool any = sysfile_read_u64("/proc/sys/kernel/io_uring_group", &group, NULL) == 0;

		return error_set(error, ERROR_CANNOT,
				 "io_uring is for the privileged only: kernel.io_uring_disabled=1 "
				 "and kernel.io_uring_group=%ld; run as root or in that group, or "
				 "as root: sysctl kernel.io_uring_disabled=0, or use the engine "
				 "libaio",
				 any ? (long)group : -1L);
	}
	if (queue_status("Seccomp", 10, &seccomp) == 0 && seccomp == 2)
		return error_set(
			error, ERROR_CANNOT,
			"io_uring_setup: %s: a seccomp filter (Seccomp: 2 in "
			"/proc/self/status; containers have one) forbids it; allow io_uring "
			"in the container's profile, or use the engine libaio",
			strerror(-code));
	return error_set(error, ERROR_CANNOT,
			 "io_uring_setup: %s: a security module forbids it or the kernel lacks "
			 "CONFIG_IO_URING; use the engine libaio",
			 strerror(-code));
}

static int setup_refused(int code, unsigned entries, struct error *error)
{
	struct rlimit limit = {0};
	char text[32];

	switch (-code) {
	case EPERM:
	case EACCES:
	case ENOSYS:
		return forbidden(code, error);
	case ENOMEM:
		getrlimit(RLIMIT_MEMLOCK, &limit);
		return error_set(
			error, ERROR_CANNOT,
			"io_uring_setup for %u requests: no memory; before Linux 5.12 rings "
			"count as locked memory, and RLIMIT_MEMLOCK is %s (ulimit -l "
			"unlimited, or a smaller depth)",
			entries,
			limit.rlim_cur == RLIM_INFINITY ? "unlimited"
							: units_format_size(limit.rlim_cur, text));
	case EMFILE:
		getrlimit(RLIMIT_NOFILE, &limit);
		return error_set(error, ERROR_CANNOT,
				 "io_uring_setup: too many open files: RLIMIT_NOFILE is %lu and "
				 "every queue needs one more; raise it with ulimit -n",
				 (unsigned long)limit.rlim_cur);
	default:
		return error_set(error, code, "io_uring_setup for %u requests: %s", entries,
				 strerror(-code));
	}
}

static int setup_retrying(struct io_uring *ring, const struct ring_setup *setup, unsigned flags)
{
	int rc = 0;

	for (unsigned i = 0; i < RETRY_TRIES; i++) {
		struct io_uring_params params = {.flags = flags, .cq_entries = setup->entries};

		if (i)
			queue_pause(RETRY_NS);
		if (!(flags & IORING_SETUP_CQSIZE))
			params.cq_entries = 0;
		if (flags & IORING_SETUP_SQPOLL)
			params.sq_thread_idle = setup->idle_ms;
		if (flags & IORING_SETUP_SQ_AFF)
			params.sq_thread_cpu = (unsigned)setup->cpu;
		rc = io_uring_queue_init_params(setup->entries, ring, &params);
		if (rc != -ENOMEM)
			break;
	}
	return rc;
}

/* Gives up the optional flags one by one, the newest first. */
static int setup_best(struct io_uring *ring, const struct ring_setup *setup, size_t *ret_newest)
{
	size_t newest = 0;
	int rc;

	do {
		while (newest < N_FLAGS && is_excluded(setup, &ring_flags[newest]))
			newest++;
		rc = setup_retrying(ring, setup, flags_from(setup, newest));
	} while (rc == -EINVAL && newest++ < N_FLAGS);
	*ret_newest = newest;
	return rc;
}

/* The same ring without polling. */
static bool plain_works(const struct ring_setup *setup)
{
	const struct ring_setup plain = {.entries = setup->entries, .cpu = -1};
	struct io_uring ring;
	size_t newest;

	if (setup_best(&ring, &plain, &newest) < 0)
		return false;
	io_uring_queue_exit(&ring);
	return true;
}

/* What only polling is refused for; 0 where that is not the reason. */
static int poll_refused(int code, const struct ring_setup *setup, struct error *error)
{
	struct utsname name = {0};

	if ((code != -EINVAL && code != -EPERM && code != -EACCES) ||
	    setup->poll == RING_POLL_NONE || !plain_works(setup))
		return 0;
	uname(&name);
	if (setup->poll == RING_POLL_HYBRID)
		return error_set(error, ERROR_CANNOT,
				 "poll hybrid came with Linux 6.13 and this is %s: boot a newer "
				 "kernel, or poll=iopoll",
				 name.release);
	if (setup->poll == RING_POLL_IOPOLL)
		return error_set(error, ERROR_CANNOT, "poll iopoll: Linux %s refuses it: %s",
				 name.release, strerror(-code));
	if (code != -EINVAL)
		return error_set(error, ERROR_CANNOT,
				 "poll sqpoll is forbidden: before Linux 5.13 only root may have "
				 "it, a security module may forbid it later, and this is %s: run "
				 "as root, or poll=none",
				 name.release);
	if (setup->cpu >= 0)
		return error_set(error, ERROR_CANNOT,
				 "poll sqpoll: the kernel does not let its thread run on CPU %d: "
				 "it is offline or outside this process's cpuset (nproc and "
				 "/sys/devices/system/cpu/online tell)",
				 setup->cpu);
	return error_set(error, ERROR_CANNOT, "poll sqpoll: Linux %s refuses it: %s", name.release,
			 strerror(-code));
}

int ring_open(struct io_uring *ring, const struct ring_setup *setup, char *traits, size_t size,
	      struct error *error)
{
	size_t newest;
	int rc, code;

	if (setup->entries > RING_ENTRIES_MAX)
		return error_set(error, ERROR_INPUT,
				 "depth: a ring takes at most %d requests; use a smaller depth",
				 RING_ENTRIES_MAX);
	rc = setup_best(ring, setup, &newest);
	if (rc < 0) {
		code = poll_refused(rc, setup, error);
		return code < 0 ? code : setup_refused(rc, setup->entries, error);
	}
	flags_name(setup, newest, traits, size);
	return 0;
}

static bool memlock_counts(void)
{
	uint64_t capabilities;

	return queue_status("CapEff", 16, &capabilities) < 0 ||
	       !(capabilities >> CAPABILITY_IPC_LOCK & 1);
}

static int memlock_refused(uint64_t bytes, struct error *error)
{
	struct rlimit limit = {0};
	char need[32], have[32];

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		snprintf(have, sizeof(have), "unlimited");
	else
		units_format_size(limit.rlim_cur, have);
	return error_set(error, ERROR_CANNOT,
			 "registered_buffers needs %s of locked memory in each queue, and "
			 "RLIMIT_MEMLOCK is %s for all that this user locks; ulimit -l unlimited "
			 "(or memlock in /etc/security/limits.conf), or registered_buffers=false",
			 units_format_size(bytes, need), have);
}

static int register_refused(int code, uint64_t bytes, struct error *error)
{
	struct utsname name = {0};

	if (code == -ENOMEM)
		return memlock_refused(bytes, error);
	if (code != -EOPNOTSUPP)
		return error_set(error, code, "registering the region as buffers: %s",
				 strerror(-code));
	uname(&name);
	return error_set(error, ERROR_CANNOT,
			 "registered_buffers: Linux %s cannot register shared memory (5.14 can); "
			 "registered_buffers=false, or a newer kernel",
			 name.release);
}

static int register_retrying(struct io_uring *ring, const struct iovec *iovecs, unsigned n)
{
	int rc = 0;

	for (unsigned i = 0; i < RETRY_TRIES; i++) {
		if (i)
			queue_pause(RETRY_NS);
		rc = io_uring_register_buffers(ring, iovecs, n);
		if (rc != -ENOMEM)
			break;
	}
	return rc;
}

int ring_register_region(struct io_uring *ring, void *region, uint64_t bytes, struct error *error)
{
	size_t n = (bytes + RING_CHUNK_BYTES - 1) >> RING_CHUNK_SHIFT;
	CLEANUP(cleanup_free) struct iovec *iovecs = calloc(n + 1, sizeof(*iovecs));
	int rc;

	if (!iovecs)
		return error_set(error, -ENOMEM, "no memory for a list of buffers");
	for (size_t i = 0; i < n; i++) {
		uint64_t start = (uint64_t)i << RING_CHUNK_SHIFT;

		iovecs[i].iov_base = (char *)region + start;
		iovecs[i].iov_len =
			bytes - start < RING_CHUNK_BYTES ? bytes - start : RING_CHUNK_BYTES;
	}
	rc = register_retrying(ring, iovecs, (unsigned)n);
	return rc < 0 ? register_refused(rc, bytes, error) : 0;
}

int ring_probe_region(struct io_uring *ring, uint64_t bytes, struct error *error)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
	struct iovec iovec = {.iov_len = page_bytes};
	int rc;

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (bytes > limit.rlim_cur && memlock_counts())
		return memlock_refused(bytes, error);
	iovec.iov_base =
		mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (iovec.iov_base == MAP_FAILED)
		return error_set(error, -errno, "mapping a page: %s", strerror(errno));
	rc = register_retrying(ring, &iovec, 1);
	munmap(iovec.iov_base, page_bytes);
	return rc < 0 ? register_refused(rc, bytes, error) : 0;
}
