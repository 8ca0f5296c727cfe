/* SPDX-License-Identifier: MIT */
/* demo.c - the command demo: what this host delivers, in two minutes, on a file of its own. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "command/command.h"
#include "command/execute.h"
#include "command/progress.h"
#include "engine/devices.h"
#include "engine/fill.h"
#include "engine/prepared.h"
#include "plan/profile.h"
#include "run/settings.h"

extern const struct command_ops command_demo;

#define DEMO_FILE "orion-sim-demo.data"
#define DEMO_SEED 1

struct demo_params {
	struct execute_params execute;
	char dir[400];
	uint64_t size_bytes;
	bool keep;
};

static const struct field demo_fields[] = {
	FIELD_TEXT("dir", struct demo_params, dir, ".",
		   "where its file is made: the storage to be measured"),
	FIELD_SIZE("size", struct demo_params, size_bytes, "2G", 64 << 20, 0, "of its file"),
	FIELD_BOOL("keep", struct demo_params, keep, "false",
		   "keep the file as " DEMO_FILE ", and use it again next time"),
	EXECUTE_FIELDS(struct demo_params, execute), FIELD_END};

enum demo_list { DEMO_SETS };

static const struct command_list demo_lists[] = {
	[DEMO_SETS] = {.name = "set",
		       .placeholder = "PATH=VALUE",
		       .help = "changes the demo's profile, as phases.measure=5s"},
	{.name = NULL}};

/* The file that is measured. */
struct demo_file {
	int fd;		/* -1 where it has a name */
	char path[480]; /* what the runner opens */
};

struct demo_fill {
	struct progress progress;
	int signal_fd;
	int signal; /* that ended it, or 0 */
};

