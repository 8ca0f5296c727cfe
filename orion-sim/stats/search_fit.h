/* SPDX-License-Identifier: MIT */
/* search_fit.h - a line through logarithms, and how well it is known. Pure. */
#ifndef ORION_STATS_SEARCH_FIT_H
#define ORION_STATS_SEARCH_FIT_H

/* y = intercept + slope (x - mean_x), least squares. */
struct search_fit {
	unsigned n;
	double mean_x, sum_xx, intercept, slope;
	double deviation; /* of a single y from the line; NAN below three points */
};

struct search_fit search_fit(const double *x, const double *y, unsigned n);

double search_fit_at(const struct search_fit *fit, double x);

/* Half the width of a 95 % interval for the median of so many other points at x. */
double search_fit_margin(const struct search_fit *fit, double x, unsigned others);

/* Student's t: 97.5 % of the distribution lie below it. INFINITY for 0 degrees. */
double search_t(unsigned degrees);

#endif
