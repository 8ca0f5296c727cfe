/* SPDX-License-Identifier: MIT */
/* test_tmpfs.c - what a mount's options say, and files with a name of their own. */
#include "memory/tmpfs.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"

static void test_huge_is_found_in_the_options_of_the_file_system(void **state)
{
	static const struct {
		const char *line, *word;
	} rows[] = {
		{"30 23 0:26 / /dev/shm rw,nosuid shared:4 - tmpfs tmpfs rw,size=8k,huge=advise\n",
		 "advise"},
		{"30 23 0:26 / /x rw - tmpfs tmpfs rw,huge=within_size,inode64\n", "within_size"},
		{"30 23 0:26 / /x rw - tmpfs tmpfs huge=always\n", "always"},
		{"30 23 0:26 / /x rw - tmpfs tmpfs rw,inode64\n", ""},
		{"30 23 0:26 / /x rw,huge=always - tmpfs tmpfs rw\n", ""},
		{"30 23 0:26 / /x rw - tmpfs huge=always rw\n", ""},
		{"30 23 0:26 / /x rw - tmpfs tmpfs rw,nothuge=always\n", ""},
		{"30 23 0:26 / /x rw - tmpfs\n", ""},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char word[16] = "untouched";

		assert_string_equal(tmpfs_parse_huge(rows[i].line, word, sizeof(word)),
				    rows[i].word);
	}
}

static void test_file_is_the_owners_and_has_its_size(void **state)
{
	struct tmpfs tmpfs;
	struct error error = {0};
	struct stat status;
	char path[300];
	int fd = -1;

	if (tmpfs_read("/dev/shm", &tmpfs, &error)) {
		print_message("skipped: %s\n", error.text);
		skip();
	}
	assert_true(tmpfs.free_bytes > 0);
	if (tmpfs_create("/dev/shm", 123456, path, sizeof(path), &fd, &error))
		fail_msg("%s", error.text);
	assert_int_equal(fstat(fd, &status), 0);
	unlink(path);
	close(fd);
	assert_int_equal(status.st_size, 123456);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(strncmp(path, "/dev/shm/orion-sim-", 19), 0);
}

static void test_folder_that_is_missing(void **state)
{
	struct error error = {0};
	char path[300];
	int fd = -1;

	assert_true(tmpfs_create("/nowhere", 4096, path, sizeof(path), &fd, &error) < 0);
	assert_int_equal(fd, -1);
	assert_non_null(strstr(error.text, "/nowhere"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_huge_is_found_in_the_options_of_the_file_system),
		cmocka_unit_test(test_file_is_the_owners_and_has_its_size),
		cmocka_unit_test(test_folder_that_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
