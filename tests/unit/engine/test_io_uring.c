/* SPDX-License-Identifier: MIT */
/* test_io_uring.c - one call a turn, calls that are refused, results of all kinds. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <liburing.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "rig.h"
#include "uring_fixture.h"

int __real_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait);
int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait);
int __real_io_uring_register_buffers(struct io_uring *ring, const struct iovec *iovecs, unsigned n);
int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *iovecs, unsigned n);

#define HYBRID_IOPOLL (1u << 17) /* Linux 6.13 */

static const char sqpoll[] =
	"{\"kind\": \"io_uring\", \"poll\": \"sqpoll\", \"sqpoll_idle\": \"1ms\"}";
static const char registered[] = "{\"kind\": \"io_uring\", \"registered_buffers\": true}";

int __real_io_uring_queue_init_params(unsigned n, struct io_uring *ring, struct io_uring_params *p);
int __wrap_io_uring_queue_init_params(unsigned n, struct io_uring *ring, struct io_uring_params *p);
int __real_io_uring_submit_and_get_events(struct io_uring *ring);
int __wrap_io_uring_submit_and_get_events(struct io_uring *ring);

/* What the shims do, and how often they were called. */
static struct {
	int enter_codes[4]; /* of the next calls; 0 for the real thing */
	int enter_always;
	bool results_eagain;
	unsigned enters;
	bool polls;			/* the ring was asked to poll its devices */
	struct iovec chunks[2];		/* as they were to be registered */
	struct io_uring_sqe entries[4]; /* as they were when the kernel was first entered */
} shim;

/* A device that can be polled is rare: the ring is a plain one, and only behaves like it. */
int __wrap_io_uring_queue_init_params(unsigned n, struct io_uring *ring, struct io_uring_params *p)
{
	shim.polls = p->flags & IORING_SETUP_IOPOLL;
	p->flags &= ~(IORING_SETUP_IOPOLL | HYBRID_IOPOLL);
	return __real_io_uring_queue_init_params(n, ring, p);
}

int __wrap_io_uring_submit_and_get_events(struct io_uring *ring)
{
	unsigned call = shim.enters++;

	return call < 4 && shim.enter_codes[call] ? shim.enter_codes[call]
						  : __real_io_uring_submit_and_get_events(ring);
}

int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait)
{
	unsigned call = shim.enters++;
	int rc;

	if (!call && ring->sq.ring_entries >= 4)
		memcpy(shim.entries, ring->sq.sqes, sizeof(shim.entries));
	if (shim.enter_always)
		return shim.enter_always;
	if (call < 4 && shim.enter_codes[call])
		return shim.enter_codes[call];
	/* Such a ring does not look at its devices while the queue holds anything. */
	if (shim.polls && io_uring_cq_ready(ring))
		wait = 0;
	rc = __real_io_uring_submit_and_wait(ring, wait);
	if (shim.results_eagain && io_uring_cq_ready(ring))
		ring->cq.cqes[*ring->cq.khead & ring->cq.ring_mask].res = -EAGAIN;
	return rc;
}

/* Only the last pages of a big chunk are really registered: a GiB would take its time. */
int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *iovecs, unsigned n)
{
	struct iovec chunks[2];

	if (n != 2)
		return __real_io_uring_register_buffers(ring, iovecs, n);
	memcpy(shim.chunks, iovecs, sizeof(shim.chunks));
	memcpy(chunks, iovecs, sizeof(chunks));
	chunks[0].iov_base = (char *)chunks[0].iov_base + chunks[0].iov_len - 65536;
	chunks[0].iov_len = 65536;
	return __real_io_uring_register_buffers(ring, chunks, 2);
}

static int reset(void **state)
{
	memset(&shim, 0, sizeof(shim));
	return 0;
}

static void test_one_call_submits_and_waits(void **state)
{
	struct request *pointers[8], *done[8];
	struct fixture fixture;

	set_up(&fixture, "\"io_uring\"");
	for (unsigned i = 0; i < 8; i++)
		pointers[i] = &fixture.rig.requests[i];
	assert_int_equal(fixture.rig.queue.ops->submit(&fixture.rig.queue, pointers, 8), 8);
	assert_int_equal(shim.enters, 0);
	assert_int_equal(fixture.rig.queue.ops->reap(&fixture.rig.queue, done, 8, 8), 8);
	assert_int_equal(shim.enters, 1);
	tear_down(&fixture);
}

