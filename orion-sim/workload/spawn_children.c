/* SPDX-License-Identifier: MIT */
/* spawn_children.c - children of a worker: started, waited for, killed if need be. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/units.h"
#include "workload/spawn_parts.h"

/* So often a wait looks whether it should go on. */
#define TICK_US 50000

/* One page after the other, as a session that begins to work does. */
static void child_dirty(const struct spawn *spawn)
{
	volatile char *bytes = spawn->ballast.mapping.address;
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	for (uint64_t at = 0; at < spawn->params->dirty_bytes; at += page_bytes)
		bytes[at] = 1;
}

static int start_fork(struct spawn *spawn, unsigned slot)
{
	pid_t pid = fork();

	if (pid == 0) {
		child_dirty(spawn);
		_exit(0);
	}
	return pid < 0 ? -errno : pid;
}

static int start_vfork(struct spawn *spawn, unsigned slot)
{
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork): it is what is measured */
	pid_t pid = vfork();

	if (pid == 0)
		_exit(0);
	return pid < 0 ? -errno : pid;
}

static int start_posix_spawn(struct spawn *spawn, unsigned slot)
{
	const struct spawn_command *command = &spawn->command;
	pid_t pid;
	int code = posix_spawn(&pid, command->file, &spawn->actions, &spawn->attributes,
			       command->words, command->environment);

	return code ? -code : pid;
}

/* The last words of a child that cannot even begin. */
static void child_complain(const char *what)
{
	dprintf(STDERR_FILENO, "%s: %s\n", what, strerror(errno));
	_exit(127);
}

static void child_descriptors(const struct spawn *spawn)
{
	const char *input = spawn->command.input;
	int fd = *input ? open(input, O_RDONLY | O_CLOEXEC) : spawn->null_fd;

	dup2(spawn->complaint_fds[1], STDERR_FILENO);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		child_complain(input);
	dup2(spawn->null_fd, STDOUT_FILENO);
}

/* In the child: a program that dies with its worker, in a group and a folder of its own. */
static void child_become(const struct spawn *spawn, unsigned slot)
{
	char folder[SPAWN_PATH_BYTES + 16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != spawn->own)
		_exit(127);
	setpgid(0, spawn->group);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	child_descriptors(spawn);
	snprintf(folder, sizeof(folder), "%s/%u", spawn->folder.path, slot);
	if (spawn->folder.path[0] && chdir(folder) < 0)
		child_complain(folder);
	execve(spawn->command.file, spawn->command.words, spawn->command.environment);
	child_complain(spawn->command.file);
}

static void group_set(struct spawn *spawn, pid_t group)
{
	spawn->group = group;
	if (spawn->folder.sweep)
		atomic_store(&spawn->folder.sweep->group, group);
}

/* Both sides put the child into the group, so that it is there whoever comes first. */
static int start_program(struct spawn *spawn, unsigned slot)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		child_become(spawn, slot);
	setpgid(pid, spawn->group);
	if (!spawn->group)
		group_set(spawn, pid);
	return pid;
}

const struct spawn_work spawn_works[] = {
	[SPAWN_FORK] = {.what = "the forked child",
			.op_class = SPAWN_CLASS_SPAWN,
			.start = start_fork},
	[SPAWN_VFORK] = {.what = "the vforked child",
			 .op_class = SPAWN_CLASS_SPAWN,
			 .start = start_vfork},
	[SPAWN_POSIX_SPAWN] = {.what = "the spawned program",
			       .op_class = SPAWN_CLASS_SPAWN,
			       .program = &spawn_program_again,
			       .start = start_posix_spawn},
	[SPAWN_EXEC] = {.what = "the program that runs itself",
			.op_class = SPAWN_CLASS_EXEC,
			.program = &spawn_program_chain,
			.start = start_program},
	[SPAWN_SHELL] = {.what = "the shell script",
			 .op_class = SPAWN_CLASS_SHELL,
			 .at_once = true,
			 .program = &spawn_program_shell,
			 .start = start_program},
	[SPAWN_COMPILE] = {.what = "the compiler",
			   .op_class = SPAWN_CLASS_PROGRAM,
			   .at_once = true,
			   .program = &spawn_program_compile,
			   .start = start_program},
	[SPAWN_DC] = {.what = "dc",
		      .op_class = SPAWN_CLASS_PROGRAM,
		      .at_once = true,
		      .program = &spawn_program_dc,
		      .start = start_program},
};

static int children_start(struct spawn *spawn, struct error *error)
{
	unsigned n = spawn->work->at_once ? (unsigned)spawn->params->at_once : 1;

	for (spawn->n_children = 0; spawn->n_children < n; spawn->n_children++) {
		int pid = spawn->work->start(spawn, spawn->n_children);

		if (pid < 0) {
			error_set(error, pid, "%s cannot be started: %s", spawn->work->what,
				  strerror(-pid));
			return error_negative(limits_explain_start(error));
		}
		spawn->children[spawn->n_children] = pid;
	}
	return 0;
}

static bool worker_is_over(const struct worker *worker)
{
	return worker->crew_phase && atomic_load(worker->crew_phase) >= PHASE_DRAIN;
}

/* Only the tick ends a wait, so that it costs nothing between. */
static int child_wait(const struct spawn *spawn, pid_t pid, uint64_t deadline_ns, int *ret_status,
		      struct error *error)
{
	char limit[32];

	while (waitpid(pid, ret_status, 0) < 0) {
		if (errno != EINTR)
			return error_set(error, -errno, "%s cannot be waited for: %s",
					 spawn->work->what, strerror(errno));
		if (worker_is_over(spawn->worker))
			return -ECANCELED;
		if (clock_now_ns() >= deadline_ns)
			return error_set(error, -ETIME,
					 "%s did not end within %s and was killed; raise \"limit\"",
					 spawn->work->what,
					 units_format_duration(spawn->params->limit_ns, limit));
	}
	return 0;
}

