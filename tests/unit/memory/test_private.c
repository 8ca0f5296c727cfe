/* SPDX-License-Identifier: MIT */
/* test_private.c - memory of one process: base pages or large folios, as asked, or why not. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "child.h"
#include "lend.h"
#include "memory/kinds.h"

#define SIZE_BYTES (16ull << 20)
#define NEVER	   "{\"kind\": \"private\"}"
#define ADVISE	   "{\"kind\": \"private\", \"thp\": \"advise\"}"

/* Opens and audits under a word of the top-level setting; -1 where it cannot be set. */
static int open_under(const char *json, const char *word, struct memory_audit *ret,
		      struct error *error)
{
	struct choice choice = lend_choice(json);
	struct region region = lend_region(&choice, SIZE_BYTES);
	struct lend lend = {0};
	char path[160];
	int code = -1;

	if (lend_setting(&lend, thp_path("", 0, "enabled", path, sizeof(path)), word)) {
		code = region_open(&region, error);
		if (!code)
			code = region_audit(&region, ret, error);
		if (!code)
			code = region_check(&region, ret, 99, error);
	}
	lend_end(&lend);
	region_close(&region);
	choice_free(&choice);
	return code;
}

static void test_never_is_base_pages_whatever_the_machine_wants(void **state)
{
	struct memory_audit audit = {0};
	struct error error = {0};
	int ret = open_under(NEVER, "always", &audit, &error);

	if (ret == -1)
		skip();
	if (ret)
		fail_msg("%s", error.text);
	assert_int_equal(audit.page_bytes, memory_base_page_bytes());
	assert_int_equal(audit.got_bytes, SIZE_BYTES);
}

static void test_advise_is_large_folios(void **state)
{
	struct memory_audit audit = {0};
	struct error error = {0};
	int ret = open_under(ADVISE, "madvise", &audit, &error);

	if (ret == -1)
		skip();
	if (ret)
		fail_msg("%s", error.text);
	assert_int_equal(audit.page_bytes, thp_pmd_bytes(""));
	assert_true(memory_audit_percent(&audit) >= 99);
}

static void test_switched_off_names_the_command(void **state)
{
	struct memory_audit audit = {0};
	struct error error = {0};
	int ret = open_under(ADVISE, "never", &audit, &error);

	if (ret == -1)
		skip();
	assert_int_equal(ret, ERROR_CANNOT);
	assert_non_null(
		strstr(error.text, "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"));
}

static void test_it_says_that_it_is_private(void **state)
{
	struct choice choice = lend_choice(NEVER);
	struct memory_need need;

	assert_true(memory_private.is_private);
	for (size_t i = 0; memory_catalog.entries[i]; i++) {
		struct choice other = {.entry = memory_catalog.entries[i]};

		assert_int_equal(memory_ops_of(&other)->is_private,
				 other.entry == &memory_private.entry);
	}
	memory_private.need(choice.params, SIZE_BYTES, &need);
	assert_int_equal(need.kind, MEMORY_NEED_NOTHING);
	choice_free(&choice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_never_is_base_pages_whatever_the_machine_wants),
		cmocka_unit_test(test_advise_is_large_folios),
		cmocka_unit_test(test_switched_off_names_the_command),
		cmocka_unit_test(test_it_says_that_it_is_private),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
