/* SPDX-License-Identifier: MIT */
/* spawn_folder.c - a private folder for what children write, and who removes it whatever happens.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "workload/spawn_parts.h"

#define REMOVE_TRIES  1000
#define REMOVE_NAP_NS 10000000u
#define OPEN_MAX      16

static int folder_remove_one(const char *path, const struct stat *status, int kind,
			     struct FTW *place)
{
	remove(path);
	return 0;
}

/* Who was killed may still be about to write a last file. */
static void folder_remove(const char *path)
{
	for (unsigned i = 0; i < REMOVE_TRIES; i++) {
		nftw(path, folder_remove_one, OPEN_MAX, FTW_DEPTH | FTW_PHYS);
		if (access(path, F_OK) < 0)
			return;
		clock_sleep_until(clock_now_ns() + REMOVE_NAP_NS);
	}
}

static int folder_make(const char *parent, unsigned n, char path[SPAWN_PATH_BYTES],
		       struct error *error)
{
	snprintf(path, SPAWN_PATH_BYTES, "%s/orion-spawn-XXXXXX", parent);
	if (!mkdtemp(path))
		return error_set(error, -errno, "no folder in %s for what children write: %s",
				 parent, strerror(errno));
	for (unsigned i = 0; i < n; i++) {
		char child[SPAWN_PATH_BYTES + 16];

		snprintf(child, sizeof(child), "%s/%u", path, i);
		if (mkdir(child, 0700) < 0) {
			error_set(error, -errno, "cannot make the folder %s: %s", child,
				  strerror(errno));
			folder_remove(path);
			return error->code;
		}
	}
	return 0;
}

/*
 * Alone in its session, with no descriptor but the socket: it tells on it that the folder is there,
 * or not, and waits for the end of all who have the other one.
 */
static void sweeper_main(struct spawn_sweep *sweep, const char *parent, unsigned n, int fd)
{
	char byte = 0;
	int status;
	pid_t group;

	setsid();
	prctl(PR_SET_NAME, "orion-sweeper");
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	dup2(fd, STDIN_FILENO);
	close_range(STDOUT_FILENO, ~0u, 0);
	status = folder_make(parent, n, sweep->path, &sweep->error);
	send(STDIN_FILENO, &byte, 1, MSG_NOSIGNAL);
	if (status < 0)
		_exit(1);
	while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
		;
	group = atomic_load(&sweep->group);
	if (group > 0)
		kill(-group, SIGKILL);
	folder_remove(sweep->path);
	_exit(0);
}

static int sweeper_fork(struct spawn_folder *folder, const char *parent, unsigned n,
			struct error *error)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return error_set(error, -errno, "no socket to the sweeper: %s", strerror(errno));
	folder->hold_fd = fds[0];
	folder->sweeper = fork();
	if (folder->sweeper == 0)
		sweeper_main(folder->sweep, parent, n, fds[1]);
	if (folder->sweeper < 0)
		error_set(error, -errno, "the process that sweeps up cannot be started: %s",
			  strerror(errno));
	close(fds[1]);
	if (folder->sweeper > 0)
		return 0;
	close(fds[0]);
	return error_negative(limits_explain_start(error));
}

static void sweeper_wait(const struct spawn_folder *folder)
{
	close(folder->hold_fd);
	while (waitpid(folder->sweeper, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Until the folder is there. */
static int sweeper_ready(const struct spawn_folder *folder, struct error *error)
{
	ssize_t got;
	char byte;

	do
		got = read(folder->hold_fd, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got == 1 && folder->sweep->error.code == 0)
		return 0;
	sweeper_wait(folder);
	if (got == 1)
		return error_set(error, folder->sweep->error.code, "%s", folder->sweep->error.text);
	return error_set(error, -ECHILD, "the process that sweeps up ended before its time");
}

int spawn_folder_open(const char *parent, unsigned n, struct spawn_folder *ret, struct error *error)
{
	struct spawn_folder folder = {.hold_fd = -1};
	int status;

	folder.sweep = mmap(NULL, sizeof(*folder.sweep), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (folder.sweep == MAP_FAILED)
		return error_set(error, -errno, "no memory for a worker: %s", strerror(errno));
	status = sweeper_fork(&folder, parent, n, error);
	if (status == 0)
		status = sweeper_ready(&folder, error);
	if (status < 0) {
		munmap(folder.sweep, sizeof(*folder.sweep));
		return error_negative(status);
	}
	memcpy(folder.path, folder.sweep->path, sizeof(folder.path));
	/* Whose parent was killed is waited for by this process. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	*ret = folder;
	return 0;
}

void spawn_folder_close(struct spawn_folder *folder)
{
	if (!folder->path[0])
		return;
	sweeper_wait(folder);
	folder_remove(folder->path); /* if somebody killed the sweeper */
	munmap(folder->sweep, sizeof(*folder->sweep));
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	*folder = (struct spawn_folder){0};
}
