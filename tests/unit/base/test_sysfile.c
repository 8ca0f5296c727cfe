/* SPDX-License-Identifier: MIT */
/* test_sysfile.c - small files are read, written and picked apart. */
#include "base/sysfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "expect.h"

static char path[] = "/tmp/orion-sysfile-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return -1;
	return close(fd);
}

static int remove_file(void **state)
{
	return unlink(path);
}

static void put(const char *text)
{
	EXPECT_OK(sysfile_write(path, text, &error));
}

static void a_file_is_read_without_its_last_newline(void **state)
{
	char text[64];

	put("one\ntwo\n");
	EXPECT_OK(sysfile_read(path, text, sizeof(text), &error));
	assert_string_equal(text, "one\ntwo");
	put("");
	EXPECT_OK(sysfile_read(path, text, sizeof(text), &error));
	assert_string_equal(text, "");
}

static void a_longer_file_is_cut(void **state)
{
	char text[5];

	put("abcdefgh");
	EXPECT_OK(sysfile_read(path, text, sizeof(text), &error));
	assert_string_equal(text, "abcd");
}

static void a_missing_file_is_named(void **state)
{
	char text[64] = "untouched";
	uint64_t value = 77;

	EXPECT_ERROR(sysfile_read("/proc/no/such", text, sizeof(text), &error), -ENOENT,
		     "cannot open /proc/no/such: No such file or directory");
	assert_string_equal(text, "untouched");
	EXPECT_ERROR_PART(sysfile_read("/proc", text, sizeof(text), &error), -EISDIR, "/proc");
	assert_int_equal(sysfile_read_u64("/proc/no/such", &value, NULL), -ENOENT);
	assert_int_equal(value, 77);
}

static void a_number_is_read_or_refused(void **state)
{
	uint64_t value = 77;

	put("  18446744073709551615 \n");
	EXPECT_OK(sysfile_read_u64(path, &value, &error));
	assert_int_equal(value, UINT64_MAX);
	put("max\n");
	EXPECT_ERROR_PART(sysfile_read_u64(path, &value, &error), -EBADMSG,
			  "holds 'max', not a whole number");
	put("1 2\n");
	EXPECT_ERROR_PART(sysfile_read_u64(path, &value, &error), -EBADMSG, "'1 2'");
	put("\n");
	EXPECT_ERROR_PART(sysfile_read_u64(path, &value, &error), -EBADMSG, "''");
	assert_int_equal(value, UINT64_MAX);
}

static void proc_files_are_read(void **state)
{
	char text[4096];
	uint64_t value = 0;

	EXPECT_OK(sysfile_read("/proc/meminfo", text, sizeof(text), &error));
	assert_int_equal(sysfile_field_kb(text, "MemTotal", &value), 0);
	assert_true(value > 1 << 20);
	EXPECT_OK(sysfile_read_u64("/proc/sys/kernel/pid_max", &value, &error));
	assert_true(value > 100);
}

static void a_write_replaces_but_never_creates(void **state)
{
	char text[64];

	put("a long text");
	put("short");
	EXPECT_OK(sysfile_read(path, text, sizeof(text), &error));
	assert_string_equal(text, "short");
	EXPECT_ERROR_PART(sysfile_write("/tmp/orion-sysfile-none/x", "3\n", &error), -ENOENT,
			  "cannot write '3' to /tmp/orion-sysfile-none/x");
	assert_int_equal(access("/tmp/orion-sysfile-none", F_OK), -1);
}

static void a_write_that_is_not_allowed_names_the_command(void **state)
{
	/* Read-only for root as well. */
	EXPECT_ERROR_PART(sysfile_write("/proc/sys/kernel/osrelease", "1", &error), -EACCES,
			  "; as root: echo 1 > /proc/sys/kernel/osrelease");
}

static void the_bracketed_word_is_picked(void **state)
{
	char word[16];

	sysfile_bracketed("always inherit [never]", word, sizeof(word));
	assert_string_equal(word, "never");
	sysfile_bracketed("[always] madvise never", word, sizeof(word));
	assert_string_equal(word, "always");
	sysfile_bracketed("plain", word, sizeof(word));
	assert_string_equal(word, "plain");
	sysfile_bracketed("open [only", word, sizeof(word));
	assert_string_equal(word, "open [only");
	sysfile_bracketed("[]", word, sizeof(word));
	assert_string_equal(word, "");
	sysfile_bracketed("[a_very_long_word_in_brackets]", word, sizeof(word));
	assert_string_equal(word, "a_very_long_wor");
}

static void fields_are_found_at_line_starts_only(void **state)
{
	const char *text = "Total:          1 kB\n"
			   "HugeTotal:    123 kB\n"
			   "Free:\t  7 kB\n"
			   "Pages:          5\n"
			   "Bad:            x kB\n"
			   "Last:          9 kB";
	uint64_t value = 77;

	assert_int_equal(sysfile_field_kb(text, "Total", &value), 0);
	assert_int_equal(value, 1024);
	assert_int_equal(sysfile_field_kb(text, "HugeTotal", &value), 0);
	assert_int_equal(value, 123 * 1024);
	assert_int_equal(sysfile_field_kb(text, "Free", &value), 0);
	assert_int_equal(value, 7 * 1024);
	assert_int_equal(sysfile_field_kb(text, "Last", &value), 0);
	assert_int_equal(value, 9 * 1024);
	assert_int_equal(sysfile_field_kb(text, "Tot", &value), -ENOENT);
	assert_int_equal(sysfile_field_kb(text, "Pages", &value), -ENOENT);
	assert_int_equal(sysfile_field_kb(text, "Bad", &value), -ENOENT);
	assert_int_equal(sysfile_field_kb("", "Total", &value), -ENOENT);
	assert_int_equal(value, 9 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_without_its_last_newline),
		cmocka_unit_test(a_longer_file_is_cut),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(a_number_is_read_or_refused),
		cmocka_unit_test(proc_files_are_read),
		cmocka_unit_test(a_write_replaces_but_never_creates),
		cmocka_unit_test(a_write_that_is_not_allowed_names_the_command),
		cmocka_unit_test(the_bracketed_word_is_picked),
		cmocka_unit_test(fields_are_found_at_line_starts_only),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
