/* SPDX-License-Identifier: MIT */
/* test_orion_loads.c - options, loads and minutes against what was published of Orion. */
#include "command/orion_loads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "command/orion_options.h"

/* Words of a command line, up to the first null. */
static void read_options(const char *line, struct orion_options *ret)
{
	static char copy[512];
	const char *words[40] = {NULL};
	char *rest = copy, *word;
	struct error error = {0};
	unsigned n = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	while ((word = strsep(&rest, " ")))
		words[n++] = word;
	if (orion_options_read(words, ret, &error) < 0)
		fail_msg("%s", error.text);
}

static void make(const char *line, unsigned num_disks, struct orion_matrix *ret)
{
	struct orion_options options;
	struct error error = {0};

	read_options(line, &options);
	if (orion_matrix_make(&options, options.num_disks ? (unsigned)options.num_disks : num_disks,
			      ret, &error) < 0)
		fail_msg("%s", error.text);
}

static void check_loads(const struct loads *loads, const char *expected)
{
	char text[2048] = "";
	size_t used = 0;

	for (unsigned i = 0; i < loads->n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u", i ? " " : "",
					 loads->values[i]);
	assert_string_equal(text, expected);
}

static void check(const char *line, unsigned num_disks, const char *small, const char *large,
		  unsigned points, unsigned minutes)
{
	struct orion_matrix matrix;

	make(line, num_disks, &matrix);
	check_loads(&matrix.small, small);
	check_loads(&matrix.large, large);
	assert_int_equal(orion_matrix_points(&matrix), points);
	assert_int_equal(orion_matrix_minutes(&matrix, 60), minutes);
	orion_matrix_free(&matrix);
}

