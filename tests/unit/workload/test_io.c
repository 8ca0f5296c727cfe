/* SPDX-License-Identifier: MIT */
/* test_io.c - the io workload over a scripted engine: counts, short reads, EAGAIN, errors, drain.
 */
#include "workload/io.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "engine/engine.h"
#include "engine/target.h"

#define DEPTH 8u
#define BLOCK 8192u

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

static time_t clock_back_s; /* how far the clock has been set back */

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	int rc = __real_clock_gettime(clock, ret);

	ret->tv_sec -= clock_back_s;
	return rc;
}

/* An engine that keeps what it is given and answers by a script. */
struct script {
	struct request *held[DEPTH];
	unsigned n;
	unsigned accept_max; /* most requests a submit takes */
	int32_t answers[16]; /* results of the first so many requests; 0: whole */
	unsigned n_answers, given;
	unsigned submits, most_held;
	uint64_t submit_ns; /* that a submit takes */
	/* What the submit before was offered and did not take. */
	struct request *refused[DEPTH];
	uint64_t refused_at[DEPTH];
	unsigned n_refused, refusals;
};

static struct script script;

static int script_probe(const void *params, const struct engine_setup *setup, struct error *error)
{
	return 0;
}

static int script_open(struct queue *queue, struct error *error)
{
	strcpy(queue->traits, "scripted");
	return 0;
}

/* What was not taken comes again, before anything else, in its order and with its place. */
static void expect_refused_first(struct request **requests, unsigned n, unsigned taken)
{
	assert_true(n >= script.n_refused);
	for (unsigned i = 0; i < script.n_refused; i++) {
		assert_ptr_equal(requests[i], script.refused[i]);
		assert_int_equal(requests[i]->offset_bytes, script.refused_at[i]);
	}
	script.n_refused = n - taken;
	script.refusals += script.n_refused > 0;
	for (unsigned i = 0; i < script.n_refused; i++) {
		script.refused[i] = requests[taken + i];
		script.refused_at[i] = requests[taken + i]->offset_bytes;
	}
}

static int script_submit(struct queue *queue, struct request **requests, unsigned n)
{
	unsigned taken = n < script.accept_max ? n : script.accept_max;

	assert_true(n <= queue->setup.batch);
	expect_refused_first(requests, n, taken);
	if (script.submit_ns)
		clock_sleep_until(clock_now_ns() + script.submit_ns);
	for (unsigned i = 0; i < taken; i++) {
		assert_true(script.n < DEPTH);
		assert_true(requests[i]->submitted_ns > 0);
		script.held[script.n++] = requests[i];
	}
	if (script.n > script.most_held)
		script.most_held = script.n;
	script.submits++;
	return (int)taken;
}

static int script_reap(struct queue *queue, struct request **done, unsigned min, unsigned max)
{
	unsigned n = script.n < max ? script.n : max;

	assert_true(min <= script.n);
	/* Nothing finishes before somebody waits. */
	if (min == 0)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		int32_t answer = 0;

		done[i] = script.held[i];
		if (script.given < script.n_answers)
			answer = script.answers[script.given];
		script.given++;
		done[i]->result = answer ? answer : (int32_t)done[i]->length_bytes;
	}
	script.n -= n;
	memmove(script.held, script.held + n, script.n * sizeof(script.held[0]));
	return (int)n;
}

static void script_close(struct queue *queue)
{
	assert_int_equal(script.n, 0);
}

static const struct engine_ops script_ops = {.entry = {.name = "script", .summary = "scripted"},
					     .probe = script_probe,
					     .open = script_open,
					     .submit = script_submit,
					     .reap = script_reap,
					     .close = script_close};

struct bench {
	struct io_params params;
	struct choice engine;
	struct target target;
	struct workload_setup setup;
	struct worker worker;
	struct recorder *recorder;
	void *buffers;
};

