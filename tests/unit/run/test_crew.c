/* SPDX-License-Identifier: MIT */
/* test_crew.c - the gate, the phases, and that nothing is allocated, locked or formatted between
 * them. */
#include "run/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "engine/engine.h"
#include "engine/target.h"
#include "run/channel.h"
#include "workload/io.h"

/*
 * The linker sends the harness's own calls of these functions here (--wrap, see CMakeLists.txt),
 * and they are counted while the crew measures.
 */
static _Atomic unsigned counting, counted;

static void count_call(void)
{
	if (atomic_load_explicit(&counting, memory_order_relaxed))
		atomic_fetch_add(&counted, 1);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *pointer, size_t size);
void __real_free(void *pointer);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_vsnprintf(char *text, size_t size, const char *format, va_list arguments);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
void __wrap_free(void *pointer);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_vsnprintf(char *text, size_t size, const char *format, va_list arguments);
int __wrap_snprintf(char *text, size_t size, const char *format, ...);

void *__wrap_malloc(size_t size)
{
	count_call();
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	count_call();
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *pointer, size_t size)
{
	count_call();
	return __real_realloc(pointer, size);
}

void __wrap_free(void *pointer)
{
	count_call();
	__real_free(pointer);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	count_call();
	return __real_pthread_mutex_lock(mutex);
}

int __wrap_vsnprintf(char *text, size_t size, const char *format, va_list arguments)
{
	count_call();
	return __real_vsnprintf(text, size, format, arguments);
}

int __wrap_snprintf(char *text, size_t size, const char *format, ...)
{
	va_list arguments;
	int length;

	count_call();
	va_start(arguments, format);
	length = __real_vsnprintf(text, size, format, arguments);
	va_end(arguments);
	return length;
}

#define FILE_BYTES   (4u << 20)
#define REGION_BYTES (4u << 20)

static void nap(unsigned ms)
{
	clock_sleep_until(clock_now_ns() + ms * UINT64_C(1000000));
}

/* A file of real blocks in the working directory, unlinked at once. */
static int make_file(void)
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

struct rig {
	struct io_params params;
	struct choice engine;
	struct target target;
	struct workload_setup setup;
	struct channel *channel;
	void *buffers;
	struct crew_seat seats[2];
};

static void rig_open(struct rig *rig, const struct entry *engine)
{
	struct error error = {0};

	memset(rig, 0, sizeof(*rig));
	field_presets(workload_io.entry.fields, &rig->params);
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
					     .workers = 2,
					     .region_workers = 2,
					     .queues = 2};
	rig->buffers = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	assert_true(rig->buffers != MAP_FAILED);
	assert_int_equal(channel_open(2, &rig->channel, &error), 0);
	for (unsigned i = 0; i < 2; i++)
		rig->seats[i] =
			(struct crew_seat){.ops = &workload_io,
					   .setup = &rig->setup,
					   .label = "reads",
					   .index = i,
					   .region_index = i,
					   .seed = 1,
					   .buffers = (char *)rig->buffers + i * (REGION_BYTES / 2),
					   .buffers_bytes = REGION_BYTES / 2,
					   .cpu = -1};
}

static void rig_close(struct rig *rig)
{
	channel_close(rig->channel);
	munmap(rig->buffers, REGION_BYTES);
	if (rig->target.fd >= 0)
		close(rig->target.fd);
	choice_free(&rig->engine);
}

static bool engine_here(const struct rig *rig)
{
	struct engine_setup setup = {.depth = 32, .batch = 8, .queues = 2};
	struct error error = {0};

	if (engine_ops_of(&rig->engine)->probe(rig->engine.params, &setup, &error) == 0)
		return true;
	print_message("%s left out: %s\n", rig->engine.entry->name, error.text);
	return false;
}

static void measure_counted(const struct entry *engine)
{
	struct error error = {0};
	struct crew *crew;
	struct rig rig;

	rig_open(&rig, engine);
	if (engine_here(&rig)) {
		uint64_t ops = 0;

		if (crew_start(rig.seats, 2, rig.channel, &crew, &error) < 0)
			fail_msg("%s: %s", engine->name, error.text);
		crew_enter(crew, PHASE_WARMUP);
		nap(50); /* past the gate */
		atomic_store(&counted, 0);
		atomic_store(&counting, 1);
		crew_enter(crew, PHASE_MEASURE);
		nap(100);
		crew_enter(crew, PHASE_DRAIN);
		atomic_store(&counting, 0);
		crew_join(crew);
		for (unsigned i = 0; i < 2; i++)
			ops += rig.channel->recorders[i].classes[0].tally[PHASE_MEASURE].ops;
		print_message("%s: %lu I/Os, %u calls\n", engine->name, ops, atomic_load(&counted));
		assert_true(ops > 0);
		assert_int_equal(atomic_load(&counted), 0);
	}
	rig_close(&rig);
}

