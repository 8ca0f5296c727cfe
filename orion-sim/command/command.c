/* SPDX-License-Identifier: MIT */
/* command.c - the table of commands, and the way from argv to one of them. */
#include "command/command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/field.h"
#include "command/help.h"
#include "stats/result.h"

extern const struct command_ops command_demo, command_run, command_plan, command_list,
	command_prepare, command_compare, command_report, command_restore, command_calibrate,
	command_orion;

static const struct entry *const command_entries[] = {&command_demo.entry,
						      &command_run.entry,
						      &command_plan.entry,
						      &command_list.entry,
						      &command_prepare.entry,
						      &command_report.entry,
						      &command_compare.entry,
						      &command_restore.entry,
						      &command_calibrate.entry,
						      &command_orion.entry,
						      NULL};

const struct catalog command_catalog = {.noun = "command", .entries = command_entries};

const struct command_ops *command_ops_of(const struct entry *entry)
{
	return (const struct command_ops *)entry;
}

int command_exit_code(const struct error *error)
{
	switch (error->code) {
	case 0:
		return EXIT_CODE_OK;
	case ERROR_INPUT:
		return EXIT_CODE_USAGE;
	case ERROR_CANNOT:
		return EXIT_CODE_CANNOT;
	case ERROR_IO:
		return EXIT_CODE_IO;
	default:
		return EXIT_CODE_FAILED;
	}
}

/* What the points and their repeats came to. */
struct outcome {
	unsigned ok, skipped, failed, io_failed;
};

static struct outcome result_outcome(const struct result *result)
{
	struct outcome outcome = {0};

	for (unsigned v = 0; v < result->n_variants; v++) {
		for (unsigned p = 0; p < result->variants[v].n_points; p++) {
			const struct result_point *point = &result->variants[v].points[p];

			outcome.ok += point->status == RESULT_OK;
			outcome.skipped += point->status == RESULT_SKIPPED;
			for (unsigned r = 0; r < point->n_repeats; r++) {
				const struct result_repeat *repeat = &point->repeats[r];

				outcome.failed += repeat->status == RESULT_FAILED;
				outcome.io_failed +=
					repeat->status == RESULT_FAILED && repeat->io_failure;
			}
		}
	}
	return outcome;
}

int command_result_code(const struct result *result)
{
	struct outcome outcome = result_outcome(result);

	if (result->signal == SIGTERM)
		return EXIT_CODE_SIGTERM;
	if (result->signal == SIGINT)
		return EXIT_CODE_SIGINT;
	if (result->signal)
		return EXIT_CODE_FAILED;
	if (outcome.failed > 0)
		return outcome.failed == outcome.io_failed ? EXIT_CODE_IO : EXIT_CODE_FAILED;
	if (outcome.ok == 0 && outcome.skipped > 0)
		return EXIT_CODE_CANNOT;
	return EXIT_CODE_OK;
}

static const struct field *find_option(const struct command_ops *command, const char *name,
				       size_t length)
{
	const struct field *field = command->entry.fields;

	for (; field && field->name; field++)
		if (strlen(field->name) == length && strncmp(field->name, name, length) == 0)
			return field;
	return NULL;
}

static struct command_list *find_list(struct command_args *args, const char *name, size_t length)
{
	for (unsigned i = 0; i < COMMAND_LISTS_MAX && args->lists[i].name; i++)
		if (strlen(args->lists[i].name) == length &&
		    strncmp(args->lists[i].name, name, length) == 0)
			return &args->lists[i];
	return NULL;
}

static int add_value(struct command_list *list, const char *value, struct error *error)
{
	if (list->n == COMMAND_WORDS_MAX)
		return error_set(error, ERROR_INPUT, "--%s: more than %d values", list->name,
				 COMMAND_WORDS_MAX);
	list->values[list->n++] = value;
	return 0;
}

static int unknown_option(const struct command_ops *command, const char *word, struct error *error)
{
	return error_set(error, ERROR_INPUT,
			 "%s: no option is called '%s'; orion-sim %s --help shows those there are",
			 command->entry.name, word, command->entry.name);
}

/* One "--name[=value]"; *i moves on when the value is the next word. */
static int parse_option(const struct command_ops *command, char **argv, int argc, int *i,
			struct command_args *args, struct error *error)
{
	const char *word = argv[*i], *name = word + 2, *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct field *field = find_option(command, name, length);
	struct command_list *list = find_list(args, name, length);
	const char *value = equals ? equals + 1 : NULL;
	int status;

