/* SPDX-License-Identifier: MIT */
/* search_grid.c - the loads that a search may ask for. */
#include "stats/search.h"

unsigned search_grid(unsigned unit, unsigned max, unsigned *ret, unsigned room)
{
	unsigned n = 0, load = 1;

	if (unit == 0)
		unit = 1;
	if (max > unit)
		max -= max % unit;
	while (load < max && n + 1 < room) {
		unsigned step = (unsigned)(load * 0.03);

		ret[n++] = load;
		load += step ? step : 1;
		if (load > unit)
			load = (load + unit - 1) / unit * unit;
	}
	ret[n++] = max;
	return n;
}
