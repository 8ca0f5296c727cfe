/* SPDX-License-Identifier: MIT */
/* test_ring.c - flags that a kernel lacks, and refusals at set-up with their reasons. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <liburing.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "engine/ring.h"
#include "rig.h"
#include "uring_fixture.h"

int __real_io_uring_queue_init_params(unsigned n, struct io_uring *ring, struct io_uring_params *p);
int __wrap_io_uring_queue_init_params(unsigned n, struct io_uring *ring, struct io_uring_params *p);
int __real_io_uring_register_files(struct io_uring *ring, const int *files, unsigned n);
int __wrap_io_uring_register_files(struct io_uring *ring, const int *files, unsigned n);
int __real_io_uring_register_buffers(struct io_uring *ring, const struct iovec *iovecs, unsigned n);
int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *iovecs, unsigned n);
int __real_io_uring_register_ring_fd(struct io_uring *ring);
int __wrap_io_uring_register_ring_fd(struct io_uring *ring);

#define HYBRID_IOPOLL (1u << 17) /* Linux 6.13 */

/* What the shims do, and how often they were called. */
static struct {
	unsigned unknown_flags; /* set-up with one of these is EINVAL */
	int setup_code, setup_times;
	int files_code, ring_fd_code, buffers_code, buffers_times;
	unsigned setups, buffers;
	struct io_uring_params asked; /* of the last set-up */
} shim;

int __wrap_io_uring_queue_init_params(unsigned n, struct io_uring *ring, struct io_uring_params *p)
{
	shim.setups++;
	shim.asked = *p;
	if (shim.setup_times && shim.setup_times--)
		return shim.setup_code;
	if (p->flags & shim.unknown_flags)
		return -EINVAL;
	return __real_io_uring_queue_init_params(n, ring, p);
}

int __wrap_io_uring_register_files(struct io_uring *ring, const int *files, unsigned n)
{
	return shim.files_code ? shim.files_code : __real_io_uring_register_files(ring, files, n);
}

int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *iovecs, unsigned n)
{
	shim.buffers++;
	if (shim.buffers_times && shim.buffers_times--)
		return shim.buffers_code;
	return __real_io_uring_register_buffers(ring, iovecs, n);
}

int __wrap_io_uring_register_ring_fd(struct io_uring *ring)
{
	return shim.ring_fd_code ? shim.ring_fd_code : __real_io_uring_register_ring_fd(ring);
}

static int reset(void **state)
{
	memset(&shim, 0, sizeof(shim));
	return 0;
}

static void expect_flags(unsigned unknown, const char *in_force)
{
	unsigned before = rig_count_fds();
	struct fixture fixture;

	shim.unknown_flags = unknown;
	set_up(&fixture, "\"io_uring\"");
	assert_int_equal(strncmp(fixture.rig.queue.traits, in_force, strlen(in_force)), 0);
	if (!*in_force)
		assert_null(strstr(fixture.rig.queue.traits, "TASKRUN"));
	expect_turn_reads_all(&fixture);
	tear_down(&fixture);
	assert_int_equal(rig_count_fds(), before);
}

static void test_flags_are_given_up_newest_first(void **state)
{
	expect_flags(IORING_SETUP_DEFER_TASKRUN, "SINGLE_ISSUER COOP_TASKRUN SUBMIT_ALL CQSIZE, ");
	expect_flags(IORING_SETUP_SINGLE_ISSUER, "COOP_TASKRUN SUBMIT_ALL CQSIZE, ");
	expect_flags(IORING_SETUP_COOP_TASKRUN, "SUBMIT_ALL CQSIZE, ");
	expect_flags(IORING_SETUP_SUBMIT_ALL, "CQSIZE, ");
	expect_flags(~0u, "");
}

#define EXCLUDED                                                                                   \
	(IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG)

