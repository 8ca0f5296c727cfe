/* SPDX-License-Identifier: MIT */
/* test_run.c - a plan run for real: repeats, intervals, skips, failures, signals, nothing left. */
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "plan/blocks.h"
#include "plan/plan.h"
#include "plan/profile.h"

#define STREAM                                                                                     \
	"\"streams\": [{\"label\": \"reads\", \"workload\": {\"kind\": \"io\", \"block\": \"8k\"," \
	" \"depth\": 16}, \"engine\": \"null\", \"region\": \"sga\", \"workers\": 2}]"
#define REGION "\"regions\": {\"sga\": {\"memory\": \"base\", \"size\": \"4m\"}}"

static const char short_profile[] = "{\"name\": \"t\", \"seed\": \"7\", \"repeats\": 2,"
				    " \"phases\": {\"warmup\": \"50ms\", \"measure\": \"1300ms\"},"
				    " \"points\": [{" REGION ", " STREAM "}]}";

static const char long_profile[] =
	"{\"name\": \"t\", \"repeats\": 3, \"phases\": {\"warmup\": 0, \"measure\": \"60s\"},"
	" \"points\": [{" REGION ", " STREAM "}, {" REGION ", " STREAM "}]}";

struct ran {
	struct profile profile;
	struct plan plan;
	struct result result;
	struct error error;
	int status;
	unsigned n_progress, n_done;
};

static void saw_progress(void *context, const struct run_progress *progress)
{
	struct ran *ran = context;

	ran->n_progress++;
	assert_true(progress->iops > 0);
	assert_true(progress->p99_ns >= progress->p50_ns);
}

static void saw_repeat(void *context, const struct result_point *point,
		       const struct result_repeat *repeat)
{
	((struct ran *)context)->n_done++;
}

static void run_text(struct ran *ran, const char *text, int signal_fd, const char *journal)
{
	struct observer observer = {
		.context = ran, .progress = saw_progress, .repeat_done = saw_repeat};
	struct run_options options = {.observer = &observer,
				      .signal_fd = signal_fd,
				      .journal_path = journal,
				      .version = "test"};

	memset(ran, 0, sizeof(*ran));
	if (profile_parse("test.json", text, NULL, &ran->profile, &ran->error) < 0 ||
	    plan_make(&ran->profile, &ran->plan, &ran->error) < 0)
		fail_msg("%s", ran->error.text);
	ran->status = run_plan(&ran->plan, &options, &ran->result, &ran->error);
}

static void ran_free(struct ran *ran)
{
	result_free(&ran->result);
	plan_free(&ran->plan);
	profile_free(&ran->profile);
}

static void check_repeat(const struct result_repeat *repeat)
{
	const struct result_class *class = &repeat->streams[0].classes[0];
	uint64_t interval_ops = 0;

	assert_int_equal(repeat->status, RESULT_OK);
	assert_true(repeat->duration_s > 1.25 && repeat->duration_s < 3);
	assert_int_equal(repeat->n_streams, 1);
	assert_int_equal(repeat->streams[0].n_classes, 1);
	assert_string_equal(class->name, "read");
	assert_true(class->tally.ops > 1000);
	assert_int_equal(class->tally.bytes, class->tally.ops * 8192);
	/* Every operation of the measure phase is in the histogram and in the intervals, once. */
	assert_int_equal(class->histogram->count, class->tally.ops);
	assert_int_equal(class->n_intervals, 2);
	for (unsigned i = 0; i < class->n_intervals; i++)
		interval_ops += class->intervals[i].ops;
	assert_int_equal(interval_ops, class->tally.ops);
	assert_true(repeat->streams[0].usage.user_ns > 0);
	assert_true(repeat->runner.user_ns >= repeat->streams[0].usage.user_ns / 2);
	assert_int_equal(repeat->n_audits, 1);
	assert_int_equal(repeat->audits[0].got_bytes, repeat->audits[0].asked_bytes);
	assert_int_equal(repeat->audits[0].got_end_bytes, repeat->audits[0].asked_bytes);
}

