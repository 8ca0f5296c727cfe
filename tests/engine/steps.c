/* SPDX-License-Identifier: MIT */
/* steps.c - what the tests of the conformance suite do again and again. */
#include "steps.h"

#include <stdarg.h>
#include <setjmp.h>
#include <errno.h>
#include <cmocka.h>

#include "base/error.h"
#include "variants.h"

struct rig_file step_file;

void step_need_file(const struct variant *variant)
{
	if (variant->models) {
		print_message("skipped: %s has no file behind it\n", variant->label);
		skip();
	}
	if (step_file.fd < 0) {
		print_message("skipped: no O_DIRECT in the current directory\n");
		skip();
	}
}

/* Where the engine's own probe refuses the file, its reason is the test's. */
void step_open_on_or_skip(struct rig *rig, const struct variant *variant, const struct rig_file *on,
			  unsigned depth, unsigned batch, unsigned n, int bad_fd)
{
	struct error error = {0};
	int rc = rig_open(rig, &variant->choice, on, depth, batch, n, bad_fd, &error);

	if (rc == 0) {
		rc = rig->queue.ops->probe(variant->choice.params, &rig->queue.setup, &error);
		if (rc < 0)
			rig_close(rig);
	}
	if (rc == ERROR_CANNOT) {
		print_message("skipped: %s\n", error.text);
		skip();
	}
	if (rc < 0)
		fail_msg("%s", error.text);
}

void step_open_or_skip(struct rig *rig, const struct variant *variant, unsigned depth,
		       unsigned batch, unsigned n, int bad_fd)
{
	if (!variant->models)
		step_need_file(variant);
	step_open_on_or_skip(rig, variant, &step_file, depth, batch, n, bad_fd);
}

/* An engine that may refuse to wait gets the request once more, as a workload would do it. */
static void step_issue_again(const struct variant *variant, struct rig *rig, unsigned n)
{
	struct request *request, *done;

	for (unsigned i = 0; variant->nowait && i < n; i++) {
		request = &rig->requests[i];
		if (request->result != -EAGAIN)
			continue;
		request->retries++;
		assert_int_equal(rig->queue.ops->submit(&rig->queue, &request, 1), 1);
		assert_int_equal(rig->queue.ops->reap(&rig->queue, &done, 1, 1), 1);
	}
}

/* All of n, until they are done for good. */
void step_turn(const struct variant *variant, struct rig *rig, unsigned n)
{
	assert_int_equal(rig_turn(rig, n), 0);
	step_issue_again(variant, rig, n);
}

/* Takes as many as the engine will, one call or more. */
unsigned step_submit_all(struct rig *rig, unsigned first, unsigned n)
{
	struct request *pointers[256];
	unsigned taken = 0;
	int rc;

	for (unsigned i = 0; i < n; i++)
		pointers[i] = &rig->requests[first + i];
	do {
		rc = rig->queue.ops->submit(&rig->queue, pointers + taken, n - taken);
		assert_true(rc >= 0 && (unsigned)rc <= n - taken);
		taken += (unsigned)rc;
	} while (rc && taken < n);
	return taken;
}

void step_reap_exactly(struct rig *rig, unsigned n)
{
	struct request *done[256];

	while (n) {
		int rc = rig->queue.ops->reap(&rig->queue, done, 1, n);

		assert_in_range(rc, 1, n);
		n -= (unsigned)rc;
	}
}

void step_expect_full_reads(const struct variant *variant, struct rig *rig, unsigned n)
{
	if (rig->queue.ops)
		step_issue_again(variant, rig, n);
	for (unsigned i = 0; i < n; i++) {
		/* Without its queue it cannot be issued again. */
		if (!rig->queue.ops && variant->nowait && rig->requests[i].result == -EAGAIN)
			continue;
		assert_int_equal(rig->requests[i].result, RIG_BLOCK);
		if (!variant->models)
			assert_true(rig_verify(&rig->requests[i], RIG_BLOCK));
	}
}
