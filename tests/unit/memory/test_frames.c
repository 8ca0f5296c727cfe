/* SPDX-License-Identifier: MIT */
/* test_frames.c - folios are counted as they are: whole ones, parts of them, other sizes, holes. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "child.h"
#include "lend.h"
#include "memory/audit.h"
#include "memory/kinds.h"

#define FOLIO_BYTES (64ull << 10)
#define SIZE_BYTES  (16ull << 20)

struct sample {
	struct lend lend;
	struct choice choice;
	struct region region;
	struct memory_audit audit;
	struct error error;
};

/* A 64K region that is mapped, not yet touched; false where the machine cannot. */
static bool sample_map(struct sample *sample)
{
	*sample = (struct sample){.choice = lend_choice("\"mthp\"")};
	sample->region = lend_region(&sample->choice, SIZE_BYTES);
	if (lend_folio(&sample->lend, FOLIO_BYTES, "advise") &&
	    !memory_mthp.map(sample->choice.params, SIZE_BYTES, &sample->region.mapping,
			     &sample->error))
		return true;
	lend_end(&sample->lend);
	choice_free(&sample->choice);
	return false;
}

static void sample_audit(struct sample *sample)
{
	sample->audit = (struct memory_audit){.page_bytes = FOLIO_BYTES, .asked_bytes = SIZE_BYTES};
	if (audit_frames(&sample->region, &sample->audit, &sample->error))
		fail_msg("%s", sample->error.text);
}

static void sample_end(struct sample *sample)
{
	region_close(&sample->region);
	choice_free(&sample->choice);
	lend_end(&sample->lend);
}

static uint64_t sum(const struct memory_audit *audit)
{
	uint64_t bytes = audit->absent_bytes;

	for (int i = 0; i < MEMORY_FOLIO_SIZES; i++)
		bytes += audit->by_size[i];
	return bytes;
}

static void test_half_advised_is_half_got(void **state)
{
	struct sample sample;
	char *middle;

	if (!sample_map(&sample))
		skip();
	middle = (char *)sample.region.mapping.address + SIZE_BYTES / 2;
	madvise(middle, SIZE_BYTES / 2, MADV_NOHUGEPAGE);
	if (region_touch(&sample.region, &sample.error))
		fail_msg("%s", sample.error.text);
	sample_audit(&sample);
	sample_end(&sample);
	assert_in_range(sample.audit.got_bytes, SIZE_BYTES / 2 - 4 * FOLIO_BYTES, SIZE_BYTES / 2);
	assert_true(sample.audit.by_size[0] >= SIZE_BYTES / 2);
	assert_int_equal(sum(&sample.audit), SIZE_BYTES);
}

static void test_holes_are_absent_and_spoil_their_folios(void **state)
{
	struct sample sample;
	char *bytes;

	if (!sample_map(&sample))
		skip();
	if (region_touch(&sample.region, &sample.error))
		fail_msg("%s", sample.error.text);
	bytes = sample.region.mapping.address;
	for (uint64_t i = 0; i < SIZE_BYTES / 4; i += FOLIO_BYTES)
		madvise(bytes + i + 8192, 4096, MADV_REMOVE);
	sample_audit(&sample);
	/* The kernel splits a folio that is punched, and unmaps all of it. */
	assert_in_range(sample.audit.absent_bytes, SIZE_BYTES / 4 / FOLIO_BYTES * 4096,
			SIZE_BYTES / 4);
	assert_in_range(sample.audit.got_bytes, SIZE_BYTES / 4 * 3 - 4 * FOLIO_BYTES,
			SIZE_BYTES / 4 * 3);
	assert_int_equal(sum(&sample.audit), SIZE_BYTES);
	/* Filled again they are smaller pages, and the folios stay broken. */
	madvise(bytes, SIZE_BYTES, MADV_NOHUGEPAGE);
	for (uint64_t i = 0; i < SIZE_BYTES / 4; i += 4096)
		bytes[i] = 1;
	sample_audit(&sample);
	sample_end(&sample);
	assert_int_equal(sample.audit.absent_bytes, 0);
	assert_true(sample.audit.by_size[0] >= SIZE_BYTES / 4 / FOLIO_BYTES * 4096);
	assert_true(sample.audit.got_bytes <= SIZE_BYTES / 4 * 3);
	assert_int_equal(sum(&sample.audit), SIZE_BYTES);
}

