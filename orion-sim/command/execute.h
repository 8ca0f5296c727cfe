/* SPDX-License-Identifier: MIT */
/* execute.h - a profile run to its end: plan, run, save, report. Shared by run and demo. */
#ifndef ORION_COMMAND_EXECUTE_H
#define ORION_COMMAND_EXECUTE_H

#include <stdbool.h>

struct error;
struct plan;
struct profile;
struct result;
struct result_point;
struct result_repeat;
struct run_ask;

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

/* For a command that says itself what is run next, and draws something of its own from it. */
struct execute_hooks {
	void *context;
	/*
	 * The plan is ready, nothing is touched yet: about how many runs it will be. Negative: goes
	 * no further.
	 */
	int (*planned)(void *context, const struct plan *plan, unsigned *ret_runs,
		       struct error *error);
	bool (*next)(void *context, const struct result *result, struct run_ask *ret);
	/* All was checked, the first run begins; and each that has ended, null of a point that was
	 * skipped. Both may be null. */
	void (*started)(void *context);
	void (*repeat_done)(void *context, const struct result_point *point,
			    const struct result_repeat *repeat);
	/* Before the result is saved; also of one that was ended early. */
	int (*conclude)(void *context, struct result *result, struct error *error);
	/* Exit code of a run that went well. */
	int (*code)(void *context, const struct result *result);
};

/* Returns the exit code. The result document is valid whatever happened after the first runner. */
int execute_profile(struct profile *profile, const struct execute_params *params, int signal_fd,
		    struct error *error);
int execute_profile_by(struct profile *profile, const struct execute_params *params,
		       const struct execute_hooks *hooks, int signal_fd, struct error *error);

#endif
