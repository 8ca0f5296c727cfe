/* SPDX-License-Identifier: MIT */
/* judge.c - a point of a result is as good as its repeats. */
#include "run/judge.h"

#include <stdio.h>

#include "plan/plan.h"
#include "stats/result.h"

void judge_repeat(struct result_point *point, const struct result_repeat *repeat)
{
	if (repeat->sampled || repeat->status == RESULT_OK || point->status != RESULT_OK)
		return;
	point->status = repeat->status;
	snprintf(point->reason, sizeof(point->reason), "%s", repeat->reason);
}

void judge_unfinished(const struct plan *plan, struct result *result)
{
	for (unsigned v = 0; v < plan->n_variants; v++) {
		for (unsigned p = 0; p < plan->variants[v].n_points; p++) {
			struct result_point *point = &result->variants[v].points[p];
			unsigned planned = plan->variants[v].points[p].repeats;

			if (point->status != RESULT_OK || point->n_repeats >= planned)
				continue;
			point->status = RESULT_INTERRUPTED;
			snprintf(point->reason, sizeof(point->reason),
				 "the run ended before this: %u of %u repeats done",
				 point->n_repeats, planned);
		}
	}
}