/* Every published figure that reference 1.3 of Orion has. */
static void test_published_points_and_minutes(void **state)
{
	check("-run simple -testname mytest -num_disks 1", 4, "1 2 3 4 5", "1 2", 8, 9);
	check("-run normal", 1, "1 2 3 4 5", "1 2", 18, 19);
	check("-run simple -num_disks 8", 1,
	      "1 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40",
	      "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", 38, 39);
	check("-run simple", 6,
	      "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30",
	      "1 2 3 4 5 6 7 8 9 10 11 12", 43, 44);
	check("-run simple", 2, "1 2 3 4 5 6 7 8 9 10", "1 2 3 4", 15, 16);
	check("-run oltp", 1, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20", "", 21, 22);
	check("-run oltp", 3, "1 2 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60", "",
	      23, 24);
	check("-run oltp -num_disks 4", 1,
	      "1 2 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80", "", 23, 24);
}

static void test_matrices(void **state)
{
	struct orion_matrix matrix;

	check("-run advanced", 1, "1 2 3 4 5", "1 2", 8, 9);
	check("-run advanced -matrix detailed -num_disks 2", 1, "1 2 3 4 5 6 7 8 9 10", "1 2 3 4",
	      55, 56);
	check("-run advanced -matrix point -num_small 4 -num_large 2", 1, "", "", 1, 2);
	check("-run advanced -matrix point -num_small 4 -num_large 0", 1, "4", "", 1, 2);
	check("-run advanced -matrix col -num_small 0", 1, "", "1 2", 3, 4);
	check("-run advanced -matrix col -num_small 3", 1, "3", "", 3, 4);
	check("-run advanced -matrix row -num_large 2", 1, "", "2", 6, 7);
	check("-run advanced -matrix row -num_large 0", 1, "1 2 3 4 5", "", 6, 7);
	check("-run advanced -matrix max -num_small 2 -num_large 3", 1, "1 2", "1 2 3", 12, 13);
	make("-run advanced -matrix max -num_small 2 -num_large 3", 1, &matrix);
	check_loads(&matrix.mixed_small, "1 2");
	check_loads(&matrix.mixed_large, "1 2 3");
	assert_true(matrix.corner);
	orion_matrix_free(&matrix);
	make("-run advanced -matrix point -num_small 4 -num_large 2", 1, &matrix);
	check_loads(&matrix.mixed_small, "4");
	check_loads(&matrix.mixed_large, "2");
	assert_false(matrix.corner);
	orion_matrix_free(&matrix);
}

static void test_loads_of_ones_own(void **state)
{
	check("-run simple --loads 1,2,4-6,32/7", 1, "1 2 4 5 6 32", "7", 8, 9);
	check("-run simple --loads 3", 1, "3", "1 2", 4, 5);
	check("-run simple --loads=/4,8", 1, "1 2 3 4 5", "4 8", 8, 9);
	check("-run dss --loads /1-3", 1, "", "1 2 3", 4, 5);
}

static void test_minutes_of_other_durations(void **state)
{
	struct orion_matrix matrix;

	make("-run simple", 1, &matrix);
	assert_int_equal(orion_matrix_minutes(&matrix, 1), 2);
	assert_int_equal(orion_matrix_minutes(&matrix, 10), 3);
	assert_int_equal(orion_matrix_minutes(&matrix, 120), 17);
	orion_matrix_free(&matrix);
}

static void test_the_largest_machines(void **state)
{
	struct orion_matrix matrix;

	for (unsigned n = 1; n <= 4096; n++) {
		make("-run simple", n, &matrix);
		assert_in_range(matrix.small.n, 5, 34);
		assert_int_equal(matrix.small.values[0], 1);
		assert_int_equal(loads_most(&matrix.small), 5 * n);
		assert_int_equal(loads_most(&matrix.large), 2 * n);
		for (unsigned i = 1; i < matrix.small.n; i++)
			assert_true(matrix.small.values[i] > matrix.small.values[i - 1]);
		orion_matrix_free(&matrix);
		make("-run dss", n, &matrix);
		assert_int_equal(loads_most(&matrix.large), 20 * n);
		orion_matrix_free(&matrix);
	}
}

static void check_refused(const char *line, const char *words)
{
	struct orion_options options;
	struct orion_matrix matrix;
	struct error error = {0};

	read_options(line, &options);
	assert_int_equal(orion_matrix_make(&options, 1, &matrix, &error), ERROR_INPUT);
	if (!strstr(error.text, words))
		fail_msg("\"%s\" is not in: %s", words, error.text);
}

static void test_lists_that_are_none(void **state)
{
	static const char *const bad[] = {"x",	"0",	 "1,", ",1",  "1,,2", "2,1", "1,1", "3-2",
					  "1-", "65537", "-1", "1 2", "1;2",  "1/x", "1/0", "/1,"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char line[64];

		if (strchr(bad[i], ' '))
			continue;
		snprintf(line, sizeof(line), "-run simple --loads=%s", bad[i]);
		check_refused(line, "has no list of loads there");
	}
	check_refused("-run oltp --loads 1/2", "one large load only");
	check_refused("-run dss --loads 1/2", "one small load only");
}

static void test_options_and_presets(void **state)
{
	struct orion_options options;

	read_options("-run simple", &options);
	assert_string_equal(options.testname, "orion");
	assert_int_equal(options.size_small_kb, 8);
	assert_int_equal(options.size_large_kb, 1024);
	assert_int_equal(options.type, ORION_RAND);
	assert_int_equal(options.num_stream_io, 4);
	assert_int_equal(options.simulate, ORION_CONCAT);
	assert_int_equal(options.stripe_kb, 1024);
	assert_string_equal(options.cache_mb, "");
	assert_int_equal(options.duration_s, 60);
	assert_int_equal(options.matrix, ORION_BASIC);
	assert_false(options.hugenotneeded || options.verbose || options.help);
	read_options("-run advanced -size_small 8 -size_large 1024 -type rand -simulate RAID0 "
		     "-stripe 1024 -write 0 -matrix detailed -num_disks 2",
		     &options);
	assert_int_equal(options.simulate, ORION_RAID0);
	assert_int_equal(options.matrix, ORION_DETAILED);
	assert_int_equal(options.num_disks, 2);
	/* Cut as short as they stay clear, in any case. */
	read_options("-r SIMPLE -te t -num_d 3 -num_str 2 -ty seq -c 0 -hu -ve -du 5 -sim raid0",
		     &options);
	assert_string_equal(options.testname, "t");
	assert_int_equal(options.num_disks, 3);
	assert_int_equal(options.num_stream_io, 2);
	assert_int_equal(options.type, ORION_SEQ);
	assert_string_equal(options.cache_mb, "0");
	assert_true(options.hugenotneeded && options.verbose);
	assert_int_equal(options.duration_s, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_points_and_minutes),
		cmocka_unit_test(test_matrices),
		cmocka_unit_test(test_loads_of_ones_own),
		cmocka_unit_test(test_minutes_of_other_durations),
		cmocka_unit_test(test_the_largest_machines),
		cmocka_unit_test(test_lists_that_are_none),
		cmocka_unit_test(test_options_and_presets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
