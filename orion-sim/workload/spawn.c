/* SPDX-License-Identifier: MIT */
/* spawn.c - processes started and waited for, one loop after the other. */
#include "workload/spawn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "stats/result.h"
#include "workload/spawn_parts.h"

static const char *const op_names[] = {
	[SPAWN_FORK] = "fork", [SPAWN_VFORK] = "vfork", [SPAWN_POSIX_SPAWN] = "posix_spawn",
	[SPAWN_EXEC] = "exec", [SPAWN_SHELL] = "shell", [SPAWN_COMPILE] = "compile",
	[SPAWN_DC] = "dc",     [SPAWN_DC + 1] = NULL};

/* By the words of memory kind private. */
static const char *const thp_names[] = {"never", "advise", NULL};

static const struct field spawn_fields[] = {
	FIELD_CHOICE("op", struct spawn_params, op, "fork", op_names,
		     "what a loop is: a process that ends at once (fork, vfork), a tiny program "
		     "(posix_spawn), one exec of a chain, shell scripts, a C compile, a square "
		     "root by dc"),
	FIELD_COUNT("at_once", struct spawn_params, at_once, "1", 1, SPAWN_AT_ONCE_MAX,
		    "of shell, compile and dc: how many at a time make one loop; on one CPU all of "
		    "them where the stream is pinned"),
	FIELD_COUNT("chain", struct spawn_params, chain, "64", 1, 1000000,
		    "of exec: how often a process runs itself, timed together"),
	FIELD_SIZE("ballast", struct spawn_params, ballast_bytes, "0", 0, UINT64_C(1) << 46,
		   "private memory that each worker has touched before and its children inherit"),
	FIELD_CHOICE("ballast_thp", struct spawn_params, ballast_thp, "never", thp_names,
		     "whether large folios are refused to the ballast, or asked for"),
	FIELD_SIZE("dirty", struct spawn_params, dirty_bytes, "0", 0, UINT64_C(1) << 46,
		   "of fork: ballast that each child writes to before it ends"),
	FIELD_DURATION("limit", struct spawn_params, limit_ns, "30s", 10000000,
		       UINT64_C(3600000000000),
		       "time after which a child is killed and counts as failed"),
	FIELD_COUNT("errors_max", struct spawn_params, errors_max, "0", 0, UINT64_MAX,
		    "failed loops that a worker goes on after; they are counted"),
	FIELD_TEXT("path", struct spawn_params, path, "/usr/local/bin:/usr/bin:/bin",
		   "folders in which sh, cc, dc and the like are looked for"),
	FIELD_TEXT("folder", struct spawn_params, folder, "/tmp",
		   "where children's files go, into a private folder that is removed"),
	FIELD_END};

static const struct op_class spawn_classes[] = {
	[SPAWN_CLASS_SPAWN] = {.name = "spawn", .unit = "process"},
	[SPAWN_CLASS_EXEC] = {.name = "exec", .unit = "exec", .timed_in_batches = true},
	[SPAWN_CLASS_SHELL] = {.name = "shell", .unit = "loop"},
	[SPAWN_CLASS_PROGRAM] = {.name = "program", .unit = "loop"},
	{.name = NULL}};

static double value_lps(const struct workload_setup *setup, const struct result_stream *stream,
			const struct recorder *workers)
{
	double loops = 0, duration_s = 0;

	for (unsigned c = 0; c < stream->n_classes; c++) {
		loops += (double)stream->classes[c].tally.ops;
		duration_s = stream->classes[c].duration_s;
	}
	return duration_s > 0 ? loops / duration_s : NAN;
}

static double value_lpm(const struct workload_setup *setup, const struct result_stream *stream,
			const struct recorder *workers)
{
	return 60 * value_lps(setup, stream, workers);
}

static const struct derived spawn_derived[] = {
	{"lps", "loops/s", "loops completed per second, failed ones left out", true, value_lps},
	{"lpm", "loops/min", "loops completed per minute, failed ones left out", true, value_lpm},
	{.name = NULL}};

static const char *const spawn_counters[] = {"pgfault", "oom_kill", "thp_split_pmd", NULL};

static int spawn_check_params(const struct spawn_params *params, struct error *error)
{
	char dirty[32], ballast[32];

	if (params->at_once > 1 && !spawn_works[params->op].at_once)
		return error_set(
			error, ERROR_INPUT,
			"op %s starts one process a loop, at_once is %lu; write 1, or more "
			"workers",
			op_names[params->op], params->at_once);
	if (params->dirty_bytes > params->ballast_bytes)
		return error_set(error, ERROR_INPUT, "dirty %s is more than ballast %s; lower it",
				 units_format_size(params->dirty_bytes, dirty),
				 units_format_size(params->ballast_bytes, ballast));
	if (params->dirty_bytes && params->op != SPAWN_FORK)
		return error_set(error, ERROR_INPUT,
				 "children of op %s have nothing to write to, dirty is %s; write 0",
				 op_names[params->op],
				 units_format_size(params->dirty_bytes, dirty));
	return 0;
}

/* The memory kind private, with its parameter set. */
static int ballast_choose(const struct spawn_params *params, struct choice *ret,
			  struct error *error)
{
	const struct entry *kind;
	int status = catalog_find(&memory_catalog, "private", &kind, error);

