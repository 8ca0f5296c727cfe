/* SPDX-License-Identifier: MIT */
/* test_comparison.c - sides made of results: units, pairs, boots, what is matched with what. */
#include "stats/comparison.h"

#include <math.h>

#include "comparison_rig.h"

static const struct comparison_options presets = {.alpha = 0.05, .threshold = 0.02};

/* Ten blocks; b is 5 % quicker than a in each of them, though blocks drift by 18 %. */
static void make_blocks(struct result *result)
{
	rig_result(result, 2, 10);
	snprintf(result->baseline, sizeof(result->baseline), "a");
	for (unsigned r = 0; r < 10; r++) {
		double block = 100000 * (1 + 0.02 * r);

		rig_ops(result, 0, r, block * rig_noise(r));
		rig_ops(result, 1, r, block * rig_noise(r + 5) * 1.05);
	}
}

static void test_variants_in_blocks_are_pairs(void **state)
{
	struct result result;
	struct comparison comparison;
	const struct comparison_row *row;

	make_blocks(&result);
	rig_expect_none(rig_compare(&result, &presets, &comparison));
	assert_true(comparison.paired);
	assert_int_equal(comparison.unit, UNIT_BLOCK);
	assert_int_equal(comparison.design_seed, 7);
	assert_int_equal(comparison.n_sides, 2);
	assert_string_equal(comparison.sides[0].label, "a");
	assert_string_equal(comparison.sides[1].label, "b");
	assert_string_equal(comparison.sides[0].summary, "io_uring mthp 64K");
	assert_int_equal(comparison.sides[1].n_units, 10);
	assert_string_equal(comparison.sides[1].units[2].name, "block 3");
	row = rig_row(&comparison, 1, "mbps");
	assert_true(row->primary && row->numbers.paired);
	assert_int_equal(row->numbers.base.n, 10);
	assert_int_equal(row->numbers.other.n, 10);
	assert_string_equal(row->point, "8K");
	assert_string_equal(row->stream, "reads");
	assert_string_equal(row->class, "read");
	assert_int_equal(row->numbers.verdict, COMPARE_IMPROVED);
	assert_true(fabs(expm1(row->numbers.change) - 0.05) < 0.01);
	assert_true(comparison.drift_percent > 10 && comparison.drift_percent < 30);
	assert_int_equal(comparison_count(&comparison, 1, COMPARE_IMPROVED),
			 comparison_count(&comparison, 0, COMPARE_IMPROVED));
	comparison_free(&comparison);
	result_free(&result);
}

static void test_the_baseline_is_named(void **state)
{
	struct result result;
	struct comparison comparison;

	make_blocks(&result);
	snprintf(result.baseline, sizeof(result.baseline), "b");
	rig_expect_none(rig_compare(&result, &presets, &comparison));
	assert_string_equal(comparison.sides[0].label, "b");
	assert_string_equal(comparison.sides[1].label, "a");
	assert_int_equal(rig_row(&comparison, 1, "mbps")->numbers.verdict, COMPARE_REGRESSED);
	comparison_free(&comparison);
	result_free(&result);
}

static void test_a_lost_block_is_left_out_and_said(void **state)
{
	struct result result;
	struct comparison comparison;
	const struct comparison_row *row;

	make_blocks(&result);
	rig_at(&result, 1, 3)->status = RESULT_FAILED;
	snprintf(rig_at(&result, 1, 3)->reason, 64, "killed by signal 9");
	rig_at(&result, 0, 7)->sampled = true; /* counts nowhere, and is no loss */
	rig_expect_none(rig_compare(&result, &presets, &comparison));
	row = rig_row(&comparison, 1, "mbps");
	assert_int_equal(row->numbers.base.n, 8);
	assert_int_equal(row->numbers.other.n, 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(row->base_unit[i], row->other_unit[i]);
		assert_true(row->base_unit[i] != 3 && row->base_unit[i] != 7);
		assert_true(fabs(row->other[i] / row->base[i] - 1.05) < 0.03);
	}
	assert_int_equal(comparison.n_losses, 1);
	assert_int_equal(comparison.losses[0].side, 1);
	assert_string_equal(comparison.losses[0].where, "8K, block 4");
	assert_string_equal(comparison.losses[0].reason, "killed by signal 9");
	comparison_free(&comparison);
	result_free(&result);
}

