/* SPDX-License-Identifier: MIT */
/* test_rows.c - one row for each variant, point, stream and class, in the plan's order. */
#include "report/rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "report/figures.h"
#include "sample.h"

static void test_rows_of_the_demo(void **state)
{
	struct result result;
	struct rows rows;
	char name[128];

	sample_demo(&result);
	assert_int_equal(rows_make(&result, &rows), 0);
	assert_int_equal(rows.n, 18);
	assert_int_equal(rows.n_axes, 3);
	assert_string_equal(rows.axes[1], "engine");
	assert_false(rows_have_variants(&rows));
	assert_false(rows_have_streams(&rows));
	assert_false(rows_have_classes(&rows));
	assert_string_equal(row_name(&rows, &rows.rows[17], name, sizeof(name)),
			    "1M libaio hugetlb");
	assert_string_equal(point_coordinate(rows.rows[1].point, "memory"), "mthp 64K");
	assert_null(point_coordinate(rows.rows[1].point, "depth"));
	assert_int_equal(row_spread(&rows.rows[0], "iops").n, 2);
	rows_free(&rows);
	result_free(&result);
}

static void test_rows_of_streams_and_classes(void **state)
{
	struct result result;
	struct rows rows;
	char name[128];

	sample_mixed(&result);
	assert_int_equal(rows_make(&result, &rows), 0);
	assert_int_equal(rows.n, 2 * (3 + 1 + 1));
	assert_true(rows_have_variants(&rows));
	assert_true(rows_have_streams(&rows));
	assert_true(rows_have_classes(&rows));
	assert_true(rows.rows[0].first);
	assert_false(rows.rows[1].first);
	assert_string_equal(row_name(&rows, &rows.rows[6], name, sizeof(name)),
			    "thp on 8 oltp write");
	assert_null(rows.rows[3].shape);
	assert_string_equal(row_name(&rows, &rows.rows[3], name, sizeof(name)), "thp off 64");
	rows_free(&rows);
	result_free(&result);
}

static void test_names_that_find_no_room(void **state)
{
	struct result result;
	struct rows rows;
	char name[8];

	sample_mixed(&result);
	assert_int_equal(rows_make(&result, &rows), 0);
	assert_string_equal(row_name(&rows, &rows.rows[0], name, sizeof(name)), "thp off");
	rows_free(&rows);
	result_free(&result);
}

static void test_status_and_reason(void **state)
{
	struct result result;
	struct result_point *point;

	sample_mixed(&result);
	point = &result.variants[0].points[0];
	assert_int_equal(point_status(point), RESULT_OK);
	assert_null(point_reason(point));
	assert_int_equal(point_ok_repeats(point), 3);
	point->repeats[1].status = RESULT_FAILED;
	snprintf(point->repeats[1].reason, sizeof(point->repeats[1].reason), "out of luck");
	assert_int_equal(point_ok_repeats(point), 2);
	assert_string_equal(point_reason(point), "out of luck");
	point = &result.variants[0].points[2];
	point->status = RESULT_OK; /* as a run that was stopped leaves what it did not get to */
	assert_int_equal(point_status(point), RESULT_INTERRUPTED);
	result_free(&result);
}

static void test_medians_of_repeats(void **state)
{
	struct result result;
	struct rows rows;

	sample_mixed(&result);
	result.variants[0].points[0].repeats[0].cpu.busy_s = 1.0;
	result.variants[0].points[0].repeats[1].cpu.busy_s = 3.0;
	result.variants[0].points[0].repeats[2].cpu.busy_s = 2.0;
	assert_int_equal(rows_make(&result, &rows), 0);
	assert_true(fabs(row_repeat_median(&rows.rows[0], figure_busy_percent) - 200 / 4.01) <
		    1e-9);
	assert_true(isnan(row_repeat_median(&rows.rows[3], figure_busy_percent)));
	rows_free(&rows);
	result_free(&result);
}

static void test_nothing_at_all(void **state)
{
	struct result result = {.name = ""};
	struct rows rows;

	assert_int_equal(rows_make(&result, &rows), 0);
	assert_int_equal(rows.n, 0);
	rows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_of_the_demo),
		cmocka_unit_test(test_rows_of_streams_and_classes),
		cmocka_unit_test(test_names_that_find_no_room),
		cmocka_unit_test(test_status_and_reason),
		cmocka_unit_test(test_medians_of_repeats),
		cmocka_unit_test(test_nothing_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
