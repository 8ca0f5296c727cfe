/* SPDX-License-Identifier: MIT */
/* command.h - a word on the command line: its options as data, its function, its exit code. */
#ifndef ORION_COMMAND_COMMAND_H
#define ORION_COMMAND_COMMAND_H

#include <stdbool.h>

#include "base/catalog.h"

struct error;
struct result;

/* For the whole program and for good. */
enum exit_code {
	EXIT_CODE_OK = 0,
	EXIT_CODE_FAILED = 1,	    /* a point failed */
	EXIT_CODE_USAGE = 2,	    /* usage or bad input */
	EXIT_CODE_CANNOT = 3,	    /* the machine cannot: everything skipped */
	EXIT_CODE_IO = 4,	    /* all failures are I/O errors */
	EXIT_CODE_INCONCLUSIVE = 5, /* on request only: compare, calibrate */
	EXIT_CODE_REGRESSED = 6,    /* on request only: worse, or the answer is no */
	EXIT_CODE_SIGINT = 130,
	EXIT_CODE_SIGTERM = 143,
};

#define COMMAND_WORDS_MAX 1024
#define COMMAND_LISTS_MAX 4

/* An option that may be given many times (--set, --target). */
struct command_list {
	const char *name, *placeholder, *help;
	const char *values[COMMAND_WORDS_MAX + 1]; /* NULL-terminated */
	unsigned n;
};

struct command_args {
	void *params;				  /* the entry's params, presets and options in */
	const char *words[COMMAND_WORDS_MAX + 1]; /* positional, NULL-terminated */
	unsigned n_words;
	int divider; /* words in front of a first "--"; -1 where there is none */
	struct command_list lists[COMMAND_LISTS_MAX];
};

struct command_ops {
	struct entry entry; /* fields: options, "--name value" or "--name=value", bools "--name" */
	const char *words_usage; /* "PROFILE", "FILE…", "" */
	unsigned words_min, words_max;
	const struct command_list *lists; /* name null ends it; may be null */
	bool own_options;		  /* every word is handed on as it is, options too */
	int (*help)(void); /* in place of the tables' help; returns an exit code. May be null */
	/* Does it and returns an exit code; sets the error for the front door to print where that
	 * is not OK. */
	int (*run)(const struct command_args *args, struct error *error);
};

extern const struct catalog command_catalog;
const struct command_ops *command_ops_of(const struct entry *entry);

/* Whole program: parses argv, runs the command, prints the error. Returns the exit code. */
int command_main(int argc, char **argv);

/* Exit code for an error that stopped a command. */
int command_exit_code(const struct error *error);

/* Exit code for a result: signal, failed, skipped. */
int command_result_code(const struct result *result);

/*
 * Finds a profile: a path (has a slash or ends in .json), else NAME in ./profiles, in profiles/ of
 * the tree the program was built in, beside its prefix (../share/orion-sim/profiles), or where it
 * was installed. ERROR_INPUT lists the names there are. path holds 512 bytes.
 */
int command_find_profile(const char *word, char path[512], struct error *error);

#endif
