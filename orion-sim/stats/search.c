/* SPDX-License-Identifier: MIT */
/* search.c - which load to measure next, to find the highest one that serves. */
#include "stats/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/search_parts.h"
#include "stats/summary.h"

#define BAND_MAX 0.3

/* A rate this much higher is a gain; one this much lower is as good. */
#define GAIN 1.02
#define TIE  0.99

int search_open(struct search *search, const struct search_rule *rule)
{
	search->rule = *rule;
	search->loads = calloc(rule->n_loads, sizeof(*search->loads));
	return search->loads ? 0 : -ENOMEM;
}

void search_close(struct search *search)
{
	free(search->loads);
	search->loads = NULL;
}

void search_add(struct search *search, unsigned load, double value, double rate)
{
	struct search_load *at = &search->loads[load];

	if (at->n == SEARCH_REPEATS_MAX || !isfinite(value) || !isfinite(rate) || value <= 0 ||
	    rate <= 0)
		return;
	at->values[at->n] = value;
	at->rates[at->n++] = rate;
}

static double median_of(const double *values, unsigned n)
{
	double sorted[SEARCH_REPEATS_MAX];

	memcpy(sorted, values, n * sizeof(*values));
	return summary_median(sorted, n);
}

double search_value(const struct search *search, unsigned load)
{
	return median_of(search->loads[load].values, search->loads[load].n);
}

double search_rate(const struct search *search, unsigned load)
{
	return median_of(search->loads[load].rates, search->loads[load].n);
}

bool search_has_limit(const struct search *search)
{
	return isfinite(search->rule.limit);
}

bool search_is_measured(const struct search *search, unsigned load)
{
	return search->loads[load].n > 0;
}

bool search_is_over(const struct search *search, unsigned load)
{
	return search_value(search, load) > search->rule.limit;
}

/* Deviation of the logarithms of one load's values, over all loads that were repeated. */
static double noise(const struct search *search)
{
	double squares = 0;
	unsigned degrees = 0;

	for (unsigned i = 0; i < search->rule.n_loads; i++) {
		const struct search_load *at = &search->loads[i];
		double mean = 0;

		for (unsigned k = 0; k < at->n; k++)
			mean += log(at->values[k]) / at->n;
		for (unsigned k = 0; k < at->n; k++)
			squares += pow(log(at->values[k]) - mean, 2);
		degrees += at->n > 1 ? at->n - 1 : 0;
	}
	if (degrees < 2)
		return NOISE_PRESET;
	return fmax(sqrt(squares / degrees), NOISE_MIN);
}

bool search_is_close(const struct search *search, unsigned load)
{
	unsigned n = search->loads[load].n;

	if (n == 0 || !search_has_limit(search))
		return false;
	return fabs(log(search_value(search, load) / search->rule.limit)) <=
	       fmin(2 * noise(search) / sqrt(n), BAND_MAX);
}

/* Within what a single run may be off? Then one does not tell. */
static bool is_doubtful(const struct search *search, unsigned load)
{
	return fabs(log(search_value(search, load) / search->rule.limit)) <=
	       fmin(2 * noise(search), BAND_MAX);
}

/*
 * Has it been measured often enough to say on which side of the limit it is? Once is enough for one
 * that is clearly under: a disturbance adds latency and takes none. One over must be seen twice, or
 * by most of three.
 */
static bool is_decided(const struct search *search, unsigned load)
{
	const struct search_load *at = &search->loads[load];
	unsigned over = 0;

	for (unsigned k = 0; k < at->n; k++)
		over += at->values[k] > search->rule.limit;
	if (at->n == 0 || at->n >= search->rule.repeats)
		return at->n > 0;
	if (is_doubtful(search, load))
		return false;
	if (over == 0)
		return true;
	return at->n >= 3 || (at->n == 2 && over == 2);
}

/* Place of the highest load of at most twice the one at place; the next one at least. */
static unsigned doubled(const struct search *search, unsigned load)
{
	const struct search_rule *rule = &search->rule;
	unsigned next = load + 1;

	while (next + 1 < rule->n_loads && rule->loads[next + 1] <= 2 * rule->loads[load])
		next++;
	return next < rule->n_loads ? next : rule->n_loads - 1;
}

struct bracket search_bracket(const struct search *search)
{
	struct bracket bracket = {-1, -1};

	for (unsigned i = 0; i < search->rule.n_loads && bracket.over < 0; i++) {
		if (!search_is_measured(search, i))
			continue;
		if (search_is_over(search, i))
			bracket.over = (int)i;
		else
			bracket.under = (int)i;
	}
	return bracket;
}

static bool measured_above(const struct search *search, unsigned load)
{
	for (unsigned i = load + 1; i < search->rule.n_loads; i++)
		if (search_is_measured(search, i))
			return true;
	return false;
}

