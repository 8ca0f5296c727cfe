/* SPDX-License-Identifier: MIT */
/* test_document.c - short things on one line, long ones broken up, UTF-8 whatever comes. */
#include "stats/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void check(cJSON *tree, const char *expected)
{
	char *text = document_print(tree);

	assert_string_equal(text, expected);
	free(text);
	cJSON_Delete(tree);
}

static void test_short_is_one_line(void **state)
{
	check(cJSON_Parse("{\"a\": [1, {\"b\": null}], \"c\": \"x\"}"),
	      "{\"a\":[1,{\"b\":null}],\"c\":\"x\"}\n");
	check(cJSON_CreateArray(), "[]\n");
}

/* 100 characters: with a neighbour more than a line holds. */
static cJSON *wide_string(void)
{
	char wide[101];

	memset(wide, 'w', sizeof(wide));
	wide[100] = '\0';
	return cJSON_CreateString(wide);
}

#define WIDE_10 "wwwwwwwwww"
#define WIDE                                                                                       \
	"\"" WIDE_10 WIDE_10 WIDE_10 WIDE_10 WIDE_10 WIDE_10 WIDE_10 WIDE_10 WIDE_10 WIDE_10 "\""

static void test_long_is_broken_up(void **state)
{
	cJSON *tree = cJSON_Parse("{\"quo\\\"te\": 1, \"list\": [1]}");

	cJSON_AddItemToObject(tree, "wide", wide_string());
	cJSON_AddNullToObject(tree, "end");
	check(tree, "{\n \"quo\\\"te\":1,\"list\":[1],\n \"wide\":" WIDE ",\n \"end\":null\n}\n");
}

static void test_lists_of_long_objects(void **state)
{
	cJSON *tree = cJSON_Parse("[{\"first\": 1}, {\"second\": 2}]");

	cJSON_AddItemToObject(tree->child, "wide", wide_string());
	cJSON_AddItemToObject(tree->child->next, "wide", wide_string());
	check(tree, "[{\n \"first\":1,\n \"wide\":" WIDE "\n},{\n \"second\":2,\n \"wide\":" WIDE
		    "\n}]\n");
}

static void test_numbers_stay_on_their_line(void **state)
{
	cJSON *tree = cJSON_CreateArray();
	char *text;

	for (int i = 0; i < 200; i++)
		cJSON_AddItemToArray(tree, cJSON_CreateNumber(i));
	cJSON_AddItemToArray(tree, cJSON_CreateRaw("18446744073709551615"));
	text = document_print(tree);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
	cJSON_Delete(tree);
}

static void test_same_tree_again(void **state)
{
	cJSON *tree = cJSON_CreateArray(), *again;
	char *text;

	for (int i = 0; i < 50; i++)
		cJSON_AddItemToArray(tree, cJSON_Parse("{\"key\": [\"a\", [1, 2], {}, true]}"));
	text = document_print(tree);
	again = cJSON_Parse(text);
	assert_true(cJSON_Compare(tree, again, true));
	free(text);
	cJSON_Delete(tree);
	cJSON_Delete(again);
}

static void test_bytes_that_are_no_utf8(void **state)
{
	check(cJSON_CreateString("good \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
	      "\"good \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"\n");
	check(cJSON_CreateString("cut \xe2\x82"), "\"cut ??\"\n");
	check(cJSON_CreateString("latin \xe4 overlong \xc0\x80 surrogate \xed\xa0\x80 \xff"),
	      "\"latin ? overlong ?? surrogate ??? ?\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_is_one_line),
		cmocka_unit_test(test_long_is_broken_up),
		cmocka_unit_test(test_lists_of_long_objects),
		cmocka_unit_test(test_numbers_stay_on_their_line),
		cmocka_unit_test(test_same_tree_again),
		cmocka_unit_test(test_bytes_that_are_no_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
