/* SPDX-License-Identifier: MIT */
/* test_libaio.c - short submits, interruptions, refusals, and the machine's limit on requests. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <libaio.h>
#include <sys/uio.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "rig.h"

int __real_io_setup(int n, io_context_t *context);
int __wrap_io_setup(int n, io_context_t *context);
int __real_io_submit(io_context_t context, long n, struct iocb **iocbs);
int __wrap_io_submit(io_context_t context, long n, struct iocb **iocbs);
int __real_io_getevents(io_context_t context, long min, long max, struct io_event *events,
			struct timespec *timeout);
int __wrap_io_getevents(io_context_t context, long min, long max, struct io_event *events,
			struct timespec *timeout);

static struct rig_file file;

/* What the shims do, and how often they were called. */
static struct {
	int setup_code;	     /* returned by io_setup, if not 0 */
	long submit_at_most; /* requests that io_submit takes, if not 0 */
	int submit_codes[4]; /* of the next calls; 0 for the real thing */
	int getevents_eintr; /* interruptions still to come */
	bool results_eagain; /* the first event of each call says EAGAIN */
	bool always_eagain;  /* io_submit takes nothing, ever */
	unsigned submits, getevents;
	int flags[4]; /* of the first requests submitted */
} shim;

int __wrap_io_setup(int n, io_context_t *context)
{
	return shim.setup_code ? shim.setup_code : __real_io_setup(n, context);
}

int __wrap_io_submit(io_context_t context, long n, struct iocb **iocbs)
{
	unsigned call = shim.submits++;

	for (long i = 0; !call && i < n && i < 4; i++)
		shim.flags[i] = (int)iocbs[i]->aio_rw_flags;
	if (shim.always_eagain)
		return -EAGAIN;
	if (call < 4 && shim.submit_codes[call])
		return shim.submit_codes[call];
	if (shim.submit_at_most && n > shim.submit_at_most)
		n = shim.submit_at_most;
	return __real_io_submit(context, n, iocbs);
}

int __wrap_io_getevents(io_context_t context, long min, long max, struct io_event *events,
			struct timespec *timeout)
{
	int n;

	shim.getevents++;
	if (shim.getevents_eintr && shim.getevents_eintr--)
		return -EINTR;
	n = __real_io_getevents(context, min, max, events, timeout);
	if (n > 0 && shim.results_eagain)
		events[0].res = (unsigned long)-EAGAIN;
	return n;
}

struct fixture {
	struct choice choice;
	struct rig rig;
};

static void set_up(struct fixture *fixture, const char *engine)
{
	struct error error = {0};

	if (file.fd < 0) {
		print_message("skipped: no O_DIRECT in the current directory\n");
		skip();
	}
	memset(&shim, 0, sizeof(shim));
	rig_choose(&fixture->choice, engine);
	if (rig_open(&fixture->rig, &fixture->choice, &file, 16, 8, 32, -1, &error) < 0)
		fail_msg("%s", error.text);
	rig_reads(&fixture->rig, 32);
}

static void expect_all_read(const struct fixture *fixture)
{
	assert_true(rig_all_read(&fixture->rig, 32));
}

static void tear_down(struct fixture *fixture)
{
	memset(&shim, 0, sizeof(shim));
	rig_close(&fixture->rig);
	choice_free(&fixture->choice);
}

static void test_short_submits_are_continued(void **state)
{
	struct request *pointers[8];
	struct fixture fixture;

	set_up(&fixture, "\"libaio\"");
	shim.submit_at_most = 1;
	for (unsigned i = 0; i < 8; i++)
		pointers[i] = &fixture.rig.requests[i];
	assert_int_equal(fixture.rig.queue.ops->submit(&fixture.rig.queue, pointers, 8), 8);
	assert_int_equal(shim.submits, 8);
	fixture.rig.queue.ops->reap(&fixture.rig.queue, pointers, 8, 8);
	assert_int_equal(rig_turn(&fixture.rig, 32), 0);
	expect_all_read(&fixture);
	tear_down(&fixture);
}