/* The first line of what the children said. */
static void complaint_read(const struct spawn *spawn, char *text, size_t size)
{
	ssize_t length = read(spawn->complaint_fds[0], text, size - 1);

	text[length > 0 ? length : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

static int child_explain_kill(const struct spawn *spawn, struct error *error)
{
	struct limits_cgroup group;
	char have[32];

	if (limits_memory("", &group) < 0)
		return error_set(error, -ECHILD,
				 "%s was killed (SIGKILL); if nobody did, the kernel ran out of "
				 "memory: see dmesg",
				 spawn->work->what);
	return error_set(error, -ECHILD,
			 "%s was killed (SIGKILL); if nobody did, the kernel ran out of memory, of "
			 "which the control group may have %s: see dmesg, raise %s",
			 spawn->work->what, units_format_amount(group.value, have), group.path);
}

/* How a child ended that did not end well. */
static int child_explain(const struct spawn *spawn, int status, struct error *error)
{
	char complaint[400];

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return child_explain_kill(spawn, error);
	if (WIFSIGNALED(status))
		return error_set(error, -ECHILD, "%s died of signal %d (%s)", spawn->work->what,
				 WTERMSIG(status), strsignal(WTERMSIG(status)));
	complaint_read(spawn, complaint, sizeof(complaint));
	return error_set(error, -ECHILD, "%s ended with status %d%s%s", spawn->work->what,
			 WEXITSTATUS(status), *complaint ? ": " : "", complaint);
}

/* All of them, though one failed: the first sentence stays. */
static int children_wait(struct spawn *spawn, struct error *error)
{
	uint64_t deadline_ns = clock_now_ns() + spawn->params->limit_ns;
	int result = 0;

	for (unsigned i = 0; i < spawn->n_children; i++) {
		int wait_status = 0;
		int status = child_wait(spawn, spawn->children[i], deadline_ns, &wait_status,
					result ? NULL : error);

		if (status < 0)
			return result ? result : status;
		spawn->children[i] = 0;
		if (wait_status != 0 && result == 0)
			result = child_explain(spawn, wait_status, error);
	}
	return result;
}

/* Those of a group that lose their parent become ours before it can be waited for. */
static void children_kill(struct spawn *spawn)
{
	for (unsigned i = 0; i < spawn->n_children; i++)
		if (spawn->children[i])
			kill(spawn->children[i], SIGKILL);
	if (spawn->group)
		kill(-spawn->group, SIGKILL);
	for (unsigned i = 0; i < spawn->n_children; i++)
		while (spawn->children[i] && waitpid(spawn->children[i], NULL, 0) < 0 &&
		       errno == EINTR)
			;
	while (spawn->group && (waitpid(-spawn->group, NULL, 0) > 0 || errno == EINTR))
		;
}

int spawn_children_loop(struct spawn *spawn, struct error *error)
{
	int status = children_start(spawn, error);

	if (status == 0)
		status = children_wait(spawn, error);
	if (status < 0)
		children_kill(spawn);
	if (spawn->group)
		group_set(spawn, 0);
	spawn->n_children = 0;
	return status;
}

static void tick(int number)
{
}

/* Without SA_RESTART, so that it ends a wait; children have no timer of their own. */
static void tick_start(struct spawn *spawn)
{
	const struct itimerval every = {{0, TICK_US}, {0, TICK_US}};
	struct sigaction action = {.sa_handler = tick};

	sigaction(SIGALRM, &action, &spawn->old_tick);
	setitimer(ITIMER_REAL, &every, NULL);
	spawn->ticks = true;
}

static void tick_stop(struct spawn *spawn)
{
	const struct itimerval never = {{0, 0}, {0, 0}};

	if (!spawn->ticks)
		return;
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &spawn->old_tick, NULL);
	spawn->ticks = false;
}

/* What child_become does, as far as posix_spawn can be told. */
static int actions_open(struct spawn *spawn)
{
	sigset_t defaults;
	int code = posix_spawn_file_actions_init(&spawn->actions);

	if (code)
		return code;
	posix_spawnattr_init(&spawn->attributes);
	spawn->has_actions = true;
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGHUP);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&spawn->attributes, &defaults);
	posix_spawnattr_setflags(&spawn->attributes, POSIX_SPAWN_SETSIGDEF);
	for (int fd = 0; code == 0 && fd < 3; fd++)
		code = posix_spawn_file_actions_adddup2(
			&spawn->actions,
			fd == STDERR_FILENO ? spawn->complaint_fds[1] : spawn->null_fd, fd);
	return code;
}

int spawn_children_open(struct spawn *spawn, struct error *error)
{
	int code;

	spawn->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (spawn->null_fd < 0)
		return error_set(error, -errno, "/dev/null cannot be opened: %s", strerror(errno));
	if (pipe2(spawn->complaint_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return error_set(error, -errno, "no pipe for what children say: %s",
				 strerror(errno));
	code = actions_open(spawn);
	if (code)
		return error_set(error, -code, "no memory for a worker: %s", strerror(code));
	tick_start(spawn);
	return 0;
}

static void fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

void spawn_children_close(struct spawn *spawn)
{
	tick_stop(spawn);
	if (spawn->has_actions) {
		posix_spawn_file_actions_destroy(&spawn->actions);
		posix_spawnattr_destroy(&spawn->attributes);
	}
	fd_close(spawn->null_fd);
	fd_close(spawn->complaint_fds[0]);
	fd_close(spawn->complaint_fds[1]);
}