static void test_nothing_is_allocated_while_measuring(void **state)
{
	for (const struct entry *const *entry = engine_catalog.entries; *entry; entry++)
		measure_counted(*entry);
}

/* The counter itself must be able to count, else the test above could not fail. */
static void test_the_counter_counts(void **state)
{
	char text[8];

	atomic_store(&counted, 0);
	atomic_store(&counting, 1);
	free(malloc(1));
	snprintf(text, sizeof(text), "%d", 1);
	atomic_store(&counting, 0);
	assert_int_equal(atomic_load(&counted), 3);
}

static const struct entry *null_engine(void)
{
	const struct entry *entry = NULL;
	struct error error = {0};

	assert_int_equal(catalog_find(&engine_catalog, "null", &entry, &error), 0);
	return entry;
}

static void test_phases_count_apart(void **state)
{
	struct error error = {0};
	struct crew *crew;
	struct rig rig;

	rig_open(&rig, null_engine());
	assert_int_equal(crew_start(rig.seats, 2, rig.channel, &crew, &error), 0);
	nap(20);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(rig.channel->recorders[i].classes[0].tally[PHASE_WARMUP].ops, 0);
	crew_enter(crew, PHASE_WARMUP);
	nap(30);
	crew_enter(crew, PHASE_MEASURE);
	nap(60);
	crew_enter(crew, PHASE_DRAIN);
	crew_join(crew);
	for (unsigned i = 0; i < 2; i++) {
		const struct recorder *recorder = &rig.channel->recorders[i];
		const struct recorder_class *class = &recorder->classes[0];
		uint64_t measured = class->interval[0].count + class->interval[1].count;

		assert_true(class->tally[PHASE_WARMUP].ops > 0);
		assert_int_equal(class->warmup.count, class->tally[PHASE_WARMUP].ops);
		assert_int_equal(measured, class->tally[PHASE_MEASURE].ops);
		assert_true(recorder->step_count > 0);
		assert_true(recorder->end_ns > recorder->begin_ns);
		assert_true(recorder->end.user_ns + recorder->end.system_ns >
			    recorder->begin.user_ns + recorder->begin.system_ns);
	}
	rig_close(&rig);
}

static int failing_setup(struct worker *worker, struct error *error)
{
	if (worker->index == 0)
		return workload_io.setup(worker, error);
	return error_set(error, -ENOMEM, "no room for a second one");
}

static void test_a_failed_setup_leaves_nobody(void **state)
{
	struct workload_ops ops = workload_io;
	struct error error = {0};
	struct crew *crew;
	struct rig rig;

	rig_open(&rig, null_engine());
	ops.setup = failing_setup;
	rig.seats[0].ops = rig.seats[1].ops = &ops;
	assert_int_equal(crew_start(rig.seats, 2, rig.channel, &crew, &error), -ENOMEM);
	assert_string_equal(error.text, "stream reads, worker 1: no room for a second one");
	rig_close(&rig);
}

static int failing_step(struct worker *worker)
{
	worker_fail(worker, ERROR_IO, "broken");
	return ERROR_IO;
}

static void test_a_failed_step_ends_the_wait(void **state)
{
	struct workload_ops ops = workload_io;
	struct error error = {0};
	struct crew *crew;
	struct rig rig;
	uint64_t begin_ns;

	rig_open(&rig, null_engine());
	ops.step = failing_step;
	rig.seats[1].ops = &ops;
	assert_int_equal(crew_start(rig.seats, 2, rig.channel, &crew, &error), 0);
	crew_enter(crew, PHASE_MEASURE);
	begin_ns = clock_now_ns();
	assert_true(channel_wait(rig.channel, begin_ns + UINT64_C(60000000000)));
	assert_true(clock_now_ns() - begin_ns < UINT64_C(30000000000));
	crew_enter(crew, PHASE_DRAIN);
	crew_join(crew);
	assert_int_equal(rig.channel->recorders[1].failure_code, ERROR_IO);
	assert_string_equal(rig.channel->recorders[1].failure, "broken");
	assert_int_equal(rig.channel->recorders[0].failure_code, 0);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_allocated_while_measuring),
		cmocka_unit_test(test_the_counter_counts),
		cmocka_unit_test(test_phases_count_apart),
		cmocka_unit_test(test_a_failed_setup_leaves_nobody),
		cmocka_unit_test(test_a_failed_step_ends_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
