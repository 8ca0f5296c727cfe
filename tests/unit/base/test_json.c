/* SPDX-License-Identifier: MIT */
/* test_json.c - documents are read whole or refused; numbers keep their digits. */
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "expect.h"

static char path[] = "/tmp/orion-json-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return -1;
	return close(fd);
}

static int remove_file(void **state)
{
	return unlink(path);
}

static void put(const void *bytes, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void a_document_is_parsed_and_freed(void **state)
{
	struct json_document *document = NULL;
	char text[] = "{\"a\": [1, \"two\"]}";

	EXPECT_OK(json_parse("name", text, &document, &error));
	memset(text, 'x', sizeof(text) - 1);
	assert_string_equal(json_name(document), "name");
	assert_true(cJSON_IsObject(json_root(document)));
	assert_true(cJSON_IsArray(cJSON_GetObjectItem(json_root(document), "a")));
	json_free(document);
	json_free(NULL);
}

static void a_file_is_read(void **state)
{
	struct json_document *document = NULL;

	put("\xef\xbb\xbf[1]\n", 7);
	EXPECT_OK(json_read(path, &document, &error));
	assert_string_equal(json_name(document), path);
	assert_int_equal(cJSON_GetArraySize(json_root(document)), 1);
	json_free(document);
}

/* Brackets, what is not named and what stands at the top stay, and so does every line. */
static void parts_that_are_not_wanted_are_empty(void **state)
{
	static const char *const names[] = {"rows", "more", NULL};
	static const char text[] =
		"{\"rows\": [1], \"in\": {\"rows\": [[\"]}\\\"\"],\n {}, 5\n],\n"
		"\"more\": {\"a\": [1]}, \"mo\": [2], \"s\": \"rows\", \"more2\": {}, "
		"\"l\": [{\"more\":7},\n 9]}}";
	struct json_document *document = NULL;
	struct error blamed = {0};
	const cJSON *in;
	char *left;

	put(text, sizeof(text) - 1);
	EXPECT_OK(json_read_without(path, names, &document, &error));
	left = cJSON_PrintUnformatted(json_root(document));
	assert_string_equal(left, "{\"rows\":[1],\"in\":{\"rows\":[],\"more\":{},\"mo\":[2],"
				  "\"s\":\"rows\",\"more2\":{},\"l\":[{\"more\":7},9]}}");
	cJSON_free(left);
	in = cJSON_GetObjectItem(json_root(document), "in");
	json_fail(document, cJSON_GetObjectItem(in, "l")->child->next, &blamed, ERROR_INPUT, "off");
	assert_non_null(strstr(blamed.text, ":5: in.l[1]: off"));
	json_free(document);
	put("{\"in\": {\"rows\": [1, }}", 22);
	EXPECT_ERROR_PART(json_read_without(path, names, &document, &error), ERROR_INPUT, "found");
}

static void files_that_are_none_of_ours_are_refused(void **state)
{
	struct json_document *document = NULL;

	EXPECT_ERROR(json_read("/proc/no/such.json", &document, &error), ERROR_INPUT,
		     "cannot open /proc/no/such.json: No such file or directory");
	EXPECT_ERROR(json_read("/proc", &document, &error), ERROR_INPUT,
		     "cannot read /proc: Is a directory");
	EXPECT_ERROR_PART(json_read("/dev/zero", &document, &error), ERROR_INPUT,
			  "more than 16 MiB");
	put("[1,\n\0 2]", 8);
	EXPECT_ERROR_PART(json_read(path, &document, &error), ERROR_INPUT, ":2:1: a NUL byte");
	put("", 0);
	EXPECT_ERROR_PART(json_read(path, &document, &error), ERROR_INPUT,
			  ":1:1: expected a value, found the end of the text");
	assert_null(document);
}

static void a_large_file_is_read(void **state)
{
	struct json_document *document = NULL;
	size_t length = 3 << 20;
	char *text = malloc(length);

	assert_non_null(text);
	for (size_t i = 0; i < length; i++)
		text[i] = i % 2 ? '1' : ',';
	text[0] = '[';
	text[length - 1] = ']';
	text[length - 2] = ' ';
	text[length - 3] = '7';
	put(text, length);
	free(text);
	EXPECT_OK(json_read(path, &document, &error));
	assert_int_equal(cJSON_GetArraySize(json_root(document)), (length - 2) / 2);
	json_free(document);
}

static void a_key_given_twice_is_refused_at_the_second(void **state)
{
	struct json_document *document = NULL;

	EXPECT_ERROR(json_parse("p", "{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", &document, &error),
		     ERROR_INPUT, "p:3: a: this key is given twice; leave one");
	EXPECT_ERROR(
		json_parse("p", "[{}, {\"x\": {\"\\u0061\": 1,\n\"a\": 1}}]", &document, &error),
		ERROR_INPUT, "p:2: [1].x.a: this key is given twice; leave one");
	assert_null(document);
	EXPECT_OK(json_parse("p", "{\"a\": {\"a\": 1}, \"A\": 2}", &document, &error));
	json_free(document);
}

/* Quadratic work would take minutes here. */
static void many_keys_and_copies_are_no_burden(void **state)
{
	enum { KEYS = 200000 };
	struct json_document *document = NULL;
	char *text = malloc((size_t)KEYS * 16);
	size_t used = 0;
	cJSON *copy;

	assert_non_null(text);
	for (int i = 0; i < KEYS; i++)
		used += (size_t)sprintf(text + used, "%c\"k%d\":1", i ? ',' : '{', i);
	sprintf(text + used, "}");
	EXPECT_OK(json_parse("p", text, &document, &error));
	free(text);
	for (int i = 0; i < 3; i++) {
		copy = json_copy(document, json_root(document));
		assert_non_null(copy);
		cJSON_Delete(copy);
	}
	json_free(document);
}

static void unknown_keys_are_listed(void **state)
{
	static const char *const names[] = {"block", "depth", NULL};
	struct json_document *document = NULL;

	EXPECT_OK(json_parse("p", "{\"depth\": 1, \"blok\": 2}", &document, &error));
	EXPECT_ERROR(json_check_keys(document, json_root(document), names, &error), ERROR_INPUT,
		     "p:1: blok: no key is called 'blok' (there are: block, depth; did you mean "
		     "'block'?)");
	EXPECT_ERROR(json_check_keys(document, json_root(document)->child, names, &error),
		     ERROR_INPUT, "p:1: depth: an object in braces is expected here");
	cJSON_DeleteItemFromObject(json_root(document), "blok");
	EXPECT_OK(json_check_keys(document, json_root(document), names, &error));
	json_free(document);
}

static void whole_numbers_are_printed_exactly(void **state)
{
	cJSON *object = cJSON_CreateObject();
	char *text;

	json_add_count(object, "a", 0);
	json_add_count(object, "b", 999999999999999);
	json_add_count(object, "c", 1000000000000000);
	json_add_count(object, "d", 9007199254740991);
	json_add_u64_text(object, "e", UINT64_MAX);
	text = cJSON_PrintUnformatted(object);
	assert_string_equal(text, "{\"a\":0,\"b\":999999999999999,\"c\":1000000000000000,"
				  "\"d\":9007199254740991,\"e\":\"18446744073709551615\"}");
	cJSON_free(text);
	cJSON_Delete(object);
}

static unsigned long allocations_left;

static void *failing_malloc(size_t size)
{
	return allocations_left && allocations_left-- ? malloc(size) : NULL;
}

static void running_out_of_memory_is_an_error_and_no_crash(void **state)
{
	cJSON_Hooks hooks = {.malloc_fn = failing_malloc, .free_fn = free};
	int r = -ENOMEM;

	cJSON_InitHooks(&hooks);
	for (unsigned long n = 0; r == -ENOMEM; n++) {
		struct json_document *document = NULL;
		cJSON *copy = NULL;

		allocations_left = n;
		r = json_parse("p", "{\"a\": [1, \"b\", {\"c\": null}]}", &document, NULL);
		if (!r) {
			copy = json_copy(document, json_root(document));
			r = copy ? 0 : -ENOMEM;
		}
		cJSON_Delete(copy);
		json_free(document);
		assert_true(n < 100);
	}
	cJSON_InitHooks(NULL);
	assert_int_equal(r, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_document_is_parsed_and_freed),
		cmocka_unit_test(a_file_is_read),
		cmocka_unit_test(parts_that_are_not_wanted_are_empty),
		cmocka_unit_test(files_that_are_none_of_ours_are_refused),
		cmocka_unit_test(a_large_file_is_read),
		cmocka_unit_test(a_key_given_twice_is_refused_at_the_second),
		cmocka_unit_test(many_keys_and_copies_are_no_burden),
		cmocka_unit_test(unknown_keys_are_listed),
		cmocka_unit_test(whole_numbers_are_printed_exactly),
		cmocka_unit_test(running_out_of_memory_is_an_error_and_no_crash),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