/* Results of before there were blocks: the order of the repeats means nothing. */
static void test_variants_without_places_are_no_pairs(void **state)
{
	struct result result;
	struct comparison comparison;

	make_blocks(&result);
	for (unsigned r = 0; r < 10; r++)
		rig_at(&result, 0, r)->place = rig_at(&result, 1, r)->place = 0;
	rig_expect_none(rig_compare(&result, &presets, &comparison));
	assert_false(comparison.paired);
	assert_int_equal(comparison.unit, UNIT_RUN);
	assert_int_equal(comparison.design_seed, 0);
	assert_string_equal(comparison.sides[0].units[0].name, "repeat 1");
	assert_false(rig_row(&comparison, 1, "mbps")->numbers.paired);
	comparison_free(&comparison);
	result_free(&result);
}

static void test_one_variant_is_nothing_to_compare(void **state)
{
	struct result result;
	struct comparison comparison;

	rig_result(&result, 1, 3);
	rig_expect(rig_compare(&result, &presets, &comparison), "one variant only");
	result_free(&result);
}

static void test_several_variants(void **state)
{
	struct result result;
	struct comparison comparison;

	rig_result(&result, 3, 8);
	for (unsigned r = 0; r < 8; r++)
		for (unsigned v = 0; v < 3; v++)
			rig_ops(&result, v, r, 1e5 * rig_noise(r + v) * (v == 2 ? 0.9 : 1));
	rig_expect_none(rig_compare(&result, &presets, &comparison));
	assert_int_equal(comparison.n_sides, 3);
	assert_int_equal(rig_row(&comparison, 1, "mbps")->numbers.verdict, COMPARE_SAME);
	assert_int_equal(rig_row(&comparison, 2, "mbps")->numbers.verdict, COMPARE_REGRESSED);
	assert_int_equal(comparison.n_primary, 6); /* of both sides: mbps, p99_us, cpu_us */
	assert_true(fabs(comparison.geomeans[2][1] + 0.1) < 0.01);
	assert_true(isnan(comparison.geomeans[0][1]));
	/* CPU time an operation is up by what the rate is down; p99 did not move. */
	assert_true(fabs(comparison.geomeans[2][0] - (sqrt(1 / 0.9) - 1)) < 0.01);
	comparison_free(&comparison);
	result_free(&result);
}

/* Runs of three repeats, one of which is far off: their median is the run's value. */
static void make_run(struct result *result, unsigned side, unsigned n)
{
	double ops = 1e5 * rig_noise(n + 3 * side) * (side ? 1.06 : 1);
	char boot[32];

	rig_result(result, 1, 3);
	rig_ops(result, 0, 0, ops * 0.99);
	rig_ops(result, 0, 1, ops);
	rig_ops(result, 0, 2, ops * 3);
	snprintf(boot, sizeof(boot), "boot-%u-%u", side, n);
	rig_put(result, "boot_id", boot);
	snprintf(result->started_utc, sizeof(result->started_utc), "2026-11-30T16:%02u:00Z",
		 50 - n);
}

static void test_runs_of_two_sides(void **state)
{
	struct comparison comparison;
	const struct comparison_row *row;

	rig_expect_none(rig_compare_sides(8, 6, make_run, &presets, &comparison));
	assert_false(comparison.paired);
	assert_int_equal(comparison.unit, UNIT_RUN);
	assert_string_equal(comparison.sides[1].label, "new");
	assert_string_equal(comparison.sides[0].summary, "6.18.44 io_uring mthp 64K");
	assert_int_equal(comparison.sides[0].n_results, 8);
	assert_int_equal(comparison.sides[0].n_boots, 8);
	assert_string_equal(comparison.sides[0].units[3].name, "old-3.json");
	row = rig_row(&comparison, 1, "iops");
	assert_int_equal(row->numbers.base.n, 8);
	assert_int_equal(row->numbers.other.n, 6);
	assert_true(fabs(row->base[2] - 5e4 * rig_noise(2)) < 1);
	assert_int_equal(row->numbers.verdict, COMPARE_IMPROVED);
	assert_int_equal(comparison.n_differences, 0);
	comparison_free(&comparison);
}

