/* SPDX-License-Identifier: MIT */
/* progress.c - what a person sees on stderr while a run works. */
#include "command/progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "stats/result.h"

#define PLAIN_EVERY_NS UINT64_C(30000000000)

static unsigned terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
		return size.ws_col;
	return 80;
}

static bool plain_due(struct progress *progress)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns - progress->said_ns < PLAIN_EVERY_NS)
		return false;
	progress->said_ns = now_ns;
	return true;
}

static void show(struct progress *progress, const char *text)
{
	if (progress->kind == PROGRESS_LINE) {
		fprintf(stderr, "\r\033[K%.*s", (int)terminal_width() - 1, text);
		fflush(stderr);
		progress->dirty = true;
	} else if (progress->kind == PROGRESS_PLAIN && plain_due(progress)) {
		fprintf(stderr, "orion-sim: %s\n", text);
	}
}

static void progress_started(void *context, unsigned runs, double estimated_s)
{
	struct progress *progress = context;

	progress_close(progress);
	if (progress->kind != PROGRESS_NONE)
		fprintf(stderr, "orion-sim: %u runs, %s %d:%02d min\n", runs,
			progress->at_most ? "at most about" : "about",
			(int)(estimated_s + 0.5) / 60, (int)(estimated_s + 0.5) % 60);
}

/* "block 3/10 hugetlb: ", or nothing without variants. */
static const char *block_words(const struct run_progress *now, char *text, size_t size)
{
	text[0] = '\0';
	if (*now->variant)
		snprintf(text, size, "block %u/%u %s: ", now->block, now->blocks, now->variant);
	return text;
}

static void progress_tick(void *context, const struct run_progress *now)
{
	char text[384], block[160], rate[32], p50[32], p99[32], latency[96] = "warm-up";
	int left_s = (int)(now->left_s + 0.5);

	if (now->p99_ns > 0)
		snprintf(latency, sizeof(latency), "p50 %s  p99 %s",
			 units_format_latency((double)now->p50_ns, p50),
			 units_format_latency((double)now->p99_ns, p99));
	snprintf(text, sizeof(text), "[%u/%u %s%s] %s IOPS  %.0f MB/s  %s  %d:%02d left", now->run,
		 now->runs, block_words(now, block, sizeof(block)), now->point->label,
		 units_format_rate(now->iops, rate), now->mbps, latency, left_s / 60, left_s % 60);
	show(context, text);
}

static void progress_repeat(void *context, const struct result_point *point,
			    const struct result_repeat *repeat)
{
	struct progress *progress = context;
	enum result_status status = repeat ? repeat->status : point->status;

	if (status != RESULT_FAILED || progress->kind == PROGRESS_NONE)
		return;
	progress_close(progress);
	fprintf(stderr, "orion-sim: %s: failed: %s\n", point->label, repeat->reason);
}

static void progress_note(void *context, const char *sentence)
{
	struct progress *progress = context;

	progress_close(progress);
	fprintf(stderr, "orion-sim: %s\n", sentence);
}

void progress_open(struct progress *progress, enum progress_kind kind)
{
	if (kind == PROGRESS_AUTO)
		kind = isatty(STDERR_FILENO) ? PROGRESS_LINE : PROGRESS_PLAIN;
	*progress = (struct progress){.kind = kind, .said_ns = clock_now_ns()};
	progress->observer = (struct observer){.context = progress,
					       .started = progress_started,
					       .progress = progress_tick,
					       .repeat_done = progress_repeat,
					       .note = progress_note};
}

void progress_close(struct progress *progress)
{
	if (progress->dirty)
		fputs("\r\033[K", stderr);
	progress->dirty = false;
}

void progress_share(struct progress *progress, const char *what, double share)
{
	char text[256];

	snprintf(text, sizeof(text), "%s: %.0f %%", what, share * 100);
	show(progress, text);
}
