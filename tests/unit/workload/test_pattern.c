/* SPDX-License-Identifier: MIT */
/* test_pattern.c - blocks are in range, unbiased, walked in shares, the same for the same seed. */
#include "workload/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void test_random_covers_evenly(void **state)
{
	unsigned hits[16] = {0};
	struct pattern pattern;

	pattern_open(&pattern, PATTERN_RANDOM, 16, 42, 0, 1);
	for (int i = 0; i < 160000; i++) {
		uint64_t block = pattern_next(&pattern);

		assert_true(block < 16);
		hits[block]++;
	}
	/* 10000 expected, standard deviation 97: five of them. */
	for (int i = 0; i < 16; i++)
		assert_in_range(hits[i], 9515, 10485);
}

/* Chi-square of n draws into cells of equal size, by the block divided or by its remainder. */
static double chi_square(uint64_t n_blocks, uint64_t seed, unsigned n, bool low)
{
	unsigned hits[1024] = {0};
	double sum = 0, expected = n / 1024.0;
	struct pattern pattern;

	pattern_open(&pattern, PATTERN_RANDOM, n_blocks, seed, 0, 1);
	for (unsigned i = 0; i < n; i++) {
		uint64_t block = pattern_next(&pattern);

		assert_true(block < n_blocks);
		hits[low ? block % 1024 : (uint64_t)((unsigned __int128)block * 1024 / n_blocks)]++;
	}
	for (unsigned i = 0; i < 1024; i++)
		sum += (hits[i] - expected) * (hits[i] - expected) / expected;
	return sum;
}

/*
 * With 1023 degrees of freedom a chi-square has mean 1023 and standard deviation 45.2: beyond
 * 802 … 1268 (five of them, skew included) lie less than one in 10^5. 40 TiB of 8K blocks are more
 * than 2^32 of them.
 */
static void test_random_is_uniform_beyond_32_bits(void **state)
{
	static const uint64_t sizes[] = {131072, 1000003, (UINT64_C(40) << 40) / 8192,
					 (UINT64_C(1) << 53) - 111};

	assert_true(sizes[2] > UINT64_C(1) << 32);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (uint64_t seed = 1; seed <= 5; seed++)
			for (int low = 0; low < 2; low++) {
				double chi = chi_square(sizes[i], seed, 200000, low);

				if (chi < 802 || chi > 1268)
					fail_msg("chi-square %g of %lu blocks, seed %lu", chi,
						 sizes[i], seed);
			}
}

static void test_sequential_walks_its_share_and_begins_again(void **state)
{
	static const uint64_t expected[] = {3, 4, 5, 3, 4, 5, 3};
	struct pattern pattern;

	/* The second of two workers. */
	pattern_open(&pattern, PATTERN_SEQUENTIAL, 6, 1, 1, 2);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_int_equal(pattern_next(&pattern), expected[i]);
}

/* Whatever the numbers are, the shares of all workers are each block once. */
static void test_sequential_shares_do_not_overlap(void **state)
{
	for (unsigned n_blocks = 1; n_blocks < 70; n_blocks++) {
		for (unsigned workers = 1; workers <= n_blocks; workers++) {
			unsigned hits[70] = {0};

			for (unsigned i = 0; i < workers; i++) {
				struct pattern pattern;
				uint64_t first;

				pattern_open(&pattern, PATTERN_SEQUENTIAL, n_blocks, 1, i, workers);
				first = pattern_next(&pattern);
				hits[first]++;
				for (uint64_t block = pattern_next(&pattern); block != first;
				     block = pattern_next(&pattern))
					hits[block]++;
			}
			for (unsigned b = 0; b < n_blocks; b++)
				assert_int_equal(hits[b], 1);
		}
	}
}

static void test_more_workers_than_blocks(void **state)
{
	for (unsigned i = 0; i < 7; i++) {
		struct pattern pattern;

		pattern_open(&pattern, PATTERN_SEQUENTIAL, 3, 1, i, 7);
		for (int k = 0; k < 10; k++)
			assert_true(pattern_next(&pattern) < 3);
	}
}

static void test_same_seed_same_places(void **state)
{
	struct pattern a, b, other;
	unsigned equal = 0;

	pattern_open(&a, PATTERN_RANDOM, UINT64_C(1) << 31, 5, 3, 8);
	pattern_open(&b, PATTERN_RANDOM, UINT64_C(1) << 31, 5, 3, 8);
	pattern_open(&other, PATTERN_RANDOM, UINT64_C(1) << 31, 5, 4, 8);
	for (int i = 0; i < 1000; i++) {
		uint64_t block = pattern_next(&a);

		assert_int_equal(block, pattern_next(&b));
		equal += block == pattern_next(&other);
	}
	assert_true(equal < 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_covers_evenly),
		cmocka_unit_test(test_random_is_uniform_beyond_32_bits),
		cmocka_unit_test(test_sequential_walks_its_share_and_begins_again),
		cmocka_unit_test(test_sequential_shares_do_not_overlap),
		cmocka_unit_test(test_more_workers_than_blocks),
		cmocka_unit_test(test_same_seed_same_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
