/* SPDX-License-Identifier: MIT */
/* test_random.c - one seed, one sequence; every value as likely as the next. */
#include "base/random.h"

#include <stdlib.h>

#include "expect.h"

/* First outputs of xoshiro256++ for the state 1, 2, 3, 4, worked out by hand from its definition.
 */
static void the_generator_is_xoshiro256_plus_plus(void **state)
{
	struct random random = {.state = {1, 2, 3, 4}};

	/* (1 + 4) rotated by 23, plus 1 */
	assert_int_equal(random_next(&random), 41943041);
	assert_int_equal(random_next(&random), 58720359);
}

static void one_seed_gives_one_sequence(void **state)
{
	struct random a, b;

	random_seed(&a, 42, 7);
	random_seed(&b, 42, 7);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(random_next(&a), random_next(&b));
}

static int compare_words(const void *a, const void *b)
{
	uint64_t left, right;

	memcpy(&left, a, sizeof(left));
	memcpy(&right, b, sizeof(right));
	return left < right ? -1 : left > right;
}

static void neighbouring_seeds_and_streams_share_nothing(void **state)
{
	enum { SEEDS = 16, STREAMS = 16, EACH = 32, N = SEEDS * STREAMS * EACH };
	uint64_t *words = calloc(N, sizeof(words[0]));
	size_t n = 0;

	assert_non_null(words);
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (uint64_t stream = 0; stream < STREAMS; stream++) {
			struct random random;

			random_seed(&random, seed, stream);
			for (int i = 0; i < EACH; i++)
				words[n++] = random_next(&random);
		}
	qsort(words, N, sizeof(words[0]), compare_words);
	for (size_t i = 1; i < N; i++)
		assert_true(words[i] != words[i - 1]);
	free(words);
}

static void seeds_leave_no_state_of_zeros(void **state)
{
	static const uint64_t seeds[] = {0, 1, UINT64_MAX, 0x9e3779b97f4a7c15u,
					 -0x9e3779b97f4a7c15u};

	for (size_t i = 0; i < 25; i++) {
		struct random random;

		random_seed(&random, seeds[i / 5], seeds[i % 5]);
		assert_true(random.state[0] | random.state[1] | random.state[2] | random.state[3]);
	}
}

static void numbers_below_a_bound_are_even(void **state)
{
	enum { BOUND = 7, DRAWS = 700000 };
	unsigned counts[BOUND] = {0};
	struct random random;

	random_seed(&random, 3, 0);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t value = random_below(&random, BOUND);

		assert_in_range(value, 0, BOUND - 1);
		counts[value]++;
	}
	/* 100000 expected, standard deviation 293: 5 of them. */
	for (int i = 0; i < BOUND; i++)
		assert_in_range(counts[i], 98500, 101500);
}

/* A bound of 3 * 2^62: without rejection, a third of the values would be twice as likely. */
static void numbers_below_a_large_bound_are_even_too(void **state)
{
	enum { DRAWS = 300000 };
	uint64_t bound = 3ull << 62;
	unsigned counts[3] = {0};
	struct random random;

	random_seed(&random, 4, 0);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t value = random_below(&random, bound);

		assert_true(value < bound);
		counts[value % 3]++;
	}
	for (int i = 0; i < 3; i++)
		assert_in_range(counts[i], 98700, 101300);
	assert_int_equal(random_below(&random, 1), 0);
}

static void a_buffer_is_filled_to_its_end_and_no_further(void **state)
{
	for (size_t length = 0; length < 40; length++) {
		unsigned char buffer[48], again[48];
		struct random random;
		size_t zeros = 0;

		memset(buffer, 0xa5, sizeof(buffer));
		random_seed(&random, 5, length);
		random_fill(&random, buffer, length);
		for (size_t i = length; i < sizeof(buffer); i++)
			assert_int_equal(buffer[i], 0xa5);
		for (size_t i = 0; i < length; i++)
			zeros += buffer[i] == 0;
		assert_true(zeros <= 3);
		random_seed(&random, 5, length);
		memset(again, 0xa5, sizeof(again));
		random_fill(&random, again, length);
		assert_memory_equal(buffer, again, sizeof(buffer));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_is_xoshiro256_plus_plus),
		cmocka_unit_test(one_seed_gives_one_sequence),
		cmocka_unit_test(neighbouring_seeds_and_streams_share_nothing),
		cmocka_unit_test(seeds_leave_no_state_of_zeros),
		cmocka_unit_test(numbers_below_a_bound_are_even),
		cmocka_unit_test(numbers_below_a_large_bound_are_even_too),
		cmocka_unit_test(a_buffer_is_filled_to_its_end_and_no_further),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
