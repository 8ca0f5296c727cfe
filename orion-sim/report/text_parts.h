/* SPDX-License-Identifier: MIT */
/* text_parts.h - what the text report is made of, from top to bottom. */
#ifndef ORION_REPORT_TEXT_PARTS_H
#define ORION_REPORT_TEXT_PARTS_H

#include <stdio.h>

struct rows;

#define TEXT_WIDTH 120

/* What this host does best, and what huge pages buy on it. */
void text_headline(const struct rows *rows, FILE *stream);

/* In place of the next two: what a search for the highest load found, and the curves. -ENOMEM only.
 */
int text_calibration(const struct rows *rows, FILE *stream);

/* One row a point, the reasons that found no room in it, and what the columns mean. -ENOMEM only.
 */
int text_table(const struct rows *rows, FILE *stream);

/* What the workloads make of it themselves: a row a stream, with published figures where the
 * profile has some. -ENOMEM only. */
int text_derived(const struct rows *rows, FILE *stream);

/* What counters of the kernel grew by, a column a point, where any were asked for. -ENOMEM only. */
int text_counters(const struct rows *rows, FILE *stream);

/* A paragraph for each point that was sampled. */
void text_functions(const struct rows *rows, FILE *stream);

/* What a reader should know before believing a figure; then the notes of the result. */
void text_warnings(const struct rows *rows, FILE *stream);

/* The machine, the run and the command that repeats it. */
void text_footer(const struct rows *rows, FILE *stream);

#endif
