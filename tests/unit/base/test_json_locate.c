/* SPDX-License-Identifier: MIT */
/* test_json_locate.c - every node, copy and copy of a copy is named by its line and path. */
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

static const char profile[] = "{\n"
			      "  \"name\": \"a { [ \\\" , b\",\n"
			      "  \"points\": [\n"
			      "    {\"streams\": [{\"x\": 1},\n"
			      "      {\"workload\": {\n"
			      "        \"kind\": \"io\",\n"
			      "        \"depth\": \"abc\"}}],\n"
			      "     \"axes\": {\"streams[*].workload.depth\": [1,\n"
			      "       32]}}\n"
			      "  ]\n"
			      "}\n";

static struct json_document *parse(const char *text)
{
	struct json_document *document = NULL;

	EXPECT_OK(json_parse("p.json", text, &document, &error));
	return document;
}

static cJSON *get(cJSON *node, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(node, key);
}

static cJSON *at(cJSON *node, int index)
{
	return cJSON_GetArrayItem(node, index);
}

static void expect_where(const struct json_document *document, const cJSON *node, const char *where)
{
	char text[512];

	json_where(document, node, text, sizeof(text));
	assert_string_equal(text, where);
}

static void nodes_are_named_by_line_and_path(void **state)
{
	struct json_document *document = parse(profile);
	cJSON *root = json_root(document), *point = at(get(root, "points"), 0);
	cJSON *workload = get(at(get(point, "streams"), 1), "workload");
	cJSON *axis = get(get(point, "axes"), "streams[*].workload.depth");

	expect_where(document, root, "p.json:1");
	expect_where(document, get(root, "name"), "p.json:2: name");
	expect_where(document, get(root, "points"), "p.json:3: points");
	expect_where(document, point, "p.json:4: points[0]");
	expect_where(document, workload, "p.json:5: points[0].streams[1].workload");
	expect_where(document, get(workload, "depth"),
		     "p.json:7: points[0].streams[1].workload.depth");
	expect_where(document, at(axis, 0),
		     "p.json:8: points[0].axes[\"streams[*].workload.depth\"][0]");
	expect_where(document, at(axis, 1),
		     "p.json:9: points[0].axes[\"streams[*].workload.depth\"][1]");
	json_free(document);
}

static void what_is_no_node_is_named_by_the_file(void **state)
{
	struct json_document *document = parse(profile);
	cJSON *stranger = cJSON_CreateNull();

	expect_where(document, NULL, "p.json");
	expect_where(document, stranger, "p.json");
	cJSON_Delete(stranger);
	json_free(document);
}

static void a_failure_carries_code_and_place(void **state)
{
	struct json_document *document = parse("[\n3]");
	cJSON *three = at(json_root(document), 0);

	EXPECT_ERROR(json_fail(document, three, &error, ERROR_CANNOT, "%d is odd", 3), ERROR_CANNOT,
		     "p.json:2: [0]: 3 is odd");
	assert_int_equal(json_fail(document, three, NULL, -ENOENT, "unread"), -ENOENT);
	json_free(document);
}

static void odd_keys_are_shown_safely(void **state)
{
	struct json_document *document = parse("{\"a b\": {\"\": {\"\\u001b[2J\": {\"c\": 1}}}}");
	cJSON *inner = json_root(document)->child->child->child;

	expect_where(document, inner->child, "p.json:1: [\"a b\"][\"\"][\"\\x1b[2J\"].c");
	json_free(document);
}

static void a_path_that_is_too_long_is_cut(void **state)
{
	struct json_document *document;
	char key[1001], text[1200], where[64];

	memset(key, 'k', sizeof(key));
	key[sizeof(key) - 1] = '\0';
	snprintf(text, sizeof(text), "{\"%s\": {\"x\": 1}}", key);
	document = parse(text);
	json_where(document, json_root(document)->child->child, where, sizeof(where));
	assert_in_range(strlen(where), 40, sizeof(where) - 1);
	json_free(document);
}

static void copies_remember_their_origin(void **state)
{
	struct json_document *document = parse(profile);
	cJSON *point = at(get(json_root(document), "points"), 0);
	cJSON *copy = json_copy(document, point);
	cJSON *second = json_copy(document, copy);
	cJSON *depth = get(get(at(get(second, "streams"), 1), "workload"), "depth");

	expect_where(document, get(at(get(copy, "streams"), 1), "workload"),
		     "p.json:5: points[0].streams[1].workload");
	cJSON_Delete(copy);
	/* The first copy is gone, and its memory may be used again. */
	copy = json_copy(document, get(json_root(document), "name"));
	expect_where(document, depth, "p.json:7: points[0].streams[1].workload.depth");
	expect_where(document, copy, "p.json:2: name");
	cJSON_Delete(second);
	cJSON_Delete(copy);
	json_free(document);
}

static void thousands_of_copies_stay_apart(void **state)
{
	enum { COPIES = 2000 };
	struct json_document *document = parse("[\n1,\n2,\n3]");
	cJSON *copies[COPIES];

	for (int i = 0; i < COPIES; i++)
		copies[i] = json_copy(document, at(json_root(document), i % 3));
	for (int i = 0; i < COPIES; i++) {
		char where[64];

		snprintf(where, sizeof(where), "p.json:%d: [%d]", i % 3 + 2, i % 3);
		expect_where(document, copies[i], where);
		cJSON_Delete(copies[i]);
	}
	json_free(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_named_by_line_and_path),
		cmocka_unit_test(what_is_no_node_is_named_by_the_file),
		cmocka_unit_test(a_failure_carries_code_and_place),
		cmocka_unit_test(odd_keys_are_shown_safely),
		cmocka_unit_test(a_path_that_is_too_long_is_cut),
		cmocka_unit_test(copies_remember_their_origin),
		cmocka_unit_test(thousands_of_copies_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
