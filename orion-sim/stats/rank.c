/* SPDX-License-Identifier: MIT */
/* rank.c - exact tests and order statistics by ranks: signed ranks of pairs, rank sums of two
 * sides. */
#include "stats/rank.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static int compare_doubles(const void *a, const void *b)
{
	double one = *(const double *)a, two = *(const double *)b;

	return (one > two) - (one < two);
}

void rank_sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_doubles);
}

double rank_deviate(double p)
{
	double low = 0, high = 40; /* a double knows no probability beyond */

	for (int i = 0; i < 64; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle * M_SQRT1_2) > p)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* A value to be ranked; chosen: a positive difference, or one of the side that is summed. */
struct place {
	double value;
	bool chosen;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *one = a, *two = b;

	return compare_doubles(&one->value, &two->value);
}

/* Mid-ranks in ascending order, in halves where there are ties, so that they are whole. */
struct ranking {
	size_t n;
	uint32_t *ranks;      /* owned */
	double unit;	      /* of a rank: 1 or 0.5 */
	uint64_t sum, chosen; /* of all ranks, and of those chosen */
	double ties;	      /* sum of t^3 - t over the groups of t equal values */
};

static void ranking_free(struct ranking *ranking)
{
	free(ranking->ranks);
}

/* Twice the mean rank of every group of equal values: that of its first and of its last place. */
static void rank_groups(struct ranking *ranking, const struct place *sorted)
{
	for (size_t first = 0, next; first < ranking->n; first = next) {
		double equal;

		for (next = first + 1;
		     next < ranking->n && sorted[next].value <= sorted[first].value;)
			next++;
		equal = (double)(next - first);
		ranking->ties += equal * equal * equal - equal;
		for (size_t i = first; i < next; i++)
			ranking->ranks[i] = (uint32_t)(first + 1 + next);
	}
}

/* Ranks places, which are sorted by it. */
static int ranking_make(struct place *places, size_t n, struct ranking *ret)
{
	struct ranking ranking = {.n = n, .unit = 0.5};

	ranking.ranks = calloc(n + 1, sizeof(*ranking.ranks));
	if (!ranking.ranks)
		return -ENOMEM;
	qsort(places, n, sizeof(*places), compare_places);
	rank_groups(&ranking, places);
	if (ranking.ties <= 0)
		ranking.unit = 1;
	for (size_t i = 0; i < n; i++) {
		if (ranking.ties <= 0)
			ranking.ranks[i] /= 2;
		ranking.sum += ranking.ranks[i];
		ranking.chosen += places[i].chosen ? ranking.ranks[i] : 0;
	}
	*ret = ranking;
	return 0;
}

/* The ranks 1 to n, which is what they are without ties. */
static int ranking_plain(size_t n, struct ranking *ret)
{
	struct ranking ranking = {.n = n, .unit = 1, .sum = (uint64_t)n * (n + 1) / 2};

	ranking.ranks = calloc(n + 1, sizeof(*ranking.ranks));
	if (!ranking.ranks)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		ranking.ranks[i] = (uint32_t)i + 1;
	*ret = ranking;
	return 0;
}

/*
 * Of the 2^n ways to choose some of the ranks, how many have each sum: ret_ways[0 .. sum], owned by
 * the caller. Only additions of positive numbers, so that doubles keep every tail to the last few
 * bits.
 */
static int signed_ways(const struct ranking *ranking, double **ret_ways)
{
	double *ways = calloc(ranking->sum + 1, sizeof(*ways));
	uint64_t top = 0;

	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (size_t i = 0; i < ranking->n; i++) {
		double *with = ways + ranking->ranks[i];

		for (uint64_t sum = top + 1; sum-- > 0;)
			with[sum] += ways[sum];
		top += ranking->ranks[i];
	}
	*ret_ways = ways;
	return 0;
}

/* Sum of the n ranks from first on. */
static uint64_t ranks_sum(const uint32_t *first, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += first[i];
	return sum;
}

/*
 * Of the ways to choose m of the ranks, how many have each sum: ret_ways[0 .. top], top being the
 * sum of the m greatest. A row for every count up to m; count of the first i ranks sum up to no
 * less than the count first of them and no more than the last.
 */
