/* SPDX-License-Identifier: MIT */
/* references.c - init of a guest: direct I/O into every memory leaves no page reference behind. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAB	  "/sys/kernel/debug/orion_lab/tailref"
#define THP	  "/sys/kernel/mm/transparent_hugepage/"
#define MEBIBYTE  (1UL << 20)
#define SIZE	  (32 * MEBIBYTE)
#define HUGE	  (2 * MEBIBYTE)
#define SEALED	  HUGE
#define HUGEPAGES 32
#define SECTOR	  512UL
#define IN_FLIGHT 8
#define READS	  400
#define ROUNDS	  4

struct kind {
	const char *name;
	const char *setting; /* a file that is to hold "always"; where there is none, the kind is
				skipped */
	const char *proof, *word; /* a number in a file that is not 0 once there are such folios */
	int flags;
};

/* Free memory breathes by that much; a 2M folio that is lost in every round is more. */
#define SLACK_KIB 6144

static const struct kind kinds[] = {
	{.name = "hugetlb", .flags = MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB},
	{.name = "hugetlb private", .flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB},
	{.name = "64K folios shared",
	 .setting = THP "hugepages-64kB/shmem_enabled",
	 .proof = THP "hugepages-64kB/stats/shmem_alloc",
	 .word = "",
	 .flags = MAP_SHARED | MAP_ANONYMOUS},
	{.name = "2M folios shared",
	 .setting = THP "shmem_enabled",
	 .proof = "/proc/meminfo",
	 .word = "ShmemHugePages:",
	 .flags = MAP_SHARED | MAP_ANONYMOUS},
	{.name = "64K folios private",
	 .setting = THP "hugepages-64kB/enabled",
	 .proof = THP "hugepages-64kB/stats/anon_fault_alloc",
	 .word = "",
	 .flags = MAP_PRIVATE | MAP_ANONYMOUS},
	{.name = "2M folios private",
	 .setting = THP "enabled",
	 .proof = "/proc/meminfo",
	 .word = "AnonHugePages:",
	 .flags = MAP_PRIVATE | MAP_ANONYMOUS},
	{.name = "base pages shared", .flags = MAP_SHARED | MAP_ANONYMOUS},
	{.name = "base pages private", .flags = MAP_PRIVATE | MAP_ANONYMOUS},
};

static const char all_ways[] = "all in turns";
static const char *const ways[] = {"batch", "pertail", "locked", "locked-bypass", all_ways};
#define WAYS 5

static int failures;

