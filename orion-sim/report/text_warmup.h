/* SPDX-License-Identifier: MIT */
/* text_warmup.h - warm-ups that end by rule: how long they took, and where the rule was not met. */
#ifndef ORION_REPORT_TEXT_WARMUP_H
#define ORION_REPORT_TEXT_WARMUP_H

#include <stddef.h>
#include <stdio.h>

struct result_point;
struct rows;

/*
 * "steady state not reached after 25 rounds: range 31 % of the mean, slope 14 %", of the repeat
 * that is farthest from it; null where all ok repeats of the point have reached it.
 */
const char *text_warmup_note(const struct result_point *point, char *text, size_t size);

/* What was dropped, if any warm-up ended by rule. */
void text_warmup(const struct rows *rows, FILE *stream);

#endif
