/* SPDX-License-Identifier: MIT */
/* fit.c - regions that are to take a share of memory get their size. */
#include "plan/fit.h"

#include <stdbool.h>

#include "base/error.h"
#include "base/units.h"
#include "plan/effective.h"
#include "plan/plan.h"

#define SIZE_MIN_BYTES 4096

static uint64_t share_bytes(uint64_t available_bytes, uint64_t percent)
{
	uint64_t share = available_bytes / 100 * percent;

	return share ? UINT64_C(1) << (63 - __builtin_clzll(share)) : 0;
}

static int region_fit(struct plan_region *region, uint64_t available_bytes, struct error *error)
{
	uint64_t size_bytes = share_bytes(available_bytes, region->size_percent);
	char available[32];

	if (size_bytes < SIZE_MIN_BYTES)
		return error_set(error, ERROR_CANNOT,
				 "region %s is to take %llu %% of %s of available memory, which is "
				 "less than a page; give its size",
				 region->name, (unsigned long long)region->size_percent,
				 units_format_amount(available_bytes, available));
	region->size_bytes = size_bytes;
	region->size_percent = 0;
	return 0;
}

static int point_fit(struct plan_point *point, uint64_t available_bytes, struct error *error)
{
	bool fitted = false;

	for (unsigned r = 0; r < point->n_regions; r++) {
		struct plan_region *region = &point->regions[r];
		int status = region->size_percent ? region_fit(region, available_bytes, error) : 1;

		if (status < 0)
			return status;
		fitted = fitted || status == 0;
	}
	if (!fitted)
		return 0;
	cJSON_Delete(point->effective);
	point->effective = effective_point(point);
	return point->effective ? 0 : error_set(error, -ENOMEM, "no memory for a point");
}

int plan_fit(struct plan *plan, uint64_t available_bytes, struct error *error)
{
	for (unsigned v = 0; v < plan->n_variants; v++) {
		for (unsigned p = 0; p < plan->variants[v].n_points; p++) {
			int status =
				point_fit(&plan->variants[v].points[p], available_bytes, error);

			if (status < 0)
				return status;
		}
	}
	return 0;
}
