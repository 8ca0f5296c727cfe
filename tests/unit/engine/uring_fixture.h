/* SPDX-License-Identifier: MIT */
/* uring_fixture.h - a queue of io_uring on a real file, for the tests whose shims stand before it.
 */
#ifndef ORION_TESTS_URING_FIXTURE_H
#define ORION_TESTS_URING_FIXTURE_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "rig.h"

static struct rig_file file; /* opened by main */

struct fixture {
	struct choice choice;
	struct rig rig;
	struct error error;
};

/* With the shims as the test has set them. */
static inline int try_open(struct fixture *fixture, const char *engine)
{
	memset(&fixture->error, 0, sizeof(fixture->error));
	rig_choose(&fixture->choice, engine);
	return rig_open(&fixture->rig, &fixture->choice, &file, 16, 8, 32, -1, &fixture->error);
}

static inline void set_up(struct fixture *fixture, const char *engine)
{
	if (file.fd < 0) {
		print_message("skipped: no O_DIRECT in the current directory\n");
		skip();
	}
	if (try_open(fixture, engine) < 0) {
		choice_free(&fixture->choice);
		if (fixture->error.code == ERROR_CANNOT) {
			print_message("skipped: %s\n", fixture->error.text);
			skip();
		}
		fail_msg("%s", fixture->error.text);
	}
	rig_reads(&fixture->rig, 32);
}

static inline void expect_turn_reads_all(struct fixture *fixture)
{
	rig_reads(&fixture->rig, 32);
	assert_int_equal(rig_turn(&fixture->rig, 32), 0);
	assert_true(rig_all_read(&fixture->rig, 32));
}

static inline void tear_down(struct fixture *fixture)
{
	rig_close(&fixture->rig);
	choice_free(&fixture->choice);
}

#endif
