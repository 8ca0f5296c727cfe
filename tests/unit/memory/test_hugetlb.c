/* SPDX-License-Identifier: MIT */
/* test_hugetlb.c - parameters, and what is said where there are too few pages. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lend.h"
#include "memory/kinds.h"

static void test_presets(void **state)
{
	struct choice choice = lend_choice("\"hugetlb\"");
	struct memory_need need;
	char text[64];

	assert_string_equal(choice_label(&choice, text, sizeof(text)), "hugetlb");
	memory_hugetlb.need(choice.params, 3 << 20, &need);
	assert_int_equal(need.kind, MEMORY_NEED_HUGE_PAGES);
	assert_int_equal(need.page_bytes, 2 << 20);
	assert_int_equal(need.bytes, 4 << 20);
	choice_free(&choice);
}

static void test_page_is_checked(void **state)
{
	struct choice choice = lend_choice("{\"kind\": \"hugetlb\", \"page\": \"3m\"}");
	struct error error = {0};

	assert_int_equal(memory_hugetlb.probe(choice.params, 1, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "3M is not a power of two"));
	choice_free(&choice);
}

static void test_size_that_the_machine_lacks_is_named(void **state)
{
	struct choice choice = lend_choice("{\"kind\": \"hugetlb\", \"page\": \"8g\"}");
	struct error error = {0};

	assert_int_equal(memory_hugetlb.probe(choice.params, 1, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "no 8G huge pages"));
	choice_free(&choice);
}

/* All three ways say the same when the pages are gone between probe and map. */
static void test_shortage_at_map_names_need_and_command(void **state)
{
	static const char *const kinds[] = {"\"hugetlb\"",
					    "{\"kind\": \"hugetlb\", \"api\": \"mmap\"}",
					    "{\"kind\": \"hugetlb\", \"api\": \"memfd\"}"};

	for (size_t i = 0; i < 3; i++) {
		struct choice choice = lend_choice(kinds[i]);
		struct mapping mapping = {0};
		struct error error = {0};

		assert_int_equal(memory_hugetlb.map(choice.params, 1ull << 44, &mapping, &error),
				 ERROR_CANNOT);
		assert_non_null(strstr(error.text, "needs 8388608 free 2M huge pages"));
		assert_non_null(strstr(error.text, "/sys/kernel/mm/hugepages/hugepages-2048kB/"
						   "nr_hugepages"));
		assert_null(mapping.address);
		choice_free(&choice);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_presets),
		cmocka_unit_test(test_page_is_checked),
		cmocka_unit_test(test_size_that_the_machine_lacks_is_named),
		cmocka_unit_test(test_shortage_at_map_names_need_and_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
