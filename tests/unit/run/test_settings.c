/* SPDX-License-Identifier: MIT */
/* test_settings.c - what is borrowed, how much of it, and that it is given back and no more. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "machine.h"

#define BOTH "[\"hugepages\", \"shmem_enabled\"]"

static void test_pages_are_spread_over_nodes_and_given_back(void **state)
{
	const struct memory_need need = need_pages(11);
	cJSON *notes = cJSON_CreateArray(), *list;
	struct settings *settings = machine_apply(BOTH, &need, 1, notes);
	char path[256];

	assert_int_equal(machine_get(0, "nr_hugepages"), 6);
	assert_int_equal(machine_get(1, "nr_hugepages"), 5);
	list = settings_describe(settings);
	assert_int_equal(cJSON_GetArraySize(list), 2);
	pool_path(machine.tree.root, 0, MACHINE_PAGE_BYTES, "nr_hugepages", path, sizeof(path));
	assert_string_equal(
		cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 0), "path")),
		path);
	assert_string_equal(
		cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 0), "to")), "6");
	cJSON_Delete(list);
	settings_restore(settings, notes);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 0);
	assert_int_equal(cJSON_GetArraySize(notes), 0);
	assert_false(machine_has(""));
	cJSON_Delete(notes);
}

static struct memory_need need_on(int node, uint64_t pages, bool only)
{
	struct memory_need need = need_pages(pages);

	node_set_add(&need.nodes, node);
	need.nodes_only = only;
	return need;
}

/* What is bound to a node is part of the sum, which stands beside it. */
static void test_pages_that_are_bound_come_from_their_node(void **state)
{
	const struct memory_need needs[] = {need_pages(10), need_on(1, 6, true)};
	struct settings *settings = machine_apply(BOTH, needs, 2, NULL);

	assert_int_equal(machine_get(0, "nr_hugepages"), 2);
	assert_int_equal(machine_get(1, "nr_hugepages"), 8);
	settings_restore(settings, NULL);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 0);
}

static void test_pages_that_a_bound_node_lacks_come_from_no_other(void **state)
{
	const struct memory_need needs[] = {need_pages(6), need_on(1, 6, true)};
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings;

	machine.limit[1] = 5;
	settings = machine_apply(BOTH, needs, 2, notes);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 0);
	assert_non_null(strstr(note_at(notes, 0),
			       "2M huge pages are not borrowed on node 1: 6 more "
			       "were asked and the kernel found 5"));
	settings_restore(settings, NULL);
	cJSON_Delete(notes);
}

static void test_pages_that_are_only_preferred_come_from_elsewhere_then(void **state)
{
	const struct memory_need needs[] = {need_pages(6), need_on(1, 6, false)};
	struct settings *settings;

	machine.limit[1] = 5;
	settings = machine_apply(BOTH, needs, 2, NULL);
	assert_int_equal(machine_get(0, "nr_hugepages"), 1);
	assert_int_equal(machine_get(1, "nr_hugepages"), 5);
	settings_restore(settings, NULL);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 0);
}

static void test_pages_of_others_are_added_to(void **state)
{
	const struct memory_need need = need_pages(10);
	struct settings *settings;

	machine_pool(0, 60, 12);
	machine_pool(1, 40, 8);
	machine_sum();
	machine_set(POOL_ALL_NODES, "resv_hugepages", 15);
	settings = machine_apply(BOTH, &need, 1, NULL);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 110);
	settings_restore(settings, NULL);
	assert_int_equal(machine_get(0, "nr_hugepages"), 60);
	assert_int_equal(machine_get(1, "nr_hugepages"), 40);
}

/* They may be meant for a database that is about to start. */
static void test_free_pages_are_left_to_others(void **state)
{
	const struct memory_need need = need_pages(10);
	struct settings *settings;

	machine_pool(0, 10, 10);
	machine_sum();
	settings = machine_apply(BOTH, &need, 1, NULL);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 20);
	settings_restore(settings, NULL);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 10);
	assert_false(machine_has(""));
}

static void test_what_one_node_lacks_comes_from_the_other(void **state)
{
	const struct memory_need need = need_pages(10);
	struct settings *settings;

	machine.limit[1] = 1;
	settings = machine_apply(BOTH, &need, 1, NULL);
	assert_int_equal(machine_get(0, "nr_hugepages"), 9);
	assert_int_equal(machine_get(1, "nr_hugepages"), 1);
	settings_restore(settings, NULL);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 0);
	assert_false(machine_has(""));
}

