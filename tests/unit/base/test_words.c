/* SPDX-License-Identifier: MIT */
/* test_words.c - strings from outside are shown safely, listed, guessed at. */
#include "base/words.h"

#include "expect.h"

static void utf8_is_told_from_what_is_not(void **state)
{
	static const struct {
		const char *text;
		size_t length;
	} rows[] = {
		{"a", 1},
		{"", 1},
		{"\xc3\xa9", 2},
		{"\xe2\x82\xac", 3},
		{"\xf0\x9f\x98\x80", 4},
		{"\x80", 0},
		{"\xc0\xaf", 0},
		{"\xc3", 0},
		{"\xe0\x9f\xbf", 0},
		{"\xed\xa0\x80", 0},
		{"\xf0\x8f\xbf\xbf", 0},
		{"\xf4\x90\x80\x80", 0},
		{"\xe2\x82", 0},
		{"\xf0\x9f\x98", 0},
		{"\xff", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(words_utf8(rows[i].text), rows[i].length);
}

static void nothing_that_a_terminal_obeys_gets_through(void **state)
{
	char text[128];

	assert_string_equal(words_quote("plain é €", text, sizeof(text)), "plain é €");
	assert_string_equal(words_quote("\a\n\r\t\x7f", text, sizeof(text)), "\\x07\\n\\r\\t\\x7f");
	assert_string_equal(words_quote("\xc2\x9b"
					"31m",
					text, sizeof(text)),
			    "\\xc2\\x9b31m");
	assert_string_equal(words_quote("\xff\xfe", text, sizeof(text)), "\\xff\\xfe");
}

static void a_long_string_is_cut_between_characters(void **state)
{
	char text[11];

	assert_string_equal(words_quote("0123456789", text, sizeof(text)), "0123456789");
	assert_string_equal(words_quote("0123456789a", text, sizeof(text)), "0123456…");
	assert_string_equal(words_quote("012345éééé", text, sizeof(text)), "012345…");
	assert_string_equal(words_quote("long", text, 3), "");
	assert_string_equal(words_quote("long", text, 1), "");
}

static const char *const names[] = {"block", "depth", "batch", "registered_buffers", NULL};

static void a_typing_mistake_finds_its_name(void **state)
{
	assert_string_equal(words_nearest("blok", names), "block");
	assert_string_equal(words_nearest("BLOCK", names), "block");
	assert_string_equal(words_nearest("dpeth", names), "depth");
	assert_string_equal(words_nearest("registered_bufers", names), "registered_buffers");
	assert_null(words_nearest("engine", names));
	assert_null(words_nearest("x", names));
	assert_null(words_nearest("", names));
	assert_null(words_nearest("block", (const char *const[]){NULL}));
}

static void an_unknown_name_is_told_what_there_is(void **state)
{
	char text[256];

	assert_string_equal(words_unknown("key", "blok", names, text, sizeof(text)),
			    "no key is called 'blok' (there are: block, depth, batch, "
			    "registered_buffers; did you mean 'block'?)");
	assert_string_equal(
		words_unknown("key", "a\nb", (const char *const[]){NULL}, text, sizeof(text)),
		"no key is called 'a\\nb' (there are: none)");
}

static void a_long_list_is_cut_but_not_the_guess(void **state)
{
	const char *many[200];
	char text[1024];

	for (int i = 0; i < 199; i++)
		many[i] = "something";
	many[198] = "needle";
	many[199] = NULL;
	words_unknown("key", "needel", many, text, sizeof(text));
	assert_non_null(strstr(text, "…; did you mean 'needle'?)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_is_told_from_what_is_not),
		cmocka_unit_test(nothing_that_a_terminal_obeys_gets_through),
		cmocka_unit_test(a_long_string_is_cut_between_characters),
		cmocka_unit_test(a_typing_mistake_finds_its_name),
		cmocka_unit_test(an_unknown_name_is_told_what_there_is),
		cmocka_unit_test(a_long_list_is_cut_but_not_the_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
