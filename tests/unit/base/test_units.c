/* SPDX-License-Identifier: MIT */
/* test_units.c - sizes, durations and counts are read to the letter, and written back exactly. */
#include "base/units.h"

#include <math.h>

#include "base/random.h"
#include "expect.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct row {
	const char *text;
	uint64_t value;
};

static void sizes_are_powers_of_1024_in_any_spelling(void **state)
{
	static const struct row rows[] = {
		{"0", 0},
		{"4096", 4096},
		{"512b", 512},
		{"8k", 8192},
		{"8K", 8192},
		{"8kb", 8192},
		{"8KiB", 8192},
		{"8Kb", 8192},
		{"8KIB", 8192},
		{"1M", 1048576},
		{"4g", 4294967296},
		{"2t", 2199023255552},
		{"0008k", 8192},
		{"18446744073709551615", UINT64_MAX},
		{"16777215t", 16777215ull << 40},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint64_t value = 1;

		EXPECT_OK(units_parse_size(rows[i].text, &value, &error));
		assert_int_equal(value, rows[i].value);
	}
}

static void what_is_no_size_is_refused(void **state)
{
	static const char *const texts[] = {"",	   "k",	   "-1",   "+1",    " 8k", "8k ",
					    "8 k", "8q",   "1.5k", "8kk",   "8ik", "8i",
					    "8ib", "0x10", "8kx",  "8k,4k", "1e3", "8kibx"};
	uint64_t value = 77;

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		EXPECT_ERROR_PART(units_parse_size(texts[i], &value, &error), ERROR_INPUT,
				  "is not a size");
	EXPECT_ERROR_PART(units_parse_size("18446744073709551616", &value, &error), ERROR_INPUT,
			  "more than 64 bits");
	EXPECT_ERROR_PART(units_parse_size("16777216t", &value, &error), ERROR_INPUT,
			  "more than 64 bits");
	EXPECT_ERROR_PART(units_parse_size("99999999999999999999999999k", &value, &error),
			  ERROR_INPUT, "more than 64 bits");
	EXPECT_ERROR(units_parse_size("8q\n", &value, &error), ERROR_INPUT,
		     "'8q\\n' is not a size (such as 4096, 8k, 64K, 1M, 4g)");
	assert_int_equal(value, 77);
}

static void durations_are_exact_to_the_ns(void **state)
{
	static const struct row rows[] = {
		{"0", 0},
		{"2", 2000000000},
		{"0.5", 500000000},
		{"500ms", 500000000},
		{"2s", 2000000000},
		{"1.5s", 1500000000},
		{"10m", 600000000000},
		{"1h", 3600000000000},
		{"0.1h", 360000000000},
		{"250us", 250000},
		{"100ns", 100},
		{"0.000000001", 1},
		{"1.000000001s", 1000000001},
		{"0.1us", 100},
		{"18446744073709551615ns", UINT64_MAX},
		{"18446744073.709551615s", UINT64_MAX},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint64_t value = 1;

		EXPECT_OK(units_parse_duration(rows[i].text, &value, &error));
		assert_int_equal(value, rows[i].value);
	}
}

static void what_is_no_duration_is_refused(void **state)
{
	static const char *const texts[] = {
		"",	"s",	 "-1s",		  "1.s", ".5s", "1.5.5s", "1 s",    "5S",
		"1sec", "0.5ns", "1.0000000001s", "1e3", "nan", "inf",	  "10m30s", "5ms "};
	uint64_t value = 77;

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		EXPECT_ERROR_PART(units_parse_duration(texts[i], &value, &error), ERROR_INPUT,
				  "is not a duration");
	EXPECT_ERROR_PART(units_parse_duration("18446744073.709551616s", &value, &error),
			  ERROR_INPUT, "more than 64 bits");
	EXPECT_ERROR_PART(units_parse_duration("99999999999999999999h", &value, &error),
			  ERROR_INPUT, "more than 64 bits");
	EXPECT_ERROR_PART(units_parse_duration("5124096h", &value, &error), ERROR_INPUT,
			  "more than 64 bits");
	assert_int_equal(value, 77);
}

