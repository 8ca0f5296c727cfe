/* SPDX-License-Identifier: MIT */
/* test_histogram.c - error bound over the whole range, edges, percentiles, merging, overflow. */
#include "stats/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/random.h"

#define RANGE_NS ((uint64_t)1 << HISTOGRAM_RANGE_BITS)

static struct histogram *fresh(void)
{
	struct histogram *histogram = malloc(sizeof(*histogram));

	assert_non_null(histogram);
	histogram_reset(histogram);
	return histogram;
}

static void check_cell(uint64_t value_ns)
{
	uint32_t cell = histogram_cell(value_ns);
	uint64_t low_ns = histogram_cell_low_ns(cell), width_ns = histogram_cell_width_ns(cell);
	uint64_t middle_ns = low_ns + width_ns / 2;
	uint64_t off_ns = middle_ns > value_ns ? middle_ns - value_ns : value_ns - middle_ns;

	assert_true(cell < HISTOGRAM_CELLS);
	assert_true(low_ns <= value_ns && value_ns < low_ns + width_ns);
	assert_true(off_ns * 500 <= value_ns); /* 0.2 % */
}

static void test_edges(void **state)
{
	const uint64_t edges[] = {0,
				  1,
				  254,
				  255,
				  256,
				  257,
				  510,
				  511,
				  512,
				  513,
				  1023,
				  1024,
				  1025,
				  RANGE_NS / 2 - 1,
				  RANGE_NS / 2,
				  RANGE_NS - 2,
				  RANGE_NS - 1};

	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++)
		check_cell(edges[i]);
	assert_int_equal(histogram_cell(0), 0);
	assert_int_equal(histogram_cell(511), 511);
	assert_int_equal(histogram_cell(512), 512);
	assert_int_equal(histogram_cell(513), 512);
	assert_int_equal(histogram_cell(RANGE_NS - 1), HISTOGRAM_CELLS - 1);
}

static void test_error_bound(void **state)
{
	struct random random;

	random_seed(&random, 1, 0);
	for (int i = 0; i < 2000000; i++)
		check_cell(random_next(&random) >> (64 - HISTOGRAM_RANGE_BITS + i % 42));
}

/* Every cell begins where the one before ends, so no value is without one. */
static void test_cells_tile_the_range(void **state)
{
	uint64_t next_ns = 0;

	for (uint32_t cell = 0; cell < HISTOGRAM_CELLS; cell++) {
		assert_int_equal(histogram_cell_low_ns(cell), next_ns);
		next_ns += histogram_cell_width_ns(cell);
	}
	assert_int_equal(next_ns, RANGE_NS);
}

static void test_empty(void **state)
{
	struct histogram *histogram = fresh();

	assert_int_equal(histogram_percentile_ns(histogram, 50), 0);
	assert_true(histogram_mean_ns(histogram) == 0);
	assert_true(histogram->min_ns == UINT64_MAX);
	free(histogram);
}

static void test_one_value_is_every_percentile(void **state)
{
	const double percents[] = {0, 0.0001, 1, 50, 99.99, 100, 101};
	struct histogram *histogram = fresh();

	histogram_add(histogram, 1000003);
	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++)
		assert_int_equal(histogram_percentile_ns(histogram, percents[i]), 1000003);
	free(histogram);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Nearest rank in whole numbers: percent is given in thousandths. */
static void check_percentile(const struct histogram *histogram, const uint64_t *sorted, size_t n,
			     uint64_t millipercent)
{
	size_t rank = (size_t)((millipercent * n + 99999) / 100000);
	uint64_t truth_ns = sorted[rank ? rank - 1 : 0];
	uint64_t got_ns = histogram_percentile_ns(histogram, (double)millipercent / 1000);
	uint64_t off_ns = got_ns > truth_ns ? got_ns - truth_ns : truth_ns - got_ns;

	assert_true(off_ns * 500 <= truth_ns);
	assert_true(got_ns <= sorted[n - 1]);
	assert_true(got_ns >= sorted[0]);
}

