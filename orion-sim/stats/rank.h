/* SPDX-License-Identifier: MIT */
/* rank.h - exact tests and order statistics by ranks: signed ranks of pairs, rank sums of two
 * sides. */
#ifndef ORION_STATS_RANK_H
#define ORION_STATS_RANK_H

#include <stdbool.h>
#include <stddef.h>

/* Ascending, in place; no NAN among them. */
void rank_sort(double *values, size_t n);

/* How far from 0 a standard normal value lies with this probability: 1.96 for 0.05. */
double rank_deviate(double p);

/*
 * Differences of pairs against no change: Wilcoxon's signed ranks. Zeros are left out before
 * ranking (Wilcoxon 1945), ties share their mean rank, and the distribution over all signs is
 * enumerated with these very ranks, so that p is exact with ties, too. Beyond RANK_EXACT_PAIRS
 * pairs it is the normal approximation with the variance of the ranks as they are and a continuity
 * correction.
 */
#define RANK_EXACT_PAIRS 200

/*
 * Two sides: the Mann-Whitney statistic, likewise enumerated over all ways to divide the mid-ranks;
 * beyond RANK_EXACT_SIDES values of both together the normal approximation with the correction for
 * ties and continuity.
 */
#define RANK_EXACT_SIDES 100

/* Two-sided p: twice the smaller tail, each with the value itself, at most 1. 1 where nothing
 * differs. NAN where n is 0. -ENOMEM. */
int rank_signed_p(const double *differences, size_t n, double *ret_p, bool *ret_exact);
int rank_sum_p(const double *base, size_t n_base, const double *other, size_t n_other,
	       double *ret_p, bool *ret_exact);

/*
 * Distribution-free interval: the k-th smallest and k-th largest of all Walsh averages (n (n + 1) /
 * 2 means of two differences, or of one with itself), or of all n_base n_other differences other -
 * base, k as large as leaves at least the confidence asked. 0: no such interval, n is too small.
 * -ENOMEM. From the distributions without ties, exact up to the sizes above.
 */
int rank_signed_order(size_t n, double confidence, size_t *ret_k);
int rank_sum_order(size_t n_base, size_t n_other, double confidence, size_t *ret_k);

/*
 * The k-th smallest (from 1) of the Walsh averages, or of all differences other - base; both inputs
 * sorted, finite, not changed. Nothing is allocated: the value is found by bisection over the
 * doubles themselves, at most 64 times counting along the staircase, each in O(n).
 */
double rank_walsh_select(const double *sorted, size_t n, size_t k);
double rank_difference_select(const double *base, size_t n_base, const double *other,
			      size_t n_other, size_t k);

/* Hodges-Lehmann: the median of these (mean of the middle two where their number is even). */
double rank_walsh_median(const double *sorted, size_t n);
double rank_difference_median(const double *base, size_t n_base, const double *other,
			      size_t n_other);

#endif
