/* SPDX-License-Identifier: MIT */
/* test_audit.c - hugetlb by smaps, and the rest by fault counters where frames are not shown. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "child.h"
#include "lend.h"
#include "memory/audit.h"
#include "memory/kinds.h"

#define SIZE_BYTES (16ull << 20)

static void test_add_sorts_by_size(void **state)
{
	struct memory_audit audit = {0};

	audit_add(&audit, 4096, 1);
	audit_add(&audit, 64 << 10, 2);
	audit_add(&audit, 64 << 10, 3);
	audit_add(&audit, 1ull << 35, 4);
	audit_add(&audit, 1ull << 36, 5); /* no kernel has these */
	assert_int_equal(audit.by_size[0], 1);
	assert_int_equal(audit.by_size[4], 5);
	assert_int_equal(audit.by_size[23], 4);
}

static void test_smaps_proves_hugetlb(void **state)
{
	struct choice choice = lend_choice("{\"kind\": \"hugetlb\", \"api\": \"mmap\"}");
	struct region region = lend_region(&choice, 4 << 20);
	struct memory_audit before = {0}, after = {0};
	struct lend lend = {0};
	struct error error = {0};
	int lent = lend_huge_pages(&lend, 2), ret = -1;

	if (lent)
		ret = memory_hugetlb.map(choice.params, 4 << 20, &region.mapping, &error);
	if (!ret)
		ret = region_audit(&region, &before, &error);
	if (!ret)
		ret = region_touch(&region, &error);
	if (!ret)
		ret = region_audit(&region, &after, &error);
	region_close(&region);
	choice_free(&choice);
	lend_end(&lend);
	if (!lent)
		skip();
	if (ret)
		fail_msg("%s", error.text);
	assert_string_equal(after.method, "smaps");
	assert_int_equal(before.got_bytes, 0);
	assert_int_equal(before.absent_bytes, 4 << 20);
	assert_int_equal(after.got_bytes, 4 << 20);
	assert_int_equal(after.by_size[9], 4 << 20);
	assert_int_equal(after.absent_bytes, 0);
}

/* What a region of base pages would be taken for if hugetlb had been asked. */
static void test_smaps_does_not_take_base_pages_for_huge_ones(void **state)
{
	struct choice choice = lend_choice("\"base\"");
	struct region region = lend_region(&choice, 4 << 20);
	struct memory_audit audit = {.page_bytes = 2 << 20, .asked_bytes = 4 << 20};
	struct error error = {0};

	assert_int_equal(region_open(&region, &error), 0);
	assert_int_equal(audit_smaps(&region, &audit, &error), 0);
	region_close(&region);
	choice_free(&choice);
	assert_int_equal(audit.got_bytes, 0);
}

static int open_as_nobody(void *argument)
{
	const char *json = argument;
	struct choice choice = lend_choice(json);
	struct region region = lend_region(&choice, SIZE_BYTES);
	struct memory_audit audit;
	struct error error = {0};
	int ret = child_become_nobody();

	if (ret)
		return ret;
	ret = region_open(&region, &error);
	if (!ret)
		ret = region_audit(&region, &audit, &error);
	if (ret) {
		fprintf(stderr, "%s\n", error.text);
		return ret == ERROR_CANNOT ? CHILD_CANNOT : 1;
	}
	CHILD_CHECK(!strcmp(audit.method, audit.page_bytes == thp_pmd_bytes("")
						  ? "smaps PMD mappings"
						  : "fault counters"));
	CHILD_CHECK(memory_audit_percent(&audit) >= 99);
	CHILD_CHECK(memory_audit_percent(&audit) <= 100);
	CHILD_CHECK(!audit.absent_bytes);
	madvise(region.mapping.address, 1 << 20,
		region.ops->is_private ? MADV_DONTNEED : MADV_REMOVE);
	CHILD_CHECK(!region_audit(&region, &audit, &error));
	CHILD_CHECK(audit.absent_bytes >= 1 << 20);
	CHILD_CHECK(audit.got_bytes <= SIZE_BYTES - (1 << 20));
	region_close(&region);
	choice_free(&choice);
	return 0;
}

static void check_as_nobody(const char *json, uint64_t folio_bytes)
{
	struct lend lend = {0};
	int lent = !folio_bytes || lend_folio(&lend, folio_bytes, "advise");
	int ret = lent ? child_run(open_as_nobody, (void *)(uintptr_t)json) : CHILD_CANNOT;

	lend_end(&lend);
	if (ret == CHILD_CANNOT)
		skip();
	assert_int_equal(ret, 0);
}

static void test_base_by_fault_counters(void **state)
{
	check_as_nobody("\"base\"", 0);
}

static void test_mthp_by_fault_counters(void **state)
{
	check_as_nobody("\"mthp\"", 64 << 10);
}

static void test_2m_folios_by_their_mappings(void **state)
{
	check_as_nobody("{\"kind\": \"mthp\", \"folio\": \"2m\"}", 2 << 20);
}

static void test_memfd_by_its_mappings(void **state)
{
	check_as_nobody("\"thp\"", 2 << 20);
}

static void test_private_memory(void **state)
{
	check_as_nobody("\"private\"", 0);
	check_as_nobody("{\"kind\": \"private\", \"thp\": \"advise\"}", 0);
}

/* 256 folios of 16 pages in 4096 pages: what the faults and the kernel's count leave of them. */
static void test_fault_counters_are_read_right(void **state)
{
	static const struct {
		uint64_t faults;
		bool counted;
		uint64_t folios, expected;
	} rows[] = {
		{256, true, 256, 256}, {259, true, 300, 256},  {256, false, 0, 256},
		{4096, true, 256, 0},  {2176, true, 999, 128}, {2176, true, 100, 100},
		{32, true, 0, 0}, /* larger folios: 32 of 512K, and none of this size */
		{9999, false, 0, 0},
	};
	struct choice choice = lend_choice("\"mthp\"");
	struct region region = lend_region(&choice, SIZE_BYTES);
	struct error error = {0};

	assert_int_equal(memory_map_shared_aligned(SIZE_BYTES, 4096, 0, &region.mapping, &error),
			 0);
	assert_int_equal(region_touch(&region, &error), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct memory_audit audit = {.page_bytes = 64 << 10, .asked_bytes = SIZE_BYTES};

		region.populate_faults = rows[i].faults;
		region.populate_counted = rows[i].counted;
		region.populate_folios = rows[i].folios;
		assert_int_equal(audit_faults(&region, &audit, &error), 0);
		assert_int_equal(audit.got_bytes, rows[i].expected * (64 << 10));
	}
	region_close(&region);
	choice_free(&choice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_sorts_by_size),
		cmocka_unit_test(test_smaps_proves_hugetlb),
		cmocka_unit_test(test_smaps_does_not_take_base_pages_for_huge_ones),
		cmocka_unit_test(test_base_by_fault_counters),
		cmocka_unit_test(test_mthp_by_fault_counters),
		cmocka_unit_test(test_2m_folios_by_their_mappings),
		cmocka_unit_test(test_memfd_by_its_mappings),
		cmocka_unit_test(test_private_memory),
		cmocka_unit_test(test_fault_counters_are_read_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
