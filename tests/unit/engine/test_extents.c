/* SPDX-License-Identifier: MIT */
/* test_extents.c - what was never written is found to the byte, and refused. */
#include "engine/target.h"

#include "scratch.h"

#include <sys/mman.h>

#include "engine/prepared.h"

static struct error error;

/* Opens, checks and closes; the answer of the check. */
static int check(const char *path, uint64_t offset_bytes, uint64_t length_bytes, bool allow,
		 uint64_t *ret_bytes)
{
	struct target target;
	int code;

	assert_int_equal(target_open(path, &target, &error), 0);
	code = target_check_written(&target, offset_bytes, length_bytes, allow, ret_bytes, &error);
	target_close(&target);
	return code;
}

static void allocate(const char *name, uint64_t offset_bytes, uint64_t length_bytes)
{
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fallocate(fd, 0, (off_t)offset_bytes, (off_t)length_bytes), 0);
	close(fd);
}

/* Data that is still only in the page cache counts as written too. */
static void accepts_written_file(void **state)
{
	uint64_t bytes = 99;

	SKIP_UNLESS_DISK();
	scratch_write("written", 0, 3 * MIB + 100);
	assert_int_equal(check("written", 0, 0, false, &bytes), 0);
	assert_int_equal(bytes, 0);
	assert_int_equal(check("written", MIB, MIB, false, NULL), 0);
}

static void finds_hole_to_the_byte(void **state)
{
	uint64_t bytes = 99;

	SKIP_UNLESS_DISK();
	scratch_sparse("holed", 8 * MIB);
	scratch_write("holed", 0, 2 * MIB);
	scratch_write("holed", 5 * MIB, MIB);
	ASSERT_REFUSED(check("holed", 0, 0, false, &bytes), &error,
		       "5M of the tested 8M were never written (first at offset 2M)");
	assert_non_null(strstr(error.text, "orion-sim prepare NEWFILE --size 8M"));
	assert_non_null(strstr(error.text, "\"allow_unwritten\": true"));
	assert_int_equal(bytes, 99);
	assert_int_equal(check("holed", 0, 0, true, &bytes), 0);
	assert_int_equal(bytes, 5 * MIB);
	/* Only the tested range counts. */
	assert_int_equal(check("holed", 0, 2 * MIB, false, &bytes), 0);
	assert_int_equal(check("holed", 5 * MIB, MIB, false, &bytes), 0);
	assert_int_equal(bytes, 0);
	ASSERT_REFUSED(check("holed", MIB, 2 * MIB, false, NULL), &error,
		       "1M of the tested 2M were never written (first at offset 2M)");
	ASSERT_REFUSED(check("holed", 6 * MIB, 0, false, NULL), &error, "2M of the tested 2M");
}

static void finds_allocated_but_unwritten(void **state)
{
	SKIP_UNLESS_DISK();
	allocate("allocated", 0, 4 * MIB);
	ASSERT_REFUSED(check("allocated", 0, 0, false, NULL), &error, "4M of the tested 4M");
	scratch_write("allocated", MIB, MIB);
	ASSERT_REFUSED(check("allocated", 0, 0, false, NULL), &error,
		       "3M of the tested 4M were never written (first at offset 0)");
	assert_int_equal(check("allocated", MIB, MIB, false, NULL), 0);
}

/* More extents than one call returns. */
static void counts_many_extents(void **state)
{
	uint64_t bytes;

	SKIP_UNLESS_DISK();
	scratch_sparse("many", 1500 * (uint64_t)65536);
	for (uint64_t i = 0; i < 1500; i++)
		scratch_write("many", i * 65536, 65536 / (i % 2 ? 1 : 2));
	assert_int_equal(check("many", 0, 0, true, &bytes), 0);
	assert_int_equal(bytes, 750 * (uint64_t)32768);
}

static void refuses_range_behind_end(void **state)
{
	SKIP_UNLESS_DISK();
	scratch_write("short", 0, MIB);
	ASSERT_REFUSED(check("short", MIB, 0, false, NULL), &error, "behind the end");
}

static void tells_how_to_finish_our_own(void **state)
{
	struct prepared_header header = {.size_bytes = 2 * MIB, .seed = 3};
	char block[PREPARED_HEADER_BYTES];
	int fd;

	SKIP_UNLESS_DISK();
	scratch_sparse("ours", 2 * MIB);
	prepared_write_header(&header, block);
	fd = open("ours", O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, block, sizeof(block), 0), sizeof(block));
	close(fd);
	ASSERT_REFUSED(check("ours", 0, 0, false, NULL), &error,
		       "orion-sim prepare ours --size 2M");
}

