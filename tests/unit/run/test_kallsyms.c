/* SPDX-License-Identifier: MIT */
/* test_kallsyms.c - addresses become names, and only those of functions. */
#include "run/kallsyms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "../memory/tree.h"
#include "base/error.h"

static const char text[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 d not_a_function\n"
			   "ffffffff81000100 t gup_fast_fallback\n"
			   "ffffffffc0400010 t null_queue_rq\t[null_blk]\n"
			   "ffffffff81000200 W weak_one\n"
			   "ffffffff82000000 R __start_rodata\n"
			   "not a line\n"
			   "ffffffffc0400050 d null_data\t[null_blk]\n";

static void assert_found(const struct kallsyms *all, uint64_t address, const char *name)
{
	int index = kallsyms_find(all, address);

	if (!name) {
		assert_int_equal(index, -1);
		return;
	}
	assert_true(index >= 0);
	assert_string_equal(kallsyms_name(all, index), name);
}

static void test_addresses_become_names(void **state)
{
	struct kallsyms all;
	struct error error = {0};
	struct tree tree;

	tree_make(&tree);
	tree_put(&tree, "/proc/kallsyms", text);
	assert_int_equal(kallsyms_read(tree.root, &all, &error), 0);
	assert_found(&all, 0, NULL);
	assert_found(&all, UINT64_C(0xffffffff80ffffff), NULL);
	assert_found(&all, UINT64_C(0xffffffff81000000), "_stext");
	assert_found(&all, UINT64_C(0xffffffff810000ff), "_stext");
	assert_found(&all, UINT64_C(0xffffffff81000100), "gup_fast_fallback");
	assert_found(&all, UINT64_C(0xffffffff81ffffff), "weak_one");
	assert_found(&all, UINT64_C(0xffffffff82000000), NULL); /* read-only data */
	assert_found(&all, UINT64_C(0xffffffffc0400011), "null_queue_rq [null_blk]");
	assert_found(&all, UINT64_C(0xffffffffffffffff), NULL);
	kallsyms_free(&all);
	assert_int_equal(all.n, 0);
	tree_remove(&tree);
}

static void test_hidden_addresses_are_told(void **state)
{
	struct kallsyms all;
	struct error error = {0};
	struct tree tree;

	tree_make(&tree);
	tree_put(&tree, "/proc/kallsyms",
		 "0000000000000000 T _stext\n0000000000000000 t gup_fast_fallback\n");
	tree_put(&tree, "/proc/sys/kernel/kptr_restrict", "2\n");
	assert_int_equal(kallsyms_read(tree.root, &all, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "kernel.kptr_restrict is 2"));
	assert_non_null(strstr(error.text, "sysctl kernel.kptr_restrict=1"));
	tree_remove(&tree);
}

static void test_a_kernel_without_names(void **state)
{
	struct kallsyms all;
	struct error error = {0};
	struct tree tree;

	tree_make(&tree);
	assert_int_equal(kallsyms_read(tree.root, &all, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "/proc/kallsyms cannot be read"));
	tree_remove(&tree);
}

static void test_idle_is_known(void **state)
{
	static const char *const idle[] = {"pv_native_safe_halt", "intel_idle_ibrs",
					   "default_idle",	  "mwait_idle.constprop.0",
					   "cpuidle_enter_state", "cpu_do_idle",
					   "acpi_idle_do_entry"};
	static const char *const busy[] = {"gup_fast_fallback", "idle_cull_fn", "__schedule",
					   "page_idle_get_folio"};

	for (size_t i = 0; i < sizeof(idle) / sizeof(*idle); i++)
		assert_true(kallsyms_is_idle(idle[i]));
	for (size_t i = 0; i < sizeof(busy) / sizeof(*busy); i++)
		assert_false(kallsyms_is_idle(busy[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_become_names),
		cmocka_unit_test(test_hidden_addresses_are_told),
		cmocka_unit_test(test_a_kernel_without_names),
		cmocka_unit_test(test_idle_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