static int sum_ways(const struct ranking *ranking, size_t m, double **ret_ways, uint64_t *ret_top)
{
	const uint32_t *ranks = ranking->ranks;
	size_t n = ranking->n;
	uint64_t width = ranks_sum(ranks + n - m, m) + 1;
	CLEANUP(cleanup_free) double *rows = calloc((m + 1) * width, sizeof(*rows));
	double *ways = malloc(width * sizeof(*ways));

	if (!rows || !ways) {
		free(ways);
		return -ENOMEM;
	}
	rows[0] = 1;
	for (size_t i = 0; i < n; i++) {
		size_t fewest = m > n - i ? m - (n - i) : 0; /* that the rest can still fill up */

		for (size_t count = i < m ? i + 1 : m; count-- > fewest;) {
			const double *from = rows + count * width;
			double *to = rows + (count + 1) * width + ranks[i];
			uint64_t high = ranks_sum(ranks + i - count, count);

			for (uint64_t sum = ranks_sum(ranks, count); sum <= high; sum++)
				to[sum] += from[sum];
		}
	}
	memcpy(ways, rows + m * width, width * sizeof(*ways));
	*ret_ways = ways;
	*ret_top = width - 1;
	return 0;
}

/* Two-sided p of a statistic, its mean and variance in ranks, by the normal distribution. */
static double normal_p(double statistic, double mean, double variance)
{
	double distance = fabs(statistic - mean) - 0.5;

	return distance > 0 && variance > 0 ? erfc(distance / sqrt(2 * variance)) : 1;
}

static double signed_normal_p(const struct ranking *ranking)
{
	double squares = 0, unit = ranking->unit;

	for (size_t i = 0; i < ranking->n; i++)
		squares += (double)ranking->ranks[i] * ranking->ranks[i];
	return normal_p((double)ranking->chosen * unit, (double)ranking->sum * unit / 2,
			squares * unit * unit / 4);
}

static int signed_exact_p(const struct ranking *ranking, double *ret_p)
{
	uint64_t other = ranking->sum - ranking->chosen;
	uint64_t smaller = ranking->chosen < other ? ranking->chosen : other;
	CLEANUP(cleanup_free) double *ways = NULL;
	double tail = 0;
	int ret = signed_ways(ranking, &ways);

	if (ret < 0)
		return ret;
	for (uint64_t sum = 0; sum <= smaller; sum++)
		tail += ways[sum];
	*ret_p = fmin(1, ldexp(tail, 1 - (int)ranking->n));
	return 0;
}

int rank_signed_p(const double *differences, size_t n, double *ret_p, bool *ret_exact)
{
	CLEANUP(cleanup_free) struct place *places = calloc(n + 1, sizeof(*places));
	CLEANUP(ranking_free) struct ranking ranking = {0};
	size_t n_places = 0;
	double p = n > 0 ? 1 : NAN;
	bool exact;
	int ret;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (fabs(differences[i]) > 0)
			places[n_places++] =
				(struct place){fabs(differences[i]), differences[i] > 0};
	ret = ranking_make(places, n_places, &ranking);
	if (ret < 0)
		return ret;
	exact = n_places <= RANK_EXACT_PAIRS;
	if (n_places > 0 && exact)
		ret = signed_exact_p(&ranking, &p);
	else if (n_places > 0)
		p = signed_normal_p(&ranking);
	if (ret < 0)
		return ret;
	*ret_p = p;
	*ret_exact = exact;
	return 0;
}

/* m of the ranks are chosen. */
static double sum_normal_p(const struct ranking *ranking, size_t m)
{
	double n = (double)ranking->n, one = (double)m, other = n - one;
	double variance = one * other / 12 * (n + 1 - ranking->ties / (n * (n - 1)));

	return normal_p((double)ranking->chosen * ranking->unit, one * (n + 1) / 2, variance);
}

