/* SPDX-License-Identifier: MIT */
/* output.h - a report is put together in memory and then written at once. */
#ifndef ORION_REPORT_OUTPUT_H
#define ORION_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct error;

struct output {
	FILE *stream; /* what the parts of a report write to */
	bool failed;  /* set by them if memory ran out: then nothing is written */
	char *text;
	size_t size;
};

int output_begin(struct output *ret, struct error *error);

/* Writes what was put together and frees it; -errno with a sentence if the stream loses any of it.
 */
int output_end(struct output *output, FILE *stream, struct error *error);

/* Writes a whole text. */
int output_text(const char *text, FILE *stream, struct error *error);

#endif