/* A signal while the file is written ends the demo; an unfinished file goes with it. */
static int demo_fill_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	struct demo_fill *fill = context;
	struct signalfd_siginfo info;

	progress_share(&fill->progress, "writing the demo's file",
		       (double)done_bytes / (double)total_bytes);
	if (read(fill->signal_fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	fill->signal = (int)info.ssi_signo;
	return 1;
}

/* Before anything is written: a storage that direct I/O reaches, and a size that it can have. */
static int demo_check_dir(const struct demo_params *params, struct error *error)
{
	CLEANUP(cleanup_close) int fd = open(params->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int status;

	if (params->size_bytes % FILL_ALIGN_BYTES)
		return error_set(error, ERROR_INPUT,
				 "--size: %lu is not a multiple of %u; round it",
				 params->size_bytes, FILL_ALIGN_BYTES);
	if (fd < 0)
		return error_set(error, ERROR_INPUT, "--dir: %s: %s; name a directory that exists",
				 params->dir, strerror(errno));
	status = mount_check(fd, params->dir, error);
	return status < 0 ? error_prefix(error, "--dir: ") : 0;
}

static int demo_check_room(const struct demo_params *params, struct error *error)
{
	struct statvfs space;
	uint64_t free_bytes, reserve_bytes;
	char need[32], have[32];

	if (statvfs(params->dir, &space) < 0)
		return error_set(error, ERROR_INPUT, "--dir: %s: %s; name a directory that exists",
				 params->dir, strerror(errno));
	free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
	reserve_bytes = prepared_reserve_preset((uint64_t)space.f_blocks * space.f_frsize);
	if (free_bytes >= params->size_bytes + reserve_bytes)
		return 0;
	return error_set(error, ERROR_CANNOT,
			 "--dir: %s has %s free, but the demo's file and the reserve need %s; name "
			 "another --dir or a smaller --size",
			 params->dir, units_format_amount(free_bytes, have),
			 units_format_amount(params->size_bytes + reserve_bytes, need));
}

/* A file without a name where the file system can, else one that loses its name at once. */
static int demo_open_nameless(const char *dir, int *ret_fd, struct error *error)
{
	char path[480];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
		snprintf(path, sizeof(path), "%s/.orion-sim-demo-%d", dir, (int)getpid());
		fd = open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_DIRECT | O_CLOEXEC,
			  0600);
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		return error_set(error, ERROR_INPUT,
				 "--dir: no file for direct I/O can be made in %s: %s; name a "
				 "directory on the storage to be measured",
				 dir, strerror(errno));
	*ret_fd = fd;
	return 0;
}

static int demo_make_nameless(const struct demo_params *params,
			      const struct fill_observer *observer, struct demo_file *file,
			      struct error *error)
{
	int status = demo_check_dir(params, error);

	if (status == 0)
		status = demo_check_room(params, error);
	if (status == 0)
		status = demo_open_nameless(params->dir, &file->fd, error);
	if (status < 0)
		return status;
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
	status = fill_file(file->fd, params->size_bytes, DEMO_SEED, observer, error);
	return status < 0 ? error_prefix(error, "the demo's file in %s: ", params->dir) : 0;
}

static int demo_make_kept(const struct demo_params *params, const struct fill_observer *observer,
			  struct demo_file *file, struct error *error)
{
	struct prepared_request request = {.path = file->path,
					   .size_bytes = params->size_bytes,
					   .reserve_bytes = PREPARED_RESERVE_PRESET};
	struct prepared_outcome outcome;

	snprintf(file->path, sizeof(file->path), "%s/%s", params->dir, DEMO_FILE);
	return prepared_make(&request, observer, &outcome, error);
}

/* Before 2 GiB are written: a run that has borrowed settings would be refused afterwards. */
static int demo_check_alone(struct progress *progress, struct error *error)
{
	cJSON *notes = cJSON_CreateArray();
	struct error why = {0};
	const cJSON *note;
	int status = settings_recover(notes, &why);

	cJSON_ArrayForEach (note, notes)
		progress->observer.note(progress, note->valuestring);
	cJSON_Delete(notes);
	return status == -EBUSY ? error_set(error, ERROR_CANNOT, "%s", why.text) : 0;
}

/* 0, or an exit code with the error set (none for a signal). */
static int demo_make_file(const struct demo_params *params, int signal_fd, struct demo_file *file,
			  struct error *error)
{
	struct demo_fill fill = {.signal_fd = signal_fd};
	struct fill_observer observer = {.progress = demo_fill_progress, .context = &fill};
	int status;

	progress_open(&fill.progress, (enum progress_kind)params->execute.progress);
	status = demo_check_alone(&fill.progress, error);
	if (status == 0)
		status = params->keep ? demo_make_kept(params, &observer, file, error)
				      : demo_make_nameless(params, &observer, file, error);
	progress_close(&fill.progress);
	if (status == 0)
		return 0;
	if (fill.signal == SIGINT)
		return EXIT_CODE_SIGINT;
	return fill.signal == SIGTERM ? EXIT_CODE_SIGTERM : command_exit_code(error);
}

static int demo_measure(const struct command_args *args, int signal_fd,
			const struct demo_file *file, struct error *error)
{
	const struct demo_params *params = args->params;
	const char *targets[] = {file->path, NULL};
	struct profile_overrides overrides = {.sets = args->lists[DEMO_SETS].values,
					      .targets = targets};
	struct profile profile;
	char path[512];
	int code;

	if (command_find_profile("demo", path, error) < 0 ||
	    profile_load(path, &overrides, &profile, error) < 0)
		return command_exit_code(error);
	code = execute_profile(&profile, &params->execute, signal_fd, error);
	profile_free(&profile);
	return code;
}

static int demo_run(const struct command_args *args, struct error *error)
{
	struct demo_file file = {.fd = -1};
	int signal_fd = execute_signals();
	int code = demo_make_file(args->params, signal_fd, &file, error);

	if (code == 0)
		code = demo_measure(args, signal_fd, &file, error);
	if (file.fd >= 0)
		close(file.fd);
	if (signal_fd >= 0)
		close(signal_fd);
	return code;
}

const struct command_ops command_demo = {
	.entry = {.name = "demo",
		  .summary = "what this host delivers, in two minutes, on a file of its own",
		  .fields = demo_fields,
		  .params_size = sizeof(struct demo_params)},
	.words_usage = "",
	.lists = demo_lists,
	.run = demo_run};