static int sum_exact_p(const struct ranking *ranking, size_t m, double *ret_p)
{
	CLEANUP(cleanup_free) double *ways = NULL;
	double below = 0, above = 0;
	uint64_t top = 0;
	int ret = sum_ways(ranking, m, &ways, &top);

	if (ret < 0)
		return ret;
	for (uint64_t sum = 0; sum <= ranking->chosen; sum++)
		below += ways[sum];
	for (uint64_t sum = top; sum > ranking->chosen; sum--)
		above += ways[sum];
	*ret_p = below + above; /* all the ways there are */
	above += ways[ranking->chosen];
	*ret_p = fmin(1, 2 * fmin(below, above) / *ret_p);
	return 0;
}

int rank_sum_p(const double *base, size_t n_base, const double *other, size_t n_other,
	       double *ret_p, bool *ret_exact)
{
	size_t n = n_base + n_other, m = n_base < n_other ? n_base : n_other;
	CLEANUP(cleanup_free) struct place *places = calloc(n + 1, sizeof(*places));
	CLEANUP(ranking_free) struct ranking ranking = {0};
	double p = NAN;
	int ret;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < n_base; i++)
		places[i] = (struct place){base[i], m == n_base};
	for (size_t i = 0; i < n_other; i++)
		places[n_base + i] = (struct place){other[i], m != n_base};
	ret = ranking_make(places, n, &ranking);
	if (ret < 0)
		return ret;
	if (m > 0 && n <= RANK_EXACT_SIDES)
		ret = sum_exact_p(&ranking, m, &p);
	else if (m > 0)
		p = sum_normal_p(&ranking, m);
	if (ret < 0)
		return ret;
	*ret_p = p;
	*ret_exact = n <= RANK_EXACT_SIDES;
	return 0;
}

/* How many values from the lower end have together, twice, at most the share left of all ways. */
static size_t tail_length(const double *ways, size_t n, double confidence)
{
	double all = 0, tail = 0, limit;
	size_t length = 0;

	for (size_t i = 0; i < n; i++)
		all += ways[i];
	limit = all * (1 - confidence) * (1 + 1e-12); /* 1 - 0.95 is not 0.05 to the last bit */
	for (; length < n; length++) {
		tail += ways[length];
		if (2 * tail > limit)
			break;
	}
	return length;
}

/* The same by the normal distribution with a continuity correction. */
static size_t tail_length_normal(double mean, double variance, double confidence)
{
	double length = floor(mean + 0.5 - rank_deviate(1 - confidence) * sqrt(variance));

	return length > 0 ? (size_t)length : 0;
}

int rank_signed_order(size_t n, double confidence, size_t *ret_k)
{
	CLEANUP(ranking_free) struct ranking ranking = {0};
	CLEANUP(cleanup_free) double *ways = NULL;
	double pairs = (double)n;
	int ret;

	if (n > RANK_EXACT_PAIRS) {
		double averages = pairs * (pairs + 1) / 2;

		*ret_k = tail_length_normal(averages / 2, averages * (2 * pairs + 1) / 12,
					    confidence);
		return 0;
	}
	ret = ranking_plain(n, &ranking);
	if (ret == 0)
		ret = signed_ways(&ranking, &ways);
	if (ret < 0)
		return ret;
	*ret_k = n > 0 ? tail_length(ways, ranking.sum + 1, confidence) : 0;
	return 0;
}

int rank_sum_order(size_t n_base, size_t n_other, double confidence, size_t *ret_k)
{
	size_t n = n_base + n_other, m = n_base < n_other ? n_base : n_other;
	CLEANUP(ranking_free) struct ranking ranking = {0};
	CLEANUP(cleanup_free) double *ways = NULL;
	uint64_t top = 0, bottom = (uint64_t)m * (m + 1) / 2;
	int ret;

	if (n > RANK_EXACT_SIDES) {
		double differences = (double)n_base * (double)n_other;

		*ret_k = tail_length_normal(differences / 2, differences * (double)(n + 1) / 12,
					    confidence);
		return 0;
	}
	ret = ranking_plain(n, &ranking);
	if (ret == 0)
		ret = sum_ways(&ranking, m, &ways, &top);
	if (ret < 0)
		return ret;
	*ret_k = m > 0 ? tail_length(ways + bottom, top - bottom + 1, confidence) : 0;
	return 0;
}