static void test_fewer_than_asked_are_given_back_and_told(void **state)
{
	const struct memory_need need = need_pages(10);
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings;

	machine_pool(0, 3, 0);
	machine_sum();
	machine.limit[0] = 4;
	machine.limit[1] = 2;
	settings = machine_apply(BOTH, &need, 1, notes);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 3);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "10 more were asked and the kernel found 6"));
	assert_non_null(strstr(note_at(notes, 0), "compact_memory"));
	assert_false(machine_has(""));
	settings_restore(settings, notes);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 3);
	cJSON_Delete(notes);
}

/* 4 GiB are available, 5 % of 8 are kept: 1843 pages can be had, not one more. */
static void test_memory_is_kept_for_others(void **state)
{
	struct memory_need need = need_pages(1844);
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings;

	machine.limit[0] = machine.limit[1] = 5000;
	settings_restore(machine_apply(BOTH, &need, 1, notes), notes);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "MemAvailable is 4G"));
	assert_int_equal(machine.limit[0] + machine.limit[1], 10000);
	need = need_pages(1843);
	settings = machine_apply(BOTH, &need, 1, notes);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 1843);
	settings_restore(settings, notes);
	cJSON_Delete(notes);
}

static void test_pages_that_others_took_stay(void **state)
{
	const struct memory_need need = need_pages(10);
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings = machine_apply(BOTH, &need, 1, notes);

	machine_set(0, "free_hugepages", 2);
	machine_sum();
	machine_set(POOL_ALL_NODES, "resv_hugepages", 1);
	settings_restore(settings, notes);
	assert_int_equal(machine_get(0, "nr_hugepages"), 4);
	assert_int_equal(machine_get(1, "nr_hugepages"), 0);
	assert_int_equal(machine_get(POOL_ALL_NODES, "free_hugepages"), 1);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "4 of 5 huge pages"));
	assert_false(machine_has(""));
	cJSON_Delete(notes);
}

static void test_pages_that_an_admin_adds_meanwhile_stay(void **state)
{
	const struct memory_need need = need_pages(10);
	struct settings *settings = machine_apply(BOTH, &need, 1, NULL);

	machine_resize(0, 25);
	settings_restore(settings, NULL);
	assert_int_equal(machine_get(0, "nr_hugepages"), 20);
	assert_int_equal(machine_get(1, "nr_hugepages"), 0);
}

/* Also by less than was added, and where two changes of ours met in one pool. */
static void test_pool_that_an_admin_shrinks_meanwhile_stays(void **state)
{
	const struct memory_need need = need_pages(10);
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings;

	machine_pool(0, 4, 4);
	machine_sum();
	machine.limit[1] = 1;
	settings = machine_apply(BOTH, &need, 1, notes);
	assert_int_equal(machine_get(0, "nr_hugepages"), 13);
	assert_int_equal(cJSON_GetArraySize(notes), 0);
	machine_resize(0, 11);
	settings_restore(settings, notes);
	assert_int_equal(machine_get(0, "nr_hugepages"), 11);
	assert_int_equal(machine_get(1, "nr_hugepages"), 0);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "from 13 to 11 by somebody else"));
	assert_false(machine_has(""));
	cJSON_Delete(notes);
}

/* As those of a process that has just ended. */
static void test_pages_that_become_free_late_are_waited_for(void **state)
{
	const struct memory_need need = need_pages(10);
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings;
	pid_t child;

	machine.place.patience_ns = UINT64_C(20000000000);
	settings = machine_apply(BOTH, &need, 1, notes);
	machine_pool(0, 5, 2);
	machine_sum();
	child = fork();
	if (!child) {
		usleep(50000);
		machine_pool(0, 5, 5);
		machine_set(POOL_ALL_NODES, "free_hugepages", 10);
		_exit(0);
	}
	settings_restore(settings, notes);
	waitpid(child, NULL, 0);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 0);
	assert_int_equal(cJSON_GetArraySize(notes), 0);
	cJSON_Delete(notes);
}

static void test_bytes_and_page_can_be_named(void **state)
{
	struct settings *settings = machine_apply(
		"[{\"kind\": \"hugepages\", \"page\": \"2M\", \"bytes\": \"7M\"}]", NULL, 0, NULL);

	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 4);
	settings_restore(settings, NULL);
	settings = machine_apply("[{\"kind\": \"hugepages\", \"bytes\": \"2M\"}]", NULL, 0, NULL);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 1);
	settings_restore(settings, NULL);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 0);
}

