/* SPDX-License-Identifier: MIT */
/* test_comparison_metrics.c - which metrics count, what change matters, and names that are none. */
#include <math.h>

#include "comparison_rig.h"

static const struct comparison_options presets = {.alpha = 0.05, .threshold = 0.02};

static void make_blocks(struct result *result)
{
	rig_result(result, 2, 10);
	for (unsigned r = 0; r < 10; r++) {
		rig_ops(result, 0, r, 1e5 * rig_noise(r));
		rig_ops(result, 1, r, 1e5 * rig_noise(r + 5) * 1.05);
	}
}

static const char *compare_with(const struct comparison_options *options, struct comparison *ret)
{
	struct result result;
	const char *sentence;

	make_blocks(&result);
	sentence = rig_compare(&result, options, ret);
	result_free(&result);
	return sentence;
}

static void test_presets(void **state)
{
	struct comparison comparison;

	rig_expect_none(compare_with(&presets, &comparison));
	assert_int_equal(comparison.n_primary, 3);
	assert_string_equal(comparison.rows[0].metric.name, "mbps");
	assert_string_equal(comparison.rows[0].metric.unit, "MB/s");
	assert_true(comparison.rows[0].metric.higher_better);
	assert_string_equal(comparison.rows[1].metric.name, "p99_us");
	assert_string_equal(comparison.rows[2].metric.name, "cpu_us");
	assert_string_equal(comparison.rows[3].metric.name, "iops");
	assert_int_equal(comparison.n_rows, 7); /* mean_us, p50_us and p999_us, too */
	assert_true(comparison.rows[2].primary && !comparison.rows[3].primary);
	comparison_free(&comparison);
}

static void test_iops_where_no_bytes_move(void **state)
{
	struct result result;
	struct comparison comparison;

	make_blocks(&result);
	for (unsigned v = 0; v < 2; v++)
		for (unsigned r = 0; r < 10; r++)
			rig_class_at(&result, v, r)->tally.bytes = 0;
	rig_expect_none(rig_compare(&result, &presets, &comparison));
	assert_true(rig_row(&comparison, 1, "iops")->primary);
	assert_false(rig_has_row(&comparison, "mbps"));
	comparison_free(&comparison);
	result_free(&result);
}

static void test_declared_by_the_result(void **state)
{
	struct result result;
	struct comparison comparison;

	make_blocks(&result);
	snprintf(result.primary[0], sizeof(result.primary[0]), "read.p50_us");
	snprintf(result.primary[1], sizeof(result.primary[1]), "read.cycles_per_op");
	rig_expect_none(rig_compare(&result, &presets, &comparison));
	assert_int_equal(comparison.n_primary, 1);
	assert_string_equal(comparison.rows[0].metric.name, "p50_us");
	assert_int_equal(comparison.n_losses, 1); /* nobody counted cycles */
	assert_string_equal(comparison.losses[0].where, "read.cycles_per_op");
	comparison_free(&comparison);
	snprintf(result.primary[1], sizeof(result.primary[1]), "read.speed");
	rig_expect(rig_compare(&result, &presets, &comparison),
		   "rig declares read.speed as primary, but no metric is called 'speed'");
	result_free(&result);
}

static void test_asked_for(void **state)
{
	const char *const metrics[] = {"read.iops", "iops", "p99_us", NULL};
	struct comparison_options options = presets;
	struct comparison comparison;

	options.metrics = metrics;
	rig_expect_none(compare_with(&options, &comparison));
	assert_int_equal(comparison.n_primary, 2);
	assert_string_equal(comparison.rows[0].metric.name, "iops");
	assert_string_equal(comparison.rows[1].metric.name, "p99_us");
	assert_false(rig_row(&comparison, 1, "mbps")->primary);
	comparison_free(&comparison);
}

struct refusal {
	const char *name, *expected;
};

static void test_metrics_that_are_none(void **state)
{
	static const struct refusal refusals[] = {
		{"speed", "--metric speed: no metric is called 'speed' (there are: iops, mbps, "},
		{"p99us", "did you mean 'p99_us'?"},
		{"wrote.iops", "--metric wrote.iops: no class is called 'wrote' (there are: read"},
		{"read.", "'read.' is no metric: METRIC or CLASS.METRIC is expected"},
		{".iops", "'.iops' is no metric"},
		{"", "'' is no metric"},
		{"averyverylongclass.iops", "no metric is called 'averyverylongclass.iops'"},
		{"cycles_per_op", "--metric cycles_per_op: no run has a value of it"},
	};
	struct comparison comparison;

	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		const char *const metrics[] = {refusals[i].name, NULL};
		struct comparison_options options = presets;

		options.metrics = metrics;
		rig_expect(compare_with(&options, &comparison), refusals[i].expected);
	}
}

