/* SPDX-License-Identifier: MIT */
/* search_parts.h - what asking and answering share; for search.c and search_answer.c only. */
#ifndef ORION_STATS_SEARCH_PARTS_H
#define ORION_STATS_SEARCH_PARTS_H

#include "stats/search.h"

/* Without repeats, what two runs of one load may differ by (logarithms), and never less. */
#define NOISE_PRESET 0.05
#define NOISE_MIN    0.01

/* Lowest measured load that is over the limit, and the highest measured one below it; -1: none. */
struct bracket {
	int under, over;
};

struct bracket search_bracket(const struct search *search);

bool search_has_limit(const struct search *search);
bool search_is_measured(const struct search *search, unsigned load);
bool search_is_over(const struct search *search, unsigned load); /* of one that was measured */

/* The smallest load that is as good as the best; -1 before any. */
int search_best(const struct search *search);

/* Doublings that were measured since the last one that gained; ret_top is the last one, or -1. */
unsigned search_idle(const struct search *search, int *ret_top);

#endif