static void bench_open(struct bench *bench)
{
	struct error error = {0};

	memset(bench, 0, sizeof(*bench));
	script.accept_max = DEPTH;
	field_presets(workload_io.entry.fields, &bench->params);
	bench->params.depth = DEPTH;
	bench->params.batch = 4;
	bench->engine = (struct choice){.entry = &script_ops.entry};
	target_model(&bench->target, 64 * BLOCK);
	bench->target.offset_align_bytes = 512;
	bench->setup = (struct workload_setup){.params = &bench->params,
					       .engine = &bench->engine,
					       .targets = &bench->target,
					       .n_targets = 1,
					       .region_bytes = 64 * BLOCK,
					       .region_page_bytes = 4096,
					       .workers = 1,
					       .region_workers = 1,
					       .queues = 1};
	bench->recorder = aligned_alloc(128, recorder_bytes(1));
	assert_non_null(bench->recorder);
	memset(bench->recorder, 0, recorder_bytes(1));
	recorder_init(bench->recorder);
	bench->buffers = aligned_alloc(4096, 64 * BLOCK);
	bench->worker = (struct worker){.ops = &workload_io,
					.setup = &bench->setup,
					.seed = 1,
					.buffers = bench->buffers,
					.buffers_bytes = 64 * BLOCK,
					.recorder = bench->recorder,
					.phase = PHASE_MEASURE};
	assert_int_equal(workload_io.probe(&bench->setup, &error), 0);
	assert_int_equal(workload_io.setup(&bench->worker, &error), 0);
	assert_string_equal(bench->recorder->traits, "scripted");
}

static void bench_close(struct bench *bench)
{
	workload_io.teardown(&bench->worker);
	free(bench->recorder);
	free(bench->buffers);
	script = (struct script){0};
}

static const struct tally *measured(const struct bench *bench)
{
	return &bench->recorder->classes[IO_CLASS_READ].tally[PHASE_MEASURE];
}

static void test_depth_is_kept_and_all_is_counted(void **state)
{
	struct bench bench;
	const struct histogram *histogram;

	bench_open(&bench);
	for (int i = 0; i < 100; i++)
		assert_int_equal(workload_io.step(&bench.worker), 0);
	assert_int_equal(script.most_held, DEPTH);
	assert_true(measured(&bench)->ops > 300);
	assert_int_equal(measured(&bench)->bytes, measured(&bench)->ops * BLOCK);
	histogram = &bench.recorder->classes[IO_CLASS_READ].interval[0];
	assert_int_equal(histogram->count, measured(&bench)->ops);
	bench_close(&bench);
}

static void test_drained_requests_are_not_measured(void **state)
{
	struct bench bench;
	uint64_t before;

	bench_open(&bench);
	for (int i = 0; i < 10; i++)
		workload_io.step(&bench.worker);
	before = measured(&bench)->ops;
	workload_io.teardown(&bench.worker);
	assert_int_equal(measured(&bench)->ops, before);
	assert_true(bench.recorder->classes[IO_CLASS_READ].tally[PHASE_DRAIN].ops > 0);
	free(bench.recorder);
	free(bench.buffers);
	script = (struct script){0};
}

static void test_short_submit_keeps_the_rest(void **state)
{
	struct bench bench;

	bench_open(&bench);
	script.accept_max = 1;
	for (int i = 0; i < 200; i++)
		assert_int_equal(workload_io.step(&bench.worker), 0);
	assert_true(script.refusals > 100);
	assert_true(measured(&bench)->ops >= 190);
	assert_int_equal(measured(&bench)->ops, script.given);
	bench_close(&bench);
}

/* A device whose own queue is full blocks in submit: not the time that it serves an I/O in. */
static void test_time_in_submit_is_told_apart(void **state)
{
	struct bench bench;
	double mean_ns;

	bench_open(&bench);
	script.submit_ns = 2000000;
	for (int i = 0; i < 32; i++)
		assert_int_equal(workload_io.step(&bench.worker), 0);
	script.submit_ns = 0;
	mean_ns = (double)measured(&bench)->submit_ns / (double)measured(&bench)->batches;
	if (mean_ns < 2e6 || mean_ns > 20e6)
		fail_msg("%.0f ns a batch", mean_ns);
	bench_close(&bench);
}

