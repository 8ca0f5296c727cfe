/* SPDX-License-Identifier: MIT */
/* test_spawn.c - loops are counted, failures keep their sentence, and nobody is left. */
#include "workload/spawn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "workload/spawn_parts.h"

struct rig {
	struct spawn_params params;
	struct workload_setup setup;
	struct worker worker;
	_Atomic uint32_t *phase; /* shared with processes */
	char folder[64];	 /* of this test's own, empty but for what spawn makes */
};

static void rig_open(struct rig *rig, enum spawn_op op)
{
	memset(rig, 0, sizeof(*rig));
	field_presets(workload_spawn.entry.fields, &rig->params);
	rig->params.op = op;
	snprintf(rig->folder, sizeof(rig->folder), "spawn-XXXXXX");
	assert_non_null(mkdtemp(rig->folder));
	snprintf(rig->params.folder, sizeof(rig->params.folder), "%s", rig->folder);
	rig->setup = (struct workload_setup){
		.params = &rig->params, .workers = 1, .worker_kind = WORKER_PROCESS};
	rig->phase = mmap(NULL, sizeof(*rig->phase), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(rig->phase != MAP_FAILED);
	atomic_store(rig->phase, PHASE_MEASURE);
	rig->worker = (struct worker){.ops = &workload_spawn,
				      .setup = &rig->setup,
				      .seed = 5,
				      .crew_phase = rig->phase,
				      .phase = PHASE_MEASURE};
	rig->worker.recorder = mmap(NULL, sizeof(*rig->worker.recorder), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(rig->worker.recorder != MAP_FAILED);
	recorder_init(rig->worker.recorder);
}

static void rig_probe(struct rig *rig)
{
	struct error error = {0};

	if (workload_spawn.probe(&rig->setup, &error) == ERROR_CANNOT) {
		print_message("skipped: %s\n", error.text);
		skip();
	}
	if (error.code)
		fail_msg("%s", error.text);
}

static void rig_start(struct rig *rig)
{
	struct error error = {0};

	rig_probe(rig);
	if (workload_spawn.setup(&rig->worker, &error) < 0)
		fail_msg("%s", error.text);
}

static unsigned count_entries(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	unsigned n = 0;

	assert_non_null(folder);
	while ((entry = readdir(folder)))
		n += entry->d_name[0] != '.';
	closedir(folder);
	return n;
}

/* Neither a process, nor what remains of one, nor a file. */
static void rig_close(struct rig *rig)
{
	if (rig->worker.private_data)
		workload_spawn.teardown(&rig->worker);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(count_entries(rig->folder), 0);
	assert_int_equal(rmdir(rig->folder), 0);
	munmap(rig->worker.recorder, sizeof(*rig->worker.recorder));
	munmap(rig->phase, sizeof(*rig->phase));
}

static const struct tally *tally_of(const struct rig *rig, enum spawn_class op_class)
{
	return &rig->worker.recorder->classes[op_class].tally[PHASE_MEASURE];
}

static struct spawn_params broken_path(void)
{
	struct spawn_params params;

	field_presets(workload_spawn.entry.fields, &params);
	snprintf(params.path, sizeof(params.path), "/nowhere:/no/where/else");
	return params;
}

static void assert_probe(const struct spawn_params *params, enum worker_kind kind, int code,
			 const char *words)
{
	struct workload_setup setup = {.params = params, .workers = 3, .worker_kind = kind};
	struct error error = {0};

	assert_int_equal(workload_spawn.probe(&setup, &error), code);
	if (!strstr(error.text, words))
		fail_msg("'%s' is not in '%s'", words, error.text);
}

static void test_what_cannot_be_is_refused(void **state)
{
	struct spawn_params params;

	field_presets(workload_spawn.entry.fields, &params);
	assert_probe(&params, WORKER_THREAD, ERROR_INPUT, "write \"as\": \"processes\"");
	params.at_once = 8;
	assert_probe(&params, WORKER_PROCESS, ERROR_INPUT,
		     "op fork starts one process a loop, at_once is 8; write 1");
	params.at_once = 1;
	params.dirty_bytes = 8192;
	assert_probe(&params, WORKER_PROCESS, ERROR_INPUT, "dirty 8K is more than ballast 0");
	params.ballast_bytes = 8192;
	params.op = SPAWN_VFORK;
	assert_probe(&params, WORKER_PROCESS, ERROR_INPUT, "op vfork have nothing to write to");
	params.dirty_bytes = 0;
	params.ballast_bytes = UINT64_C(1) << 44;
	assert_probe(&params, WORKER_PROCESS, ERROR_CANNOT, "ballast of 3 workers: ");
}

static void test_missing_programs_are_named(void **state)
{
	struct spawn_params params = broken_path();

	params.op = SPAWN_COMPILE;
	assert_probe(&params, WORKER_PROCESS, ERROR_CANNOT,
		     "no program cc in /nowhere:/no/where/else: as root, apt-get install gcc "
		     "libc6-dev");
	params.op = SPAWN_DC;
	assert_probe(&params, WORKER_PROCESS, ERROR_CANNOT, "no program dc in");
	params.op = SPAWN_SHELL;
	assert_probe(&params, WORKER_PROCESS, ERROR_CANNOT, "no program sh in");
	params.op = SPAWN_FORK;
	assert_probe(&params, WORKER_PROCESS, 0, "");
	params.op = SPAWN_SHELL;
	snprintf(params.path, sizeof(params.path), "/usr/bin:/bin");
	snprintf(params.folder, sizeof(params.folder), "/no/folder");
	assert_probe(&params, WORKER_PROCESS, ERROR_CANNOT, "no folder can be made in /no/folder");
}

/* Under an emulator the kernel knows no programs of this build. */
static void skip_or_fail(struct rig *rig)
{
	char failure[512];

	memcpy(failure, rig->worker.recorder->failure, sizeof(failure));
	if (!strstr(failure, strerror(ENOEXEC)))
		fail_msg("%s", failure);
	rig_close(rig);
	print_message("skipped: %s\n", failure);
	skip();
}

/* Every op does its work: three loops of it, or of chains. */
static void count_loops(enum spawn_op op, unsigned at_once, enum spawn_class op_class, uint64_t ops)
{
	const struct recorder_class *class;
	struct rig rig;

	rig_open(&rig, op);
	rig.params.at_once = at_once;
	rig.params.chain = 10;
	rig_start(&rig);
	for (unsigned i = 0; i < 3; i++)
		if (workload_spawn.step(&rig.worker) < 0)
			skip_or_fail(&rig);
	class = &rig.worker.recorder->classes[op_class];
	assert_int_equal(tally_of(&rig, op_class)->ops, ops);
	assert_int_equal(tally_of(&rig, op_class)->batches, 3);
	assert_int_equal(tally_of(&rig, op_class)->errors, 0);
	assert_int_equal(class->interval[0].count, ops);
	assert_int_equal(rig.worker.recorder->failure_code, 0);
	rig_close(&rig);
}

static void test_processes(void **state)
{
	count_loops(SPAWN_FORK, 1, SPAWN_CLASS_SPAWN, 3);
	count_loops(SPAWN_VFORK, 1, SPAWN_CLASS_SPAWN, 3);
	count_loops(SPAWN_POSIX_SPAWN, 1, SPAWN_CLASS_SPAWN, 3);
}

static void test_execs(void **state)
{
	count_loops(SPAWN_EXEC, 1, SPAWN_CLASS_EXEC, 30);
}

static void test_scripts(void **state)
{
	count_loops(SPAWN_SHELL, 1, SPAWN_CLASS_SHELL, 3);
	count_loops(SPAWN_SHELL, 4, SPAWN_CLASS_SHELL, 3);
}

static void test_compiles(void **state)
{
	count_loops(SPAWN_COMPILE, 2, SPAWN_CLASS_PROGRAM, 3);
}

static void test_roots(void **state)
{
	count_loops(SPAWN_DC, 1, SPAWN_CLASS_PROGRAM, 3);
}

/* A program of that name, first in the path. */
static void put_program(const char *folder, const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* A stand-in for dc runs text; errors_max failures are gone on after. */
static void rig_open_stand_in(struct rig *rig, char *bin, const char *text)
{
	char *whole;

	rig_open(rig, SPAWN_DC);
	strcpy(bin, "spawn-bin-XXXXXX");
	assert_non_null(mkdtemp(bin));
	whole = realpath(bin, NULL);
	assert_non_null(whole);
	snprintf(rig->params.path, sizeof(rig->params.path), "%s:/usr/bin:/bin", whole);
	free(whole);
	put_program(bin, "dc", text);
}

static void remove_bin(const char *bin)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/dc", bin);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(bin), 0);
}

static void fail_once(const char *program, uint64_t limit_ns, const char *sentence)
{
	char bin[32];
	struct rig rig;

	rig_open_stand_in(&rig, bin, program);
	rig.params.errors_max = 1;
	if (limit_ns)
		rig.params.limit_ns = limit_ns;
	rig_start(&rig);
	assert_int_equal(workload_spawn.step(&rig.worker), 0);
	assert_int_equal(tally_of(&rig, SPAWN_CLASS_PROGRAM)->errors, 1);
	assert_int_equal(tally_of(&rig, SPAWN_CLASS_PROGRAM)->ops, 0);
	if (!strstr(rig.worker.recorder->failure, sentence))
		fail_msg("'%s' is not in '%s'", sentence, rig.worker.recorder->failure);
	assert_true(workload_spawn.step(&rig.worker) < 0);
	assert_int_equal(tally_of(&rig, SPAWN_CLASS_PROGRAM)->errors, 2);
	assert_int_equal(rig.worker.recorder->classes[SPAWN_CLASS_PROGRAM].interval[0].count, 0);
	rig_close(&rig);
	remove_bin(bin);
}

static void test_failures_are_counted_and_told(void **state)
{
	fail_once("#!/bin/sh\necho one >&2; echo two >&2; exit 3\n", 0,
		  "dc ended with status 3: one");
	fail_once("#!/bin/sh\nkill -SEGV $$\n", 0, "dc died of signal 11 (");
	fail_once("#!/bin/sh\nkill -KILL $$\n", 0, "dc was killed (SIGKILL)");
	fail_once("\177ELF no program\n", 0, "dc: Exec format error");
}

/* With a child of its own, which the limit ends as well. */
static void test_a_child_has_a_limit(void **state)
{
	uint64_t begin_ns = clock_now_ns();

	fail_once("#!/bin/sh\nsleep 100 & sleep 100; wait\n", 100000000,
		  "dc did not end within 100ms and was killed; raise \"limit\"");
	assert_true(clock_now_ns() - begin_ns < UINT64_C(20000000000));
}

/* A worker in a process of its own, as the crew has it: steps until the phase ends, then exits. */
static pid_t fork_worker(struct rig *rig)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	rig_start(rig);
	while (atomic_load(rig->phase) < PHASE_DRAIN)
		if (workload_spawn.step(&rig->worker) < 0)
			_exit(2);
	workload_spawn.teardown(&rig->worker);
	_exit(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 3);
}

static void nap(unsigned ms)
{
	clock_sleep_until(clock_now_ns() + ms * UINT64_C(1000000));
}

static void await_entries(const char *path, unsigned n)
{
	for (unsigned i = 0; i < 1000 && count_entries(path) != n; i++)
		nap(10);
	assert_int_equal(count_entries(path), n);
}

/* Its folder is removed by whoever is left. */
static void test_a_killed_sweeper_is_made_up_for(void **state)
{
	const struct spawn *spawn;
	struct rig rig;

	rig_open(&rig, SPAWN_SHELL);
	rig_start(&rig);
	spawn = rig.worker.private_data;
	assert_int_equal(kill(spawn->folder.sweeper, SIGKILL), 0);
	assert_int_equal(count_entries(rig.folder), 1);
	rig_close(&rig);
}

static void test_the_end_of_the_phase_ends_a_loop(void **state)
{
	uint64_t begin_ns = clock_now_ns();
	char bin[32];
	struct rig rig;
	int status;
	pid_t pid;

	rig_open_stand_in(&rig, bin, "#!/bin/sh\nsleep 100\n");
	pid = fork_worker(&rig);
	nap(300);
	atomic_store(rig.phase, PHASE_DRAIN);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(tally_of(&rig, SPAWN_CLASS_PROGRAM)->ops, 0);
	assert_int_equal(tally_of(&rig, SPAWN_CLASS_PROGRAM)->errors, 0);
	assert_true(clock_now_ns() - begin_ns < UINT64_C(20000000000));
	rig_close(&rig);
	remove_bin(bin);
}

/* Nobody asks the worker: its children, theirs, and its folder are gone all the same. */
static void test_a_killed_worker_leaves_nothing(void **state)
{
	int status;
	struct rig rig;
	pid_t pid;

	/* What the worker leaves becomes a child of ours, so that its end can be waited for. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	rig_open(&rig, SPAWN_SHELL);
	rig.params.at_once = 8;
	rig_probe(&rig);
	pid = fork_worker(&rig);
	await_entries(rig.folder, 1);
	nap(300);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	while (waitpid(-1, NULL, 0) > 0)
		;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
	rig_close(&rig);
}

static long forks_faults(uint64_t ballast_bytes, uint64_t dirty_bytes)
{
	struct rusage before, after;
	struct rig rig;

	rig_open(&rig, SPAWN_FORK);
	rig.params.ballast_bytes = ballast_bytes;
	rig.params.dirty_bytes = dirty_bytes;
	rig_start(&rig);
	getrusage(RUSAGE_CHILDREN, &before);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(workload_spawn.step(&rig.worker), 0);
	getrusage(RUSAGE_CHILDREN, &after);
	rig_close(&rig);
	return (after.ru_minflt - before.ru_minflt) / 4;
}

static void test_ballast_is_inherited_and_written_to(void **state)
{
	long page_bytes = sysconf(_SC_PAGESIZE), pages = (8l << 20) / page_bytes;
	long clean = forks_faults(8 << 20, 0), dirty = forks_faults(8 << 20, 8 << 20);

	assert_true(clean < pages / 4);
	/* A sanitizer takes pages of its own for them. */
	assert_in_range(dirty - clean, pages, 4 * pages);
}

/* A limit that root is exempt from. */
static void test_fork_fails(void **state)
{
	const struct rlimit limit = {.rlim_cur = 1, .rlim_max = 1};
	struct rig rig;
	int status;
	pid_t pid;

	rig_open(&rig, SPAWN_FORK);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (getuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
			_exit(2);
		setrlimit(RLIMIT_NPROC, &limit);
		rig_start(&rig);
		status = workload_spawn.step(&rig.worker);
		workload_spawn.teardown(&rig.worker);
		_exit(status < 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	if (!strstr(rig.worker.recorder->failure,
		    "the forked child cannot be started: Resource temporarily unavailable; "
		    "RLIMIT_NPROC is 1"))
		fail_msg("%s", rig.worker.recorder->failure);
	assert_int_equal(tally_of(&rig, SPAWN_CLASS_SPAWN)->errors, 1);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_cannot_be_is_refused),
		cmocka_unit_test(test_missing_programs_are_named),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_execs),
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_compiles),
		cmocka_unit_test(test_roots),
		cmocka_unit_test(test_failures_are_counted_and_told),
		cmocka_unit_test(test_a_child_has_a_limit),
		cmocka_unit_test(test_a_killed_sweeper_is_made_up_for),
		cmocka_unit_test(test_the_end_of_the_phase_ends_a_loop),
		cmocka_unit_test(test_a_killed_worker_leaves_nothing),
		cmocka_unit_test(test_ballast_is_inherited_and_written_to),
		cmocka_unit_test(test_fork_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
