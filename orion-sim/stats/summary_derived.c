/* SPDX-License-Identifier: MIT */
/* summary_derived.c - figures that workloads declare, found by name like any metric. */
#include <math.h>
#include <string.h>

#include "stats/result.h"
#include "stats/summary.h"

const struct result_derived *summary_derived_find(const struct result_stream *stream,
						  const char *name)
{
	for (unsigned i = 0; i < stream->n_derived; i++)
		if (strcmp(stream->derived[i].name, name) == 0)
			return &stream->derived[i];
	return NULL;
}

struct metric summary_derived_metric(const struct result_derived *derived)
{
	return (struct metric){.name = derived->name,
			       .unit = derived->unit,
			       .help = derived->help,
			       .higher_better = derived->higher_better};
}

bool summary_metric_of(const struct result_point *point, const char *name, struct metric *ret)
{
	const struct metric *fixed = summary_metric(name);

	if (fixed)
		*ret = *fixed;
	for (unsigned r = 0; !fixed && r < point->n_repeats; r++) {
		const struct result_repeat *repeat = &point->repeats[r];

		for (unsigned s = 0; s < repeat->n_streams; s++) {
			const struct result_derived *derived =
				summary_derived_find(&repeat->streams[s], name);

			if (!derived)
				continue;
			*ret = summary_derived_metric(derived);
			return true;
		}
	}
	return fixed || summary_counter_metric(point, name, ret);
}

double summary_derived_value(const struct metric *metric, const struct result_stream *stream,
			     const struct result_class *class)
{
	const struct result_derived *derived;

	if (!stream || class != stream->classes)
		return NAN;
	derived = summary_derived_find(stream, metric->name);
	return derived ? derived->value : NAN;
}
