/* SPDX-License-Identifier: MIT */
/* test_io_aim.c - where the reads of io really go, seen by an engine that writes it down. */
#include "workload/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/field.h"
#include "engine/engine.h"
#include "engine/target.h"
#include "workload/pattern.h"
#include "workload/volume.h"

#define BLOCK	   8192u
#define DEPTH	   4u
#define CELLS	   256u
#define HUGE_BYTES (UINT64_C(40) << 40)

/* What was submitted; requests finish at once, as those of the null engine. */
struct seen {
	struct request *held[DEPTH];
	unsigned n_held;
	uint64_t n, jumps; /* not behind the one before, on the same target */
	uint32_t last_target;
	uint64_t last_bytes;
	unsigned high[CELLS], low[CELLS];
	unsigned blocks[2][64];
};

static struct seen seen;

static int capture_probe(const void *params, const struct engine_setup *setup, struct error *error)
{
	return 0;
}

static int capture_open(struct queue *queue, struct error *error)
{
	return 0;
}

static void capture(const struct request *request)
{
	uint64_t offset_bytes = request->offset_bytes;

	seen.n++;
	seen.jumps +=
		request->target != seen.last_target || offset_bytes != seen.last_bytes + BLOCK;
	seen.last_target = request->target;
	seen.last_bytes = offset_bytes;
	seen.high[offset_bytes / (HUGE_BYTES / CELLS)]++;
	seen.low[offset_bytes / BLOCK % CELLS]++;
	if (offset_bytes < 64 * BLOCK)
		seen.blocks[request->target][offset_bytes / BLOCK]++;
}

static int capture_submit(struct queue *queue, struct request **requests, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		capture(requests[i]);
		requests[i]->result = (int32_t)requests[i]->length_bytes;
		seen.held[seen.n_held++] = requests[i];
	}
	return (int)n;
}

static int capture_reap(struct queue *queue, struct request **done, unsigned min, unsigned max)
{
	unsigned n = seen.n_held < max ? seen.n_held : max;

	memcpy(done, seen.held, n * sizeof(*done));
	memmove(seen.held, seen.held + n, (seen.n_held - n) * sizeof(*done));
	seen.n_held -= n;
	return (int)n;
}

static void capture_close(struct queue *queue)
{
}

static const struct engine_ops capture_ops = {
	.entry = {.name = "capture", .summary = "writes down"},
	.probe = capture_probe,
	.open = capture_open,
	.submit = capture_submit,
	.reap = capture_reap,
	.close = capture_close};

struct bench {
	struct io_params params;
	struct choice engine;
	struct target targets[2];
	struct workload_setup setup;
	struct worker worker;
	struct recorder *recorder;
	void *buffers;
};

/* Targets of 64 blocks; setup and params may still be changed. */
static void bench_prepare(struct bench *bench, int pattern)
{
	memset(bench, 0, sizeof(*bench));
	memset(&seen, 0, sizeof(seen));
	field_presets(workload_io.entry.fields, &bench->params);
	bench->params.depth = DEPTH;
	bench->params.pattern = pattern;
	bench->engine = (struct choice){.entry = &capture_ops.entry};
	for (unsigned i = 0; i < 2; i++) {
		target_model(&bench->targets[i], 64 * BLOCK);
		bench->targets[i].offset_align_bytes = 512;
	}
	bench->setup = (struct workload_setup){.params = &bench->params,
					       .engine = &bench->engine,
					       .targets = bench->targets,
					       .n_targets = 1,
					       .region_bytes = DEPTH * BLOCK,
					       .region_page_bytes = 4096,
					       .workers = 1,
					       .region_workers = 1,
					       .queues = 1};
	bench->recorder = aligned_alloc(128, recorder_bytes(1));
	bench->buffers = aligned_alloc(4096, DEPTH * BLOCK);
	assert_true(bench->recorder && bench->buffers);
	memset(bench->recorder, 0, recorder_bytes(1));
	recorder_init(bench->recorder);
}

static void bench_setup(struct bench *bench, enum phase phase)
{
	struct error error = {0};

	bench->worker = (struct worker){.ops = &workload_io,
					.setup = &bench->setup,
					.seed = 1,
					.buffers = bench->buffers,
					.buffers_bytes = DEPTH * BLOCK,
					.recorder = bench->recorder,
					.phase = phase};
	assert_int_equal(workload_io.probe(&bench->setup, &error), 0);
	assert_int_equal(workload_io.setup(&bench->worker, &error), 0);
}

static void bench_run(struct bench *bench, uint64_t n)
{
	for (uint64_t end = seen.n + n; seen.n < end;)
		assert_int_equal(workload_io.step(&bench->worker), 0);
}

