/* SPDX-License-Identifier: MIT */
/* test_keeper.c - a keeper acts when the program and its runners are gone, and only then. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "orphans.h"
#include "run/keeper.h"

#define BOTH	"[\"hugepages\", \"shmem_enabled\"]"
#define SOON_MS 100
#define LONG_MS 20000

/* What a keeper writes when it restores. */
struct bell {
	int fds[2];
	struct keeper_work work;
};

static void bell_strike(void *context)
{
	const struct bell *bell = context;

	if (write(bell->fds[1], "!", 1) != 1)
		_exit(1);
}

static void bell_make(struct bell *bell)
{
	assert_int_equal(pipe2(bell->fds, O_CLOEXEC), 0);
	bell->work = (struct keeper_work){
		.restore = bell_strike, .context = bell, .fds = &bell->fds[1], .n_fds = 1};
}

static void bell_drop(struct bell *bell)
{
	close(bell->fds[0]);
	close(bell->fds[1]);
}

static bool bell_rings(const struct bell *bell, int within_ms)
{
	struct pollfd poll_fd = {.fd = bell->fds[0], .events = POLLIN};

	return poll(&poll_fd, 1, within_ms) > 0 && poll_fd.revents & POLLIN;
}

static void test_it_ends_with_nothing_done(void **state)
{
	struct keeper keeper = {0};
	struct error error = {0};
	struct bell bell;

	keeper_end(&keeper);
	bell_make(&bell);
	assert_int_equal(keeper_start(&bell.work, &keeper, &error), 0);
	assert_true(keeper.pid > 0);
	keeper_end(&keeper);
	assert_int_equal(keeper.pid, 0);
	assert_no_child();
	assert_false(bell_rings(&bell, 0));
	keeper_end(&keeper);
	bell_drop(&bell);
}

static void test_one_that_was_killed_or_stopped_is_reaped(void **state)
{
	static const int numbers[] = {SIGKILL, SIGSTOP};
	struct error error = {0};
	struct keeper keeper;
	struct bell bell;

	bell_make(&bell);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(keeper_start(&bell.work, &keeper, &error), 0);
		kill(keeper.pid, numbers[i]);
		keeper_end(&keeper);
		assert_no_child();
	}
	bell_drop(&bell);
}

/* A program that starts a keeper and dies by a signal of its own, or exits. */
static pid_t program_start(const struct bell *bell, int number)
{
	pid_t pid = fork();
	struct keeper keeper;

	if (pid)
		return pid;
	if (keeper_start(&bell->work, &keeper, NULL))
		_exit(1);
	/* Not to be caught by the test's own library. */
	if (number) {
		signal(number, SIG_DFL);
		kill(getpid(), number);
	}
	_exit(9);
}

static void test_it_restores_however_the_program_went(void **state)
{
	static const int numbers[] = {0, SIGKILL, SIGTERM, SIGABRT, SIGSEGV};
	const struct rlimit no_core = {0, 0};

	setrlimit(RLIMIT_CORE, &no_core);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct bell bell;
		pid_t pid;
		int status;

		bell_make(&bell);
		pid = program_start(&bell, numbers[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(WIFSIGNALED(status) ? WTERMSIG(status) : 0, numbers[i]);
		assert_true(bell_rings(&bell, LONG_MS));
		wait_exited(-1, 0);
		assert_no_child();
		bell_drop(&bell);
	}
}

static void test_signals_of_a_terminal_do_not_end_it(void **state)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT};
	struct error error = {0};
	struct keeper keeper;
	struct bell bell;
	int status;

	bell_make(&bell);
	assert_int_equal(keeper_start(&bell.work, &keeper, &error), 0);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		kill(keeper.pid, numbers[i]);
	usleep(SOON_MS * 1000);
	assert_int_equal(waitpid(keeper.pid, &status, WNOHANG), 0);
	assert_false(bell_rings(&bell, 0));
	keeper_end(&keeper);
	bell_drop(&bell);
}

