/* SPDX-License-Identifier: MIT */
/* test_orion.c - Orion's files byte for byte as they were published, and what a result without them
 * says. */
#include <cjson/cJSON.h>

#include "report/orion.h"
#include "stats/histogram.h"
#include "stats/result.h"
#include "written.h"

#define SMALL_STREAM                                                                               \
	"{\"label\": \"small\", \"workload\": {\"kind\": \"io\", \"block\": \"8K\", \"depth\": "   \
	"1, "                                                                                      \
	"\"pattern\": \"random\"}}"
#define LARGE_STREAM                                                                               \
	"{\"label\": \"large\", \"workload\": {\"kind\": \"io\", \"block\": \"1M\", \"depth\": "   \
	"1, "                                                                                      \
	"\"pattern\": \"random\"}}"

struct measured {
	unsigned small, large;
	double iops, small_us, mibps;
};

/* The published run of mytest, one disk. */
static const struct measured mytest[] = {
	{1, 0, 2302, 430, 0}, {2, 0, 4398, 450, 0}, {3, 0, 5450, 550, 0}, {4, 0, 6006, 670, 0},
	{5, 0, 6210, 800, 0}, {0, 1, 0, 0, 271.58}, {0, 2, 0, 0, 374.26}};

static void stream_fill(struct result_stream *stream, const char *label, uint64_t ops,
			uint64_t bytes, double mean_us)
{
	struct result_class *class = calloc(1, sizeof(*class));

	snprintf(stream->label, sizeof(stream->label), "%s", label);
	stream->workers = 1;
	stream->n_classes = 1;
	stream->classes = class;
	strcpy(class->name, "read");
	strcpy(class->unit, "I/O");
	class->tally.ops = ops;
	class->tally.bytes = bytes;
	class->duration_s = 1;
	class->histogram = calloc(1, sizeof(*class->histogram));
	histogram_reset(class->histogram);
	histogram_add_n(class->histogram, (uint64_t)(mean_us * 1e3), ops);
	result_class_summarize(class, class->histogram);
	class->mean_ns = mean_us * 1e3;
}

static void coordinate_add(struct result_point *point, const char *axis, unsigned load)
{
	struct result_coordinate *coordinate = &point->coordinates[point->n_coordinates++];

	snprintf(coordinate->axis, sizeof(coordinate->axis), "%s", axis);
	snprintf(coordinate->value, sizeof(coordinate->value), "%u", load);
}

static void point_fill(struct result_point *point, const struct measured *measured)
{
	struct result_repeat *repeat = calloc(1, sizeof(*repeat));
	char effective[1024];

	snprintf(
		effective, sizeof(effective),
		"{\"phases\": {\"warmup\": \"500ms\", \"measure\": \"1m\"}, \"streams\": [%s%s%s]}",
		measured->small ? SMALL_STREAM : "", measured->small && measured->large ? ", " : "",
		measured->large ? LARGE_STREAM : "");
	point->effective = cJSON_Parse(effective);
	assert_non_null(point->effective);
	point->coordinates = calloc(2, sizeof(*point->coordinates));
	point->n_repeats = 1;
	point->repeats = repeat;
	repeat->duration_s = 1;
	repeat->streams = calloc(2, sizeof(*repeat->streams));
	if (measured->small) {
		coordinate_add(point, "small", measured->small);
		stream_fill(&repeat->streams[repeat->n_streams++], "small",
			    (uint64_t)measured->iops, (uint64_t)measured->iops * 8192,
			    measured->small_us);
	}
	if (measured->large) {
		coordinate_add(point, "large", measured->large);
		stream_fill(&repeat->streams[repeat->n_streams++], "large",
			    (uint64_t)measured->mibps, (uint64_t)(measured->mibps * 1048576 + 0.5),
			    3000);
	}
}

static void result_fill(struct result *result, const struct measured *measured, unsigned n)
{
	*result = (struct result){.n_variants = 1};
	strcpy(result->version, "0.1.0");
	strcpy(result->summary, "mytest: -run simple -testname mytest -num_disks 1");
	result->effective = cJSON_Parse("{\"targets\": [\"/dev/sda2\"]}");
	result->fingerprint = cJSON_Parse(
		"{\"targets\": [{\"path\": \"/dev/sda2\", \"size_bytes\": 629143441920}]}");
	result->variants = calloc(1, sizeof(*result->variants));
	result->variants[0].n_points = n;
	result->variants[0].points = calloc(n, sizeof(*result->variants[0].points));
	for (unsigned i = 0; i < n; i++)
		point_fill(&result->variants[0].points[i], &measured[i]);
}

static void check_bytes(const struct result *result, const char *format, const char *expected)
{
	char *text = written(format, result);

	assert_string_equal(text, expected);
	free(text);
}