static void test_size_that_the_machine_lacks_is_a_note(void **state)
{
	const struct memory_need need = {
		.kind = MEMORY_NEED_HUGE_PAGES, .page_bytes = 1 << 30, .bytes = 1 << 30};
	cJSON *notes = cJSON_CreateArray();

	settings_restore(machine_apply(BOTH, &need, 1, notes), notes);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "no 1G huge pages"));
	cJSON_Delete(notes);
}

static void test_folio_is_advised_and_given_back(void **state)
{
	const struct memory_need needs[] = {need_folio(64 << 10), need_folio(2 << 20)};
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings = machine_apply(BOTH, needs, 2, notes);

	assert_string_equal(machine_folio_word(64 << 10), "advise");
	assert_string_equal(machine_folio_word(2 << 20), "advise");
	assert_string_equal(machine_folio_word(0), "never");
	settings_restore(settings, notes);
	assert_string_equal(machine_folio_word(64 << 10), "never");
	assert_string_equal(machine_folio_word(2 << 20), "inherit");
	assert_int_equal(cJSON_GetArraySize(notes), 0);
	assert_false(machine_has(""));
	cJSON_Delete(notes);
}

static void test_folio_that_is_on_already_is_left_alone(void **state)
{
	static const char *const words[] = {"advise", "within_size", "always", "inherit"};
	const struct memory_need need = need_folio(64 << 10);

	machine_folio(0, "[within_size]");
	for (size_t i = 0; i < 4; i++) {
		struct settings *settings;

		machine_folio(64 << 10, words[i]);
		settings = machine_apply(BOTH, &need, 1, NULL);
		assert_string_equal(machine_folio_word(64 << 10), words[i]);
		assert_false(machine_has(""));
		settings_restore(settings, NULL);
		assert_string_equal(machine_folio_word(64 << 10), words[i]);
	}
}

static void test_folio_that_an_admin_sets_meanwhile_stays(void **state)
{
	const struct memory_need need = need_folio(64 << 10);
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings = machine_apply(BOTH, &need, 1, notes);

	machine_folio(64 << 10, "always");
	settings_restore(settings, notes);
	assert_string_equal(machine_folio_word(64 << 10), "always");
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "'always' by somebody else"));
	cJSON_Delete(notes);
}

static void test_what_stands_above_is_a_note(void **state)
{
	const struct memory_need need = need_folio(64 << 10);
	cJSON *notes = cJSON_CreateArray();

	machine_folio(0, "[deny]");
	settings_restore(machine_apply(BOTH, &need, 1, notes), notes);
	assert_string_equal(machine_folio_word(64 << 10), "never");
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "'deny'"));
	cJSON_Delete(notes);
}

/* The rest is still borrowed, and what failed is not in the journal. */
static void test_failed_write_is_a_note(void **state)
{
	const struct memory_need needs[] = {need_pages(4), need_folio(64 << 10)};
	cJSON *notes = cJSON_CreateArray(), *list;
	struct settings *settings;

	machine.deaf = "node1/";
	settings = machine_apply(BOTH, needs, 2, notes);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "deaf"));
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 0);
	assert_string_equal(machine_folio_word(64 << 10), "advise");
	list = settings_describe(settings);
	assert_int_equal(cJSON_GetArraySize(list), 1);
	cJSON_Delete(list);
	settings_restore(settings, notes);
	assert_string_equal(machine_folio_word(64 << 10), "never");
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	cJSON_Delete(notes);
}

/* What cannot be given back now stays in the journal, for a later try. */
static void test_failed_give_back_keeps_the_journal(void **state)
{
	const struct memory_need needs[] = {need_pages(4), need_folio(64 << 10)};
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings = machine_apply(BOTH, needs, 2, notes);

	machine.deaf = "node0/";
	settings_restore(settings, notes);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "is not given back"));
	assert_int_equal(machine_get(0, "nr_hugepages"), 2);
	assert_int_equal(machine_get(1, "nr_hugepages"), 0);
	assert_string_equal(machine_folio_word(64 << 10), "never");
	assert_true(machine_has("settings.json"));
	machine.deaf = NULL;
	assert_int_equal(settings_recover_at(&machine.place, notes, NULL), 0);
	assert_int_equal(machine_get(0, "nr_hugepages"), 0);
	assert_false(machine_has(""));
	cJSON_Delete(notes);
}

