/* SPDX-License-Identifier: MIT */
/* test_ring_poll.c - devices that can be polled, and those that cannot, with value and remedy. */
#include "engine/ring_poll.h"

#include <liburing.h>

#include "scratch.h"

#include "engine/engine.h"
#include "engine/ring.h"
#include "engine/target.h"
#include "../memory/tree.h"

struct fixture {
	struct tree tree;
	struct target target;
	char device[32], setting[128];
};

/* A file on a disk, and a /sys where nothing is said about the disk yet. */
static void set_up(struct fixture *fixture)
{
	char names[TARGET_DEVICES_MAX][32];
	struct stat status;

	fixture->target = (struct target){.path = "data"};
	fixture->target.fd = open("data", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(fstat(fixture->target.fd, &status), 0);
	fixture->target.device = status.st_dev;
	if (target_devices(&fixture->target, names) < 1) {
		close(fixture->target.fd);
		print_message("skipped: the disk below this folder is not known\n");
		skip();
	}
	memcpy(fixture->device, names[0], sizeof(names[0]));
	snprintf(fixture->setting, sizeof(fixture->setting), "/sys/block/%.31s/queue/io_poll",
		 fixture->device);
	tree_make(&fixture->tree);
}

static void tear_down(struct fixture *fixture)
{
	tree_remove(&fixture->tree);
	close(fixture->target.fd);
	unlink("data");
}

static void test_device_with_polled_queues_will_do(void **state)
{
	struct fixture fixture;
	struct error error = {0};

	set_up(&fixture);
	tree_put(&fixture.tree, fixture.setting, "1\n");
	if (ring_poll_check_target(fixture.tree.root, &fixture.target, &error))
		fail_msg("%s", error.text);
	tear_down(&fixture);
}

static void test_device_without_is_named_with_its_value(void **state)
{
	static const char *const values[] = {"0\n", NULL};

	for (unsigned i = 0; i < 2; i++) {
		struct fixture fixture;
		struct error error = {0};
		char words[256];

		set_up(&fixture);
		if (values[i])
			tree_put(&fixture.tree, fixture.setting, values[i]);
		assert_int_equal(ring_poll_check_target(fixture.tree.root, &fixture.target, &error),
				 ERROR_CANNOT);
		snprintf(words, sizeof(words),
			 "data: its device %s cannot be polled (%s is %s): ", fixture.device,
			 fixture.setting, values[i] ? "0" : "absent");
		assert_non_null(strstr(error.text, words));
		assert_non_null(strstr(error.text, "poll_queues"));
		assert_non_null(strstr(error.text, "poll=none"));
		tear_down(&fixture);
	}
}

static void test_device_that_is_not_known_is_refused(void **state)
{
	struct target target = {.path = "somewhere", .fd = -1};
	struct error error = {0};

	assert_int_equal(ring_poll_check_target("", &target, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "somewhere: the device below it is not known"));
}

/* Only a ring that polls devices asks for them. */
static void test_other_rings_do_not_ask(void **state)
{
	struct target target = {.path = "somewhere", .fd = -1};
	struct engine_setup engine = {.targets = &target, .n_targets = 1};
	struct io_uring ring = {0};
	struct error error = {0};

	for (int poll = RING_POLL_NONE; poll <= RING_POLL_HYBRID; poll++) {
		struct ring_setup setup = {.poll = (enum ring_poll)poll};
		int rc = ring_poll_check(&ring, &setup, &engine, true, &error);

		assert_int_equal(rc, poll >= RING_POLL_IOPOLL ? ERROR_CANNOT : 0);
	}
	engine.targets = NULL;
	assert_int_equal(ring_poll_check(&ring, &(struct ring_setup){.poll = RING_POLL_IOPOLL},
					 &engine, true, &error),
			 0);
}

static void test_sqpoll_of_old_kernels_needs_registered_files(void **state)
{
	struct ring_setup setup = {.poll = RING_POLL_SQPOLL};
	struct engine_setup engine = {0};
	struct io_uring ring = {0};
	struct error error = {0};

	assert_int_equal(ring_poll_check(&ring, &setup, &engine, true, &error), 0);
	assert_int_equal(ring_poll_check(&ring, &setup, &engine, false, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "registered_files=true"));
	ring.features = IORING_FEAT_SQPOLL_NONFIXED;
	assert_int_equal(ring_poll_check(&ring, &setup, &engine, false, &error), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device_with_polled_queues_will_do),
		cmocka_unit_test(test_device_without_is_named_with_its_value),
		cmocka_unit_test(test_device_that_is_not_known_is_refused),
		cmocka_unit_test(test_other_rings_do_not_ask),
		cmocka_unit_test(test_sqpoll_of_old_kernels_needs_registered_files),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
