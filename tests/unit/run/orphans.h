/* SPDX-License-Identifier: MIT */
/* orphans.h - for tests of processes that outlive their parent: they become children of the test.
 */
#ifndef ORION_TESTS_RUN_ORPHANS_H
#define ORION_TESTS_RUN_ORPHANS_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <cmocka.h>

/* As a child of ours, so that it can be waited for whoever its parent was. */
static inline int orphans_are_ours(void **state)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static inline pid_t wait_exited(pid_t pid, int expected)
{
	int status = 0;
	pid_t ended = waitpid(pid, &status, 0);

	assert_true(ended > 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), expected);
	return ended;
}

static inline void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
}

#endif
