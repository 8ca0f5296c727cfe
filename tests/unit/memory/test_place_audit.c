/* SPDX-License-Identifier: MIT */
/* test_place_audit.c - what came of a policy is counted, and judged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/error.h"
#include "memory/kinds.h"
#include "mempolicy.h"

static int in_turn(uint64_t page)
{
	return page % 2 ? 1 : 0;
}

static int three_in_turn(uint64_t page)
{
	return (int)(page % 3);
}

static int quarter_elsewhere(uint64_t page)
{
	return page % 4 ? 0 : 1;
}

static int half_absent(uint64_t page)
{
	return page % 2 ? -ENOENT : 0;
}

/* A region of n base pages as the kernel of the test has it. */
static struct region fake_region(struct place place, uint64_t n, int (*node_of)(uint64_t))
{
	static const char somewhere[1];

	kernel.ours = true;
	kernel.node_of = node_of;
	kernel.page_bytes = memory_base_page_bytes();
	kernel.begin = somewhere;
	return (struct region){.name = "sga",
			       .ops = &memory_base,
			       .place = place,
			       .mapping = {.address = (void *)(uintptr_t)somewhere,
					   .bytes = n * kernel.page_bytes}};
}

static double share_of(struct place place, uint64_t n, int (*node_of)(uint64_t),
		       struct place_audit *audit)
{
	struct region region = fake_region(place, n, node_of);
	struct error error = {0};

	if (place_audit(&region, audit, &error))
		fail_msg("%s", error.text);
	return place_audit_percent(audit);
}

static void test_bytes_are_counted_by_node(void **state)
{
	struct place_audit audit;
	char text[128];

	assert_true(share_of(place_on(PLACE_BIND, 0, 0), 4096, quarter_elsewhere, &audit) == 75);
	assert_int_equal(audit.sampled, 4096);
	assert_int_equal(audit.n_nodes, 2);
	assert_int_equal(audit.nodes[0].bytes, 3072 * kernel.page_bytes);
	assert_int_equal(audit.nodes[1].node, 1);
	assert_int_equal(audit.nodes[1].bytes, 1024 * kernel.page_bytes);
	if (kernel.page_bytes == 4096)
		assert_string_equal(place_audit_detail(&audit, text, sizeof(text)), "0 12M, 1 4M");
	/* Nothing asked, nothing missed. */
	assert_true(share_of((struct place){0}, 4096, quarter_elsewhere, &audit) == 100);
	assert_true(share_of(place_on(PLACE_PREFERRED, 1, 1), 4096, quarter_elsewhere, &audit) ==
		    25);
}

/* However many pages there are, a stride does not see one side only. */
static void test_samples_do_not_beat_with_the_turns(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 4095, 4097, 8192, 65536, 65537, 786432, 1u << 22};
	struct place_audit audit;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct place three = place_on(PLACE_INTERLEAVE, 0, 1);

		assert_true(share_of(place_on(PLACE_INTERLEAVE, 0, 1), sizes[i], in_turn, &audit) >
			    99.9);
		assert_in_range(audit.sampled, 1, 4096);
		assert_true(audit.sampled == sizes[i] || audit.sampled >= 1024);
		node_set_add(&three.nodes, 2);
		assert_true(share_of(three, sizes[i], three_in_turn, &audit) > 99.9);
		assert_int_equal(audit.asked_bytes, sizes[i] * kernel.page_bytes);
	}
}

/* All of it is on nodes that were asked for, but not in turn. */
static void test_uneven_turns_are_not_as_asked(void **state)
{
	struct place_audit audit;

	assert_true(share_of(place_on(PLACE_INTERLEAVE, 0, 1), 4096, quarter_elsewhere, &audit) ==
		    75);
}

static void test_pages_that_are_not_there_are_on_no_node(void **state)
{
	struct place_audit audit;

	assert_true(share_of(place_on(PLACE_BIND, 0, 0), 4096, half_absent, &audit) == 100);
	assert_int_equal(audit.asked_bytes, 2048 * kernel.page_bytes);
}

static int check(struct place place, int (*node_of)(uint64_t), double percent, struct error *error)
{
	struct region region = fake_region(place, 4096, node_of);
	struct place_audit audit;

	assert_int_equal(place_audit(&region, &audit, error), 0);
	return place_check(&region, &audit, percent, error);
}

static void test_less_than_asked_is_refused_with_the_nodes(void **state)
{
	struct error error = {0};

	assert_int_equal(check(place_on(PLACE_BIND, 0, 0), quarter_elsewhere, 75, &error), 0);
	assert_int_equal(check(place_on(PLACE_PREFERRED, 1, 1), quarter_elsewhere, 99, &error), 0);
	assert_int_equal(check((struct place){0}, quarter_elsewhere, 99, &error), 0);
	assert_int_equal(check(place_on(PLACE_BIND, 1, 1), quarter_elsewhere, 99, &error),
			 ERROR_CANNOT);
	if (kernel.page_bytes == 4096)
		assert_string_equal(
			error.text,
			"region 'sga': 16M asked on node 1, 4M got (25.0 %, by move_pages: node 0 "
			"12M, 1 4M), 99 % needed; the kernel took pages of other nodes where these "
			"had too few: ask for a smaller region");
}

static void test_what_cannot_be_proved_is_refused_where_it_was_asked(void **state)
{
	struct error error = {0};

	kernel.move_pages_errno = EPERM;
	assert_int_equal(check((struct place){0}, in_turn, 99, &error), 0);
	assert_int_equal(check(place_on(PLACE_BIND, 0, 0), in_turn, 99, &error), ERROR_CANNOT);
	assert_non_null(
		strstr(error.text, "cannot be proved: move_pages: Operation not permitted"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_bytes_are_counted_by_node, reset),
		cmocka_unit_test_setup(test_samples_do_not_beat_with_the_turns, reset),
		cmocka_unit_test_setup(test_uneven_turns_are_not_as_asked, reset),
		cmocka_unit_test_setup(test_pages_that_are_not_there_are_on_no_node, reset),
		cmocka_unit_test_setup(test_less_than_asked_is_refused_with_the_nodes, reset),
		cmocka_unit_test_setup(test_what_cannot_be_proved_is_refused_where_it_was_asked,
				       reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
