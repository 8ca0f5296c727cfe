/* SPDX-License-Identifier: MIT */
/* golden.h - what golden.inc holds: samples and what full enumeration says of them. */
#ifndef ORION_TESTS_STATS_GOLDEN_H
#define ORION_TESTS_STATS_GOLDEN_H

#include <math.h>
#include <stddef.h>

/* DIFFERENCES of pairs are in other, SIDES are as they are; both OF_LOGS through compare_samples.
 */
enum golden_kind { GOLDEN_DIFFERENCES, GOLDEN_SIDES, GOLDEN_PAIRS_OF_LOGS, GOLDEN_SIDES_OF_LOGS };

struct golden {
	const char *name;
	enum golden_kind kind;
	size_t n_base, n_other;
	double base[40], other[40];
	double estimate, low, high, p; /* low and high NAN: no interval */
};

static const struct golden golden_cases[] = {
#include "golden.inc"
};
#define GOLDEN_CASES (sizeof(golden_cases) / sizeof(golden_cases[0]))

/* To 1e-9, or both not a number. */
static inline int golden_agrees(double value, double expected)
{
	return isnan(expected) ? isnan(value) : fabs(value - expected) <= 1e-9;
}

#endif