/* Of folios that are mapped in part only, the size is right and none counts as got. */
static void test_window_into_the_middle_of_folios(void **state)
{
	struct sample sample, window;
	uint64_t shift = 24576, bytes = SIZE_BYTES - FOLIO_BYTES;

	if (!sample_map(&sample))
		skip();
	if (region_touch(&sample.region, &sample.error))
		fail_msg("%s", sample.error.text);
	window = sample;
	window.region.mapping.address = (char *)sample.region.mapping.address + shift;
	window.region.mapping.bytes = FOLIO_BYTES / 4;
	sample_audit(&window);
	assert_int_equal(window.audit.got_bytes, 0);
	assert_int_equal(window.audit.by_size[4], FOLIO_BYTES / 4);
	window.region.mapping.bytes = bytes;
	sample_audit(&window);
	sample_end(&sample);
	assert_in_range(window.audit.got_bytes, bytes - 6 * FOLIO_BYTES, bytes - FOLIO_BYTES);
	assert_true(window.audit.by_size[4] >= bytes - 4 * FOLIO_BYTES);
	assert_int_equal(sum(&window.audit), bytes);
}

/* Larger folios than asked are seen as such, and are not what was asked. */
static void test_larger_folios_do_not_count(void **state)
{
	struct sample sample;
	bool lent;

	if (!sample_map(&sample))
		skip();
	lent = lend_folio(&sample.lend, 256 << 10, "advise");
	region_close(&sample.region);
	if (memory_map_shared_aligned(SIZE_BYTES, 2 << 20, 0, &sample.region.mapping,
				      &sample.error) ||
	    madvise(sample.region.mapping.address, SIZE_BYTES, MADV_HUGEPAGE) ||
	    region_touch(&sample.region, &sample.error))
		fail_msg("%s", sample.error.text);
	sample_audit(&sample);
	sample_end(&sample);
	if (!lent)
		skip();
	assert_true(sample.audit.by_size[6] >= SIZE_BYTES / 100 * 99);
	assert_true(sample.audit.got_bytes <= SIZE_BYTES / 100);
}

static double audit_ms(const struct region *region, struct memory_audit *audit)
{
	struct timespec begin, end;
	struct error error = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	if (region_audit(region, audit, &error))
		fail_msg("%s", error.text);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	return (double)(end.tv_sec - begin.tv_sec) * 1e3 +
	       (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
}

/* CPU time of the fastest of some audits, negative if there is no such region. */
static double best_audit_ms(uint64_t bytes)
{
	struct choice choice = lend_choice("\"base\"");
	struct region region = lend_region(&choice, bytes);
	struct error error = {0};
	double best_ms = 1e9;

	if (region_open(&region, &error)) {
		print_message("skipped, because %s\n", error.text);
		choice_free(&choice);
		return -1;
	}
	for (int i = 0; i < 5; i++) {
		struct memory_audit audit;
		double ms = audit_ms(&region, &audit);

		assert_int_equal(audit.by_size[0], bytes);
		best_ms = ms < best_ms ? ms : best_ms;
	}
	region_close(&region);
	choice_free(&choice);
	return best_ms;
}

/* The worst case, base pages that lie anywhere: eight times as many take no more than that long. */
static void test_large_region_is_audited_quickly(void **state)
{
	double small_ms = best_audit_ms(32 << 20), large_ms = best_audit_ms(256 << 20);

	if (small_ms < 0 || large_ms < 0)
		skip();
	print_message("32M of base pages: %.1f ms, 256M: %.1f ms of CPU time\n", small_ms,
		      large_ms);
	assert_true(large_ms < 4 * 8 * small_ms);
}

static int audit_as_nobody(void *argument)
{
	struct sample *sample = argument;
	int ret = child_become_nobody();

	if (ret)
		return ret;
	CHILD_CHECK(audit_frames(&sample->region, &sample->audit, &sample->error) == -EPERM);
	CHILD_CHECK(!sum(&sample->audit));
	CHILD_CHECK(!sample->error.code);
	return 0;
}

static void test_frames_are_not_for_everybody(void **state)
{
	struct sample sample;
	int ret;

	if (!sample_map(&sample))
		skip();
	ret = child_run(audit_as_nobody, &sample);
	sample_end(&sample);
	assert_true(ret == 0 || ret == CHILD_CANNOT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half_advised_is_half_got),
		cmocka_unit_test(test_holes_are_absent_and_spoil_their_folios),
		cmocka_unit_test(test_window_into_the_middle_of_folios),
		cmocka_unit_test(test_larger_folios_do_not_count),
		cmocka_unit_test(test_large_region_is_audited_quickly),
		cmocka_unit_test(test_frames_are_not_for_everybody),
	};

	/* Written for base pages of 4K and a process that may see page frames. */
	if (sysconf(_SC_PAGESIZE) != 4096 || access("/proc/kpageflags", R_OK)) {
		print_message("skipped, because page frames cannot be seen here\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