static void test_refused_calls_are_made_again(void **state)
{
	static const int codes[][4] = {{-EINTR, -EINTR, 0, -EINTR},
				       {-EAGAIN, 0, -EAGAIN, -EAGAIN},
				       {-EBUSY, -EINTR, -EBUSY, 0},
				       {0, -EAGAIN, -EBUSY, -EINTR}};

	for (size_t i = 0; i < 4; i++) {
		struct fixture fixture;

		reset(state);
		memcpy(shim.enter_codes, codes[i], sizeof(codes[i]));
		set_up(&fixture, "\"io_uring\"");
		expect_turn_reads_all(&fixture);
		assert_true(shim.enters > 4);
		tear_down(&fixture);
	}
}

/* What the kernel holds already is waited for; nothing is given back too early. */
static void test_refusal_with_requests_in_flight(void **state)
{
	struct request *pointers[16], *done[16];
	struct fixture fixture;
	struct queue *queue = &fixture.rig.queue;
	int n;

	set_up(&fixture, "\"io_uring\"");
	for (unsigned i = 0; i < 16; i++)
		pointers[i] = &fixture.rig.requests[i];
	assert_int_equal(queue->ops->submit(queue, pointers, 8), 8);
	n = queue->ops->reap(queue, done, 0, 1);
	assert_in_range(n, 0, 1);
	assert_int_equal(queue->ops->submit(queue, pointers + 8, 8), 8);
	shim.enter_codes[shim.enters] = -EAGAIN;
	shim.enter_codes[shim.enters + 1] = -EBUSY;
	assert_int_equal(queue->ops->reap(queue, done, 16 - (unsigned)n, 16), 16 - n);
	for (unsigned i = 0; i < 16; i++)
		assert_true(rig_verify(pointers[i], RIG_BLOCK));
	tear_down(&fixture);
}

static void test_refusal_for_ever_ends(void **state)
{
	struct fixture fixture;

	set_up(&fixture, "\"io_uring\"");
	shim.enter_always = -EAGAIN;
	assert_int_equal(rig_turn(&fixture.rig, 8), -EAGAIN);
	assert_in_range(shim.enters, 100, 100000);
	shim.enter_always = -EFAULT;
	assert_int_equal(fixture.rig.queue.ops->reap(&fixture.rig.queue, NULL, 1, 1), -EFAULT);
	shim.enter_always = 0;
	tear_down(&fixture);
}

static void test_negative_results_come_through(void **state)
{
	struct fixture fixture;
	unsigned refused = 0;

	set_up(&fixture, "\"io_uring\"");
	shim.results_eagain = true;
	assert_int_equal(rig_turn(&fixture.rig, 32), 0);
	for (unsigned i = 0; i < 32; i++)
		refused += fixture.rig.requests[i].result == -EAGAIN;
	assert_in_range(refused, 1, 32);
	tear_down(&fixture);
}

static void test_buffer_outside_the_region_goes_the_plain_way(void **state)
{
	void *elsewhere = aligned_alloc(4096, RIG_BLOCK);
	struct fixture fixture;

	set_up(&fixture, registered);
	fixture.rig.requests[3].buffer = elsewhere;
	assert_int_equal(rig_turn(&fixture.rig, 32), 0);
	assert_true(rig_all_read(&fixture.rig, 32));
	assert_int_equal(shim.entries[2].opcode, IORING_OP_READ_FIXED);
	assert_int_equal(shim.entries[3].opcode, IORING_OP_READ);
	tear_down(&fixture);
	free(elsewhere);
}

