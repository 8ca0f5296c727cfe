/* SPDX-License-Identifier: MIT */
/* prepared.c - files that we wrote ourselves, know again, and therefore may write again. */
#include "engine/prepared.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/units.h"
#include "engine/devices.h"
#include "engine/fill.h"
#include "engine/target.h"

#define MAGIC	       "orion-sim prepared file 1"
#define CHECKSUM_CHARS 16
#define CHECKSUM_AT    (PREPARED_HEADER_BYTES - CHECKSUM_CHARS)

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t checksum(const char *bytes, size_t length)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < length; i++)
		sum = (sum ^ (unsigned char)bytes[i]) * 0x100000001b3u;
	return sum;
}

void prepared_write_header(const struct prepared_header *header, char *block)
{
	char sum[CHECKSUM_CHARS + 1];
	struct random random;

	random_seed(&random, header->seed, UINT64_MAX);
	random_fill(&random, block, PREPARED_HEADER_BYTES);
	snprintf(block, 256, MAGIC "\nstate %s\nsize %" PRIu64 "\nseed %" PRIu64 "\n",
		 header->complete ? "complete" : "incomplete", header->size_bytes, header->seed);
	snprintf(sum, sizeof(sum), "%016" PRIx64, checksum(block, CHECKSUM_AT));
	memcpy(block + CHECKSUM_AT, sum, CHECKSUM_CHARS);
}

int prepared_read_header(const char *block, struct prepared_header *ret)
{
	char sum[CHECKSUM_CHARS + 1], text[256], state[16];
	struct prepared_header header;

	snprintf(sum, sizeof(sum), "%016" PRIx64, checksum(block, CHECKSUM_AT));
	if (memcmp(sum, block + CHECKSUM_AT, CHECKSUM_CHARS) != 0)
		return -ENOENT;
	memcpy(text, block, sizeof(text));
	text[sizeof(text) - 1] = 0;
	if (sscanf(text, MAGIC "\nstate %15[a-z]\nsize %" SCNu64 "\nseed %" SCNu64 "\n", state,
		   &header.size_bytes, &header.seed) != 3)
		return -ENOENT;
	header.complete = !strcmp(state, "complete");
	*ret = header;
	return 0;
}

static int allocate_block(void **ret)
{
	return -posix_memalign(ret, FILL_ALIGN_BYTES, PREPARED_HEADER_BYTES);
}

static int load_header(int fd, struct prepared_header *ret)
{
	CLEANUP(cleanup_free) void *block = NULL;
	ssize_t n;

	if (allocate_block(&block))
		return -ENOMEM;
	do
		n = pread(fd, block, PREPARED_HEADER_BYTES, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)PREPARED_HEADER_BYTES ? prepared_read_header(block, ret) : -ENOENT;
}

static int store_header(int fd, const struct prepared_header *header)
{
	CLEANUP(cleanup_free) void *block = NULL;
	ssize_t n;

	if (allocate_block(&block))
		return -ENOMEM;
	prepared_write_header(header, block);
	do
		n = pwrite(fd, block, PREPARED_HEADER_BYTES, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0 || fdatasync(fd) < 0)
		return -errno;
	return n == (ssize_t)PREPARED_HEADER_BYTES ? 0 : -EIO;
}

bool prepared_is_ours(const struct target *target)
{
	struct prepared_header header;

	return !target->is_block && load_header(target->fd, &header) == 0;
}

uint64_t prepared_reserve_preset(uint64_t file_system_bytes)
{
	uint64_t reserve_bytes = file_system_bytes / 20;

	if (reserve_bytes < (uint64_t)1 << 30)
		return (uint64_t)1 << 30;
	return reserve_bytes > (uint64_t)16 << 30 ? (uint64_t)16 << 30 : reserve_bytes;
}

/* One call of prepared_make. */
struct job {
	const struct prepared_request *request;
	int fd;
	bool created;
	bool ready;
	uint64_t seed;
	uint64_t begin_bytes; /* what lies before it stays as it is */
	struct stat status;   /* of the file before anything was changed */
};

/* What the failed system call means here; nothing has been written yet. */
static int open_failed(const struct job *job, int code, struct error *error)
{
	const char *path = job->request->path;

	if (code == -EINVAL)
		return error_set(
			error, ERROR_INPUT,
			"%s: the file system refuses O_DIRECT; choose a place on ext4, xfs "
			"or btrfs",
			path);
	if (code == -EEXIST || code == -ELOOP)
		return error_set(
			error, ERROR_INPUT,
			"%s: something of that name has just appeared; choose another name", path);
	return error_set(error, code == -EIO ? ERROR_IO : ERROR_INPUT, "%s: cannot be written: %s",
			 path, strerror(-code));
}

