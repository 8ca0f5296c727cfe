/* SPDX-License-Identifier: MIT */
/* test_settings_shmem.c - shmem_enabled raised, lowered, and given back as it was found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "machine.h"

#define SIZE (64 << 10)

/* A word as found, parameters, the word that is set; the same where nothing is. */
struct turn {
	const char *found, *parameters, *set;
};

static const struct turn turns[] = {
	{"never", "", "advise"},
	{"never", ", \"value\": \"never\"", "never"},
	{"never", ", \"value\": \"within_size\"", "within_size"},
	{"never", ", \"value\": \"always\"", "always"},
	{"advise", "", "advise"},
	{"advise", ", \"value\": \"never\"", "never"},
	{"advise", ", \"value\": \"always\"", "always"},
	{"within_size", "", "within_size"},
	{"within_size", ", \"lower\": true", "advise"},
	{"always", "", "always"},
	{"always", ", \"lower\": true", "advise"},
	{"always", ", \"value\": \"within_size\", \"lower\": true", "within_size"},
	{"always", ", \"value\": \"never\"", "never"},
	{"always", ", \"value\": \"always\", \"lower\": true", "always"},
	/* What it inherits is never here. */
	{"inherit", "", "advise"},
	{"inherit", ", \"value\": \"never\"", "inherit"},
};

static void folio_is(const char *word)
{
	char text[64];

	snprintf(text, sizeof(text), "[%s]\n", word);
	machine_folio(SIZE, text);
}

static void test_words_are_set_and_given_back(void **state)
{
	for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		const struct turn *turn = &turns[i];
		cJSON *notes = cJSON_CreateArray();
		struct settings *settings;
		char list[128];

		print_message("%s%s\n", turn->found, turn->parameters);
		folio_is(turn->found);
		snprintf(list, sizeof(list),
			 "[{\"kind\": \"shmem_enabled\", \"folio\": \"64k\"%s}]", turn->parameters);
		settings = machine_apply(list, NULL, 0, notes);
		assert_string_equal(machine_folio_word(SIZE), turn->set);
		settings_restore(settings, notes);
		assert_string_equal(machine_folio_word(SIZE), turn->found);
		assert_int_equal(cJSON_GetArraySize(notes), 0);
		assert_false(machine_has(""));
		cJSON_Delete(notes);
	}
}

static void test_what_a_plan_needs_is_lowered_too(void **state)
{
	const struct memory_need need = need_folio(SIZE);
	struct settings *settings;

	folio_is("always");
	settings =
		machine_apply("[{\"kind\": \"shmem_enabled\", \"lower\": true}]", &need, 1, NULL);
	assert_string_equal(machine_folio_word(SIZE), "advise");
	settings_restore(settings, NULL);
	assert_string_equal(machine_folio_word(SIZE), "always");
}

/* The setting above forbids, or this kernel has no such size. */
static void test_what_cannot_be_raised_is_a_note(void **state)
{
	static const char list[] = "[{\"kind\": \"shmem_enabled\", \"folio\": \"64k\"},"
				   " {\"kind\": \"shmem_enabled\", \"folio\": \"32k\"}]";
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings;

	machine_folio(0, "always within_size advise never [deny] force\n");
	settings = machine_apply(list, NULL, 0, notes);
	assert_int_equal(cJSON_GetArraySize(notes), 2);
	assert_non_null(strstr(note_at(notes, 0), "is 'deny'"));
	assert_non_null(strstr(note_at(notes, 1), "no 32K folios"));
	assert_string_equal(machine_folio_word(SIZE), "never");
	settings_restore(settings, notes);
	cJSON_Delete(notes);
}

static void test_never_is_for_one_size(void **state)
{
	struct settings *settings = NULL;
	struct error error = {0};

	assert_int_equal(machine_try_apply("[{\"kind\": \"shmem_enabled\", \"value\": \"never\"}]",
					   NULL, 0, NULL, &settings, &error),
			 ERROR_INPUT);
	assert_non_null(strstr(error.text, "say which by folio"));
	settings_restore(settings, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_words_are_set_and_given_back, machine_make,
						machine_drop),
		cmocka_unit_test_setup_teardown(test_what_a_plan_needs_is_lowered_too, machine_make,
						machine_drop),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_raised_is_a_note, machine_make,
						machine_drop),
		cmocka_unit_test_setup_teardown(test_never_is_for_one_size, machine_make,
						machine_drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
