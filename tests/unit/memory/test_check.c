/* SPDX-License-Identifier: MIT */
/* test_check.c - a lower share than asked fails, with asked, got, share, reason and command. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lend.h"
#include "memory/kinds.h"

#define SIZE_BYTES (16ull << 20)

static void test_detail_has_the_most_first(void **state)
{
	struct memory_audit audit = {.asked_bytes = 1 << 20};
	char text[160];

	assert_string_equal(memory_audit_detail(&audit, text, sizeof(text)), "");
	audit.by_size[0] = 12 << 10;
	audit.by_size[4] = 256 << 20;
	audit.by_size[9] = 2 << 20;
	audit.absent_bytes = 4096;
	assert_string_equal(memory_audit_detail(&audit, text, sizeof(text)),
			    "64K 256M, 2M 2M, 4K 12K, absent 4K");
	assert_int_equal(strlen(memory_audit_detail(&audit, text, 12)), 11);
}

static void test_percent(void **state)
{
	struct memory_audit audit = {0};

	assert_true(memory_audit_percent(&audit) == 100);
	audit.asked_bytes = 400;
	audit.got_bytes = 398;
	assert_true(memory_audit_percent(&audit) == 99.5);
}

struct outcome {
	bool lent;
	int opened, checked;
	struct memory_audit audit;
	struct error error;
};

/* A region of 64K folios, spoiled between mapping and touching or after it. */
static struct outcome spoil(void (*before)(char *bytes), void (*after)(char *bytes))
{
	struct choice choice = lend_choice("\"mthp\"");
	struct region region = lend_region(&choice, SIZE_BYTES);
	struct outcome outcome = {0};
	struct lend lend = {0};

	outcome.lent = lend_folio(&lend, 64 << 10, "advise") && lend_folio(&lend, 0, "never");
	if (outcome.lent) {
		outcome.opened =
			memory_mthp.map(choice.params, SIZE_BYTES, &region.mapping, &outcome.error);
		if (before)
			before(region.mapping.address);
		if (!outcome.opened)
			outcome.opened = region_touch(&region, &outcome.error);
		if (after)
			after(region.mapping.address);
		if (!outcome.opened)
			outcome.opened = region_audit(&region, &outcome.audit, &outcome.error);
		outcome.checked = region_check(&region, &outcome.audit, 99, &outcome.error);
	}
	region_close(&region);
	choice_free(&choice);
	lend_end(&lend);
	return outcome;
}

static void refuse_half(char *bytes)
{
	madvise(bytes, SIZE_BYTES / 2, MADV_NOHUGEPAGE);
}

/* The kernel splits a folio that is punched, and unmaps all of it. */
static void punch_quarter(char *bytes)
{
	for (uint64_t i = 0; i < SIZE_BYTES / 4; i += 64 << 10)
		madvise(bytes + i, 32 << 10, MADV_REMOVE);
}

static void test_whole_region_passes(void **state)
{
	struct outcome outcome = spoil(NULL, NULL);

	if (!outcome.lent)
		skip();
	if (outcome.opened || outcome.checked)
		fail_msg("%s", outcome.error.text);
}

static void test_half_refused_fails_with_all_that_is_known(void **state)
{
	struct outcome outcome = spoil(refuse_half, NULL);

	if (!outcome.lent)
		skip();
	print_message("%s\n", outcome.error.text);
	assert_int_equal(outcome.checked, ERROR_CANNOT);
	assert_non_null(strstr(outcome.error.text, "region 'sga': 16M asked in pages of 64K, "));
	assert_non_null(strstr(outcome.error.text, "(50.0 %, by "));
	assert_non_null(strstr(outcome.error.text, "99 % needed"));
	assert_non_null(strstr(outcome.error.text, "echo 1 > /proc/sys/vm/compact_memory"));
}

static void test_punched_fails_and_tells_what_is_absent(void **state)
{
	struct outcome outcome = spoil(NULL, punch_quarter);

	if (!outcome.lent)
		skip();
	print_message("%s\n", outcome.error.text);
	assert_int_equal(outcome.checked, ERROR_CANNOT);
	assert_non_null(strstr(outcome.error.text, "absent 4M"));
	assert_non_null(strstr(outcome.error.text, "4M of it is not in memory"));
	assert_true(strstr(outcome.error.text, "swapoff -a") ||
		    strstr(outcome.error.text, "smaller region"));
}

/* An audit like that of a mapping that a larger size has won. */
static void test_larger_folios_are_named_with_their_setting(void **state)
{
	struct choice choice = lend_choice("\"mthp\"");
	struct region region = lend_region(&choice, SIZE_BYTES);
	struct memory_audit audit = {
		.method = "m", .page_bytes = 64 << 10, .asked_bytes = SIZE_BYTES};
	struct error error = {0};
	struct lend lend = {0};
	int lent = lend_folio(&lend, 64 << 10, "advise") && lend_folio(&lend, 0, "never");
	int ret;

	audit.by_size[9] = SIZE_BYTES;
	ret = region_check(&region, &audit, 99, &error);
	lend_end(&lend);
	choice_free(&choice);
	if (!lent)
		skip();
	assert_int_equal(ret, ERROR_CANNOT);
	assert_non_null(strstr(error.text, "folios of 2M were taken instead"));
	assert_non_null(strstr(error.text, "echo never > /sys/kernel/mm/transparent_hugepage/"
					   "hugepages-2048kB/shmem_enabled"));
}

static void test_setting_turned_off_meanwhile_is_the_reason(void **state)
{
	struct choice choice = lend_choice("\"mthp\"");
	struct region region = lend_region(&choice, SIZE_BYTES);
	struct memory_audit audit = {
		.method = "m", .page_bytes = 64 << 10, .asked_bytes = SIZE_BYTES};
	struct error error = {0};
	struct lend lend = {0};
	int lent = lend_folio(&lend, 64 << 10, "never") && lend_folio(&lend, 0, "never");
	int ret;

	audit.by_size[0] = SIZE_BYTES;
	ret = region_check(&region, &audit, 99, &error);
	lend_end(&lend);
	choice_free(&choice);
	if (!lent)
		skip();
	assert_int_equal(ret, ERROR_CANNOT);
	assert_non_null(strstr(error.text, "is 'never': echo advise > "));
}

static void test_share_decides(void **state)
{
	struct choice choice = lend_choice("\"base\"");
	struct region region = lend_region(&choice, 1000);
	struct memory_audit audit = {
		.method = "m", .page_bytes = 4096, .asked_bytes = 1000, .got_bytes = 980};

	assert_int_equal(region_check(&region, &audit, 98, NULL), 0);
	assert_int_equal(region_check(&region, &audit, 98.1, NULL), ERROR_CANNOT);
	choice_free(&choice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_detail_has_the_most_first),
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_whole_region_passes),
		cmocka_unit_test(test_half_refused_fails_with_all_that_is_known),
		cmocka_unit_test(test_punched_fails_and_tells_what_is_absent),
		cmocka_unit_test(test_larger_folios_are_named_with_their_setting),
		cmocka_unit_test(test_setting_turned_off_meanwhile_is_the_reason),
		cmocka_unit_test(test_share_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