static void a_count_is_digits_and_nothing_else(void **state)
{
	uint64_t value = 77;

	EXPECT_ERROR_PART(units_parse_count("", &value, &error), ERROR_INPUT, "whole number");
	EXPECT_ERROR_PART(units_parse_count("-1", &value, &error), ERROR_INPUT, "whole number");
	EXPECT_ERROR_PART(units_parse_count("1.0", &value, &error), ERROR_INPUT, "whole number");
	EXPECT_ERROR_PART(units_parse_count("8k", &value, &error), ERROR_INPUT, "whole number");
	EXPECT_ERROR_PART(units_parse_count("18446744073709551616", &value, &error), ERROR_INPUT,
			  "more than 64 bits");
	assert_int_equal(value, 77);
	EXPECT_OK(units_parse_count("18446744073709551615", &value, &error));
	assert_int_equal(value, UINT64_MAX);
}

static void sizes_are_written_as_short_as_exact(void **state)
{
	static const struct row rows[] = {
		{"0", 0},
		{"512", 512},
		{"4097", 4097},
		{"64K", 65536},
		{"1536K", 1536u << 10},
		{"1M", 1048576},
		{"1G", 1073741824},
		{"2048T", 2048ull << 40},
	};
	char text[32];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(units_format_size(rows[i].value, text), rows[i].text);
}

static void durations_are_written_as_short_as_exact(void **state)
{
	static const struct row rows[] = {
		{"0s", 0},
		{"500ms", 500000000},
		{"2s", 2000000000},
		{"1500us", 1500000},
		{"90s", 90000000000u},
		{"1m", 60000000000u},
		{"1h", 3600000000000u},
		{"7ns", 7},
	};
	char text[32];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(units_format_duration(rows[i].value, text), rows[i].text);
}

static void what_is_written_reads_back(void **state)
{
	struct random random;
	char text[32];

	random_seed(&random, 1, 1);
	for (int i = 0; i < 20000; i++) {
		uint64_t value = random_next(&random), back;

		value >>= random_below(&random, 64);
		value <<= random_below(&random, 40);
		EXPECT_OK(units_parse_size(units_format_size(value, text), &back, &error));
		assert_int_equal(back, value);
		EXPECT_OK(units_parse_duration(units_format_duration(value, text), &back, &error));
		assert_int_equal(back, value);
	}
}

static void latencies_have_three_digits(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} rows[] = {
		{0, "0 ns"},	      {0.5, "0.50 ns"},	  {84000, "84 us"},   {1250000, "1.25 ms"},
		{950, "950 ns"},      {2.1e9, "2.10 s"},  {999.4, "999 ns"},  {999.6, "1.00 us"},
		{9.994e3, "9.99 us"}, {9.996e3, "10 us"}, {84300, "84.3 us"}, {99960, "100 us"},
		{84040, "84 us"},     {3.6e12, "3600 s"}, {-1, "-"},	      {NAN, "-"},
		{INFINITY, "-"},
	};
	char text[32];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(units_format_latency(rows[i].ns, text), rows[i].text);
}

static void amounts_have_three_digits_and_no_idle_zeros(void **state)
{
	static const struct row rows[] = {
		{"0", 0},
		{"1023", 1023},
		{"1K", 1024},
		{"1.5G", 3ull << 29},
		{"512M", 512 << 20},
		{"100M", 100 << 20},
		{"1023K", 1023 << 10},
		{"1M", (1 << 20) - 512},
		{"3.21T", 3529432325160},
		{"12.3K", 12595},
		{"10M", 10 << 20},
		{"16777216T", UINT64_MAX},
	};
	char text[32];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(units_format_amount(rows[i].value, text), rows[i].text);
}

static void rates_have_three_digits(void **state)
{
	static const struct {
		double rate;
		const char *text;
	} rows[] = {
		{0, "0"},	   {812, "812"},       {70900, "70.9 K"}, {1.2e6, "1.20 M"},
		{999.6, "1.00 K"}, {999600, "1.00 M"}, {8.5, "8.50"},	  {2.5e9, "2.50 G"},
		{1e16, "10000 T"}, {NAN, "-"},
	};
	char text[32];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(units_format_rate(rows[i].rate, text), rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_powers_of_1024_in_any_spelling),
		cmocka_unit_test(what_is_no_size_is_refused),
		cmocka_unit_test(durations_are_exact_to_the_ns),
		cmocka_unit_test(what_is_no_duration_is_refused),
		cmocka_unit_test(a_count_is_digits_and_nothing_else),
		cmocka_unit_test(sizes_are_written_as_short_as_exact),
		cmocka_unit_test(durations_are_written_as_short_as_exact),
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(latencies_have_three_digits),
		cmocka_unit_test(amounts_have_three_digits_and_no_idle_zeros),
		cmocka_unit_test(rates_have_three_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
