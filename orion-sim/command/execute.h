/* SPDX-License-Identifier: MIT */
/* execute.h - a profile run to its end: plan, run, save, report. Shared by run and demo. */
#ifndef ORION_COMMAND_EXECUTE_H
#define ORION_COMMAND_EXECUTE_H

struct error;
struct profile;

/* Options that both commands have; the params of a command begin with them. */
struct execute_params {
	int format;	  /* index into execute_formats */
	int progress;	  /* enum progress_kind */
	char output[512]; /* "": NAME-TIME.json in the current directory */
};

/* Rows for a command's field table; owner is its params struct, member its execute_params. */
#define EXECUTE_FIELDS(owner, member)                                                              \
	FIELD_CHOICE("format", owner, member.format, "text", execute_formats,                      \
		     "what is printed on standard output"),                                        \
		FIELD_CHOICE(                                                                      \
			"progress", owner, member.progress, "auto", execute_progress,              \
			"on standard error: a redrawn line, a plain line each 30 s, nothing"),     \
		FIELD_TEXT("output", owner, member.output, "",                                     \
			   "where the result document goes; else NAME-TIME.json here")

extern const char *const execute_formats[];
extern const char *const execute_progress[];

/*
 * Signals INT, TERM and HUP, blocked from now on and read from the descriptor: a first one ends the
 * run with what there is, a second at once; settings are given back in either case. -1 with errno.
 */
int execute_signals(void);

/* Returns the exit code. The result document is valid whatever happened after the first runner. */
int execute_profile(struct profile *profile, const struct execute_params *params, int signal_fd,
		    struct error *error);

#endif
