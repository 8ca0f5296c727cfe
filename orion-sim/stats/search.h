/* SPDX-License-Identifier: MIT */
/* search.h - which load to measure next, to find the highest one that serves. Pure: no clock. */
#ifndef ORION_STATS_SEARCH_H
#define ORION_STATS_SEARCH_H

#include <stdbool.h>

#define SEARCH_REPEATS_MIN 3 /* fewer have no median that one of them could not move */
#define SEARCH_REPEATS_MAX 15

/*
 * Two questions. With a limit: the highest load whose value (a latency, the less the better) stays
 * at or under it; below the answer no load that was measured is over. Without one (INFINITY): the
 * load that gives the highest rate, the smallest of those that are as good.
 */
struct search_rule {
	const unsigned *loads; /* borrowed: that may be asked for, ascending, about a grid's step
				  apart */
	unsigned n_loads;
	double limit;
	unsigned repeats; /* of the loads that decide: SEARCH_REPEATS_MIN to _MAX */
};

struct search_load {
	unsigned n;
	double values[SEARCH_REPEATS_MAX], rates[SEARCH_REPEATS_MAX];
};

struct search {
	struct search_rule rule;
	struct search_load *loads; /* owned: what was measured, by place in rule.loads */
};

enum search_outcome {
	SEARCH_UNSETTLED, /* it was ended before it could tell */
	SEARCH_FOUND,
	SEARCH_UNMET,	  /* the smallest load is over the limit already */
	SEARCH_UNREACHED, /* the largest load is still under it, or still the best */
};

/* Interval: where 95 of 100 searches like this one would end. */
struct search_interval {
	double low, high;
};

struct search_answer {
	enum search_outcome outcome;
	bool has_load;	    /* else nothing below is set but outcome, over and runs */
	unsigned load;	    /* of rule.loads, by place; the best there is so far where unsettled */
	double value, rate; /* medians there */
	struct search_interval loads, values, rates;
	int over;		/* lowest load that is over the limit, by place; -1 for none */
	int again;		/* a higher load that is under it all the same, or -1 */
	unsigned n_loads, runs; /* that were measured, and how often in all */
};

/* -ENOMEM only. */
int search_open(struct search *search, const struct search_rule *rule);
void search_close(struct search *search);

/* What a load (by its place) came to; ignored once it has SEARCH_REPEATS_MAX or is not finite. */
void search_add(struct search *search, unsigned load, double value, double rate);

/*
 * Follows from what was measured alone: the place of the load to be measured next, or false when
 * the answer is known. Ends after rule.repeats times all loads at the latest.
 */
bool search_next(const struct search *search, unsigned *ret_load);

/* About how many runs it will still ask for. */
unsigned search_left(const struct search *search);

void search_answer(const struct search *search, struct search_answer *ret);

/* Is the value at a load, by the noise of all that was repeated, too near the limit to tell? */
bool search_is_close(const struct search *search, unsigned load);

/* Interval of the value at a load that was measured, from its runs alone. */
struct search_interval search_value_interval(const struct search *search, unsigned load);

double search_value(const struct search *search, unsigned load); /* medians; NAN if unmeasured */
double search_rate(const struct search *search, unsigned load);

/*
 * Loads from 1 to max: each one while a step would be less than one, then at most 3 % apart; all
 * that are more than unit are multiples of it, and max (rounded down to one) is among them. ret
 * holds room; how many.
 */
unsigned search_grid(unsigned unit, unsigned max, unsigned *ret, unsigned room);

#endif
