/* SPDX-License-Identifier: MIT */
/* touch.c - what sessions of a database do to the SGA: cache lines of random pages. */
#include "workload/touch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "base/random.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

#define LINE_BYTES 64

enum { TOUCH_CLASS };

static const char *const op_names[] = {"read", "write", NULL};

static const struct field touch_fields[] = {
	FIELD_CHOICE("op", struct touch_params, op, "read", op_names,
		     "what is done to the line: loaded, or loaded and stored"),
	FIELD_COUNT("batch", struct touch_params, batch, "64", 1, 65536,
		    "pages a step, timed together"),
	FIELD_BOOL("populate", struct touch_params, populate, "true",
		   "touch every page of the region before, so that no touch is a first one"),
	FIELD_END};

static const struct op_class touch_classes[] = {
	{.name = "touch", .unit = "page", .timed_in_batches = true}, {.name = NULL}};

/* One worker's state. */
struct touch {
	const struct touch_params *params;
	struct random random;
	char *region; /* borrowed */
	uint64_t page_bytes, n_pages, lines_mask;
	uint64_t sum; /* of what was read, so that it is read */
};

static int touch_probe(const struct workload_setup *setup, struct error *error)
{
	return 0;
}

/*
 * Page tables belong to a process, and one that was forked has none yet for shared memory. Reading
 * brings them as they are needed for writing, too.
 */
static int touch_populate(struct touch *touch, uint64_t bytes, struct error *error)
{
	if (madvise(touch->region, bytes, MADV_POPULATE_READ) == 0)
		return 0;
	if (errno != EINVAL)
		return error_set(error, -errno, "the region cannot be touched: %s",
				 strerror(errno));
	for (uint64_t page = 0; page < touch->n_pages; page++) /* before Linux 5.14 */
		touch->sum += __atomic_load_n(
			(uint64_t *)(void *)(touch->region + page * touch->page_bytes),
			__ATOMIC_RELAXED);
	return 0;
}

static int touch_setup(struct worker *worker, struct error *error)
{
	struct touch *touch = calloc(1, sizeof(*touch));
	int status = 0;

	if (!touch)
		return error_set(error, -ENOMEM, "no memory for a worker");
	touch->params = worker->setup->params;
	touch->region = worker->region;
	touch->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	touch->n_pages = worker->setup->region_bytes / touch->page_bytes;
	touch->lines_mask = touch->page_bytes / LINE_BYTES - 1;
	random_seed(&touch->random, worker->seed, worker->index);
	if (touch->params->populate)
		status = touch_populate(touch, touch->n_pages * touch->page_bytes, error);
	if (status < 0) {
		free(touch);
		return status;
	}
	worker->private_data = touch;
	return 0;
}

/* A line of a random page: any of them, else all would meet in a few sets of the caches. */
static inline uint64_t *touch_next(const struct touch *touch, struct random *random)
{
	uint64_t page = random_below(random, touch->n_pages);
	uint64_t line = random->state[0] & touch->lines_mask;

	return (uint64_t *)(void *)(touch->region + page * touch->page_bytes + line * LINE_BYTES);
}

static inline void touch_read(struct touch *touch, uint64_t n)
{
	struct random random = touch->random;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += __atomic_load_n(touch_next(touch, &random), __ATOMIC_RELAXED);
	touch->random = random;
	touch->sum += sum;
}

/* No locked instruction: workers that meet in a line may lose a count, which nobody reads. */
static inline void touch_write(struct touch *touch, uint64_t n)
{
	struct random random = touch->random;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t *word = touch_next(touch, &random);

		__atomic_store_n(word, __atomic_load_n(word, __ATOMIC_RELAXED) + 1,
				 __ATOMIC_RELAXED);
	}
	touch->random = random;
}

static int touch_step(struct worker *worker)
{
	struct touch *touch = worker->private_data;
	struct recorder *recorder = worker->recorder;
	struct tally *tally = &recorder->classes[TOUCH_CLASS].tally[worker->phase];
	uint64_t n = touch->params->batch, begin_ns, spent_ns;
	uint32_t active = recorder_enter(recorder);

	begin_ns = clock_now_ns();
	if (touch->params->op == TOUCH_READ)
		touch_read(touch, n);
	else
		touch_write(touch, n);
	spent_ns = clock_now_ns() - begin_ns;
	recorder_add_n(recorder, worker->phase, active, TOUCH_CLASS, (spent_ns + n / 2) / n, n);
	tally_count(tally, n, 0);
	tally->batches++;
	return 0;
}

static void touch_teardown(struct worker *worker)
{
	free(worker->private_data);
	worker->private_data = NULL;
}

const struct workload_ops workload_touch = {
	.entry = {.name = "touch",
		  .summary = "one cache line of random pages, as sessions touch buffers of the SGA",
		  .fields = touch_fields,
		  .params_size = sizeof(struct touch_params)},
	.classes = touch_classes,
	.needs_region = true,
	.whole_region = true,
	.probe = touch_probe,
	.setup = touch_setup,
	.step = touch_step,
	.teardown = touch_teardown};
