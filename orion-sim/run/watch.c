/* SPDX-License-Identifier: MIT */
/* watch.c - the parent's eye on a runner: intervals, progress, signals, its end. */
#include "run/watch.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "run/channel.h"
#include "run/point.h"
#include "run/sampler.h"

#define INTERVAL_NS UINT64_C(1000000000)
#define POLL_MS	    50
#define SLIVER_S    0.1
/* How long a boundary waits for workers to take the other buffer; the rest counts in the next
 * interval. */
#define COLLECT_TRIES	 20
#define COLLECT_PAUSE_NS 500000

static unsigned watch_count_classes(const struct workload_ops *ops)
{
	unsigned n = 0;

	while (n < RECORDER_CLASSES_MAX && ops->classes[n].name)
		n++;
	return n;
}

static int watch_open_stream(struct watch *watch, unsigned s, const struct run_point *point,
			     unsigned *recorder)
{
	const struct plan_stream *planned = &point->plan->streams[s];
	struct watch_stream *stream = &watch->streams[s];
	unsigned max = (unsigned)(point->plan->measure_ns / INTERVAL_NS) + 2;

	stream->first_recorder = *recorder;
	stream->n_recorders = planned->workers;
	stream->n_classes = watch_count_classes(workload_ops_of(&planned->workload));
	*recorder += planned->workers;
	for (unsigned c = 0; c < stream->n_classes; c++) {
		struct watch_class *class = &stream->classes[c];

		histogram_reset(&class->total);
		histogram_reset(&class->interval);
		class->max_intervals = max;
		class->intervals = calloc(max, sizeof(*class->intervals));
		if (!class->intervals)
			return -ENOMEM;
	}
	return 0;
}

uint64_t watch_oom_kills(void)
{
	CLEANUP(cleanup_fclose) FILE *file = fopen("/proc/vmstat", "re");
	unsigned long long count = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "oom_kill %llu", &count) == 1)
			break;
	return count;
}

int watch_open(struct watch *watch, const struct run_point *point, struct channel *channel,
	       struct error *error)
{
	unsigned recorder = 0;
	int status = 0;

	*watch = (struct watch){.channel = channel,
				.n_streams = point->plan->n_streams,
				.signal_fd = -1,
				.oom_kills = watch_oom_kills()};
	watch->streams = calloc(watch->n_streams, sizeof(*watch->streams));
	watch->pending = calloc(channel->n_recorders, sizeof(*watch->pending));
	if (!watch->streams || !watch->pending)
		status = -ENOMEM;
	for (unsigned s = 0; status == 0 && s < watch->n_streams; s++)
		status = watch_open_stream(watch, s, point, &recorder);
	if (status < 0) {
		watch_close(watch);
		return error_set(error, status, "no memory to watch a runner");
	}
	return 0;
}

void watch_close(struct watch *watch)
{
	for (unsigned s = 0; watch->streams && s < watch->n_streams; s++)
		for (unsigned c = 0; c < watch->streams[s].n_classes; c++)
			free(watch->streams[s].classes[c].intervals);
	free(watch->streams);
	free(watch->pending);
	*watch = (struct watch){.signal_fd = -1};
}

/* Adds a finished buffer of one worker to its stream's interval. */
static bool watch_collect_recorder(struct watch *watch, struct watch_stream *stream, unsigned r)
{
	struct histogram *into = malloc(stream->n_classes * sizeof(*into));
	int status;

	if (!into)
		return false;
	for (unsigned c = 0; c < stream->n_classes; c++)
		histogram_reset(&into[c]);
	status = recorder_collect(&watch->channel->recorders[r], stream->n_classes, into, NULL);
	for (unsigned c = 0; status == 0 && c < stream->n_classes; c++)
		histogram_merge(&stream->classes[c].interval, &into[c]);
	free(into);
	return status == 0;
}

static unsigned watch_collect_pending(struct watch *watch)
{
	unsigned left = 0;

	for (unsigned s = 0; s < watch->n_streams; s++) {
		struct watch_stream *stream = &watch->streams[s];

		for (unsigned i = 0; i < stream->n_recorders; i++) {
			unsigned r = stream->first_recorder + i;

			if (!watch->pending[r])
				continue;
			if (watch_collect_recorder(watch, stream, r))
				watch->pending[r] = false;
			else
				left++;
		}
	}
	return left;
}

