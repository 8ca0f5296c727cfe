/* SPDX-License-Identifier: MIT */
/* test_comparison_text.c - what people read of a comparison: the answer, the table, the caveats. */
#include "report/numbers.h"

#include "comparison_sample.h"

static void check_width(const char *text, size_t width)
{
	char line[1024];

	for (const char *place = text; *place;
	     place += strcspn(place, "\n"), place += *place != 0) {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(place, "\n"), place);
		if (text_width(line) > width)
			fail_msg("%zu columns: %s", text_width(line), line);
		if (line[0] && line[strlen(line) - 1] == ' ')
			fail_msg("blank at the end: \"%s\"", line);
	}
}

static void test_better(void **state)
{
	struct comparison comparison = sample_comparison();
	char *text = sample_written("text", &comparison, false), line[512];

	check_width(text, 118);
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	assert_string_equal(
		line, "hugetlb is better than base on 3 of 4 primary metrics, worse on none.");
	assert_says(text,
		    "\nbase     10 blocks  6.18.44 io_uring base\n"
		    "hugetlb  10 blocks  6.18.44 io_uring hugetlb\n"
		    "design: ABBA, paired, 10 blocks, seed 42, drift over the session +1.8 %; "
		    "alpha 0.05, Holm over 4 primary metrics\n");
	free(text);
	comparison_free(&comparison);
}

static void test_table(void **state)
{
	struct comparison comparison = sample_comparison();
	char *text = sample_written("text", &comparison, false), line[512];

	line_with(text, "point  class", line, sizeof(line));
	assert_says(line, "better");
	assert_says(line, "change");
	assert_says(line, "[95% CI]");
	assert_says(line, "p (Holm)");
	line_with(text, "1M     read   cpu_us", line, sizeof(line));
	assert_says(line, "lower");
	assert_says(line, "-84.6%");
	assert_says(line, "[-85.1 .. -84.0]");
	assert_says(line, "0.0078");
	assert_says(line, "improved");
	line_with(text, "64K    read   p99_us", line, sizeof(line));
	assert_says(line, "inconclusive [1]");
	assert_says(text, "[1] needs about 24 more pairs to see 2 %; this run could see 9 % (80 % "
			  "power)");
	assert_says(text, "+96.2%"); /* geomean */
	free(text);
	comparison_free(&comparison);
}

/* What moved by itself, and the others on request: none of it counts. */
static void test_descriptive(void **state)
{
	struct comparison comparison = sample_comparison();
	char *text = sample_written("text", &comparison, false), line[512];

	assert_says(line_with(text, "64K    read   mean_us", line, sizeof(line)), "(improved)");
	assert_does_not_say(text, "max_us");
	assert_says(unwrapped(text),
		    "Of 2 descriptive metrics 1 moved beyond the threshold; where");
	free(text);
	text = sample_written("text", &comparison, true);
	assert_says(line_with(text, "64K    read   max_us", line, sizeof(line)), "(inconclusive)");
	assert_does_not_say(text, "descriptive metrics");
	free(text);
	comparison_free(&comparison);
}

static void assert_answer(const struct comparison *comparison, const char *expected)
{
	char text[1024];

	assert_string_equal(comparison_answer(comparison, text, sizeof(text)), expected);
}

static void set_verdicts(struct comparison *comparison, enum compare_verdict verdict)
{
	for (unsigned i = 0; i < comparison->n_rows; i++)
		comparison->rows[i].numbers.verdict = verdict;
}

