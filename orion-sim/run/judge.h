/* SPDX-License-Identifier: MIT */
/* judge.h - a point of a result is as good as its repeats. */
#ifndef ORION_RUN_JUDGE_H
#define ORION_RUN_JUDGE_H

struct plan;
struct result;
struct result_point;
struct result_repeat;

/* As good as the first of its repeats that is not ok, of those whose figures count. */
void judge_repeat(struct result_point *point, const struct result_repeat *repeat);

/* Points that were not run as often as planned say so, whatever the repeats they have. */
void judge_unfinished(const struct plan *plan, struct result *result);

#endif
