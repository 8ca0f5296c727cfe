/* SPDX-License-Identifier: MIT */
/* test_pattern.c - offsets are whole blocks, in range, unbiased, and the same for the same seed. */
#include "workload/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/error.h"

#define BLOCK 8192u

static void open_pattern(struct pattern *pattern, enum pattern_kind kind, const uint64_t *ranges,
			 unsigned n, uint64_t seed, unsigned index, unsigned workers)
{
	struct error error = {0};

	assert_int_equal(
		pattern_open(pattern, kind, ranges, n, 0, BLOCK, seed, index, workers, &error), 0);
}

static void test_random_covers_evenly(void **state)
{
	uint64_t range = 16 * BLOCK;
	unsigned hits[16] = {0};
	struct pattern pattern;

	open_pattern(&pattern, PATTERN_RANDOM, &range, 1, 42, 0, 1);
	for (int i = 0; i < 160000; i++) {
		struct pattern_place place = pattern_next(&pattern);

		assert_int_equal(place.target, 0);
		assert_int_equal(place.offset_bytes % BLOCK, 0);
		assert_true(place.offset_bytes < range);
		hits[place.offset_bytes / BLOCK]++;
	}
	/* 10000 expected, standard deviation 97: five of them. */
	for (int i = 0; i < 16; i++)
		assert_in_range(hits[i], 9515, 10485);
	pattern_close(&pattern);
}

static void test_last_partial_block_is_left_out(void **state)
{
	uint64_t range = 3 * BLOCK + BLOCK / 2;
	struct pattern pattern;

	open_pattern(&pattern, PATTERN_RANDOM, &range, 1, 1, 0, 1);
	assert_int_equal(pattern.n_blocks, 3);
	for (int i = 0; i < 1000; i++)
		assert_true(pattern_next(&pattern).offset_bytes + BLOCK <= range);
	pattern_close(&pattern);
}

static void test_targets_by_their_size(void **state)
{
	uint64_t ranges[3] = {1 * BLOCK, 0, 3 * BLOCK};
	unsigned hits[3] = {0};
	struct pattern pattern;

	open_pattern(&pattern, PATTERN_RANDOM, ranges, 3, 7, 0, 1);
	for (int i = 0; i < 40000; i++) {
		struct pattern_place place = pattern_next(&pattern);

		assert_true(place.offset_bytes < ranges[place.target]);
		hits[place.target]++;
	}
	assert_int_equal(hits[1], 0);
	assert_in_range(hits[0], 9500, 10500);
	pattern_close(&pattern);
}

/* Every block of many targets of all sizes, some of them without any, is found where it lies. */
static void test_every_block_has_its_target(void **state)
{
	static uint64_t ranges[1000];
	struct pattern pattern;
	uint32_t target = 0;

	for (unsigned i = 0; i < 1000; i++)
		ranges[i] = (i % 7 == 3 ? 0 : i % 100 == 50 ? 5000 : i % 5 + 1) * BLOCK;
	open_pattern(&pattern, PATTERN_RANDOM, ranges, 1000, 1, 0, 1);
	for (uint64_t block = 0; block < pattern.n_blocks; block++) {
		while (block >= pattern.first[target + 1])
			target++;
		assert_int_equal(pattern_find(&pattern, block), target);
	}
	assert_int_equal(target, 999);
	pattern_close(&pattern);
}

static void test_sequential_walks_and_wraps(void **state)
{
	uint64_t ranges[2] = {2 * BLOCK, 2 * BLOCK};
	static const uint64_t expected[][2] = {{1, 0}, {1, BLOCK}, {0, 0}, {0, BLOCK}, {1, 0}};
	struct pattern pattern;

	/* The second of two workers begins half-way. */
	open_pattern(&pattern, PATTERN_SEQUENTIAL, ranges, 2, 1, 1, 2);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct pattern_place place = pattern_next(&pattern);

		assert_int_equal(place.target, expected[i][0]);
		assert_int_equal(place.offset_bytes, expected[i][1]);
	}
	pattern_close(&pattern);
}

static void test_same_seed_same_places(void **state)
{
	uint64_t range = UINT64_C(1) << 44;
	struct pattern a, b, other;
	unsigned equal = 0;

	open_pattern(&a, PATTERN_RANDOM, &range, 1, 5, 3, 8);
	open_pattern(&b, PATTERN_RANDOM, &range, 1, 5, 3, 8);
	open_pattern(&other, PATTERN_RANDOM, &range, 1, 5, 4, 8);
	for (int i = 0; i < 1000; i++) {
		uint64_t offset = pattern_next(&a).offset_bytes;

		assert_int_equal(offset, pattern_next(&b).offset_bytes);
		equal += offset == pattern_next(&other).offset_bytes;
	}
	assert_true(equal < 3);
	pattern_close(&a);
	pattern_close(&b);
	pattern_close(&other);
}

static void test_nothing_to_read_is_refused(void **state)
{
	uint64_t range = BLOCK - 1;
	struct pattern pattern;
	struct error error = {0};

	assert_int_equal(
		pattern_open(&pattern, PATTERN_RANDOM, &range, 1, 0, BLOCK, 1, 0, 1, &error),
		ERROR_INPUT);
	assert_non_null(error.text[0] ? error.text : NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_covers_evenly),
		cmocka_unit_test(test_last_partial_block_is_left_out),
		cmocka_unit_test(test_targets_by_their_size),
		cmocka_unit_test(test_every_block_has_its_target),
		cmocka_unit_test(test_sequential_walks_and_wraps),
		cmocka_unit_test(test_same_seed_same_places),
		cmocka_unit_test(test_nothing_to_read_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
