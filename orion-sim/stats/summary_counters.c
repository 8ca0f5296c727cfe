/* SPDX-License-Identifier: MIT */
/* summary_counters.c - counters of the kernel as metrics, found by their own names. */
#include <math.h>
#include <string.h>

#include "stats/result.h"
#include "stats/summary.h"

static const struct result_counter *repeat_counter(const struct result_repeat *repeat,
						   const char *name)
{
	for (unsigned i = 0; i < repeat->n_counters; i++)
		if (strcmp(repeat->counters[i].name, name) == 0)
			return &repeat->counters[i];
	return NULL;
}

bool summary_counter_metric(const struct result_point *point, const char *name, struct metric *ret)
{
	for (unsigned r = 0; r < point->n_repeats; r++) {
		const struct result_counter *counter = repeat_counter(&point->repeats[r], name);

		if (!counter)
			continue;
		*ret = (struct metric){.name = counter->name,
				       .unit = SUMMARY_COUNTER_UNIT,
				       .help = "what this counter of the kernel grew by, on the "
					       "whole machine"};
		return true;
	}
	return false;
}

double summary_counter_value(const struct metric *metric, const struct result_repeat *repeat,
			     const struct result_stream *stream, const struct result_class *class)
{
	const struct result_counter *counter;

	if (!repeat->counted || stream != repeat->streams || !stream || class != stream->classes)
		return NAN;
	counter = repeat_counter(repeat, metric->name);
	return counter ? (double)counter->delta : 0;
}
