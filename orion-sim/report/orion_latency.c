/* SPDX-License-Identifier: MIT */
/* orion_latency.c - latencies of a load, and histograms that double, as Orion shows them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/orion.h"
#include "stats/histogram.h"
#include "stats/result.h"

/* As the last line of a histogram says: 2^28. */
#define LAST_US UINT64_C(268435456)

static unsigned octave_of(double us)
{
	unsigned octave = 0;

	while (octave < ORION_OCTAVES - 1 && us >= ldexp(ORION_FIRST_OCTAVE_US, (int)octave))
		octave++;
	return octave;
}

/* From the cells, which are 0.4 % wide: each value counts as the middle of its own. */
static void latency_spread(const struct histogram *histogram, struct orion_latency *ret)
{
	double mean_ns = histogram_mean_ns(histogram), sum = 0;

	for (uint32_t cell = 0; cell < HISTOGRAM_CELLS; cell++) {
		uint64_t n = histogram->cells[cell];
		double middle_ns;

		if (n == 0)
			continue;
		middle_ns = (double)histogram_cell_low_ns(cell) +
			    (double)(histogram_cell_width_ns(cell) - 1) / 2;
		sum += (double)n * (middle_ns - mean_ns) * (middle_ns - mean_ns);
		ret->octaves[octave_of(middle_ns / 1e3)] += n;
	}
	ret->octaves[ORION_OCTAVES - 1] += histogram->overflow;
	ret->sd_us = sqrt(sum / (double)histogram->count) / 1e3;
}

static const struct result_class *class_of(const struct result_repeat *repeat, const char *stream)
{
	for (unsigned s = 0; result_repeat_counts(repeat) && s < repeat->n_streams; s++)
		if (strcmp(repeat->streams[s].label, stream) == 0 &&
		    repeat->streams[s].n_classes > 0)
			return &repeat->streams[s].classes[0];
	return NULL;
}

static void latency_add(const struct result_class *class, struct orion_latency *ret)
{
	double min_us = (double)class->min_ns / 1e3, max_us = (double)class->max_ns / 1e3;

	if (ret->n == 0 || min_us < ret->min_us)
		ret->min_us = min_us;
	ret->max_us = fmax(ret->max_us, max_us);
	ret->n += class->tally.ops;
	ret->avg_us += (double)class->tally.ops * class->mean_ns / 1e3;
}

bool orion_latency_of(const struct orion_cell *cell, const char *stream, struct orion_latency *ret)
{
	struct histogram *merged = calloc(1, sizeof(*merged));
	struct orion_latency latency = {.sd_us = NAN};

	if (!merged)
		return false;
	histogram_reset(merged);
	for (unsigned r = 0; r < cell->point->n_repeats; r++) {
		const struct result_class *class = class_of(&cell->point->repeats[r], stream);

		if (!class || class->tally.ops == 0)
			continue;
		latency_add(class, &latency);
		if (class->histogram)
			histogram_merge(merged, class->histogram);
	}
	if (latency.n > 0)
		latency.avg_us /= (double)latency.n;
	if (merged->count > 0)
		latency_spread(merged, &latency);
	free(merged);
	*ret = latency;
	return latency.n > 0;
}

static void line_print(uint64_t begin_us, uint64_t end_us, uint64_t n, double percent, FILE *output)
{
	fprintf(output, "%9" PRIu64 " - %-9" PRIu64 "  us:%16" PRIu64 " (%6.2f%%)%15d (%6.2f%%)\n",
		begin_us, end_us, n, percent, 0, 0.0);
}

/* Percent are of all up to there. The line behind the slowest has the rest, which is none. */
void orion_histogram_print(const struct orion_cell *cell, const char *stream,
			   const struct orion_latency *latency, FILE *output)
{
	uint64_t begin_us = 0, end_us = ORION_FIRST_OCTAVE_US, sum = 0, total = 0;

	for (unsigned i = 0; i < ORION_OCTAVES; i++)
		total += latency->octaves[i];
	fprintf(output, "%s Read / Write Latency Histogram @ Small=%u and Large=%u\n",
		strcmp(stream, ORION_SMALL) == 0 ? "Small" : "Large", cell->small, cell->large);
	fprintf(output,
		"        Latency:                         # of IOs (read)          # of IOs "
		"(write)\n");
	for (unsigned i = 0; i < ORION_OCTAVES - 1 && sum < total; i++) {
		sum += latency->octaves[i];
		line_print(begin_us, end_us, latency->octaves[i], 100 * (double)sum / (double)total,
			   output);
		begin_us = end_us;
		end_us *= 2;
	}
	line_print(begin_us, LAST_US, total - sum, total ? 100.0 : 0.0, output);
}