/* tmpfs knows no FIEMAP; a target that was not opened by us does for the rest. */
static void samples_where_extents_are_unknown(void **state)
{
	struct target target;
	uint64_t bytes = 99;
	char byte = 1;

	target_model(&target, 64 * MIB);
	target.offset_align_bytes = 4096;
	target.fd = memfd_create("orion-sim-test", MFD_CLOEXEC);
	assert_true(target.fd >= 0);
	assert_int_equal(ftruncate(target.fd, 64 * MIB), 0);
	ASSERT_REFUSED(target_check_written(&target, 0, 0, false, &bytes, &error), &error,
		       "64 samples of the tested 64M");
	assert_int_equal(bytes, 99);
	assert_int_equal(target_check_written(&target, MIB, 8 * MIB, true, &bytes, &error), 0);
	assert_int_equal(bytes, 8 * MIB);
	/* One byte at the very end of the last sample. */
	assert_int_equal(pwrite(target.fd, &byte, 1, 64 * MIB - 1), 1);
	assert_int_equal(target_check_written(&target, 0, 0, false, &bytes, &error), 0);
	assert_int_equal(bytes, 0);
	ASSERT_REFUSED(target_check_written(&target, 0, 4096, false, NULL, &error), &error,
		       "samples of the tested 4K");
	target_close(&target);
}

static void samples_block_devices(void **state)
{
	char device[32];
	int fd, code;

	SKIP_UNLESS_PRIVATE();
	scratch_sparse("blank", 64 * MIB);
	fd = scratch_loop("blank", 512, 0, device);
	SKIP_UNLESS(fd >= 0, "no loop device to be had");
	ASSERT_REFUSED(check(device, 0, 0, false, NULL), &error, "all zero");
	assert_null(strstr(error.text, "orion-sim prepare"));
	assert_int_equal(pwrite(fd, "x", 1, 0) == 1 ? fsync(fd) : -1, 0);
	code = check(device, 0, 0, false, NULL);
	close(fd);
	assert_int_equal(code, 0);
}

/* The same findings on another file system: holes, preallocation, written data. */
static void check_file_system(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/written", name);
	scratch_write(path, 0, 2 * MIB);
	assert_int_equal(check(path, 0, 0, false, NULL), 0);
	snprintf(path, sizeof(path), "%s/holed", name);
	scratch_sparse(path, 4 * MIB);
	scratch_write(path, MIB, MIB);
	ASSERT_REFUSED(check(path, 0, 0, false, NULL), &error, "3M of the tested 4M");
	snprintf(path, sizeof(path), "%s/allocated", name);
	allocate(path, 0, 4 * MIB);
	scratch_write(path, 0, MIB);
	ASSERT_REFUSED(check(path, 0, 0, false, NULL), &error,
		       "3M of the tested 4M were never written (first at offset 1M)");
}

static void finds_them_on_xfs(void **state)
{
	SKIP_UNLESS_PRIVATE();
	SKIP_UNLESS(scratch_mount("xfs", "mkfs.xfs", "xfs", 320 * MIB, NULL), "no xfs here");
	check_file_system("xfs");
	scratch_unmount("xfs");
}

static void write_text(const char *name, uint64_t length_bytes)
{
	FILE *file = fopen(name, "we");

	assert_non_null(file);
	for (uint64_t i = 0; i < length_bytes; i++)
		putc('a' + (int)(i / 64 % 3), file);
	assert_int_equal(fclose(file), 0);
}

static void finds_them_on_btrfs(void **state)
{
	struct target target;

	SKIP_UNLESS_PRIVATE();
	SKIP_UNLESS(scratch_mount("btrfs", "mkfs.btrfs", "btrfs", 256 * MIB, "compress-force=zlib"),
		    "no btrfs with compression here");
	write_text("btrfs/text", MIB);
	ASSERT_REFUSED(check("btrfs/text", 0, 0, false, NULL), &error,
		       "1M of the tested 1M are compressed");
	assert_int_equal(mount(NULL, "btrfs", NULL, MS_REMOUNT, "compress=no"), 0);
	write_text("btrfs/small", 200);
	target_model(&target, 200);
	target.offset_align_bytes = 512;
	target.fd = open("btrfs/small", O_RDONLY | O_CLOEXEC);
	ASSERT_REFUSED(target_check_written(&target, 0, 0, false, NULL, &error), &error,
		       "kept in the inode");
	target_close(&target);
	check_file_system("btrfs");
	scratch_unmount("btrfs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_written_file),
		cmocka_unit_test(finds_hole_to_the_byte),
		cmocka_unit_test(finds_allocated_but_unwritten),
		cmocka_unit_test(counts_many_extents),
		cmocka_unit_test(refuses_range_behind_end),
		cmocka_unit_test(tells_how_to_finish_our_own),
		cmocka_unit_test(samples_where_extents_are_unknown),
		cmocka_unit_test(samples_block_devices),
		cmocka_unit_test(finds_them_on_xfs),
		cmocka_unit_test(finds_them_on_btrfs),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
