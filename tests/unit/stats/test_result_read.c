/* SPDX-License-Identifier: MIT */
/* test_result_read.c - each way in which a document can be broken gets one clear sentence. */
#include "stats/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "sample.h"
#include "stats/document.h"

static char *text_of(cJSON *tree)
{
	char *text = document_print(tree);

	assert_non_null(text);
	cJSON_Delete(tree);
	return text;
}

static char *replace(const char *text, const char *from, const char *to)
{
	const char *place = strstr(text, from);
	size_t size = strlen(text) + strlen(to) + 1;
	char *changed = malloc(size);

	if (!place)
		fail_msg("%s is not in the document", from);
	assert_non_null(changed);
	snprintf(changed, size, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
	return changed;
}

static void check_sentence(int rc, const struct error *error, const char *expected)
{
	assert_int_equal(rc, ERROR_INPUT);
	assert_int_equal(error->code, ERROR_INPUT);
	assert_null(strchr(error->text, '\n'));
	if (!strstr(error->text, expected))
		fail_msg("\"%s\" does not say \"%s\"", error->text, expected);
	if (!strstr(error->text, "r.json"))
		fail_msg("\"%s\" does not name the file", error->text);
}

static void check_refused(const char *text, const char *expected)
{
	struct result result;
	struct result untouched;
	struct error error = {0};
	int rc;

	memset(&result, 0x5a, sizeof(result));
	memset(&untouched, 0x5a, sizeof(untouched));
	rc = result_from_json("r.json", text, &result, &error);
	if (rc == 0)
		fail_msg("read, and not refused with \"%s\"", expected);
	check_sentence(rc, &error, expected);
	assert_memory_equal(&result, &untouched, sizeof(result));
}

struct breakage {
	const char *from, *to, *expected;
};

static const struct breakage breakages[] = {
	{"\"orion-sim/1\"", "\"orion-sim/2\"", "schema: is \"orion-sim/2\""},
	{"\"orion-sim/1\"", "\"orion-sim/10\"", "schema: is \"orion-sim/10\""},
	{"\"orion-sim/1\"", "7", "not a result of orion-sim"},
	{"\"complete\"", "\"compleat\"", "lacks the key \"complete\""},
	{"\"complete\":false", "\"complete\":0", "complete: must be true or false"},
	{"\"signal\":2", "\"signal\":2.5", "signal: must be a whole number"},
	{"\"signal\":2", "\"signal\":1e300", "signal: must be a whole number"},
	{"\"repeats\":3", "\"repeats\":-3", "repeats: must be a whole number"},
	{"\"seed\":\"", "\"seed\":\"x", "seed: must be a whole number written as a string"},
	{"\"seed\":\"", "\"seed\":5, \"s\":\"", "seed: must be a whole number written as"},
	{"\"clock_cost_ns\":", "\"clock_cost_ns\":\"a\", \"c\":", "must be a number or null"},
	{"\"primary\":[", "\"primary\":[1, ", "primary[0]: must be one of at most 8 strings"},
	{"\"primary\":[", "\"primary\":0, \"p\":[", "primary: must be a list"},
	{"\"notes\":", "\"notes\":\"text\", \"n\":", "notes: must be an object, a list or null"},
	{"\"variants\"", "\"variant\"", "lacks the key \"variants\""},
	{"\"variants\":[", "\"variants\":[[],", "variants[0]: must be an object"},
	{"\"status\":\"ok\"", "\"status\":\"fine\"", "must be one of ok, skipped"},
	{"\"status\":\"ok\"", "\"status\":null", "must be one of ok, skipped"},
	{"\"oltp depth 8\"",
	 "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"",
	 "points[0].label: is longer than the 63 bytes"},
	{"\"coordinates\":{", "\"coordinates\":{\"a\":1, ", "coordinates.a: must be a string"},
	{"\"coordinates\":{", "\"coordinates\":[], \"c\":{", "coordinates: must be an object"},
	{"\"runner\":{", "\"runner\":1, \"r\":{", "runner: must be an object"},
	{"\"user_ns\":", "\"user_ns\":-1, \"u\":", "user_ns: must be a whole number"},
	{"\"user_ns\":", "\"user\":", "lacks the key \"user_ns\""},
	{"\"total_s\":", "\"total\":", "cpu: lacks the key \"total_s\""},
	{"\"io_ticks_ms\":", "\"io_ticks\":", "devices[0]: lacks the key \"io_ticks_ms\""},
	{"\"audits\":[", "\"audits\":[0,", "audits[0]: must be an object"},
	{"\"audits\":[", "\"audits\":{}, \"a\":[", "audits: must be a list"},
	{"\"ops\":", "\"ops\":1.5, \"o\":", "ops: must be a whole number"},
	{"\"ops\":", "\"ops\":1e30, \"o\":", "ops: must be a whole number"},
	{"\"p9999_ns\":", "\"p99.99_ns\":", "lacks the key \"p9999_ns\""},
	{"\"intervals\":[", "\"intervals\":[7, ", "intervals[0]: must be a list"},
	{"\"intervals\":[", "\"intervals\":[[1], ", "must have a number for each of"},
	{"\"duration_s\",", "", "interval_columns: lacks the column \"duration_s\""},
};

static void test_breakages(void **state)
{
	struct result result;
	char *text;

	sample_mixed(&result);
	text = text_of(result_to_json(&result));
	result_free(&result);
	for (size_t i = 0; i < sizeof(breakages) / sizeof(*breakages); i++) {
		const struct breakage *breakage = &breakages[i];
		char *broken;

		broken = replace(text, breakage->from, breakage->to);
		check_refused(broken, breakage->expected);
		free(broken);
	}
	free(text);
}

static void test_not_a_result_at_all(void **state)
{
	check_refused("", "");
	check_refused("hello", "");
	check_refused("[]", "not a result of orion-sim");
	check_refused("null", "not a result of orion-sim");
	check_refused("{\"fio version\": \"fio-3.33\"}", "not a result of orion-sim");
	check_refused("{\"schema\": \"orion-sim/1\"}", "lacks the key \"name\"");
}

static void test_cut_short_anywhere(void **state)
{
	struct result result;
	char *text;
	size_t length;

	sample_mixed(&result);
	text = text_of(result_to_json(&result));
	result_free(&result);
	length = strlen(text);
	for (size_t cut = length - 2; cut > length / 100; cut -= length / 97) {
		text[cut] = '\0';
		check_refused(text, "");
	}
	free(text);
}

/* A later minor version may add keys, columns and levels; this one reads what it knows. */
static void test_minor_versions_are_read(void **state)
{
	struct result result, again;
	struct error error = {0};
	char *text, *newer, *newest, *text_again;

	sample_demo(&result);
	text = text_of(result_to_json(&result));
	newer = replace(text, "\"orion-sim/1\"", "\"orion-sim/1.4\"");
	newest = replace(newer, "\"name\":", "\"mood\": [{\"a\": {}}], \"name\":");
	if (result_from_json("r.json", newest, &again, &error) < 0)
		fail_msg("%s", error.text);
	text_again = text_of(result_to_json(&again));
	assert_string_equal(text_again, text);
	free(text);
	free(newer);
	free(newest);
	free(text_again);
	result_free(&again);
	result_free(&result);
}

/* Columns are found by name, so one more in front moves nothing. */
static void test_columns_are_found_by_name(void **state)
{
	const char *text =
		"{\"schema\": \"orion-sim/1\", \"name\": \"n\", \"summary\": \"\", \"version\": "
		"\"\","
		"\"started_utc\": \"\", \"ended_utc\": \"\", \"complete\": true, \"signal\": 0,"
		"\"seed\": \"1\", \"repeats\": 1, \"clock_cost_ns\": 20, \"primary\": [],"
		"\"interval_columns\": [\"new\", \"max_ns\", \"p99_ns\", \"p50_ns\", \"bytes\", "
		"\"ops\","
		"\"duration_s\", \"begin_s\"], \"variants\": [{\"label\": \"\", \"points\": ["
		"{\"label\": \"p\", \"status\": \"ok\", \"coordinates\": {}, \"repeats\": [{"
		"\"index\": 0, \"status\": \"ok\", \"io_failure\": false, \"started_utc\": \"\","
		"\"duration_s\": 1, \"runner\": %s, \"cpu\": {\"busy_s\": 0, \"user_s\": 0,"
		"\"system_s\": 0, \"irq_s\": 0, \"softirq_s\": 0, \"steal_s\": 0, \"iowait_s\": 0,"
		"\"total_s\": 2}, \"devices\": [], \"audits\": [], \"streams\": [{\"label\": \"s\","
		"\"workers\": 1, \"traits\": \"\", \"mean_in_flight\": 1, \"usage\": %s,"
		"\"classes\": [{\"name\": \"read\", \"unit\": \"I/O\", \"ops\": 5, \"bytes\": 6,"
		"\"errors\": 0, \"shorts\": 0, \"retries\": 0, \"batches\": 0, \"submit_ns\": 0,"
		"\"duration_s\": 1, \"mean_ns\": 1, \"min_ns\": 1, \"p50_ns\": 1, \"p90_ns\": 1,"
		"\"p99_ns\": 1, \"p999_ns\": 1, \"p9999_ns\": 1, \"max_ns\": 1, \"overflow\": 0,"
		"\"intervals\": [[99, 7, 6, 5, 4, 3, 2, 1]]}]}]}]}]}]}";
	const char *usage = "{\"user_ns\": 0, \"system_ns\": 0, \"minor_faults\": 0, "
			    "\"major_faults\": 0, \"voluntary_switches\": 0, "
			    "\"involuntary_switches\": 0}";
	const struct result_interval *interval;
	struct result result;
	struct error error = {0};
	char *first = replace(text, "%s", usage), *second = replace(first, "%s", usage);

	if (result_from_json("r.json", second, &result, &error) < 0)
		fail_msg("%s", error.text);
	interval = result.variants[0].points[0].repeats[0].streams[0].classes[0].intervals;
	assert_true(interval->begin_s == 1 && interval->duration_s == 2);
	assert_true(interval->ops == 3 && interval->bytes == 4);
	assert_true(interval->p50_ns == 5 && interval->p99_ns == 6 && interval->max_ns == 7);
	free(first);
	free(second);
	result_free(&result);
}

static const struct breakage histogram_breakages[] = {
	{"\"orion-sim/1\"", "\"orion-sim/3\"", "schema: is \"orion-sim/3\""},
	{"\"seed\":\"16", "\"seed\":\"17", "belongs to another run"},
	{"\"histograms\"", "\"histogram\"", "must have a list \"histograms\""},
	{"\"variant\":0", "\"variant\":9", "belongs to no class of the result"},
	{"\"point\":0", "\"point\":3", "belongs to no class of the result"},
	{"\"repeat\":0", "\"repeat\":3", "belongs to no class of the result"},
	{"\"stream\":0", "\"stream\":4000000000", "belongs to no class of the result"},
	{"\"class\":\"read\"", "\"class\":\"fault\"", "belongs to no class of the result"},
	{"\"class\":\"write\"", "\"class\":\"read\"", "is there twice"},
	{"\"count\":", "\"count\":1", "values where count says"},
	{"\"cells\":[", "\"cells\":[-1,5,", "must be pairs of whole numbers"},
	{"\"cells\":[", "\"cells\":[0.5,5,", "must be pairs of whole numbers"},
	{"]}", ",1]}", "must be pairs of whole numbers"},
	{"\"cells\":[", "\"cells\":[8959,1,8959,1,", "leads beyond the last of"},
	{"\"cells\":[", "\"cells\":0,\"c\":[", "must be a list"},
	{"\"sum_ns\":", "\"sum_ms\":", "lacks the key \"sum_ns\""},
};

/* The document without the white space that depends on what fits on a line. */
static char *line_of(cJSON *tree)
{
	char *text = document_print_line(tree);

	assert_non_null(text);
	cJSON_Delete(tree);
	return text;
}

static void test_histogram_breakages(void **state)
{
	struct result result, again;
	char *text, *histograms;

	sample_mixed(&result);
	text = text_of(result_to_json(&result));
	histograms = line_of(result_histograms_to_json(&result));
	result_free(&result);
	for (size_t i = 0; i < sizeof(histogram_breakages) / sizeof(*breakages); i++) {
		const struct breakage *breakage = &histogram_breakages[i];
		struct error error = {0};
		char *broken = replace(histograms, breakage->from, breakage->to);
		int rc;

		assert_int_equal(result_from_json("r.json", text, &again, &error), 0);
		rc = result_histograms_from_json("r.json", broken, &again, &error);
		check_sentence(rc, &error, breakage->expected);
		result_free(&again);
		free(broken);
	}
	free(text);
	free(histograms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_breakages),
		cmocka_unit_test(test_not_a_result_at_all),
		cmocka_unit_test(test_cut_short_anywhere),
		cmocka_unit_test(test_minor_versions_are_read),
		cmocka_unit_test(test_columns_are_found_by_name),
		cmocka_unit_test(test_histogram_breakages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
