/* SPDX-License-Identifier: MIT */
/* result.c - ownership of a result, its status words, and a class summed up from a histogram. */
#include "stats/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/calibration.h"

const double result_percentiles[RESULT_PERCENTILES] = {50, 90, 99, 99.9, 99.99};

static const char *const status_names[] = {
	[RESULT_OK] = "ok",
	[RESULT_SKIPPED] = "skipped",
	[RESULT_FAILED] = "failed",
	[RESULT_INTERRUPTED] = "interrupted",
};

const char *result_status_name(enum result_status status)
{
	return status_names[status];
}

static void stream_free(struct result_stream *stream)
{
	for (unsigned i = 0; i < stream->n_classes; i++) {
		free(stream->classes[i].intervals);
		free(stream->classes[i].histogram);
	}
	free(stream->classes);
	free(stream->derived);
}

bool result_repeat_counts(const struct result_repeat *repeat)
{
	return repeat->status == RESULT_OK && !repeat->sampled;
}

void result_repeat_free(struct result_repeat *repeat)
{
	for (unsigned i = 0; i < repeat->n_streams; i++)
		stream_free(&repeat->streams[i]);
	free(repeat->streams);
	free(repeat->sampling.functions);
	free(repeat->counters);
	free(repeat->devices);
	for (unsigned i = 0; i < repeat->n_audits; i++)
		free(repeat->audits[i].placement.nodes);
	free(repeat->audits);
	memset(repeat, 0, sizeof(*repeat));
}

static void point_free(struct result_point *point)
{
	for (unsigned i = 0; i < point->n_repeats; i++)
		result_repeat_free(&point->repeats[i]);
	free(point->repeats);
	free(point->coordinates);
	cJSON_Delete(point->effective);
}

static void variant_free(struct result_variant *variant)
{
	for (unsigned i = 0; i < variant->n_points; i++)
		point_free(&variant->points[i]);
	free(variant->points);
	cJSON_Delete(variant->settings);
}

static unsigned drop_unbegun(struct result_point *points, unsigned n)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++) {
		if (points[i].n_repeats == 0 && points[i].status == RESULT_OK) {
			point_free(&points[i]);
			continue;
		}
		points[kept++] = points[i];
	}
	memset(&points[kept], 0, (n - kept) * sizeof(*points));
	return kept;
}

void result_drop_unbegun(struct result *result)
{
	for (unsigned v = 0; v < result->n_variants; v++) {
		struct result_variant *variant = &result->variants[v];

		variant->n_points = drop_unbegun(variant->points, variant->n_points);
	}
}

void result_free(struct result *result)
{
	for (unsigned i = 0; i < result->n_variants; i++)
		variant_free(&result->variants[i]);
	free(result->variants);
	cJSON_Delete(result->fingerprint);
	cJSON_Delete(result->notes);
	cJSON_Delete(result->effective);
	calibration_free(result->calibration);
	memset(result, 0, sizeof(*result));
}

void result_class_summarize(struct result_class *class, const struct histogram *histogram)
{
	class->mean_ns = round(histogram_mean_ns(histogram) * 1000) / 1000; /* ps will do */
	class->min_ns = histogram->count ? histogram->min_ns : 0;
	class->max_ns = histogram->max_ns;
	class->overflow = histogram->overflow;
	for (unsigned i = 0; i < RESULT_PERCENTILES; i++)
		class->percentile_ns[i] = histogram_percentile_ns(histogram, result_percentiles[i]);
}