/* Two runs a boot. */
static void make_booted_run(struct result *result, unsigned side, unsigned n)
{
	char boot[32];

	make_run(result, side, n);
	snprintf(boot, sizeof(boot), "boot-%u-%u", side, n / 2);
	rig_put(result, "boot_id", boot);
}

static void test_boots_are_units(void **state)
{
	struct comparison comparison;
	const struct comparison_row *row;

	rig_expect_none(rig_compare_sides(10, 9, make_booted_run, &presets, &comparison));
	assert_int_equal(comparison.unit, UNIT_BOOT);
	assert_int_equal(comparison.sides[0].n_results, 10);
	assert_int_equal(comparison.sides[0].n_boots, 5);
	assert_int_equal(comparison.sides[0].n_units, 5);
	assert_int_equal(comparison.sides[1].n_units, 5);
	assert_string_equal(comparison.sides[0].units[1].name, "boot boot-0-1");
	assert_int_equal(comparison.sides[0].units[1].n_results, 2);
	assert_int_equal(comparison.sides[1].units[4].n_results, 1);
	row = rig_row(&comparison, 1, "iops");
	assert_int_equal(row->numbers.base.n, 5);
	assert_true(fabs(row->base[1] - 5e4 * sqrt(rig_noise(2) * rig_noise(3))) < 1);
	comparison_free(&comparison);
}

/* Both sides in one boot: it cannot explain what differs, and runs are as good as they come. */
static void make_run_of_one_boot(struct result *result, unsigned side, unsigned n)
{
	make_run(result, side, n);
	rig_put(result, "boot_id", "boot-0");
}

static void test_a_shared_boot_is_no_unit(void **state)
{
	struct comparison comparison;

	rig_expect_none(rig_compare_sides(6, 6, make_run_of_one_boot, &presets, &comparison));
	assert_int_equal(comparison.unit, UNIT_RUN);
	assert_int_equal(comparison.sides[0].n_boots, 1);
	assert_int_equal(rig_row(&comparison, 1, "iops")->numbers.base.n, 6);
	comparison_free(&comparison);
}

/* The new side has a class more, and the old one a point that the new one calls otherwise. */
static void make_lopsided_run(struct result *result, unsigned side, unsigned n)
{
	make_run(result, side, n);
	if (side == 0)
		return;
	for (unsigned r = 0; r < 3; r++) {
		struct result_stream *stream = rig_at(result, 0, r)->streams;

		stream->classes = realloc(stream->classes, 2 * sizeof(*stream->classes));
		assert_non_null(stream->classes);
		memset(&stream->classes[1], 0, sizeof(*stream->classes));
		rig_class(&stream->classes[1], "write", 5000);
		stream->n_classes = 2;
	}
}

static void test_what_one_side_has_alone_is_said(void **state)
{
	struct comparison comparison;

	rig_expect_none(rig_compare_sides(6, 6, make_lopsided_run, &presets, &comparison));
	assert_int_equal(comparison.n_losses, 1);
	assert_int_equal(comparison.losses[0].side, 0);
	assert_string_equal(comparison.losses[0].where, "8K, reads write");
	assert_string_equal(comparison.losses[0].reason, "only new has figures of it");
	for (unsigned i = 0; i < comparison.n_rows; i++)
		assert_string_equal(comparison.rows[i].class, "read");
	comparison_free(&comparison);
}

static void make_other_point(struct result *result, unsigned side, unsigned n)
{
	make_run(result, side, n);
	if (side)
		snprintf(result->variants[0].points[0].coordinates[0].value, 64, "16K");
}

