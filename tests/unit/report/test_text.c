/* SPDX-License-Identifier: MIT */
/* test_text.c - what people read: sentences, table, reasons, warnings, the command. */
#include <math.h>

#include "report/numbers.h"
#include "sample.h"
#include "stats/result.h"
#include "written.h"

/* Column behind the last character of a word in a line. */
static size_t end_of(const char *line, const char *word)
{
	const char *place = strstr(line, word);
	char before[512];

	if (!place)
		fail_msg("no %s in \"%s\"", word, line);
	snprintf(before, sizeof(before), "%.*s", (int)(place - line), line);
	return text_width(before) + text_width(word);
}

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

static void test_headline(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	text = unwrapped(written("text", &result));
	assert_says(text, "Best: 3,515 MB/s (3,352 MiB/s) with 1M reads through io_uring into "
			  "hugetlb.");
	assert_says(text, "Most operations: 85,998 IOPS with 8K reads through io_uring into "
			  "hugetlb, half of them within 363 us.");
	assert_says(text,
		    "At 1M through libaio, hugetlb costs 9.38 us of CPU an I/O where 4K pages "
		    "cost 43.4 us (4.6 times less); mthp 64K costs 10.8 us.");
	assert_says(text, "It moves 3,410 MB/s instead of 1,304 (2.6 times as much), and CPU is "
			  "not all of the reason: the device was sent 1,024 KiB a request instead "
			  "of 512 (vda takes at most 254 separate pages in one).");
	assert_does_not_say(text, "Of 18 points");
	assert_does_not_say(text, "Warning");
	free(text);
	result_free(&result);
}

static void test_table(void **state)
{
	struct result result;
	char *text, head[512], row[512];

	sample_demo(&result);
	text = written("text", &result);
	check_width(text, 120);
	line_with(text, "block engine   memory", head, sizeof(head));
	line_with(text, "1M    io_uring base", row, sizeof(row));
	assert_int_equal(end_of(head, "MB/s"), end_of(row, " 1,345"));
	assert_int_equal(end_of(head, "IOPS"), end_of(row, " 1,282"));
	assert_int_equal(end_of(head, "per I/O"), end_of(row, " 40.94"));
	assert_int_equal(end_of(head, "busy"), end_of(row, " 10.2"));
	assert_int_equal(end_of(head, "req."), end_of(row, " 512"));
	assert_int_equal(end_of(head, "p99.9"), end_of(row, " -")); /* 2,574 operations */
	line_with(text, "64K   libaio   mthp 64K", row, sizeof(row));
	assert_says(row, "99.8% of 64K");
	line_with(text, "64K   libaio   hugetlb", row, sizeof(row));
	assert_says(row, "100% of 2M");
	free(text);
	result_free(&result);
}

static void test_almost_all_is_not_all(void **state)
{
	struct result result;
	struct result_point *point;
	char *text, row[512];

	sample_demo(&result);
	point = &result.variants[0].points[0];
	for (unsigned i = 0; i < 2; i++)
		point->repeats[i].audits[0].got_bytes -= 4096; /* 99.998 % */
	text = written("text", &result);
	assert_says(line_with(text, "8K    io_uring base", row, sizeof(row)), "99.9% of 4K");
	free(text);
	result_free(&result);
}

static void test_skipped_rows(void **state)
{
	struct result result;
	char *text, row[512];

	sample_demo_without_mthp(&result);
	text = written("text", &result);
	check_width(text, 120);
	line_with(text, "8K    libaio   mthp 64K", row, sizeof(row));
	assert_says(row, "skipped, because this kernel");
	assert_says(row, "… [1]");
	assert_does_not_say(text, "[2]"); /* six rows, one reason */
	unwrapped(text);
	assert_says(text, "[1] this kernel (6.1.0-18-amd64) has no mTHP for shared memory: "
			  "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/shmem_enabled is not "
			  "there; boot Linux 6.14 or newer");
	assert_says(text, "Of 18 points 6 skipped.");
	assert_does_not_say(text, "mthp 64K costs");
	free(text);
	result_free(&result);
}

static void test_a_short_reason_stands_in_its_row(void **state)
{
	struct result result;
	char *text, row[512];

	sample_demo_without_mthp(&result);
	for (unsigned i = 1; i < 18; i += 3)
		snprintf(result.variants[0].points[i].reason, 64, "it is Sunday");
	text = written("text", &result);
	line_with(text, "8K    libaio   mthp 64K", row, sizeof(row));
	assert_string_equal(row + strlen(row) - 30, " skipped, because it is Sunday");
	assert_does_not_say(text, "[1]");
	free(text);
	result_free(&result);
}

