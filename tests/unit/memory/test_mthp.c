/* SPDX-License-Identifier: MIT */
/* test_mthp.c - exactly the folio size asked, or the reason why not. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lend.h"
#include "memory/kinds.h"

#define SIZE_BYTES (16ull << 20)

static void test_folio_is_checked(void **state)
{
	struct choice choice = lend_choice("{\"kind\": \"mthp\", \"folio\": 98304}");
	struct error error = {0};

	assert_int_equal(memory_mthp.probe(choice.params, SIZE_BYTES, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "96K is not a power of two"));
	choice_free(&choice);
}

static void test_folio_out_of_bounds_is_refused_when_read(void **state)
{
	static const char *const texts[] = {"{\"kind\": \"mthp\", \"folio\": \"8k\"}",
					    "{\"kind\": \"mthp\", \"folio\": \"1g\"}"};

	for (size_t i = 0; i < 2; i++) {
		struct json_document *document = NULL;
		struct choice choice;
		struct error error = {0};

		assert_int_equal(json_parse("test", texts[i], &document, &error), 0);
		assert_int_equal(catalog_read(&memory_catalog, document, json_root(document),
					      &choice, &error),
				 ERROR_INPUT);
		assert_non_null(strstr(error.text, "folio"));
		json_free(document);
	}
}

static void test_preset_is_64k(void **state)
{
	struct choice choice = lend_choice("\"mthp\"");
	struct memory_need need;

	memory_mthp.need(choice.params, 1, &need);
	assert_int_equal(need.kind, MEMORY_NEED_SHMEM_FOLIO);
	assert_int_equal(need.page_bytes, 64 << 10);
	assert_int_equal(need.bytes, 64 << 10);
	choice_free(&choice);
}

/* Other sizes that the same mapping may have, too, do not get in. */
static void test_larger_and_smaller_sizes_do_not_win(void **state)
{
	struct choice choice = lend_choice("\"mthp\"");
	struct region region = lend_region(&choice, SIZE_BYTES);
	struct memory_audit audit = {0};
	struct error error = {0};
	struct lend lend = {0};
	int lent = lend_folio(&lend, 64 << 10, "advise") && lend_folio(&lend, 2 << 20, "always") &&
		   lend_folio(&lend, 128 << 10, "advise") && lend_folio(&lend, 16 << 10, "always");
	int ret = lent ? region_open(&region, &error) : -1;

	if (!ret)
		ret = region_audit(&region, &audit, &error);
	lend_end(&lend);
	region_close(&region);
	choice_free(&choice);
	if (!lent)
		skip();
	if (ret)
		fail_msg("%s", error.text);
	assert_true(memory_audit_percent(&audit) >= 99);
	assert_true(audit.by_size[4] >= SIZE_BYTES / 100 * 99);
}

static void test_never_is_refused_with_the_command(void **state)
{
	struct choice choice = lend_choice("\"mthp\"");
	struct region region = lend_region(&choice, SIZE_BYTES);
	struct error error = {0};
	struct lend lend = {0};
	int lent = lend_folio(&lend, 64 << 10, "never");
	int ret = lent ? region_open(&region, &error) : 0;

	lend_end(&lend);
	choice_free(&choice);
	if (!lent)
		skip();
	assert_int_equal(ret, ERROR_CANNOT);
	assert_non_null(strstr(error.text, "echo advise > /sys/kernel/mm/transparent_hugepage/"
					   "hugepages-64kB/shmem_enabled"));
	assert_null(region.mapping.address);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folio_is_checked),
		cmocka_unit_test(test_folio_out_of_bounds_is_refused_when_read),
		cmocka_unit_test(test_preset_is_64k),
		cmocka_unit_test(test_larger_and_smaller_sizes_do_not_win),
		cmocka_unit_test(test_never_is_refused_with_the_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
