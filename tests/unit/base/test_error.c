/* SPDX-License-Identifier: MIT */
/* test_error.c - sentences are set, prefixed, appended, escaped and cut. */
#include "base/error.h"

#include <stdio.h>

#include "expect.h"

static void a_sentence_is_set_with_its_code(void **state)
{
	struct error error = {.code = 0};

	assert_int_equal(error_set(&error, ERROR_INPUT, "%s has %d legs", "a dog", 5), ERROR_INPUT);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_string_equal(error.text, "a dog has 5 legs");
}

static void context_goes_in_front_and_the_remedy_behind(void **state)
{
	struct error error = {.code = 0};

	error_set(&error, ERROR_CANNOT, "no huge pages");
	assert_int_equal(error_prefix(&error, "points[%d]: ", 3), ERROR_CANNOT);
	assert_int_equal(error_append(&error, "; as root: %s", "do it"), ERROR_CANNOT);
	assert_string_equal(error.text, "points[3]: no huge pages; as root: do it");
}

static void a_null_error_only_returns_the_code(void **state)
{
	assert_int_equal(error_set(NULL, -ENOENT, "nobody reads this"), -ENOENT);
	assert_int_equal(error_prefix(NULL, "nor this"), ERROR_INPUT);
	assert_int_equal(error_append(NULL, "nor this"), ERROR_INPUT);
}

static void a_sentence_may_be_made_of_itself(void **state)
{
	struct error error = {.code = 0};

	error_set(&error, ERROR_IO, "inner");
	error_set(&error, ERROR_IO, "outer (%s)", error.text);
	assert_string_equal(error.text, "outer (inner)");
}

static void control_characters_are_escaped_once(void **state)
{
	struct error error = {.code = 0};

	error_set(&error, ERROR_INPUT, "a%sb", "\n\x1b[2J");
	assert_string_equal(error.text, "a\\n\\x1b[2Jb");
	error_prefix(&error, "%s: ", "c\td");
	assert_string_equal(error.text, "c\\td: a\\n\\x1b[2Jb");
}

static void what_does_not_fit_is_cut_and_shows_it(void **state)
{
	struct error error = {.code = 0};
	char longer[3 * sizeof(error.text)];

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	error_set(&error, ERROR_INPUT, "%s", longer);
	assert_in_range(strlen(error.text), sizeof(error.text) - 8, sizeof(error.text) - 1);
	error_prefix(&error, "in front: ");
	assert_memory_equal(error.text, "in front: xxx", 13);
	assert_string_equal(error.text + strlen(error.text) - 4, "x…");
}

static void the_remedy_survives_a_sentence_that_is_too_long(void **state)
{
	struct error error = {.code = 0};
	char longer[sizeof(error.text)];
	const char *remedy = "; as root: sysctl fs.aio-max-nr=1048576";

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	error_set(&error, ERROR_CANNOT, "%s", longer);
	error_append(&error, "%s", remedy);
	assert_string_equal(error.text + strlen(error.text) - strlen(remedy), remedy);
	assert_non_null(strstr(error.text, "x…;"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sentence_is_set_with_its_code),
		cmocka_unit_test(context_goes_in_front_and_the_remedy_behind),
		cmocka_unit_test(a_null_error_only_returns_the_code),
		cmocka_unit_test(a_sentence_may_be_made_of_itself),
		cmocka_unit_test(control_characters_are_escaped_once),
		cmocka_unit_test(what_does_not_fit_is_cut_and_shows_it),
		cmocka_unit_test(the_remedy_survives_a_sentence_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
