/* SPDX-License-Identifier: MIT */
/* crew_process.c - workers that are processes: forked, watched, buried. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "run/channel.h"
#include "run/child.h"
#include "run/crew_parts.h"

static void process_main(struct member *member, pid_t parent)
{
	child_settle(parent, "orion-worker");
	member_run(member);
	_exit(0);
}

/* Both sides put the process into the group, so that it is there whoever comes first. */
static int process_fork(struct crew *crew, struct member *member, struct error *error)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return error_set(error, -errno, "worker %u of %u cannot be started: %s",
				 (unsigned)(member - crew->members) + 1, crew->n, strerror(errno));
	setpgid(pid, crew->group);
	if (pid == 0)
		process_main(member, parent);
	if (!crew->group)
		crew->group = pid;
	member->pid = pid;
	member->started = true;
	return 0;
}

int crew_fork(struct crew *crew, struct error *error)
{
	for (unsigned i = 0; i < crew->n; i++) {
		struct member *member = &crew->members[i];

		if (member->seat->kind != WORKER_PROCESS)
			continue;
		if (process_fork(crew, member, error) < 0)
			return error_negative(limits_explain_start(error));
	}
	return 0;
}

static void death_word(const siginfo_t *info, char *text, size_t size)
{
	if (info->si_code == CLD_EXITED)
		snprintf(text, size, "the worker process ended early with status %d",
			 info->si_status);
	else if (info->si_status == SIGKILL)
		snprintf(text, size,
			 "the worker process was killed (SIGKILL); if nobody did, the kernel ran "
			 "out of memory: see dmesg");
	else if (info->si_status == SIGBUS)
		snprintf(text, size,
			 "the worker process died of SIGBUS: the kernel had no page for the "
			 "region");
	else
		snprintf(text, size, "the worker process died of signal %d (%s)", info->si_status,
			 strsignal(info->si_status));
}

/* The process is gone, so its part of the shared memory is written by nobody else. */
static void process_blame(struct member *member, const siginfo_t *info)
{
	struct channel *channel = member->crew->channel;
	char text[160];

	if (atomic_load(&member->crew->abandoned) ||
	    (info->si_code == CLD_EXITED && info->si_status == 0))
		return;
	death_word(info, text, sizeof(text));
	if (!atomic_load(&member->arrived)) {
		error_set(&member->error, -ECHILD, "%s", text);
		member_arrive(member);
		return;
	}
	worker_fail(&member->worker, -ECHILD, "%s", text);
	atomic_fetch_add(&channel->failed, 1);
	channel_ring(channel);
}

static struct member *crew_find_process(struct crew *crew, pid_t pid)
{
	for (unsigned i = 0; i < crew->n; i++)
		if (crew->members[i].pid == pid)
			return &crew->members[i];
	return NULL;
}

void crew_bury(struct crew *crew)
{
	siginfo_t info = {0};

	/* By group: a thread of the runner may have children of its own. */
	while (waitid(P_PGID, (id_t)crew->group, &info, WEXITED) == 0 || errno == EINTR) {
		struct member *member = info.si_pid ? crew_find_process(crew, info.si_pid) : NULL;

		if (member)
			process_blame(member, &info);
		info.si_pid = 0;
	}
}

static void *undertaker_main(void *argument)
{
	crew_bury(argument);
	return NULL;
}

int crew_watch_processes(struct crew *crew, struct error *error)
{
	int status;

	if (!crew->group)
		return 0;
	status = pthread_create(&crew->undertaker, NULL, undertaker_main, crew);
	if (status) {
		error_set(error, -status, "the thread that waits for workers cannot be started: %s",
			  strerror(status));
		return error_negative(limits_explain_start(error));
	}
	crew->has_undertaker = true;
	return 0;
}
