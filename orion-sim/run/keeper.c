/* SPDX-License-Identifier: MIT */
/* keeper.c - a process that puts things right once the program is gone, however it went. */
#include "run/keeper.h"

#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

#define KEEPER_NAME "orion-keeper" /* of the process, at most 15 characters */

/* Runners die with the program, but one that waits for a dead disk does not come to that. */
#define RUNNERS_WAIT_MS 30000

/* Signals that end programs by the dozen and are not meant for it. */
static void keeper_ignore_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		signal(numbers[i], SIG_IGN);
}

/* The lowest of n descriptors that is not below first; -1 if there is none. */
static int keeper_next_fd(const int *fds, unsigned n, int first)
{
	int next = -1;

	for (unsigned i = 0; i < n; i++)
		if (fds[i] >= first && (next < 0 || fds[i] < next))
			next = fds[i];
	return next;
}

/* A reader of the program's output is not to wait for the keeper, nor is a disk to stay in use. */
static int keeper_close_fds(const int *kept, unsigned n)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int first = 3, next;

	if (null_fd < 0)
		return -errno;
	for (int fd = 0; fd < 3; fd++)
		if (keeper_next_fd(kept, n, fd) != fd && dup2(null_fd, fd) < 0)
			return -errno;
	while ((next = keeper_next_fd(kept, n, first)) >= 0) {
		if (next > first && close_range((unsigned)first, (unsigned)next - 1, 0))
			return -errno;
		first = next + 1;
	}
	return close_range((unsigned)first, ~0U, 0) ? -errno : 0;
}

/* Everything that can fail, before the program is told that it may change the machine. */
static int keeper_settle(const struct keeper_work *work, pid_t program, int fd, int *ret_pidfd)
{
	int kept[KEEPER_FDS_MAX + 2] = {fd};
	unsigned n = 1;
	int pidfd = pidfd_open(program, 0);

	if (pidfd < 0)
		return -errno;
	/* Else it may be somebody else's, who got the number after the program died. */
	if (getppid() != program)
		return -ESRCH;
	if (setsid() < 0 || chdir("/"))
		return -errno;
	prctl(PR_SET_NAME, KEEPER_NAME);
	kept[n++] = pidfd;
	for (unsigned i = 0; i < work->n_fds; i++)
		kept[n++] = work->fds[i];
	*ret_pidfd = pidfd;
	return keeper_close_fds(kept, n);
}

/*
 * Until the program is gone, and whoever it forked: the other end of the socket is closed once
 * their memory is given up.
 */
static void keeper_watch(int pidfd, int fd)
{
	struct pollfd program = {.fd = pidfd, .events = POLLIN};
	struct pollfd others = {.fd = fd};

	while (poll(&program, 1, -1) <= 0)
		continue;
	while (poll(&others, 1, RUNNERS_WAIT_MS) < 0 && errno == EINTR)
		continue;
}

static _Noreturn void keeper_main(const struct keeper_work *work, pid_t program, int fd)
{
	int pidfd = -1, status;

	keeper_ignore_signals();
	status = keeper_settle(work, program, fd, &pidfd);
	if (send(fd, &status, sizeof(status), MSG_NOSIGNAL) != sizeof(status) || status < 0)
		_exit(1);
	keeper_watch(pidfd, fd);
	work->restore(work->context);
	_exit(0);
}

/* What the keeper says of itself: 0 once it is on watch. */
static int keeper_hear(int fd)
{
	int status = 0;
	ssize_t got;

	do
		got = recv(fd, &status, sizeof(status), 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	return got == sizeof(status) ? status : -ECHILD;
}

static int keeper_fail(int status, struct error *error)
{
	return error_set(error, status,
			 "the process that gives settings back if this one is killed cannot be "
			 "started: %s",
			 strerror(-status));
}

int keeper_start(const struct keeper_work *work, struct keeper *ret, struct error *error)
{
	struct keeper keeper;
	pid_t program = getpid();
	int fds[2], status;

	assert(work->n_fds <= KEEPER_FDS_MAX);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return keeper_fail(-errno, error);
	keeper = (struct keeper){.pid = fork(), .fd = fds[0]};
	if (keeper.pid == 0) {
		close(fds[0]);
		keeper_main(work, program, fds[1]);
	}
	status = keeper.pid < 0 ? -errno : 0;
	close(fds[1]);
	if (!status)
		status = keeper_hear(keeper.fd);
	if (status) {
		keeper_end(&keeper);
		return keeper_fail(status, error);
	}
	*ret = keeper;
	return 0;
}

void keeper_end(struct keeper *keeper)
{
	if (!keeper->pid)
		return;
	/* Even one that was stopped: it has nothing left to do. */
	if (keeper->pid > 0)
		kill(keeper->pid, SIGKILL);
	while (keeper->pid > 0 && waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	close(keeper->fd);
	*keeper = (struct keeper){.fd = -1};
}
