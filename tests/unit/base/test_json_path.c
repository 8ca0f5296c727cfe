/* SPDX-License-Identifier: MIT */
/* test_json_path.c - values are put in by paths, and blamed on whoever put them in. */
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

static const char profile[] = "{\n"
			      "  \"repeats\": 2,\n"
			      "  \"points\": [\n"
			      "    {\"streams\": [{\"workload\": \"io\"}, {\"workload\": {}}]},\n"
			      "    {\"streams\": []}],\n"
			      "  \"regions\": {\"a\": {\"size\": 1}, \"b\": {\"size\": 2}}\n"
			      "}\n";

static struct json_document *parse(const char *text)
{
	struct json_document *document = NULL;

	EXPECT_OK(json_parse("p.json", text, &document, &error));
	return document;
}

static void expect_tree(const cJSON *tree, const char *wanted)
{
	char *text = cJSON_PrintUnformatted(tree);

	assert_string_equal(text, wanted);
	cJSON_free(text);
}

/* Applies one assignment to a text. */
static void expect_set(const char *text, const char *assignment, const char *wanted)
{
	struct json_document *document = parse(text);

	EXPECT_OK(json_set(document, assignment, &error));
	expect_tree(json_root(document), wanted);
	json_free(document);
}

static void a_value_is_json_or_a_string(void **state)
{
	expect_set("{}", "a=1", "{\"a\":1}");
	expect_set("{}", "a=true", "{\"a\":true}");
	expect_set("{}", "a=[1, {\"b\": null}]", "{\"a\":[1,{\"b\":null}]}");
	expect_set("{}", "a=\"1\"", "{\"a\":\"1\"}");
	expect_set("{}", "a=8k", "{\"a\":\"8k\"}");
	expect_set("{}", "a=x=y", "{\"a\":\"x=y\"}");
	expect_set("{}", "a=[1", "{\"a\":\"[1\"}");
	expect_set("{}", "a=", "{\"a\":\"\"}");
}

static void a_path_leads_through_objects_and_arrays(void **state)
{
	expect_set("{\"a\":1,\"b\":2,\"c\":3}", "b=9", "{\"a\":1,\"b\":9,\"c\":3}");
	expect_set("{\"a\":1}", "a=9", "{\"a\":9}");
	expect_set("[1,2,3]", "[1]=9", "[1,9,3]");
	expect_set("[[1],[2]]", "[1][0]=9", "[[1],[9]]");
	expect_set("{\"a\":[{\"b\":1},{}]}", "a[1].b=9", "{\"a\":[{\"b\":1},{\"b\":9}]}");
	expect_set("{\"a.b\":{\"c\":1}}", "[\"a.b\"].c=9", "{\"a.b\":{\"c\":9}}");
	expect_set("{\"a\":{}}", "a[\"b=[0]\"]=9", "{\"a\":{\"b=[0]\":9}}");
}

static void objects_on_the_way_are_made(void **state)
{
	expect_set("{}", "a.b.c=1", "{\"a\":{\"b\":{\"c\":1}}}");
	expect_set("{\"a\":{\"x\":0}}", "a.b.c=1", "{\"a\":{\"x\":0,\"b\":{\"c\":1}}}");
}

static void a_star_stands_for_every_element(void **state)
{
	expect_set("[1,2,3]", "[*]=9", "[9,9,9]");
	expect_set("{\"a\":[{},{\"b\":1}]}", "a[*].b=9", "{\"a\":[{\"b\":9},{\"b\":9}]}");
	expect_set("{\"a\":{\"x\":1,\"y\":2}}", "a[*]=9", "{\"a\":{\"x\":9,\"y\":9}}");
	expect_set("[[1,2],[3]]", "[*][*]={\"a\": 1}", "[[{\"a\":1},{\"a\":1}],[{\"a\":1}]]");
}

static void a_name_makes_room_for_parameters(void **state)
{
	expect_set("{\"engine\":\"io_uring\"}", "engine.depth=1",
		   "{\"engine\":{\"kind\":\"io_uring\",\"depth\":1}}");
	expect_set("[\"io\",\"spawn\"]", "[*].x=1",
		   "[{\"kind\":\"io\",\"x\":1},{\"kind\":\"spawn\",\"x\":1}]");
}

