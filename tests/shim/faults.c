/* SPDX-License-Identifier: MIT */
/* faults.c - preloaded by tests: calls of the program's that fail, fall short, or tell a wrong
 * time. */
#include <dlfcn.h>
#include <errno.h>
#include <libaio.h>
#include <liburing.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/*
 * ORION_FAULTS="PLACE=WHAT/EVERY,…": each EVERYth time WHAT happens at PLACE. "clock=MS/AFTER":
 * AFTER ms after the start CLOCK_MONOTONIC steps by MS, which may be negative, for good.
 */

#define FAULTS_MAX 8

/* A call as a whole, or one of the completions that it brings. */
enum place { IO_SUBMIT, IO_GETEVENTS, EVENT, PREADV2, URING, COMPLETION, PLACES };

static const char *const place_names[PLACES] = {
	[IO_SUBMIT] = "io_submit", [IO_GETEVENTS] = "io_getevents",
	[EVENT] = "event",	   [PREADV2] = "preadv2",
	[URING] = "uring",	   [COMPLETION] = "completion",
};

static const struct {
	const char *name;
	int code;
} whats[] = {{"short", 0},     {"EINTR", EINTR}, {"EAGAIN", EAGAIN},
	     {"EBUSY", EBUSY}, {"EIO", EIO},	 {"ENOMEM", ENOMEM}};

static struct fault {
	enum place place;
	int code; /* 0: it falls short */
	unsigned every;
	atomic_uint count;
} faults[FAULTS_MAX];

static unsigned n_faults;
static int64_t step_ns, step_at_ns; /* of the clock; no step if 0 */

static struct {
	int (*io_submit)(io_context_t, long, struct iocb **);
	int (*io_getevents)(io_context_t, long, long, struct io_event *, struct timespec *);
	ssize_t (*preadv2)(int, const struct iovec *, int, off_t, int);
	int (*submit_and_wait)(struct io_uring *, unsigned);
	int (*get_events)(struct io_uring *);
	int (*clock_gettime)(clockid_t, struct timespec *);
	int (*clock_nanosleep)(clockid_t, int, const struct timespec *, struct timespec *);
	long (*syscall)(long, ...);
} real;

