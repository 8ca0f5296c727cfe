/* SPDX-License-Identifier: MIT */
/* test_fill.c - data that cannot be compressed or deduplicated, on the disk, or a clean end. */
#include "engine/fill.h"

#include "scratch.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "engine/target.h"

#define BLOCK 4096

static struct error error;

/* Counts what it is told, and ends the work at a given amount. */
struct witness {
	uint64_t calls, last_done_bytes, total_bytes, stop_bytes;
	bool backwards;
};

static int witness_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	struct witness *witness = context;

	witness->calls++;
	witness->backwards |= done_bytes < witness->last_done_bytes;
	witness->last_done_bytes = done_bytes;
	witness->total_bytes = total_bytes;
	return witness->stop_bytes && done_bytes >= witness->stop_bytes;
}

static int compare_words(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* How many 4K blocks of the file begin alike. */
static unsigned count_twins(int fd, uint64_t size_bytes)
{
	size_t n = size_bytes / BLOCK;
	uint64_t *words = calloc(n, sizeof(*words));
	unsigned twins = 0;

	assert_non_null(words);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(pread(fd, &words[i], sizeof(*words), (off_t)(i * BLOCK)),
				 sizeof(*words));
	qsort(words, n, sizeof(*words), compare_words);
	for (size_t i = 1; i < n; i++)
		twins += words[i] == words[i - 1];
	free(words);
	return twins;
}

static bool is_written(const char *name)
{
	struct target target;
	bool good;

	assert_int_equal(target_open(name, &target, &error), 0);
	good = target_check_written(&target, 0, 0, false, NULL, &error) == 0;
	target_close(&target);
	return good;
}

static void fills_file_on_disk(void **state)
{
	struct witness witness = {0};
	const struct fill_observer observer = {witness_progress, &witness};
	uint64_t size_bytes = 33 * MIB + BLOCK;
	uint64_t hash;
	int fd, plain;

	SKIP_UNLESS_DISK();
	fd = open("full", O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
	plain = open("full", O_RDONLY | O_CLOEXEC);
	assert_int_equal(fill_file(fd, size_bytes, 5, &observer, &error), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), size_bytes);
	assert_true(witness.calls >= 9);
	assert_false(witness.backwards);
	assert_int_equal(witness.last_done_bytes, size_bytes);
	assert_int_equal(witness.total_bytes, size_bytes);
	assert_true(is_written("full"));
	assert_int_equal(count_twins(plain, size_bytes), 0);
	hash = scratch_hash("full");
	assert_int_equal(fill_file(fd, size_bytes, 6, NULL, &error), 0);
	assert_true(scratch_hash("full") != hash);
	assert_int_equal(fill_file(fd, size_bytes, 5, NULL, &error), 0);
	assert_true(scratch_hash("full") == hash);
	/* Grown in the middle of a chunk, and what was there stays. */
	assert_int_equal(fill_range(fd, size_bytes, size_bytes + MIB, 5, NULL, &error), 0);
	assert_int_equal(count_twins(plain, size_bytes + MIB), 0);
	assert_int_equal(ftruncate(fd, (off_t)size_bytes), 0);
	assert_true(scratch_hash("full") == hash);
	close(plain);
	close(fd);
}

/* The demo's file has no name, and O_DIRECT is not a must. */
static void fills_file_without_name(void **state)
{
	int fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	SKIP_UNLESS(fd >= 0, "no O_TMPFILE in the build folder");
	assert_int_equal(fill_file(fd, 5 * MIB, 1, NULL, &error), 0);
	assert_int_equal(count_twins(fd, 5 * MIB), 0);
	close(fd);
}

static void ends_when_asked(void **state)
{
	struct witness witness = {.stop_bytes = 8 * MIB};
	const struct fill_observer observer = {witness_progress, &witness};
	int fd = open("ended", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	error.text[0] = 0;
	assert_int_equal(fill_file(fd, 64 * MIB, 1, &observer, &error), -EINTR);
	assert_true(error.text[0]);
	assert_in_range(witness.last_done_bytes, 8 * MIB, 32 * MIB);
	close(fd);
}

static void refuses_odd_sizes(void **state)
{
	int fd = open("odd", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	ASSERT_REFUSED(fill_file(fd, MIB + 1, 1, NULL, &error), &error, "multiple of 4096");
	assert_int_equal(fill_file(fd, 0, 1, NULL, &error), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	close(fd);
}

static void says_when_disk_is_full(void **state)
{
	int fd, code, later;

	SKIP_UNLESS_PRIVATE();
	SKIP_UNLESS(scratch_mount("small", "mkfs.ext4", "ext4", 32 * MIB, NULL), "no ext4 here");
	fd = open("small/file", O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
	code = fill_file(fd, 64 * MIB, 1, NULL, &error);
	assert_int_equal(ftruncate(fd, 0), 0);
	later = fill_file(fd, 4 * MIB, 1, NULL, NULL);
	close(fd);
	scratch_unmount("small");
	assert_int_equal(code, -ENOSPC);
	assert_non_null(strstr(error.text, "disk is full"));
	assert_int_equal(later, 0);
}

/* ext2 cannot reserve space, so the end of it is met by a write. */
static void says_when_disk_is_full_midway(void **state)
{
	int fd, code;

	SKIP_UNLESS_PRIVATE();
	SKIP_UNLESS(scratch_mount("small", "mkfs.ext2", "ext2", 32 * MIB, NULL), "no ext2 here");
	fd = open("small/file", O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
	code = fill_file(fd, 64 * MIB, 1, NULL, &error);
	close(fd);
	scratch_unmount("small");
	assert_int_equal(code, -ENOSPC);
	assert_non_null(strstr(error.text, "M were written"));
}

/* From here on this process has no io_setup, as where databases used up fs.aio-max-nr. */
static bool forbid_aio(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = 4, .filter = filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void fills_without_aio(void **state)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		int fd = open("no-aio", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		if (!forbid_aio())
			_exit(77);
		_exit(fill_file(fd, 9 * MIB, 1, NULL, NULL) ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	SKIP_UNLESS(status != 77 << 8, "seccomp filters are not allowed here");
	assert_int_equal(status, 0);
	status = open("no-aio", O_RDONLY | O_CLOEXEC);
	assert_int_equal(count_twins(status, 9 * MIB), 0);
	close(status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_file_on_disk),
		cmocka_unit_test(fills_file_without_name),
		cmocka_unit_test(ends_when_asked),
		cmocka_unit_test(refuses_odd_sizes),
		cmocka_unit_test(says_when_disk_is_full),
		cmocka_unit_test(says_when_disk_is_full_midway),
		cmocka_unit_test(fills_without_aio),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
