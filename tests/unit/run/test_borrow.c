/* SPDX-License-Identifier: MIT */
/* test_borrow.c - what variants share is set once, what differs is switched, all is given back. */
#include "run/borrow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/topology.h"
#include "machine.h"
#include "plan/blocks.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "run/point.h"
#include "run/settings.h"

#define BLOCKS 10

/* The point needs 64M of huge pages in the second variant, and 32M in the third. */
#define VARIANTS                                                                                   \
	"{\"label\": \"base\"},"                                                                   \
	" {\"label\": \"always\", \"settings\": [{\"kind\": \"shmem_enabled\", \"folio\": "        \
	"\"64k\","                                                                                 \
	"   \"value\": \"always\"}],"                                                              \
	"  \"set\": {\"memory\": \"hugetlb\", \"size\": \"64m\"}},"                                \
	" {\"label\": \"huge\", \"set\": {\"memory\": \"hugetlb\"}}"
#define POINTS                                                                                     \
	"\"points\": [{\"regions\": {\"r\": {\"memory\": \"base\", \"size\": \"32m\"}},"           \
	" \"streams\": [{\"workload\": \"io\", \"engine\": \"null\"}]}]"

struct fixture {
	struct profile profile;
	struct plan plan;
	struct topology topology;
	struct target_table targets;
	struct run_point *points[8];
	struct borrow borrow;
	struct error error;
};

static unsigned pool_writes, folio_writes;

static int count_write(const char *path, const char *text, struct error *error)
{
	pool_writes += strstr(path, "nr_hugepages") != NULL;
	folio_writes += strstr(path, "shmem_enabled") != NULL;
	return machine_write(path, text, error);
}

/* Of the room's own: settings.c is linked with a machine of the test's. */
int __wrap_settings_apply(const struct json_document *document, const cJSON *list,
			  const struct memory_need *needs, unsigned n_needs, cJSON *notes,
			  struct settings **ret, struct error *error);

int __wrap_settings_apply(const struct json_document *document, const cJSON *list,
			  const struct memory_need *needs, unsigned n_needs, cJSON *notes,
			  struct settings **ret, struct error *error)
{
	machine.place.write = count_write;
	return settings_apply_at(&machine.place, document, list, needs, n_needs, notes, ret, error);
}

static void fixture_open(struct fixture *fixture, const char *text)
{
	struct error *error = &fixture->error;

	memset(fixture, 0, sizeof(*fixture));
	if (profile_parse("test.json", text, NULL, &fixture->profile, error) ||
	    plan_make(&fixture->profile, &fixture->plan, error) ||
	    topology_read(&fixture->topology, error))
		fail_msg("%s", error->text);
	for (unsigned v = 0; v < fixture->plan.n_variants; v++) {
		fixture->points[v] = calloc(1, sizeof(struct run_point));
		assert_non_null(fixture->points[v]);
		if (run_point_open(fixture->points[v], &fixture->plan,
				   &fixture->plan.variants[v].points[0], &fixture->targets,
				   &fixture->topology, error))
			fail_msg("%s", error->text);
	}
	fixture->borrow = (struct borrow){
		.plan = &fixture->plan, .points = fixture->points, .notes = cJSON_CreateArray()};
	pool_writes = folio_writes = 0;
}

static void fixture_close(struct fixture *fixture)
{
	for (unsigned v = 0; v < fixture->plan.n_variants; v++) {
		run_point_close(fixture->points[v]);
		free(fixture->points[v]);
	}
	cJSON_Delete(fixture->borrow.notes);
	plan_free(&fixture->plan);
	profile_free(&fixture->profile);
}

static uint64_t pages_now(void)
{
	return machine_get(POOL_ALL_NODES, "nr_hugepages");
}

/* The word that 64K folios have while each variant runs, and the switches on the way. */
static unsigned run_blocks(struct fixture *fixture, unsigned blocks, const char *const *words)
{
	unsigned n = fixture->plan.n_variants, order[8], last = n, switches = 0;

	for (unsigned b = 0; b < blocks; b++) {
		block_order(fixture->plan.seed, b, n, order);
		for (unsigned i = 0; i < n; i++) {
			if (borrow_variant(&fixture->borrow, order[i], &fixture->error))
				fail_msg("%s", fixture->error.text);
			assert_string_equal(machine_folio_word(64 << 10), words[order[i]]);
			assert_int_equal(pages_now(), 32);
			switches += last == n || strcmp(words[last], words[order[i]]) != 0;
			last = order[i];
		}
	}
	return switches;
}

static void test_the_pool_is_written_once(void **state)
{
	static const char *const words[] = {"never", "always", "never"};
	struct fixture fixture;
	unsigned switches;

	fixture_open(&fixture, "{\"seed\": 3, \"settings\": [\"hugepages\"], \"variants\": "
			       "[" VARIANTS "], " POINTS "}");
	assert_int_equal(borrow_begin(&fixture.borrow, &fixture.error), 0);
	/* One write a node, for the largest need. */
	assert_int_equal(pages_now(), 32);
	assert_int_equal(pool_writes, 2);
	switches = run_blocks(&fixture, BLOCKS, words);
	assert_int_equal(pool_writes, 2);
	/* The first is none where it sets nothing, and the last one is still set. */
	assert_in_range(folio_writes, switches - 1, switches);
	assert_true(folio_writes < 2 * BLOCKS);
	borrow_end(&fixture.borrow);
	assert_int_equal(pool_writes, 4);
	assert_int_equal(pages_now(), 0);
	assert_string_equal(machine_folio_word(64 << 10), "never");
	assert_false(machine_has(""));
	assert_int_equal(cJSON_GetArraySize(fixture.borrow.notes), 0);
	fixture_close(&fixture);
}