static void test_full_kernel_keeps_the_rest_with_the_caller(void **state)
{
	struct request *pointers[8], *done[8];
	struct fixture fixture;

	set_up(&fixture, "\"libaio\"");
	shim.submit_at_most = 3;
	shim.submit_codes[1] = -EAGAIN;
	for (unsigned i = 0; i < 8; i++)
		pointers[i] = &fixture.rig.requests[i];
	assert_int_equal(fixture.rig.queue.ops->submit(&fixture.rig.queue, pointers, 8), 3);
	assert_int_equal(fixture.rig.queue.ops->reap(&fixture.rig.queue, done, 3, 8), 3);
	assert_int_equal(fixture.rig.requests[3].result, INT32_MIN);
	assert_int_equal(rig_turn(&fixture.rig, 32), 0);
	expect_all_read(&fixture);
	tear_down(&fixture);
}

static void test_interrupted_calls_are_made_again(void **state)
{
	struct fixture fixture;

	set_up(&fixture, "{\"kind\": \"libaio\", \"userspace_reap\": false}");
	shim.submit_codes[0] = shim.submit_codes[1] = -EINTR;
	shim.getevents_eintr = 3;
	assert_int_equal(rig_turn(&fixture.rig, 32), 0);
	assert_int_equal(shim.getevents_eintr, 0);
	expect_all_read(&fixture);
	tear_down(&fixture);
}

static void test_refused_requests_complete_with_their_code(void **state)
{
	struct fixture fixture;

	set_up(&fixture, "\"libaio\"");
	shim.submit_codes[0] = -EINVAL;
	shim.submit_codes[1] = -EFAULT;
	assert_int_equal(rig_turn(&fixture.rig, 32), 0);
	assert_int_equal(fixture.rig.requests[0].result, -EINVAL);
	assert_int_equal(fixture.rig.requests[1].result, -EFAULT);
	for (unsigned i = 2; i < 32; i++)
		assert_true(rig_verify(&fixture.rig.requests[i], RIG_BLOCK));
	assert_int_equal(rig_turn(&fixture.rig, 32), 0);
	expect_all_read(&fixture);
	tear_down(&fixture);
}

static void test_eagain_of_an_idle_queue_ends(void **state)
{
	struct fixture fixture;
	struct request *pointer;

	set_up(&fixture, "\"libaio\"");
	pointer = &fixture.rig.requests[0];
	shim.submit_codes[0] = shim.submit_codes[1] = -EAGAIN;
	assert_int_equal(fixture.rig.queue.ops->submit(&fixture.rig.queue, &pointer, 1), 1);
	assert_int_equal(fixture.rig.queue.ops->reap(&fixture.rig.queue, &pointer, 1, 1), 1);
	shim.always_eagain = true;
	assert_int_equal(fixture.rig.queue.ops->submit(&fixture.rig.queue, &pointer, 1), -EAGAIN);
	assert_in_range(shim.submits, 100, 100000);
	tear_down(&fixture);
}

static void test_negative_results_are_signed(void **state)
{
	struct fixture fixture;
	unsigned refused = 0;

	set_up(&fixture, "{\"kind\": \"libaio\", \"userspace_reap\": false}");
	shim.results_eagain = true;
	assert_int_equal(rig_turn(&fixture.rig, 32), 0);
	for (unsigned i = 0; i < 32; i++)
		refused += fixture.rig.requests[i].result == -EAGAIN;
	assert_int_equal(refused, shim.getevents);
	tear_down(&fixture);
}

static void test_user_space_reap_needs_no_call_to_poll(void **state)
{
	struct fixture fixture;
	struct request *pointers[8];
	unsigned left = 8;

	set_up(&fixture, "\"libaio\"");
	assert_string_equal(fixture.rig.queue.traits, "user-space reap");
	for (unsigned i = 0; i < 8; i++)
		pointers[i] = &fixture.rig.requests[i];
	assert_int_equal(fixture.rig.queue.ops->submit(&fixture.rig.queue, pointers, 8), 8);
	while (left)
		left -= (unsigned)fixture.rig.queue.ops->reap(&fixture.rig.queue, pointers, 0, 3);
	assert_int_equal(shim.getevents, 0);
	tear_down(&fixture);
}

