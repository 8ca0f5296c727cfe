/* SPDX-License-Identifier: MIT */
/* functions.h - hot kernel functions of sampled repeats, side by side: which of them moved. */
#ifndef ORION_STATS_FUNCTIONS_H
#define ORION_STATS_FUNCTIONS_H

#include <stdbool.h>

struct result_sampling;

/* Smallest difference of shares that is worth a line, in percentage points. */
#define FUNCTIONS_LEAST_POINTS 0.2

struct function_share {
	char name[96];
	double samples;
};

/* What the sampled repeats of one side saw at one point, taken together. */
struct function_profile {
	unsigned side;
	char variant[64], point[128];
	double busy;  /* samples */
	double below; /* of them may be any function's that is not named */
	unsigned n;
	struct function_share *shares; /* owned */
};

struct function_profiles {
	unsigned n;
	struct function_profile *profiles; /* owned */
};

/* A function whose share of the busy samples is another than on side 0. */
struct function_move {
	unsigned side;
	char variant[64], point[128], name[96];
	double base_percent, other_percent;
	bool base_at_most, other_at_most; /* not named there: its share is that or less */
};

/* Adds a repeat to the profile of its side and point; one that saw nothing adds nothing. -ENOMEM.
 */
int functions_add(struct function_profiles *profiles, unsigned side, const char *variant,
		  const char *point, const struct result_sampling *sampling);
void functions_free(struct function_profiles *profiles);

/*
 * Moves of every point against the same one on side 0, the largest first: shares that differ by
 * more than FUNCTIONS_LEAST_POINTS and by four standard errors of the difference of two shares,
 * sqrt(p (1 - p) (1 / n1 + 1 / n2)). Owned by the caller. -ENOMEM.
 */
int functions_moves(const struct function_profiles *profiles, struct function_move **ret,
		    unsigned *ret_n);

#endif