static void test_percentiles_against_sorting(void **state)
{
	const uint64_t millipercents[] = {1,	 1000,	10000, 25000, 50000, 75000, 90000,
					  95000, 99000, 99900, 99990, 99999, 100000};
	const size_t sizes[] = {1, 2, 3, 10, 99, 100, 101, 1000, 20000};
	uint64_t *values = calloc(20000, sizeof(*values));
	struct random random;

	assert_non_null(values);
	random_seed(&random, 2, 0);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct histogram *histogram = fresh();

		for (size_t i = 0; i < sizes[s]; i++) {
			values[i] = random_next(&random) >> (22 + random_below(&random, 42));
			histogram_add(histogram, values[i]);
		}
		qsort(values, sizes[s], sizeof(*values), compare_u64);
		for (size_t p = 0; p < sizeof(millipercents) / sizeof(*millipercents); p++)
			check_percentile(histogram, values, sizes[s], millipercents[p]);
		free(histogram);
	}
	free(values);
}

/* 99.9 * 1000 / 100 is a little more than 999 in floating point. */
static void test_rank_is_exact(void **state)
{
	struct histogram *histogram = fresh();

	histogram_add_n(histogram, 100, 999);
	histogram_add(histogram, 500);
	assert_int_equal(histogram_percentile_ns(histogram, 99.9), 100);
	assert_int_equal(histogram_percentile_ns(histogram, 99.91), 500);
	assert_int_equal(histogram_percentile_ns(histogram, 100), 500);
	free(histogram);
}

static void test_never_beyond_the_extremes(void **state)
{
	struct histogram *histogram = fresh();

	histogram_add(histogram, 1000000); /* below the middle of its cell */
	histogram_add(histogram, 1000001);
	assert_int_equal(histogram_percentile_ns(histogram, 100), 1000001);
	histogram_reset(histogram);
	histogram_add(histogram, 4194304 + 16383); /* the last of its cell */
	assert_int_equal(histogram_percentile_ns(histogram, 50), 4194304 + 16383);
	free(histogram);
}

static void test_overflow_is_counted_apart(void **state)
{
	struct histogram *histogram = fresh();

	histogram_add(histogram, RANGE_NS - 1);
	assert_int_equal(histogram->overflow, 0);
	histogram_add(histogram, RANGE_NS);
	histogram_add(histogram, UINT64_MAX);
	assert_int_equal(histogram->count, 3);
	assert_int_equal(histogram->overflow, 2);
	assert_true(histogram->max_ns == UINT64_MAX);
	assert_int_equal(histogram->cells[HISTOGRAM_CELLS - 1], 1);
	assert_in_range(histogram_percentile_ns(histogram, 33), RANGE_NS - RANGE_NS / 500,
			RANGE_NS - 1);
	assert_true(histogram_percentile_ns(histogram, 50) == UINT64_MAX);
	free(histogram);
}

static void test_merge_equals_adding_all(void **state)
{
	struct histogram *whole = fresh(), *part[3] = {fresh(), fresh(), fresh()};
	struct random random;

	random_seed(&random, 3, 0);
	for (int i = 0; i < 30000; i++) {
		uint64_t value_ns = random_next(&random) >> (20 + i % 43);

		histogram_add(whole, value_ns);
		histogram_add(part[i % 2], value_ns); /* the third stays empty */
	}
	histogram_merge(part[0], part[1]);
	histogram_merge(part[0], part[2]);
	assert_memory_equal(part[0], whole, sizeof(*whole));
	histogram_merge(part[2], whole);
	assert_memory_equal(part[2], whole, sizeof(*whole));
	free(whole);
	for (int i = 0; i < 3; i++)
		free(part[i]);
}

static void test_mean_is_exact(void **state)
{
	struct histogram *histogram = fresh();

	histogram_add_n(histogram, 1000001, 3);
	histogram_add(histogram, 5);
	assert_true(histogram_mean_ns(histogram) == 3000008 / 4.0);
	free(histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_error_bound),
		cmocka_unit_test(test_cells_tile_the_range),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_one_value_is_every_percentile),
		cmocka_unit_test(test_percentiles_against_sorting),
		cmocka_unit_test(test_rank_is_exact),
		cmocka_unit_test(test_never_beyond_the_extremes),
		cmocka_unit_test(test_overflow_is_counted_apart),
		cmocka_unit_test(test_merge_equals_adding_all),
		cmocka_unit_test(test_mean_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