static void test_answers(void **state)
{
	struct comparison comparison = sample_comparison();

	set_verdicts(&comparison, COMPARE_SAME);
	assert_answer(&comparison,
		      "hugetlb and base are the same within 2 % on all 4 primary metrics.");
	comparison.rows[1].options.threshold = 0.05;
	assert_answer(&comparison, "hugetlb and base are the same on all 4 primary metrics.");
	comparison.rows[0].numbers.verdict = COMPARE_SMALL;
	comparison.rows[1].numbers.verdict = COMPARE_INCONCLUSIVE;
	assert_answer(&comparison, "No primary metric can be called different: 2 same, 1 real but "
				   "small, 1 inconclusive.");
	comparison.rows[2].numbers.verdict = COMPARE_REGRESSED;
	assert_answer(&comparison,
		      "hugetlb is worse than base on 1 of 4 primary metrics, better on none.");
	comparison.rows[3].numbers.verdict = COMPARE_IMPROVED;
	assert_answer(&comparison,
		      "hugetlb is better than base on 1 of 4 primary metrics, worse on 1.");
	set_verdicts(&comparison, COMPARE_NOTHING);
	assert_answer(&comparison, "No primary metric of hugetlb could be compared.");
	comparison_free(&comparison);
}

/* A sentence that does not fit is cut, and nothing else happens. */
static void test_answer_is_cut(void **state)
{
	struct comparison comparison = sample_comparison();
	char text[16];

	comparison_answer(&comparison, text, sizeof(text));
	assert_int_equal(strncmp(text, "hugetlb is", 10), 0);
	assert_true(strlen(text) < sizeof(text));
	comparison_free(&comparison);
}

static void test_several_sides(void **state)
{
	static const char *const labels[] = {"base", "mthp 64K", "hugetlb"};
	struct comparison comparison = sample_sides(labels, 3, true, 10);
	struct sample_change better = {1250, 127.1, 121, 133.3, 0.0078, COMPARE_IMPROVED};
	struct sample_change open = {1250, 1.1, -4, 6, 0.4, COMPARE_INCONCLUSIVE};
	char *text;

	sample_row(&comparison, 1, "1M", "mbps", true, true, open);
	sample_row(&comparison, 2, "1M", "mbps", true, true, better);
	text = sample_written("text", &comparison, false);
	check_width(text, 118);
	assert_says(text, "randomised blocks, paired");
	assert_says(text, "-- base ---");
	assert_says(text, " hugetlb ");
	assert_says(unwrapped(text), "No primary metric of mthp 64K can be called different: 1 "
				     "inconclusive; hugetlb is better than base on 1 of 1 primary "
				     "metric, worse on none.");
	free(text);
	comparison_free(&comparison);
}

/* Long names, odd characters, two sides of one name: still a table. */
static void test_labels(void **state)
{
	static const char *const labels[] = {
		"a folder whose name is much longer than a column can be, really",
		"a folder whose name is much longer than a column can be, really"};
	struct comparison comparison = sample_sides(labels, 2, false, 10);
	char *text;

	sample_row(&comparison, 1, "\x1b[31m64K", "mbps", true, true,
		   (struct sample_change){1177, 69.5, 66.1, 72.9, 0.0078, COMPARE_IMPROVED});
	text = sample_written("text", &comparison, true);
	check_width(text, 118);
	assert_says(text, "… (2)");
	assert_does_not_say(text, "\x1b");
	assert_says(text, "not paired, by run");
	free(text);
	comparison_free(&comparison);
}

static void test_warnings(void **state)
{
	struct comparison comparison = sample_comparison();
	char *text;

	comparison.rows[1].few_ops = 4;
	comparison.rows[0].other[3] = 9999;
	comparison.rows[0].numbers.other.n_outliers = 1;
	comparison.rows[2].numbers.ratio_low = 0.9;
	comparison.rows[3].numbers.base.n = comparison.rows[3].numbers.other.n = 8;
	text = unwrapped(sample_written("text", &comparison, false));
	assert_says(text, "fewer than 10 operations lie beyond the percentile in: 4 of 20 values "
			  "of 64K p99_us");
	assert_says(text, "Outliers (modified z beyond 3.5): 64K mbps 9,999 of block 4 (hugetlb)");
	assert_says(text, "is of another opinion: 2.271 [0.9 .. 2.333] of 1M mbps");
	assert_says(text, "not every unit gave a value to both sides: 8 of 10 of 1M cpu_us");
	free(text);
	comparison_free(&comparison);
}