/* A thread that completes in a place of its own does not go with these, not even on a try. */
static void test_sqpoll_drops_what_does_not_go_with_it(void **state)
{
	struct fixture fixture;

	set_up(&fixture, "{\"kind\": \"io_uring\", \"poll\": \"sqpoll\", \"sqpoll_idle\": "
			 "\"20ms\", \"sqpoll_cpu\": \"0\"}");
	assert_int_equal(shim.setups, 1);
	assert_true(shim.asked.flags & IORING_SETUP_SQPOLL);
	assert_true(shim.asked.flags & IORING_SETUP_SQ_AFF);
	assert_true(shim.asked.flags & IORING_SETUP_SINGLE_ISSUER);
	assert_int_equal(shim.asked.flags & EXCLUDED, 0);
	assert_int_equal(shim.asked.sq_thread_idle, 20);
	assert_int_equal(shim.asked.sq_thread_cpu, 0);
	assert_non_null(strstr(fixture.rig.queue.traits, "SQPOLL (idle 20 ms on CPU 0 without "
							 "DEFER_TASKRUN COOP_TASKRUN) "
							 "SINGLE_ISSUER"));
	expect_turn_reads_all(&fixture);
	tear_down(&fixture);
}

/* Flags that a kernel lacks are given up as without polling, and polling itself is not. */
static void test_sqpoll_on_an_older_kernel(void **state)
{
	struct fixture fixture;

	shim.unknown_flags = EXCLUDED | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_SUBMIT_ALL;
	set_up(&fixture, "{\"kind\": \"io_uring\", \"poll\": \"sqpoll\"}");
	assert_int_equal(shim.setups, 3);
	assert_int_equal(shim.asked.flags, IORING_SETUP_SQPOLL | IORING_SETUP_CQSIZE);
	expect_turn_reads_all(&fixture);
	tear_down(&fixture);
}

static void test_no_polling_asks_for_none(void **state)
{
	struct fixture fixture;

	set_up(&fixture, "\"io_uring\"");
	assert_int_equal(shim.asked.flags & (IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF |
					     IORING_SETUP_IOPOLL | HYBRID_IOPOLL),
			 0);
	assert_null(strstr(fixture.rig.queue.traits, "POLL"));
	tear_down(&fixture);
}

/* One refusal of all flags must not make the later successes look like failures. */
static void test_one_refusal_costs_one_flag(void **state)
{
	struct fixture fixture;

	shim.setup_code = -EINVAL;
	shim.setup_times = 1;
	set_up(&fixture, "\"io_uring\"");
	assert_int_equal(shim.setups, 2);
	tear_down(&fixture);
}

static void test_memory_that_comes_late_is_waited_for(void **state)
{
	struct fixture fixture;

	shim.setup_code = -ENOMEM;
	shim.setup_times = 3;
	shim.buffers_code = -ENOMEM;
	shim.buffers_times = 2;
	set_up(&fixture, "{\"kind\": \"io_uring\", \"registered_buffers\": true}");
	assert_int_equal(shim.setups, 4);
	assert_int_equal(shim.buffers, 3);
	assert_non_null(strstr(fixture.rig.queue.traits, "registered buffers"));
	expect_turn_reads_all(&fixture);
	tear_down(&fixture);
}

static void expect_refusal(const char *engine, int code, const char *words, const char *remedy)
{
	unsigned before = rig_count_fds();
	struct fixture fixture;

	assert_int_equal(try_open(&fixture, engine), code);
	assert_non_null(strstr(fixture.error.text, words));
	assert_non_null(strstr(fixture.error.text, remedy));
	choice_free(&fixture.choice);
	assert_int_equal(rig_count_fds(), before);
}

static void test_memory_that_never_comes_names_the_limit(void **state)
{
	shim.setup_code = -ENOMEM;
	shim.setup_times = 1000;
	expect_refusal("\"io_uring\"", ERROR_CANNOT, "RLIMIT_MEMLOCK", "ulimit -l");
	assert_in_range(shim.setups, 2, 100);
}

static void test_descriptors_that_are_used_up_are_named(void **state)
{
	shim.setup_code = -EMFILE;
	shim.setup_times = 1;
	expect_refusal("\"io_uring\"", ERROR_CANNOT, "RLIMIT_NOFILE", "ulimit -n");
}

