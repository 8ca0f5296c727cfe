/* SPDX-License-Identifier: MIT */
/* test_comparison_broken.c - results that lack what comparing needs: a sentence, never a made-up
 * number. */
#include <math.h>

#include "comparison_rig.h"
#include "stats/document.h"

static const struct comparison_options presets = {.alpha = 0.05, .threshold = 0.02};

static char *replace_all(const char *text, const char *from, const char *to)
{
	size_t n = 0, cut = strlen(from), length = strlen(to);
	const char *place = text;
	char *changed, *end;

	for (; (place = strstr(place, from)); place += cut)
		n++;
	if (n == 0)
		fail_msg("%s is not in the document", from);
	changed = end = calloc(1, strlen(text) + n * length + 1);
	assert_non_null(changed);
	for (; (place = strstr(text, from)); text = place + cut)
		end += sprintf(end, "%.*s%s", (int)(place - text), text, to);
	strcpy(end, text);
	return changed;
}

static void make_run(struct result *result, unsigned side, unsigned n)
{
	rig_result(result, 1, 1);
	rig_ops(result, 0, 0, 1e5 * rig_noise(n + 5 * side));
}

/*
 * Five results a side go through their documents; in those of the new side one text is replaced by
 * another. The sentence of reading or comparing, null where there was none.
 */
static const char *compare_broken(const char *from, const char *to, struct comparison *ret)
{
	static struct error error;
	struct comparison_builder *builder;
	int rc;

	error = (struct error){.code = 0};
	assert_int_equal(comparison_begin(&presets, &builder, &error), 0);
	for (unsigned i = 0; i < 10; i++) {
		struct result result, read;
		char *text, *changed;
		cJSON *tree;

		make_run(&result, i / 5, i);
		tree = result_to_json(&result);
		result_free(&result);
		text = document_print_line(tree);
		cJSON_Delete(tree);
		assert_non_null(text);
		changed = i < 5 ? strdup(text) : replace_all(text, from, to);
		rc = result_from_json("new.json", changed, &read, &error);
		free(text);
		free(changed);
		if (rc < 0)
			break;
		rc = comparison_add(builder, i / 5, i < 5 ? "old" : "new", "new.json", &read,
				    &error);
		result_free(&read);
		if (rc < 0)
			break;
	}
	if (rc < 0)
		comparison_abandon(builder);
	else
		rc = comparison_finish(builder, ret, &error);
	if (rc == 0)
		return NULL;
	assert_int_equal(rc, ERROR_INPUT);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_null(strchr(error.text, '\n'));
	return error.text;
}

struct breakage {
	const char *from, *to, *expected;
};

static const struct breakage breakages[] = {
	/* a missing metric */
	{"\"p99_ns\":", "\"p98_ns\":", "lacks the key \"p99_ns\""},
	{"\"primary\":[]", "\"primary\":[\"read.speed\"]",
	 "new.json declares read.speed as primary, but no metric is called 'speed'"},
	/* zero samples */
	{"\"index\":0,\"status\":\"ok\"", "\"index\":0,\"status\":\"failed\"",
	 "new has no figures, since nothing in it ran to its end (new.json, 8K, repeat 1: failed)"},
	{"\"streams\":[{\"label\":\"reads\",\"workers\"",
	 "\"streams\":[],\"x\":[{\"label\":\"reads\",\"workers\"",
	 "new has no figures, since no run in it counted anything"},
	{"\"repeats\":[{", "\"repeats\":[],\"x\":[{",
	 "new has no figures, since nothing in it ran"},
	{"\"points\":[{\"label\":\"8K\"", "\"points\":[],\"x\":[{\"label\":\"8K\"",
	 "new has no figures, since no run in it counted anything"},
	{"\"variants\":[{", "\"variants\":[],\"x\":[{",
	 "new has no figures, since no run in it counted anything"},
	/* no number */
	{"\"duration_s\":2", "\"duration_s\":NaN", "'NaN' is no value"},
	{"\"duration_s\":2", "\"duration_s\":nan", "'nan' is no value"},
	{"\"duration_s\":2", "\"duration_s\":Infinity", "'Infinity' is no value"},
	{"\"duration_s\":2", "\"duration_s\":1e999", "'1e999' is too large"},
	{"\"ops\":", "\"ops\":null,\"x\":", "ops: must be a number"},
	{"\"ops\":", "\"ops\":\"many\",\"x\":", "ops: must be a number"},
	{"\"ops\":", "\"ops\":-5,\"x\":", "ops: must be a whole number"},
	/* another schema version */
	{"\"orion-sim/1\"", "\"orion-sim/2\"",
	 "schema: is \"orion-sim/2\", and this orion-sim reads orion-sim/1: use the orion-sim "
	 "that"},
	{"\"schema\":\"orion-sim/1\"", "\"fio version\":\"fio-3.33\"",
	 "new.json is not a result of orion-sim"},
	/* other units */
	{"\"unit\":\"I/O\"", "\"unit\":\"page\"",
	 "new.json: 8K, stream reads: read is counted in 'page' here and in 'I/O' in another"},
};