static void test_every_operation_is_counted_once(void **state)
{
	struct ran ran;

	run_text(&ran, short_profile, -1, NULL);
	if (ran.status < 0)
		fail_msg("%s", ran.error.text);
	assert_true(ran.result.complete);
	assert_int_equal(ran.result.seed, 7);
	assert_int_equal(ran.result.n_variants, 1);
	assert_int_equal(ran.result.variants[0].points[0].n_repeats, 2);
	assert_int_equal(ran.n_done, 2);
	assert_true(ran.n_progress >= 2);
	for (unsigned r = 0; r < 2; r++)
		check_repeat(&ran.result.variants[0].points[0].repeats[r]);
	ran_free(&ran);
}

static unsigned count_lines(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned lines = 0;
	int c;

	assert_non_null(file);
	while ((c = fgetc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

static void test_finished_repeats_are_on_disk(void **state)
{
	char path[64];
	struct ran ran;

	snprintf(path, sizeof(path), "journal-%d", (int)getpid());
	run_text(&ran, short_profile, -1, path);
	assert_int_equal(ran.status, 0);
	assert_int_equal(count_lines(path), 3);
	ran_free(&ran);
	/* A journal that exists belongs to somebody. */
	run_text(&ran, short_profile, -1, path);
	assert_int_equal(ran.status, ERROR_INPUT);
	assert_non_null(strstr(ran.error.text, path));
	ran_free(&ran);
	unlink(path);
}

static void test_too_little_memory_of_a_kind_is_skipped(void **state)
{
	static const char text[] = "{\"name\": \"t\", \"repeats\": 2, \"phases\": {\"warmup\": 0, "
				   "\"measure\": \"50ms\"},"
				   " \"points\": [{\"regions\": {\"sga\": {\"memory\": "
				   "\"hugetlb\", \"size\": \"900g\"}}, " STREAM "}]}";
	struct ran ran;

	run_text(&ran, text, -1, NULL);
	assert_int_equal(ran.status, 0);
	assert_int_equal(ran.result.variants[0].points[0].status, RESULT_SKIPPED);
	assert_int_equal(ran.result.variants[0].points[0].n_repeats, 0);
	assert_non_null(strstr(ran.result.variants[0].points[0].reason, "nr_hugepages"));
	assert_true(ran.result.complete);
	ran_free(&ran);
}

static void test_a_bad_target_is_refused_before_anything(void **state)
{
	static const char text[] = "{\"name\": \"t\", \"points\": [{" REGION
				   ", \"streams\": [{\"workload\": \"io\", \"engine\": \"libaio\", "
				   "\"region\": \"sga\","
				   " \"targets\": [\"no-such-file\"]}]}]}";
	struct ran ran;

	run_text(&ran, text, -1, NULL);
	assert_int_equal(ran.status, ERROR_INPUT);
	assert_non_null(strstr(ran.error.text, "no-such-file"));
	assert_int_equal(ran.n_done, 0);
	ran_free(&ran);
}

static int block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A child that signals us after a while. */
static pid_t signal_later(int number, unsigned ms)
{
	pid_t us = getpid(), child = fork();

	if (child == 0) {
		usleep(ms * 1000);
		kill(us, number);
		_exit(0);
	}
	return child;
}

static void test_a_signal_ends_it_with_what_there_is(void **state)
{
	int signal_fd = block_signals();
	struct ran ran;
	pid_t child = signal_later(SIGTERM, 1500);

	run_text(&ran, long_profile, signal_fd, NULL);
	waitpid(child, NULL, 0);
	assert_int_equal(ran.status, 0);
	assert_int_equal(ran.result.signal, SIGTERM);
	assert_false(ran.result.complete);
	assert_int_equal(ran.result.variants[0].points[0].n_repeats, 1);
	assert_int_equal(ran.result.variants[0].points[0].status, RESULT_INTERRUPTED);
	assert_int_equal(ran.result.variants[0].points[1].status, RESULT_INTERRUPTED);
	assert_int_equal(ran.result.variants[0].points[1].n_repeats, 0);
	assert_int_equal(ran.result.variants[0].points[0].repeats[0].status, RESULT_INTERRUPTED);
	assert_true(ran.result.variants[0].points[0].repeats[0].streams[0].classes[0].tally.ops >
		    0);
	ran_free(&ran);
	close(signal_fd);
}

/* Finds the runner, our only child, and ends it. */
static pid_t kill_runner_later(unsigned ms)
{
	pid_t us = getpid(), child = fork();
	char path[64];

	if (child != 0)
		return child;
	usleep(ms * 1000);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)us, (int)us);
	{
		FILE *file = fopen(path, "r");
		int pid;

		while (file && fscanf(file, "%d", &pid) == 1)
			if (pid != getpid())
				kill(pid, SIGKILL);
	}
	_exit(0);
}

static void test_a_killed_runner_is_a_failed_repeat(void **state)
{
	static const char text[] = "{\"name\": \"t\", \"repeats\": 2, \"phases\": {\"warmup\": 0, "
				   "\"measure\": \"1s\"},"
				   " \"points\": [{" REGION ", " STREAM "}]}";
	struct ran ran;
	pid_t child = kill_runner_later(500);
	const struct result_point *point;

	run_text(&ran, text, -1, NULL);
	waitpid(child, NULL, 0);
	point = &ran.result.variants[0].points[0];
	assert_int_equal(ran.status, 0);
	assert_int_equal(point->status, RESULT_FAILED);
	assert_int_equal(point->repeats[0].status, RESULT_FAILED);
	assert_non_null(strstr(point->repeats[0].reason, "SIGKILL"));
	assert_int_equal(point->repeats[1].status, RESULT_OK);
	ran_free(&ran);
}

/* As many as a plan may have: a region of its own for each stream. */
static void test_many_regions(void **state)
{
	CLEANUP(cleanup_free) char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct ran ran;

	fputs("{\"name\": \"t\", \"repeats\": 1, \"phases\": {\"warmup\": 0, \"measure\": "
	      "\"50ms\"}, \"points\": [{\"regions\": {",
	      file);
	for (int i = 0; i < PLAN_REGIONS_MAX; i++)
		fprintf(file, "%s\"r%d\": {\"memory\": \"base\", \"size\": \"64k\"}", i ? ", " : "",
			i);
	fputs("}, \"streams\": [", file);
	for (int i = 0; i < PLAN_REGIONS_MAX; i++)
		fprintf(file,
			"%s{\"label\": \"s%d\", \"workload\": {\"kind\": \"io\", \"depth\": 4}, "
			"\"engine\": \"null\", \"region\": \"r%d\"}",
			i ? ", " : "", i, i);
	fputs("]}]}", file);
	fclose(file);
	run_text(&ran, text, -1, NULL);
	if (ran.status < 0)
		fail_msg("%s", ran.error.text);
	assert_string_equal(ran.result.variants[0].points[0].reason, "");
	assert_int_equal(ran.result.variants[0].points[0].status, RESULT_OK);
	assert_int_equal(ran.result.variants[0].points[0].repeats[0].n_audits, PLAN_REGIONS_MAX);
	ran_free(&ran);
}

#define BLOCKS 4

/* What was run, in the order in which it was. */
struct blocks_seen {
	struct ran ran;
	unsigned n_done, n_ticks;
	const struct result_point *points[3 * BLOCKS];
	unsigned runs_last, run_last;
};

static void saw_block(void *context, const struct run_progress *progress)
{
	struct blocks_seen *seen = context;

	seen->n_ticks++;
	assert_int_equal(progress->blocks, BLOCKS);
	assert_in_range(progress->block, 1, BLOCKS);
	assert_true(strchr("abc", progress->variant[0]) && !progress->variant[1]);
	seen->run_last = progress->run;
	seen->runs_last = progress->runs;
}

static void saw_point(void *context, const struct result_point *point,
		      const struct result_repeat *repeat)
{
	struct blocks_seen *seen = context;

	if (repeat)
		seen->points[seen->n_done++] = point;
}

static const char three_variants[] =
	"{\"name\": \"t\", \"seed\": \"11\", \"repeats\": 4, \"phases\": {\"warmup\": 0,"
	" \"measure\": \"1100ms\"}, \"baseline\": \"b\", \"variants\": [{\"label\": \"a\"},"
	" {\"label\": \"b\", \"set\": {\"size\": \"8m\"}}, {\"label\": \"c\"}], \"points\": "
	"[{" REGION ", " STREAM "}]}";

static void run_blocks(struct blocks_seen *seen, const char *text)
{
	struct observer observer = {
		.context = seen, .progress = saw_block, .repeat_done = saw_point};
	struct run_options options = {.observer = &observer, .signal_fd = -1, .version = "test"};
	struct ran *ran = &seen->ran;

	memset(seen, 0, sizeof(*seen));
	if (profile_parse("test.json", text, NULL, &ran->profile, &ran->error) < 0 ||
	    plan_make(&ran->profile, &ran->plan, &ran->error) < 0)
		fail_msg("%s", ran->error.text);
	ran->status = run_plan(&ran->plan, &options, &ran->result, &ran->error);
	if (ran->status < 0)
		fail_msg("%s", ran->error.text);
}

static void test_variants_run_in_blocks(void **state)
{
	struct blocks_seen seen;
	const struct result *result = &seen.ran.result;
	unsigned order[3];

	run_blocks(&seen, three_variants);
	assert_string_equal(result->baseline, "b");
	assert_int_equal(result->repeats, BLOCKS);
	assert_int_equal(seen.n_done, 3 * BLOCKS);
	assert_true(seen.n_ticks >= 3 * BLOCKS);
	assert_int_equal(seen.run_last, 3 * BLOCKS);
	assert_int_equal(seen.runs_last, 3 * BLOCKS);
	for (unsigned b = 0; b < BLOCKS; b++) {
		block_order(11, b, 3, order);
		for (unsigned i = 0; i < 3; i++) {
			const struct result_point *point = &result->variants[order[i]].points[0];

			assert_ptr_equal(seen.points[3 * b + i], point);
			assert_int_equal(point->repeats[b].index, b);
			assert_int_equal(point->repeats[b].place, i);
			assert_int_equal(point->repeats[b].status, RESULT_OK);
			assert_int_equal(point->repeats[b].n_audits, 1);
		}
	}
	assert_non_null(strstr(cJSON_GetArrayItem(result->notes, 0)->valuestring, "4 blocks"));
	ran_free(&seen.ran);
}

/* More huge pages than there can be. */
static const char one_impossible[] =
	"{\"name\": \"t\", \"repeats\": 4, \"phases\": {\"warmup\": 0, \"measure\": \"1100ms\"},"
	" \"variants\": [{\"label\": \"a\"}, {\"label\": \"c\", \"set\": {\"memory\": \"hugetlb\","
	" \"size\": \"16t\"}}], \"points\": [{" REGION ", " STREAM "}]}";

static void test_what_is_skipped_is_not_counted(void **state)
{
	struct blocks_seen seen;

	run_blocks(&seen, one_impossible);
	assert_int_equal(seen.n_done, BLOCKS);
	assert_int_equal(seen.run_last, BLOCKS);
	assert_int_equal(seen.runs_last, BLOCKS);
	assert_int_equal(seen.ran.result.variants[1].points[0].status, RESULT_SKIPPED);
	assert_int_equal(seen.ran.result.variants[1].points[0].n_repeats, 0);
	assert_true(seen.ran.result.complete);
	ran_free(&seen.ran);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_operation_is_counted_once),
		cmocka_unit_test(test_variants_run_in_blocks),
		cmocka_unit_test(test_what_is_skipped_is_not_counted),
		cmocka_unit_test(test_finished_repeats_are_on_disk),
		cmocka_unit_test(test_too_little_memory_of_a_kind_is_skipped),
		cmocka_unit_test(test_a_bad_target_is_refused_before_anything),
		cmocka_unit_test(test_a_signal_ends_it_with_what_there_is),
		cmocka_unit_test(test_a_killed_runner_is_a_failed_repeat),
		cmocka_unit_test(test_many_regions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