/* The region is registered in pieces of 1 GiB; a buffer may lie in two of them. */
static void test_buffer_over_the_seam_of_two_chunks(void **state)
{
	struct fixture fixture = {0};
	struct rig *rig = &fixture.rig;

	rig_choose(&fixture.choice, registered);
	if (rig_open(rig, &fixture.choice, &file, 16, 8, (1u << 30) / RIG_BLOCK + 2, -1,
		     &fixture.error) < 0) {
		print_message("skipped: %s\n", fixture.error.text);
		skip();
	}
	assert_int_equal(shim.chunks[0].iov_len, 1 << 30);
	assert_int_equal(shim.chunks[1].iov_len, 2 * RIG_BLOCK);
	rig_reads(rig, 3);
	rig->requests[0].buffer = rig->region + (1 << 30) - 4096 - RIG_BLOCK;
	rig->requests[1].buffer = rig->region + (1 << 30) - 4096;
	rig->requests[2].buffer = rig->region + (1 << 30) + 4096;
	assert_int_equal(rig_turn(rig, 3), 0);
	assert_true(rig_all_read(rig, 3));
	assert_int_equal(shim.entries[0].opcode, IORING_OP_READ_FIXED);
	assert_int_equal(shim.entries[0].buf_index, 0);
	assert_int_equal(shim.entries[1].opcode, IORING_OP_READ);
	assert_int_equal(shim.entries[2].opcode, IORING_OP_READ_FIXED);
	assert_int_equal(shim.entries[2].buf_index, 1);
	tear_down(&fixture);
}

static void test_polled_devices_are_entered_for_every_completion(void **state)
{
	static const char *const polls[] = {"{\"kind\": \"io_uring\", \"poll\": \"iopoll\"}",
					    "{\"kind\": \"io_uring\", \"poll\": \"hybrid\"}"};
	struct request *pointers[16], *done[16];

	for (unsigned i = 0; i < 2; i++) {
		struct fixture fixture;
		struct queue *queue = &fixture.rig.queue;

		reset(state);
		set_up(&fixture, polls[i]);
		assert_true(shim.polls);
		assert_non_null(strstr(queue->traits, i ? "HYBRID_IOPOLL" : "IOPOLL"));
		expect_turn_reads_all(&fixture);
		for (unsigned j = 0; j < 16; j++)
			pointers[j] = rig_read(&fixture.rig, j, j * RIG_BLOCK);
		/* More than lie ready at the first look, with some that lie ready. */
		assert_int_equal(queue->ops->submit(queue, pointers, 8), 8);
		while (!io_uring_cq_ready(queue->private_data))
			__real_io_uring_submit_and_get_events(queue->private_data);
		assert_int_equal(queue->ops->submit(queue, pointers + 8, 8), 8);
		assert_int_equal(queue->ops->reap(queue, done, 16, 16), 16);
		assert_true(rig_all_read(&fixture.rig, 16));
		assert_int_equal(queue->ops->reap(queue, done, 0, 16), 0);
		tear_down(&fixture);
	}
}

static void test_polled_calls_that_are_refused_are_made_again(void **state)
{
	static const int codes[][4] = {{-EINTR, -EAGAIN, 0, -EBUSY}, {-EAGAIN, -EINTR, -EBUSY, 0}};

	for (size_t i = 0; i < 2; i++) {
		struct fixture fixture;

		reset(state);
		memcpy(shim.enter_codes, codes[i], sizeof(codes[i]));
		set_up(&fixture, "{\"kind\": \"io_uring\", \"poll\": \"iopoll\"}");
		expect_turn_reads_all(&fixture);
		assert_true(shim.enters > 4);
		shim.enter_always = -EAGAIN;
		assert_int_equal(rig_turn(&fixture.rig, 8), -EAGAIN);
		shim.enter_always = 0;
		tear_down(&fixture);
	}
}

/* A thread that has slept over the work handed to it must be woken, by submit or by reap. */
static void test_poller_that_sleeps_is_woken(void **state)
{
	struct request *pointers[8], *done[8];
	struct fixture fixture;
	struct queue *queue = &fixture.rig.queue;
	struct io_uring *ring;

	set_up(&fixture, sqpoll);
	ring = queue->private_data;
	for (unsigned round = 0; round < 8; round++) {
		for (unsigned i = 0; i < 1000; i++) {
			if (__atomic_load_n(ring->sq.kflags, __ATOMIC_RELAXED) &
			    IORING_SQ_NEED_WAKEUP)
				break;
			usleep(1000);
		}
		assert_true(*ring->sq.kflags & IORING_SQ_NEED_WAKEUP);
		for (unsigned i = 0; i < 8; i++)
			pointers[i] = rig_read(&fixture.rig, i, i * RIG_BLOCK);
		assert_int_equal(queue->ops->submit(queue, pointers, 8), 8);
		assert_int_equal(queue->ops->reap(queue, done, 8, 8), 8);
		assert_true(rig_all_read(&fixture.rig, 8));
	}
	tear_down(&fixture);
}

