/* SPDX-License-Identifier: MIT */
/* functions.c - hot kernel functions of sampled repeats, side by side: which of them moved. */
#include "stats/functions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/result.h"

#define STANDARD_ERRORS 4

static struct function_profile *profile_find(const struct function_profiles *profiles,
					     unsigned side, const char *variant, const char *point)
{
	for (unsigned i = 0; i < profiles->n; i++) {
		struct function_profile *profile = &profiles->profiles[i];

		if (profile->side == side && strcmp(profile->variant, variant) == 0 &&
		    strcmp(profile->point, point) == 0)
			return profile;
	}
	return NULL;
}

static struct function_profile *profile_reach(struct function_profiles *profiles, unsigned side,
					      const char *variant, const char *point)
{
	struct function_profile *profile = profile_find(profiles, side, variant, point);
	void *grown;

	if (profile)
		return profile;
	grown = reallocarray(profiles->profiles, profiles->n + 1, sizeof(*profile));
	if (!grown)
		return NULL;
	profiles->profiles = grown;
	profile = &profiles->profiles[profiles->n++];
	*profile = (struct function_profile){.side = side};
	snprintf(profile->variant, sizeof(profile->variant), "%s", variant);
	snprintf(profile->point, sizeof(profile->point), "%s", point);
	return profile;
}

static struct function_share *share_find(const struct function_profile *profile, const char *name)
{
	for (unsigned i = 0; i < profile->n; i++)
		if (strcmp(profile->shares[i].name, name) == 0)
			return &profile->shares[i];
	return NULL;
}

static int share_add(struct function_profile *profile, const char *name, double samples)
{
	struct function_share *share = share_find(profile, name), *grown;

	if (!share) {
		grown = reallocarray(profile->shares, profile->n + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		profile->shares = grown;
		share = &grown[profile->n++];
		*share = (struct function_share){.samples = 0};
		snprintf(share->name, sizeof(share->name), "%s", name);
	}
	share->samples += samples;
	return 0;
}

int functions_add(struct function_profiles *profiles, unsigned side, const char *variant,
		  const char *point, const struct result_sampling *sampling)
{
	double busy = (double)(sampling->kernel + sampling->unresolved + sampling->user);
	struct function_profile *profile;

	if (busy == 0)
		return 0;
	profile = profile_reach(profiles, side, variant, point);
	if (!profile)
		return -ENOMEM;
	profile->busy += busy;
	if (sampling->n_functions)
		profile->below +=
			busy * sampling->functions[sampling->n_functions - 1].percent / 100;
	for (unsigned i = 0; i < sampling->n_functions; i++) {
		const struct result_function *function = &sampling->functions[i];

		if (share_add(profile, function->name, busy * function->percent / 100) < 0)
			return -ENOMEM;
	}
	return 0;
}

void functions_free(struct function_profiles *profiles)
{
	for (unsigned i = 0; i < profiles->n; i++)
		free(profiles->profiles[i].shares);
	free(profiles->profiles);
	*profiles = (struct function_profiles){.n = 0};
}

/* The list of moves that is made. */
struct moves {
	unsigned n;
	struct function_move *list;
};

static double percent_of(const struct function_profile *profile, const struct function_share *share)
{
	return 100 * (share ? share->samples : profile->below) / profile->busy;
}

static bool has_moved(const struct function_move *move, const struct function_profile *base,
		      const struct function_profile *other)
{
	double difference = move->other_percent - move->base_percent;
	double pooled = (move->base_percent * base->busy + move->other_percent * other->busy) /
			(100 * (base->busy + other->busy));
	double deviation = 100 * sqrt(pooled * (1 - pooled) * (1 / base->busy + 1 / other->busy));

	/* A share that is not known may lie anywhere below what is said of it. */
	if ((move->base_at_most && difference < 0) || (move->other_at_most && difference > 0))
		return false;
	return fabs(difference) >= FUNCTIONS_LEAST_POINTS &&
	       fabs(difference) > STANDARD_ERRORS * deviation;
}

static int moves_add(struct moves *moves, const struct function_profile *base,
		     const struct function_profile *other, const char *name)
{
	const struct function_share *in_base = share_find(base, name);
	const struct function_share *in_other = share_find(other, name);
	struct function_move move = {.side = other->side,
				     .base_percent = percent_of(base, in_base),
				     .other_percent = percent_of(other, in_other),
				     .base_at_most = !in_base,
				     .other_at_most = !in_other};
	void *grown;

	if (!has_moved(&move, base, other))
		return 0;
	memcpy(move.variant, other->variant, sizeof(move.variant));
	memcpy(move.point, other->point, sizeof(move.point));
	snprintf(move.name, sizeof(move.name), "%s", name);
	grown = reallocarray(moves->list, moves->n + 1, sizeof(move));
	if (!grown)
		return -ENOMEM;
	moves->list = grown;
	moves->list[moves->n++] = move;
	return 0;
}

static int compare_moves(const void *a, const void *b)
{
	const struct function_move *left = a, *right = b;
	double one = fabs(left->other_percent - left->base_percent);
	double two = fabs(right->other_percent - right->base_percent);

	return one != two ? (one < two) - (one > two) : strcmp(left->name, right->name);
}

static int moves_add_profile(struct moves *moves, const struct function_profile *base,
			     const struct function_profile *other)
{
	unsigned before = moves->n;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < other->n; i++)
		rc = moves_add(moves, base, other, other->shares[i].name);
	for (unsigned i = 0; rc == 0 && i < base->n; i++)
		if (!share_find(other, base->shares[i].name))
			rc = moves_add(moves, base, other, base->shares[i].name);
	if (moves->n > before)
		qsort(moves->list + before, moves->n - before, sizeof(*moves->list), compare_moves);
	return rc;
}

int functions_moves(const struct function_profiles *profiles, struct function_move **ret,
		    unsigned *ret_n)
{
	struct moves moves = {.n = 0};
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < profiles->n; i++) {
		const struct function_profile *other = &profiles->profiles[i];
		const struct function_profile *base =
			profile_find(profiles, 0, other->variant, other->point);

		if (other->side > 0 && base)
			rc = moves_add_profile(&moves, base, other);
	}
	if (rc < 0) {
		free(moves.list);
		return rc;
	}
	*ret = moves.list;
	*ret_n = moves.n;
	return 0;
}
