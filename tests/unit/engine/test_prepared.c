/* SPDX-License-Identifier: MIT */
/* test_prepared.c - our own files are made, finished and resized; nobody else's is touched. */
#include "engine/prepared.h"

#include "scratch.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "engine/fill.h"
#include "engine/target.h"

static struct error error;
static struct prepared_outcome outcome;

static int make_seeded(const char *path, uint64_t size_bytes, uint64_t seed,
		       const struct fill_observer *observer)
{
	const struct prepared_request request = {
		.path = path, .size_bytes = size_bytes, .seed = seed, .reserve_bytes = 0};

	memset(&outcome, 0, sizeof(outcome));
	error.text[0] = 0;
	return prepared_make(&request, observer, &outcome, &error);
}

static int make(const char *path, uint64_t size_bytes)
{
	return make_seeded(path, size_bytes, 0, NULL);
}

static void read_header(const char *path, struct prepared_header *ret)
{
	char block[PREPARED_HEADER_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, block, sizeof(block), 0), sizeof(block));
	assert_int_equal(prepared_read_header(block, ret), 0);
	close(fd);
}

/* Complete, of that size, and on the disk. */
static void assert_prepared(const char *path, uint64_t size_bytes)
{
	struct prepared_header header;
	struct target target;
	uint64_t unwritten_bytes = 99;

	read_header(path, &header);
	assert_true(header.complete);
	assert_int_equal(header.size_bytes, size_bytes);
	assert_int_equal(target_open(path, &target, &error), 0);
	assert_int_equal(target.size_bytes, size_bytes);
	assert_true(prepared_is_ours(&target));
	assert_int_equal(target_check_written(&target, 0, 0, false, &unwritten_bytes, &error), 0);
	assert_int_equal(unwritten_bytes, 0);
	target_close(&target);
}

static int stop_at_once(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	return 1;
}

static const struct fill_observer stopper = {.progress = stop_at_once};

static void header_is_verified(void **state)
{
	struct prepared_header header = {.size_bytes = 4096 * MIB, .seed = UINT64_MAX}, back;
	char block[PREPARED_HEADER_BYTES];

	for (int complete = 0; complete < 2; complete++) {
		header.complete = complete;
		prepared_write_header(&header, block);
		memset(&back, 0x55, sizeof(back));
		assert_int_equal(prepared_read_header(block, &back), 0);
		assert_int_equal(back.size_bytes, header.size_bytes);
		assert_int_equal(back.seed, header.seed);
		assert_int_equal(back.complete, complete);
	}
	for (size_t i = 0; i < sizeof(block); i++) {
		block[i] ^= 1;
		assert_int_equal(prepared_read_header(block, &back), -ENOENT);
		block[i] ^= 1;
	}
	memset(block, 0, sizeof(block));
	assert_int_equal(prepared_read_header(block, &back), -ENOENT);
}

static void makes_file_once(void **state)
{
	struct stat before, after;
	struct prepared_header header;

	SKIP_UNLESS_DISK();
	assert_int_equal(make("new", 9 * MIB), 0);
	assert_true(outcome.created);
	assert_false(outcome.was_ready);
	assert_int_equal(outcome.written_bytes, 9 * MIB - PREPARED_HEADER_BYTES);
	assert_true(outcome.duration_ns > 0);
	assert_prepared("new", 9 * MIB);
	assert_int_equal(stat("new", &before), 0);
	assert_int_equal(before.st_mode & 07777, 0600);
	read_header("new", &header);
	assert_int_equal(header.seed, 1);

	assert_int_equal(make("new", 9 * MIB), 0);
	assert_true(outcome.was_ready);
	assert_false(outcome.created);
	assert_int_equal(outcome.written_bytes, 0);
	assert_int_equal(stat("new", &after), 0);
	assert_int_equal(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
	assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
}

static void resizes_and_reseeds(void **state)
{
	uint64_t hash;

	SKIP_UNLESS_DISK();
	assert_int_equal(make("sized", 4 * MIB), 0);
	assert_int_equal(make("sized", 10 * MIB), 0);
	assert_int_equal(outcome.written_bytes, 6 * MIB);
	assert_prepared("sized", 10 * MIB);
	assert_int_equal(make("sized", 2 * MIB), 0);
	assert_int_equal(outcome.written_bytes, 0);
	assert_false(outcome.was_ready);
	assert_prepared("sized", 2 * MIB);
	hash = scratch_hash("sized");
	assert_int_equal(make_seeded("sized", 2 * MIB, 1, NULL), 0);
	assert_true(outcome.was_ready);
	assert_int_equal(make_seeded("sized", 2 * MIB, 8, NULL), 0);
	assert_int_equal(outcome.written_bytes, 2 * MIB - PREPARED_HEADER_BYTES);
	assert_prepared("sized", 2 * MIB);
	assert_true(scratch_hash("sized") != hash);
	/* The seed it has is kept. */
	assert_int_equal(make("sized", 2 * MIB), 0);
	assert_true(outcome.was_ready);
}

/* As after a copy that makes zeros to holes, or cut short. */
static void rewrites_what_got_lost(void **state)
{
	int fd;

	SKIP_UNLESS_DISK();
	assert_int_equal(make("lost", 4 * MIB), 0);
	fd = open("lost", O_RDWR | O_CLOEXEC);
	assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, MIB, MIB), 0);
	assert_int_equal(make("lost", 4 * MIB), 0);
	assert_false(outcome.was_ready);
	assert_prepared("lost", 4 * MIB);
	assert_int_equal(ftruncate(fd, 3 * MIB), 0);
	close(fd);
	assert_int_equal(make("lost", 4 * MIB), 0);
	assert_false(outcome.was_ready);
	assert_prepared("lost", 4 * MIB);
}