/* With six pairs and a family of four, 0.031 x 4 is above 0.05 whatever happens. */
static void test_too_small(void **state)
{
	static const char *const labels[] = {"base", "new"};
	struct comparison comparison = sample_sides(labels, 2, true, 6);
	struct sample_change open = {1250, 9.1, 4, 16, 0.031, COMPARE_INCONCLUSIVE};
	char *text;

	for (unsigned i = 0; i < 4; i++)
		sample_row(&comparison, 1, "1M", i % 2 ? "mbps" : "iops", true, true, open);
	text = unwrapped(sample_written("text", &comparison, false));
	assert_says(text, "Warning: with 6 pairs the smallest p there can be is 0.031, over the "
			  "family of 4 primary metrics 0.12: none of them can be called "
			  "different, whatever happens; it takes 8 pairs");
	free(text);
	for (unsigned i = 0; i < 4; i++)
		comparison.rows[i].numbers.base.n = comparison.rows[i].numbers.other.n = 5;
	comparison.rows[0].numbers.low = comparison.rows[0].numbers.high = NAN;
	text = unwrapped(sample_written("text", &comparison, false));
	assert_says(text, "5 pairs are too few for an interval of 95 %");
	free(text);
	comparison_free(&comparison);
}

static void test_losses_and_differences(void **state)
{
	static const struct comparison_factor governor = {"governor", "of the CPUs", true};
	struct comparison comparison = sample_comparison();
	char *text;

	comparison.n_losses = 9;
	comparison.losses = sample_allocate(COMPARISON_LOSSES_KEPT, sizeof(*comparison.losses));
	for (unsigned i = 0; i < 9; i++) {
		comparison.losses[i].side = 1;
		snprintf(comparison.losses[i].where, 160, "64K, block %u", i + 1);
		snprintf(comparison.losses[i].reason, 256, "failed: Input/output error");
	}
	comparison.n_differences = 3;
	comparison.differences = sample_allocate(3, sizeof(*comparison.differences));
	comparison.differences[0] = (struct comparison_difference){
		.side = 1, .what = "memory", .base = "base", .other = "hugetlb", .declared = true};
	comparison.differences[1] = (struct comparison_difference){.factor = &governor,
								   .side = 1,
								   .what = "cpu0 governor",
								   .base = "performance",
								   .other = "schedutil"};
	comparison.differences[2] = (struct comparison_difference){
		.side = 1, .what = "sga base got", .base = "100 %", .other = "not recorded"};
	text = sample_written("text", &comparison, false);
	assert_says(text, "Known of one side only: sga base got\n");
	assert_says(text, "Lost, and in no figure: 9\n  hugetlb: 64K, block 1: failed: "
			  "Input/output error\n");
	assert_does_not_say(text, "block 7");
	assert_says(text, "  and 3 more\n");
	assert_says(text, "Differs, as declared:\n  memory: base -> hugetlb\nDiffers, "
			  "undeclared:\n  cpu0 governor: performance -> schedutil (this alone");
	free(text);
	comparison_free(&comparison);
}

static void test_a_full_stream_is_an_error(void **state)
{
	struct comparison comparison = sample_comparison();

	for (unsigned i = 0; comparison_catalog.entries[i]; i++) {
		FILE *full = fopen("/dev/full", "w");
		struct error error = {0};

		if (!full) {
			print_message("there is no /dev/full here\n");
			skip();
		}
		assert_int_equal(comparison_ops_of(comparison_catalog.entries[i])
					 ->write(&comparison, true, full, &error),
				 -ENOSPC);
		assert_says(error.text, "cannot write the report");
		fclose(full);
	}
	comparison_free(&comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_better),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_descriptive),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_answer_is_cut),
		cmocka_unit_test(test_several_sides),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_too_small),
		cmocka_unit_test(test_losses_and_differences),
		cmocka_unit_test(test_a_full_stream_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
