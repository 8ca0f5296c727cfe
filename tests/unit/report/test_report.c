/* SPDX-License-Identifier: MIT */
/* test_report.c - the catalog, the document as a report, and a stream that loses what it is given.
 */
#include "sample.h"
#include "stats/result.h"
#include "written.h"

static void test_catalog(void **state)
{
	const struct entry *entry;
	struct error error = {0};
	unsigned n = 0;

	while (report_catalog.entries[n])
		n++;
	assert_int_equal(n, 15);
	assert_int_equal(catalog_find(&report_catalog, "html", &entry, &error), ERROR_INPUT);
	assert_says(error.text, "text, json, csv");
}

static void test_json_is_the_document(void **state)
{
	struct result result, again;
	struct error error = {0};
	char *text, *text_again;

	sample_mixed(&result);
	text = written("json", &result);
	assert_int_equal(result_from_json("report", text, &again, &error), 0);
	text_again = written("json", &again);
	assert_string_equal(text, text_again);
	free(text);
	free(text_again);
	result_free(&again);
	result_free(&result);
}

static void test_a_full_stream_is_an_error(void **state)
{
	struct result result;

	sample_demo(&result);
	strcpy(result.variants[0].points[0].coordinates[0].axis, "small");
	strcpy(result.variants[0].points[0].coordinates[0].value, "8");
	for (unsigned i = 0; report_catalog.entries[i]; i++) {
		FILE *full = fopen("/dev/full", "w");
		struct error error = {0};

		if (!full) {
			print_message("there is no /dev/full here\n");
			skip();
		}
		/* One of its axes is Orion's, so that there is something to write in any form. */
		assert_int_equal(
			report_ops_of(report_catalog.entries[i])->write(&result, full, &error),
			-ENOSPC);
		assert_says(error.text, "cannot write the report");
		fclose(full);
	}
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_catalog),
		cmocka_unit_test(test_json_is_the_document),
		cmocka_unit_test(test_a_full_stream_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
