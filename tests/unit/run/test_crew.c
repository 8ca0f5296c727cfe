/* SPDX-License-Identifier: MIT */
/* test_crew.c - the gate, the phases, and that nothing is allocated, locked or formatted between
 * them, for workers that are threads and for workers that are processes. */
#include "crew_rig.h"

#include <pthread.h>

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

/* How many I/Os there were, and that nothing was called for them; -1 without the engine. */
static long measure_counted(const struct entry *engine, enum worker_kind kind)
{
	struct crew *crew;
	struct rig rig;
	long ops = -1;

	rig_open(&rig, engine, kind, WORKERS);
	if (engine_here(&rig)) {
		ops = 0;
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
			ops += (long)rig.channel->recorders[i].classes[0].tally[PHASE_MEASURE].ops;
		print_message("%s: %ld I/Os, %u calls\n", engine->name, ops,
			      atomic_load(&counter->counted));
		assert_int_equal(atomic_load(&counter->counted), 0);
	}
	rig_close(&rig);
	return ops;
}

/* Where others have the CPUs for all of a phase, there is another one. */
static void measure_some(const struct entry *engine, enum worker_kind kind)
{
	for (unsigned i = 0; i < 20; i++)
		if (measure_counted(engine, kind) != 0)
			return;
	fail_msg("%s: no I/O in any phase", engine->name);
}

static void test_nothing_is_allocated_while_measuring(void **state)
{
	for (const struct entry *const *entry = engine_catalog.entries; *entry; entry++)
		measure_some(*entry, *(enum worker_kind *)*state);
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

/* Whether others left it the CPUs for some of both phases. */
static bool had_time(const struct recorder *recorder)
{
	return recorder->classes[0].tally[PHASE_WARMUP].ops > 0 && recorder->step_count > 0;
}

static void check_recorder(const struct recorder *recorder, enum worker_kind kind)
{
	const struct recorder_class *class = &recorder->classes[0];
	uint64_t measured = class->interval[0].count + class->interval[1].count;
	uint64_t own_ns = recorder->end.user_ns + recorder->end.system_ns -
			  recorder->begin.user_ns - recorder->begin.system_ns;
	uint64_t process_ns = recorder->process[1].user_ns + recorder->process[1].system_ns -
			      recorder->process[0].user_ns - recorder->process[0].system_ns;

	assert_int_equal(class->warmup.count, class->tally[PHASE_WARMUP].ops);
	assert_int_equal(measured, class->tally[PHASE_MEASURE].ops);
	assert_true(recorder->end_ns > recorder->begin_ns);
	assert_true(own_ns > 0);
	/* The kernel rounds the two otherwise by a tick or so. */
	if (kind == WORKER_PROCESS)
		assert_true(process_ns + 20000000 > own_ns);
	else
		assert_int_equal(process_ns, 0);
}

/* Phases so many times as long as they should do; whether every worker had time in them. */
static bool phases_apart(enum worker_kind kind, unsigned times)
{
	struct crew *crew;
	struct rig rig;
	bool all = true;

	rig_open(&rig, null_engine(), kind, WORKERS);
	crew = rig_start(&rig);
	nap(20);
	for (unsigned i = 0; i < WORKERS; i++)
		assert_int_equal(rig.channel->recorders[i].classes[0].tally[PHASE_WARMUP].ops, 0);
	crew_enter(crew, PHASE_WARMUP);
	nap(30 * times);
	crew_enter(crew, PHASE_MEASURE);
	nap(60 * times);
	crew_enter(crew, PHASE_DRAIN);
	crew_join(crew);
	for (unsigned i = 0; i < WORKERS && all; i++) {
		all = had_time(&rig.channel->recorders[i]);
		if (all)
			check_recorder(&rig.channel->recorders[i], kind);
	}
	rig_close(&rig);
	return all;
}

/* Where others have the CPUs for all of a phase, there are longer ones. */
static void test_phases_count_apart(void **state)
{
	for (unsigned times = 1; times <= 64; times *= 2)
		if (phases_apart(*(enum worker_kind *)*state, times))
			return;
	fail_msg("a worker had no time in any of the phases");
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
	};

	counter = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (counter == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
