/* SPDX-License-Identifier: MIT */
/* test_axes.c - products of axes, the texts of their values, paths and shorthands. */
#include "plan/axes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/json.h"

struct expansion {
	struct json_document *document;
	struct axes_point *points;
	unsigned n;
};

/* A point with two regions and two streams, and the axes given. */
static struct expansion expand(const char *axes)
{
	struct expansion expansion = {0};
	struct error error = {0};
	char text[4096];

	snprintf(text, sizeof(text),
		 "{\"axes\": %s,\n"
		 "\"regions\": {\"sga\": {\"memory\": \"base\", \"size\": \"1m\"},\n"
		 " \"pga\": {\"memory\": \"base\"}},\n"
		 "\"streams\": [{\"workload\": \"io\", \"engine\": \"io_uring\"},\n"
		 " {\"workload\": {\"kind\": \"io\", \"block\": \"1m\"}, \"engine\": \"null\"}]}",
		 axes);
	assert_int_equal(json_parse("test.json", text, &expansion.document, &error), 0);
	if (axes_expand(expansion.document, json_root(expansion.document), &expansion.points,
			&expansion.n, &error) < 0)
		fail_msg("%s", error.text);
	return expansion;
}

static void release(struct expansion *expansion)
{
	axes_free(expansion->points, expansion->n);
	json_free(expansion->document);
}

static void assert_coordinate(const struct expansion *expansion, unsigned point, unsigned axis,
			      const char *name, const char *value)
{
	assert_in_range(axis, 0, expansion->points[point].n_coordinates - 1);
	assert_string_equal(expansion->points[point].coordinates[axis].axis, name);
	assert_string_equal(expansion->points[point].coordinates[axis].value, value);
}

/* The body without layout, to look for parts of it. */
static void assert_body_has(const struct expansion *expansion, unsigned point, const char *part)
{
	char *text = cJSON_PrintUnformatted(expansion->points[point].body);

	if (!strstr(text, part))
		fail_msg("no %s in %s", part, text);
	cJSON_free(text);
}

static void no_axes_is_one_point(void **state)
{
	struct expansion expansion = expand("{}");

	assert_int_equal(expansion.n, 1);
	assert_int_equal(expansion.points[0].n_coordinates, 0);
	assert_null(cJSON_GetObjectItem(expansion.points[0].body, "axes"));
	release(&expansion);
}

static void last_axis_is_fastest(void **state)
{
	struct expansion expansion =
		expand("{\"block\": [\"8k\", \"64K\", 1048576], \"depth\": [1, 32]}");

	assert_int_equal(expansion.n, 6);
	assert_coordinate(&expansion, 0, 0, "block", "8K");
	assert_coordinate(&expansion, 0, 1, "depth", "1");
	assert_coordinate(&expansion, 1, 0, "block", "8K");
	assert_coordinate(&expansion, 1, 1, "depth", "32");
	assert_coordinate(&expansion, 2, 0, "block", "64K");
	assert_coordinate(&expansion, 5, 0, "block", "1M");
	assert_coordinate(&expansion, 5, 1, "depth", "32");
	assert_body_has(&expansion, 3,
			"\"workload\":{\"kind\":\"io\",\"block\":\"64K\",\"depth\":32}");
	release(&expansion);
}

static void shorthands_reach_every_stream_and_region(void **state)
{
	struct expansion expansion =
		expand("{\"engine\": [\"libaio\"], \"size\": [\"2m\"], \"workers\": [3],"
		       "\"memory\": [\"hugetlb\"]}");

	assert_int_equal(expansion.n, 1);
	assert_body_has(&expansion, 0,
			"{\"sga\":{\"memory\":\"hugetlb\",\"size\":\"2m\"},"
			"\"pga\":{\"memory\":\"hugetlb\",\"size\":\"2m\"}}");
	assert_body_has(&expansion, 0,
			"[{\"workload\":\"io\",\"engine\":\"libaio\",\"workers\":3},");
	assert_body_has(&expansion, 0, ",\"engine\":\"libaio\",\"workers\":3}]");
	release(&expansion);
}

static void memory_kinds_tell_their_page_size(void **state)
{
	struct expansion expansion = expand(
		"{\"memory\": [\"base\", \"mthp\", {\"kind\": \"mthp\", \"folio\": \"2M\"},"
		"{\"kind\": \"hugetlb\", \"api\": \"mmap\"}, {\"kind\": \"hugetlb\", \"page\": "
		"\"1g\"}]}");

	assert_int_equal(expansion.n, 5);
	assert_coordinate(&expansion, 0, 0, "memory", "base");
	assert_coordinate(&expansion, 1, 0, "memory", "mthp 64K");
	assert_coordinate(&expansion, 2, 0, "memory", "mthp 2M");
	assert_coordinate(&expansion, 3, 0, "memory", "hugetlb 2M mmap");
	assert_coordinate(&expansion, 4, 0, "memory", "hugetlb 1G");
	release(&expansion);
}