static void test_everything_skipped(void **state)
{
	struct result result;
	char *text;

	sample_demo_without_mthp(&result);
	result.variants[0].n_points = 2;
	result.variants[0].points[0].status = RESULT_SKIPPED;
	for (unsigned i = 0; i < 2; i++)
		result_repeat_free(&result.variants[0].points[0].repeats[i]);
	result.variants[0].points[0].n_repeats = 0;
	text = unwrapped(written("text", &result));
	assert_says(text, "Nothing was measured. Of 2 points 2 skipped.");
	assert_says(text, "8K io_uring base skipped");
	assert_says(text, "[1] this kernel");
	free(text);
	result.variants[0].n_points = 18;
	result_free(&result);
}

static void test_streams_variants_failures(void **state)
{
	struct result result;
	char *text, row[512];

	sample_mixed(&result);
	text = written("text", &result);
	line_with(text, "thp on  8     oltp depth 8   oltp   write", row, sizeof(row));
	assert_says(row, " 27.0 ");
	line_with(text, "thp off 64", row, sizeof(row));
	assert_says(row, "failed: worker 0 of stream oltp");
	line_with(text, "thp off 512", row, sizeof(row));
	assert_says(row, "interrupted: stopped by SIGINT before its turn");
	unwrapped(text);
	assert_says(text, "stream scan, variant thp off.");
	assert_says(text, "Incomplete: SIGINT ended the run early. Of 6 points 2 failed, 2 "
			  "interrupted.");
	assert_says(text, "workers process of which rest");
	assert_says(text, "Note: allow_unwritten is set");
	assert_says(text, "Warning: IOPS differ between repeats: 18 % at thp off 8 oltp read,");
	assert_says(text, "and at 1 more.");
	assert_says(text, "Warning: requests in flight by Little's law");
	free(text);
	result_free(&result);
}

static void test_some_repeats_failed(void **state)
{
	struct result result;
	struct result_point *point;
	char *text, row[512];

	sample_demo(&result);
	point = &result.variants[0].points[4];
	point->status = point->repeats[1].status = RESULT_FAILED;
	snprintf(point->repeats[1].reason, 64, "the runner was killed");
	text = written("text", &result);
	line_with(text, "8K    libaio   mthp 64K", row, sizeof(row));
	assert_says(row, "99.8% of 64K [1]");
	unwrapped(text);
	assert_says(text, "[1] 1 of 2 repeats did not count: the runner was killed");
	free(text);
	result_free(&result);
}

static void test_no_difference_is_said(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	result.variants[0].n_points = 6; /* 8K only */
	text = unwrapped(written("text", &result));
	assert_says(text,
		    "hugetlb costs 4.67 us of CPU an I/O where 4K pages cost 4.88 us; mthp 64K "
		    "costs 4.77 us. No point shows a saving worth the name.");
	assert_does_not_say(text, "It moves");
	free(text);
	result.variants[0].n_points = 18;
	result_free(&result);
}

static void test_same_device_requests_are_said(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	for (unsigned p = 0; p < 18; p++)
		for (unsigned i = 0; i < 2; i++)
			result.variants[0].points[p].repeats[i].devices[0].reads =
				result.variants[0].points[p].repeats[i].devices[0].read_bytes /
				8192;
	text = unwrapped(written("text", &result));
	assert_says(text, "(2.6 times as much), in device requests of the same 8 KiB.");
	free(text);
	result_free(&result);
}

static void test_no_memory_axis_no_sentence(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	for (unsigned p = 0; p < 18; p++)
		snprintf(result.variants[0].points[p].coordinates[2].axis, 32, "pages");
	text = unwrapped(written("text", &result));
	assert_does_not_say(text, "us of CPU an I/O where");
	assert_says(text, ", pages hugetlb");
	free(text);
	result_free(&result);
}

/* Axes that the sentences know no better words for, with the last word of their path. */
static void test_other_axes(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	for (unsigned p = 0; p < 18; p++) {
		struct result_coordinate *at = result.variants[0].points[p].coordinates;

		snprintf(at[0].axis, sizeof(at[0].axis), "streams[*].engine.polled");
		snprintf(at[1].axis, sizeof(at[1].axis), "batch");
	}
	text = unwrapped(written("text", &result));
	assert_says(text, " With polled 1M with batch libaio, hugetlb costs 9.38 us of CPU");
	assert_says(text, " polled batch memory MB/s");
	free(text);
	result_free(&result);
}

static void test_quick_operations_are_in_ns(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	for (unsigned i = 0; i < 2; i++)
		sample_fill(&result.variants[0].points[0].repeats[i].streams[0].classes[0],
			    20000000, 8192, 80);
	result.variants[0].n_points = 1;
	text = unwrapped(written("text", &result));
	assert_says(text, "latency, ns");
	assert_says(text, "near what reading the clock costs: 78 ns at 8K io_uring base");
	assert_does_not_say(text, "Little");
	free(text);
	result.variants[0].n_points = 18;
	result_free(&result);
}