static void fail(const char *what, const char *why)
{
	printf("FAILED %s: %s\n", what, why);
	failures++;
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* The number that follows a word in a file; -1 if it does not. The kernel gives its files in
 * pieces. */
static long read_number(const char *path, const char *word)
{
	char text[16384] = "", *at;
	int fd = open(path, O_RDONLY);
	ssize_t used = 0, got = fd >= 0;

	while (got > 0) {
		got = read(fd, text + used, sizeof(text) - 1 - (size_t)used);
		used += got > 0 ? got : 0;
	}
	if (fd >= 0)
		close(fd);
	at = strstr(text, word);
	return at ? strtol(at + strlen(word), NULL, 10) : -1;
}

static unsigned long random_below(unsigned long limit)
{
	static unsigned long state = 88172645463325252UL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

/* One read of up to 1 MiB and a bit, from anywhere in the memory, in steps of sectors. */
static struct iovec random_buffer(char *memory)
{
	unsigned long length = (random_below(3) ? random_below(1100) + 1 : 2048) * 512;
	unsigned long offset = random_below((SIZE - length) / SECTOR + 1) * SECTOR;

	if (random_below(2))
		offset &= ~4095UL;
	return (struct iovec){memory + offset, length};
}

static void read_async(int fd, aio_context_t context, char *memory)
{
	struct iocb blocks[IN_FLIGHT], *list[IN_FLIGHT];
	struct io_event events[IN_FLIGHT];
	long in = 0, out;

	for (int i = 0; i < IN_FLIGHT; i++) {
		struct iovec buffer = random_buffer(memory);

		blocks[i] = (struct iocb){.aio_fildes = (unsigned)fd,
					  .aio_lio_opcode = IOCB_CMD_PREAD,
					  .aio_buf = (unsigned long)buffer.iov_base,
					  .aio_nbytes = buffer.iov_len,
					  .aio_offset = (long)(random_below(1000) * MEBIBYTE)};
		list[i] = &blocks[i];
	}
	in = syscall(SYS_io_submit, context, IN_FLIGHT, list);
	for (out = 0; out < in;) {
		long n = syscall(SYS_io_getevents, context, 1, in - out, events, NULL);

		for (long i = 0; i < n; i++)
			if (events[i].res <= 0)
				fail("read", strerror((int)-events[i].res));
		if (n <= 0)
			break;
		out += n;
	}
	if (in != IN_FLIGHT || out != in)
		fail("reads", "not all were submitted and reaped");
}

/* Reads that end early: in memory that may only be read, in none at all, at and behind the disk's
 * end. */
static void read_odd(int fd, char *memory, long long disk)
{
	struct iovec buffers[2] = {random_buffer(memory), random_buffer(memory)};

	(void)!preadv(fd, buffers, 2, 0);
	buffers[1] = (struct iovec){memory + SIZE, MEBIBYTE};
	(void)!preadv(fd, buffers, 2, 0);
	(void)!pread(fd, memory + SIZE - SEALED - 65536, 131072, 0);
	(void)!pread(fd, memory + SIZE - 65536, 131072, 0);
	(void)!pread(fd, memory, MEBIBYTE, disk - 65536);
	(void)!pread(fd, memory, MEBIBYTE, disk + 4096);
	(void)!pwritev(fd, buffers, 1, 0);
}

/* A second process that reads into the same pages at the same time. */
static pid_t start_reader(int fd, char *memory)
{
	aio_context_t context = 0;
	pid_t pid = fork();

	if (pid)
		return pid;
	failures = 0;
	syscall(SYS_io_setup, IN_FLIGHT, &context);
	for (int i = 0; i < READS / IN_FLIGHT; i++)
		read_async(fd, context, memory);
	_exit(failures > 0);
}

static void use_memory(int fd, const struct kind *kind, long long disk)
{
	aio_context_t context = 0;
	pid_t reader;
	int status;
	char *space = mmap(NULL, SIZE + 2 * HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory = (char *)(((unsigned long)space + HUGE - 1) & ~(HUGE - 1));

	memory = mmap(memory, SIZE, PROT_READ | PROT_WRITE, kind->flags | MAP_FIXED, -1, 0);
	if (memory == MAP_FAILED)
		return fail(kind->name, strerror(errno));
	for (unsigned long at = 0; at < SIZE; at += 4096)
		memory[at] = 1;
	if (kind->proof && read_number(kind->proof, kind->word) <= 0)
		fail(kind->name, "no such folios were got");
	syscall(SYS_io_setup, IN_FLIGHT, &context);
	reader = kind->flags & MAP_SHARED ? start_reader(fd, memory) : 0;
	for (int i = 0; i < READS / IN_FLIGHT; i++)
		read_async(fd, context, memory);
	if (reader > 0 && (waitpid(reader, &status, 0) < 0 || status))
		fail(kind->name, "the other reader failed");
	mprotect(memory + SIZE - SEALED, SEALED, PROT_READ);
	for (int i = 0; i < READS / 10; i++)
		read_odd(fd, memory, disk);
	syscall(SYS_io_destroy, context);
	munmap(space, SIZE + 2 * HUGE);
}

static long free_kib(void)
{
	write_text("/proc/sys/vm/drop_caches", "3");
	write_text("/proc/sys/vm/compact_memory", "1");
	usleep(100000);
	return read_number("/proc/meminfo", "MemFree:");
}

static pid_t start_switching(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (unsigned i = 0;; i++) {
		write_text(LAB, ways[i % (WAYS - 1)]);
		usleep(5000);
	}
}

static bool is_clean(const char *way, const char *kind, long lost)
{
	long huge, pins;
	bool clean;

	/* Counts of the CPUs are added up. */
	write_text("/proc/sys/vm/stat_refresh", "1");
	huge = read_number("/proc/meminfo", "HugePages_Free:");
	pins = read_number("/proc/vmstat", "nr_foll_pin_acquired ") -
	       read_number("/proc/vmstat", "nr_foll_pin_released ");
	clean = lost <= SLACK_KIB && huge == HUGEPAGES && pins == 0;

	printf("%s %s, %s: %ld KiB less free, %ld of %d huge pages free, %ld pins held\n",
	       clean ? "ok" : "FAILED", way, kind, lost, huge, HUGEPAGES, pins);
	return clean;
}

static void try_kind(int fd, const struct kind *kind, const char *way, long long disk)
{
	pid_t switching = 0;
	long before;

	if (kind->setting && !write_text(kind->setting, "always")) {
		printf("skipped %s: this kernel has no %s\n", kind->name, kind->setting);
		return;
	}
	if (way == all_ways)
		switching = start_switching();
	/* What only the first use takes is no loss. */
	use_memory(fd, kind, disk);
	before = free_kib();
	for (int i = 0; i < ROUNDS; i++)
		use_memory(fd, kind, disk);
	if (switching > 0) {
		kill(switching, SIGKILL);
		waitpid(switching, NULL, 0);
	}
	failures += !is_clean(way, kind->name, before - free_kib());
	if (kind->setting)
		write_text(kind->setting, "never");
}

/* What the kernel says of what went wrong with its pages; and of its switches. */
static void check_log(bool with_switches)
{
	static const char *const bad[] = {"BUG", "WARNING", "Bad page", "Bad rss", "refcount_t"};
	static char text[1 << 18];
	int got = klogctl(3, text, sizeof(text) - 1);

	for (char *line = strtok(text, "\n"); line && got > 0; line = strtok(NULL, "\n")) {
		if (with_switches && strstr(line, "orion_lab: "))
			printf("%s\n", line);
		for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
			if (strstr(line, bad[i]))
				fail("the kernel", line);
	}
}

static void start_guest(void)
{
	int fd;

	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("dev", "/dev", "devtmpfs", 0, NULL);
	mount("debug", "/sys/kernel/debug", "debugfs", 0, NULL);
	fd = open("/dev/console", O_WRONLY);
	dup2(fd, STDOUT_FILENO);
	setlinebuf(stdout);
	write_text("/proc/sys/kernel/printk", "3");
	write_text("/proc/sys/vm/nr_hugepages", "32");
	/* Freed pages are not kept for the CPU that freed them. */
	write_text("/proc/sys/vm/percpu_pagelist_high_fraction", "1000000");
	write_text(THP "enabled", "never");
	write_text(THP "shmem_enabled", "never");
}

static void try_way(int fd, const char *way, long long disk)
{
	if (way != all_ways && !write_text(LAB, way))
		fail("cannot set", way);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		try_kind(fd, &kinds[i], way, disk);
}

/* Told "turns", it throws the switch while reads are under way. */
int main(int argc, char **argv)
{
	int ways_n = !strcmp(argv[argc - 1], "turns") ? WAYS : WAYS - 1;
	int fd;

	start_guest();
	check_log(true);
	fd = open("/dev/nullb0", O_RDWR | O_DIRECT);
	if (fd < 0)
		fail("/dev/nullb0", strerror(errno));
	for (int i = 0; fd >= 0 && i < ways_n; i++)
		try_way(fd, ways[i], lseek(fd, 0, SEEK_END));
	write_text("/proc/sys/vm/nr_hugepages", "0");
	if (read_number("/proc/meminfo", "HugePages_Total:") != 0)
		fail("huge pages", "some cannot be given back");
	check_log(false);
	printf("ended with %d failures\n", failures);
	reboot(RB_POWER_OFF);
	return 0;
}