static int check_space(const struct job *job, int fd, uint64_t have_bytes, struct error *error)
{
	uint64_t need_bytes = job->request->size_bytes, reserve_bytes = job->request->reserve_bytes;
	char need[32], reserve[32], available[32];
	uint64_t free_bytes;
	struct statvfs status;

	if (fstatvfs(fd, &status) < 0)
		return open_failed(job, -errno, error);
	free_bytes = (uint64_t)status.f_bavail * status.f_frsize;
	if (reserve_bytes == PREPARED_RESERVE_PRESET)
		reserve_bytes =
			prepared_reserve_preset((uint64_t)status.f_blocks * status.f_frsize);
	need_bytes -= have_bytes < need_bytes ? have_bytes : need_bytes;
	if (need_bytes == 0 ||
	    (reserve_bytes <= free_bytes && need_bytes <= free_bytes - reserve_bytes))
		return 0;
	return error_set(
		error, ERROR_CANNOT,
		"%s: needs %s and %s are to stay free, but the file system has only %s "
		"free; free some, ask for a smaller size, or keep less free with --reserve",
		job->request->path, units_format_amount(need_bytes, need),
		units_format_amount(reserve_bytes, reserve),
		units_format_amount(free_bytes, available));
}

static int create_file(struct job *job, struct error *error)
{
	CLEANUP(cleanup_free) char *folder_text = strdup(job->request->path);
	CLEANUP(cleanup_free) char *name_text = strdup(job->request->path);
	CLEANUP(cleanup_close) int folder = -1;
	const char *path = job->request->path;
	int code;

	if (!folder_text || !name_text)
		return error_set(error, -ENOMEM, "%s: no memory", path);
	if (!*path || path[strlen(path) - 1] == '/')
		return error_set(error, ERROR_INPUT, "'%s' names no file; give a file's name",
				 path);
	if (device_is_name(path))
		return device_missing(path, error);
	folder = open(dirname(folder_text), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return error_set(error, ERROR_INPUT, "%s: its folder cannot be opened: %s", path,
				 strerror(errno));
	code = mount_check(folder, path, error);
	if (!code)
		code = check_space(job, folder, 0, error);
	if (code)
		return code;
	job->fd = openat(folder, basename(name_text),
			 O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (job->fd < 0 || fstat(job->fd, &job->status) < 0)
		return open_failed(job, -errno, error);
	job->created = true;
	/* Not at open, where some file systems would have created the file and then refuse. */
	if (fcntl(job->fd, F_SETFL, O_DIRECT) < 0)
		return open_failed(job, -errno, error);
	return 0;
}

static int refuse_existing(const struct job *job, const char *what, struct error *error)
{
	return error_set(error, ERROR_INPUT,
			 "%s: %s; nothing was changed, choose a name that is not in use",
			 job->request->path, what);
}

static int check_existing(const struct job *job, struct error *error)
{
	mode_t mode = job->status.st_mode;

	if (S_ISLNK(mode))
		return refuse_existing(job, "is a symlink, and none is followed", error);
	if (S_ISDIR(mode))
		return refuse_existing(job, "is a directory", error);
	if (S_ISBLK(mode))
		return refuse_existing(job, "is a block device, which is never written here",
				       error);
	if (!S_ISREG(mode))
		return refuse_existing(job, "is no regular file", error);
	if (job->status.st_nlink > 1)
		return refuse_existing(job, "has more than one name (hard links)", error);
	return 0;
}

/* Is the range of a file on the disk, as its header claims? */
static int check_written(const char *path, uint64_t length_bytes, struct error *error)
{
	struct target target;
	int code = target_open(path, &target, error);

	if (code)
		return code;
	code = target_check_written(&target, 0, length_bytes, false, NULL, error);
	target_close(&target);
	return code;
}

/* Decides from an existing file's header what is left to do. */
static int plan_existing(struct job *job, struct error *error)
{
	uint64_t size_bytes = job->request->size_bytes, have_bytes;
	struct prepared_header header = {0};
	int code = load_header(job->fd, &header);

	if (code == -ENOENT)
		return refuse_existing(job, "exists and was not written by orion-sim prepare",
				       error);
	if (code)
		return open_failed(job, code, error);
	job->seed = job->request->seed ? job->request->seed : header.seed;
	if (!header.complete || header.seed != job->seed ||
	    header.size_bytes != (uint64_t)job->status.st_size)
		return 0;
	have_bytes = header.size_bytes < size_bytes ? header.size_bytes : size_bytes;
	/* A copy may have got holes on its way. */
	if (check_written(job->request->path, have_bytes, NULL) != 0)
		return 0;
	job->begin_bytes = have_bytes;
	job->ready = header.size_bytes == size_bytes;
	return 0;
}

/* Two at work on one file would leave it marked complete by the first. */
static int lock_file(const struct job *job, struct error *error)
{
	if (flock(job->fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return open_failed(job, -errno, error);
	return error_set(error, ERROR_INPUT,
			 "%s: is being prepared by another process; wait for it to end",
			 job->request->path);
}

static int open_existing(struct job *job, int path_fd, struct error *error)
{
	char link[32];
	int code;

	if (fstat(path_fd, &job->status) < 0)
		return open_failed(job, -errno, error);
	code = check_existing(job, error);
	if (!code)
		code = mount_check(path_fd, job->request->path, error);
	if (code)
		return code;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	job->fd = open(link, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (job->fd < 0)
		return open_failed(job, -errno, error);
	code = lock_file(job, error);
	if (!code)
		code = plan_existing(job, error);
	if (!code && !job->ready)
		code = check_space(job, job->fd, (uint64_t)job->status.st_blocks * 512, error);
	return code;
}

static int open_file(struct job *job, struct error *error)
{
	CLEANUP(cleanup_close)
	int path_fd = open(job->request->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int code;

	if (path_fd >= 0)
		return open_existing(job, path_fd, error);
	if (errno != ENOENT)
		return open_failed(job, -errno, error);
	code = create_file(job, error);
	return code ? code : lock_file(job, error);
}

/* A new name is on the disk once its folder is. */
static void sync_folder(const char *path)
{
	CLEANUP(cleanup_free) char *text = strdup(path);
	CLEANUP(cleanup_close) int folder = -1;

	if (text)
		folder = open(dirname(text), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0)
		fsync(folder);
}

static int write_file(const struct job *job, const struct fill_observer *observer,
		      struct error *error)
{
	const struct prepared_request *request = job->request;
	struct prepared_header header = {.size_bytes = request->size_bytes, .seed = job->seed};
	int code = store_header(job->fd, &header);

	if (!code && ftruncate(job->fd, (off_t)request->size_bytes) < 0)
		code = -errno;
	if (code)
		return error_set(error, code == -EIO ? ERROR_IO : code, "%s: cannot be written: %s",
				 request->path, strerror(-code));
	code = fill_range(job->fd, job->begin_bytes, request->size_bytes, job->seed, observer,
			  error);
	if (code) {
		error_prefix(error, "%s: ", request->path);
		return code;
	}
	code = check_written(request->path, request->size_bytes, error);
	if (code)
		return code;
	header.complete = true;
	code = store_header(job->fd, &header);
	if (code)
		return error_set(error, code == -EIO ? ERROR_IO : code,
				 "%s: cannot be marked as complete: %s", request->path,
				 strerror(-code));
	if (job->created)
		sync_folder(request->path);
	return 0;
}

/* Removes what was created here, unless the name means another file by now. */
static void remove_created(const struct job *job, struct error *error)
{
	struct stat status;

	if (lstat(job->request->path, &status) == 0 && status.st_dev == job->status.st_dev &&
	    status.st_ino == job->status.st_ino && unlink(job->request->path) == 0)
		error_append(error, "; it was removed again");
}

static int check_request(const struct prepared_request *request, struct error *error)
{
	if (request->size_bytes < PREPARED_LEAST_BYTES || request->size_bytes % FILL_ALIGN_BYTES ||
	    request->size_bytes > INT64_MAX)
		return error_set(
			error, ERROR_INPUT, "%s: size %llu is not a multiple of %u and at least 1M",
			request->path, (unsigned long long)request->size_bytes, FILL_ALIGN_BYTES);
	return 0;
}

int prepared_make(const struct prepared_request *request, const struct fill_observer *observer,
		  struct prepared_outcome *ret, struct error *error)
{
	struct job job = {
		.request = request,
		.fd = -1,
		.seed = request->seed ? request->seed : 1,
		.begin_bytes = PREPARED_HEADER_BYTES,
	};
	struct prepared_outcome outcome = {0};
	uint64_t begin_ns = clock_now_ns();
	struct mount mount;
	int code = check_request(request, error);

	if (code)
		return code;
	code = open_file(&job, error);
	if (!code && !job.ready) {
		code = write_file(&job, observer, error);
		if (code && !job.created)
			error_append(error, "; it stays marked as incomplete, the same command "
					    "finishes it");
	}
	if (code && job.created)
		remove_created(&job, error);
	if (!code) {
		outcome.created = job.created;
		outcome.was_ready = job.ready;
		if (!job.ready && request->size_bytes > job.begin_bytes)
			outcome.written_bytes = request->size_bytes - job.begin_bytes;
		outcome.duration_ns = clock_now_ns() - begin_ns;
		snprintf(outcome.file_system, sizeof(outcome.file_system), "%s",
			 mount_find(job.fd, &mount) == 0 ? mount.type : "unknown file system");
		*ret = outcome;
	}
	if (job.fd >= 0)
		close(job.fd);
	return code;
}
