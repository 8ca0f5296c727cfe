/* SPDX-License-Identifier: MIT */
/* test_blocks.c - the order of variants in a block: each once, in balance, the same again. */
#include "plan/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define MOST 64

static void every_variant_is_in_every_block_once(void **state)
{
	unsigned order[MOST];

	for (unsigned n = 1; n <= MOST; n++) {
		for (unsigned block = 0; block < 50; block++) {
			uint64_t seen = 0;

			block_order(n, block, n, order);
			for (unsigned i = 0; i < n; i++) {
				assert_in_range(order[i], 0, n - 1);
				seen |= UINT64_C(1) << order[i];
			}
			assert_true(seen == UINT64_MAX >> (MOST - n));
		}
	}
}

static void two_change_places(void **state)
{
	unsigned first = 0;

	for (uint64_t seed = 0; seed < 1000; seed++) {
		unsigned begin[2], order[2];

		block_order(seed, 0, 2, begin);
		for (unsigned block = 1; block < 20; block++) {
			block_order(seed, block, 2, order);
			assert_int_equal(order[0], begin[block % 2]);
			assert_int_equal(order[1], begin[1 - block % 2]);
		}
		first += begin[0];
	}
	/* 500 are expected, with a standard deviation of 16. */
	assert_in_range(first, 430, 570);
}

static void more_are_shuffled_in_balance(void **state)
{
	unsigned at[3][3] = {{0}}, orders[27] = {0}, order[3], different = 0;

	for (unsigned block = 0; block < 6000; block++) {
		block_order(42, block, 3, order);
		orders[9 * order[0] + 3 * order[1] + order[2]]++;
		for (unsigned i = 0; i < 3; i++)
			at[i][order[i]]++;
	}
	for (unsigned i = 0; i < 9; i++)
		assert_in_range(at[i / 3][i % 3], 1800, 2200);
	for (unsigned i = 0; i < 27; i++) {
		different += orders[i] > 0;
		assert_true(orders[i] == 0 || (orders[i] > 850 && orders[i] < 1150));
	}
	assert_int_equal(different, 6);
}

static void a_block_follows_from_seed_and_number(void **state)
{
	unsigned forwards[100][5], again[5], differ = 0;

	for (unsigned block = 0; block < 100; block++)
		block_order(7, block, 5, forwards[block]);
	for (unsigned block = 100; block-- > 0;) {
		block_order(7, block, 5, again);
		assert_memory_equal(again, forwards[block], sizeof(again));
		block_order(8, block, 5, again);
		differ += memcmp(again, forwards[block], sizeof(again)) != 0;
	}
	assert_true(differ > 90);
}

static void too_few_blocks_are_said(void **state)
{
	char text[256];

	assert_string_equal(blocks_note(6, 2, text, sizeof(text)), "");
	assert_string_equal(blocks_note(1, 1, text, sizeof(text)), "");
	assert_string_equal(
		blocks_note(5, 2, text, sizeof(text)),
		"5 blocks of variants: with fewer than 6 no difference can be told from "
		"chance, since p is at least 0.062; more by --set repeats=10");
	assert_non_null(strstr(blocks_note(1, 3, text, sizeof(text)), "1 block of"));
	assert_non_null(strstr(text, "p is at least 1;"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_variant_is_in_every_block_once),
		cmocka_unit_test(two_change_places),
		cmocka_unit_test(more_are_shuffled_in_balance),
		cmocka_unit_test(a_block_follows_from_seed_and_number),
		cmocka_unit_test(too_few_blocks_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
