/* SPDX-License-Identifier: MIT */
/* search_answer.c - what a search has found, and how sure that is. */
#include <math.h>

#include "stats/search_fit.h"
#include "stats/search_parts.h"

/*
 * Loads so near the answer count for its interval (ratio): latencies bend near the knee, rates
 * hardly do.
 */
#define VALUES_WINDOW 1.25
#define RATES_WINDOW  1.6

#define SAMPLES_MAX 1024

/* Every run of the loads near one, as logarithms. */
struct near {
	unsigned n;
	double loads[SAMPLES_MAX], values[SAMPLES_MAX], rates[SAMPLES_MAX];
};

static void near_add(const struct search *search, unsigned i, struct near *near)
{
	const struct search_load *at = &search->loads[i];

	for (unsigned k = 0; k < at->n && near->n < SAMPLES_MAX; k++) {
		near->loads[near->n] = log(search->rule.loads[i]);
		near->values[near->n] = log(at->values[k]);
		near->rates[near->n++] = log(at->rates[k]);
	}
}

static void near_collect(const struct search *search, unsigned load, double window,
			 struct near *near)
{
	double center = search->rule.loads[load];

	near->n = 0;
	for (unsigned i = 0; i < search->rule.n_loads; i++)
		if (search->rule.loads[i] >= center / window &&
		    search->rule.loads[i] <= center * window)
			near_add(search, i, near);
}

static struct search_interval around(double value, double log_margin)
{
	return (struct search_interval){value / exp(log_margin), value * exp(log_margin)};
}

static void widen(struct search_interval *interval, double value)
{
	interval->low = fmin(interval->low, value);
	interval->high = fmax(interval->high, value);
}

/* From the runs of one load alone, with the noise of all. */
static struct search_interval interval_of(const double *values, unsigned n, double median,
					  double least)
{
	double x[SEARCH_REPEATS_MAX] = {0}, y[SEARCH_REPEATS_MAX] = {0};
	struct search_fit fit;
	double margin;

	for (unsigned k = 0; k < n; k++)
		y[k] = log(values[k]);
	fit = search_fit(x, y, n);
	fit.deviation = fmax(fit.deviation, least);
	margin = n < 3 ? 2 * NOISE_PRESET : search_t(n - 1) * fit.deviation * sqrt(2.0 / n);
	return around(median, margin);
}

struct search_interval search_value_interval(const struct search *search, unsigned load)
{
	const struct search_load *at = &search->loads[load];

	return interval_of(at->values, at->n, search_value(search, load), NOISE_MIN);
}

static double load_at_most(const struct search *search, double most)
{
	unsigned i = 0;

	while (i + 1 < search->rule.n_loads && search->rule.loads[i + 1] <= most)
		i++;
	return search->rule.loads[i];
}

/* Where a line through the values near the answer meets the limit, and how well that is known. */
static void answer_loads(const struct search *search, const struct near *near,
			 struct search_answer *answer)
{
	struct search_fit values = search_fit(near->loads, near->values, near->n);
	double own = search->rule.loads[answer->load], cross, margin;

	answer->loads = (struct search_interval){own, own};
	if (near->n < 4 || !(values.slope > 0.05)) {
		if (answer->over >= 0)
			widen(&answer->loads, search->rule.loads[answer->over]);
		return;
	}
	cross = values.mean_x + (log(search->rule.limit) - values.intercept) / values.slope;
	/* A line is no guide far from the points that it goes through. */
	cross = fmin(fmax(cross, log(own / VALUES_WINDOW)), log(own * VALUES_WINDOW));
	margin = fmin(search_fit_margin(&values, cross, search->rule.repeats) / values.slope,
		      log(VALUES_WINDOW));
	answer->loads = around(exp(cross), margin);
	/* An answer is a load of the grid, and the one below. */
	answer->loads.low = load_at_most(search, answer->loads.low);
	widen(&answer->loads, own);
}

/* Another search might end at any load that is too near the limit to tell. */
static void answer_close(const struct search *search, struct search_answer *answer)
{
	for (unsigned i = 0; i < search->rule.n_loads; i++) {
		if (!search_is_close(search, i))
			continue;
		widen(&answer->loads, search->rule.loads[i]);
		widen(&answer->rates, search_rate(search, i));
	}
}

static double clamp(double value, double low, double high)
{
	return fmin(fmax(value, low), high);
}

/* What the rate is like at both ends of the interval of loads, as far as any were measured. */
static void answer_rates(const struct search *search, const struct near *near,
			 struct search_answer *answer)
{
	struct search_fit rates = search_fit(near->loads, near->rates, near->n);
	double ends[] = {log(answer->loads.low), log(answer->loads.high)};

	if (near->n < 4)
		return;
	for (unsigned i = 0; i < 2; i++) {
		double x = clamp(ends[i], near->loads[0], near->loads[near->n - 1]);
		struct search_interval end =
			around(exp(search_fit_at(&rates, x)),
			       search_fit_margin(&rates, x, search->rule.repeats));

		widen(&answer->rates, end.low);
		widen(&answer->rates, end.high);
	}
}

static void answer_at(const struct search *search, unsigned load, struct search_answer *answer)
{
	const struct search_load *at = &search->loads[load];
	double own = search->rule.loads[load];
	struct near near;

	answer->has_load = true;
	answer->load = load;
	answer->value = search_value(search, load);
	answer->rate = search_rate(search, load);
	answer->values = search_value_interval(search, load);
	answer->rates = interval_of(at->rates, at->n, answer->rate, 0.001);
	answer->loads = (struct search_interval){own, own};
	if (!search_has_limit(search) || answer->outcome != SEARCH_FOUND)
		return;
	near_collect(search, load, VALUES_WINDOW, &near);
	answer_loads(search, &near, answer);
	answer_close(search, answer);
	near_collect(search, load, RATES_WINDOW, &near);
	answer_rates(search, &near, answer);
}

static int under_again(const struct search *search, int over)
{
	for (unsigned i = (unsigned)over + 1; over >= 0 && i < search->rule.n_loads; i++)
		if (search_is_measured(search, i) && !search_is_over(search, i))
			return (int)i;
	return -1;
}

static enum search_outcome outcome_of(const struct search *search, const struct bracket *bracket)
{
	unsigned next, last = search->rule.n_loads - 1;
	int top;

	if (search_next(search, &next))
		return SEARCH_UNSETTLED;
	if (!search_has_limit(search))
		return search_idle(search, &top) == 0 && (unsigned)top == last ? SEARCH_UNREACHED
									       : SEARCH_FOUND;
	if (bracket->over == 0)
		return SEARCH_UNMET;
	return bracket->over < 0 ? SEARCH_UNREACHED : SEARCH_FOUND;
}

void search_answer(const struct search *search, struct search_answer *ret)
{
	struct bracket bracket = search_bracket(search);
	int best = search_has_limit(search) ? bracket.under : search_best(search);

	*ret = (struct search_answer){.outcome = outcome_of(search, &bracket),
				      .over = bracket.over};
	ret->again = under_again(search, bracket.over);
	for (unsigned i = 0; i < search->rule.n_loads; i++) {
		ret->n_loads += search_is_measured(search, i);
		ret->runs += search->loads[i].n;
	}
	if (best >= 0)
		answer_at(search, (unsigned)best, ret);
}