static const struct {
	const char *assignment, *sentence;
} broken_assignments[] = {
	{"repeats", "--set repeats: write it as PATH=VALUE"},
	{"=1", "--set : not a path (such as points[0].streams[*].workload.depth)"},
	{"a..b=1", "--set a..b: not a path (such as points[0].streams[*].workload.depth)"},
	{"a.=1", "--set a.: not a path (such as points[0].streams[*].workload.depth)"},
	{".a=1", "--set .a: not a path (such as points[0].streams[*].workload.depth)"},
	{"a[=1", "--set a[: not a path (such as points[0].streams[*].workload.depth)"},
	{"a[]=1", "--set a[]: not a path (such as points[0].streams[*].workload.depth)"},
	{"a[-1]=1", "--set a[-1]: not a path (such as points[0].streams[*].workload.depth)"},
	{"a[1x]=1", "--set a[1x]: not a path (such as points[0].streams[*].workload.depth)"},
	{"a[0]b=1", "--set a[0]b: not a path (such as points[0].streams[*].workload.depth)"},
	{"a[\"b]=1", "--set a[\"b]=1: write it as PATH=VALUE"},
	{"repeats.x=1", "--set repeats.x: 'repeats' is not an object, it has no key 'x'"},
	{"repeats[0]=1", "--set repeats[0]: 'repeats' is not an array"},
	{"repeats[*]=1", "--set repeats[*]: 'repeats' has no elements"},
	{"point[0].x=1", "--set point[0].x: there is no 'point'"},
	{"points[2].x=1",
	 "--set points[2].x: 'points' has no element 2 (it has 2, the first is 0)"},
	{"points[99999999999999999999]=1",
	 "--set points[99999999999999999999]: 'points' has no element 999999999 (it has 2, "
	 "the first is 0)"},
	{"points[1].streams[*].x=1",
	 "--set points[1].streams[*].x: 'points[1].streams' has no elements"},
	{"points[*].streams[0].y=1",
	 "--set points[*].streams[0].y: 'points[*].streams' has no element 0 (it has 0, "
	 "the first is 0)"},
	{"a={\"b\": 1, \"b\": 2}", "--set a: the key 'b' is given twice; leave one"},
	{"a=\xff", "--set a: path and value have to be UTF-8"},
	{"a\xff=1", "--set a\\xff: path and value have to be UTF-8"},
};

static void each_broken_assignment_has_its_sentence(void **state)
{
	for (size_t i = 0; i < sizeof(broken_assignments) / sizeof(broken_assignments[0]); i++) {
		struct json_document *document = parse(profile);

		EXPECT_ERROR(json_set(document, broken_assignments[i].assignment, &error),
			     ERROR_INPUT, broken_assignments[i].sentence);
		json_free(document);
	}
}

static void depth_has_a_limit(void **state)
{
	struct json_document *document = parse("{}");
	char way[128] = "a", assignment[256];

	for (size_t i = 1; i < 119; i += 2)
		snprintf(way + i, sizeof(way) - i, ".a");
	snprintf(assignment, sizeof(assignment), "%s=[[[[1]]]]", way);
	EXPECT_OK(json_set(document, assignment, &error));
	snprintf(assignment, sizeof(assignment), "%s=[[[[[1]]]]]", way);
	EXPECT_ERROR_PART(json_set(document, assignment, &error), ERROR_INPUT,
			  "nested deeper than 64");
	snprintf(assignment, sizeof(assignment), "%s.a.a.a.a.a=1", way);
	EXPECT_ERROR_PART(json_set(document, assignment, &error), ERROR_INPUT, "not a path");
	json_free(document);
}

static void a_value_too_deep_for_json_is_a_string(void **state)
{
	struct json_document *document = parse("{}");
	char brackets[71], assignment[80];

	memset(brackets, '[', sizeof(brackets));
	brackets[sizeof(brackets) - 1] = '\0';
	snprintf(assignment, sizeof(assignment), "b=%s", brackets);
	EXPECT_OK(json_set(document, assignment, &error));
	assert_string_equal(json_root(document)->child->valuestring, brackets);
	json_free(document);
}

static void expect_where(const struct json_document *document, const cJSON *node, const char *where)
{
	char text[256];

	json_where(document, node, text, sizeof(text));
	assert_string_equal(text, where);
}

