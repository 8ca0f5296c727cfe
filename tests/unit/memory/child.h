/* SPDX-License-Identifier: MIT */
/* child.h - a part of a test in a process of its own, whose limits and privileges it may spoil. */
#ifndef ORION_TESTS_MEMORY_CHILD_H
#define ORION_TESTS_MEMORY_CHILD_H

#include <grp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_CANNOT 77

/* What the function returned: 0 good, CHILD_CANNOT to skip, else bad; negative for a signal. */
static inline int child_run(int (*function)(void *), void *argument)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	if (!child)
		_exit(function(argument));
	if (waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Lets go of root; its own /proc/self stays readable. */
static inline int child_become_nobody(void)
{
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534) ||
	    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)) {
		perror("cannot become nobody");
		return CHILD_CANNOT;
	}
	return 0;
}

/* In the function: this line if it is not so. */
#define CHILD_CHECK(condition)                                                                     \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

#endif