static void watch_flip(struct watch *watch)
{
	watch_collect_pending(watch);
	for (unsigned r = 0; r < watch->channel->n_recorders; r++) {
		if (watch->pending[r])
			continue;
		recorder_flip(&watch->channel->recorders[r]);
		watch->pending[r] = true;
	}
	for (int try = 0; try < COLLECT_TRIES && watch_collect_pending(watch) > 0; try++)
		clock_sleep_until(clock_now_ns() + COLLECT_PAUSE_NS);
}

static struct tally watch_sum(const struct watch *watch, const struct watch_stream *stream,
			      unsigned op_class, enum phase phase)
{
	struct tally sum = {0};

	for (unsigned i = 0; i < stream->n_recorders; i++) {
		const struct recorder *recorder =
			&watch->channel->recorders[stream->first_recorder + i];
		const struct tally *tally = &recorder->classes[op_class].tally[phase];

		sum.ops += __atomic_load_n(&tally->ops, __ATOMIC_RELAXED);
		sum.bytes += __atomic_load_n(&tally->bytes, __ATOMIC_RELAXED);
	}
	return sum;
}

/* A sliver at the end of the phase belongs to the second before it. */
static void watch_extend_interval(struct result_interval *interval, uint64_t ops, uint64_t bytes,
				  double duration_s)
{
	interval->ops += ops;
	interval->bytes += bytes;
	interval->duration_s += duration_s;
}

static void watch_close_class(struct watch_class *class, const struct tally *now, double begin_s,
			      double duration_s)
{
	uint64_t ops = now->ops - class->seen.ops, bytes = now->bytes - class->seen.bytes;

	if (class->n_intervals > 0 && duration_s < SLIVER_S) {
		watch_extend_interval(&class->intervals[class->n_intervals - 1], ops, bytes,
				      duration_s);
	} else if (class->n_intervals < class->max_intervals) {
		class->intervals[class->n_intervals++] = (struct result_interval){
			.begin_s = begin_s,
			.duration_s = duration_s,
			.ops = ops,
			.bytes = bytes,
			.p50_ns = histogram_percentile_ns(&class->interval, 50),
			.p99_ns = histogram_percentile_ns(&class->interval, 99),
			.max_ns = class->interval.count ? class->interval.max_ns : 0};
	}
	class->seen = *now;
	histogram_merge(&class->total, &class->interval);
	histogram_reset(&class->interval);
}

/* Ends the interval that began at the last boundary: into the series, the totals, and the observer.
 */
static void watch_close_interval(struct watch *watch, uint64_t now_ns)
{
	uint64_t measure_ns = atomic_load(&watch->channel->phase_ns[PHASE_MEASURE]);
	struct watch_interval seen = {.phase = PHASE_MEASURE,
				      .duration_s = (double)(now_ns - watch->boundary_ns) / 1e9};
	double begin_s = (double)(watch->boundary_ns - measure_ns) / 1e9;
	CLEANUP(cleanup_free) struct histogram *all = malloc(sizeof(*all));

	if (all)
		histogram_reset(all);
	for (unsigned s = 0; s < watch->n_streams; s++) {
		for (unsigned c = 0; c < watch->streams[s].n_classes; c++) {
			struct watch_class *class = &watch->streams[s].classes[c];
			struct tally now = watch_sum(watch, &watch->streams[s], c, PHASE_MEASURE);

			seen.ops += now.ops - class->seen.ops;
			seen.bytes += now.bytes - class->seen.bytes;
			if (all)
				histogram_merge(all, &class->interval);
			watch_close_class(class, &now, begin_s, seen.duration_s);
		}
	}
	watch->boundary_ns = now_ns;
	if (!watch->interval || !all)
		return;
	seen.p50_ns = histogram_percentile_ns(all, 50);
	seen.p99_ns = histogram_percentile_ns(all, 99);
	watch->interval(watch->context, &seen);
}

