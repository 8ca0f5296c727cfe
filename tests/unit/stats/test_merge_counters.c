/* SPDX-License-Identifier: MIT */
/* test_merge_counters.c - counts from outside reach the repeats that they are of, and no others. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "sample.h"
#include "stats/merge_counters.h"
#include "stats/result.h"

/* Merges a text; the error's sentence is kept in error. */
static int merge_text(const char *text, struct result *result, struct error *error)
{
	char path[] = "/tmp/test_merge_counters.XXXXXX";
	int fd = mkstemp(path), status;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
	status = merge_counters(path, result, error);
	unlink(path);
	return status;
}

static const struct result_counter *find(const struct result_repeat *repeat, const char *name)
{
	for (unsigned i = 0; i < repeat->n_counters; i++)
		if (strcmp(repeat->counters[i].name, name) == 0)
			return &repeat->counters[i];
	return NULL;
}

/* The difference of a counter that is there. */
static int64_t delta_of(const struct result_repeat *repeat, const char *name)
{
	const struct result_counter *counter = find(repeat, name);

	assert_non_null(counter);
	return counter ? counter->delta : 0;
}

static void test_places(void **state)
{
	struct result result;
	struct error error = {0};
	const struct result_repeat *repeats;

	sample_demo(&result);
	assert_int_equal(
		merge_text("[{\"variant\":0,\"point\":3,\"repeat\":1,\"counters\":{\"lab.a\":7,"
			   "\"lab.b\":-1}},\n{\"variant\":0,\"point\":3,\"repeat\":0,"
			   "\"counters\":{\"lab.a\":5}}]",
			   &result, &error),
		0);
	repeats = result.variants[0].points[3].repeats;
	assert_int_equal(delta_of(&repeats[1], "lab.a"), 7);
	assert_int_equal(delta_of(&repeats[1], "lab.b"), -1);
	assert_int_equal(delta_of(&repeats[0], "lab.a"), 5);
	assert_null(find(&repeats[0], "lab.b"));
	assert_true(repeats[0].counted);
	assert_null(find(&result.variants[0].points[2].repeats[1], "lab.a"));
	result_free(&result);
}

static void test_nothing_to_merge(void **state)
{
	struct result result;
	struct error error = {0};

	sample_demo(&result);
	assert_int_equal(merge_text("[]", &result, &error), 0);
	assert_int_equal(merge_counters("/nonexistent", &result, &error), ERROR_INPUT);
	result_free(&result);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"{}", "must be a list of counts"},
		{"[7]", "must be an object like"},
		{"[{\"variant\":1,\"point\":0,\"repeat\":0,\"counters\":{}}]", "\"variant\" must"},
		{"[{\"variant\":0,\"point\":18,\"repeat\":0,\"counters\":{}}]", "list of 18"},
		{"[{\"variant\":0,\"point\":0,\"repeat\":2,\"counters\":{}}]", "\"repeat\" must"},
		{"[{\"variant\":0,\"point\":0.5,\"repeat\":0,\"counters\":{}}]", "\"point\" must"},
		{"[{\"variant\":0,\"point\":0,\"repeat\":0}]", "\"counters\" must"},
		{"[{\"variant\":0,\"point\":0,\"repeat\":0,\"counters\":{\"a\":\"b\"}}]",
		 "must be a number"},
		{"[{\"variant\":0,\"point\":0,\"repeat\":0,\"counters\":{\"a\":1}},\n"
		 "{\"variant\":0,\"point\":0,\"repeat\":0,\"counters\":{\"a\":1}}]",
		 "already"},
		{"[{\"variants\":0}]", "no key is called 'variants'"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct result result;
		struct error error = {0};

		sample_demo(&result);
		assert_int_equal(merge_text(wrong[i].text, &result, &error), ERROR_INPUT);
		if (!strstr(error.text, wrong[i].says))
			fail_msg("'%s' does not say '%s'", error.text, wrong[i].says);
		result_free(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_nothing_to_merge),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