static void expect_limit_named(int rc, const char *text, unsigned long need, unsigned long max)
{
	char number[32];

	assert_int_equal(rc, ERROR_CANNOT);
	assert_non_null(strstr(text, "fs.aio-max-nr"));
	assert_non_null(strstr(text, "sysctl fs.aio-max-nr="));
	snprintf(number, sizeof(number), " %lu ", need);
	assert_non_null(strstr(text, number));
	snprintf(number, sizeof(number), " %lu ", max);
	assert_non_null(strstr(text, number));
}

static void test_machine_limit_is_named(void **state)
{
	struct engine_setup setup = {.queues = 2};
	struct error error = {0}, open_error = {0};
	struct choice choice;
	struct queue queue;
	uint64_t max;

	memset(&shim, 0, sizeof(shim));
	if (sysfile_read_u64("/proc/sys/fs/aio-max-nr", &max, NULL) < 0 || max > 1 << 20) {
		print_message("skipped: fs.aio-max-nr is too big to be exceeded\n");
		skip();
	}
	setup.depth = (unsigned)max / 2 + 1;
	rig_choose(&choice, "\"libaio\"");
	expect_limit_named(engine_ops_of(&choice)->probe(choice.params, &setup, &error), error.text,
			   2ul * setup.depth, max);
	setup.depth = (unsigned)max + 1;
	setup.queues = 1;
	expect_limit_named(queue_open(&queue, &choice, &setup, &open_error), open_error.text,
			   setup.depth, max);
	choice_free(&choice);
}

static void test_forbidden_set_up_offers_another_engine(void **state)
{
	struct engine_setup setup = {.depth = 4, .batch = 4, .queues = 1};
	struct error error = {0};
	struct choice choice;

	memset(&shim, 0, sizeof(shim));
	shim.setup_code = -ENOSYS;
	rig_choose(&choice, "\"libaio\"");
	assert_int_equal(engine_ops_of(&choice)->probe(choice.params, &setup, &error),
			 ERROR_CANNOT);
	assert_non_null(strstr(error.text, "seccomp"));
	assert_non_null(strstr(error.text, "io_uring"));
	shim.setup_code = 0;
	choice_free(&choice);
}

static void test_refused_request_waits_the_second_time(void **state)
{
	struct fixture fixture;

	set_up(&fixture, "{\"kind\": \"libaio\", \"nowait\": true}");
	fixture.rig.requests[1].retries = 1;
	assert_int_equal(rig_turn(&fixture.rig, 4), 0);
	assert_int_equal(shim.flags[0], RWF_NOWAIT);
	assert_int_equal(shim.flags[1], 0);
	assert_int_equal(shim.flags[2], RWF_NOWAIT);
	tear_down(&fixture);
	set_up(&fixture, "\"libaio\"");
	assert_int_equal(rig_turn(&fixture.rig, 4), 0);
	assert_int_equal(shim.flags[0], 0);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_submits_are_continued),
		cmocka_unit_test(test_full_kernel_keeps_the_rest_with_the_caller),
		cmocka_unit_test(test_interrupted_calls_are_made_again),
		cmocka_unit_test(test_refused_requests_complete_with_their_code),
		cmocka_unit_test(test_eagain_of_an_idle_queue_ends),
		cmocka_unit_test(test_negative_results_are_signed),
		cmocka_unit_test(test_user_space_reap_needs_no_call_to_poll),
		cmocka_unit_test(test_machine_limit_is_named),
		cmocka_unit_test(test_forbidden_set_up_offers_another_engine),
		cmocka_unit_test(test_refused_request_waits_the_second_time),
	};
	int failed;

	rig_file_open(&file, 64 * RIG_BLOCK);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rig_file_close(&file);
	return failed;
}
