/* SPDX-License-Identifier: MIT */
/* prepare.c - the command that writes a file to be tested, and only files of its own. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "command/command.h"
#include "engine/fill.h"
#include "engine/prepared.h"

#define SHOW_TERMINAL_NS 250000000u
#define SHOW_PLAIN_NS	 10000000000u

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
	const char *path;
	int signals;   /* signalfd, or -1 */
	int caught;    /* signal that ended it, or 0 */
	bool terminal; /* is stderr one */
	int shown_width;
	uint64_t begin_ns, shown_ns;
};

static void watch_show(struct watch *watch, uint64_t done_bytes, uint64_t total_bytes)
{
	uint64_t now_ns = clock_now_ns();
	double seconds = (double)(now_ns - watch->begin_ns) / 1e9;
	double rate = seconds > 0 ? (double)done_bytes / seconds : 0;
	char done[32], total[32];
	int width;

	if (now_ns - watch->shown_ns < (watch->terminal ? SHOW_TERMINAL_NS : SHOW_PLAIN_NS))
		return;
	watch->shown_ns = now_ns;
	width = fprintf(stderr, "%s%s: %s of %s written, %.0f MB/s, %.0f s left",
			watch->terminal ? "\r" : "", watch->path,
			units_format_amount(done_bytes, done),
			units_format_amount(total_bytes, total), rate / 1e6,
			rate > 0 ? (double)(total_bytes - done_bytes) / rate : 0.0);
	/* Covers what is left of a longer line before. */
	if (watch->terminal && width > 0)
		fprintf(stderr, "%*s", width < watch->shown_width ? watch->shown_width - width : 0,
			"");
	else
		fputc('\n', stderr);
	fflush(stderr);
	if (width > watch->shown_width)
		watch->shown_width = width;
}

static int watch_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	struct watch *watch = context;
	struct signalfd_siginfo info;

	if (watch->signals >= 0 && read(watch->signals, &info, sizeof(info)) == sizeof(info)) {
		watch->caught = (int)info.ssi_signo;
		return 1;
	}
	watch_show(watch, done_bytes, total_bytes);
	return 0;
}

static void watch_end(const struct watch *watch)
{
	if (watch->terminal && watch->shown_width)
		fprintf(stderr, "\r%*s\r", watch->shown_width, "");
}

/* Makes the file with the signals held back, so that none leaves half a file behind. */
static int make_watched(const struct prepared_request *request, struct watch *watch,
			struct prepared_outcome *ret, struct error *error)
{
	struct fill_observer observer = {.progress = watch_progress, .context = watch};
	sigset_t held, before;
	int code;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	sigaddset(&held, SIGPIPE);
	sigprocmask(SIG_BLOCK, &held, &before);
	watch->signals = signalfd(-1, &held, SFD_NONBLOCK | SFD_CLOEXEC);
	code = prepared_make(request, &observer, ret, error);
	watch_end(watch);
	if (watch->signals >= 0)
		close(watch->signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
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
	struct watch watch = {
		.path = args->words[0],
		.terminal = isatty(STDERR_FILENO),
		.begin_ns = clock_now_ns(),
	};
	struct prepared_outcome outcome;
	struct prepared_request request;
	int code = read_request(args, &request, error);

	watch.shown_ns = watch.begin_ns;
	if (!code)
		code = make_watched(&request, &watch, &outcome, error);
	if (code == -EINTR && watch.caught == SIGINT)
		return EXIT_CODE_SIGINT;
	if (code == -EINTR && watch.caught == SIGTERM)
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
