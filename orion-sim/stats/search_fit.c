/* SPDX-License-Identifier: MIT */
/* search_fit.c - a line through logarithms, and how well it is known. */
#include "stats/search_fit.h"

#include <math.h>

double search_t(unsigned degrees)
{
	static const double table[] = {INFINITY, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
				       2.365,	 2.306,	 2.262, 2.228, 2.201, 2.179, 2.160,
				       2.145,	 2.131,	 2.120, 2.110, 2.101, 2.093, 2.086};
	double z = 1.959964;

	if (degrees < sizeof(table) / sizeof(table[0]))
		return table[degrees];
	/* Two terms of the expansion in 1 / degrees: right to four digits from 20 on. */
	return z + (z * z * z + z) / (4.0 * degrees) +
	       (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96.0 * degrees * degrees);
}

struct search_fit search_fit(const double *x, const double *y, unsigned n)
{
	struct search_fit fit = {.n = n, .deviation = NAN};
	double sum_xy = 0, squares = 0;

	for (unsigned i = 0; i < n; i++) {
		fit.mean_x += x[i] / n;
		fit.intercept += y[i] / n;
	}
	for (unsigned i = 0; i < n; i++) {
		fit.sum_xx += (x[i] - fit.mean_x) * (x[i] - fit.mean_x);
		sum_xy += (x[i] - fit.mean_x) * (y[i] - fit.intercept);
	}
	if (fit.sum_xx > 0)
		fit.slope = sum_xy / fit.sum_xx;
	for (unsigned i = 0; i < n; i++)
		squares += pow(y[i] - search_fit_at(&fit, x[i]), 2);
	if (n > 2)
		fit.deviation = sqrt(squares / (n - 2));
	return fit;
}

double search_fit_at(const struct search_fit *fit, double x)
{
	return fit->intercept + fit->slope * (x - fit->mean_x);
}

double search_fit_margin(const struct search_fit *fit, double x, unsigned others)
{
	double away = x - fit->mean_x;
	double share = 1.0 / fit->n + (fit->sum_xx > 0 ? away * away / fit->sum_xx : 0);

	if (fit->n < 3)
		return INFINITY;
	/* That of the line, and of a median: pi / 2 times the variance of a mean. */
	return search_t(fit->n - 2) * fit->deviation * sqrt(share + M_PI / 2 / others);
}
