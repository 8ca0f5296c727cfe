/* SPDX-License-Identifier: MIT */
/* test_engine.c - the catalog of engines and opening by choice. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/queue.h"

static void test_catalog_has_its_order_and_summaries(void **state)
{
	static const char *const names[] = {"io_uring", "libaio", "sync", "null"};
	const struct entry *const *entries = engine_catalog.entries;

	for (size_t i = 0; i < 4; i++) {
		const struct engine_ops *ops;
		struct choice choice = {.entry = entries[i]};

		assert_string_equal(entries[i]->name, names[i]);
		assert_non_null(entries[i]->summary);
		ops = engine_ops_of(&choice);
		assert_true(ops->probe && ops->open && ops->submit && ops->reap && ops->close);
	}
	assert_null(entries[4]);
}

static void test_unknown_engine_is_named(void **state)
{
	const struct entry *entry = NULL;
	struct error error = {0};

	assert_int_equal(catalog_find(&engine_catalog, "libaoi", &entry, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "libaoi"));
	assert_non_null(strstr(error.text, "io_uring, libaio, sync, null"));
	assert_null(entry);
}

static int fail_to_open(struct queue *queue, struct error *error)
{
	queue->private_data = queue;
	return error_set(error, ERROR_CANNOT, "it will not");
}

static void test_open_prefixes_the_error_and_leaves_the_queue(void **state)
{
	static const struct engine_ops ops = {.entry = {.name = "stubborn"}, .open = fail_to_open};
	struct choice choice = {.entry = &ops.entry};
	struct engine_setup setup = {.depth = 1, .batch = 1};
	struct error error = {0};
	struct queue queue = {0};

	assert_int_equal(queue_open(&queue, &choice, &setup, &error), ERROR_CANNOT);
	assert_string_equal(error.text, "engine stubborn: it will not");
	assert_null(queue.ops);
	assert_null(queue.private_data);
}

static void test_ring_entries_are_the_next_power_of_two(void **state)
{
	static const unsigned pairs[][2] = {{1, 1},	{2, 2},	    {3, 4},	    {5, 8},
					    {128, 128}, {129, 256}, {32768, 32768}, {32769, 65536}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_int_equal(queue_ring_entries(pairs[i][0]), pairs[i][1]);
}

static void test_memory_is_zeroed_and_on_its_own_lines(void **state)
{
	for (size_t bytes = 1; bytes < 300; bytes += 37) {
		char *memory = queue_memory(bytes);

		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % 64, 0);
		for (size_t i = 0; i < bytes; i++)
			assert_int_equal(memory[i], 0);
		free(memory);
	}
}

static void test_status_finds_numbers(void **state)
{
	uint64_t value = 0;

	assert_int_equal(queue_status("Pid", 10, &value), 0);
	assert_int_equal(value, getpid());
	assert_int_equal(queue_status("Pi", 10, &value), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_catalog_has_its_order_and_summaries),
		cmocka_unit_test(test_unknown_engine_is_named),
		cmocka_unit_test(test_open_prefixes_the_error_and_leaves_the_queue),
		cmocka_unit_test(test_ring_entries_are_the_next_power_of_two),
		cmocka_unit_test(test_memory_is_zeroed_and_on_its_own_lines),
		cmocka_unit_test(test_status_finds_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