static void test_footer(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	text = unwrapped(written("text", &result));
	assert_says(text,
		    "Machine: Linux 6.18.44-1-amd64, AMD EPYC 9654 96-Core Processor, 2 CPUs, "
		    "7.75G of memory; vda (scheduler none, max_segments 254)");
	assert_says(text, "Repeat: orion-sim run demo --target /var/lib/orion/orion-sim-demo.dat "
			  "--set 'seed=\"16045690984503098046\"'");
	free(text);
	cJSON_ReplaceItemInArray(cJSON_GetObjectItem(result.effective, "targets"), 0,
				 cJSON_CreateString("/proc/self/fd/5"));
	text = unwrapped(written("text", &result));
	assert_says(text, "Repeat: orion-sim demo --set 'seed=");
	free(text);
	cJSON_ReplaceItemInArray(cJSON_GetObjectItem(result.effective, "targets"), 0,
				 cJSON_CreateString("/data/it's here"));
	text = unwrapped(written("text", &result));
	assert_says(text, "--target '/data/it'\\''s here' --set");
	free(text);
	result_free(&result);
}

static void test_slow_storage_is_in_ms(void **state)
{
	struct result result;
	struct result_class *class;
	char *text, row[512];

	sample_demo(&result);
	result.variants[0].n_points = 1;
	for (unsigned i = 0; i < 2; i++) {
		class = &result.variants[0].points[0].repeats[i].streams[0].classes[0];
		sample_fill(class, 900, 8192, 70e6);
	}
	text = written("text", &result);
	assert_says(text, "latency, ms");
	line_with(text, "8K ", row, sizeof(row));
	assert_says(row, " 450 ");
	assert_says(row, "-      -  "); /* p99 needs 1,000 operations */
	free(text);
	result.variants[0].n_points = 18;
	result_free(&result);
}

/* A class that moves no bytes: page faults, say. */
static void test_operations_without_bytes(void **state)
{
	struct result result;
	char *text;

	sample_demo(&result);
	for (unsigned p = 0; p < 18; p++) {
		for (unsigned i = 0; i < 2; i++) {
			struct result_class *class =
				&result.variants[0].points[p].repeats[i].streams[0].classes[0];

			class->tally.bytes = 0;
			snprintf(class->name, sizeof(class->name), "fault");
			snprintf(class->unit, sizeof(class->unit), "page");
		}
	}
	text = unwrapped(written("text", &result));
	assert_says(text, "Best: 85,998 a second with 8K faults");
	assert_says(text, " ops/s ");
	assert_says(text, " per op ");
	assert_does_not_say(text, "MB/s ");
	free(text);
	result_free(&result);
}

/* A document from elsewhere may lack what is not required, or hold what it should not. */
static void test_poor_documents(void **state)
{
	struct result result, nothing = {.name = "empty", .complete = true};
	char *text;

	sample_demo(&result);
	cJSON_Delete(result.fingerprint);
	cJSON_Delete(result.effective);
	cJSON_Delete(result.notes);
	result.fingerprint = result.notes = cJSON_Parse("[1, {}, \"\\u001b[31m\"]");
	result.effective = cJSON_Parse("{\"targets\": [1, null]}");
	text = written("text", &result);
	assert_null(strchr(text, '\x1b'));
	assert_says(text, "Machine: Linux of an unknown version");
	free(text);
	result.fingerprint = NULL;
	result_free(&result);
	text = written("text", &nothing);
	assert_says(text, "Nothing was measured.");
	free(text);
}

static void test_variants_end_in_verdicts(void **state)
{
	struct result result;
	char *text;

	sample_mixed(&result);
	text = written("text", &result);
	assert_says(text, "\n\nNo primary metric can be called different: 2 inconclusive.\n\n"
			  "thp off  3 runs");
	free(text);
	result.variants[1].n_points = 0; /* nothing to hold against the first */
	text = written("text", &result);
	assert_says(text, "\n\nNot compared: ");
	free(text);
	result.variants[1].n_points = 3;
	result_free(&result);
	sample_demo(&result);
	text = written("text", &result);
	assert_does_not_say(text, "ompared");
	free(text);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headline),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_almost_all_is_not_all),
		cmocka_unit_test(test_skipped_rows),
		cmocka_unit_test(test_a_short_reason_stands_in_its_row),
		cmocka_unit_test(test_everything_skipped),
		cmocka_unit_test(test_streams_variants_failures),
		cmocka_unit_test(test_some_repeats_failed),
		cmocka_unit_test(test_no_difference_is_said),
		cmocka_unit_test(test_same_device_requests_are_said),
		cmocka_unit_test(test_no_memory_axis_no_sentence),
		cmocka_unit_test(test_other_axes),
		cmocka_unit_test(test_quick_operations_are_in_ns),
		cmocka_unit_test(test_footer),
		cmocka_unit_test(test_slow_storage_is_in_ms),
		cmocka_unit_test(test_operations_without_bytes),
		cmocka_unit_test(test_poor_documents),
		cmocka_unit_test(test_variants_end_in_verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