static void test_list_is_checked(void **state)
{
	static const struct {
		const char *list, *word;
	} rows[] = {
		{"[\"hugepage\"]", "no setting is called 'hugepage'"},
		{"[{\"kind\": \"hugepages\", \"pages\": 3}]", "pages"},
		{"[{\"kind\": \"hugepages\", \"page\": \"3m\"}]", "not a power of two"},
		{"[{\"kind\": \"shmem_enabled\", \"folio\": \"96k\"}]", "not a power of two"},
		{"\"hugepages\"", "are a list"},
		{"{\"hugepages\": true}", "are a list"},
		{"[7]", "test:1"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json_document *document = NULL;
		struct error error = {0};

		assert_int_equal(json_parse("test", rows[i].list, &document, &error), 0);
		assert_int_equal(settings_check(document, json_root(document), &error),
				 ERROR_INPUT);
		print_message("%s\n", error.text);
		assert_non_null(strstr(error.text, rows[i].word));
		json_free(document);
	}
	assert_int_equal(settings_check(NULL, NULL, NULL), 0);
}

static void test_empty_list_borrows_nothing(void **state)
{
	const struct memory_need need = need_pages(4);

	settings_restore(machine_apply("[]", &need, 1, NULL), NULL);
	settings_restore(NULL, NULL);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 0);
}

/* On the machine itself: as before, to the letter. */
static void test_for_real(void **state)
{
	const struct memory_need needs[] = {need_pages(3), need_folio(32 << 10)};
	struct json_document *document = NULL;
	struct settings *settings = NULL;
	struct pool before, during, after;
	char path[256], folio_before[256] = "", folio_during[256], folio_after[256] = "";
	cJSON *notes = cJSON_CreateArray(), *list;
	struct error error = {0};
	int code;

	thp_path("", 32 << 10, "shmem_enabled", path, sizeof(path));
	if (geteuid() || sysfile_read(path, folio_before, sizeof(folio_before), &error) ||
	    pool_read("", POOL_ALL_NODES, MACHINE_PAGE_BYTES, &before, &error)) {
		cJSON_Delete(notes);
		print_message("skipped, because not root or %s\n", error.text);
		skip();
	}
	assert_int_equal(json_parse("test", BOTH, &document, &error), 0);
	code = settings_apply(document, json_root(document), needs, 2, notes, &settings, &error);
	json_free(document);
	if (code == ERROR_CANNOT) {
		settings_restore(settings, notes);
		cJSON_Delete(notes);
		print_message("skipped, because %s\n", error.text);
		skip();
	}
	assert_int_equal(code, 0);
	pool_read("", POOL_ALL_NODES, MACHINE_PAGE_BYTES, &during, &error);
	sysfile_read(path, folio_during, sizeof(folio_during), &error);
	list = settings_describe(settings);
	settings_restore(settings, notes);
	pool_read("", POOL_ALL_NODES, MACHINE_PAGE_BYTES, &after, &error);
	sysfile_read(path, folio_after, sizeof(folio_after), &error);
	print_message("%s\n", note_at(notes, 0));
	assert_string_equal(folio_after, folio_before);
	assert_int_equal(after.pages, before.pages);
	if (!cJSON_GetArraySize(notes)) {
		assert_true(pool_spare(&during) >= 3);
		assert_true(cJSON_GetArraySize(list) > 0);
		assert_null(strstr(folio_during, "[never]"));
	}
	cJSON_Delete(list);
	cJSON_Delete(notes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, machine_make, machine_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_pages_are_spread_over_nodes_and_given_back),
		TEST(test_pages_that_are_bound_come_from_their_node),
		TEST(test_pages_that_a_bound_node_lacks_come_from_no_other),
		TEST(test_pages_that_are_only_preferred_come_from_elsewhere_then),
		TEST(test_pages_of_others_are_added_to),
		TEST(test_free_pages_are_left_to_others),
		TEST(test_what_one_node_lacks_comes_from_the_other),
		TEST(test_fewer_than_asked_are_given_back_and_told),
		TEST(test_memory_is_kept_for_others),
		TEST(test_pages_that_others_took_stay),
		TEST(test_pages_that_an_admin_adds_meanwhile_stay),
		TEST(test_pool_that_an_admin_shrinks_meanwhile_stays),
		TEST(test_pages_that_become_free_late_are_waited_for),
		TEST(test_bytes_and_page_can_be_named),
		TEST(test_size_that_the_machine_lacks_is_a_note),
		TEST(test_folio_is_advised_and_given_back),
		TEST(test_folio_that_is_on_already_is_left_alone),
		TEST(test_folio_that_an_admin_sets_meanwhile_stays),
		TEST(test_what_stands_above_is_a_note),
		TEST(test_failed_write_is_a_note),
		TEST(test_failed_give_back_keeps_the_journal),
		TEST(test_list_is_checked),
		TEST(test_empty_list_borrows_nothing),
		cmocka_unit_test(test_for_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