static void test_thresholds(void **state)
{
	const struct comparison_threshold thresholds[] = {
		{"read.mbps", 0.2}, {"mbps", 0.1}, {"p99_us", 0.15}};
	struct comparison_options options = presets;
	struct comparison comparison;

	options.n_thresholds = 3;
	options.thresholds = thresholds;
	rig_expect_none(compare_with(&options, &comparison));
	assert_true(rig_row(&comparison, 1, "mbps")->options.threshold == 0.2);
	assert_true(rig_row(&comparison, 1, "p99_us")->options.threshold == 0.15);
	assert_true(rig_row(&comparison, 1, "cpu_us")->options.threshold == 0.02);
	assert_int_equal(rig_row(&comparison, 1, "mbps")->numbers.verdict, COMPARE_SAME);
	comparison_free(&comparison);
	options.thresholds = &(struct comparison_threshold){"mbsp", 0.1};
	options.n_thresholds = 1;
	rig_expect(compare_with(&options, &comparison),
		   "--threshold mbsp: no metric is called 'mbsp'");
}

static void test_factors_that_are_none(void **state)
{
	const char *const factors[] = {"governor", "governer", NULL};
	struct comparison_options options = presets;
	struct comparison comparison;

	options.factors = factors;
	rig_expect(compare_with(&options, &comparison),
		   "--factor: no factor is called 'governer' (there are: kernel, cmdline, ");
}

/* Holm: the least of three p is taken three times. */
static void test_the_family_is_adjusted(void **state)
{
	const struct comparison_row *row;
	struct comparison comparison;

	rig_expect_none(compare_with(&presets, &comparison));
	row = rig_row(&comparison, 1, "mbps");
	assert_true(row->numbers.p_holm > row->numbers.p);
	assert_true(row->numbers.p_holm <= 3 * row->numbers.p + 1e-12);
	row = rig_row(&comparison, 1, "iops");
	assert_true(row->numbers.p_holm == row->numbers.p);
	assert_true(fabs(comparison.geomeans[1][1] - 0.05) < 0.01);
	comparison_free(&comparison);
}

/* 100,000 operations have 10 beyond p99.99, and 900 have 9 beyond p99. */
static void test_too_few_operations_beyond(void **state)
{
	const char *const metrics[] = {"p99_us", "p9999_us", NULL};
	struct comparison_options options = presets;
	struct comparison comparison;
	struct result result;

	options.metrics = metrics;
	rig_result(&result, 2, 8);
	rig_ops(&result, 1, 2, 900);
	rig_ops(&result, 0, 5, 99999);
	rig_expect_none(rig_compare(&result, &options, &comparison));
	assert_int_equal(rig_row(&comparison, 1, "p99_us")->few_ops, 1);
	assert_int_equal(rig_row(&comparison, 1, "p9999_us")->few_ops, 2);
	assert_int_equal(rig_row(&comparison, 1, "mbps")->few_ops, 0);
	comparison_free(&comparison);
	result_free(&result);
}

static void derive(struct result *result, unsigned v, unsigned r, const char *unit, double value)
{
	struct result_stream *stream = rig_at(result, v, r)->streams;
	struct result_derived *derived = rig_allocate(1, sizeof(*derived));

	stream->derived = derived;
	stream->n_derived = 1;
	derived->higher_better = true;
	derived->value = value;
	snprintf(derived->name, sizeof(derived->name), "pages_per_sec");
	snprintf(derived->unit, sizeof(derived->unit), "%s", unit);
}

/* What a workload declares is compared like any metric. */
static void test_derived(void **state)
{
	struct comparison comparison;
	struct result result;

	make_blocks(&result);
	for (unsigned r = 0; r < 10; r++) {
		derive(&result, 0, r, "pages/s", 10 * rig_noise(r));
		derive(&result, 1, r, "pages/s", 20 * rig_noise(r + 1));
	}
	rig_expect_none(rig_compare(&result, &presets, &comparison));
	assert_false(rig_row(&comparison, 1, "pages_per_sec")->primary);
	assert_int_equal(rig_row(&comparison, 1, "pages_per_sec")->numbers.verdict,
			 COMPARE_IMPROVED);
	comparison_free(&comparison);
	snprintf(result.primary[0], sizeof(result.primary[0]), "read.pages_per_sec");
	rig_expect_none(rig_compare(&result, &presets, &comparison));
	assert_true(comparison.rows[0].primary);
	assert_string_equal(comparison.rows[0].metric.unit, "pages/s");
	comparison_free(&comparison);
	free(rig_at(&result, 1, 4)->streams[0].derived);
	derive(&result, 1, 4, "folios/s", 20);
	rig_expect(rig_compare(&result, &presets, &comparison),
		   "pages_per_sec is in folios/s here and in pages/s in another result");
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_presets),
		cmocka_unit_test(test_iops_where_no_bytes_move),
		cmocka_unit_test(test_declared_by_the_result),
		cmocka_unit_test(test_asked_for),
		cmocka_unit_test(test_metrics_that_are_none),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_factors_that_are_none),
		cmocka_unit_test(test_the_family_is_adjusted),
		cmocka_unit_test(test_too_few_operations_beyond),
		cmocka_unit_test(test_derived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
