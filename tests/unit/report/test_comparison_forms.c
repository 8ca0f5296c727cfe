/* SPDX-License-Identifier: MIT */
/* test_comparison_forms.c - a comparison as JSON, read back, and as benchfmt, by a parser of our
 * own and by a golden file. */
#include <cjson/cJSON.h>

#include "comparison_sample.h"

static const cJSON *at(const cJSON *object, const char *key)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!node)
		fail_msg("no %s", key);
	return node;
}

static void test_json(void **state)
{
	struct comparison comparison = sample_comparison();
	char *text = sample_written("json", &comparison, false);
	cJSON *root = cJSON_Parse(text);
	const cJSON *row;

	assert_non_null(root);
	assert_string_equal(at(root, "schema")->valuestring, "orion-sim-comparison/1");
	assert_string_equal(at(root, "design_seed")->valuestring, "42");
	assert_int_equal(cJSON_GetArraySize(at(root, "rows")), 6);
	assert_int_equal(at(root, "family")->valueint, 4);
	row = cJSON_GetArrayItem(at(root, "rows"), 3);
	assert_string_equal(at(row, "metric")->valuestring, "cpu_us");
	assert_string_equal(at(row, "better")->valuestring, "lower");
	assert_string_equal(at(row, "verdict")->valuestring, "improved");
	assert_true(fabs(at(row, "change_percent")->valuedouble + 84.6) < 1e-9);
	assert_true(fabs(at(row, "low_percent")->valuedouble + 85.1) < 1e-9);
	assert_true(fabs(at(row, "threshold_percent")->valuedouble - 2) < 1e-9);
	assert_int_equal(cJSON_GetArraySize(at(at(row, "base"), "values")), 10);
	assert_int_equal(cJSON_GetArraySize(at(at(row, "other"), "units")), 10);
	assert_int_equal(cJSON_GetArraySize(at(root, "geomeans")), 1);
	cJSON_Delete(root);
	free(text);
	comparison_free(&comparison);
}

static void test_json_has_no_made_up_numbers(void **state)
{
	struct comparison comparison = sample_comparison();
	struct compare_numbers *numbers = &comparison.rows[0].numbers;
	cJSON *root;
	const cJSON *row;
	char *text;

	numbers->low = numbers->high = numbers->visible = numbers->ratio_low = NAN;
	comparison.drift_percent = NAN;
	text = sample_written("json", &comparison, false);
	root = cJSON_Parse(text);
	row = cJSON_GetArrayItem(at(root, "rows"), 0);
	assert_true(cJSON_IsNull(at(row, "low_percent")));
	assert_true(cJSON_IsNull(at(row, "visible_percent")));
	assert_true(cJSON_IsNull(at(row, "ratio_of_medians_low")));
	assert_true(cJSON_IsNull(at(root, "drift_percent")));
	cJSON_Delete(root);
	free(text);
	comparison_free(&comparison);
}

/*
 * What benchstat makes of a line (golang.org/design/14313-benchmark-format): configuration "key:
 * value", "Unit NAME key=value…", "BenchmarkNAME iterations (value unit)…"; all else is passed by.
 */
struct benchfmt {
	unsigned keys, units, lines, values, unknown;
	char side[64];
	double sum_of_new; /* of values in mbps on the side "hugetlb" */
};

static void parse_benchmark(char *line, struct benchfmt *ret)
{
	char *rest = line, *word = strsep(&rest, " "), *end;

	assert_true(word[9] >= 'A' && word[9] <= 'Z');
	assert_non_null(rest);
	assert_string_equal(strsep(&rest, " "), "1");
	while ((word = strsep(&rest, " "))) {
		double value = strtod(word, &end);

		assert_true(end > word && *end == '\0');
		word = strsep(&rest, " ");
		assert_non_null(word);
		ret->values++;
		if (strcmp(word, "mbps") == 0 && strcmp(ret->side, "hugetlb") == 0)
			ret->sum_of_new += value;
	}
	ret->lines++;
}

static void parse_line(char *line, struct benchfmt *ret)
{
	char *colon = strchr(line, ':');

	if (strncmp(line, "Benchmark", 9) == 0) {
		parse_benchmark(line, ret);
	} else if (strncmp(line, "Unit ", 5) == 0) {
		assert_non_null(strstr(line, " better="));
		ret->units++;
	} else if (colon && line[0] >= 'a' && line[0] <= 'z' && colon[1] == ' ') {
		assert_int_equal(strcspn(line, " ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
				 (size_t)(colon - line) + 1);
		if (strncmp(line, "side: ", 6) == 0)
			snprintf(ret->side, sizeof(ret->side), "%s", line + 6);
		ret->keys++;
	} else if (line[0]) {
		ret->unknown++;
	}
}

static struct benchfmt parse(char *text)
{
	struct benchfmt found = {.keys = 0};
	char *line;

	while ((line = strsep(&text, "\n")))
		parse_line(line, &found);
	return found;
}

static void test_benchfmt(void **state)
{
	struct comparison comparison = sample_comparison();
	char *text = sample_written("benchfmt", &comparison, false);
	struct benchfmt found = parse(text);

	assert_int_equal(found.keys, 3 + 2);
	assert_int_equal(found.units, 5);
	assert_int_equal(found.lines, 2 * 2 * 10);
	assert_int_equal(found.values, 2 * 6 * 10);
	assert_int_equal(found.unknown, 0);
	assert_true(fabs(found.sum_of_new - 10 * (1177 * 1.695 + 1250 * 2.271)) < 1e-6);
	free(text);
	comparison_free(&comparison);
}

/* A name with blanks is one word, and what a unit did not give is not there. */
static void test_benchfmt_of_gaps(void **state)
{
	static const char *const labels[] = {"base", "mthp 64K", "hugetlb"};
	static const unsigned kept[] = {0, 2};
	struct comparison comparison = sample_sides(labels, 3, true, 3);
	struct sample_change better = {1000, 100, 90, 110, 0.0078, COMPARE_IMPROVED};
	struct comparison_row *row;
	struct benchfmt found;
	char *text;

	row = sample_row(&comparison, 1, "1M random\treads", "mbps", true, true, better);
	row->numbers.base.n = row->numbers.other.n = 2; /* block 2 is lost on this side */
	memcpy(row->base_unit, kept, sizeof(kept));
	memcpy(row->other_unit, kept, sizeof(kept));
	sample_row(&comparison, 2, "1M random\treads", "mbps", true, true, better);
	text = sample_written("benchfmt", &comparison, false);
	assert_says(text, "side: mthp 64K\nBenchmarkOrionSim/point=1M_random_reads/stream=reads/"
			  "class=read 1 1992 mbps\nBenchmark");
	found = parse(text);
	assert_int_equal(found.lines, 3 + 2 + 3); /* the baseline's three are in the other row */
	free(text);
	comparison_free(&comparison);
}

static void test_benchfmt_golden(void **state)
{
	struct comparison comparison = sample_comparison();
	char *text = sample_written("benchfmt", &comparison, false), golden[16384];
	FILE *file = fopen(GOLDEN_BENCHFMT, "r");
	size_t length;

	assert_non_null(file);
	length = fread(golden, 1, sizeof(golden) - 1, file);
	golden[length] = '\0';
	fclose(file);
	assert_string_equal(text, golden);
	free(text);
	comparison_free(&comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_has_no_made_up_numbers),
		cmocka_unit_test(test_benchfmt),
		cmocka_unit_test(test_benchfmt_of_gaps),
		cmocka_unit_test(test_benchfmt_golden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
