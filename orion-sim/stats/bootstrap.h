/* SPDX-License-Identifier: MIT */
/* bootstrap.h - the ratio of two medians and how far resampling moves it. */
#ifndef ORION_STATS_BOOTSTRAP_H
#define ORION_STATS_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

struct bootstrap {
	double ratio;	  /* median of other over median of base */
	double low, high; /* percentile interval of the confidence asked */
};

/*
 * resamples draws with replacement of each side for itself, or of pairs (n_base == n_other, pair by
 * pair in the order given). The same seed gives the same interval. Values must be positive.
 * -ENOMEM.
 */
int bootstrap_sides(const double *base, size_t n_base, const double *other, size_t n_other,
		    unsigned resamples, double confidence, uint64_t seed, struct bootstrap *ret);
int bootstrap_pairs(const double *base, const double *other, size_t n, unsigned resamples,
		    double confidence, uint64_t seed, struct bootstrap *ret);

#endif