static void test_buffers_that_cannot_be_registered(void **state)
{
	const char *engine = "{\"kind\": \"io_uring\", \"registered_buffers\": true}";

	shim.buffers_times = 1000;
	shim.buffers_code = -EOPNOTSUPP;
	expect_refusal(engine, ERROR_CANNOT, "5.14", "registered_buffers=false");
	shim.buffers_code = -ENOMEM;
	expect_refusal(engine, ERROR_CANNOT, "RLIMIT_MEMLOCK", "registered_buffers=false");
	expect_refusal(engine, ERROR_CANNOT, "256K", "ulimit -l unlimited");
}

static void test_polling_that_cannot_be_had_says_why(void **state)
{
	const char *hybrid = "{\"kind\": \"io_uring\", \"poll\": \"hybrid\"}";
	const char *nowhere = "{\"kind\": \"io_uring\", \"poll\": \"sqpoll\", "
			      "\"sqpoll_cpu\": \"100000\"}";

	shim.unknown_flags = HYBRID_IOPOLL;
	expect_refusal(hybrid, ERROR_CANNOT, "Linux 6.13", "poll=iopoll");
	shim.unknown_flags = IORING_SETUP_IOPOLL;
	expect_refusal("{\"kind\": \"io_uring\", \"poll\": \"iopoll\"}", ERROR_CANNOT,
		       "poll iopoll", "refuses it");
	shim.unknown_flags = 0;
	expect_refusal(nowhere, ERROR_CANNOT, "CPU 100000", "online");
	expect_refusal("{\"kind\": \"io_uring\", \"sqpoll_cpu\": \"0\"}", ERROR_INPUT,
		       "poll is 'none'", "poll=sqpoll");
	expect_refusal("{\"kind\": \"io_uring\", \"poll\": \"sqpoll\", \"sqpoll_cpu\": "
		       "\"zero\"}",
		       ERROR_INPUT, "sqpoll_cpu: ", "zero");
}

/* As before Linux 5.13, where the poller was root's. */
static void test_sqpoll_that_is_forbidden_is_not_io_uring_that_is(void **state)
{
	shim.setup_code = -EPERM;
	shim.setup_times = 1;
	expect_refusal("{\"kind\": \"io_uring\", \"poll\": \"sqpoll\"}", ERROR_CANNOT,
		       "before Linux 5.13", "poll=none");
	shim.setup_times = 2;
	expect_refusal("{\"kind\": \"io_uring\", \"poll\": \"sqpoll\"}", ERROR_CANNOT, "io_uring",
		       "libaio");
}

static void test_files_that_cannot_be_registered_are_recorded(void **state)
{
	struct fixture fixture;

	shim.files_code = -ENOMEM;
	shim.ring_fd_code = -EINVAL;
	set_up(&fixture, "\"io_uring\"");
	assert_non_null(strstr(fixture.rig.queue.traits, "files not registered: "));
	assert_null(strstr(fixture.rig.queue.traits, "registered ring"));
	expect_turn_reads_all(&fixture);
	tear_down(&fixture);
}

static void test_depth_beyond_the_ring_is_refused(void **state)
{
	struct engine_setup setup = {.depth = RING_ENTRIES_MAX + 1, .batch = 8, .queues = 1};
	struct error error = {0};
	struct choice choice;

	rig_choose(&choice, "\"io_uring\"");
	assert_int_equal(engine_ops_of(&choice)->probe(choice.params, &setup, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "32768"));
	choice_free(&choice);
}

/* The rest is for real: a child meets the machine's refusals and tells what it was told. */

static const char *const setting = "/proc/sys/kernel/io_uring_disabled";

static void tell(int fd, const char *engine)
{
	struct engine_setup setup = {
		.depth = 16, .batch = 8, .region_bytes = 64 << 20, .queues = 1};
	struct error error = {0};
	struct choice choice;

	rig_choose(&choice, engine);
	engine_ops_of(&choice)->probe(choice.params, &setup, &error);
	choice_free(&choice);
	if (write(fd, &error, sizeof(error)) != sizeof(error))
		_exit(1);
	_exit(0);
}

