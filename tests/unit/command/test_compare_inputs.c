/* SPDX-License-Identifier: MIT */
/* test_compare_inputs.c - which files a word stands for, in which order, and what a side is called.
 */
#include "command/compare_inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"

static char folder[] = "compare-inputs.XXXXXX";

static const char *const files[] = {
	"b.json", "a.json", "a.histograms.json", "c.json.journal", ".hid.json", "d.txt", "json"};

#define N_FILES (sizeof(files) / sizeof(*files))

static void path_of(const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", folder, name);
}

static int set_up(void **state)
{
	char path[256];

	if (!mkdtemp(folder))
		return -1;
	for (size_t i = 0; i < N_FILES; i++) {
		FILE *file;

		path_of(files[i], path);
		file = fopen(path, "w");
		if (!file)
			return -1;
		fclose(file);
	}
	path_of("empty", path);
	return mkdir(path, 0700);
}

static int tear_down(void **state)
{
	char path[256];

	for (size_t i = 0; i < N_FILES; i++) {
		path_of(files[i], path);
		unlink(path);
	}
	path_of("empty", path);
	rmdir(path);
	return rmdir(folder);
}

static void test_folder(void **state)
{
	struct compare_inputs inputs = {.n = 0};
	struct error error = {0};
	char path[256], word[256];

	path_of("d.txt", path); /* named by itself, it is what it is called */
	assert_int_equal(compare_inputs_add(&inputs, path, &error), 0);
	assert_int_equal(compare_inputs_add(&inputs, folder, &error), 0);
	snprintf(word, sizeof(word), "%s/", folder);
	assert_int_equal(compare_inputs_add(&inputs, word, &error), 0);
	assert_int_equal(inputs.n, 5);
	assert_string_equal(inputs.paths[0], path);
	path_of("a.json", path);
	assert_string_equal(inputs.paths[1], path);
	assert_string_equal(inputs.paths[3], path);
	path_of("b.json", path);
	assert_string_equal(inputs.paths[2], path);
	assert_string_equal(inputs.paths[4], path);
	compare_inputs_free(&inputs);
	assert_int_equal(inputs.n, 0);
}

static void test_refused(void **state)
{
	struct compare_inputs inputs = {.n = 0};
	struct error error = {0};
	char path[256];

	path_of("empty", path);
	assert_int_equal(compare_inputs_add(&inputs, path, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "has no results"));
	path_of("nosuch", path);
	assert_int_equal(compare_inputs_add(&inputs, path, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "No such file"));
	assert_int_equal(inputs.n, 0);
	compare_inputs_free(&inputs);
}

static void assert_labels(const char *base_word, const char *other_word, const char *base_label,
			  const char *other_label)
{
	struct compare_inputs base = {.n = 0}, other = {.n = 0};

	compare_inputs_label(&base, &base_word, 1, &other, &other_word, 1);
	assert_string_equal(base.label, base_label);
	assert_string_equal(other.label, other_label);
}

static void test_labels(void **state)
{
	const char *const several[] = {"a.json", "b.json"};
	struct compare_inputs base = {.n = 0}, other = {.n = 0};
	char longest[200];

	assert_labels("6.12/", "results/6.18//", "6.12", "6.18");
	assert_labels("a/base.json", "new.json", "base", "new");
	assert_labels("a/x.json", "b/x.json", "a/x.json", "b/x.json");
	assert_labels("x.json", "x.json", "base", "new");
	assert_labels("/", ".json", "/", ".json");
	compare_inputs_label(&base, several, 2, &other, several, 1);
	assert_string_equal(base.label, "base");
	assert_string_equal(other.label, "a");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_labels(longest, longest, "base", "new");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folder),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