	if (status == 0)
		status = catalog_choose(kind, ret, error);
	if (status < 0)
		return status;
	for (const struct field *field = kind->fields; field->name; field++)
		if (!strcmp(field->name, "thp"))
			status = field_parse(field, thp_names[params->ballast_thp], ret->params,
					     error);
	if (status < 0)
		choice_free(ret);
	return status;
}

static int ballast_probe(const struct workload_setup *setup, struct error *error)
{
	const struct spawn_params *params = setup->params;
	struct choice memory;
	int status;

	if (!params->ballast_bytes)
		return 0;
	status = ballast_choose(params, &memory, error);
	if (status < 0)
		return status;
	status = memory_ops_of(&memory)->probe(memory.params,
					       params->ballast_bytes * setup->workers, error);
	choice_free(&memory);
	return status < 0 ? error_prefix(error, "ballast of %u workers: ", setup->workers) : 0;
}

static int spawn_probe(const struct workload_setup *setup, struct error *error)
{
	const struct spawn_params *params = setup->params;
	const struct spawn_program *program = spawn_works[params->op].program;
	int status;

	if (setup->worker_kind != WORKER_PROCESS)
		return error_set(
			error, ERROR_INPUT,
			"workload spawn starts processes and waits for them, which threads "
			"of one process would do for each other; write \"as\": "
			"\"processes\" for its stream");
	status = spawn_check_params(params, error);
	if (status == 0 && program)
		status = spawn_program_probe(program, params, error);
	return status < 0 ? status : ballast_probe(setup, error);
}

static int ballast_open(struct spawn *spawn, struct error *error)
{
	int status;

	if (!spawn->params->ballast_bytes)
		return 0;
	status = ballast_choose(spawn->params, &spawn->ballast_memory, error);
	if (status < 0)
		return status;
	spawn->ballast = (struct region){.name = "ballast",
					 .ops = memory_ops_of(&spawn->ballast_memory),
					 .params = spawn->ballast_memory.params,
					 .size_bytes = spawn->params->ballast_bytes};
	return region_open(&spawn->ballast, error);
}

static void spawn_close(struct spawn *spawn)
{
	spawn_children_close(spawn);
	spawn_folder_close(&spawn->folder);
	region_close(&spawn->ballast);
	choice_free(&spawn->ballast_memory);
	free(spawn);
}

static int spawn_setup(struct worker *worker, struct error *error)
{
	struct spawn *spawn = calloc(1, sizeof(*spawn));
	const struct spawn_program *program;
	int status = 0;

	if (!spawn)
		return error_set(error, -ENOMEM, "no memory for a worker");
	spawn->params = worker->setup->params;
	spawn->work = &spawn_works[spawn->params->op];
	spawn->worker = worker;
	spawn->own = getpid();
	spawn->null_fd = spawn->complaint_fds[0] = spawn->complaint_fds[1] = -1;
	program = spawn->work->program;
	/* Before the ballast, which the sweeper has no use for. */
	if (program && program->has_folder)
		status = spawn_folder_open(spawn->params->folder, (unsigned)spawn->params->at_once,
					   &spawn->folder, error);
	if (status == 0 && program)
		status = spawn_command_make(program, spawn->params, spawn->folder.path,
					    &spawn->command, error);
	if (status == 0)
		status = ballast_open(spawn, error);
	if (status == 0)
		status = spawn_children_open(spawn, error);
	if (status < 0) {
		spawn_close(spawn);
		return status;
	}
	worker->private_data = spawn;
	return 0;
}

/* A loop counts where it ends, so that long ones begun in the warm-up make up for those cut off. */
static enum phase spawn_phase(const struct worker *worker)
{
	return worker->crew_phase
		       ? (enum phase)atomic_load_explicit(worker->crew_phase, memory_order_acquire)
		       : worker->phase;
}

static int spawn_step(struct worker *worker)
{
	struct spawn *spawn = worker->private_data;
	struct recorder *recorder = worker->recorder;
	enum spawn_class op_class = spawn->work->op_class;
	uint64_t n = op_class == SPAWN_CLASS_EXEC ? spawn->params->chain : 1;
	struct error error = {0};
	uint64_t begin_ns = clock_now_ns(), spent_ns;
	int status = spawn_children_loop(spawn, &error);
	enum phase phase = spawn_phase(worker);
	struct tally *tally = &recorder->classes[op_class].tally[phase];

	spent_ns = clock_now_ns() - begin_ns;
	if (status == -ECANCELED)
		return 0;
	if (status < 0) {
		tally->errors++;
		worker_fail(worker, status, "%s", error.text);
		return tally->errors > spawn->params->errors_max ? status : 0;
	}
	recorder_add_n(recorder, phase, recorder_enter(recorder), op_class, (spent_ns + n / 2) / n,
		       n);
	tally_count(tally, n, 0);
	tally->batches++;
	return 0;
}

static void spawn_teardown(struct worker *worker)
{
	spawn_close(worker->private_data);
	worker->private_data = NULL;
}

const struct workload_ops workload_spawn = {
	.entry = {.name = "spawn",
		  .summary = "processes started and waited for: fork, exec, shell scripts, a "
			     "compile, dc; its workers are processes",
		  .fields = spawn_fields,
		  .params_size = sizeof(struct spawn_params)},
	.classes = spawn_classes,
	.derived = spawn_derived,
	.starts_processes = true,
	.counters = spawn_counters,
	.probe = spawn_probe,
	.setup = spawn_setup,
	.step = spawn_step,
	.teardown = spawn_teardown};