static void test_breakages(void **state)
{
	struct comparison comparison;

	for (size_t i = 0; i < sizeof(breakages) / sizeof(*breakages); i++)
		rig_expect(compare_broken(breakages[i].from, breakages[i].to, &comparison),
			   breakages[i].expected);
}

static void test_whole(void **state)
{
	struct comparison comparison;

	rig_expect_none(compare_broken("\"name\":\"rig\"", "\"name\":\"rig\"", &comparison));
	assert_int_equal(comparison.n_primary, 3);
	comparison_free(&comparison);
}

/* null is what a figure is written as where there was none: rates are left out then. */
static void test_null_is_no_value(void **state)
{
	struct comparison comparison;

	rig_expect_none(compare_broken("\"duration_s\":2", "\"duration_s\":null", &comparison));
	assert_int_equal(rig_row(&comparison, 1, "mbps")->numbers.verdict, COMPARE_NOTHING);
	assert_int_equal(rig_row(&comparison, 1, "mbps")->numbers.other.n, 0);
	assert_true(rig_row(&comparison, 1, "mbps")->numbers.reason[0]);
	assert_int_equal(comparison.n_primary, 2);
	assert_true(isnan(comparison.geomeans[1][1]));
	comparison_free(&comparison);
}

/* A time of nothing makes no infinite rate. */
static void test_no_time_is_no_value(void **state)
{
	struct comparison comparison;

	rig_expect_none(compare_broken("\"duration_s\":2", "\"duration_s\":1e-308", &comparison));
	assert_int_equal(rig_row(&comparison, 1, "mbps")->numbers.other.n, 0);
	comparison_free(&comparison);
	rig_expect_none(compare_broken("\"duration_s\":2", "\"duration_s\":0", &comparison));
	assert_int_equal(rig_row(&comparison, 1, "mbps")->numbers.other.n, 0);
	comparison_free(&comparison);
}

static void test_cut_short_anywhere(void **state)
{
	struct result result;
	char *text;
	cJSON *tree;

	make_run(&result, 0, 0);
	tree = result_to_json(&result);
	result_free(&result);
	text = document_print_line(tree);
	cJSON_Delete(tree);
	assert_non_null(text);
	for (size_t cut = strlen(text) - 2; cut > 40; cut -= 37) {
		struct error error = {0};

		text[cut] = '\0';
		assert_int_equal(result_from_json("r.json", text, &result, &error), ERROR_INPUT);
		rig_expect(error.text, "r.json");
	}
	free(text);
}

