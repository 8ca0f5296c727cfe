/* SPDX-License-Identifier: MIT */
/* test_result_file.c - saved whole or not at all, and nothing left behind. */
#include "stats/result.h"

#include <dirent.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "sample.h"

struct fixture {
	char folder[64];
	struct result result;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	snprintf(fixture->folder, sizeof(fixture->folder), "%s/orion-stats-XXXXXX", P_tmpdir);
	assert_non_null(mkdtemp(fixture->folder));
	sample_demo(&fixture->result);
	*state = fixture;
	return 0;
}

static unsigned count_files(const char *folder, bool remove_them)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	unsigned n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char path[512];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		n++;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (remove_them && unlink(path) < 0)
			rmdir(path);
	}
	closedir(dir);
	return n;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	count_files(fixture->folder, true);
	rmdir(fixture->folder);
	result_free(&fixture->result);
	free(fixture);
	return 0;
}

static const char *path_in(const struct fixture *fixture, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", fixture->folder, name);
	return path;
}

static void save(const struct fixture *fixture, const char *name)
{
	struct error error = {0};

	if (result_save(&fixture->result, path_in(fixture, name), &error) < 0)
		fail_msg("%s", error.text);
}

static void test_save_and_load(void **state)
{
	struct fixture *fixture = *state;
	struct error error = {0};
	struct result again;

	save(fixture, "demo.json");
	assert_int_equal(access(path_in(fixture, "demo.histograms.json"), F_OK), 0);
	assert_int_equal(count_files(fixture->folder, false), 2);
	assert_int_equal(result_load(path_in(fixture, "demo.json"), false, &again, &error), 0);
	assert_null(again.variants[0].points[0].repeats[0].streams[0].classes[0].histogram);
	result_free(&again);
	assert_int_equal(result_load(path_in(fixture, "demo.json"), true, &again, &error), 0);
	assert_non_null(again.variants[0].points[0].repeats[0].streams[0].classes[0].histogram);
	assert_string_equal(again.name, "demo");
	result_free(&again);
}

static void test_load_figures(void **state)
{
	struct fixture *fixture = *state;
	const struct result_class *class, *whole;
	struct error error = {0};
	struct result figures;

	save(fixture, "demo.json");
	assert_int_equal(result_load_figures(path_in(fixture, "demo.json"), &figures, &error), 0);
	class = &figures.variants[0].points[17].repeats[1].streams[0].classes[0];
	whole = &fixture->result.variants[0].points[17].repeats[1].streams[0].classes[0];
	assert_int_equal(class->tally.ops, whole->tally.ops);
	assert_int_equal(class->percentile_ns[3], whole->percentile_ns[3]);
	assert_int_equal(class->n_intervals, 0);
	assert_null(class->histogram);
	assert_int_equal(cJSON_GetArraySize(figures.variants[0].points[17].effective), 0);
	assert_true(cJSON_Compare(figures.effective, fixture->result.effective, true));
	result_free(&figures);
}

static void test_other_names(void **state)
{
	struct fixture *fixture = *state;

	save(fixture, "result");
	assert_int_equal(access(path_in(fixture, "result.histograms.json"), F_OK), 0);
	save(fixture, "json");
	assert_int_equal(access(path_in(fixture, "json.histograms.json"), F_OK), 0);
	assert_int_equal(count_files(fixture->folder, false), 4);
}

static void test_a_name_without_folder(void **state)
{
	struct fixture *fixture = *state;
	struct error error = {0};
	char *before = getcwd(NULL, 0);

	assert_non_null(before);
	assert_int_equal(chdir(fixture->folder), 0);
	assert_int_equal(result_save(&fixture->result, "plain.json", &error), 0);
	assert_int_equal(chdir(before), 0);
	assert_int_equal(access(path_in(fixture, "plain.json"), F_OK), 0);
	free(before);
}

static void test_replaces_what_was_there(void **state)
{
	struct fixture *fixture = *state;
	struct error error = {0};
	struct result again;

	save(fixture, "demo.json");
	snprintf(fixture->result.name, sizeof(fixture->result.name), "second");
	snprintf(fixture->result.started_utc, sizeof(fixture->result.started_utc), "later");
	save(fixture, "demo.json");
	assert_int_equal(result_load(path_in(fixture, "demo.json"), true, &again, &error), 0);
	assert_string_equal(again.name, "second");
	assert_int_equal(count_files(fixture->folder, false), 2);
	result_free(&again);
}

static void test_follows_a_link(void **state)
{
	struct fixture *fixture = *state;
	struct stat status;

	save(fixture, "real.json");
	assert_int_equal(symlink("real.json", path_in(fixture, "link.json")), 0);
	save(fixture, "link.json");
	assert_int_equal(lstat(path_in(fixture, "link.json"), &status), 0);
	assert_true(S_ISLNK(status.st_mode));
}

