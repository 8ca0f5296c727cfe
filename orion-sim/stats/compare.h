/* SPDX-License-Identifier: MIT */
/* compare.h - two samples of one metric: the change, its interval, the verdict. */
#ifndef ORION_STATS_COMPARE_H
#define ORION_STATS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPARE_ALPHA	  0.05
#define COMPARE_THRESHOLD 0.02
#define COMPARE_RESAMPLES 10000

enum compare_verdict {
	COMPARE_SAME,	      /* the whole interval lies within the threshold */
	COMPARE_IMPROVED,     /* the interval excludes zero, the change is beyond the threshold, and
				 the adjusted p is at most alpha */
	COMPARE_REGRESSED,    /* the same in the other direction */
	COMPARE_SMALL,	      /* real but small: the interval excludes zero, the change is within */
	COMPARE_INCONCLUSIVE, /* none of these */
	COMPARE_NOTHING, /* no numbers: too few values, or such that have no ratio; see reason */
	COMPARE_VERDICTS
};

/* "same", "improved", "regressed", "real but small", "inconclusive", "not compared" */
const char *compare_verdict_name(enum compare_verdict verdict);

struct compare_options {
	double alpha;	  /* 1 - alpha is the confidence of every interval */
	double threshold; /* smallest change that matters, as a fraction: 0.02 */
	bool higher_better;
	bool paired;	    /* values of both sides belong together in the order given */
	unsigned resamples; /* of the bootstrap; 0: left out */
	uint64_t seed;	    /* of the bootstrap */
};

/* One side: where its values lie and how far they spread, on logs where they are all positive. */
struct compare_side {
	size_t n;
	double median;
	double spread_percent; /* 1.4826 x the median distance from the median, on logs */
	unsigned n_outliers;   /* as compare_outliers() says */
};

struct compare_numbers {
	struct compare_side base, other;
	bool paired, exact; /* exact: p is, see rank.h */
	double change; /* Hodges-Lehmann on log(other / base); exp() of it less 1 is the change */
	double low, high; /* its distribution-free interval; NAN where n is too small for one */
	double p, p_holm; /* two-sided; p_holm is p until compare_holm */
	double ratio, ratio_low,
		ratio_high; /* of medians, with the bootstrap interval; NAN where left out */
	/*
	 * From s, the robust standard deviation of the logs (of the pairs' log ratios; MAD
	 * x 1.4826, or the plain one where more than half are equal), and the efficiency 0.955 of
	 * ranks: the change that a run like this one would have detected with 80 % probability, and
	 * the pairs or values a side that it takes to detect the threshold: (1.96 + 0.84)^2 (s /
	 * d)^2 / 0.955, twice that without pairs. visible is NAN and needed 0 where s is not known
	 * (n < 2). needed is never less than an interval needs, and 0 where the threshold is 0.
	 */
	double visible;
	unsigned needed;
	enum compare_verdict verdict; /* before compare_holm with p as it is */
	char reason[160];	      /* why nothing could be compared */
};

/*
 * True for those whose modified z is beyond 3.5: 0.6745 |x - median| / MAD, on logs; where more
 * than half are equal |x - median| / 1.2533 over the mean distance from the median. flags holds n.
 * Values must be positive. -ENOMEM.
 */
int compare_outliers(const double *values, size_t n, bool *flags);

/*
 * Compares two samples. Not finite, none, zero or negative where the other side differs: verdict
 * COMPARE_NOTHING with the reason; all values of both sides equal (zeros, too): COMPARE_SAME,
 * change 0. Fewer values than an interval of that confidence needs (6 pairs; 4 a side), equal or
 * not: no interval, and COMPARE_INCONCLUSIVE. paired with unequal numbers is a programmer's
 * mistake. -ENOMEM.
 */
int compare_samples(const double *base, size_t n_base, const double *other, size_t n_other,
		    const struct compare_options *options, struct compare_numbers *ret);

/*
 * Holm's step-down over a family: sets p_holm and judges each again. options[i] belongs to
 * family[i]. Members that were not compared are left out of the count. -ENOMEM.
 */
int compare_holm(struct compare_numbers *const *family, const struct compare_options *options,
		 size_t n);

/* Smallest p that n pairs, or n values a side, can reach; 1 for none. */
double compare_smallest_p(size_t n_base, size_t n_other, bool paired);

/* Slope of a straight line through log(values) in their order, times the way: the drift over the
 * session as a fraction (exp() of it less 1). Values must be positive; 0 for fewer than 3. */
double compare_drift(const double *values, size_t n);

#endif
