/* SPDX-License-Identifier: MIT */
/* test_settings_keeper.c - settings of a killed run are given back at once, by its keeper. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/clock.h"
#include "machine.h"
#include "orphans.h"
#include "run/keeper.h"

#define BOTH	"[\"hugepages\", \"shmem_enabled\"]"
#define SOON_MS 100

/* The machine of a test, as 50 pages a node of which others use most, with a keeper. */
static int machine_make_kept(void **state)
{
	machine_make(state);
	machine.place.keep = keeper_start;
	machine_pool(0, 50, 7);
	machine_pool(1, 50, 7);
	machine_sum();
	machine_set(POOL_ALL_NODES, "resv_hugepages", 14);
	return 0;
}

/* A run that borrows, says so, and is killed when told to. */
struct doomed {
	pid_t pid;
	int ready_fd;
};

static struct doomed doomed_start(enum machine_death death, unsigned writes_before)
{
	const struct memory_need needs[] = {need_pages(10), need_folio(64 << 10)};
	int ready[2];
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		struct settings *settings;

		machine.death = death;
		machine.writes_left = writes_before;
		settings = machine_apply(BOTH, needs, 2, NULL);
		if (death != MACHINE_LIVES)
			settings_restore(settings, NULL);
		else if (write(ready[1], "!", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	return (struct doomed){.pid = pid, .ready_fd = ready[0]};
}

static void doomed_wait_ready(const struct doomed *run)
{
	char byte;

	assert_int_equal(read(run->ready_fd, &byte, 1), 1);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 110);
	assert_string_equal(machine_folio_word(64 << 10), "advise");
}

/* The keeper is the only child left then. */
static void doomed_kill(struct doomed *run)
{
	kill(run->pid, SIGKILL);
	assert_int_equal(waitpid(run->pid, NULL, 0), run->pid);
	close(run->ready_fd);
}

static void assert_as_at_start(void)
{
	assert_int_equal(machine_get(0, "nr_hugepages"), 50);
	assert_int_equal(machine_get(1, "nr_hugepages"), 50);
	assert_string_equal(machine_folio_word(64 << 10), "never");
	assert_false(machine_has(""));
	assert_no_child();
}

static void test_killed_run_is_put_right(void **state)
{
	struct doomed run = doomed_start(MACHINE_LIVES, 0);

	doomed_wait_ready(&run);
	doomed_kill(&run);
	wait_exited(-1, 0);
	assert_as_at_start();
}

/* The death that is planned is the program's. */
static int keep_alive(const struct keeper_work *work, struct keeper *ret, struct error *error)
{
	enum machine_death death = machine.death;
	int code;

	machine.death = MACHINE_LIVES;
	code = keeper_start(work, ret, error);
	machine.death = death;
	return code;
}

/* Three writes to borrow, three to give back: gone before and after each of them. */
static void test_gone_at_any_write(void **state)
{
	machine.place.keep = keep_alive;
	for (unsigned i = 0; i < 12; i++) {
		struct doomed run = doomed_start(
			i % 2 ? MACHINE_DIES_AFTER_WRITE : MACHINE_DIES_BEFORE_WRITE, i / 2);

		wait_exited(run.pid, 9);
		close(run.ready_fd);
		wait_exited(-1, 0);
		assert_as_at_start();
	}
}

static void test_run_that_ends_well_leaves_no_keeper(void **state)
{
	const struct memory_need need = need_pages(10);
	struct settings *settings = machine_apply(BOTH, &need, 1, NULL);

	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 110);
	settings_restore(settings, NULL);
	assert_as_at_start();
}

static volatile sig_atomic_t keepers_ended, journals_left;

static void note_end_of_keeper(int number)
{
	int code = errno; /* of whatever was interrupted */

	keepers_ended = keepers_ended + 1;
	journals_left = journals_left + machine_has("settings.json");
	errno = code;
}

/* From then on a run that is killed has nobody to clear up behind it. */
static void test_keeper_is_there_as_long_as_the_journal(void **state)
{
	const struct sigaction note = {.sa_handler = note_end_of_keeper, .sa_flags = SA_RESTART};
	const struct memory_need need = need_pages(10);
	struct settings *settings = machine_apply(BOTH, &need, 1, NULL);
	struct sigaction before;

	keepers_ended = journals_left = 0;
	assert_int_equal(sigaction(SIGCHLD, &note, &before), 0);
	settings_restore(settings, NULL);
	assert_int_equal(sigaction(SIGCHLD, &before, NULL), 0);
	assert_int_equal(keepers_ended, 1);
	assert_int_equal(journals_left, 0);
	assert_as_at_start();
}

static void test_nothing_borrowed_needs_no_keeper(void **state)
{
	const struct memory_need need = need_folio(64 << 10);
	struct settings *settings;

	machine_folio(64 << 10, "advise");
	settings = machine_apply(BOTH, &need, 1, NULL);
	assert_int_equal(settings->keeper.pid, 0);
	settings_restore(settings, NULL);
	assert_no_child();
}

