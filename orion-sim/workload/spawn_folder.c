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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "workload/spawn_parts.h"

#define REMOVE_TRIES  200
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

/* Alone in its session, with no descriptor but the one it waits for. */
static void sweeper_main(const struct spawn_folder *folder, int wait_fd)
{
	char byte;
	pid_t group;

	setsid();
	prctl(PR_SET_NAME, "orion-sweeper");
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	dup2(wait_fd, STDIN_FILENO);
	close(folder->hold_fd);
	close_range(STDOUT_FILENO, ~0u, 0);
	while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
		;
	group = atomic_load(folder->group);
	if (group > 0)
		kill(-group, SIGKILL);
	folder_remove(folder->path);
	_exit(0);
}

static int sweeper_fork(struct spawn_folder *folder, struct error *error)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_set(error, -errno, "no pipe to the sweeper: %s", strerror(errno));
	folder->hold_fd = fds[1];
	pid = fork();
	if (pid == 0)
		sweeper_main(folder, fds[0]);
	close(fds[0]);
	if (pid < 0) {
		error_set(error, -errno, "the process that sweeps up cannot be started: %s",
			  strerror(errno));
		close(fds[1]);
		return error_negative(limits_explain_start(error));
	}
	folder->sweeper = pid;
	return 0;
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

int spawn_folder_open(const char *parent, unsigned n, struct spawn_folder *ret, struct error *error)
{
	struct spawn_folder folder = {.hold_fd = -1};
	int status;

	folder.group = mmap(NULL, sizeof(*folder.group), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (folder.group == MAP_FAILED)
		return error_set(error, -errno, "no memory for a worker: %s", strerror(errno));
	status = folder_make(parent, n, folder.path, error);
	if (status == 0) {
		status = sweeper_fork(&folder, error);
		if (status < 0)
			folder_remove(folder.path);
	}
	if (status < 0) {
		munmap(folder.group, sizeof(*folder.group));
		return error_negative(status);
	}
	/* Whose parent was killed is waited for by this process. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	*ret = folder;
	return 0;
}

void spawn_folder_close(struct spawn_folder *folder)
{
	if (!folder->path[0])
		return;
	close(folder->hold_fd);
	while (waitpid(folder->sweeper, NULL, 0) < 0 && errno == EINTR)
		;
	folder_remove(folder->path); /* if somebody killed the sweeper */
	munmap(folder->group, sizeof(*folder->group));
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	*folder = (struct spawn_folder){0};
}