static const cJSON *find(const cJSON *node, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(node, key);
}

static void what_was_set_is_named_so(void **state)
{
	struct json_document *document = parse(profile);
	const cJSON *root = json_root(document), *streams, *workload;

	EXPECT_OK(json_set(document, "repeats=x", &error));
	EXPECT_OK(json_set(document, "points[0].streams[*].workload.depth={\"a\": 1}", &error));
	EXPECT_OK(json_set(document, "made.up=1", &error));
	EXPECT_OK(json_set(document, "repeats=y", &error));
	expect_where(document, find(root, "repeats"), "--set repeats");
	expect_where(document, find(root, "made"), "--set made");
	expect_where(document, find(find(root, "made"), "up"), "--set made.up");
	streams = find(cJSON_GetArrayItem(find(root, "points"), 0), "streams");
	workload = find(cJSON_GetArrayItem(streams, 0), "workload");
	expect_where(document, workload, "--set points[0].streams[0].workload");
	expect_where(document, find(workload, "kind"), "--set points[0].streams[0].workload.kind");
	workload = find(cJSON_GetArrayItem(streams, 1), "workload");
	expect_where(document, find(find(workload, "depth"), "a"),
		     "--set points[0].streams[1].workload.depth.a");
	/* All else keeps its place in the text. */
	expect_where(document, workload, "p.json:4: points[0].streams[1].workload");
	expect_where(document, find(find(find(root, "regions"), "b"), "size"),
		     "p.json:6: regions.b.size");
	json_free(document);
}

static void a_copy_of_what_was_set_is_named_so_too(void **state)
{
	struct json_document *document = parse(profile);
	cJSON *copy;

	EXPECT_OK(json_set(document, "points[1].label=x", &error));
	copy = json_copy(document, json_root(document));
	expect_where(document, find(cJSON_GetArrayItem(find(copy, "points"), 1), "label"),
		     "--set points[1].label");
	expect_where(document, find(copy, "regions"), "p.json:6: regions");
	cJSON_Delete(copy);
	json_free(document);
}

static void an_assigned_value_is_named_by_its_origin(void **state)
{
	struct json_document *document = parse("{\"point\": {\"engine\": \"sync\"},\n"
					       "\"axes\": {\"engine.depth\": [1,\n"
					       "{\"x\": 3}]}}");
	cJSON *copy = json_copy(document, find(json_root(document), "point"));
	const cJSON *value =
		cJSON_GetArrayItem(find(find(json_root(document), "axes"), "engine.depth"), 1);
	const cJSON *engine;

	EXPECT_OK(json_assign(document, copy, "engine.depth", value, &error));
	EXPECT_OK(json_assign(document, copy, "made.up", value, &error));
	expect_tree(copy, "{\"engine\":{\"kind\":\"sync\",\"depth\":{\"x\":3}},"
			  "\"made\":{\"up\":{\"x\":3}}}");
	engine = find(copy, "engine");
	expect_where(document, find(find(engine, "depth"), "x"),
		     "p.json:3: axes[\"engine.depth\"][1].x");
	expect_where(document, find(copy, "made"), "p.json:3: axes[\"engine.depth\"][1]");
	expect_where(document, find(engine, "kind"), "p.json:1: point.engine");
	EXPECT_ERROR(json_assign(document, copy, "nothing[0].x", value, &error), ERROR_INPUT,
		     "p.json:3: axes[\"engine.depth\"][1]: cannot be put at nothing[0].x: there is "
		     "no 'nothing'");
	cJSON_Delete(copy);
	json_free(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_json_or_a_string),
		cmocka_unit_test(a_path_leads_through_objects_and_arrays),
		cmocka_unit_test(objects_on_the_way_are_made),
		cmocka_unit_test(a_star_stands_for_every_element),
		cmocka_unit_test(a_name_makes_room_for_parameters),
		cmocka_unit_test(each_broken_assignment_has_its_sentence),
		cmocka_unit_test(depth_has_a_limit),
		cmocka_unit_test(a_value_too_deep_for_json_is_a_string),
		cmocka_unit_test(what_was_set_is_named_so),
		cmocka_unit_test(a_copy_of_what_was_set_is_named_so_too),
		cmocka_unit_test(an_assigned_value_is_named_by_its_origin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