static const char iops_csv[] = "Large/Small,      1,      2,      3,      4,      5\n"
			       "          0,   2302,   4398,   5450,   6006,   6210\n"
			       "          1\n"
			       "          2\n";
static const char lat_csv[] = "Large/Small,      1,      2,      3,      4,      5\n"
			      "          0,   0.43,   0.45,   0.55,   0.67,   0.80\n"
			      "          1\n"
			      "          2\n";
static const char mbps_csv[] = "Large/Small,      0,      1,      2,      3,      4,      5\n"
			       "          1, 271.58\n"
			       "          2, 374.26\n";

static void test_published_files(void **state)
{
	struct result result;

	/* The sizes that the listing of that run tells. */
	assert_int_equal(sizeof(iops_csv) - 1, 128);
	assert_int_equal(sizeof(lat_csv) - 1, 128);
	assert_int_equal(sizeof(mbps_csv) - 1, 100);
	result_fill(&result, mytest, 7);
	check_bytes(&result, "orion-iops", iops_csv);
	check_bytes(&result, "orion-lat", lat_csv);
	check_bytes(&result, "orion-mbps", mbps_csv);
	result_free(&result);
}

/* What people's parsers do: the header's cells, then rows by their first column. */
static void test_a_parser_reads_them(void **state)
{
	struct result result;
	char *text, *rest, *line;
	unsigned rows = 0, header[8], n_header = 0, row, n;
	double value;

	result_fill(&result, mytest, 7);
	rest = text = written("orion-iops", &result);
	line = strsep(&rest, "\n");
	assert_int_equal(strncmp(line, "Large/Small", 11), 0);
	for (char *at = strchr(line, ','); at; at = strchr(at + 1, ','))
		assert_int_equal(sscanf(at, ", %u", &header[n_header++]), 1);
	assert_int_equal(n_header, 5);
	for (; (line = strsep(&rest, "\n")) && *line; rows++) {
		char *at = strchr(line, ',');

		assert_int_equal(sscanf(line, " %u", &row), 1);
		assert_int_equal(row, rows);
		for (n = 0; at; at = strchr(at + 1, ','), n++) {
			assert_int_equal(sscanf(at, ", %lf", &value), 1);
			assert_true(value == mytest[n].iops);
			assert_int_equal(header[n], mytest[n].small);
		}
		assert_int_equal(n, row == 0 ? 5 : 0);
	}
	assert_int_equal(rows, 3);
	free(text);
	result_free(&result);
}

static void test_a_matrix_with_a_hole(void **state)
{
	static const struct measured points[] = {{1, 0, 100, 10, 0},
						 {2, 0, 200, 10, 0},
						 {0, 3, 0, 0, 5},
						 {1, 3, 90, 20, 4},
						 {2, 3, 180, 30, 3}};
	struct result result;

	result_fill(&result, points, 5);
	result.variants[0].points[3].repeats[0].status = RESULT_FAILED;
	check_bytes(&result, "orion-iops",
		    "Large/Small,      1,      2\n"
		    "          0,    100,    200\n"
		    "          3,       ,    180\n");
	check_bytes(&result, "orion-mbps",
		    "Large/Small,      0,      1,      2\n"
		    "          3,   5.00,       ,   3.00\n");
	check_bytes(&result, "orion-p99",
		    "Large/Small,      1,      2\n"
		    "          0,   10.0,   10.0\n"
		    "          3,       ,   30.0\n");
	result_free(&result);
}

static void test_summary(void **state)
{
	struct result result;

	result_fill(&result, mytest, 7);
	check_bytes(&result, "orion-summary",
		    "ORION VERSION orion-sim 0.1.0\n"
		    "\n"
		    "Commandline:\n"
		    "-run simple -testname mytest -num_disks 1\n"
		    "\n"
		    "This maps to this test:\n"
		    "Test: mytest\n"
		    "Small IO size: 8 KB\n"
		    "Large IO size: 1024 KB\n"
		    "IO Types: Small Random IOs, Large Random IOs\n"
		    "Simulated Array Type: CONCAT\n"
		    "Write: 0%\n"
		    "Cache Size: Not Entered\n"
		    "Duration for each Data Point: 60 seconds\n"
		    "Small Columns:,      0\n"
		    "Large Columns:,      0,      1,      2\n"
		    "Total Data Points: 8\n"
		    "\n"
		    "Name: /dev/sda2\tSize: 629143441920\n"
		    "1 FILEs found.\n"
		    "\n"
		    "Maximum Large MBPS=374.26 @ Small=0 and Large=2\n"
		    "Maximum Small IOPS=6210 @ Small=5 and Large=0\n"
		    "Minimum Small Latency=0.43 @ Small=1 and Large=0\n");
	result_free(&result);
}