static void long_form_sets_more(void **state)
{
	struct expansion expansion =
		expand("{\"block\": [{\"value\": \"8k\", \"set\": {\"depth\": 64,"
		       "\"streams[1].workload.batch\": 4}}, {\"value\": \"16k\", \"label\": \"two "
		       "pages\"}]}");

	assert_int_equal(expansion.n, 2);
	assert_coordinate(&expansion, 0, 0, "block", "8K");
	assert_coordinate(&expansion, 1, 0, "block", "two pages");
	assert_body_has(&expansion, 0,
			"{\"kind\":\"io\",\"block\":\"8k\",\"depth\":64,\"batch\":4}");
	assert_body_has(&expansion, 1, "{\"kind\":\"io\",\"block\":\"16k\"}");
	release(&expansion);
}

static void paths_are_axes(void **state)
{
	struct expansion expansion =
		expand("{\"streams[0].engine.registered_buffers\": [false, true],"
		       "\"streams[0].workload.depth\": [1], \"streams[1].workload.depth\": [2],"
		       "\"phases.measure\": [1.5], \"regions.pga.size\": [8192]}");

	assert_int_equal(expansion.n, 2);
	assert_coordinate(&expansion, 0, 0, "registered_buffers", "false");
	assert_coordinate(&expansion, 1, 0, "registered_buffers", "true");
	assert_coordinate(&expansion, 0, 1, "depth", "1");
	assert_coordinate(&expansion, 0, 2, "depth[1]", "2");
	assert_coordinate(&expansion, 0, 3, "measure", "1500ms");
	assert_coordinate(&expansion, 0, 4, "size", "8K");
	assert_body_has(&expansion, 1, "{\"kind\":\"io_uring\",\"registered_buffers\":true}");
	release(&expansion);
}

static void names_are_made_different(void **state)
{
	struct expansion expansion =
		expand("{\"regions.sga.size\": [\"1m\"], \"regions.pga.size\": [\"2m\"],"
		       "\"streams[1].engine.size\": [\"1g\"]}");

	assert_coordinate(&expansion, 0, 0, "size", "1M");
	assert_coordinate(&expansion, 0, 1, "pga.size", "2M");
	assert_coordinate(&expansion, 0, 2, "size[1]", "1G");
	release(&expansion);
}

/* What the kind before it was given means nothing to another kind. */
static void a_kind_replaces_its_parameters(void **state)
{
	struct expansion expansion =
		expand("{\"streams[1].workload.kind\": [\"io\"], \"streams[1].engine.kind\": "
		       "[\"libaio\"]}");

	assert_coordinate(&expansion, 0, 0, "workload", "io");
	assert_coordinate(&expansion, 0, 1, "engine", "libaio");
	assert_body_has(&expansion, 0, "{\"workload\":\"io\",\"engine\":\"libaio\"}]");
	release(&expansion);
}

static void lists_are_values_with_a_text(void **state)
{
	struct expansion expansion =
		expand("{\"streams[*].targets\": [[\"/a\"], {\"value\": [\"/a\", \"/b\"], "
		       "\"label\": \"both\"}]}");

	assert_coordinate(&expansion, 0, 0, "targets", "[\"/a\"]");
	assert_coordinate(&expansion, 1, 0, "targets", "both");
	release(&expansion);
}

/* A mistake in a value is blamed on the value, not on the place it went to. */
static void copies_remember_the_value(void **state)
{
	struct expansion expansion = expand("{\"depth\": [1,\n7]}");
	const cJSON *streams = cJSON_GetObjectItem(expansion.points[1].body, "streams");
	const cJSON *workload = cJSON_GetObjectItem(cJSON_GetArrayItem(streams, 1), "workload");
	char where[200];

	json_where(expansion.document, cJSON_GetObjectItem(workload, "depth"), where,
		   sizeof(where));
	assert_string_equal(where, "test.json:2: axes.depth[1]");
	release(&expansion);
}

/* A name of its own stands for any path, so that points of several shapes have one coordinate. */
static void axes_can_have_names(void **state)
{
	struct expansion expansion = expand(
		"{\"large\": {\"path\": \"streams[1].workers\", \"values\": [1, {\"value\": 2, "
		"\"label\": \"two\"}]},\n"
		" \"small\": {\"path\": \"streams[0].workload.depth\", \"values\": [7]},\n"
		" \"pages\": {\"path\": \"memory\", \"values\": [\"base\"]}}");

	assert_int_equal(expansion.n, 2);
	assert_coordinate(&expansion, 0, 0, "large", "1");
	assert_coordinate(&expansion, 1, 0, "large", "two");
	assert_coordinate(&expansion, 1, 1, "small", "7");
	assert_coordinate(&expansion, 1, 2, "pages", "base");
	assert_body_has(&expansion, 1, "\"workers\":2");
	assert_body_has(&expansion, 0, "\"depth\":7");
	release(&expansion);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_axes_is_one_point),
		cmocka_unit_test(last_axis_is_fastest),
		cmocka_unit_test(shorthands_reach_every_stream_and_region),
		cmocka_unit_test(memory_kinds_tell_their_page_size),
		cmocka_unit_test(long_form_sets_more),
		cmocka_unit_test(paths_are_axes),
		cmocka_unit_test(names_are_made_different),
		cmocka_unit_test(a_kind_replaces_its_parameters),
		cmocka_unit_test(lists_are_values_with_a_text),
		cmocka_unit_test(copies_remember_the_value),
		cmocka_unit_test(axes_can_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