static int64_t to_ns(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static struct timespec from_ns(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static int64_t true_ns(void)
{
	struct timespec now;

	real.clock_gettime(CLOCK_MONOTONIC, &now);
	return to_ns(&now);
}

static void give_up(const char *text)
{
	fprintf(stderr, "ORION_FAULTS: '%s' is none\n", text);
	_exit(99);
}

static void add_fault(const char *text, const char *place, const char *what, unsigned every)
{
	struct fault *fault = &faults[n_faults++];
	unsigned p = 0, w = 0;

	while (p < PLACES && strcmp(place, place_names[p]) != 0)
		p++;
	while (w < sizeof(whats) / sizeof(whats[0]) && strcmp(what, whats[w].name) != 0)
		w++;
	if (p == PLACES || w == sizeof(whats) / sizeof(whats[0]) || !every || n_faults > FAULTS_MAX)
		give_up(text);
	fault->place = (enum place)p;
	fault->code = whats[w].code;
	fault->every = every;
}

static void parse(char *text)
{
	char *rest = text;

	for (char *one; (one = strsep(&rest, ","));) {
		char place[32], what[32];
		long step_ms, after_ms;
		unsigned every;

		if (sscanf(one, "clock=%ld/%ld", &step_ms, &after_ms) == 2) {
			step_ns = step_ms * 1000000;
			step_at_ns = true_ns() + after_ms * 1000000;
		} else if (sscanf(one, "%31[^=]=%31[^/]/%u", place, what, &every) == 3) {
			add_fault(one, place, what, every);
		} else {
			give_up(one);
		}
	}
}

/* The cast by way of memory is how POSIX wants it. */
static void find(const char *name, void *function)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(function, &symbol, sizeof(symbol));
}

__attribute__((constructor)) static void start(void)
{
	char text[512] = "";

	find("io_submit", &real.io_submit);
	find("io_getevents", &real.io_getevents);
	find("preadv2", &real.preadv2);
	find("io_uring_submit_and_wait", &real.submit_and_wait);
	find("io_uring_get_events", &real.get_events);
	find("clock_gettime", &real.clock_gettime);
	find("clock_nanosleep", &real.clock_nanosleep);
	find("syscall", &real.syscall);
	if (getenv("ORION_FAULTS"))
		snprintf(text, sizeof(text), "%s", getenv("ORION_FAULTS"));
	if (*text)
		parse(text);
}

/* Null, or what happens at this place now. */
static const struct fault *hit(enum place place)
{
	for (unsigned i = 0; i < n_faults; i++)
		if (faults[i].place == place &&
		    (atomic_fetch_add(&faults[i].count, 1) + 1) % faults[i].every == 0)
			return &faults[i];
	return NULL;
}

/* What a completion of n bytes becomes. */
static long spoil(const struct fault *fault, long n)
{
	return fault->code ? -fault->code : n / 2;
}

/* The headers' own names for parameters are reserved ones. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

int io_submit(io_context_t context, long n, struct iocb **iocbs)
{
	const struct fault *fault = hit(IO_SUBMIT);

	if (fault && fault->code)
		return -fault->code;
	return real.io_submit(context, fault && n > 1 ? n / 2 : n, iocbs);
}

int io_getevents(io_context_t context, long min, long max, struct io_event *events,
		 struct timespec *timeout)
{
	const struct fault *fault = hit(IO_GETEVENTS);
	int n;

	if (fault && fault->code)
		return -fault->code;
	n = real.io_getevents(context, min, max, events, timeout);
	for (int i = 0; i < n; i++) {
		fault = hit(EVENT);
		if (fault)
			events[i].res = (unsigned long)spoil(fault, (long)events[i].res);
	}
	return n;
}

ssize_t preadv2(int fd, const struct iovec *iovecs, int n, off_t offset, int flags)
{
	const struct fault *fault = n == 1 ? hit(PREADV2) : NULL;
	struct iovec half;

	if (!fault)
		return real.preadv2(fd, iovecs, n, offset, flags);
	if (fault->code) {
		errno = fault->code;
		return -1;
	}
	half = iovecs[0];
	half.iov_len /= 2;
	return real.preadv2(fd, &half, 1, offset, flags);
}

/* Completions that this thread's ring shows for the first time. */
static void spoil_completions(struct io_uring *ring)
{
	static _Thread_local struct io_uring *known;
	static _Thread_local unsigned seen;
	unsigned tail = __atomic_load_n(ring->cq.ktail, __ATOMIC_ACQUIRE);

	if (known != ring)
		seen = *ring->cq.khead;
	known = ring;
	for (; seen != tail; seen++) {
		struct io_uring_cqe *cqe = &ring->cq.cqes[seen & ring->cq.ring_mask];
		const struct fault *fault = hit(COMPLETION);

		if (fault)
			cqe->res = (int)spoil(fault, cqe->res);
	}
}

/* Only some of what is held back goes; so there is no telling what could be waited for. */
static int submit_part(struct io_uring *ring)
{
	unsigned tail = ring->sq.sqe_tail;
	int rc;

	ring->sq.sqe_tail -= io_uring_sq_ready(ring) / 2;
	rc = real.submit_and_wait(ring, 0);
	ring->sq.sqe_tail = tail;
	return rc;
}

int io_uring_submit_and_wait(struct io_uring *ring, unsigned wait)
{
	const struct fault *fault = hit(URING);
	int rc;

	if (fault && fault->code)
		return -fault->code;
	rc = fault ? submit_part(ring) : real.submit_and_wait(ring, wait);
	spoil_completions(ring);
	return rc;
}

int io_uring_get_events(struct io_uring *ring)
{
	int rc = real.get_events(ring);

	spoil_completions(ring);
	return rc;
}

/* How far the clock is off at a moment of true time. */
static int64_t shift_ns(int64_t at_ns)
{
	return step_ns && at_ns >= step_at_ns ? step_ns : 0;
}

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int rc;

	if (!real.clock_gettime)
		find("clock_gettime", &real.clock_gettime);
	rc = real.clock_gettime(clock, ret);
	if (!rc && clock == CLOCK_MONOTONIC)
		*ret = from_ns(to_ns(ret) + shift_ns(to_ns(ret)));
	return rc;
}

/* Who waits until a moment waits by the same clock. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *rest)
{
	struct timespec moved;

	if (clock != CLOCK_MONOTONIC || !(flags & TIMER_ABSTIME))
		return real.clock_nanosleep(clock, flags, until, rest);
	moved = from_ns(to_ns(until) - shift_ns(true_ns()));
	return real.clock_nanosleep(clock, flags, &moved, rest);
}

long syscall(long number, ...)
{
	struct timespec moved;
	long arguments[6];
	va_list list;

	va_start(list, number);
	for (unsigned i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (!real.syscall)
		find("syscall", &real.syscall);
	if (number == SYS_futex && (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET &&
	    arguments[3]) {
		moved = from_ns(to_ns((const struct timespec *)arguments[3]) - shift_ns(true_ns()));
		arguments[3] = (long)&moved;
	}
	return real.syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
			    arguments[4], arguments[5]);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