static void test_readable_as_the_umask_says(void **state)
{
	struct fixture *fixture = *state;
	struct stat status;
	mode_t before = umask(027);

	save(fixture, "demo.json");
	umask(before);
	assert_int_equal(stat(path_in(fixture, "demo.json"), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
}

static void check_refused(const struct fixture *fixture, const char *path, const char *words,
			  const char *remedy)
{
	struct error error = {0};
	unsigned before = count_files(fixture->folder, false);

	assert_true(result_save(&fixture->result, path, &error) < 0);
	if (!strstr(error.text, words) || !strstr(error.text, remedy) || !strstr(error.text, path))
		fail_msg("\"%s\" does not say \"%s … %s\"", error.text, words, remedy);
	assert_int_equal(count_files(fixture->folder, false), before);
}

static void test_no_folder(void **state)
{
	struct fixture *fixture = *state;

	check_refused(fixture, path_in(fixture, "none/demo.json"), "No such file", "mkdir -p");
}

static void test_not_a_regular_file(void **state)
{
	struct fixture *fixture = *state;
	struct stat status;

	check_refused(fixture, "/dev/null", "no regular file", "name a file");
	assert_int_equal(stat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	check_refused(fixture, fixture->folder, "no regular file", "name a file");
	assert_int_equal(mkdir(path_in(fixture, "d.histograms.json"), 0700), 0);
	{
		struct error error = {0};

		assert_true(result_save(&fixture->result, path_in(fixture, "d.json"), &error) < 0);
		assert_non_null(strstr(error.text, "no regular file"));
	}
	assert_int_equal(count_files(fixture->folder, false), 1);
}

/* Without privilege: a limit on the size of files stands for any write that fails half way. */
static void test_write_fails_half_way(void **state)
{
	struct fixture *fixture = *state;
	struct rlimit before, low = {.rlim_cur = 30000};
	struct error error = {0};
	int rc;

	save(fixture, "demo.json");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	low.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	snprintf(fixture->result.name, sizeof(fixture->result.name), "second");
	rc = result_save(&fixture->result, path_in(fixture, "demo.json"), &error);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(rc, -EFBIG);
	assert_int_equal(count_files(fixture->folder, false), 2);
	{
		struct result again;

		assert_int_equal(result_load(path_in(fixture, "demo.json"), true, &again, &error),
				 0);
		assert_string_equal(again.name, "demo"); /* the old one still stands */
		result_free(&again);
	}
}

enum { CHILD_GOOD, CHILD_BAD, CHILD_CANNOT };

/* In a mount namespace of its own: a full tmpfs. */
static int save_where_no_space_is(const struct fixture *fixture)
{
	struct error error = {0};

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", fixture->folder, "tmpfs", 0, "size=40k") < 0)
		return CHILD_CANNOT;
	if (result_save(&fixture->result, path_in(fixture, "demo.json"), &error) != -ENOSPC ||
	    !strstr(error.text, "free some space"))
		return CHILD_BAD;
	return count_files(fixture->folder, false) == 0 ? CHILD_GOOD : CHILD_BAD;
}

static void test_no_space(void **state)
{
	struct fixture *fixture = *state;
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		_exit(save_where_no_space_is(fixture));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CHILD_CANNOT) {
		print_message("a full file system needs a mount namespace: not permitted here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), CHILD_GOOD);
}

static void test_load_what_is_not_there(void **state)
{
	struct fixture *fixture = *state;
	struct error error = {0};
	struct result again;

	assert_true(result_load(path_in(fixture, "none.json"), true, &again, &error) < 0);
	assert_non_null(strstr(error.text, "none.json"));
}

static void test_load_without_sibling(void **state)
{
	struct fixture *fixture = *state;
	struct error error = {0};
	struct result again;

	save(fixture, "demo.json");
	assert_int_equal(unlink(path_in(fixture, "demo.histograms.json")), 0);
	assert_int_equal(result_load(path_in(fixture, "demo.json"), true, &again, &error), 0);
	result_free(&again);
}

static void test_load_with_a_foreign_sibling(void **state)
{
	struct fixture *fixture = *state;
	struct error error = {0};
	struct result again;
	char first[256];

	save(fixture, "a.json");
	fixture->result.seed++;
	save(fixture, "b.json");
	snprintf(first, sizeof(first), "%s", path_in(fixture, "a.histograms.json"));
	assert_int_equal(rename(first, path_in(fixture, "b.histograms.json")), 0);
	assert_int_equal(result_load(path_in(fixture, "b.json"), true, &again, &error),
			 ERROR_INPUT);
	assert_non_null(strstr(error.text, "belongs to another run"));
	assert_int_equal(result_load(path_in(fixture, "b.json"), false, &again, &error), 0);
	result_free(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_save_and_load, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load_figures, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_name_without_folder, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replaces_what_was_there, setup, teardown),
		cmocka_unit_test_setup_teardown(test_follows_a_link, setup, teardown),
		cmocka_unit_test_setup_teardown(test_readable_as_the_umask_says, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_folder, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_a_regular_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_write_fails_half_way, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_space, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load_what_is_not_there, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load_without_sibling, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load_with_a_foreign_sibling, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