static void test_short_read_is_continued(void **state)
{
	struct bench bench;

	bench_open(&bench);
	script.answers[0] = 4096;
	script.n_answers = 1;
	for (int i = 0; i < 10; i++)
		assert_int_equal(workload_io.step(&bench.worker), 0);
	assert_int_equal(measured(&bench)->shorts, 1);
	assert_int_equal(measured(&bench)->errors, 0);
	/* The rest of it may still be in flight; what was moved is counted, never what was asked.
	 */
	workload_io.teardown(&bench.worker);
	{
		const struct tally *drained =
			&bench.recorder->classes[IO_CLASS_READ].tally[PHASE_DRAIN];

		assert_int_equal(measured(&bench)->bytes + drained->bytes,
				 (measured(&bench)->ops + drained->ops) * BLOCK);
	}
	free(bench.recorder);
	free(bench.buffers);
	script = (struct script){0};
}

static void test_eagain_is_issued_again(void **state)
{
	struct bench bench;

	bench_open(&bench);
	script.answers[0] = script.answers[1] = script.answers[5] = -EAGAIN;
	script.n_answers = 6;
	for (int i = 0; i < 20; i++)
		assert_int_equal(workload_io.step(&bench.worker), 0);
	assert_int_equal(measured(&bench)->retries, 3);
	assert_int_equal(measured(&bench)->errors, 0);
	assert_int_equal(measured(&bench)->ops, script.given - 3);
	assert_int_equal(measured(&bench)->bytes, measured(&bench)->ops * BLOCK);
	bench_close(&bench);
}

static void test_eagain_has_a_bound(void **state)
{
	struct bench bench;
	int status = 0;

	bench_open(&bench);
	bench.params.retries_max = 1;
	for (unsigned i = 0; i < 16; i++)
		script.answers[i] = -EAGAIN;
	script.n_answers = 16;
	for (int i = 0; i < 20 && status == 0; i++)
		status = workload_io.step(&bench.worker);
	assert_int_equal(status, ERROR_IO);
	assert_true(measured(&bench)->errors > 0);
	bench_close(&bench);
}

static void test_error_names_the_place(void **state)
{
	struct bench bench;
	int status = 0;

	bench_open(&bench);
	script.answers[2] = -EIO;
	script.n_answers = 3;
	for (int i = 0; i < 20 && status == 0; i++)
		status = workload_io.step(&bench.worker);
	assert_int_equal(status, ERROR_IO);
	assert_int_equal(measured(&bench)->errors, 1);
	assert_non_null(strstr(bench.recorder->failure, "read of 8192 bytes at offset"));
	assert_non_null(strstr(bench.recorder->failure, "Input/output error"));
	bench_close(&bench);
}

static void test_end_of_file_is_an_error(void **state)
{
	struct bench bench;
	int status = 0;

	bench_open(&bench);
	script.answers[0] = 100; /* less than one block of the device: nothing to continue from */
	script.n_answers = 1;
	for (int i = 0; i < 20 && status == 0; i++)
		status = workload_io.step(&bench.worker);
	assert_int_equal(status, ERROR_IO);
	assert_non_null(strstr(bench.recorder->failure, "end of file"));
	bench_close(&bench);
}

static void test_errors_max_goes_on(void **state)
{
	struct bench bench;

	bench_open(&bench);
	bench.params.errors_max = 2;
	script.answers[0] = script.answers[1] = -EIO;
	script.n_answers = 2;
	for (int i = 0; i < 50; i++)
		assert_int_equal(workload_io.step(&bench.worker), 0);
	assert_int_equal(measured(&bench)->errors, 2);
	bench_close(&bench);
}

static void refuse(struct bench *bench, const char *words)
{
	struct error error = {0};

	assert_int_equal(workload_io.probe(&bench->setup, &error), ERROR_INPUT);
	if (!strstr(error.text, words))
		fail_msg("'%s' lacks '%s'", error.text, words);
}