static bool ask(unsigned load, unsigned *ret)
{
	*ret = load;
	return true;
}

static bool lacks_repeats(const struct search *search, int load)
{
	return load >= 0 && search->loads[load].n < search->rule.repeats;
}

/* No load is known to be over: on to the next doubling, or the end. */
static bool next_doubling(const struct search *search, int under, unsigned *ret)
{
	if (under < 0)
		return ask(0, ret);
	if (!is_decided(search, (unsigned)under))
		return ask((unsigned)under, ret);
	if ((unsigned)under + 1 < search->rule.n_loads)
		return ask(doubled(search, (unsigned)under), ret);
	return lacks_repeats(search, under) && ask((unsigned)under, ret);
}

static bool next_under_limit(const struct search *search, unsigned *ret)
{
	struct bracket bracket = search_bracket(search);
	unsigned over = (unsigned)bracket.over, last = search->rule.n_loads - 1;

	if (bracket.over < 0)
		return next_doubling(search, bracket.under, ret);
	if (!is_decided(search, over))
		return ask(over, ret);
	if (bracket.under >= 0 && !is_decided(search, (unsigned)bracket.under))
		return ask((unsigned)bracket.under, ret);
	/* One more shows what the curve is like beyond. */
	if (over < last && !measured_above(search, over))
		return ask(doubled(search, over), ret);
	if (bracket.over - bracket.under > 1)
		return ask((unsigned)(bracket.under + bracket.over) / 2, ret);
	if (lacks_repeats(search, bracket.under))
		return ask((unsigned)bracket.under, ret);
	return lacks_repeats(search, bracket.over) && ask(over, ret);
}

int search_best(const struct search *search)
{
	double most = 0;

	for (unsigned i = 0; i < search->rule.n_loads; i++)
		if (search_is_measured(search, i) && search_rate(search, i) > most)
			most = search_rate(search, i);
	for (unsigned i = 0; i < search->rule.n_loads; i++)
		if (search_is_measured(search, i) && search_rate(search, i) >= TIE * most)
			return (int)i;
	return -1;
}

unsigned search_idle(const struct search *search, int *ret_top)
{
	double most = 0;
	unsigned idle = 0;

	*ret_top = -1;
	for (unsigned i = 0; i < search->rule.n_loads && search_is_measured(search, i);
	     i = doubled(search, i)) {
		idle = search_rate(search, i) > GAIN * most ? 0 : idle + 1;
		most = fmax(most, search_rate(search, i));
		*ret_top = (int)i;
		if (i + 1 == search->rule.n_loads)
			break;
	}
	return idle;
}

static bool next_for_rate(const struct search *search, unsigned *ret)
{
	int top, best = search_best(search);
	unsigned idle = search_idle(search, &top);

	if (top < 0)
		return ask(0, ret);
	if (idle < 2 && (unsigned)top + 1 < search->rule.n_loads)
		return ask(doubled(search, (unsigned)top), ret);
	return lacks_repeats(search, best) && ask((unsigned)best, ret);
}

bool search_next(const struct search *search, unsigned *ret_load)
{
	return search_has_limit(search) ? next_under_limit(search, ret_load)
					: next_for_rate(search, ret_load);
}

static unsigned doublings_above(const struct search *search, unsigned load)
{
	unsigned n = 0;

	for (; load + 1 < search->rule.n_loads; n++)
		load = doubled(search, load);
	return n;
}

static unsigned missing(const struct search *search, int load)
{
	return lacks_repeats(search, load) ? search->rule.repeats - search->loads[load].n : 0;
}

/* Steps of a bisection, each of which may have to be repeated. */
static unsigned bisections(int gap)
{
	unsigned n = 0;

	for (; gap > 1; gap = (gap + 1) / 2)
		n++;
	return 2 * n;
}

static unsigned left(const struct search *search)
{
	struct bracket bracket = search_bracket(search);
	unsigned top, repeats = search->rule.repeats;
	int at;

	if (search_has_limit(search) && bracket.over >= 0)
		return bisections(bracket.over - bracket.under) + missing(search, bracket.under) +
		       missing(search, bracket.over);
	if (search_has_limit(search)) {
		top = doublings_above(search, bracket.under < 0 ? 0 : (unsigned)bracket.under);
		return top / 2 + bisections((int)search->rule.n_loads / 8 + 2) + 2 * repeats;
	}
	if (search_idle(search, &at) < 2)
		return doublings_above(search, at < 0 ? 0 : (unsigned)at) / 2 + repeats;
	return missing(search, search_best(search));
}

unsigned search_left(const struct search *search)
{
	unsigned load, runs;

	if (!search_next(search, &load))
		return 0;
	runs = left(search);
	return runs ? runs : 1;
}