/* Reads /proc/PID/NAME, or where it links to. */
static void proc_read(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	length = readlink(path, text, size - 1);
	if (length >= 0)
		text[length] = '\0';
	else
		assert_int_equal(sysfile_read(path, text, size, NULL), 0);
}

/* Descriptors that are not /dev/null. */
static unsigned proc_count_fds(pid_t pid)
{
	char path[64], target[256];
	const struct dirent *file;
	unsigned n = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	assert_non_null(folder);
	while ((file = readdir(folder))) {
		char name[300];

		if (file->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "fd/%s", file->d_name);
		proc_read(pid, name, target, sizeof(target));
		n += strcmp(target, "/dev/null") != 0;
	}
	closedir(folder);
	return n;
}

static void test_it_is_a_session_of_its_own_and_holds_nothing(void **state)
{
	int others[] = {dup(2), dup(2), dup(2)};
	struct error error = {0};
	struct keeper keeper;
	struct bell bell;
	char text[256];

	bell_make(&bell);
	assert_int_equal(keeper_start(&bell.work, &keeper, &error), 0);
	assert_int_equal(getsid(keeper.pid), keeper.pid);
	proc_read(keeper.pid, "comm", text, sizeof(text));
	assert_string_equal(text, "orion-keeper");
	proc_read(keeper.pid, "cwd", text, sizeof(text));
	assert_string_equal(text, "/");
	/* The program's pidfd, its end of the socket, and the one of the work. */
	assert_int_equal(proc_count_fds(keeper.pid), 3);
	keeper_end(&keeper);
	for (size_t i = 0; i < 3; i++)
		close(others[i]);
	bell_drop(&bell);
}

/* Their memory is not free before they are gone. */
static void test_runners_that_outlive_the_program_are_waited_for(void **state)
{
	struct bell bell;
	int runner[2];
	pid_t pid;

	bell_make(&bell);
	assert_int_equal(pipe2(runner, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		struct keeper keeper;
		char byte;

		close(runner[1]);
		if (keeper_start(&bell.work, &keeper, NULL))
			_exit(1);
		if (!fork()) {
			/* Until the test closes its end. */
			if (read(runner[0], &byte, 1))
				_exit(1);
			_exit(0);
		}
		_exit(9);
	}
	close(runner[0]);
	wait_exited(pid, 9);
	assert_false(bell_rings(&bell, SOON_MS));
	close(runner[1]);
	assert_true(bell_rings(&bell, LONG_MS));
	wait_exited(-1, 0);
	wait_exited(-1, 0);
	assert_no_child();
	bell_drop(&bell);
}

static void test_no_descriptor_left_is_told(void **state)
{
	struct bell bell;
	pid_t pid;

	bell_make(&bell);
	pid = fork();
	if (!pid) {
		const struct rlimit few = {3, 3};
		struct keeper keeper = {.pid = 77};
		struct error error = {0};

		setrlimit(RLIMIT_NOFILE, &few);
		if (keeper_start(&bell.work, &keeper, &error) != -EMFILE || keeper.pid != 77 ||
		    !strstr(error.text, "Too many open files"))
			_exit(1);
		_exit(0);
	}
	wait_exited(pid, 0);
	assert_no_child();
	bell_drop(&bell);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_ends_with_nothing_done),
		cmocka_unit_test(test_one_that_was_killed_or_stopped_is_reaped),
		cmocka_unit_test(test_it_restores_however_the_program_went),
		cmocka_unit_test(test_signals_of_a_terminal_do_not_end_it),
		cmocka_unit_test(test_it_is_a_session_of_its_own_and_holds_nothing),
		cmocka_unit_test(test_runners_that_outlive_the_program_are_waited_for),
		cmocka_unit_test(test_no_descriptor_left_is_told),
	};

	return cmocka_run_group_tests(tests, orphans_are_ours, NULL);
}
