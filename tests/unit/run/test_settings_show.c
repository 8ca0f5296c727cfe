/* SPDX-License-Identifier: MIT */
/* test_settings_show.c - what could be borrowed, and what is borrowed now, without a change. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <signal.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "machine.h"

#define BOTH "[\"hugepages\", \"shmem_enabled\"]"

static const char *value_at(const cJSON *list, int i, const char *key)
{
	const cJSON *item = cJSON_GetArrayItem(list, i);
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(item, key));

	return text ? text : "";
}

static void test_values_are_shown(void **state)
{
	cJSON *list;

	machine_pool(0, 10, 4);
	machine_sum();
	list = settings_values_at(machine.tree.root, &setting_hugepages.entry);
	assert_int_equal(cJSON_GetArraySize(list), 1);
	assert_non_null(strstr(value_at(list, 0, "path"), "hugepages-2048kB/nr_hugepages"));
	assert_string_equal(value_at(list, 0, "value"), "10 (4 free, 0 of them reserved)");
	assert_string_equal(value_at(list, 0, "why_not"), "");
	cJSON_Delete(list);
	list = settings_values_at(machine.tree.root, &setting_shmem_enabled.entry);
	assert_int_equal(cJSON_GetArraySize(list), 2);
	assert_non_null(strstr(value_at(list, 0, "path"), "hugepages-64kB/shmem_enabled"));
	assert_string_equal(value_at(list, 0, "value"), "never");
	assert_non_null(strstr(value_at(list, 1, "path"), "hugepages-2048kB/shmem_enabled"));
	assert_string_equal(value_at(list, 1, "value"), "inherit");
	cJSON_Delete(list);
}

static void test_what_is_borrowed_is_shown(void **state)
{
	const struct memory_need need = need_folio(64 << 10);
	struct settings *settings;
	struct error error = {0};
	cJSON *list = NULL;
	pid_t pid = -1;

	assert_int_equal(settings_borrowed_at(&machine.place, &list, &pid, &error), 0);
	assert_int_equal(cJSON_GetArraySize(list), 0);
	assert_int_equal(pid, 0);
	cJSON_Delete(list);
	settings = machine_apply(BOTH, &need, 1, NULL);
	assert_int_equal(settings_borrowed_at(&machine.place, &list, &pid, &error), 0);
	assert_int_equal(cJSON_GetArraySize(list), 1);
	assert_string_equal(value_at(list, 0, "from"), "never");
	assert_string_equal(value_at(list, 0, "to"), "advise");
	assert_int_equal(pid, getpid());
	assert_string_equal(machine_folio_word(64 << 10), "advise");
	cJSON_Delete(list);
	settings_restore(settings, NULL);
}

/* The child borrows and is killed; with no keeper in the way that is what a killed one leaves. */
static void test_what_a_killed_run_left_is_shown(void **state)
{
	const struct memory_need need = need_pages(6);
	struct error error = {0};
	cJSON *list = NULL;
	pid_t pid = -1, child = fork();

	if (!child) {
		machine_apply(BOTH, &need, 1, NULL);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(settings_borrowed_at(&machine.place, &list, &pid, &error), 0);
	assert_int_equal(cJSON_GetArraySize(list), 2);
	assert_int_equal(pid, 0);
	assert_true(machine_has("settings.json"));
	cJSON_Delete(list);
	assert_int_equal(settings_recover_at(&machine.place, NULL, &error), 0);
}

static void test_journal_of_an_earlier_boot_is_not_shown(void **state)
{
	struct error error = {0};
	cJSON *list = NULL;
	pid_t pid = -1;
	char path[256];

	snprintf(path, sizeof(path), "%s/run/orion-sim", machine.tree.root);
	assert_int_equal(mkdir(path, 0700), 0);
	tree_put(&machine.tree, "/run/orion-sim/settings.json",
		 "{\"boot_id\": \"zeroth\", \"changes\": [{\"setting\": \"hugepages\", "
		 "\"size_bytes\": \"2097152\", \"node\": 0, \"state\": \"taken\", "
		 "\"from\": \"0\", \"to\": \"9\"}]}");
	assert_int_equal(settings_borrowed_at(&machine.place, &list, &pid, &error), 0);
	assert_int_equal(cJSON_GetArraySize(list), 0);
	assert_true(machine_has("settings.json"));
	cJSON_Delete(list);
}

static void test_journal_that_cannot_be_read_is_told(void **state)
{
	struct error error = {0};
	cJSON *list = NULL;
	pid_t pid = -1;
	char path[256];

	snprintf(path, sizeof(path), "%s/run/orion-sim", machine.tree.root);
	assert_int_equal(mkdir(path, 0700), 0);
	tree_put(&machine.tree, "/run/orion-sim/settings.json", "{");
	assert_true(settings_borrowed_at(&machine.place, &list, &pid, &error) < 0);
	assert_non_null(strstr(error.text, "journal of borrowed settings"));
	assert_null(list);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, machine_make, machine_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_values_are_shown),
		TEST(test_what_is_borrowed_is_shown),
		TEST(test_what_a_killed_run_left_is_shown),
		TEST(test_journal_of_an_earlier_boot_is_not_shown),
		TEST(test_journal_that_cannot_be_read_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
