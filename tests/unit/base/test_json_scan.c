/* SPDX-License-Identifier: MIT */
/* test_json_scan.c - what is JSON passes, what is not has its place and its sentence. */
#include "base/json_scan.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "expect.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void what_is_json_passes(void **state)
{
	static const char *const texts[] = {
		"1",
		"-0",
		"0.5e+3",
		"-12E-2",
		"\"\"",
		"true",
		" null\n",
		"[]",
		"{ }",
		"[1,[2,{}],{\"a\":[]}]",
		"{\"\": \"\"}",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00 é €\"",
		"\r\n\t [\r\n\t]\r\n\t ",
		"123456789012345678901234567890",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct json_document *document = NULL;

		EXPECT_OK(json_parse("p", texts[i], &document, &error));
		json_free(document);
	}
}

static const struct {
	const char *text, *sentence;
} broken_texts[] = {
	{"", "p:1:1: expected a value, found the end of the text"},
	{"{", "p:1:2: expected a key in quotes, found the end of the text"},
	{"[1,\n\n  2", "p:3:4: expected ',' or ']', found the end of the text"},
	{"{\"a\":1,}", "p:1:8: expected a key in quotes, found '}'"},
	{"[1,]", "p:1:4: expected a value, found ']'"},
	{"[1 2]", "p:1:4: expected ',' or ']', found '2'"},
	{"{\"a\" 1}", "p:1:6: expected ':', found '1'"},
	{"{\"a\": 1 \"b\": 2}", "p:1:9: expected ',' or '}', found '\"'"},
	{"{a:1}", "p:1:2: expected a key in quotes, found 'a'"},
	{"['a']", "p:1:2: expected a value, found '''"},
	{"[1] x", "p:1:5: expected nothing more behind the document, found 'x'"},
	{"{} {}", "p:1:4: expected nothing more behind the document, found '{'"},
	{"[é\x01]", "p:1:2: expected a value, found 'é'"},
	{"\x01", "p:1:1: expected a value, found '\\x01'"},
	{"[// no\n1]", "p:1:2: expected a value, found '/'"},
	{"[01]", "p:1:2: '01' is not a number (text needs quotes)"},
	{"[1.]", "p:1:2: '1.' is not a number (text needs quotes)"},
	{"[-]", "p:1:2: '-' is not a number (text needs quotes)"},
	{"[1e]", "p:1:2: '1e' is not a number (text needs quotes)"},
	{"[1-2]", "p:1:2: '1-2' is not a number (text needs quotes)"},
	{"[0x10]", "p:1:2: '0x10' is not a number (text needs quotes)"},
	{"{\"block\": 8k}", "p:1:11: '8k' is not a number (text needs quotes)"},
	{"[.5]", "p:1:2: expected a value, found '.'"},
	{"[+1]", "p:1:2: expected a value, found '+'"},
	{"[1e999]", "p:1:2: '1e999' is too large"},
	{"[nul]", "p:1:2: 'nul' is no value (text needs quotes)"},
	{"[True]", "p:1:2: 'True' is no value (text needs quotes)"},
	{"[NaN]", "p:1:2: 'NaN' is no value (text needs quotes)"},
	{"[\"abc", "p:1:2: this string is not closed"},
	{"[\"abc\n\"]", "p:1:2: this string is not closed"},
	{"[\"abc\\", "p:1:6: a backslash before what needs none"},
	{"[\"a\tb\"]", "p:1:4: a control character in a string (write it as \\u0009)"},
	{"[\"é\\x\"]", "p:1:4: a backslash before what needs none"},
	{"[\"\\u12\"]", "p:1:3: \\u needs four hexadecimal digits"},
	{"[\"\\u0000\"]", "p:1:3: \\u0000 is not allowed in a string"},
	{"[\"\\ud800\"]", "p:1:3: half of a surrogate pair in a string"},
	{"[\"\\ud800\\u0061\"]", "p:1:3: half of a surrogate pair in a string"},
	{"[\"\\udc00\"]", "p:1:3: half of a surrogate pair in a string"},
	{"[\"\xff\"]", "p:1:3: a byte that is not UTF-8 in a string"},
	{"[\"\xc3\"]", "p:1:3: a byte that is not UTF-8 in a string"},
	{"{\"\xed\xa0\x80\": 1}", "p:1:3: a byte that is not UTF-8 in a string"},
};

static void what_is_not_json_has_its_place(void **state)
{
	for (size_t i = 0; i < COUNT_OF(broken_texts); i++) {
		struct json_document *document = NULL;

		EXPECT_ERROR(json_parse("p", broken_texts[i].text, &document, &error), ERROR_INPUT,
			     broken_texts[i].sentence);
		assert_null(document);
	}
}

static void nest(char *text, size_t size, int depth)
{
	size_t used = 0;

	for (int i = 0; i < depth; i++)
		used += (size_t)snprintf(text + used, size - used, i % 2 ? "{\"a\":" : "[");
	used += (size_t)snprintf(text + used, size - used, "1");
	for (int i = depth; i-- > 0;)
		used += (size_t)snprintf(text + used, size - used, i % 2 ? "}" : "]");
}

static void depth_has_a_limit(void **state)
{
	struct json_document *document = NULL;
	char text[1024] = "", deeper[1024] = "", *deepest = malloc(1000001);

	nest(text, sizeof(text), JSON_DEPTH_MAX);
	EXPECT_OK(json_parse("p", text, &document, &error));
	json_free(document);
	nest(deeper, sizeof(deeper), JSON_DEPTH_MAX + 1);
	EXPECT_ERROR_PART(json_parse("p", deeper, &document, &error), ERROR_INPUT,
			  "nested deeper than 64");
	assert_non_null(deepest);
	memset(deepest, '[', 1000000);
	deepest[1000000] = '\0';
	EXPECT_ERROR(json_parse("p", deepest, &document, &error), ERROR_INPUT,
		     "p:1:65: nested deeper than 64");
	free(deepest);
}

static void a_number_has_a_limit_of_digits(void **state)
{
	struct json_document *document = NULL;
	char text[128];

	memset(text, '1', sizeof(text));
	text[60] = '\0';
	EXPECT_OK(json_parse("p", text, &document, &error));
	json_free(document);
	text[60] = '1';
	text[61] = '\0';
	EXPECT_ERROR(json_parse("p", text, &document, &error), ERROR_INPUT,
		     "p:1:1: a number of more than 60 digits");
}

static void children_are_found_in_the_text(void **state)
{
	const char *text = " { \"a,]\" : [ 1 , \"x\\\",[\" , {\"y\": [2,3]} ] ,\n\"b\": {} }";
	const char *first = json_scan_child(text, 0), *second = json_scan_child(text, 1);
	const char *third = json_scan_child(first, 2);

	assert_memory_equal(first, "\"a,]\"", 5);
	assert_memory_equal(second, "\"b\"", 3);
	assert_memory_equal(json_scan_child(first, 0), "1 ", 2);
	assert_memory_equal(json_scan_child(first, 1), "\"x\\\"", 4);
	assert_memory_equal(third, "{\"y\"", 4);
	assert_memory_equal(json_scan_child(json_scan_child(third, 0), 1), "3]", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_json_passes),
		cmocka_unit_test(what_is_not_json_has_its_place),
		cmocka_unit_test(depth_has_a_limit),
		cmocka_unit_test(a_number_has_a_limit_of_digits),
		cmocka_unit_test(children_are_found_in_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