static void test_nothing_in_common(void **state)
{
	struct comparison comparison;

	rig_expect(rig_compare_sides(6, 6, make_other_point, &presets, &comparison),
		   "old and new have no point in common ('8K' is one of the first, '8K (16K)' of");
}

/* Two points that are called alike are told apart by their order. */
static void make_twins(struct result *result, unsigned side, unsigned n)
{
	struct result second;
	struct result_variant *variant;

	make_run(result, side, n);
	make_run(&second, side, n);
	variant = result->variants;
	variant->points = realloc(variant->points, 2 * sizeof(*variant->points));
	assert_non_null(variant->points);
	variant->points[1] = second.variants[0].points[0];
	variant->n_points = 2;
	second.variants[0].n_points = 0;
	result_free(&second);
	for (unsigned r = 0; r < 3; r++) {
		struct result_class *class = variant->points[1].repeats[r].streams[0].classes;

		class->tally.ops /= 4;
		class->tally.bytes /= 4;
	}
}

static void test_points_that_are_called_alike(void **state)
{
	struct comparison comparison;

	rig_expect_none(rig_compare_sides(6, 6, make_twins, &presets, &comparison));
	assert_int_equal(comparison_count(&comparison, 1, COMPARE_IMPROVED), 4);
	for (unsigned i = 0; i < comparison.n_rows; i++)
		if (strcmp(comparison.rows[i].metric.name, "iops") == 0)
			assert_true(fabs(expm1(comparison.rows[i].numbers.change) - 0.06) < 0.02);
	comparison_free(&comparison);
}

static void test_sides_must_have_results(void **state)
{
	struct comparison_builder *builder;
	struct comparison comparison;
	struct error error = {0};
	struct result result;

	assert_int_equal(comparison_begin(&presets, &builder, &error), 0);
	assert_int_equal(comparison_finish(builder, &comparison, &error), ERROR_INPUT);
	rig_expect(error.text, "one side only");
	assert_int_equal(comparison_begin(&presets, &builder, &error), 0);
	make_run(&result, 0, 0);
	assert_int_equal(comparison_add(builder, 1, "new", "n.json", &result, &error), 0);
	result_free(&result);
	assert_int_equal(comparison_finish(builder, &comparison, &error), ERROR_INPUT);
	rig_expect(error.text, "side 1 has no results");
	comparison_abandon(NULL);
}

/* A hundred runs that failed: all are counted, the first ones kept. */
static void make_failing_run(struct result *result, unsigned side, unsigned n)
{
	make_run(result, side, n % 40);
	rig_at(result, 0, 1)->status = RESULT_INTERRUPTED;
}

static void test_losses_are_counted_beyond_those_kept(void **state)
{
	struct comparison comparison;

	rig_expect_none(rig_compare_sides(50, 50, make_failing_run, &presets, &comparison));
	assert_int_equal(comparison.n_losses, 100);
	assert_string_equal(comparison.losses[COMPARISON_LOSSES_KEPT - 1].where,
			    "new-13.json, 8K, repeat 2");
	assert_string_equal(comparison.losses[0].reason, "interrupted");
	comparison_free(&comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variants_in_blocks_are_pairs),
		cmocka_unit_test(test_the_baseline_is_named),
		cmocka_unit_test(test_a_lost_block_is_left_out_and_said),
		cmocka_unit_test(test_variants_without_places_are_no_pairs),
		cmocka_unit_test(test_one_variant_is_nothing_to_compare),
		cmocka_unit_test(test_several_variants),
		cmocka_unit_test(test_runs_of_two_sides),
		cmocka_unit_test(test_boots_are_units),
		cmocka_unit_test(test_a_shared_boot_is_no_unit),
		cmocka_unit_test(test_what_one_side_has_alone_is_said),
		cmocka_unit_test(test_nothing_in_common),
		cmocka_unit_test(test_points_that_are_called_alike),
		cmocka_unit_test(test_sides_must_have_results),
		cmocka_unit_test(test_losses_are_counted_beyond_those_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