#define NEVER_OR_64K                                                                               \
	"{\"seed\": 1, \"settings\": [{\"kind\": \"shmem_enabled\", \"folio\": \"64k\"}],"         \
	" \"variants\": [{\"label\": \"64K\"}, {\"label\": \"never\", \"settings\":"               \
	"  [{\"kind\": \"shmem_enabled\", \"folio\": \"64k\", \"value\": \"never\"}]}], " POINTS   \
	"}"

/* AB BA AB: 10 blocks of two are 11 turns. */
static void test_one_that_comes_twice_is_not_switched(void **state)
{
	struct fixture fixture;
	unsigned order[2];

	fixture_open(&fixture, NEVER_OR_64K);
	assert_int_equal(borrow_begin(&fixture.borrow, &fixture.error), 0);
	assert_string_equal(machine_folio_word(64 << 10), "advise");
	assert_int_equal(folio_writes, 1);
	for (unsigned b = 0; b < BLOCKS; b++) {
		block_order(fixture.plan.seed, b, 2, order);
		for (unsigned i = 0; i < 2; i++) {
			assert_int_equal(borrow_variant(&fixture.borrow, order[i], &fixture.error),
					 0);
			assert_string_equal(machine_folio_word(64 << 10),
					    order[i] ? "never" : "advise");
		}
	}
	block_order(fixture.plan.seed, 0, 2, order);
	assert_int_equal(folio_writes, 1 + BLOCKS + (order[0] == 1));
	borrow_end(&fixture.borrow);
	assert_string_equal(machine_folio_word(64 << 10), "never");
	assert_false(machine_has(""));
	fixture_close(&fixture);
}

/* Nobody else comes in between, even while nothing is borrowed. */
static void test_the_lock_is_held_between_variants(void **state)
{
	struct fixture fixture;

	fixture_open(&fixture,
		     "{\"variants\": [{\"label\": \"a\"}, {\"label\": \"b\", \"settings\":"
		     " [{\"kind\": \"shmem_enabled\", \"folio\": \"64k\"}]}], " POINTS "}");
	assert_int_equal(borrow_begin(&fixture.borrow, &fixture.error), 0);
	assert_int_equal(folio_writes + pool_writes, 0);
	assert_true(machine_has("lock"));
	for (unsigned v = 0; v < 2; v++) {
		assert_int_equal(borrow_variant(&fixture.borrow, 1 - v, &fixture.error), 0);
		assert_true(machine_has("lock"));
	}
	borrow_end(&fixture.borrow);
	borrow_end(&fixture.borrow);
	assert_false(machine_has(""));
	fixture_close(&fixture);
}

static void test_what_cannot_be_had_is_said_once(void **state)
{
	struct fixture fixture;

	fixture_open(&fixture, NEVER_OR_64K);
	machine.deaf = "shmem_enabled";
	machine_folio(64 << 10, "always inherit within_size [advise] never\n");
	assert_int_equal(borrow_begin(&fixture.borrow, &fixture.error), 0);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(borrow_variant(&fixture.borrow, i % 2, &fixture.error), 0);
	assert_int_equal(cJSON_GetArraySize(fixture.borrow.notes), 1);
	assert_non_null(strstr(note_at(fixture.borrow.notes, 0), "deaf"));
	borrow_end(&fixture.borrow);
	fixture_close(&fixture);
}

static void run_killed(struct fixture *fixture, enum machine_death death, unsigned writes)
{
	pid_t child = fork();
	int status;

	if (!child) {
		static const char *const words[] = {"never", "always", "never"};

		machine.death = death;
		machine.writes_left = writes;
		if (borrow_begin(&fixture->borrow, &fixture->error))
			_exit(1);
		run_blocks(fixture, 3, words);
		borrow_end(&fixture->borrow);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 9);
}

static void test_killed_at_any_write_all_is_given_back(void **state)
{
	struct error error = {0};
	struct fixture fixture;

	fixture_open(&fixture, "{\"seed\": 3, \"settings\": [\"hugepages\"], \"variants\": "
			       "[" VARIANTS "], " POINTS "}");
	for (unsigned i = 0; i < 8; i++) {
		for (enum machine_death death = MACHINE_DIES_BEFORE_WRITE;
		     death <= MACHINE_DIES_AFTER_WRITE; death++) {
			run_killed(&fixture, death, i);
			machine.place.write = machine_write;
			if (settings_recover_at(&machine.place, NULL, &error))
				fail_msg("%s", error.text);
			assert_int_equal(pages_now(), 0);
			assert_string_equal(machine_folio_word(64 << 10), "never");
			assert_false(machine_has(""));
		}
	}
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_pool_is_written_once, machine_make,
						machine_drop),
		cmocka_unit_test_setup_teardown(test_one_that_comes_twice_is_not_switched,
						machine_make, machine_drop),
		cmocka_unit_test_setup_teardown(test_the_lock_is_held_between_variants,
						machine_make, machine_drop),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_had_is_said_once, machine_make,
						machine_drop),
		cmocka_unit_test_setup_teardown(test_killed_at_any_write_all_is_given_back,
						machine_make, machine_drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