static void ask_child(void (*restrict_child)(void), const char *engine, struct error *ret)
{
	int fds[2], status;
	pid_t pid;

	memset(ret, 0, sizeof(*ret));
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		restrict_child();
		tell(fds[1], engine);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], ret, sizeof(*ret)), sizeof(*ret));
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void forbid_by_seccomp(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = 4, .filter = rules};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program))
		_exit(2);
}

static void test_seccomp_is_named(void **state)
{
	uint64_t disabled = 0;
	struct error error;

	if (sysfile_read_u64(setting, &disabled, NULL) == 0 && disabled) {
		print_message("skipped: kernel.io_uring_disabled is set on this machine\n");
		skip();
	}
	ask_child(forbid_by_seccomp, "\"io_uring\"", &error);
	assert_int_equal(error.code, ERROR_CANNOT);
	assert_non_null(strstr(error.text, "seccomp"));
	assert_non_null(strstr(error.text, "libaio"));
}

static void lose_privilege(void)
{
	struct rlimit limit = {65536, 65536};

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || (geteuid() == 0 && setuid(65534)))
		_exit(2);
}

static void test_memlock_is_named_with_value_and_need(void **state)
{
	struct error error;

	ask_child(lose_privilege, "{\"kind\": \"io_uring\", \"registered_buffers\": true}", &error);
	if (!strstr(error.text, "RLIMIT_MEMLOCK") && strstr(error.text, "io_uring_disabled")) {
		print_message("skipped: %s\n", error.text);
		skip();
	}
	assert_int_equal(error.code, ERROR_CANNOT);
	assert_non_null(strstr(error.text, "RLIMIT_MEMLOCK is 64K"));
	assert_non_null(strstr(error.text, "needs 64M"));
}

/* What the setting was before the test; empty while it still is. */
static char setting_before[32];

static int put_setting_back(void **state)
{
	if (*setting_before && sysfile_write(setting, setting_before, NULL) < 0)
		return -1;
	*setting_before = '\0';
	return 0;
}

static void expect_disabled(const char *value, const char *words)
{
	struct error error;

	if (geteuid() || sysfile_read(setting, setting_before, sizeof(setting_before), NULL) < 0 ||
	    sysfile_write(setting, value, NULL) < 0) {
		print_message("skipped: %s cannot be set\n", setting);
		skip();
	}
	ask_child(lose_privilege, "\"io_uring\"", &error);
	assert_int_equal(put_setting_back(NULL), 0);
	assert_int_equal(error.code, ERROR_CANNOT);
	assert_non_null(strstr(error.text, words));
	assert_non_null(strstr(error.text, "sysctl kernel.io_uring_disabled=0"));
	assert_non_null(strstr(error.text, "libaio"));
}

static void test_setting_is_named(void **state)
{
	expect_disabled("2", "kernel.io_uring_disabled=2");
	expect_disabled("1", "kernel.io_uring_group=");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, reset, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_flags_are_given_up_newest_first),
		TEST(test_sqpoll_drops_what_does_not_go_with_it),
		TEST(test_sqpoll_on_an_older_kernel),
		TEST(test_no_polling_asks_for_none),
		TEST(test_polling_that_cannot_be_had_says_why),
		TEST(test_sqpoll_that_is_forbidden_is_not_io_uring_that_is),
		TEST(test_one_refusal_costs_one_flag),
		TEST(test_memory_that_comes_late_is_waited_for),
		TEST(test_memory_that_never_comes_names_the_limit),
		TEST(test_descriptors_that_are_used_up_are_named),
		TEST(test_buffers_that_cannot_be_registered),
		TEST(test_files_that_cannot_be_registered_are_recorded),
		TEST(test_depth_beyond_the_ring_is_refused),
		TEST(test_seccomp_is_named),
		TEST(test_memlock_is_named_with_value_and_need),
		cmocka_unit_test_setup_teardown(test_setting_is_named, reset, put_setting_back),
	};
	int failed;

	rig_file_open(&file, 64 * RIG_BLOCK);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rig_file_close(&file);
	return failed;
}
