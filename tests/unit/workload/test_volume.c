/* SPDX-License-Identifier: MIT */
/* test_volume.c - targets as one volume: every block of them once, whatever their sizes are. */
#include "workload/volume.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/field.h"
#include "base/random.h"

#define BLOCK 8192u

/* raid0 with a stripe of so many bytes. */
static void choose_raid0(uint64_t stripe_bytes, struct choice *ret)
{
	const struct entry *entry;
	struct error error = {0};

	assert_int_equal(catalog_find(&layout_catalog, "raid0", &entry, &error), 0);
	assert_int_equal(catalog_choose(entry, ret, &error), 0);
	memcpy((char *)ret->params + entry->fields[0].offset, &stripe_bytes, sizeof(stripe_bytes));
}

static void open_volume(struct volume *volume, const struct choice *layout, const uint64_t *ranges,
			unsigned n, uint64_t offset_bytes)
{
	struct volume_shape shape = {.range_bytes = ranges,
				     .n_targets = n,
				     .offset_bytes = offset_bytes,
				     .block_bytes = BLOCK};
	struct error error = {0};

	if (volume_open(volume, layout, &shape, &error) < 0)
		fail_msg("%s", error.text);
}

/* Every whole block of every range is the place of exactly one block of the volume. */
static void check_bijective(const struct volume *volume, const uint64_t *ranges, unsigned n)
{
	unsigned char **seen = calloc(n, sizeof(*seen));
	uint64_t total = 0;

	for (unsigned i = 0; i < n; i++) {
		total += ranges[i] / BLOCK;
		seen[i] = calloc(ranges[i] / BLOCK + 1, 1);
	}
	assert_int_equal(volume->n_blocks, total);
	for (uint64_t block = 0; block < volume->n_blocks; block++) {
		struct volume_place place = volume_place(volume, block);
		uint64_t offset = place.offset_bytes - volume->offset_bytes;

		assert_true(place.target < n);
		assert_int_equal(offset % BLOCK, 0);
		assert_true(offset + BLOCK <= ranges[place.target]);
		assert_int_equal(seen[place.target][offset / BLOCK]++, 0);
	}
	for (unsigned i = 0; i < n; i++)
		free(seen[i]);
	free(seen);
}

/* Sizes of all kinds, many of them alike, some without a block, some shorter than a stripe. */
static void draw_ranges(struct random *random, uint64_t *ranges, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t blocks = random_below(random, 4) == 0 ? 64 : random_below(random, 200);

		ranges[i] = blocks * BLOCK + random_below(random, BLOCK);
	}
	ranges[random_below(random, n)] = 300 * BLOCK;
}

static void test_every_block_once(void **state)
{
	struct random random;

	random_seed(&random, 8, 0);
	for (unsigned round = 0; round < 400; round++) {
		unsigned n = 1 + (unsigned)random_below(&random, 9);
		uint64_t ranges[9];
		struct choice raid0;
		struct volume volume;

		draw_ranges(&random, ranges, n);
		open_volume(&volume, NULL, ranges, n, 4096);
		check_bijective(&volume, ranges, n);
		volume_close(&volume);
		choose_raid0(BLOCK << random_below(&random, 5), &raid0);
		open_volume(&volume, &raid0, ranges, n, 4096);
		check_bijective(&volume, ranges, n);
		volume_close(&volume);
		choice_free(&raid0);
	}
}

static void test_many_targets(void **state)
{
	static uint64_t ranges[1000];
	struct choice raid0;
	struct volume volume;

	for (unsigned i = 0; i < 1000; i++)
		ranges[i] = (i % 7 == 3 ? 0 : i % 100 == 50 ? 5000 : i % 5 + 1) * BLOCK;
	open_volume(&volume, NULL, ranges, 1000, 0);
	check_bijective(&volume, ranges, 1000);
	volume_close(&volume);
	choose_raid0(4 * BLOCK, &raid0);
	open_volume(&volume, &raid0, ranges, 1000, 0);
	check_bijective(&volume, ranges, 1000);
	volume_close(&volume);
	choice_free(&raid0);
}

static void test_concat_is_one_behind_the_other(void **state)
{
	static const uint64_t ranges[3] = {2 * BLOCK, 0, 3 * BLOCK + BLOCK / 2};
	static const uint64_t expected[][2] = {
		{0, 0}, {0, BLOCK}, {2, 0}, {2, BLOCK}, {2, 2 * BLOCK}};
	struct volume volume;

	open_volume(&volume, NULL, ranges, 3, 0);
	assert_int_equal(volume.n_blocks, 5);
	for (uint64_t i = 0; i < 5; i++) {
		struct volume_place place = volume_place(&volume, i);

		assert_int_equal(place.target, expected[i][0]);
		assert_int_equal(place.offset_bytes, expected[i][1]);
	}
	volume_close(&volume);
}