	if (!field && !list)
		return unknown_option(command, word, error);
	if (!value && field && field->type == FIELD_TYPE_BOOL)
		value = "true";
	if (!value) {
		if (*i + 1 >= argc)
			return error_set(error, ERROR_INPUT, "%s: %s needs a value",
					 command->entry.name, word);
		value = argv[++*i];
	}
	if (list)
		return add_value(list, value, error);
	status = field_parse(field, value, args->params, error);
	return status < 0 ? error_prefix(error, "%s: --%s: ", command->entry.name, field->name) : 0;
}

static int add_word(const struct command_ops *command, const char *word, struct command_args *args,
		    struct error *error)
{
	if (args->n_words >= command->words_max)
		return error_set(
			error, ERROR_INPUT, "%s: unexpected word '%s'; usage: orion-sim %s %s",
			command->entry.name, word, command->entry.name, command->words_usage);
	args->words[args->n_words++] = word;
	return 0;
}

static int parse_words(const struct command_ops *command, int argc, char **argv,
		       struct command_args *args, bool *ret_help, struct error *error)
{
	int status = 0;

	for (int i = 0; i < argc && status == 0; i++) {
		const char *word = argv[i];
		bool only_words = args->divider >= 0 || command->own_options;

		if (!only_words && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
			*ret_help = true;
			return 0;
		}
		if (!only_words && strcmp(word, "--") == 0)
			args->divider = (int)args->n_words;
		else if (!only_words && strncmp(word, "--", 2) == 0)
			status = parse_option(command, argv, argc, &i, args, error);
		else if (!only_words && word[0] == '-' && word[1])
			status = unknown_option(command, word, error);
		else
			status = add_word(command, word, args, error);
	}
	if (status == 0 && args->n_words < command->words_min)
		return error_set(error, ERROR_INPUT, "%s: %s is missing; usage: orion-sim %s %s",
				 command->entry.name, command->words_usage, command->entry.name,
				 command->words_usage);
	return status;
}

static void init_args(const struct command_ops *command, void *params, struct command_args *args)
{
	*args = (struct command_args){.params = params, .divider = -1};
	if (command->entry.fields)
		field_presets(command->entry.fields, params);
	for (unsigned i = 0; command->lists && i < COMMAND_LISTS_MAX && command->lists[i].name; i++)
		args->lists[i] = command->lists[i];
}

static int run_command(const struct command_ops *command, int argc, char **argv,
		       struct error *error)
{
	void *params = calloc(1, command->entry.params_size + 1);
	struct command_args *args = calloc(1, sizeof(*args));
	bool help = false;
	int code;

	if (!params || !args) {
		free(params);
		free(args);
		error_set(error, -ENOMEM, "no memory");
		return EXIT_CODE_FAILED;
	}
	init_args(command, params, args);
	if (parse_words(command, argc, argv, args, &help, error) < 0)
		code = EXIT_CODE_USAGE;
	else if (help)
		code = help_command(command);
	else
		code = command->run(args, error);
	free(args);
	free(params);
	return code;
}

/* What was printed must have arrived: a full disk or a closed pipe is not success. */
static int finish_output(int code, struct error *error)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (error->code == 0)
		error_set(error, -EIO, "standard output cannot be written: %s", strerror(errno));
	return code == EXIT_CODE_OK ? EXIT_CODE_FAILED : code;
}

/* By a link of that name the program is Orion. */
static bool is_called_orion(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash ? slash + 1 : path, command_orion.entry.name) == 0;
}

int command_main(int argc, char **argv)
{
	const struct entry *entry = NULL;
	struct error error = {0};
	int code;

	signal(SIGPIPE, SIG_IGN);
	if (argc > 0 && is_called_orion(argv[0])) {
		code = run_command(&command_orion, argc - 1, argv + 1, &error);
	} else if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
		   (strcmp(argv[1], "help") == 0 && argc == 2)) {
		help_all(argc < 2 ? stderr : stdout);
		code = argc < 2 ? EXIT_CODE_USAGE : EXIT_CODE_OK;
	} else if (strcmp(argv[1], "--version") == 0) {
		printf("orion-sim %s\n", ORION_VERSION);
		code = EXIT_CODE_OK;
	} else if (strcmp(argv[1], "help") == 0) {
		code = catalog_find(&command_catalog, argv[2], &entry, &error) < 0
			       ? EXIT_CODE_USAGE
			       : help_command(command_ops_of(entry));
	} else if (catalog_find(&command_catalog, argv[1], &entry, &error) < 0) {
		code = EXIT_CODE_USAGE;
	} else {
		code = run_command(command_ops_of(entry), argc - 2, argv + 2, &error);
	}
	code = finish_output(code, &error);
	if (error.code)
		fprintf(stderr, "orion-sim: %s\n", error.text);
	return code;
}
