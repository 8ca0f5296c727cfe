/* SPDX-License-Identifier: MIT */
/* test_settings_file.c - settings that are one word in one file: set, given back, left to others.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include "machine.h"

#define THP "/sys/kernel/mm/transparent_hugepage/"

struct word {
	const char *list, *path, *before, *from, *to;
};

static const struct word words[] = {
	{"[{\"kind\": \"use_zero_page\", \"value\": 0}]", THP "use_zero_page", "1\n", "1", "0"},
	{"[\"thp_enabled\"]", THP "enabled", "always madvise [never]\n", "never", "madvise"},
	{"[\"numa_stat\"]", "/proc/sys/vm/numa_stat", "1\n", "1", "0"},
};

#define N_WORDS (sizeof(words) / sizeof(words[0]))

static const char *word_now(const char *path)
{
	static char word[32];
	char full[512], text[256];

	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	if (sysfile_read(full, text, sizeof(text), NULL))
		abort();
	sysfile_bracketed(text, word, sizeof(word));
	return word;
}

static void test_word_is_set_and_given_back(void **state)
{
	for (size_t i = 0; i < N_WORDS; i++) {
		cJSON *notes = cJSON_CreateArray(), *list;
		struct settings *settings;

		tree_put(&machine.tree, words[i].path, words[i].before);
		settings = machine_apply(words[i].list, NULL, 0, notes);
		assert_string_equal(word_now(words[i].path), words[i].to);
		list = settings_describe(settings);
		assert_int_equal(cJSON_GetArraySize(list), 1);
		assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(
					    cJSON_GetArrayItem(list, 0), "from")),
				    words[i].from);
		cJSON_Delete(list);
		settings_restore(settings, notes);
		assert_string_equal(word_now(words[i].path), words[i].from);
		assert_int_equal(cJSON_GetArraySize(notes), 0);
		cJSON_Delete(notes);
	}
	assert_false(machine_has(""));
}

static void test_word_that_stands_already_is_not_borrowed(void **state)
{
	struct settings *settings;

	tree_put(&machine.tree, words[1].path, "always [madvise] never\n");
	settings = machine_apply(words[1].list, NULL, 0, NULL);
	assert_false(machine_has("journal.json"));
	settings_restore(settings, NULL);
	assert_string_equal(word_now(words[1].path), "madvise");
}

static void test_word_that_an_admin_sets_meanwhile_stays(void **state)
{
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings;

	tree_put(&machine.tree, words[1].path, words[1].before);
	settings = machine_apply(words[1].list, NULL, 0, notes);
	tree_put(&machine.tree, words[1].path, "[always] madvise never\n");
	settings_restore(settings, notes);
	assert_string_equal(word_now(words[1].path), "always");
	assert_non_null(strstr(note_at(notes, 0), "was set to 'always' by somebody else"));
	cJSON_Delete(notes);
}

static void test_kernel_without_the_file_is_a_note(void **state)
{
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings = machine_apply(words[2].list, NULL, 0, notes);

	settings_restore(settings, notes);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "numa_stat is not borrowed: there is no "));
	assert_non_null(strstr(note_at(notes, 0), "boot a kernel built with CONFIG_NUMA"));
	cJSON_Delete(notes);
}

static void test_failed_write_is_a_note(void **state)
{
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings;

	tree_put(&machine.tree, words[0].path, words[0].before);
	machine.deaf = "use_zero_page";
	settings = machine_apply(words[0].list, NULL, 0, notes);
	settings_restore(settings, notes);
	assert_non_null(strstr(note_at(notes, 0), "use_zero_page is not borrowed: cannot write"));
	assert_string_equal(word_now(words[0].path), "1");
	assert_false(machine_has(""));
	cJSON_Delete(notes);
}

static void test_values_are_shown(void **state)
{
	for (size_t i = 0; i < N_WORDS; i++) {
		struct json_document *document = NULL;
		struct choice choice;
		struct error error = {0};
		cJSON *list;

		tree_put(&machine.tree, words[i].path, words[i].before);
		assert_int_equal(json_parse("test", words[i].list, &document, &error), 0);
		assert_int_equal(catalog_read(&settings_catalog, document,
					      cJSON_GetArrayItem(json_root(document), 0), &choice,
					      &error),
				 0);
		list = settings_values_at(machine.tree.root, choice.entry);
		assert_int_equal(cJSON_GetArraySize(list), 1);
		assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(
					    cJSON_GetArrayItem(list, 0), "value")),
				    words[i].from);
		cJSON_Delete(list);
		choice_free(&choice);
		json_free(document);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_word_is_set_and_given_back, machine_make,
						machine_drop),
		cmocka_unit_test_setup_teardown(test_word_that_stands_already_is_not_borrowed,
						machine_make, machine_drop),
		cmocka_unit_test_setup_teardown(test_word_that_an_admin_sets_meanwhile_stays,
						machine_make, machine_drop),
		cmocka_unit_test_setup_teardown(test_kernel_without_the_file_is_a_note,
						machine_make, machine_drop),
		cmocka_unit_test_setup_teardown(test_failed_write_is_a_note, machine_make,
						machine_drop),
		cmocka_unit_test_setup_teardown(test_values_are_shown, machine_make, machine_drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