/* A long warm-up should not look as if nothing happened. */
static void watch_warmup(struct watch *watch)
{
	struct watch_interval seen = {.phase = PHASE_WARMUP};
	struct tally all = {.ops = 0};
	uint64_t now_ns = clock_now_ns();

	if (watch->warmup_ns == 0)
		watch->warmup_ns = atomic_load(&watch->channel->phase_ns[PHASE_WARMUP]);
	if (!watch->interval || now_ns < watch->warmup_ns + INTERVAL_NS)
		return;
	for (unsigned s = 0; s < watch->n_streams; s++) {
		for (unsigned c = 0; c < watch->streams[s].n_classes; c++) {
			struct tally sum = watch_sum(watch, &watch->streams[s], c, PHASE_WARMUP);

			all.ops += sum.ops;
			all.bytes += sum.bytes;
		}
	}
	seen.duration_s = (double)(now_ns - watch->warmup_ns) / 1e9;
	seen.ops = all.ops - watch->warmup_seen.ops;
	seen.bytes = all.bytes - watch->warmup_seen.bytes;
	watch->warmup_ns = now_ns;
	watch->warmup_seen = all;
	watch->interval(watch->context, &seen);
}

static void watch_tick(struct watch *watch)
{
	enum phase phase = (enum phase)atomic_load(&watch->channel->phase);
	uint64_t measure_ns = atomic_load(&watch->channel->phase_ns[PHASE_MEASURE]);

	if (phase == PHASE_WARMUP)
		watch_warmup(watch);
	if (phase != PHASE_MEASURE)
		return;
	if (watch->boundary_ns == 0) {
		watch->boundary_ns = measure_ns;
		watch->next_ns = measure_ns + INTERVAL_NS;
	}
	if (clock_now_ns() < watch->next_ns)
		return;
	watch_flip(watch);
	watch_close_interval(watch, clock_now_ns());
	watch->next_ns += INTERVAL_NS;
}

/* What is left once the runner is gone: both buffers of every worker, and the last part of a
 * second. */
static void watch_finish(struct watch *watch)
{
	uint64_t measure_ns = atomic_load(&watch->channel->phase_ns[PHASE_MEASURE]);
	uint64_t drain_ns = atomic_load(&watch->channel->phase_ns[PHASE_DRAIN]);

	if (measure_ns == 0)
		return;
	if (watch->boundary_ns == 0)
		watch->boundary_ns = measure_ns;
	for (unsigned s = 0; s < watch->n_streams; s++) {
		struct watch_stream *stream = &watch->streams[s];
		struct histogram *into = malloc(stream->n_classes * sizeof(*into));

		for (unsigned c = 0; into && c < stream->n_classes; c++)
			histogram_reset(&into[c]);
		for (unsigned i = 0; into && i < stream->n_recorders; i++)
			recorder_collect_all(&watch->channel->recorders[stream->first_recorder + i],
					     stream->n_classes, into);
		for (unsigned c = 0; into && c < stream->n_classes; c++)
			histogram_merge(&stream->classes[c].interval, &into[c]);
		free(into);
	}
	watch_close_interval(watch, drain_ns > watch->boundary_ns ? drain_ns : watch->boundary_ns);
}

static void watch_signal(struct watch *watch, pid_t pid)
{
	struct signalfd_siginfo info;

	if (read(watch->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (watch->signal) {
		kill(pid, SIGKILL);
		return;
	}
	watch->signal = (int)info.ssi_signo;
	atomic_store(&watch->channel->stop, 1);
	channel_ring(watch->channel);
}

static int watch_poll(struct watch *watch, pid_t pid, int pid_fd, struct error *error)
{
	struct pollfd fds[2] = {{.fd = pid_fd, .events = POLLIN},
				{.fd = watch->signal_fd, .events = POLLIN}};
	int n = poll(fds, 2, POLL_MS);

	if (n < 0 && errno != EINTR)
		return error_set(error, -errno, "poll: %s", strerror(errno));
	if (n > 0 && fds[1].revents)
		watch_signal(watch, pid);
	return n > 0 && fds[0].revents;
}

int watch_runner(struct watch *watch, pid_t pid, int *ret_status, struct error *error)
{
	CLEANUP(cleanup_close) int pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int status = 0;

	if (pid_fd < 0) {
		status = error_set(error, -errno, "pidfd_open: %s (needs Linux 5.3)",
				   strerror(errno));
		kill(pid, SIGKILL);
	}
	while (status == 0) {
		watch_tick(watch);
		if (watch->sampler)
			sampler_drain(watch->sampler);
		status = watch_poll(watch, pid, pid_fd, error);
	}
	if (status < 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		;
	watch_finish(watch);
	return status < 0 ? status : 0;
}