static void removes_new_file_when_stopped(void **state)
{
	SKIP_UNLESS_DISK();
	assert_int_equal(make_seeded("stopped", 64 * MIB, 0, &stopper), -EINTR);
	assert_non_null(strstr(error.text, "stopped: interrupted"));
	assert_int_equal(access("stopped", F_OK), -1);
}

static void keeps_old_file_incomplete_when_stopped(void **state)
{
	struct prepared_header header;

	SKIP_UNLESS_DISK();
	assert_int_equal(make("again", 4 * MIB), 0);
	assert_int_equal(make_seeded("again", 64 * MIB, 0, &stopper), -EINTR);
	assert_non_null(strstr(error.text, "incomplete"));
	read_header("again", &header);
	assert_false(header.complete);
	assert_int_equal(make("again", 8 * MIB), 0);
	assert_prepared("again", 8 * MIB);
}

/* All of it is there, but nobody has vouched for it. */
static void rewrites_what_is_not_marked_complete(void **state)
{
	struct prepared_header header;
	char block[PREPARED_HEADER_BYTES];
	int fd;

	SKIP_UNLESS_DISK();
	assert_int_equal(make("unmarked", 2 * MIB), 0);
	read_header("unmarked", &header);
	header.complete = false;
	prepared_write_header(&header, block);
	fd = open("unmarked", O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, block, sizeof(block), 0), sizeof(block));
	close(fd);
	assert_int_equal(make("unmarked", 2 * MIB), 0);
	assert_false(outcome.was_ready);
	assert_int_equal(outcome.written_bytes, 2 * MIB - PREPARED_HEADER_BYTES);
	assert_prepared("unmarked", 2 * MIB);
}

static int die(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	if (done_bytes >= total_bytes / 2)
		raise(SIGKILL);
	return 0;
}

static void finishes_after_kill(void **state)
{
	const struct fill_observer killer = {.progress = die};
	struct prepared_header header;
	int status;
	pid_t pid;

	SKIP_UNLESS_DISK();
	pid = fork();
	if (pid == 0)
		_exit(make_seeded("killed", 32 * MIB, 0, &killer) ? 1 : 0);
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	read_header("killed", &header);
	assert_false(header.complete);
	assert_int_equal(make("killed", 32 * MIB), 0);
	assert_false(outcome.created);
	assert_prepared("killed", 32 * MIB);
}

static void removes_new_file_that_cannot_be_written(void **state)
{
	struct rlimit before, limit;
	int code;

	SKIP_UNLESS_DISK();
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 8 * MIB;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	code = make("too-large", 16 * MIB);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(code, -EFBIG);
	assert_int_equal(access("too-large", F_OK), -1);
}

