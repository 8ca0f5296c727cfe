/* SPDX-License-Identifier: MIT */
/* test_base.c - base pages stay base pages whatever the machine's settings want. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lend.h"
#include "memory/kinds.h"

#define SIZE_BYTES (8ull << 20)

static void check_base_under(uint64_t folio_bytes, const char *word)
{
	struct choice choice = lend_choice("\"base\"");
	struct region region = lend_region(&choice, SIZE_BYTES);
	struct memory_audit audit = {0};
	struct error error = {0};
	struct lend lend = {0};
	int lent = lend_folio(&lend, folio_bytes, word), ret = -1;

	if (lent) {
		ret = region_open(&region, &error);
		if (!ret)
			ret = region_audit(&region, &audit, &error);
	}
	lend_end(&lend);
	region_close(&region);
	choice_free(&choice);
	if (!lent)
		skip();
	if (ret)
		fail_msg("%s", error.text);
	assert_int_equal(audit.got_bytes, SIZE_BYTES);
	assert_int_equal(audit.by_size[0], SIZE_BYTES);
}

static void test_force_does_not_win(void **state)
{
	check_base_under(0, "force");
}

static void test_always_does_not_win(void **state)
{
	check_base_under(64 << 10, "always");
}

static void test_it_needs_no_setting(void **state)
{
	struct memory_need need = {.kind = MEMORY_NEED_HUGE_PAGES};

	memory_base.need(NULL, SIZE_BYTES, &need);
	assert_int_equal(need.kind, MEMORY_NEED_NOTHING);
	assert_int_equal(memory_base.page_bytes(NULL), sysconf(_SC_PAGESIZE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_force_does_not_win),
		cmocka_unit_test(test_always_does_not_win),
		cmocka_unit_test(test_it_needs_no_setting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
