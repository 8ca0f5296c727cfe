/* SPDX-License-Identifier: MIT */
/* test_csv.c - a rectangle whatever happened, quoted as RFC 4180 says. */
#include "sample.h"
#include "stats/result.h"
#include "written.h"

/* Fields of a line, unquoted in place; returns how many. */
static unsigned split(char *line, char *fields[], unsigned max)
{
	unsigned n = 0;

	for (char *from = line; n < max;) {
		char *to = from;
		int quoted = *from == '"';

		fields[n++] = to;
		from += quoted;
		while (*from && (quoted || *from != ',')) {
			if (quoted && *from == '"' && *++from != '"')
				quoted = 0;
			else
				*to++ = *from++;
		}
		if (!*from) {
			*to = '\0';
			break;
		}
		from++;
		*to = '\0';
	}
	return n;
}

static unsigned field_index(const char *header, const char *name)
{
	char copy[4096], *fields[80];
	unsigned n;

	snprintf(copy, sizeof(copy), "%s", header);
	n = split(copy, fields, 80);
	for (unsigned i = 0; i < n; i++)
		if (strcmp(fields[i], name) == 0)
			return i;
	fail_msg("no column %s", name);
	return 0;
}

struct sheet {
	char *text, *lines[256];
	unsigned n;
};

static struct sheet sheet_of(const struct result *result)
{
	struct sheet sheet = {.text = written("csv", result)};
	char *rest = sheet.text, *line;

	while ((line = strsep(&rest, "\n")) && *line)
		sheet.lines[sheet.n++] = line;
	return sheet;
}

static const char *field_of(const struct sheet *sheet, unsigned line, const char *name)
{
	static char copy[4096], *fields[80];

	snprintf(copy, sizeof(copy), "%s", sheet->lines[line]);
	assert_true(split(copy, fields, 80) > field_index(sheet->lines[0], name));
	return fields[field_index(sheet->lines[0], name)];
}

static void check_rectangle(const struct sheet *sheet)
{
	char copy[4096], *fields[80];
	unsigned columns;

	snprintf(copy, sizeof(copy), "%s", sheet->lines[0]);
	columns = split(copy, fields, 80);
	for (unsigned i = 1; i < sheet->n; i++) {
		snprintf(copy, sizeof(copy), "%s", sheet->lines[i]);
		assert_int_equal(split(copy, fields, 80), columns);
	}
}

static void test_demo(void **state)
{
	struct result result;
	struct sheet sheet;

	sample_demo(&result);
	sheet = sheet_of(&result);
	assert_int_equal(sheet.n, 1 + 36);
	check_rectangle(&sheet);
	assert_string_equal(field_of(&sheet, 1, "point"), "8K io_uring base");
	assert_string_equal(field_of(&sheet, 1, "repeat"), "0");
	assert_string_equal(field_of(&sheet, 2, "repeat"), "1");
	assert_string_equal(field_of(&sheet, 36, "axis_memory"), "hugetlb");
	assert_string_equal(field_of(&sheet, 36, "axis_block"), "1M");
	assert_string_equal(field_of(&sheet, 1, "device_request_bytes"), "8192");
	assert_string_equal(field_of(&sheet, 1, "memory_page_bytes"), "4096");
	assert_string_equal(field_of(&sheet, 3, "memory_got_percent"), "99.805");
	assert_true(strtod(field_of(&sheet, 1, "iops"), NULL) > 84000);
	free(sheet.text);
	result_free(&result);
}

static void test_skipped_and_failed(void **state)
{
	struct result result;
	struct sheet sheet;

	sample_mixed(&result);
	snprintf(result.variants[0].points[1].repeats[0].reason, 64, "a \"b\", c");
	sheet = sheet_of(&result);
	assert_int_equal(sheet.n, 1 + 2 * (9 + 1 + 1));
	check_rectangle(&sheet);
	assert_string_equal(field_of(&sheet, 10, "status"), "failed");
	assert_string_equal(field_of(&sheet, 10, "reason"), "a \"b\", c");
	assert_string_equal(field_of(&sheet, 10, "errors"), "1");
	assert_string_equal(field_of(&sheet, 10, "p99_us"), "");
	assert_string_equal(field_of(&sheet, 11, "status"), "interrupted");
	assert_string_equal(field_of(&sheet, 11, "repeat"), "");
	assert_string_equal(field_of(&sheet, 11, "iops"), "");
	assert_string_equal(field_of(&sheet, 12, "variant"), "thp on");
	assert_string_equal(field_of(&sheet, 12, "axis_streams[*].workload.depth"), "8");
	free(sheet.text);
	result_free(&result);
}

/* Whoever reads by place relies on it: axes come last. */
static void test_columns_keep_their_places(void **state)
{
	const char *const first = "variant,point,repeat,status,reason,stream,class,unit,ops,bytes,"
				  "errors,shorts,retries,duration_s,iops,mbps,mibps,mean_us,"
				  "p50_us,p90_us,p99_us,p999_us,p9999_us,max_us,";
	struct result demo, mixed, nothing = {.name = ""};
	struct sheet sheets[3];
	size_t fixed;

	sample_demo(&demo);
	sample_mixed(&mixed);
	sheets[0] = sheet_of(&demo);
	sheets[1] = sheet_of(&mixed);
	sheets[2] = sheet_of(&nothing);
	fixed = strlen(sheets[2].lines[0]);
	assert_int_equal(sheets[2].n, 1);
	assert_memory_equal(sheets[0].lines[0], first, strlen(first));
	for (int i = 0; i < 2; i++)
		assert_memory_equal(sheets[i].lines[0], sheets[2].lines[0], fixed);
	for (int i = 0; i < 3; i++)
		free(sheets[i].text);
	result_free(&demo);
	result_free(&mixed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demo),
		cmocka_unit_test(test_skipped_and_failed),
		cmocka_unit_test(test_columns_keep_their_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