/* One value a side is no sample; the bare figures can be had all the same. */
static void test_one_sample(void **state)
{
	struct comparison_options anyway = presets;
	struct comparison comparison;
	const struct comparison_row *row;

	rig_expect(rig_compare_sides(1, 1, make_run, &presets, &comparison),
		   "old has 1 and new has 1 values of read.mbps, and a single one does not tell "
		   "how far runs spread: compare 4 runs a side or more, or see the bare figures");
	rig_expect(rig_compare_sides(5, 1, make_run, &presets, &comparison),
		   "old has 5 and new has 1 values");
	anyway.anyway = true;
	rig_expect_none(rig_compare_sides(1, 1, make_run, &anyway, &comparison));
	row = rig_row(&comparison, 1, "mbps");
	assert_int_equal(row->numbers.verdict, COMPARE_INCONCLUSIVE);
	assert_true(isnan(row->numbers.low) && isnan(row->numbers.high));
	assert_int_equal(row->numbers.needed, 0);
	assert_true(comparison.drift_percent == 0);
	comparison_free(&comparison);
}

/* Two values are too few for an interval, and that is what the verdict says. */
static void test_two_samples(void **state)
{
	struct comparison comparison;
	const struct comparison_row *row;

	rig_expect_none(rig_compare_sides(2, 2, make_run, &presets, &comparison));
	row = rig_row(&comparison, 1, "mbps");
	assert_int_equal(row->numbers.verdict, COMPARE_INCONCLUSIVE);
	assert_true(isnan(row->numbers.low) && isnan(row->numbers.high));
	comparison_free(&comparison);
}

static void make_equal_run(struct result *result, unsigned side, unsigned n)
{
	rig_result(result, 1, 1);
}

static void make_two_equal_kinds(struct result *result, unsigned side, unsigned n)
{
	rig_result(result, 1, 1);
	rig_ops(result, 0, 0, side ? 110000 : 100000);
}

/* No spread is none that could be divided by. */
static void test_equal_samples(void **state)
{
	struct comparison comparison;
	const struct comparison_row *row;

	rig_expect_none(rig_compare_sides(6, 6, make_equal_run, &presets, &comparison));
	row = rig_row(&comparison, 1, "mbps");
	assert_int_equal(row->numbers.verdict, COMPARE_SAME);
	assert_true(row->numbers.change == 0 && row->numbers.p == 1);
	comparison_free(&comparison);
	rig_expect_none(rig_compare_sides(6, 6, make_two_equal_kinds, &presets, &comparison));
	row = rig_row(&comparison, 1, "mbps");
	assert_true(fabs(expm1(row->numbers.change) - 0.1) < 1e-9);
	assert_true(row->numbers.low <= row->numbers.change &&
		    row->numbers.change <= row->numbers.high);
	assert_int_equal(row->numbers.verdict, COMPARE_IMPROVED);
	comparison_free(&comparison);
}

/* Nothing was done in any run: no rate, and no latency of it. */
static void make_idle_run(struct result *result, unsigned side, unsigned n)
{
	rig_result(result, 1, 1);
	rig_ops(result, 0, 0, 0);
}

static void make_idle_new_run(struct result *result, unsigned side, unsigned n)
{
	rig_result(result, 1, 1);
	rig_ops(result, 0, 0, side ? 0 : 1e5 * rig_noise(n));
}

static void test_no_operations(void **state)
{
	const char *const metrics[] = {"iops", NULL};
	struct comparison_options options = presets;
	struct comparison comparison;

	options.metrics = metrics;
	rig_expect_none(rig_compare_sides(6, 6, make_idle_run, &options, &comparison));
	assert_int_equal(rig_row(&comparison, 1, "iops")->numbers.verdict, COMPARE_SAME);
	assert_false(rig_has_row(&comparison, "p99_us"));
	comparison_free(&comparison);
	rig_expect(rig_compare_sides(6, 6, make_idle_new_run, &options, &comparison),
		   "nothing could be compared: 8K read.iops: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_breakages),
		cmocka_unit_test(test_null_is_no_value),
		cmocka_unit_test(test_no_time_is_no_value),
		cmocka_unit_test(test_cut_short_anywhere),
		cmocka_unit_test(test_one_sample),
		cmocka_unit_test(test_two_samples),
		cmocka_unit_test(test_equal_samples),
		cmocka_unit_test(test_no_operations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
