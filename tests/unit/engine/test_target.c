/* SPDX-License-Identifier: MIT */
/* test_target.c - targets are opened for reading only, or refused with the remedy. */
#include "engine/target.h"

#include "scratch.h"

#include <linux/blkpg.h>
#include <sys/sysmacros.h>

static struct error error;

static void opens_file_for_direct_reads(void **state)
{
	struct target target;
	int flags;

	SKIP_UNLESS_DISK();
	scratch_write("file", 0, MIB);
	assert_int_equal(symlink("file", "link"), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(target_open(i ? "link" : "file", &target, &error), 0);
		flags = fcntl(target.fd, F_GETFL);
		assert_int_equal(flags & O_ACCMODE, O_RDONLY);
		assert_true(flags & O_DIRECT);
		assert_int_equal(target.size_bytes, MIB);
		assert_false(target.is_block);
		assert_true(target.offset_align_bytes >= 1 && target.memory_align_bytes >= 1);
		assert_true(target.align_source[0]);
		assert_string_not_equal(target.file_system, "unknown file system");
		target_close(&target);
		assert_int_equal(target.fd, -1);
	}
}

/* As the demo has it: a file that never had a name, known by its descriptor. */
static void opens_file_without_name(void **state)
{
	struct target target;
	char path[64];
	int fd;

	SKIP_UNLESS_DISK();
	fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	SKIP_UNLESS(fd >= 0, "no O_TMPFILE in the build folder");
	assert_int_equal(ftruncate(fd, MIB), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(target_open(path, &target, &error), 0);
	assert_int_equal(target.size_bytes, MIB);
	assert_true(target.fd != fd);
	assert_int_equal(fcntl(target.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_string_not_equal(target.file_system, "unknown file system");
	target_close(&target);
	close(fd);
}

static void refuses_what_is_no_file(void **state)
{
	struct target target = {.fd = -7};
	char path[600];

	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	scratch_sparse("empty", 0);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	ASSERT_REFUSED(target_open("missing", &target, &error), &error,
		       "orion-sim prepare missing --size");
	ASSERT_REFUSED(target_open("/dev/nvme0n9q", &target, &error), &error, "no such device");
	ASSERT_REFUSED(target_open("folder", &target, &error), &error, "is a directory");
	ASSERT_REFUSED(target_open("pipe", &target, &error), &error, "is a pipe");
	ASSERT_REFUSED(target_open("/dev/null", &target, &error), &error, "character device");
	ASSERT_REFUSED(target_open("file/below", &target, &error), &error, "file/below");
	ASSERT_REFUSED(target_open(path, &target, &error), &error, "511 characters");
	assert_int_equal(target.fd, -7);
	SKIP_UNLESS_DISK();
	ASSERT_REFUSED(target_open("empty", &target, &error), &error, "length 0");
}

static void refuses_memory_file_systems(void **state)
{
	const char *name = "/dev/shm/orion-sim-test-target";
	struct target target;
	struct statfs status;

	SKIP_UNLESS(statfs("/dev/shm", &status) == 0 && status.f_type == TMPFS_MAGIC,
		    "/dev/shm is no tmpfs");
	scratch_write(name, 0, 8192);
	error.code = target_open(name, &target, &error);
	unlink(name);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_non_null(strstr(error.text, "tmpfs"));
}

static void refuses_regular_file_under_dev(void **state)
{
	struct target target;

	SKIP_UNLESS_PRIVATE();
	assert_int_equal(mount("none", "/dev", "tmpfs", 0, NULL), 0);
	scratch_write("/dev/nvme0n9", 0, 8192);
	error.code = target_open("/dev/nvme0n9", &target, &error);
	assert_int_equal(umount2("/dev", MNT_DETACH), 0);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_non_null(strstr(error.text, "mistyped"));
}

static void refuses_overlay(void **state)
{
	struct target target;

	SKIP_UNLESS_PRIVATE();
	assert_int_equal(mkdir("lower", 0700) | mkdir("upper", 0700) | mkdir("work", 0700) |
				 mkdir("merged", 0700),
			 0);
	scratch_write("lower/file", 0, 8192);
	SKIP_UNLESS(mount("none", "merged", "overlay", 0,
			  "lowerdir=lower,upperdir=upper,workdir=work") == 0,
		    "overlay cannot be mounted here");
	error.code = target_open("merged/file", &target, &error);
	assert_int_equal(umount2("merged", MNT_DETACH), 0);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_non_null(strstr(error.text, "overlay"));
}

static void refuses_unreadable_file(void **state)
{
	struct target target;

	SKIP_UNLESS_DISK();
	SKIP_UNLESS(geteuid() == 0, "needs root to become somebody else");
	scratch_write("private", 0, 8192);
	assert_int_equal(seteuid(65534), 0);
	error.code = target_open("private", &target, &error);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_non_null(strstr(error.text, "as root"));
}

/* ext4 opens with O_DIRECT all the same and then reads through the page cache. */
static void refuses_journalled_data(void **state)
{
	struct target target;

	SKIP_UNLESS_PRIVATE();
	SKIP_UNLESS(scratch_mount("journalled", "mkfs.ext4", "ext4", 64 * MIB, "data=journal"),
		    "no ext4 with data=journal here");
	scratch_write("journalled/file", 0, MIB);
	error.code = target_open("journalled/file", &target, &error);
	scratch_unmount("journalled");
	assert_int_equal(error.code, ERROR_INPUT);
	assert_non_null(strstr(error.text, "statx"));
}

static void asks_device_for_alignment(void **state)
{
	char device[32], names[TARGET_DEVICES_MAX][32] = {{0}};
	struct target target;
	int fd;

	SKIP_UNLESS_PRIVATE();
	scratch_write("disk", 0, 4 * MIB);
	fd = scratch_loop("disk", 4096, 0, device);
	SKIP_UNLESS(fd >= 0, "no loop device to be had");
	assert_int_equal(target_open(device, &target, &error), 0);
	assert_true(target.is_block);
	assert_int_equal(target.size_bytes, 4 * MIB);
	assert_int_equal(target.offset_align_bytes, 4096);
	assert_string_equal(target.file_system, "block device");
	assert_int_equal(fcntl(target.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	ASSERT_REFUSED(target_check_alignment(&target, 0, 0, 512, &error), &error,
		       "block 512 is not a multiple of 4K");
	assert_int_equal(target_check_alignment(&target, 0, 0, 8192, &error), 0);
	assert_int_equal(target_devices(&target, names), 1);
	assert_string_equal(names[0], device + strlen("/dev/"));
	target_close(&target);
	close(fd);
}

static void refuses_empty_device(void **state)
{
	struct target target;
	char device[32];
	int fd;

	SKIP_UNLESS_PRIVATE();
	scratch_sparse("nothing", 0);
	fd = scratch_loop("nothing", 512, 0, device);
	SKIP_UNLESS(fd >= 0, "no loop device to be had");
	error.code = target_open(device, &target, &error);
	close(fd);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_non_null(strstr(error.text, "length 0"));
}

static void checks_alignment_and_range(void **state)
{
	struct target target;

	target_model(&target, MIB);
	target.offset_align_bytes = 512;
	assert_int_equal(target_check_alignment(&target, 0, 0, MIB, &error), 0);
	assert_int_equal(target_check_alignment(&target, MIB / 2, MIB / 2, 8192, &error), 0);
	assert_int_equal(target_check_alignment(&target, 512, 1000, 512, &error), 0);
	ASSERT_REFUSED(target_check_alignment(&target, 0, 0, 0, &error), &error, "block is 0");
	ASSERT_REFUSED(target_check_alignment(&target, 0, 0, 1000, &error), &error,
		       "block 1000 is not a multiple of 512");
	ASSERT_REFUSED(target_check_alignment(&target, 32, 0, 512, &error), &error,
		       "offset 32 is not a multiple of 512");
	ASSERT_REFUSED(target_check_alignment(&target, MIB, 0, 512, &error), &error,
		       "behind the end");
	ASSERT_REFUSED(target_check_alignment(&target, MIB / 2, MIB, 512, &error), &error,
		       "at most 524288");
	ASSERT_REFUSED(target_check_alignment(&target, 512, UINT64_MAX, 512, &error), &error,
		       "behind the end");
	ASSERT_REFUSED(target_check_alignment(&target, 0, 0, 2 * MIB, &error), &error,
		       "no block of 2M fits");
	ASSERT_REFUSED(target_check_alignment(&target, 0, 4096, 8192, &error), &error,
		       "no block of 8K fits");
}

static void names_disk_of_partition(void **state)
{
	struct blkpg_partition partition = {
		.start = (long long)MIB, .length = (long long)MIB, .pno = 1};
	struct blkpg_ioctl_arg argument = {
		.op = BLKPG_ADD_PARTITION, .datalen = sizeof(partition), .data = &partition};
	char device[32], node[64], names[TARGET_DEVICES_MAX][32] = {{0}};
	struct target target = {.fd = -1};
	int fd, n;

	SKIP_UNLESS_PRIVATE();
	scratch_write("parted", 0, 4 * MIB);
	fd = scratch_loop("parted", 512, LO_FLAGS_PARTSCAN, device);
	SKIP_UNLESS(fd >= 0, "no loop device to be had");
	if (ioctl(fd, BLKPG, &argument) < 0) {
		close(fd);
		SKIP_UNLESS(false, "loop devices take no partitions here");
	}
	snprintf(node, sizeof(node), "%sp1", device);
	for (int tries = 0; access(node, F_OK) != 0 && tries < 100; tries++)
		usleep(10000);
	n = target_open(node, &target, &error);
	if (!n)
		n = target_devices(&target, names);
	target_close(&target);
	argument.op = BLKPG_DEL_PARTITION;
	ioctl(fd, BLKPG, &argument);
	close(fd);
	assert_int_equal(n, 1);
	assert_string_equal(names[0], device + strlen("/dev/"));
}

static void names_disk_of_file(void **state)
{
	char names[TARGET_DEVICES_MAX][32] = {{0}}, path[64];
	struct target target;
	int n;

	SKIP_UNLESS_DISK();
	scratch_write("on-disk", 0, 8192);
	assert_int_equal(target_open("on-disk", &target, &error), 0);
	n = target_devices(&target, names);
	target_close(&target);
	assert_in_range(n, 0, TARGET_DEVICES_MAX);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/sys/block/%s/stat", names[i]);
		assert_int_equal(access(path, R_OK), 0);
	}
	target_model(&target, MIB);
	assert_int_equal(target_devices(&target, names), 0);
}

/* Its files have an anonymous device number, and its mount names one of two devices. */
static void names_all_disks_of_btrfs(void **state)
{
	const char *argv[] = {"mkfs.btrfs", "-q", "-f", NULL, NULL, NULL};
	char first[32], second[32], names[TARGET_DEVICES_MAX][32] = {{0}};
	struct target target = {.fd = -1};
	int fds[2], n = -1;
	bool mounted;

	SKIP_UNLESS_PRIVATE();
	scratch_sparse("first", 128 * MIB);
	scratch_sparse("second", 128 * MIB);
	fds[0] = scratch_loop("first", 512, 0, first);
	fds[1] = scratch_loop("second", 512, 0, second);
	argv[3] = first;
	argv[4] = second;
	assert_int_equal(mkdir("btrfs", 0700), 0);
	mounted = scratch_run(argv);
	if (mounted) {
		char options[64];

		snprintf(options, sizeof(options), "device=%s", second);
		mounted = mount(first, "btrfs", "btrfs", 0, options) == 0;
	}
	if (mounted) {
		scratch_write("btrfs/file", 0, MIB);
		n = target_open("btrfs/file", &target, &error);
		if (!n)
			n = target_devices(&target, names);
		target_close(&target);
		umount2("btrfs", MNT_DETACH);
	}
	close(fds[0]);
	close(fds[1]);
	SKIP_UNLESS(mounted, "no btrfs here");
	assert_int_equal(n, 2);
	assert_true(!strcmp(names[0], first + 5) || !strcmp(names[1], first + 5));
	assert_true(!strcmp(names[0], second + 5) || !strcmp(names[1], second + 5));
}

static void names_file_system(void **state)
{
	char names[TARGET_DEVICES_MAX][32] = {{0}};
	struct target target;
	int n;

	SKIP_UNLESS_PRIVATE();
	SKIP_UNLESS(scratch_mount("xfs", "mkfs.xfs", "xfs", 320 * MIB, NULL), "no xfs here");
	scratch_write("xfs/file", 0, MIB);
	n = target_open("xfs/file", &target, &error);
	if (!n) {
		n = target_devices(&target, names);
		target_close(&target);
	}
	scratch_unmount("xfs");
	assert_int_equal(n, 1);
	assert_string_equal(target.file_system, "xfs");
	assert_memory_equal(names[0], "loop", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_file_for_direct_reads),
		cmocka_unit_test(opens_file_without_name),
		cmocka_unit_test(refuses_what_is_no_file),
		cmocka_unit_test(refuses_memory_file_systems),
		cmocka_unit_test(refuses_regular_file_under_dev),
		cmocka_unit_test(refuses_overlay),
		cmocka_unit_test(refuses_unreadable_file),
		cmocka_unit_test(refuses_journalled_data),
		cmocka_unit_test(asks_device_for_alignment),
		cmocka_unit_test(refuses_empty_device),
		cmocka_unit_test(checks_alignment_and_range),
		cmocka_unit_test(names_disk_of_partition),
		cmocka_unit_test(names_disk_of_file),
		cmocka_unit_test(names_all_disks_of_btrfs),
		cmocka_unit_test(names_file_system),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
