/* SPDX-License-Identifier: MIT */
/* child.c - how a process that we fork settles: runners, and workers that are processes. */
#include "run/child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

void child_settle(pid_t parent, const char *name)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	prctl(PR_SET_NAME, name);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}
