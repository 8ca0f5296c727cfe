/* SPDX-License-Identifier: MIT */
/* steps.h - what the tests of the conformance suite do again and again. */
#ifndef ORION_TESTS_ENGINE_STEPS_H
#define ORION_TESTS_ENGINE_STEPS_H

#include "rig.h"

struct variant;

/* The file that all tests read. */
extern struct rig_file step_file;

/* Skips a test that an engine without files or a file system without O_DIRECT cannot take. */
void step_need_file(const struct variant *variant);

/* Where the engine's own probe refuses the file, its reason is the test's. */
void step_open_on_or_skip(struct rig *rig, const struct variant *variant, const struct rig_file *on,
			  unsigned depth, unsigned batch, unsigned n, int bad_fd);
void step_open_or_skip(struct rig *rig, const struct variant *variant, unsigned depth,
		       unsigned batch, unsigned n, int bad_fd);

/* All of n, until they are done for good. */
void step_turn(const struct variant *variant, struct rig *rig, unsigned n);

/* Takes as many as the engine will, one call or more. */
unsigned step_submit_all(struct rig *rig, unsigned first, unsigned n);
void step_reap_exactly(struct rig *rig, unsigned n);

/* Issues what was refused for nowait again, where the queue is open. */
void step_expect_full_reads(const struct variant *variant, struct rig *rig, unsigned n);

#endif
