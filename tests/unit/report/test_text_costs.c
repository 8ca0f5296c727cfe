/* SPDX-License-Identifier: MIT */
/* test_text_costs.c - page tables and hardware events in the text report, where a result has them.
 */
#include "report/text_costs.h"

#include <math.h>

#include "sample.h"
#include "stats/result.h"
#include "written.h"

#define GIB (UINT64_C(1) << 30)

/* The demo's points, as if 500 processes had run them: page tables by memory kind. */
static void make_sessions(struct result *result)
{
	static const uint64_t tables_bytes[] = {8 * GIB - GIB / 5, 8 * GIB - GIB / 4, GIB / 10};

	sample_demo(result);
	for (unsigned p = 0; p < result->variants[0].n_points; p++) {
		struct result_point *point = &result->variants[0].points[p];
		cJSON *stream = cJSON_GetArrayItem(
			cJSON_GetObjectItemCaseSensitive(point->effective, "streams"), 0);

		cJSON_AddStringToObject(stream, "as", "processes");
		for (unsigned r = 0; r < point->n_repeats; r++) {
			point->repeats[r].streams[0].workers = 500;
			point->repeats[r].page_tables = (struct result_page_tables){
				.known = true,
				.before_bytes = 3000000,
				.at_bytes = 3000000 + tables_bytes[p % 3]};
		}
	}
}

static void test_one_sentence_answers(void **state)
{
	struct result result;
	char *text;

	make_sessions(&result);
	text = unwrapped(written("text", &result));
	if (!strstr(text, "500 sessions on 256M of shared memory: 7.8G of page tables on 4K pages "
			  "(base), 7.75G on 64K (mthp 64K), 102M on 2M (hugetlb)."))
		fail_msg("%s", text);
	assert_non_null(strstr(text, "page tables is what PageTables of the whole machine"));
	free(text);
	result_free(&result);
}

static void test_threads_have_nothing_to_say(void **state)
{
	struct result result;
	char *text;

	make_sessions(&result);
	for (unsigned p = 0; p < result.variants[0].n_points; p++) {
		cJSON *stream = cJSON_GetArrayItem(
			cJSON_GetObjectItemCaseSensitive(result.variants[0].points[p].effective,
							 "streams"),
			0);

		cJSON_ReplaceItemInObjectCaseSensitive(stream, "as", cJSON_CreateString("threads"));
	}
	text = unwrapped(written("text", &result));
	assert_null(strstr(text, "sessions"));
	assert_null(strstr(text, "page tables"));
	free(text);
	result_free(&result);
}

static void test_events_get_columns(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	for (unsigned p = 0; p < result.variants[0].n_points; p++)
		for (unsigned r = 0; r < result.variants[0].points[p].n_repeats; r++) {
			struct result_stream *stream =
				&result.variants[0].points[p].repeats[r].streams[0];
			double ops = (double)stream->classes[0].tally.ops;

			stream->events = (struct result_events){.workers = stream->workers,
								.enabled_s = 2,
								.running_s = 1,
								.cycles = 12345 * ops,
								.instructions = 23456 * ops,
								.dtlb_misses = NAN};
		}
	text = written("text", &result);
	assert_non_null(strstr(text, "cycles"));
	assert_non_null(strstr(text, "12,345"));
	assert_non_null(strstr(text, "23,456"));
	assert_non_null(strstr(text, "dTLB"));
	free(text);
	text = written("csv", &result);
	assert_non_null(strstr(text, "cycles_per_op,instructions_per_op,dtlb_misses_per_op"));
	assert_non_null(strstr(text, ",12345.000,23456.000,,"));
	free(text);
	result_free(&result);
}

static void test_a_machine_without_a_pmu_says_so(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	cJSON_DeleteItemFromObjectCaseSensitive(result.fingerprint, "pmu");
	cJSON_AddStringToObject(result.fingerprint, "pmu", "the CPU shows none");
	cJSON_AddStringToObject(result.effective, "pmu", "auto");
	text = written("text", &result);
	assert_non_null(strstr(text, "PMU: not on this machine: the CPU shows none"));
	free(text);
	cJSON_ReplaceItemInObjectCaseSensitive(result.effective, "pmu", cJSON_CreateString("off"));
	text = written("text", &result);
	assert_null(strstr(text, "PMU"));
	free(text);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_sentence_answers),
		cmocka_unit_test(test_threads_have_nothing_to_say),
		cmocka_unit_test(test_events_get_columns),
		cmocka_unit_test(test_a_machine_without_a_pmu_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