static void test_console(void **state)
{
	static const struct measured points[] = {{2, 0, 1000, 100, 0}, {0, 5, 0, 0, 1571.33}};
	struct result result;

	result_fill(&result, points, 2);
	/* 1000 of 100 us, and now as many of 3 ms. */
	histogram_add_n(result.variants[0].points[0].repeats[0].streams[0].classes[0].histogram,
			3000000, 1000);
	check_bytes(
		&result, "orion",
		"Maximum Large MBPS=1571.33 @ Small=0 and Large=5\n"
		"\n"
		"Maximum Small IOPS=1000 @ Small=2 and Large=0\n"
		"Small Read Latency: avg=100.000 us, min=100.000 us, max=100.000 us, std "
		"dev=1451.200 us @ Small=2 and Large=0\n"
		"\n"
		"Minimum Small Latency=100.000 usecs @ Small=2 and Large=0\n"
		"Small Read Latency: avg=100.000 us, min=100.000 us, max=100.000 us, std "
		"dev=1451.200 us @ Small=2 and Large=0\n"
		"Small Read / Write Latency Histogram @ Small=2 and Large=0\n"
		"        Latency:                         # of IOs (read)          # of IOs "
		"(write)\n"
		"        0 - 32         us:               0 (  0.00%)              0 (  0.00%)\n"
		"       32 - 64         us:               0 (  0.00%)              0 (  0.00%)\n"
		"       64 - 128        us:            1000 ( 50.00%)              0 (  0.00%)\n"
		"      128 - 256        us:               0 ( 50.00%)              0 (  0.00%)\n"
		"      256 - 512        us:               0 ( 50.00%)              0 (  0.00%)\n"
		"      512 - 1024       us:               0 ( 50.00%)              0 (  0.00%)\n"
		"     1024 - 2048       us:               0 ( 50.00%)              0 (  0.00%)\n"
		"     2048 - 4096       us:            1000 (100.00%)              0 (  0.00%)\n"
		"     4096 - 268435456  us:               0 (100.00%)              0 (  0.00%)\n");
	result_free(&result);
}

/* Points that count, by the shapes that matrices have: with the corner where it is one of them. */
static void check_total(const unsigned loads[][2], unsigned n, unsigned expected)
{
	struct measured points[16] = {{0}};
	struct orion_table table;
	struct result result;
	struct error error = {0};

	for (unsigned i = 0; i < n; i++)
		points[i] = (struct measured){loads[i][0], loads[i][1], 10, 10, 10};
	result_fill(&result, points, n);
	assert_int_equal(orion_table_make(&result, &table, &error), 0);
	assert_int_equal(orion_table_points(&table), expected);
	orion_table_free(&table);
	result_free(&result);
}

static void test_total_points(void **state)
{
	static const unsigned row_0[][2] = {{1, 0}, {2, 0}, {3, 0}};
	static const unsigned row_2[][2] = {{0, 2}, {1, 2}, {2, 2}};
	static const unsigned column_0[][2] = {{0, 1}, {0, 2}};
	static const unsigned column_3[][2] = {{3, 0}, {3, 1}};
	static const unsigned all[][2] = {{1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}};
	static const unsigned point[][2] = {{4, 2}};
	static const unsigned alone[][2] = {{4, 0}};

	check_total(row_0, 3, 4);
	check_total(row_2, 3, 3);
	check_total(column_0, 2, 3);
	check_total(column_3, 2, 2);
	check_total(all, 5, 6);
	check_total(point, 1, 1);
	check_total(alone, 1, 1);
}

static void test_trace_and_histograms_have_every_load(void **state)
{
	struct result result;
	char *text;

	result_fill(&result, mytest, 7);
	strcpy(result.variants[0].points[6].repeats[0].reason, "it rained");
	result.variants[0].points[6].repeats[0].status = RESULT_FAILED;
	result.variants[0].points[6].status = RESULT_FAILED;
	text = written("orion-trace", &result);
	assert_says(text, "Small=3 Large=0: ok\n  small read: ops=5450 bytes=44646400 errors=0");
	assert_says(text, "Small=0 Large=2: failed, because it rained\n");
	free(text);
	text = written("orion-hist", &result);
	assert_says(text, "Small Read / Write Latency Histogram @ Small=5 and Large=0\n");
	assert_says(text, "Large Read / Write Latency Histogram @ Small=0 and Large=1\n");
	assert_does_not_say(text, "Small=0 and Large=2");
	free(text);
	result_free(&result);
}

static void test_results_of_others_are_refused(void **state)
{
	static const struct measured none = {0};
	struct orion_table table;
	struct result result;
	struct error error = {0};

	result_fill(&result, &none, 1);
	assert_int_equal(orion_table_make(&result, &table, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "name another format"));
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_files),
		cmocka_unit_test(test_a_parser_reads_them),
		cmocka_unit_test(test_a_matrix_with_a_hole),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_console),
		cmocka_unit_test(test_total_points),
		cmocka_unit_test(test_trace_and_histograms_have_every_load),
		cmocka_unit_test(test_results_of_others_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
