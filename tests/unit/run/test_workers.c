/* SPDX-License-Identifier: MIT */
/* test_workers.c - a plan whose workers are processes, run for real: page tables, usage, death. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "run/run.h"
#include "stats/summary.h"

#define REGION_BYTES (UINT64_C(64) << 20)

struct ran {
	struct profile profile;
	struct plan plan;
	struct result result;
	struct error error;
};

static const struct result_repeat *run_text(struct ran *ran, const char *as, unsigned workers,
					    const char *measure)
{
	struct run_options options = {.signal_fd = -1, .version = "test"};
	char text[512];

	memset(ran, 0, sizeof(*ran));
	snprintf(
		text, sizeof(text),
		"{\"name\": \"t\", \"repeats\": 1, \"phases\": {\"warmup\": \"50ms\", "
		"\"measure\": \"%s\"}, \"points\": [{\"regions\": {\"sga\": {\"memory\": \"base\", "
		"\"size\": \"64m\"}}, \"streams\": [{\"label\": \"s\", \"workload\": \"touch\", "
		"\"workers\": %u, \"as\": \"%s\", \"pin\": false}]}]}",
		measure, workers, as);
	if (profile_parse("test.json", text, NULL, &ran->profile, &ran->error) < 0 ||
	    plan_make(&ran->profile, &ran->plan, &ran->error) < 0 ||
	    run_plan(&ran->plan, &options, &ran->result, &ran->error) < 0)
		fail_msg("%s", ran->error.text);
	assert_int_equal(ran->result.variants[0].points[0].n_repeats, 1);
	return &ran->result.variants[0].points[0].repeats[0];
}

static void ran_free(struct ran *ran)
{
	result_free(&ran->result);
	plan_free(&ran->plan);
	profile_free(&ran->profile);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static uint64_t cpu_ns(const struct usage *usage)
{
	return usage->user_ns + usage->system_ns;
}

static void check_figures(const struct result_repeat *repeat, unsigned workers)
{
	const struct result_stream *stream = &repeat->streams[0];
	const struct result_class *class = &stream->classes[0];

	if (repeat->status != RESULT_OK)
		fail_msg("%s", repeat->reason);
	assert_int_equal(stream->workers, workers);
	assert_string_equal(class->name, "touch");
	assert_string_equal(class->unit, "page");
	assert_true(class->timed_in_batches);
	assert_true(class->tally.ops > 1000);
	assert_int_equal(class->tally.bytes, 0);
	assert_int_equal(class->histogram->count, class->tally.ops);
	assert_int_equal(class->tally.ops, class->tally.batches * 64);
	assert_true(cpu_ns(&stream->usage) > 0);
	/* Of the processes, their workers are a part; the kernel rounds the two differently. */
	assert_true(cpu_ns(&repeat->runner) + workers * UINT64_C(10000000) >
		    cpu_ns(&stream->usage));
}

/* Each process has its own 128 KiB; what threads share is not worth a record. */
static void test_page_tables_grow_with_processes_only(void **state)
{
	uint64_t each_bytes = REGION_BYTES / (uint64_t)sysconf(_SC_PAGESIZE) * 8;
	const struct result_repeat *repeat;
	struct ran ran;

	repeat = run_text(&ran, "threads", 20, "200ms");
	check_figures(repeat, 20);
	assert_false(repeat->page_tables.known);
	ran_free(&ran);
	repeat = run_text(&ran, "processes", 20, "200ms");
	check_figures(repeat, 20);
	assert_true(repeat->page_tables.known);
	assert_true(repeat->page_tables.vm_pte_at_bytes >=
		    20 * each_bytes + repeat->page_tables.vm_pte_before_bytes);
	assert_true(repeat->page_tables.vm_pte_after_bytes < 20 * each_bytes);
	/* Others on the machine have page tables, too. */
	assert_true(repeat->page_tables.at_bytes >= 20 * each_bytes);
	assert_true(summary_metric("vm_pte_bytes")->value(repeat, NULL, NULL) >
		    20.0 * (double)each_bytes);
	ran_free(&ran);
}

/* Finds a child of a process by /proc; 0 if there is none. */
static pid_t child_of(pid_t parent)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
	return sysfile_read(path, text, sizeof(text), NULL) == 0 ? (pid_t)atoi(text) : 0;
}

/* A process beside the run that kills the first worker as soon as there is one. */
static pid_t start_killer(pid_t victim_parent)
{
	pid_t killer = fork();

	if (killer == 0) {
		for (unsigned i = 0; i < 1000; i++) {
			pid_t runner = child_of(victim_parent), worker;

			worker = runner > 0 && runner != getpid() ? child_of(runner) : 0;
			if (worker > 0) {
				usleep(300000);
				_exit(kill(worker, SIGKILL) ? 2 : 0);
			}
			usleep(10000);
		}
		_exit(3);
	}
	return killer;
}

/* The run is a process of its own, so that its first child is the runner. */
static void killed_main(void)
{
	struct ran ran;
	const struct result_repeat *repeat;
	bool told;

	repeat = run_text(&ran, "processes", 3, "20s");
	told = repeat->status == RESULT_FAILED &&
	       strstr(repeat->reason, "stream s, worker 0: the worker process was killed") != NULL;
	if (!told)
		print_message("%s\n", repeat->reason);
	ran_free(&ran);
	_exit(told ? 0 : 1);
}

static void test_a_killed_worker_is_a_failed_repeat(void **state)
{
	pid_t run = fork(), killer;
	int status;

	if (run == 0)
		killed_main();
	killer = start_killer(run);
	assert_int_equal(waitpid(killer, &status, 0), killer);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(waitpid(run, &status, 0), run);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_tables_grow_with_processes_only),
		cmocka_unit_test(test_a_killed_worker_is_a_failed_repeat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
