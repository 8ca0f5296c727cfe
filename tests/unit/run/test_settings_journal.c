/* SPDX-License-Identifier: MIT */
/* test_settings_journal.c - runs that are killed at any moment, runs side by side, planted files.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <signal.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "machine.h"

#define BOTH "[\"hugepages\", \"shmem_enabled\"]"

static void start(void)
{
	machine_pool(0, 50, 7);
	machine_pool(1, 50, 7);
	machine_sum();
	machine_set(POOL_ALL_NODES, "resv_hugepages", 14);
}

static void assert_as_at_start(void)
{
	assert_int_equal(machine_get(0, "nr_hugepages"), 50);
	assert_int_equal(machine_get(1, "nr_hugepages"), 50);
	assert_int_equal(machine_get(POOL_ALL_NODES, "free_hugepages"), 14);
	assert_string_equal(machine_folio_word(64 << 10), "never");
}

/* A run in a process of its own that dies at a write, or else before it gives back. */
static void run_killed(enum machine_death death, unsigned writes_before)
{
	const struct memory_need needs[] = {need_pages(10), need_folio(64 << 10)};
	pid_t child = fork();
	int status;

	if (!child) {
		struct settings *settings;

		machine.death = death;
		machine.writes_left = writes_before;
		settings = machine_apply(BOTH, needs, 2, NULL);
		if (death == MACHINE_LIVES)
			_exit(9);
		settings_restore(settings, NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 9);
}

static void recover(int expected_notes)
{
	cJSON *notes = cJSON_CreateArray();
	struct error error = {0};

	if (settings_recover_at(&machine.place, notes, &error))
		fail_msg("%s", error.text);
	assert_int_equal(cJSON_GetArraySize(notes), expected_notes);
	assert_false(machine_has(""));
	cJSON_Delete(notes);
}

static void test_killed_run_is_played_back(void **state)
{
	start();
	run_killed(MACHINE_LIVES, 0);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 110);
	assert_true(machine_has("settings.json"));
	recover(1);
	assert_as_at_start();
}

/* Three writes to borrow, three to give back: killed before and after each of them. */
static void test_killed_at_any_write(void **state)
{
	for (unsigned i = 0; i < 6; i++) {
		start();
		run_killed(MACHINE_DIES_BEFORE_WRITE, i);
		recover(1);
		assert_as_at_start();
		run_killed(MACHINE_DIES_AFTER_WRITE, i);
		recover(1);
		assert_as_at_start();
	}
}

static void test_next_run_plays_back_first(void **state)
{
	const struct memory_need need = need_pages(10);
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings;

	start();
	run_killed(MACHINE_LIVES, 0);
	settings = machine_apply(BOTH, &need, 1, notes);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "gave back 3 of 3 settings"));
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 110);
	assert_string_equal(machine_folio_word(64 << 10), "never");
	settings_restore(settings, notes);
	assert_as_at_start();
	cJSON_Delete(notes);
}

/* With that boot the settings went, too: what is there now is not ours. */
static void test_journal_of_an_earlier_boot_is_removed_only(void **state)
{
	start();
	run_killed(MACHINE_LIVES, 0);
	tree_put(&machine.tree, "/proc/sys/kernel/random/boot_id", "second\n");
	recover(1);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 110);
	assert_string_equal(machine_folio_word(64 << 10), "advise");
}

static void test_nothing_to_recover(void **state)
{
	start();
	recover(0);
	assert_as_at_start();
}

/* What the first has borrowed goes with it, so the second is not to rely on it either. */
static void test_second_run_is_refused_while_the_first_lives(void **state)
{
	const struct memory_need need = need_pages(10), more = need_pages(20);
	struct settings *first = machine_apply(BOTH, &need, 1, NULL), *second = NULL;
	cJSON *notes = cJSON_CreateArray();
	struct error error = {0};
	char pid[32];

	assert_int_equal(machine_try_apply(BOTH, &more, 1, notes, &second, &error), ERROR_CANNOT);
	snprintf(pid, sizeof(pid), "(pid %d)", getpid());
	assert_non_null(strstr(error.text, "another orion-sim"));
	assert_non_null(strstr(error.text, pid));
	assert_non_null(strstr(error.text, "wait until it has ended"));
	settings_restore(second, notes);
	assert_int_equal(settings_recover_at(&machine.place, NULL, &error), -EBUSY);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 10);
	assert_true(machine_has("settings.json"));
	settings_restore(first, notes);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 0);
	second = machine_apply(BOTH, &more, 1, notes);
	assert_int_equal(cJSON_GetArraySize(notes), 0);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 20);
	settings_restore(second, notes);
	cJSON_Delete(notes);
}

static void test_run_without_settings_goes_on_beside_another(void **state)
{
	const struct memory_need need = need_pages(10);
	struct settings *first = machine_apply(BOTH, &need, 1, NULL);
	cJSON *notes = cJSON_CreateArray();

	settings_restore(machine_apply("[]", &need, 1, notes), notes);
	assert_int_equal(cJSON_GetArraySize(notes), 0);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 10);
	settings_restore(first, notes);
	cJSON_Delete(notes);
}

