/* SPDX-License-Identifier: MIT */
/* prepare.c - the command that writes a file to be tested, and only files of its own. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "command/command.h"
#include "command/execute.h"
#include "command/progress.h"
#include "engine/fill.h"
#include "engine/prepared.h"

#define SHOW_EVERY_NS 200000000u

struct prepare_params {
	uint64_t size_bytes;
	uint64_t seed;
	char reserve[32];
};

static const struct field prepare_fields[] = {
	FIELD_SIZE("size", struct prepare_params, size_bytes, "0", 0, 0,
		   "size of the file, a multiple of 4096, at least 1M (needed)"),
	FIELD_TEXT("reserve", struct prepare_params, reserve, "auto",
		   "free space to leave; auto: 5 % of the file system, at least 1G, at most 16G"),
	FIELD_COUNT("seed", struct prepare_params, seed, "0", 0, 0,
		    "seed of the data; 0: what an existing file has, else 1"),
	FIELD_END,
};

/* What the one who waits sees, and how he ends it. */
struct watch {
	struct progress progress;
	const char *path;
	int signal_fd;
	int signal; /* that ended it, or 0 */
	uint64_t begin_ns, shown_ns;
};

static void watch_show(struct watch *watch, uint64_t done_bytes, uint64_t total_bytes)
{
	uint64_t now_ns = clock_now_ns();
	double rate = (double)done_bytes / ((double)(now_ns - watch->begin_ns) / 1e9);
	char text[256], done[32], total[32];

	if (now_ns - watch->shown_ns < SHOW_EVERY_NS || !done_bytes)
		return;
	watch->shown_ns = now_ns;
	snprintf(text, sizeof(text), "%.128s: %s of %s written, %.0f MB/s, %.0f s left",
		 watch->path, units_format_amount(done_bytes, done),
		 units_format_amount(total_bytes, total), rate / 1e6,
		 (double)(total_bytes - done_bytes) / rate);
	progress_share(&watch->progress, text, (double)done_bytes / (double)total_bytes);
}

static int watch_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	struct watch *watch = context;
	struct signalfd_siginfo info;

	watch_show(watch, done_bytes, total_bytes);
	if (read(watch->signal_fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	watch->signal = (int)info.ssi_signo;
	return 1;
}

/* Makes the file with the signals held back, so that none leaves half a file behind. */
static int make_watched(const struct prepared_request *request, int *ret_signal,
			struct prepared_outcome *ret, struct error *error)
{
	struct watch watch = {.path = request->path, .begin_ns = clock_now_ns()};
	struct fill_observer observer = {.progress = watch_progress, .context = &watch};
	int code;

	watch.shown_ns = watch.begin_ns;
	progress_open(&watch.progress, PROGRESS_AUTO);
	watch.signal_fd = execute_signals();
	code = prepared_make(request, &observer, ret, error);
	progress_close(&watch.progress);
	if (watch.signal_fd >= 0)
		close(watch.signal_fd);
	*ret_signal = watch.signal;
	return code;
}

static void print_outcome(const struct prepared_request *request,
			  const struct prepared_outcome *outcome)
{
	double seconds = (double)outcome->duration_ns / 1e9;
	char size[32], written[32];

	units_format_size(request->size_bytes, size);
	units_format_amount(outcome->written_bytes, written);
	if (outcome->was_ready)
		printf("%s: %s, ready since it was prepared before; nothing was written\n",
		       request->path, size);
	else if (!outcome->written_bytes)
		printf("%s: %s, ready; it was larger and was cut\n", request->path, size);
	else
		printf("%s: %s, ready on %s; %s written in %.1f s, %.0f MB/s\n", request->path,
		       size, outcome->file_system, written, seconds,
		       seconds > 0 ? (double)outcome->written_bytes / seconds / 1e6 : 0.0);
}

static int read_request(const struct command_args *args, struct prepared_request *ret,
			struct error *error)
{
	const struct prepare_params *params = args->params;
	struct prepared_request request = {
		.path = args->words[0],
		.size_bytes = params->size_bytes,
		.seed = params->seed,
		.reserve_bytes = PREPARED_RESERVE_PRESET,
	};

	if (!request.size_bytes)
		return error_set(error, ERROR_INPUT,
				 "prepare: no size is given; say how large: orion-sim prepare %s "
				 "--size 4g",
				 request.path);
	if (strcmp(params->reserve, "auto") != 0 &&
	    units_parse_size(params->reserve, &request.reserve_bytes, error) != 0)
		return error_prefix(error, "--reserve: ");
	*ret = request;
	return 0;
}

static int prepare_run(const struct command_args *args, struct error *error)
{
	struct prepared_outcome outcome;
	struct prepared_request request;
	int signal = 0;
	int code = read_request(args, &request, error);

	if (!code)
		code = make_watched(&request, &signal, &outcome, error);
	if (code && signal == SIGINT)
		return EXIT_CODE_SIGINT;
	if (code && signal == SIGTERM)
		return EXIT_CODE_SIGTERM;
	if (code)
		return command_exit_code(error);
	print_outcome(&request, &outcome);
	return EXIT_CODE_OK;
}

extern const struct command_ops command_prepare;

const struct command_ops command_prepare = {
	.entry =
		{
			.name = "prepare",
			.summary = "write a file to be tested: incompressible data, really on the "
				   "disk",
			.fields = prepare_fields,
			.params_size = sizeof(struct prepare_params),
		},
	.words_usage = "FILE",
	.words_min = 1,
	.words_max = 1,
	.run = prepare_run,
};
