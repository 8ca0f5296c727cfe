/* SPDX-License-Identifier: MIT */
/* test_frames.c - no frame is lent twice, round robin visits all, random is even. */
#include "workload/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/error.h"

#define FRAMES 100u
#define FLIGHT 30u

/* Keeps FLIGHT frames lent, gives back in random order, and counts how often each was taken. */
static void churn(enum frames_order order, unsigned rounds, unsigned *taken)
{
	struct frames frames;
	struct random random;
	struct error error = {0};
	uint32_t flight[FLIGHT];
	bool lent[FRAMES] = {false};

	assert_int_equal(frames_open(&frames, order, FRAMES, 9, 0, &error), 0);
	random_seed(&random, 1, 1);
	for (unsigned i = 0; i < FLIGHT; i++) {
		flight[i] = frames_take(&frames);
		lent[flight[i]] = true;
	}
	for (unsigned i = 0; i < rounds; i++) {
		unsigned which = (unsigned)random_below(&random, FLIGHT);

		lent[flight[which]] = false;
		frames_give(&frames, flight[which]);
		flight[which] = frames_take(&frames);
		assert_true(flight[which] < FRAMES);
		assert_false(lent[flight[which]]);
		lent[flight[which]] = true;
		taken[flight[which]]++;
	}
	frames_close(&frames);
}

static void test_round_robin_lends_all(void **state)
{
	unsigned taken[FRAMES] = {0};

	churn(FRAMES_ROUND_ROBIN, 10000, taken);
	for (unsigned i = 0; i < FRAMES; i++)
		assert_true(taken[i] > 0);
}

static void test_random_is_even(void **state)
{
	unsigned taken[FRAMES] = {0};

	churn(FRAMES_RANDOM, 100000, taken);
	for (unsigned i = 0; i < FRAMES; i++)
		assert_in_range(taken[i], 700, 1300);
}

static void test_round_robin_begins_in_order(void **state)
{
	struct frames frames;
	struct error error = {0};

	assert_int_equal(frames_open(&frames, FRAMES_ROUND_ROBIN, 3, 1, 0, &error), 0);
	for (unsigned i = 0; i < 9; i++) {
		uint32_t frame = frames_take(&frames);

		assert_int_equal(frame, i % 3);
		frames_give(&frames, frame);
	}
	frames_close(&frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_robin_lends_all),
		cmocka_unit_test(test_random_is_even),
		cmocka_unit_test(test_round_robin_begins_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
