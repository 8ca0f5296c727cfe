/* SPDX-License-Identifier: MIT */
/* crew_rig.h - a crew that reads a small file into a small region, for tests. */
#ifndef ORION_TESTS_RUN_CREW_RIG_H
#define ORION_TESTS_RUN_CREW_RIG_H

#include "run/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "engine/engine.h"
#include "engine/target.h"
#include "run/channel.h"
#include "workload/io.h"

#define FILE_BYTES   (4u << 20)
#define REGION_BYTES (8u << 20)

static inline void nap(unsigned ms)
{
	clock_sleep_until(clock_now_ns() + ms * UINT64_C(1000000));
}

/* A file of real blocks in the working directory, unlinked at once. */
static inline int make_file(void)
{
	char name[] = "crew-XXXXXX", block[4096];
	int plain = mkstemp(name), fd;

	assert_true(plain >= 0);
	memset(block, 7, sizeof(block));
	for (unsigned i = 0; i < FILE_BYTES / sizeof(block); i++)
		assert_int_equal(write(plain, block, sizeof(block)), sizeof(block));
	assert_int_equal(fsync(plain), 0);
	fd = open(name, O_RDONLY | O_DIRECT);
	close(plain);
	unlink(name);
	return fd;
}

#define WORKERS 2

struct rig {
	struct io_params params;
	struct choice engine;
	struct target target;
	struct workload_setup setup;
	struct channel *channel;
	void *buffers;
	unsigned n;
	struct crew_seat *seats;
};

static inline void rig_seat(struct rig *rig, enum worker_kind kind)
{
	uint64_t share_bytes = REGION_BYTES / rig->n;

	for (unsigned i = 0; i < rig->n; i++)
		rig->seats[i] =
			(struct crew_seat){.ops = &workload_io,
					   .setup = &rig->setup,
					   .label = "reads",
					   .index = i,
					   .region_index = i,
					   .seed = 1,
					   .kind = kind,
					   .pmu = true,
					   .buffers = (char *)rig->buffers + i * share_bytes,
					   .buffers_bytes = share_bytes,
					   .cpu = -1};
}

static inline void rig_open(struct rig *rig, const struct entry *engine, enum worker_kind kind,
			    unsigned n)
{
	struct error error = {0};
	uint64_t share_bytes = REGION_BYTES / n;

	memset(rig, 0, sizeof(*rig));
	field_presets(workload_io.entry.fields, &rig->params);
	rig->params.block_bytes = 4096;
	rig->params.depth = share_bytes / 4096 < 32 ? share_bytes / 4096 : 32;
	assert_int_equal(catalog_choose(engine, &rig->engine, &error), 0);
	target_model(&rig->target, FILE_BYTES);
	rig->target.offset_align_bytes = 512;
	rig->target.fd = make_file();
	rig->setup = (struct workload_setup){.params = &rig->params,
					     .engine = &rig->engine,
					     .targets = &rig->target,
					     .n_targets = 1,
					     .region_bytes = REGION_BYTES,
					     .region_page_bytes = 4096,
					     .workers = n,
					     .region_workers = n,
					     .queues = n};
	rig->buffers = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	assert_true(rig->buffers != MAP_FAILED);
	assert_int_equal(channel_open(n, &rig->channel, &error), 0);
	rig->n = n;
	rig->seats = calloc(n, sizeof(*rig->seats));
	assert_non_null(rig->seats);
	rig_seat(rig, kind);
}

/* Nobody is left: neither a process nor what remains of one. */
static inline void assert_no_children(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static inline void rig_close(struct rig *rig)
{
	channel_close(rig->channel);
	munmap(rig->buffers, REGION_BYTES);
	if (rig->target.fd >= 0)
		close(rig->target.fd);
	choice_free(&rig->engine);
	free(rig->seats);
	assert_no_children();
}

static inline bool engine_here(const struct rig *rig)
{
	struct engine_setup setup = {.depth = 32, .batch = 8, .queues = 2};
	struct error error = {0};

	if (engine_ops_of(&rig->engine)->probe(rig->engine.params, &setup, &error) == 0)
		return true;
	print_message("%s left out: %s\n", rig->engine.entry->name, error.text);
	return false;
}

static inline struct crew *rig_start(struct rig *rig)
{
	struct error error = {0};
	struct crew *crew = NULL;

	if (crew_start(rig->seats, rig->n, rig->channel, &crew, &error) < 0)
		fail_msg("%s", error.text);
	return crew;
}

static inline const struct entry *null_engine(void)
{
	const struct entry *entry = NULL;
	struct error error = {0};

	assert_int_equal(catalog_find(&engine_catalog, "null", &entry, &error), 0);
	return entry;
}

/* Workers run into trouble; the wait ends at once, and the second recorder says why. */
static inline void end_early(struct rig *rig, int code, const char *text)
{
	struct crew *crew = rig_start(rig);
	uint64_t begin_ns = clock_now_ns();

	crew_enter(crew, PHASE_MEASURE);
	assert_true(channel_wait(rig->channel, begin_ns + UINT64_C(60000000000)));
	assert_true(clock_now_ns() - begin_ns < UINT64_C(30000000000));
	crew_enter(crew, PHASE_DRAIN);
	crew_join(crew);
	assert_int_equal(rig->channel->recorders[1].failure_code, code);
	assert_string_equal(rig->channel->recorders[1].failure, text);
	assert_int_equal(rig->channel->recorders[0].failure_code, 0);
}

#endif
