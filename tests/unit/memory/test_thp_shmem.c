/* SPDX-License-Identifier: MIT */
/* test_thp_shmem.c - a memfd by the machine's setting, a file by its mount's, each with its reason.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <dirent.h>
#include <cmocka.h>

#include "child.h"
#include "lend.h"
#include "memory/kinds.h"

#define SIZE_BYTES (16ull << 20)
#define MEMFD	   "{\"kind\": \"thp\"}"
#define FILE_	   "{\"kind\": \"thp\", \"via\": \"file\"}"

struct attempt {
	const char *json;
	const char *mount; /* options of a tmpfs over /dev/shm; null: none is mounted */
	const char *size_word, *top_word;
	const char *words; /* of the refusal; null: it works */
};

static unsigned count_files(const char *folder)
{
	DIR *directory = opendir(folder);
	unsigned n = 0;

	while (directory && readdir(directory))
		n++;
	if (directory)
		closedir(directory);
	return n;
}

static int open_attempt(const struct attempt *attempt)
{
	struct choice choice = lend_choice(attempt->json);
	struct region region = lend_region(&choice, SIZE_BYTES);
	struct memory_audit audit;
	struct error error = {0};
	unsigned files = count_files("/dev/shm");
	int ret = region_open(&region, &error);

	CHILD_CHECK(count_files("/dev/shm") == files);
	if (!ret)
		ret = region_audit(&region, &audit, &error);
	if (!ret)
		ret = region_check(&region, &audit, 99, &error);
	if (attempt->words) {
		CHILD_CHECK(ret == ERROR_CANNOT);
		if (!strstr(error.text, attempt->words))
			fprintf(stderr, "%s\n", error.text);
		CHILD_CHECK(strstr(error.text, attempt->words));
	} else if (ret) {
		fprintf(stderr, "%s\n", error.text);
	}
	region_close(&region);
	choice_free(&choice);
	return attempt->words ? 0 : ret != 0;
}

/* In a child, since the mount ends with it. */
static int try_attempt(void *argument)
{
	const struct attempt *attempt = argument;
	struct lend lend = {0};
	int ret = CHILD_CANNOT;

	if ((!attempt->mount || lend_mount("/dev/shm", attempt->mount)) &&
	    lend_folio(&lend, thp_pmd_bytes(""), attempt->size_word) &&
	    lend_folio(&lend, 0, attempt->top_word))
		ret = open_attempt(attempt);
	lend_end(&lend);
	return ret;
}

static void check_attempts(const struct attempt *attempts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int ret = child_run(try_attempt, (void *)(uintptr_t)&attempts[i]);

		print_message("%s, mounted %s, size %s, top %s\n", attempts[i].json,
			      attempts[i].mount ? attempts[i].mount : "as it is",
			      attempts[i].size_word, attempts[i].top_word);
		if (ret == CHILD_CANNOT)
			skip();
		assert_int_equal(ret, 0);
	}
}

static void test_memfd_goes_by_shmem_enabled(void **state)
{
	static const struct attempt attempts[] = {
		{MEMFD, NULL, "advise", "never", NULL},
		{MEMFD, NULL, "inherit", "advise", NULL},
		{MEMFD, NULL, "inherit", "never", "echo advise > /sys"},
		{MEMFD, NULL, "never", "advise", "shmem_enabled is 'never'"},
		{MEMFD, NULL, "advise", "deny", "'deny'"},
	};

	check_attempts(attempts, sizeof(attempts) / sizeof(attempts[0]));
}

/* Whatever the setting of the size says, which is for memory without a mount. */
static void test_file_goes_by_its_mount(void **state)
{
	static const struct attempt attempts[] = {
		{FILE_, "huge=always", "never", "never", NULL},
		{FILE_, "huge=advise", "never", "never", NULL},
		{FILE_, "huge=within_size", "never", "never", NULL},
		{FILE_, "huge=never", "advise", "never", "remount,huge=advise /dev/shm"},
		{FILE_, "", "advise", "advise", "mounted without huge="},
		{FILE_, "huge=always", "never", "deny", "'deny'"},
		{FILE_, "huge=never", "never", "force", NULL},
		{FILE_, "huge=always,size=8m", "never", "never", "remount,size="},
	};

	check_attempts(attempts, sizeof(attempts) / sizeof(attempts[0]));
}

static void test_folder_that_is_on_no_tmpfs_is_refused(void **state)
{
	static const char *const texts[] = {
		"{\"kind\": \"thp\", \"via\": \"file\", \"dir\": \"/proc\"}",
		"{\"kind\": \"thp\", \"via\": \"file\", \"dir\": \"/nowhere\"}"};
	static const char *const words[] = {"/proc is on no tmpfs", "/nowhere No such file"};

	for (size_t i = 0; i < 2; i++) {
		struct choice choice = lend_choice(texts[i]);
		struct error error = {0};

		assert_int_equal(memory_thp.probe(choice.params, SIZE_BYTES, &error), ERROR_INPUT);
		assert_non_null(strstr(error.text, words[i]));
		assert_non_null(strstr(error.text, "mount -t tmpfs"));
		choice_free(&choice);
	}
}

static void test_need_can_be_borrowed_for_a_memfd_only(void **state)
{
	struct choice memfd = lend_choice(MEMFD), file = lend_choice(FILE_);
	struct memory_need need;
	char path[160];

	memory_thp.need(file.params, 1, &need);
	assert_int_equal(need.kind, MEMORY_NEED_NOTHING);
	memory_thp.need(memfd.params, 1, &need);
	thp_path("", thp_pmd_bytes(""), "shmem_enabled", path, sizeof(path));
	if (!access(path, F_OK)) {
		assert_int_equal(need.kind, MEMORY_NEED_SHMEM_FOLIO);
		assert_int_equal(need.page_bytes, thp_pmd_bytes(""));
		assert_int_equal(need.bytes, thp_pmd_bytes(""));
	}
	choice_free(&memfd);
	choice_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memfd_goes_by_shmem_enabled),
		cmocka_unit_test(test_file_goes_by_its_mount),
		cmocka_unit_test(test_folder_that_is_on_no_tmpfs_is_refused),
		cmocka_unit_test(test_need_can_be_borrowed_for_a_memfd_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
