/* SPDX-License-Identifier: MIT */
/* test_numbers.c - thousands, decimals, paragraphs. */
#include "report/numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void check_format(double value, int decimals, const char *expected)
{
	char text[NUMBER_BYTES];

	assert_string_equal(number_format(value, decimals, text), expected);
}

static void test_thousands(void **state)
{
	check_format(0, 0, "0");
	check_format(999, 0, "999");
	check_format(999.5, 0, "1,000");
	check_format(1000, 0, "1,000");
	check_format(123456, 0, "123,456");
	check_format(1234567.89, 1, "1,234,567.9");
	check_format(-1234, 0, "-1,234");
	check_format(-123.4, 1, "-123.4");
	check_format(0.05, 2, "0.05");
	check_format(NAN, 2, "-");
	check_format(1e18, 2, "1e+18");
	check_format(999999999999999999.0, 2, "1e+18");
	check_format(INFINITY, 0, "inf");
}

static void check_short(double value, const char *expected)
{
	char text[NUMBER_BYTES];

	assert_string_equal(number_short(value, text), expected);
}

static void test_three_digits(void **state)
{
	check_short(4.6, "4.60");
	check_short(9.996, "10.0");
	check_short(41.04, "41.0");
	check_short(99.94, "99.9");
	check_short(99.96, "100");
	check_short(3526.6, "3,527");
	check_short(0.0125, "0.0125");
	check_short(0.0000125, "0.0000");
	check_short(0, "0");
	check_short(NAN, "-");
	assert_int_equal(number_decimals(NAN), 0);
	assert_int_equal(number_decimals(0), 0);
}

static void check_kib(double bytes, const char *expected)
{
	char text[NUMBER_BYTES];

	assert_string_equal(number_kib(bytes, text), expected);
}

static void test_kib(void **state)
{
	check_kib(8192, "8");
	check_kib(8200, "8");
	check_kib(12000, "11.7");
	check_kib(512, "0.5");
	check_kib(1048576, "1,024");
	check_kib(520000, "508");
}

static void test_width_counts_characters(void **state)
{
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("\xc2\xb1% \xe2\x80\xa6"), 4);
}

static void check_paragraph(const char *lead, const char *text, size_t width, const char *expected)
{
	char *printed = NULL;
	size_t size;
	FILE *stream = open_memstream(&printed, &size);

	assert_non_null(stream);
	print_paragraph(lead, text, width, stream);
	fclose(stream);
	assert_string_equal(printed, expected);
	free(printed);
}

static void test_paragraphs(void **state)
{
	check_paragraph("", "one two three", 20, "one two three\n");
	check_paragraph("", "one two three", 7, "one two\nthree\n");
	check_paragraph("[1] ", "one two three", 11, "[1] one two\n    three\n");
	check_paragraph("> ", "a-very-long-word and more", 8,
			"> a-very-long-word\n  and\n  more\n");
	check_paragraph("> ", "", 8, "> \n");
	check_paragraph("", "two  blanks ", 20, "two blanks\n");
}

static void test_control_characters_are_shown(void **state)
{
	check_paragraph("", "red \x1b[31m and\nlines", 60, "red \\x1b[31m and\\nlines\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thousands),
		cmocka_unit_test(test_three_digits),
		cmocka_unit_test(test_kib),
		cmocka_unit_test(test_width_counts_characters),
		cmocka_unit_test(test_paragraphs),
		cmocka_unit_test(test_control_characters_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
