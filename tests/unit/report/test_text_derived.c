/* SPDX-License-Identifier: MIT */
/* test_text_derived.c - a table of what workloads declare, published figures beside ours. */
#include <math.h>

#include "sample.h"
#include "stats/result.h"
#include "written.h"

static void declare(struct result *result)
{
	for (unsigned p = 0; p < result->variants[0].n_points; p++) {
		struct result_point *point = &result->variants[0].points[p];

		for (unsigned r = 0; r < point->n_repeats; r++) {
			struct result_stream *stream = &point->repeats[r].streams[0];

			stream->derived = calloc(2, sizeof(*stream->derived));
			assert_non_null(stream->derived);
			stream->n_derived = 2;
			stream->derived[0] = (struct result_derived){.name = "faults_per_sec",
								     .unit = "pages/s",
								     .help = "pages a second",
								     .higher_better = true,
								     .value = 10000.0 * (p + 1)};
			stream->derived[1] = (struct result_derived){.name = "sys_s",
								     .unit = "s",
								     .help = "system time",
								     .value = p ? 0.25 : NAN};
		}
	}
}

static void test_a_row_a_stream_and_what_it_means(void **state)
{
	struct result result;
	char *text, line[256];

	sample_demo(&result);
	text = written("text", &result);
	assert_null(strstr(text, "faults_per_sec"));
	free(text);
	declare(&result);
	text = written("text", &result);
	assert_non_null(strstr(text, "faults_per_sec  sys_s\n"));
	assert_string_equal(line_with(text, "8K io_uring base ", line, sizeof(line)),
			    "8K io_uring base               10,000      -");
	assert_string_equal(line_with(text, "8K io_uring hugetlb ", line, sizeof(line)),
			    "8K io_uring hugetlb            30,000  0.250");
	assert_non_null(strstr(text, "\nfaults_per_sec: pages a second.\nsys_s: system time.\n"));
	assert_null(strstr(text, "ublished"));
	assert_non_null(strstr(text, "Warning: No value of sys_s at 8K io_uring base: "));
	assert_null(strstr(text, "No value of faults_per_sec"));
	assert_null(strstr(text, "at 8K io_uring hugetlb: nothing"));
	free(text);
	result_free(&result);
}

static void test_published_figures_stand_below(void **state)
{
	struct result result;
	char *text, line[256];

	sample_demo(&result);
	declare(&result);
	cJSON_AddItemToObject(
		result.effective, "reference",
		cJSON_Parse("{\"title\": \"faults\", \"year\": 2024, \"hardware\": \"32 cores\","
			    " \"rows\": [{\"label\": \"before\", \"values\": {\"sys_s\": 3.1}},"
			    " {\"label\": \"other\", \"values\": {\"loops\": 1}}]}"));
	text = written("text", &result);
	assert_string_equal(line_with(text, "published: before", line, sizeof(line)),
			    "published: before                       3.10");
	assert_null(strstr(text, "published: other"));
	assert_non_null(strstr(text, "Published: faults (2024), on 32 cores."));
	free(text);
	result_free(&result);
}

static void test_csv_has_a_column_for_each(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	declare(&result);
	text = written("csv", &result);
	assert_non_null(strstr(text, ",faults_per_sec,sys_s,axis_"));
	assert_non_null(strstr(text, ",10000,,8K,"));
	assert_non_null(strstr(text, ",30000,0.25,8K,"));
	free(text);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_row_a_stream_and_what_it_means),
		cmocka_unit_test(test_published_figures_stand_below),
		cmocka_unit_test(test_csv_has_a_column_for_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
