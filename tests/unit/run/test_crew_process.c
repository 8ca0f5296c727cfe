/* SPDX-License-Identifier: MIT */
/* test_crew_process.c - workers that are processes: they die, are stopped, are many, and are gone.
 */
#include "crew_rig.h"

#include <pthread.h>

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

#define BURN_NS UINT64_C(3000000)

/* A child works and is waited for. */
static int parent_step(struct worker *worker)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct timespec spent;

		do
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
		while ((uint64_t)spent.tv_nsec < BURN_NS);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		return -ECHILD;
	worker->recorder->classes[0].tally[worker->phase].ops++;
	return 0;
}

static void test_cpu_time_of_children_is_the_workers(void **state)
{
	struct workload_ops ops = workload_io;
	struct usage own, whole;
	struct recorder *recorder;
	struct crew *crew;
	struct rig rig;
	uint64_t ops_done;

	rig_open(&rig, null_engine(), WORKER_PROCESS, WORKERS);
	ops.step = parent_step;
	ops.starts_processes = true;
	rig.seats[1].ops = &ops;
	crew = rig_start(&rig);
	crew_enter(crew, PHASE_MEASURE);
	nap(200);
	crew_enter(crew, PHASE_DRAIN);
	crew_join(crew);
	recorder = &rig.channel->recorders[1];
	ops_done = recorder->classes[0].tally[PHASE_MEASURE].ops;
	usage_subtract(&recorder->end, &recorder->begin, &own);
	usage_subtract(&recorder->process[1], &recorder->process[0], &whole);
	assert_true(ops_done > 0);
	assert_true(own.user_ns + own.system_ns >= ops_done * BURN_NS * 9 / 10);
	assert_true(whole.user_ns + whole.system_ns >= ops_done * BURN_NS * 9 / 10);
	/* The hardware counters of one thread would leave the children out. */
	assert_int_equal(recorder->events_counted, 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_dead_process_ends_the_wait),
		cmocka_unit_test(test_cpu_time_of_children_is_the_workers),
		cmocka_unit_test(test_a_process_that_dies_in_setup_is_told),
		cmocka_unit_test(test_a_stop_does_not_wait_for_setups),
		cmocka_unit_test(test_threads_and_processes_together),
		cmocka_unit_test(test_workers_die_with_their_parent),
		cmocka_unit_test(test_a_thousand_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
