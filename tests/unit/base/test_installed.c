/* SPDX-License-Identifier: MIT */
/* test_installed.c - our own folder above the program is found, nobody else's is. */
#include "base/installed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"

#define NAME "installed-test"

/* Beside this program. */
static void base_path(char *text, size_t size, const char *below)
{
	char program[512];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	assert_true(length > 0);
	program[length] = '\0';
	snprintf(text, size, "%s%s", dirname(program), below);
}

static void test_ours_is_found(void **state)
{
	char folder[1024], path[INSTALLED_PATH_BYTES];
	struct error error = {0};

	base_path(folder, sizeof(folder), "/libexec/orion-sim/" NAME);
	assert_int_equal(chmod(folder, 0755), 0);
	if (installed_find(NAME, path, &error) < 0)
		fail_msg("%s", error.text);
	assert_string_equal(path, folder);
}

/* What anybody can write to is not run. */
static void test_a_folder_of_everybody_is_not(void **state)
{
	char folder[1024], path[INSTALLED_PATH_BYTES];
	struct error error = {0};

	base_path(folder, sizeof(folder), "/libexec/orion-sim/" NAME);
	assert_int_equal(chmod(folder, 0777), 0);
	assert_int_equal(installed_find(NAME, path, &error), -ENOENT);
	assert_non_null(
		strstr(error.text, "there is no folder libexec/orion-sim/" NAME " of ours"));
	if (geteuid() == 0) {
		assert_int_equal(chmod(folder, 0755), 0);
		assert_int_equal(chown(folder, 65534, 65534), 0);
		assert_int_equal(installed_find(NAME, path, &error), -ENOENT);
		assert_int_equal(chown(folder, 0, 0), 0);
	}
}

static int make_folders(void **state)
{
	static const char *const below[] = {"/libexec", "/libexec/orion-sim",
					    "/libexec/orion-sim/" NAME};
	char path[1024];

	for (unsigned i = 0; i < 3; i++) {
		base_path(path, sizeof(path), below[i]);
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

static int remove_folders(void **state)
{
	static const char *const below[] = {"/libexec/orion-sim/" NAME, "/libexec/orion-sim",
					    "/libexec"};
	char path[1024];

	for (unsigned i = 0; i < 3; i++) {
		base_path(path, sizeof(path), below[i]);
		if (rmdir(path) < 0)
			return -1;
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ours_is_found),
		cmocka_unit_test(test_a_folder_of_everybody_is_not),
	};

	return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
