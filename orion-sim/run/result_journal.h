/* SPDX-License-Identifier: MIT */
/* result_journal.h - finished repeats on disk at once, so that a power cut loses one. */
#ifndef ORION_RUN_RESULT_JOURNAL_H
#define ORION_RUN_RESULT_JOURNAL_H

struct error;
struct result;
struct result_point;
struct result_repeat;

/*
 * JSON lines: first the plan and the machine, then one line a repeat with its histograms. Each line
 * is on disk (fdatasync) before the next repeat begins. A line that could not be written whole is
 * taken back.
 */
struct result_journal {
	int fd;		  /* -1: none is kept */
	const char *path; /* borrowed */
};

/* Creates path (O_EXCL); null path: nothing is kept. */
int result_journal_open(struct result_journal *journal, const char *path,
			const struct result *result, struct error *error);
int result_journal_append(struct result_journal *journal, unsigned variant, unsigned point,
			  const struct result_repeat *repeat, struct error *error);
void result_journal_close(struct result_journal *journal);

#endif