/* Stripes of two blocks: round both, then on in the larger, then what is no whole stripe. */
static void test_raid0_goes_round(void **state)
{
	static const uint64_t ranges[2] = {3 * BLOCK, 6 * BLOCK};
	static const uint64_t expected[][2] = {{1, 0}, {1, 1}, {0, 0}, {0, 1}, {1, 2},
					       {1, 3}, {1, 4}, {1, 5}, {0, 2}};
	struct choice raid0;
	struct volume volume;

	choose_raid0(2 * BLOCK, &raid0);
	open_volume(&volume, &raid0, ranges, 2, 0);
	assert_int_equal(volume.n_blocks, 9);
	for (uint64_t i = 0; i < 9; i++) {
		struct volume_place place = volume_place(&volume, i);

		assert_int_equal(place.target, expected[i][0]);
		assert_int_equal(place.offset_bytes, expected[i][1] * BLOCK);
	}
	volume_close(&volume);
	choice_free(&raid0);
}

static void test_equal_targets_keep_their_order(void **state)
{
	static const uint64_t ranges[3] = {8 * BLOCK, 8 * BLOCK, 8 * BLOCK};
	struct choice raid0;
	struct volume volume;

	choose_raid0(BLOCK, &raid0);
	open_volume(&volume, &raid0, ranges, 3, 0);
	for (uint64_t i = 0; i < 24; i++)
		assert_int_equal(volume_place(&volume, i).target, i % 3);
	volume_close(&volume);
	choice_free(&raid0);
}

/* Places of blocks beyond 2^32 are whole, in range, and far apart. */
static void test_forty_tebibytes(void **state)
{
	static const uint64_t ranges[2] = {UINT64_C(40) << 40, UINT64_C(25) << 40};
	struct choice raid0;
	struct volume volumes[2];

	choose_raid0(UINT64_C(1) << 20, &raid0);
	open_volume(&volumes[0], NULL, ranges, 2, 0);
	open_volume(&volumes[1], &raid0, ranges, 2, 0);
	for (unsigned v = 0; v < 2; v++) {
		struct volume_place last = volume_place(&volumes[v], volumes[v].n_blocks - 1);
		struct random random;

		assert_true(volumes[v].n_blocks > UINT64_C(1) << 33);
		assert_int_equal(last.offset_bytes + BLOCK, ranges[last.target]);
		random_seed(&random, 3, 0);
		for (unsigned i = 0; i < 100000; i++) {
			uint64_t block = random_below(&random, volumes[v].n_blocks - 1);
			struct volume_place one = volume_place(&volumes[v], block);
			struct volume_place next = volume_place(&volumes[v], block + 1);

			assert_true(one.offset_bytes + BLOCK <= ranges[one.target]);
			assert_true(one.target != next.target ||
				    one.offset_bytes != next.offset_bytes);
		}
		volume_close(&volumes[v]);
	}
	choice_free(&raid0);
}

static void test_what_cannot_be_is_refused(void **state)
{
	static const uint64_t range = BLOCK - 1, whole = 4 * BLOCK;
	struct volume_shape shape = {.range_bytes = &range, .n_targets = 1, .block_bytes = BLOCK};
	struct choice raid0;
	struct volume volume;
	struct error error = {0};

	assert_int_equal(volume_open(&volume, NULL, &shape, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "no target holds a whole block of 8K"));
	choose_raid0(3 * 4096, &raid0);
	shape.range_bytes = &whole;
	assert_int_equal(volume_open(&volume, &raid0, &shape, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "stripe 12K is not a multiple of block 8K"));
	assert_int_equal(volume_check(&raid0, BLOCK, &error), ERROR_INPUT);
	assert_int_equal(volume_check(&raid0, 4096, &error), 0);
	choice_free(&raid0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_block_once),
		cmocka_unit_test(test_many_targets),
		cmocka_unit_test(test_concat_is_one_behind_the_other),
		cmocka_unit_test(test_raid0_goes_round),
		cmocka_unit_test(test_equal_targets_keep_their_order),
		cmocka_unit_test(test_forty_tebibytes),
		cmocka_unit_test(test_what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