/* Takes all the space there is once the writing has begun. */
static int hog(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	int fd = open("small/hog", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	char *buffer;

	if (fd < 0)
		return 1;
	buffer = calloc(1, MIB);
	assert_non_null(buffer);
	while (write(fd, buffer, MIB) > 0)
		;
	free(buffer);
	close(fd);
	return 0;
}

/* ext2 cannot reserve space beforehand. */
static void removes_new_file_when_disk_fills_up(void **state)
{
	const struct fill_observer observer = {.progress = hog};
	int code, there;

	SKIP_UNLESS_PRIVATE();
	SKIP_UNLESS(scratch_mount("small", "mkfs.ext2", "ext2", 64 * MIB, NULL), "no ext2 here");
	code = make_seeded("small/file", 40 * MIB, 0, &observer);
	there = access("small/file", F_OK);
	scratch_unmount("small");
	assert_int_equal(code, -ENOSPC);
	assert_non_null(strstr(error.text, "small/file: the disk is full"));
	assert_int_equal(there, -1);
}

static void keeps_space_free(void **state)
{
	struct prepared_request request = {
		.path = "reserved", .size_bytes = MIB, .reserve_bytes = UINT64_MAX / 2};

	SKIP_UNLESS_DISK();
	assert_int_equal(prepared_make(&request, NULL, &outcome, &error), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "reserved: needs 1M and 8388608T are to stay free"));
	assert_int_equal(access("reserved", F_OK), -1);
	assert_int_equal(make("reserved", (uint64_t)1 << 50), ERROR_CANNOT);
	assert_non_null(strstr(error.text, "needs 1024T"));
	assert_int_equal(access("reserved", F_OK), -1);
	assert_int_equal(prepared_reserve_preset(0), 1024 * MIB);
	assert_int_equal(prepared_reserve_preset(200 * (1024 * MIB)), 10 * (1024 * MIB));
	assert_int_equal(prepared_reserve_preset((uint64_t)1 << 50), 16 * (1024 * MIB));
}

/* Refused, and the same bytes under the same name afterwards. */
static void assert_untouched(const char *path, const char *word)
{
	uint64_t hash = scratch_hash(path);

	ASSERT_REFUSED(make(path, 2 * MIB), &error, word);
	assert_true(scratch_hash(path) == hash);
}

static void touches_nothing_of_others(void **state)
{
	SKIP_UNLESS_DISK();
	scratch_write("foreign", 0, 2 * MIB);
	assert_untouched("foreign", "not written by orion-sim prepare");
	scratch_sparse("void", 0);
	assert_untouched("void", "not written by orion-sim prepare");
	assert_int_equal(mkdir("folder", 0700), 0);
	ASSERT_REFUSED(make("folder", 2 * MIB), &error, "is a directory");
	ASSERT_REFUSED(make("folder/", 2 * MIB), &error, "is a directory");
	ASSERT_REFUSED(make("folder/new/", 2 * MIB), &error, "folder");
	ASSERT_REFUSED(make("nowhere/file", 2 * MIB), &error, "folder cannot be opened");
	ASSERT_REFUSED(make("", 2 * MIB), &error, "names no file");
	assert_int_equal(mkfifo("pipe", 0600), 0);
	ASSERT_REFUSED(make("pipe", 2 * MIB), &error, "no regular file");
	ASSERT_REFUSED(make("/dev/null", 2 * MIB), &error, "no regular file");
	ASSERT_REFUSED(make("/dev/nvme0n9q", 2 * MIB), &error, "no such device");
	assert_int_equal(access("/dev/nvme0n9q", F_OK), -1);
}

