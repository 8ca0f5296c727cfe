/* SPDX-License-Identifier: MIT */
/* test_crew.c - the gate, the phases, and that nothing is allocated, locked or formatted between
 * them, for workers that are threads and for workers that are processes. */
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

/*
 * The linker sends the harness's own calls of these functions here (--wrap, see CMakeLists.txt),
 * and they are counted while the crew measures: in shared memory, for workers may be processes.
 */
struct counter {
	_Atomic unsigned counting, counted;
};

static struct counter *counter;

static void count_call(void)
{
	if (counter && atomic_load_explicit(&counter->counting, memory_order_relaxed))
		atomic_fetch_add(&counter->counted, 1);
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
#define REGION_BYTES (8u << 20)

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

static void rig_open(struct rig *rig, const struct entry *engine, enum worker_kind kind, unsigned n)
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
	for (unsigned i = 0; i < n; i++)
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

/* Nobody is left: neither a process nor what remains of one. */
static void assert_no_children(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void rig_close(struct rig *rig)
{
	channel_close(rig->channel);
	munmap(rig->buffers, REGION_BYTES);
	if (rig->target.fd >= 0)
		close(rig->target.fd);
	choice_free(&rig->engine);
	free(rig->seats);
	assert_no_children();
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

static struct crew *rig_start(struct rig *rig)
{
	struct error error = {0};
	struct crew *crew = NULL;

	if (crew_start(rig->seats, rig->n, rig->channel, &crew, &error) < 0)
		fail_msg("%s", error.text);
	return crew;
}

static void measure_counted(const struct entry *engine, enum worker_kind kind)
{
	struct crew *crew;
	struct rig rig;

	rig_open(&rig, engine, kind, WORKERS);
	if (engine_here(&rig)) {
		uint64_t ops = 0;

		crew = rig_start(&rig);
		crew_enter(crew, PHASE_WARMUP);
		nap(50); /* past the gate */
		atomic_store(&counter->counted, 0);
		atomic_store(&counter->counting, 1);
		crew_enter(crew, PHASE_MEASURE);
		nap(100);
		atomic_store(&counter->counting, 0);
		crew_enter(crew, PHASE_DRAIN);
		crew_join(crew);
		for (unsigned i = 0; i < WORKERS; i++)
			ops += rig.channel->recorders[i].classes[0].tally[PHASE_MEASURE].ops;
		print_message("%s: %lu I/Os, %u calls\n", engine->name, ops,
			      atomic_load(&counter->counted));
		assert_true(ops > 0);
		assert_int_equal(atomic_load(&counter->counted), 0);
	}
	rig_close(&rig);
}

static void test_nothing_is_allocated_while_measuring(void **state)
{
	for (const struct entry *const *entry = engine_catalog.entries; *entry; entry++)
		measure_counted(*entry, *(enum worker_kind *)*state);
}

/* The counter itself must be able to count, else the test above could not fail. */
static void test_the_counter_counts(void **state)
{
	char text[8];

	atomic_store(&counter->counted, 0);
	atomic_store(&counter->counting, 1);
	free(malloc(1));
	snprintf(text, sizeof(text), "%d", 1);
	atomic_store(&counter->counting, 0);
	assert_int_equal(atomic_load(&counter->counted), 3);
}

static const struct entry *null_engine(void)
{
	const struct entry *entry = NULL;
	struct error error = {0};

	assert_int_equal(catalog_find(&engine_catalog, "null", &entry, &error), 0);
	return entry;
}

static void check_recorder(const struct recorder *recorder, enum worker_kind kind)
{
	const struct recorder_class *class = &recorder->classes[0];
	uint64_t measured = class->interval[0].count + class->interval[1].count;
	uint64_t own_ns = recorder->end.user_ns + recorder->end.system_ns -
			  recorder->begin.user_ns - recorder->begin.system_ns;
	uint64_t process_ns = recorder->process[1].user_ns + recorder->process[1].system_ns -
			      recorder->process[0].user_ns - recorder->process[0].system_ns;

	assert_true(class->tally[PHASE_WARMUP].ops > 0);
	assert_int_equal(class->warmup.count, class->tally[PHASE_WARMUP].ops);
	assert_int_equal(measured, class->tally[PHASE_MEASURE].ops);
	assert_true(recorder->step_count > 0);
	assert_true(recorder->end_ns > recorder->begin_ns);
	assert_true(own_ns > 0);
	/* The kernel rounds the two otherwise by a tick or so. */
	if (kind == WORKER_PROCESS)
		assert_true(process_ns + 20000000 > own_ns);
	else
		assert_int_equal(process_ns, 0);
}

static void test_phases_count_apart(void **state)
{
	enum worker_kind kind = *(enum worker_kind *)*state;
	struct crew *crew;
	struct rig rig;

	rig_open(&rig, null_engine(), kind, WORKERS);
	crew = rig_start(&rig);
	nap(20);
	for (unsigned i = 0; i < WORKERS; i++)
		assert_int_equal(rig.channel->recorders[i].classes[0].tally[PHASE_WARMUP].ops, 0);
	crew_enter(crew, PHASE_WARMUP);
	nap(30);
	crew_enter(crew, PHASE_MEASURE);
	nap(60);
	crew_enter(crew, PHASE_DRAIN);
	crew_join(crew);
	for (unsigned i = 0; i < WORKERS; i++)
		check_recorder(&rig.channel->recorders[i], kind);
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

	rig_open(&rig, null_engine(), *(enum worker_kind *)*state, WORKERS);
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

/* Workers run into trouble; the wait ends at once, and the second recorder says why. */
static void end_early(struct rig *rig, int code, const char *text)
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

static void test_a_failed_step_ends_the_wait(void **state)
{
	struct workload_ops ops = workload_io;
	struct rig rig;

	rig_open(&rig, null_engine(), *(enum worker_kind *)*state, WORKERS);
	ops.step = failing_step;
	rig.seats[1].ops = &ops;
	end_early(&rig, ERROR_IO, "broken");
	rig_close(&rig);
}

static int dying_step(struct worker *worker)
{
	raise(SIGKILL);
	return 0;
}

static __attribute__((noreturn)) int leaving_step(struct worker *worker)
{
	_exit(3);
}

static void test_a_dead_process_ends_the_wait(void **state)
{
	struct workload_ops ops = workload_io;
	struct rig rig;

	rig_open(&rig, null_engine(), WORKER_PROCESS, WORKERS);
	ops.step = dying_step;
	rig.seats[1].ops = &ops;
	end_early(&rig, -ECHILD,
		  "the worker process was killed (SIGKILL); if nobody did, the kernel ran out of "
		  "memory: see dmesg");
	rig_close(&rig);
	rig_open(&rig, null_engine(), WORKER_PROCESS, WORKERS);
	ops.step = leaving_step;
	rig.seats[1].ops = &ops;
	end_early(&rig, -ECHILD, "the worker process ended early with status 3");
	rig_close(&rig);
}

static int dying_setup(struct worker *worker, struct error *error)
{
	if (worker->index == 1)
		raise(SIGKILL);
	return workload_io.setup(worker, error);
}

static void test_a_process_that_dies_in_setup_is_told(void **state)
{
	struct workload_ops ops = workload_io;
	struct error error = {0};
	struct crew *crew;
	struct rig rig;

	rig_open(&rig, null_engine(), WORKER_PROCESS, WORKERS);
	ops.setup = dying_setup;
	rig.seats[0].ops = rig.seats[1].ops = &ops;
	assert_int_equal(crew_start(rig.seats, 2, rig.channel, &crew, &error), -ECHILD);
	assert_non_null(
		strstr(error.text, "stream reads, worker 1: the worker process was killed"));
	rig_close(&rig);
}

static __attribute__((noreturn)) int endless_setup(struct worker *worker, struct error *error)
{
	for (;;)
		pause();
}

static void *stop_soon(void *channel)
{
	nap(50);
	atomic_store(&((struct channel *)channel)->stop, 1);
	channel_ring(channel);
	return NULL;
}

static void test_a_stop_does_not_wait_for_setups(void **state)
{
	struct workload_ops ops = workload_io;
	struct error error = {0};
	struct crew *crew;
	pthread_t thread;
	struct rig rig;

	rig_open(&rig, null_engine(), WORKER_PROCESS, WORKERS);
	ops.setup = endless_setup;
	rig.seats[1].ops = &ops;
	assert_int_equal(pthread_create(&thread, NULL, stop_soon, rig.channel), 0);
	assert_int_equal(crew_start(rig.seats, 2, rig.channel, &crew, &error), -ECANCELED);
	pthread_join(thread, NULL);
	rig_close(&rig);
}

static void test_threads_and_processes_together(void **state)
{
	struct crew *crew;
	struct rig rig;
	pid_t pids[4];

	rig_open(&rig, null_engine(), WORKER_THREAD, 4);
	rig.seats[1].kind = rig.seats[2].kind = WORKER_PROCESS;
	crew = rig_start(&rig);
	assert_int_equal(crew_pids(crew, pids), 2);
	assert_int_equal(kill(pids[0], 0), 0);
	assert_int_not_equal(pids[0], getpid());
	crew_enter(crew, PHASE_MEASURE);
	nap(50);
	crew_enter(crew, PHASE_DRAIN);
	crew_join(crew);
	for (unsigned i = 0; i < 4; i++)
		assert_true(rig.channel->recorders[i].classes[0].tally[PHASE_MEASURE].ops > 0);
	rig_close(&rig);
}

/* A parent that is killed takes its workers along: they hold the pipe's other end open. */
static void test_workers_die_with_their_parent(void **state)
{
	int fds[2], status;
	struct rig rig;
	pid_t parent;
	char byte;

	assert_int_equal(pipe(fds), 0);
	rig_open(&rig, null_engine(), WORKER_PROCESS, WORKERS);
	parent = fork();
	if (parent == 0) {
		struct error error = {0};
		struct crew *crew;

		close(fds[0]);
		if (crew_start(rig.seats, rig.n, rig.channel, &crew, &error) == 0)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 0);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_true(WIFSIGNALED(status));
	close(fds[0]);
	rig_close(&rig);
}

static void refused_main(struct rig *rig)
{
	struct rlimit limit = {.rlim_cur = 1, .rlim_max = 1};
	struct error error = {0};
	struct crew *crew;
	int status;

	if (setrlimit(RLIMIT_NPROC, &limit) || setresuid(65534, 65534, 65534))
		_exit(2);
	status = crew_start(rig->seats, rig->n, rig->channel, &crew, &error);
	if (status != -EAGAIN || waitpid(-1, NULL, WNOHANG) != -1)
		_exit(3);
	_exit(strstr(error.text, "worker 1 of 2 cannot be started") &&
			      strstr(error.text, "RLIMIT_NPROC is 1")
		      ? 0
		      : 4);
}

static void test_a_refusal_names_the_limit(void **state)
{
	struct rig rig;
	int status;
	pid_t pid;

	if (getuid() != 0) {
		print_message("skipped, because only root can become another user\n");
		skip();
	}
	rig_open(&rig, null_engine(), *(enum worker_kind *)*state, WORKERS);
	pid = fork();
	if (pid == 0)
		refused_main(&rig);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	rig_close(&rig);
}

#ifdef __SANITIZE_ADDRESS__
#define MANY 100 /* a fork copies the sanitizer's memory, too */
#else
#define MANY 1000
#endif

static void test_a_thousand_processes(void **state)
{
	uint64_t begin_ns = clock_now_ns(), started_ns, drained_ns, ops = 0;
	int priority = getpriority(PRIO_PROCESS, 0);
	struct crew *crew;
	struct rig rig;

	rig_open(&rig, null_engine(), WORKER_PROCESS, MANY);
	crew = rig_start(&rig);
	started_ns = clock_now_ns();
	crew_lead();
	crew_enter(crew, PHASE_MEASURE);
	nap(300);
	crew_enter(crew, PHASE_DRAIN);
	drained_ns = clock_now_ns();
	crew_join(crew);
	setpriority(PRIO_PROCESS, 0, priority);
	for (unsigned i = 0; i < MANY; i++) {
		assert_int_equal(rig.channel->recorders[i].failure_code, 0);
		ops += rig.channel->recorders[i].classes[0].tally[PHASE_MEASURE].ops;
	}
	print_message("%u processes: set up in %.2f s, measured for %.2f s, gone in %.2f s, %lu "
		      "I/Os\n",
		      MANY, (double)(started_ns - begin_ns) / 1e9,
		      (double)(drained_ns - started_ns) / 1e9,
		      (double)(clock_now_ns() - drained_ns) / 1e9, ops);
	assert_true(ops > 0);
	rig_close(&rig);
}

#define OF_KIND(test, kind) cmocka_unit_test_prestate(test, kind)

int main(void)
{
	enum worker_kind threads = WORKER_THREAD, processes = WORKER_PROCESS;
	const struct CMUnitTest tests[] = {
		OF_KIND(test_nothing_is_allocated_while_measuring, &threads),
		OF_KIND(test_nothing_is_allocated_while_measuring, &processes),
		cmocka_unit_test(test_the_counter_counts),
		OF_KIND(test_phases_count_apart, &threads),
		OF_KIND(test_phases_count_apart, &processes),
		OF_KIND(test_a_failed_setup_leaves_nobody, &threads),
		OF_KIND(test_a_failed_setup_leaves_nobody, &processes),
		OF_KIND(test_a_failed_step_ends_the_wait, &threads),
		OF_KIND(test_a_failed_step_ends_the_wait, &processes),
		OF_KIND(test_a_refusal_names_the_limit, &threads),
		OF_KIND(test_a_refusal_names_the_limit, &processes),
		cmocka_unit_test(test_a_dead_process_ends_the_wait),
		cmocka_unit_test(test_a_process_that_dies_in_setup_is_told),
		cmocka_unit_test(test_a_stop_does_not_wait_for_setups),
		cmocka_unit_test(test_threads_and_processes_together),
		cmocka_unit_test(test_workers_die_with_their_parent),
		cmocka_unit_test(test_a_thousand_processes),
	};

	counter = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (counter == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
