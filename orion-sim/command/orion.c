/* SPDX-License-Identifier: MIT */
/* orion.c - the command orion: Oracle's Orion as a translator, its options to a profile. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "command/command.h"
#include "command/execute.h"
#include "command/orion_files.h"
#include "command/orion_loads.h"
#include "command/orion_luns.h"
#include "command/orion_options.h"
#include "command/orion_profile.h"
#include "command/progress.h"
#include "plan/profile.h"
#include "report/orion.h"
#include "report/report.h"
#include "report/rows.h"
#include "stats/result.h"

extern const struct command_ops command_orion;

/* What a test is, from the command line to its files. */
struct test {
	struct orion_options options;
	struct orion_luns luns;
	struct orion_matrix matrix;
	unsigned num_disks;
	char line[ORION_LOADS_BYTES];
	char prefix[ORION_PREFIX_BYTES];
};

static void test_free(struct test *test)
{
	orion_luns_free(&test->luns);
	orion_matrix_free(&test->matrix);
}

static void loads_print(const char *title, const struct loads *loads)
{
	printf("%s", title);
	for (unsigned i = 0; i < loads->n; i++)
		printf("%s%u", i ? ", " : "", loads->values[i]);
	printf("\n");
}

/* Before the first I/O: what will be run, and how long Orion would say it takes. */
static void test_announce(const struct test *test)
{
	const struct orion_matrix *matrix = &test->matrix;

	printf("ORION: ORacle IO Numbers -- by orion-sim %s\n%s\n"
	       "Calibration will take approximately %" PRIu64 " minutes.\n"
	       "Using a large value for -cache_size may take longer.\n\n",
	       ORION_VERSION, test->prefix, orion_matrix_minutes(matrix, test->options.duration_s));
	if (matrix->small.n)
		loads_print("Small loads alone: ", &matrix->small);
	if (matrix->large.n)
		loads_print("Large loads alone: ", &matrix->large);
	if (matrix->mixed_small.n && matrix->mixed_large.n) {
		loads_print("Together, small: ", &matrix->mixed_small);
		loads_print("          large: ", &matrix->mixed_large);
	}
	printf("Total Data Points: %" PRIu64 "\n\n", orion_matrix_points(matrix));
	fflush(stdout);
}

static void test_started(void *context)
{
	test_announce(context);
}

/* -verbose: a line for each data point. */
static void test_repeat_done(void *context, const struct result_point *point,
			     const struct result_repeat *repeat)
{
	const struct test *test = context;
	const char *small = point_coordinate(point, ORION_SMALL);
	const char *large = point_coordinate(point, ORION_LARGE);

	if (!test->options.verbose)
		return;
	printf("Small=%s and Large=%s: %s", small ? small : "0", large ? large : "0",
	       result_status_name(repeat ? repeat->status : point->status));
	for (unsigned s = 0; repeat && s < repeat->n_streams; s++) {
		const struct result_stream *stream = &repeat->streams[s];
		const struct result_class *class = stream->n_classes ? &stream->classes[0] : NULL;

		if (class && class->duration_s > 0)
			printf(", %s %.0f I/Os a second, %.2f MBPS, %.3f us", stream->label,
			       (double)class->tally.ops / class->duration_s,
			       (double)class->tally.bytes / 1048576 / class->duration_s,
			       class->mean_ns / 1e3);
	}
	putchar('\n');
	fflush(stdout);
}

/* Where nothing could be run for want of huge pages, in words that are known. */
static void test_explain(const struct result *result)
{
	const struct result_point *first = &result->variants[0].points[0];

	for (unsigned p = 0; p < result->variants[0].n_points; p++)
		if (result->variants[0].points[p].status != RESULT_SKIPPED)
			return;
	fprintf(stderr, "orion-sim: no data point could be run: %s\n", first->reason);
	if (strstr(first->reason, "huge"))
		fprintf(stderr,
			"orion-sim: ERROR: Failed to allocate shared global region with large "
			"pages; run as root, which borrows them, reserve them "
			"(vm.nr_hugepages), or give -hugenotneeded\n");
}

static int test_conclude(void *context, struct result *result, struct error *error)
{
	const struct test *test = context;
	const struct entry *entry = NULL;
	int status;

	test_explain(result);
	status = orion_files_write(test->prefix, test->options.percentiles, result, error);
	if (status == 0)
		status = catalog_find(&report_catalog, "orion", &entry, error);
	return status < 0 ? status : report_ops_of(entry)->write(result, stdout, error);
}

static int test_read(const struct command_args *args, struct test *test, struct error *error)
{
	int status = orion_options_read(args->words, &test->options, error);

	if (status < 0 || test->options.help)
		return status;
	orion_options_line(args->words, test->line, sizeof(test->line));
	orion_files_prefix(test->options.testname, test->prefix);
	status = orion_luns_read(test->options.testname, &test->luns, error);
	if (status < 0)
		return status;
	test->num_disks =
		test->options.num_disks ? (unsigned)test->options.num_disks : test->luns.n;
	status = orion_matrix_make(&test->options, test->num_disks, &test->matrix, error);
	if (status < 0 || test->options.print_profile)
		return status;
	return orion_files_check(test->prefix, test->options.percentiles, error);
}

static int test_execute(struct test *test, const char *text, struct error *error)
{
	struct profile_overrides overrides = {.sets = test->options.sets};
	struct execute_params params = {.progress = PROGRESS_AUTO};
	struct execute_hooks hooks = {.context = test,
				      .started = test_started,
				      .repeat_done = test_repeat_done,
				      .conclude = test_conclude};
	struct profile profile;
	int signal_fd, code;

	while (strcmp(execute_formats[params.format], "none") != 0)
		params.format++;
	orion_files_document(test->prefix, params.output);
	if (profile_parse("orion", text, &overrides, &profile, error) < 0)
		return command_exit_code(error);
	signal_fd = execute_signals();
	code = execute_profile_by(&profile, &params, &hooks, signal_fd, error);
	if (signal_fd >= 0)
		close(signal_fd);
	profile_free(&profile);
	return code;
}

static int test_run(struct test *test, struct error *error)
{
	const struct orion_test made = {.options = &test->options,
					.luns = &test->luns,
					.matrix = &test->matrix,
					.command_line = test->line};
	CLEANUP(cleanup_free) char *text = orion_profile_text(&made);

	if (!text) {
		error_set(error, -ENOMEM, "no memory for the profile");
		return EXIT_CODE_FAILED;
	}
	if (!test->options.print_profile)
		return test_execute(test, text, error);
	fputs(text, stdout);
	return EXIT_CODE_OK;
}

static int orion_run(const struct command_args *args, struct error *error)
{
	struct test test = {.num_disks = 0};
	int code;

	if (test_read(args, &test, error) < 0)
		code = command_exit_code(error);
	else if (test.options.help)
		code = command_orion.help();
	else
		code = test_run(&test, error);
	test_free(&test);
	return code;
}

static int orion_help(void)
{
	orion_options_help();
	return EXIT_CODE_OK;
}

const struct command_ops command_orion = {
	.entry = {.name = "orion",
		  .summary = "Oracle Orion's tests, with its options and its files"},
	.words_usage = "-run TEST …",
	.words_max = COMMAND_WORDS_MAX,
	.own_options = true,
	.help = orion_help,
	.run = orion_run};