static void touches_own_file_by_no_other_way(void **state)
{
	struct stat status;
	int fd;

	SKIP_UNLESS_DISK();
	assert_int_equal(make("own", 4 * MIB), 0);
	assert_int_equal(symlink("own", "link"), 0);
	assert_untouched("link", "symlink");
	assert_int_equal(symlink("not-there", "dangling"), 0);
	ASSERT_REFUSED(make("dangling", 2 * MIB), &error, "symlink");
	assert_int_equal(access("not-there", F_OK), -1);
	assert_int_equal(link("own", "second"), 0);
	assert_untouched("own", "hard links");
	assert_untouched("second", "hard links");
	assert_int_equal(unlink("second"), 0);
	fd = open("own", O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_untouched("own", "another process");
	/* One damaged byte in the header, and it is nobody's. */
	assert_int_equal(pwrite(fd, "x", 1, 1000), 1);
	close(fd);
	assert_untouched("own", "not written by orion-sim prepare");
	assert_int_equal(stat("own", &status), 0);
	assert_int_equal(status.st_size, 4 * MIB);
}

static void refuses_odd_sizes(void **state)
{
	ASSERT_REFUSED(make("odd", 0), &error, "multiple of 4096");
	ASSERT_REFUSED(make("odd", 4096), &error, "at least 1M");
	ASSERT_REFUSED(make("odd", 2 * MIB + 512), &error, "multiple of 4096");
	ASSERT_REFUSED(make("odd", (uint64_t)1 << 63), &error, "odd: size");
	assert_int_equal(access("odd", F_OK), -1);
}

static void never_writes_block_devices(void **state)
{
	char device[32];
	uint64_t hash;
	int fd;

	SKIP_UNLESS_PRIVATE();
	scratch_write("disk", 0, 4 * MIB);
	hash = scratch_hash("disk");
	fd = scratch_loop("disk", 512, 0, device);
	SKIP_UNLESS(fd >= 0, "no loop device to be had");
	error.code = make(device, 2 * MIB);
	fsync(fd);
	close(fd);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_non_null(strstr(error.text, "block device"));
	assert_true(scratch_hash("disk") == hash);
}

static void refuses_memory_file_systems(void **state)
{
	const char *name = "/dev/shm/orion-sim-test-prepared";
	struct statfs status;

	SKIP_UNLESS(statfs("/dev/shm", &status) == 0 && status.f_type == TMPFS_MAGIC,
		    "/dev/shm is no tmpfs");
	/* Before the first byte: the stopper is never asked. */
	ASSERT_REFUSED(make_seeded(name, 2 * MIB, 0, &stopper), &error, "tmpfs");
	assert_int_equal(access(name, F_OK), -1);
	SKIP_UNLESS_PRIVATE();
	assert_int_equal(mkdir("lower", 0700) | mkdir("upper", 0700) | mkdir("work", 0700) |
				 mkdir("merged", 0700),
			 0);
	SKIP_UNLESS(mount("none", "merged", "overlay", 0,
			  "lowerdir=lower,upperdir=upper,workdir=work") == 0,
		    "overlay cannot be mounted here");
	error.code = make_seeded("merged/file", 2 * MIB, 0, &stopper);
	umount2("merged", MNT_DETACH);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_non_null(strstr(error.text, "overlay"));
	assert_int_equal(access("upper/file", F_OK), -1);
}

static void makes_files_elsewhere(void **state)
{
	static const char *const systems[] = {"xfs", "btrfs", "ext2"};
	unsigned n = 0;

	SKIP_UNLESS_PRIVATE();
	for (unsigned i = 0; i < 3; i++) {
		char mkfs[32], path[32];

		snprintf(mkfs, sizeof(mkfs), "mkfs.%s", systems[i]);
		snprintf(path, sizeof(path), "%s/file", systems[i]);
		if (!scratch_mount(systems[i], mkfs, systems[i], 320 * MIB, NULL))
			continue;
		assert_int_equal(make(path, 20 * MIB), 0);
		assert_string_equal(outcome.file_system, systems[i]);
		assert_prepared(path, 20 * MIB);
		assert_int_equal(make(path, 24 * MIB), 0);
		assert_prepared(path, 24 * MIB);
		scratch_unmount(systems[i]);
		n++;
	}
	SKIP_UNLESS(n, "none of xfs, btrfs, ext2 here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_is_verified),
		cmocka_unit_test(makes_file_once),
		cmocka_unit_test(resizes_and_reseeds),
		cmocka_unit_test(rewrites_what_got_lost),
		cmocka_unit_test(removes_new_file_when_stopped),
		cmocka_unit_test(keeps_old_file_incomplete_when_stopped),
		cmocka_unit_test(rewrites_what_is_not_marked_complete),
		cmocka_unit_test(finishes_after_kill),
		cmocka_unit_test(removes_new_file_that_cannot_be_written),
		cmocka_unit_test(removes_new_file_when_disk_fills_up),
		cmocka_unit_test(keeps_space_free),
		cmocka_unit_test(touches_nothing_of_others),
		cmocka_unit_test(touches_own_file_by_no_other_way),
		cmocka_unit_test(refuses_odd_sizes),
		cmocka_unit_test(never_writes_block_devices),
		cmocka_unit_test(refuses_memory_file_systems),
		cmocka_unit_test(makes_files_elsewhere),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