static void bench_close(struct bench *bench)
{
	workload_io.teardown(&bench->worker);
	free(bench->recorder);
	free(bench->buffers);
}

static double chi_square(const unsigned cells[CELLS])
{
	double n = 0, sum = 0;

	for (unsigned i = 0; i < CELLS; i++)
		n += cells[i];
	for (unsigned i = 0; i < CELLS; i++)
		sum += (cells[i] - n / CELLS) * (cells[i] - n / CELLS) / (n / CELLS);
	return sum;
}

/*
 * More than 2^32 blocks, and every part of them as often, whether large parts are looked at or
 * neighbours. With 255 degrees of freedom the standard deviation is 22.6: about five of them on
 * either side.
 */
static void test_random_reads_cover_forty_tebibytes(void **state)
{
	struct bench bench;

	bench_prepare(&bench, PATTERN_RANDOM);
	target_model(&bench.targets[0], HUGE_BYTES);
	bench.targets[0].offset_align_bytes = 512;
	bench_setup(&bench, PHASE_MEASURE);
	bench_run(&bench, 300000);
	assert_true(chi_square(seen.high) > 150 && chi_square(seen.high) < 375);
	assert_true(chi_square(seen.low) > 150 && chi_square(seen.low) < 375);
	bench_close(&bench);
}

/* A warm-up that fills a cache reads at random; what is measured then walks from its beginning. */
static void test_random_warmup_of_a_sequential_stream(void **state)
{
	struct bench bench;
	uint64_t jumps;

	bench_prepare(&bench, PATTERN_SEQUENTIAL);
	bench.setup.random_warmup = true;
	bench_setup(&bench, PHASE_WARMUP);
	bench_run(&bench, 100);
	assert_true(seen.jumps > 80);
	bench.worker.phase = PHASE_MEASURE;
	jumps = seen.jumps;
	bench_run(&bench, 60);
	/* One to get there; and 64 blocks are not yet walked. */
	assert_int_equal(seen.jumps - jumps, 1);
	bench_close(&bench);
}

/* One of its own takes nothing from what comes after it: random reads go on where they were. */
static void test_random_warmup_of_random_reads(void **state)
{
	struct bench bench;
	unsigned blocks[64];

	bench_prepare(&bench, PATTERN_RANDOM);
	bench.setup.random_warmup = true;
	bench_setup(&bench, PHASE_WARMUP);
	bench_run(&bench, 32);
	memcpy(blocks, seen.blocks[0], sizeof(blocks));
	memset(seen.blocks, 0, sizeof(seen.blocks));
	bench.worker.phase = PHASE_MEASURE;
	bench_run(&bench, 32);
	assert_memory_not_equal(blocks, seen.blocks[0], sizeof(blocks));
	bench_close(&bench);
}

/* Layout raid0; the caller frees it. */
static struct choice striped(const char *stripe)
{
	const struct entry *entry;
	struct choice raid0;
	struct error error = {0};

	assert_int_equal(catalog_find(&layout_catalog, "raid0", &entry, &error), 0);
	assert_int_equal(catalog_choose(entry, &raid0, &error), 0);
	assert_int_equal(field_parse(&entry->fields[0], stripe, raid0.params, &error), 0);
	return raid0;
}

static void test_stripes_are_followed(void **state)
{
	struct choice raid0 = striped("32k");
	struct bench bench;

	bench_prepare(&bench, PATTERN_SEQUENTIAL);
	bench.setup.layout = &raid0;
	bench.setup.n_targets = 2;
	bench_setup(&bench, PHASE_MEASURE);
	bench_run(&bench, 128);
	for (unsigned i = 0; i < 64; i++) {
		assert_int_equal(seen.blocks[0][i], 1);
		assert_int_equal(seen.blocks[1][i], 1);
	}
	/* From stripe to stripe, four blocks each. */
	assert_int_equal(seen.jumps, 32);
	bench_close(&bench);
	choice_free(&raid0);
}

static void test_blocks_that_fit_no_stripe_are_refused(void **state)
{
	struct choice raid0 = striped("4k");
	struct bench bench;
	struct error error = {0};

	bench_prepare(&bench, PATTERN_RANDOM);
	bench.setup.layout = &raid0;
	assert_int_equal(workload_io.probe(&bench.setup, &error), ERROR_INPUT);
	assert_non_null(strstr(error.text, "stripe 4K is not a multiple of block 8K"));
	free(bench.recorder);
	free(bench.buffers);
	choice_free(&raid0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_reads_cover_forty_tebibytes),
		cmocka_unit_test(test_random_warmup_of_a_sequential_stream),
		cmocka_unit_test(test_random_warmup_of_random_reads),
		cmocka_unit_test(test_stripes_are_followed),
		cmocka_unit_test(test_blocks_that_fit_no_stripe_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