/* While the thread is awake nobody calls the kernel to submit. */
static void test_poller_takes_what_is_submitted_by_itself(void **state)
{
	struct request *pointers[8], *done[8];
	struct fixture fixture;
	struct queue *queue = &fixture.rig.queue;
	unsigned n = 0;

	set_up(&fixture, "{\"kind\": \"io_uring\", \"poll\": \"sqpoll\"}");
	for (unsigned i = 0; i < 8; i++)
		pointers[i] = rig_read(&fixture.rig, i, i * RIG_BLOCK);
	assert_int_equal(queue->ops->submit(queue, pointers, 8), 8);
	for (unsigned i = 0; i < 5000 && n < 8; i++) {
		n += (unsigned)queue->ops->reap(queue, done, 0, 8);
		usleep(1000);
	}
	assert_int_equal(n, 8);
	assert_int_equal(shim.enters, 0);
	assert_true(rig_all_read(&fixture.rig, 8));
	tear_down(&fixture);
}

static void test_poller_that_cannot_be_entered_ends(void **state)
{
	struct fixture fixture;

	set_up(&fixture, sqpoll);
	shim.enter_always = -EAGAIN;
	assert_int_equal(fixture.rig.queue.ops->reap(&fixture.rig.queue, NULL, 1, 1), -EAGAIN);
	shim.enter_always = -EOWNERDEAD;
	assert_int_equal(fixture.rig.queue.ops->reap(&fixture.rig.queue, NULL, 1, 1), -EOWNERDEAD);
	shim.enter_always = 0;
	tear_down(&fixture);
}

static void test_refused_request_waits_the_second_time(void **state)
{
	struct fixture fixture;

	set_up(&fixture, "{\"kind\": \"io_uring\", \"nowait\": true}");
	fixture.rig.requests[1].retries = 1;
	assert_int_equal(rig_turn(&fixture.rig, 4), 0);
	assert_int_equal(shim.entries[0].rw_flags, RWF_NOWAIT);
	assert_int_equal(shim.entries[1].rw_flags, 0);
	assert_int_equal(shim.entries[2].rw_flags, RWF_NOWAIT);
	tear_down(&fixture);
	reset(state);
	set_up(&fixture, "\"io_uring\"");
	assert_int_equal(rig_turn(&fixture.rig, 4), 0);
	assert_int_equal(shim.entries[0].rw_flags, 0);
	tear_down(&fixture);
}

/* It cannot be, since the ring holds the whole depth; where it is, a completion is lost for ever.
 */
static void test_lost_completion_is_an_error(void **state)
{
	struct fixture fixture;
	struct io_uring *ring;
	struct request *done[1];

	set_up(&fixture, "\"io_uring\"");
	ring = fixture.rig.queue.private_data; /* its first member */
	assert_true(ring->cq.ring_entries >= fixture.rig.queue.setup.depth);
	*ring->cq.koverflow = 1;
	assert_int_equal(fixture.rig.queue.ops->reap(&fixture.rig.queue, done, 0, 1), -EOVERFLOW);
	*ring->cq.koverflow = 0;
	expect_turn_reads_all(&fixture);
	tear_down(&fixture);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, reset, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one_call_submits_and_waits),
		TEST(test_refused_calls_are_made_again),
		TEST(test_refusal_with_requests_in_flight),
		TEST(test_refusal_for_ever_ends),
		TEST(test_negative_results_come_through),
		TEST(test_buffer_outside_the_region_goes_the_plain_way),
		TEST(test_buffer_over_the_seam_of_two_chunks),
		TEST(test_polled_devices_are_entered_for_every_completion),
		TEST(test_polled_calls_that_are_refused_are_made_again),
		TEST(test_poller_that_sleeps_is_woken),
		TEST(test_poller_takes_what_is_submitted_by_itself),
		TEST(test_poller_that_cannot_be_entered_ends),
		TEST(test_refused_request_waits_the_second_time),
		TEST(test_lost_completion_is_an_error),
	};
	int failed;

	rig_file_open(&file, 64 * RIG_BLOCK);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rig_file_close(&file);
	return failed;
}