/* Both found nothing to play back, then one was faster. */
static void test_race_for_the_first_change_is_refused(void **state)
{
	const struct change change = {
		.ops = &setting_shmem_enabled, .size_bytes = 64 << 10, .node = POOL_ALL_NODES};
	struct settings *late = settings_new(&machine.place);
	const struct memory_need need = need_pages(10);
	struct settings *first = machine_apply(BOTH, &need, 1, NULL);
	struct error error = {0};

	assert_int_equal(settings_begin(late, &change, &error), -EBUSY);
	assert_int_equal(late->busy.code, -EBUSY);
	assert_non_null(strstr(late->busy.text, "another orion-sim"));
	settings_restore(late, NULL);
	assert_true(machine_has("settings.json"));
	settings_restore(first, NULL);
}

/* A runner that outlives its parent for a moment has the lock's file open, too. */
static void test_lock_is_let_go_though_a_child_lives(void **state)
{
	const struct memory_need need = need_pages(10);
	struct settings *settings = machine_apply(BOTH, &need, 1, NULL);
	cJSON *notes = cJSON_CreateArray();
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	settings_restore(settings, notes);
	settings = machine_apply(BOTH, &need, 1, notes);
	assert_int_equal(cJSON_GetArraySize(notes), 0);
	settings_restore(settings, notes);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	cJSON_Delete(notes);
}

static unsigned mode_of(const char *name)
{
	struct stat status;
	char path[256];

	snprintf(path, sizeof(path), "%s/run/orion-sim/%s", machine.tree.root, name);
	return lstat(path, &status) ? 0 : status.st_mode & 0777;
}

static void test_files_are_the_owners_only(void **state)
{
	const struct memory_need need = need_pages(10);
	mode_t mask = umask(0);
	struct settings *settings = machine_apply(BOTH, &need, 1, NULL);

	umask(mask);
	assert_int_equal(mode_of(""), 0700);
	assert_int_equal(mode_of("lock"), 0600);
	assert_int_equal(mode_of("settings.json"), 0600);
	assert_false(machine_has("settings.tmp"));
	settings_restore(settings, NULL);
}

/* Each is refused with a note, nothing is borrowed, and what was planted stays as it is. */
static void assert_refused(const char *word)
{
	const struct memory_need need = need_pages(10);
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings = machine_apply(BOTH, &need, 1, notes);

	settings_restore(settings, notes);
	print_message("%s\n", note_at(notes, 0));
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), word));
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 100);
	cJSON_Delete(notes);
}

static void plant_link(const char *target, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/run/orion-sim%s", machine.tree.root, name);
	assert_int_equal(symlink(target, path), 0);
}

static void make_folder(mode_t mode)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/run/orion-sim", machine.tree.root);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void test_folder_that_others_can_write_is_refused(void **state)
{
	start();
	make_folder(0777);
	assert_refused("can be written by others");
}

static void test_linked_folder_is_refused(void **state)
{
	start();
	plant_link(machine.tree.root, "");
	assert_refused("cannot open");
}

static void test_linked_journal_is_refused(void **state)
{
	start();
	make_folder(0700);
	plant_link("/dev/null", "/settings.json");
	assert_refused("journal of borrowed settings");
	assert_true(machine_has("settings.json"));
}

static void test_unreadable_journal_is_kept(void **state)
{
	static const char *const texts[] = {
		"", "{\"boot_id\": \"first\", \"changes\": [",
		"{\"boot_id\": \"first\", \"changes\": [{\"setting\": \"magic\"}]}",
		"{\"boot_id\": \"first\", \"changes\": [{\"setting\": \"hugepages\", "
		"\"size_bytes\": \"2097152\", \"node\": 0, \"state\": \"forgotten\", "
		"\"from\": \"0\", \"to\": \"9\"}]}"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		start();
		if (!i)
			make_folder(0700);
		tree_put(&machine.tree, "/run/orion-sim/settings.json", texts[i]);
		assert_refused("journal of borrowed settings");
		assert_true(machine_has("settings.json"));
	}
}

static void test_no_folder_can_be_made(void **state)
{
	char path[256];

	start();
	snprintf(path, sizeof(path), "%s/run", machine.tree.root);
	assert_int_equal(rmdir(path), 0);
	assert_refused("run as root");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, machine_make, machine_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_killed_run_is_played_back),
		TEST(test_killed_at_any_write),
		TEST(test_next_run_plays_back_first),
		TEST(test_journal_of_an_earlier_boot_is_removed_only),
		TEST(test_nothing_to_recover),
		TEST(test_second_run_is_refused_while_the_first_lives),
		TEST(test_run_without_settings_goes_on_beside_another),
		TEST(test_race_for_the_first_change_is_refused),
		TEST(test_lock_is_let_go_though_a_child_lives),
		TEST(test_files_are_the_owners_only),
		TEST(test_folder_that_others_can_write_is_refused),
		TEST(test_linked_folder_is_refused),
		TEST(test_linked_journal_is_refused),
		TEST(test_unreadable_journal_is_kept),
		TEST(test_no_folder_can_be_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
