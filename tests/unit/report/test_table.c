/* SPDX-License-Identifier: MIT */
/* test_table.c - alignment, groups, gaps that shrink, rows of words. */
#include "report/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

/* Prints the table, frees it, compares. */
static void check(struct table *table, const char *expected)
{
	char *printed = NULL;
	size_t size;
	FILE *stream = open_memstream(&printed, &size);

	assert_non_null(stream);
	assert_int_equal(table_print(table, stream), 0);
	fclose(stream);
	assert_string_equal(printed, expected);
	free(printed);
	table_free(table);
}

static void test_alignment(void **state)
{
	struct table table = {.width_max = 80};
	unsigned name = table_column(&table, "", "name", TABLE_LEFT);
	unsigned count = table_column(&table, "", "n", TABLE_RIGHT);
	unsigned last = table_column(&table, "", "last", TABLE_LEFT);

	table_row(&table);
	table_cell(&table, name, "a");
	table_number(&table, count, 1234, 0);
	table_cell(&table, last, "z");
	table_row(&table);
	table_cell(&table, name, "longer");
	table_number(&table, count, NAN, 0);
	check(&table, "\n"
		      "name        n  last\n"
		      "a       1,234  z\n"
		      "longer      -\n");
}

static void test_groups(void **state)
{
	struct table table = {.width_max = 80};
	const char *const heads[] = {"mean", "p50", "max"};

	table_column(&table, "", "x", TABLE_LEFT);
	for (int i = 0; i < 3; i++)
		table_column(&table, "latency", heads[i], TABLE_RIGHT);
	table_column(&table, "CPU us", "per I/O", TABLE_RIGHT);
	table_column(&table, "memory", "got", TABLE_LEFT);
	table_row(&table);
	table_cell(&table, 0, "1");
	for (unsigned i = 1; i < 5; i++)
		table_number(&table, i, 10 * i, 0);
	table_cell(&table, 5, "all of it");
	check(&table, "   -- latency ---   CPU us  memory\n"
		      "x  mean  p50  max  per I/O  got\n"
		      "1    10   20   30       40  all of it\n");
}

static void test_a_wide_group_widens_its_columns(void **state)
{
	struct table table = {.width_max = 80};

	table_column(&table, "a wide group", "a", TABLE_RIGHT);
	table_column(&table, "a wide group", "b", TABLE_RIGHT);
	table_row(&table);
	table_cell(&table, 0, "1");
	table_cell(&table, 1, "2");
	check(&table, "a wide group\n"
		      "        a  b\n"
		      "        1  2\n");
}

static void fill_five(struct table *table, size_t width_max)
{
	*table = (struct table){.width_max = width_max};
	for (unsigned i = 0; i < 5; i++) {
		table_column(table, "", "ab", TABLE_RIGHT);
		if (i == 2)
			table_section(table);
	}
	table_row(table);
	table_cell(table, 0, "1");
}

static void test_gaps_shrink(void **state)
{
	struct table table;

	fill_five(&table, 30);
	check(&table, "\nab  ab   ab  ab  ab\n 1\n");
	fill_five(&table, 18);
	check(&table, "\nab  ab  ab  ab  ab\n 1\n");
	fill_five(&table, 17);
	check(&table, "\nab ab   ab ab ab\n 1\n");
	fill_five(&table, 15);
	check(&table, "\nab ab  ab ab ab\n 1\n");
	fill_five(&table, 5);
	check(&table, "\nab ab ab ab ab\n 1\n");
}

static void test_words(void **state)
{
	struct table table = {.width_max = 80};
	unsigned row;

	table_column(&table, "", "name", TABLE_LEFT);
	table_column(&table, "", "x", TABLE_RIGHT);
	table_column(&table, "", "figure", TABLE_RIGHT);
	table_row(&table);
	table_cell(&table, 0, "a");
	table_number(&table, 2, 1, 0);
	table_gap(&table);
	row = table_row(&table);
	table_cell(&table, 0, "b");
	assert_int_equal(table_room(&table, 1), 9);
	table_words(&table, row, 1, "skipped, because it is so");
	assert_int_equal(table_room(&table, 1), 9); /* words widen nothing */
	check(&table, "\n"
		      "name  x  figure\n"
		      "a             1\n"
		      "\n"
		      "b     skipped, because it is so\n");
}

static void test_cells_from_outside(void **state)
{
	struct table table = {.width_max = 80};

	table_column(&table, "", "x", TABLE_LEFT);
	table_row(&table);
	table_cell(&table, 0, "\x1b[2J");
	check(&table, "\nx\n\\x1b[2J\n");
}

static void test_too_many_columns(void **state)
{
	struct table table = {.width_max = 80};

	for (unsigned i = 0; i < TABLE_COLUMNS_MAX + 5; i++)
		assert_true(table_column(&table, "", "x", TABLE_LEFT) < TABLE_COLUMNS_MAX);
	table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_a_wide_group_widens_its_columns),
		cmocka_unit_test(test_gaps_shrink),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_cells_from_outside),
		cmocka_unit_test(test_too_many_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
