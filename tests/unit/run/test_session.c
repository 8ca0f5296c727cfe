/* SPDX-License-Identifier: MIT */
/* test_session.c - seeds of the runs of a plan: none of them twice. */
#include "run/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "plan/parts.h"
#include "plan/point.h"

static int compare(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* Streams add their place; of the most points, repeats and streams that there may be. */
static void test_no_two_streams_share_a_seed(void **state)
{
	static const unsigned points[] = {0, 1, 2, 255, 256, 257, 65535, 65536, POINTS_MAX - 1};
	static const unsigned repeats[] = {0, 1, 2, 255, 256, 9999};
	static const unsigned streams[] = {0, 1, STREAMS_MAX - 1};
	enum { N = 9 * 6 * 3 };
	uint64_t seeds[N];
	unsigned n = 0;

	for (unsigned p = 0; p < 9; p++)
		for (unsigned r = 0; r < 6; r++)
			for (unsigned s = 0; s < 3; s++)
				seeds[n++] = session_seed(UINT64_MAX - 5, points[p], repeats[r]) +
					     streams[s];
	qsort(seeds, N, sizeof(seeds[0]), compare);
	for (unsigned i = 1; i < N; i++)
		assert_true(seeds[i] != seeds[i - 1]);
}

static void test_the_same_run_has_the_same_seed(void **state)
{
	assert_true(session_seed(7, 0, 0) == 7);
	assert_true(session_seed(7, 3, 2) == session_seed(7, 3, 2));
	assert_true(session_seed(7, 3, 2) != session_seed(8, 3, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_two_streams_share_a_seed),
		cmocka_unit_test(test_the_same_run_has_the_same_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