static void test_probe_refuses_what_does_not_fit(void **state)
{
	struct bench bench;

	bench_open(&bench);
	bench.params.batch = 9;
	refuse(&bench, "batch 9 is more than depth 8");
	bench.params.batch = 4;
	bench.params.reap_min = 5;
	refuse(&bench, "reap_min 5 is more than batch 4");
	bench.params.reap_min = 1;
	bench.setup.region_bytes = 7 * BLOCK;
	refuse(&bench, "needs 64K");
	bench.setup.region_bytes = 64 * BLOCK;
	bench.params.offset_bytes = 60 * BLOCK;
	bench.params.length_bytes = 8 * BLOCK;
	refuse(&bench, "");
	bench.params.offset_bytes = 0;
	bench.params.length_bytes = 0;
	bench_close(&bench);
}

/* Latencies stay what they are: whatever is in flight began before the clock was set. */
static void test_clock_that_goes_back(void **state)
{
	const struct histogram *histogram;
	struct bench bench;

	bench_open(&bench);
	histogram = &bench.recorder->classes[IO_CLASS_READ].interval[0];
	for (int i = 0; i < 100; i++) {
		clock_back_s = i / 10;
		assert_int_equal(workload_io.step(&bench.worker), 0);
	}
	assert_true(histogram->count > 300);
	assert_int_equal(histogram->overflow, 0);
	assert_true(histogram->max_ns < 1000000000);
	assert_true(measured(&bench)->submit_ns < 1000000000);
	bench_close(&bench);
	clock_back_s = 0;
}

/* Shares end on pages, so two workers need more than twice what one does. */
static void test_shares_are_whole_pages(void **state)
{
	static const struct {
		uint64_t page, bytes;
		unsigned workers;
		uint64_t share;
	} rows[] = {
		{4096, 64 << 10, 1, 64 << 10},
		{4096, 4096, 1, 4096},
		{4096, 4096, 2, 0},
		{4096, 10 << 10, 2, 4096},
		{2 << 20, 6 << 20, 2, 2 << 20},
		{2 << 20, 8 << 20, 2, 4 << 20},
		{2 << 20, 3 << 20, 2, 3 << 19},
		{2 << 20, 2 << 20, 3, 169 * 4096 + 4096},
		{2 << 20, (4 << 20) - 1, 2, (2 << 20) - 4096},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct workload_setup setup = {.region_page_bytes = rows[i].page,
					       .region_workers = rows[i].workers};
		uint64_t least = workload_need_bytes(&setup, rows[i].share);

		assert_int_equal(workload_share_bytes(&setup, rows[i].bytes), rows[i].share);
		assert_true(least <= rows[i].bytes);
		assert_int_equal(workload_share_bytes(&setup, least), rows[i].share);
	}
}

static void test_a_share_too_small_is_refused(void **state)
{
	struct bench bench;
	struct error error = {0};

	bench_open(&bench);
	bench.setup.region_workers = 2;
	bench.setup.region_page_bytes = 48 << 10;
	/* Two of 72K would do, but for their pages: 48K each. */
	bench.setup.region_bytes = 18 * BLOCK;
	assert_int_equal(workload_io.probe(&bench.setup, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "needs 192K, but the region's size is 144K"));
	bench.setup.region_bytes = 192 << 10;
	assert_int_equal(workload_io.probe(&bench.setup, &error), 0);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_depth_is_kept_and_all_is_counted),
		cmocka_unit_test(test_drained_requests_are_not_measured),
		cmocka_unit_test(test_short_submit_keeps_the_rest),
		cmocka_unit_test(test_time_in_submit_is_told_apart),
		cmocka_unit_test(test_short_read_is_continued),
		cmocka_unit_test(test_eagain_is_issued_again),
		cmocka_unit_test(test_eagain_has_a_bound),
		cmocka_unit_test(test_error_names_the_place),
		cmocka_unit_test(test_end_of_file_is_an_error),
		cmocka_unit_test(test_errors_max_goes_on),
		cmocka_unit_test(test_clock_that_goes_back),
		cmocka_unit_test(test_probe_refuses_what_does_not_fit),
		cmocka_unit_test(test_shares_are_whole_pages),
		cmocka_unit_test(test_a_share_too_small_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