static int no_keeper(const struct keeper_work *work, struct keeper *ret, struct error *error)
{
	return error_set(error, -EAGAIN, "no process left");
}

static void test_nothing_is_borrowed_without_a_keeper(void **state)
{
	const struct memory_need needs[] = {need_pages(10), need_folio(64 << 10)};
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings;

	machine.place.keep = no_keeper;
	settings = machine_apply(BOTH, needs, 2, notes);
	assert_as_at_start();
	assert_int_equal(cJSON_GetArraySize(notes), 2);
	assert_non_null(strstr(note_at(notes, 0), "not borrowed: no process left"));
	assert_non_null(strstr(note_at(notes, 1), "not borrowed: no process left"));
	settings_restore(settings, notes);
	cJSON_Delete(notes);
}

static void test_keeper_leaves_what_an_admin_changed(void **state)
{
	struct doomed run = doomed_start(MACHINE_LIVES, 0);

	doomed_wait_ready(&run);
	machine_folio(64 << 10, "within_size");
	machine_resize(0, 53);
	machine_resize(1, 60);
	doomed_kill(&run);
	wait_exited(-1, 0);
	assert_string_equal(machine_folio_word(64 << 10), "within_size");
	assert_int_equal(machine_get(0, "nr_hugepages"), 53);
	assert_int_equal(machine_get(1, "nr_hugepages"), 55);
	assert_false(machine_has(""));
	assert_no_child();
}

/* A keeper that takes its time: the child stands for a runner that is slow to die. */
static void test_next_run_waits_for_the_keeper(void **state)
{
	const struct memory_need needs[] = {need_pages(10), need_folio(64 << 10)};
	struct doomed run = doomed_start(MACHINE_LIVES, 0);
	cJSON *notes = cJSON_CreateArray();
	struct settings *settings = NULL;
	struct error error = {0};
	uint64_t begin_ns;
	pid_t pid, keeper;

	doomed_wait_ready(&run);
	assert_int_equal(machine_try_apply(BOTH, needs, 2, notes, &settings, &error), ERROR_CANNOT);
	settings_restore(settings, notes);
	kill(run.pid, SIGSTOP);
	pid = fork();
	if (!pid) {
		usleep(SOON_MS * 1000);
		kill(run.pid, SIGKILL);
		_exit(0);
	}
	/* The holder lives until then: refused. */
	assert_int_equal(settings_recover_at(&machine.place, NULL, NULL), -EBUSY);
	wait_exited(pid, 0);
	/* A zombie then, and its keeper at work. */
	assert_int_equal(waitid(P_PID, (id_t)run.pid, NULL, WEXITED | WNOWAIT), 0);
	begin_ns = clock_now_ns();
	settings = machine_apply(BOTH, needs, 2, notes);
	assert_true(clock_now_ns() - begin_ns < UINT64_C(4000000000));
	assert_int_equal(cJSON_GetArraySize(notes), 0);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 110);
	settings_restore(settings, notes);
	assert_int_equal(waitpid(run.pid, NULL, 0), run.pid);
	close(run.ready_fd);
	keeper = wait_exited(-1, 0);
	assert_true(keeper > 0);
	assert_as_at_start();
	cJSON_Delete(notes);
}

/* Both killed: what is left is for restore. */
static void test_keeper_killed_too(void **state)
{
	struct doomed run = doomed_start(MACHINE_LIVES, 0);
	cJSON *notes = cJSON_CreateArray();
	struct error error = {0};
	char text[256];
	pid_t keeper;

	doomed_wait_ready(&run);
	snprintf(text, sizeof(text), "/proc/%d/task/%d/children", run.pid, run.pid);
	if (sysfile_read(text, text, sizeof(text), &error))
		fail_msg("%s", error.text);
	keeper = atoi(text);
	assert_true(keeper > 0);
	kill(run.pid, SIGSTOP);
	kill(keeper, SIGKILL);
	doomed_kill(&run);
	assert_int_equal(waitpid(keeper, NULL, 0), keeper);
	assert_int_equal(machine_get(POOL_ALL_NODES, "nr_hugepages"), 110);
	assert_int_equal(settings_recover_at(&machine.place, notes, &error), 0);
	assert_int_equal(cJSON_GetArraySize(notes), 1);
	assert_non_null(strstr(note_at(notes, 0), "gave back 3 of 3 settings"));
	assert_non_null(strstr(note_at(notes, 0), "hugepages-64kB/shmem_enabled"));
	assert_as_at_start();
	cJSON_Delete(notes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, machine_make_kept, machine_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_killed_run_is_put_right),
		TEST(test_gone_at_any_write),
		TEST(test_run_that_ends_well_leaves_no_keeper),
		TEST(test_keeper_is_there_as_long_as_the_journal),
		TEST(test_nothing_borrowed_needs_no_keeper),
		TEST(test_nothing_is_borrowed_without_a_keeper),
		TEST(test_keeper_leaves_what_an_admin_changed),
		TEST(test_next_run_waits_for_the_keeper),
		TEST(test_keeper_killed_too),
	};

	return cmocka_run_group_tests(tests, orphans_are_ours, NULL);
}
