/* SPDX-License-Identifier: MIT */
/* test_sync.c - one request a call, and a system call that is interrupted. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "rig.h"

ssize_t __real_preadv2(int fd, const struct iovec *iovecs, int n, off_t offset, int flags);
ssize_t __wrap_preadv2(int fd, const struct iovec *iovecs, int n, off_t offset, int flags);

static struct rig_file file;
static unsigned calls;
static int flags_first[4]; /* of the same */
static int fail_first[4];  /* errno of the next calls, 0 for the real thing */

ssize_t __wrap_preadv2(int fd, const struct iovec *iovecs, int n, off_t offset, int flags)
{
	unsigned call = calls++;

	if (call < 4)
		flags_first[call] = flags;
	if (call < 4 && fail_first[call]) {
		errno = fail_first[call];
		return -1;
	}
	return __real_preadv2(fd, iovecs, n, offset, flags);
}

static void set_up_engine(struct rig *rig, struct choice *choice, const char *engine)
{
	struct error error = {0};

	if (file.fd < 0) {
		print_message("skipped: no O_DIRECT in the current directory\n");
		skip();
	}
	calls = 0;
	fail_first[0] = fail_first[1] = fail_first[2] = fail_first[3] = 0;
	rig_choose(choice, engine);
	if (rig_open(rig, choice, &file, 4, 4, 4, -1, &error) < 0)
		fail_msg("%s", error.text);
	for (unsigned i = 0; i < 4; i++)
		rig_read(rig, i, i * RIG_BLOCK);
}

static void set_up(struct rig *rig, struct choice *choice)
{
	set_up_engine(rig, choice, "\"sync\"");
}

static void tear_down(struct rig *rig, struct choice *choice)
{
	rig_close(rig);
	choice_free(choice);
}

static void test_one_request_a_call(void **state)
{
	struct request *pointers[4], *done[4];
	struct choice choice;
	struct rig rig;

	set_up(&rig, &choice);
	for (unsigned i = 0; i < 4; i++)
		pointers[i] = &rig.requests[i];
	assert_int_equal(rig.queue.ops->submit(&rig.queue, pointers, 4), 1);
	assert_int_equal(calls, 1);
	assert_int_equal(rig.queue.ops->submit(&rig.queue, pointers + 1, 3), 1);
	assert_int_equal(rig.queue.ops->reap(&rig.queue, done, 1, 4), 2);
	assert_ptr_equal(done[0], pointers[0]);
	assert_ptr_equal(done[1], pointers[1]);
	tear_down(&rig, &choice);
}

static void test_interrupted_read_is_made_again(void **state)
{
	struct choice choice;
	struct rig rig;

	set_up(&rig, &choice);
	fail_first[0] = fail_first[1] = EINTR;
	assert_int_equal(rig_turn(&rig, 4), 0);
	assert_int_equal(calls, 6);
	for (unsigned i = 0; i < 4; i++)
		assert_true(rig_verify(&rig.requests[i], RIG_BLOCK));
	tear_down(&rig, &choice);
}

static void test_failure_is_the_requests_result(void **state)
{
	struct choice choice;
	struct rig rig;

	set_up(&rig, &choice);
	fail_first[1] = EAGAIN;
	fail_first[2] = EIO;
	assert_int_equal(rig_turn(&rig, 4), 0);
	assert_int_equal(rig.requests[0].result, RIG_BLOCK);
	assert_int_equal(rig.requests[1].result, -EAGAIN);
	assert_int_equal(rig.requests[2].result, -EIO);
	assert_int_equal(rig.requests[3].result, RIG_BLOCK);
	tear_down(&rig, &choice);
}

static void test_refused_request_waits_the_second_time(void **state)
{
	struct choice choice;
	struct rig rig;

	set_up_engine(&rig, &choice, "{\"kind\": \"sync\", \"nowait\": true}");
	rig.requests[1].retries = 1;
	assert_int_equal(rig_turn(&rig, 2), 0);
	assert_int_equal(flags_first[0], RWF_NOWAIT);
	assert_int_equal(flags_first[1], 0);
	tear_down(&rig, &choice);
	set_up(&rig, &choice);
	assert_int_equal(rig_turn(&rig, 1), 0);
	assert_int_equal(flags_first[0], 0);
	tear_down(&rig, &choice);
}

/* A file of /proc takes no such flag. */
static void test_file_system_that_does_not_take_it_is_told(void **state)
{
	struct target target = {.path = "/proc/version", .file_system = "proc"};
	struct engine_setup setup = {.targets = &target, .n_targets = 1, .depth = 1};
	struct error error = {0};
	struct choice choice;

	target.fd = open("/proc/version", O_RDONLY | O_CLOEXEC);
	rig_choose(&choice, "{\"kind\": \"sync\", \"nowait\": true}");
	assert_int_equal(engine_ops_of(&choice)->probe(choice.params, &setup, &error),
			 ERROR_CANNOT);
	assert_non_null(strstr(error.text, "/proc/version lies on proc"));
	choice_free(&choice);
	rig_choose(&choice, "\"sync\"");
	assert_int_equal(engine_ops_of(&choice)->probe(choice.params, &setup, &error), 0);
	choice_free(&choice);
	close(target.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_request_a_call),
		cmocka_unit_test(test_interrupted_read_is_made_again),
		cmocka_unit_test(test_failure_is_the_requests_result),
		cmocka_unit_test(test_refused_request_waits_the_second_time),
		cmocka_unit_test(test_file_system_that_does_not_take_it_is_told),
	};
	int failed;

	rig_file_open(&file, 64 * RIG_BLOCK);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rig_file_close(&file);
	return failed;
}
