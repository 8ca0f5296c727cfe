/* SPDX-License-Identifier: MIT */
/* calibrate_search.c - the searches of a calibration: what to run next, and what was found. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "command/calibrate.h"
#include "plan/plan.h"
#include "run/run.h"
#include "stats/calibration.h"
#include "stats/result.h"
#include "stats/summary.h"

int calibrate_open(struct calibrate *calibrate, const struct plan *plan, struct error *error)
{
	unsigned first = 0;

	calibrate->plan = plan;
	for (unsigned i = 0; i < calibrate->parts->n; i++) {
		const struct calibrate_part *part = &calibrate->parts->parts[i];
		struct calibrate_series *series = &calibrate->series[i];
		struct search_rule rule = {
			.loads = part->loads,
			.n_loads = part->n_loads,
			.limit = part->limited ? (double)calibrate->wish->limit_ns : INFINITY,
			.repeats = (unsigned)calibrate->wish->repeats};

		*series = (struct calibrate_series){.part = part, .first = first};
		if (search_open(&series->search, &rule) < 0)
			return error_set(error, -ENOMEM, "no memory for a search");
		calibrate->n_series++;
		first += part->n_loads;
	}
	return 0;
}

void calibrate_close(struct calibrate *calibrate)
{
	for (unsigned i = 0; i < calibrate->n_series; i++)
		search_close(&calibrate->series[i].search);
	calibrate->n_series = 0;
}

/* The class that reads of a stream. */
static const struct result_class *stream_reads(const struct result_stream *stream)
{
	for (unsigned i = 0; i < stream->n_classes; i++)
		if (strcmp(stream->classes[i].name, "read") == 0)
			return &stream->classes[i];
	return NULL;
}

static double class_latency_ns(const struct result_class *class, int latency)
{
	int index = calibrate_latencies[latency].index;

	return index < 0 ? class->mean_ns : (double)class->percentile_ns[index];
}

static double repeat_metric(const char *metric, const struct result_repeat *repeat, unsigned stream)
{
	const struct result_stream *of =
		stream < repeat->n_streams ? &repeat->streams[stream] : NULL;
	const struct result_class *class = of ? stream_reads(of) : NULL;

	return class ? summary_value(summary_metric(metric), repeat, of, class) : NAN;
}

/* Of all streams together. */
static double repeat_mbps(const struct result_repeat *repeat)
{
	double sum = 0;

	for (unsigned i = 0; i < repeat->n_streams; i++) {
		double mbps = repeat_metric("mbps", repeat, i);

		sum += isnan(mbps) ? 0 : mbps;
	}
	return sum;
}

static void series_take(const struct calibrate *calibrate, struct calibrate_series *series,
			unsigned load, const struct result_repeat *repeat)
{
	unsigned stream = series->part->stream;
	const struct result_class *class;

	if (!result_repeat_counts(repeat) || stream >= repeat->n_streams)
		return;
	class = stream_reads(&repeat->streams[stream]);
	if (class)
		search_add(&series->search, load, class_latency_ns(class, calibrate->wish->latency),
			   series->part->limited ? repeat_metric("iops", repeat, stream)
						 : repeat_mbps(repeat));
}

/* Takes what is new in the result; false where a run has failed: no load will go better. */
static bool series_look(const struct calibrate *calibrate, struct calibrate_series *series,
			const struct result *result)
{
	for (unsigned i = 0; i < series->part->n_loads; i++) {
		const struct result_point *point = &result->variants[0].points[series->first + i];

		series->skipped |= point->status == RESULT_SKIPPED;
		if (point->status == RESULT_FAILED)
			return false;
		while (series->seen[i] < point->n_repeats)
			series_take(calibrate, series, i, &point->repeats[series->seen[i]++]);
	}
	series->ended |= series->skipped;
	return true;
}

unsigned calibrate_left(const struct calibrate *calibrate)
{
	unsigned left = 0;

	for (unsigned i = 0; i < calibrate->n_series; i++)
		if (!calibrate->series[i].ended)
			left += search_left(&calibrate->series[i].search);
	return left;
}

/* Where runs gave no figure again and again, there are none left. */
static bool has_runs(const struct calibrate *calibrate, unsigned point, const struct result *result)
{
	return result->variants[0].points[point].n_repeats <
	       calibrate->plan->variants[0].points[point].repeats;
}

bool calibrate_next(void *context, const struct result *result, struct run_ask *ret)
{
	struct calibrate *calibrate = context;

	for (unsigned i = 0; i < calibrate->n_series; i++) {
		struct calibrate_series *series = &calibrate->series[i];
		unsigned load;

		if (series->ended)
			continue;
		if (!series_look(calibrate, series, result))
			return false;
		if (!series->ended && search_next(&series->search, &load) &&
		    has_runs(calibrate, series->first + load, result)) {
			*ret = (struct run_ask){.point = series->first + load,
						.left = calibrate_left(calibrate)};
			return true;
		}
		series->ended = true;
	}
	return false;
}

static const struct result_point *find_point(const struct calibrate *calibrate,
					     const struct calibrate_series *series, unsigned load,
					     const struct result *result)
{
	const char *label = calibrate->plan->variants[0].points[series->first + load].label;

	for (unsigned i = 0; i < result->variants[0].n_points; i++)
		if (strcmp(result->variants[0].points[i].label, label) == 0)
			return &result->variants[0].points[i];
	return NULL;
}

/* Share of their time that the threads of a stream were on a CPU, in percent. */
static double repeat_driver_percent(const struct result_repeat *repeat, unsigned stream)
{
	const struct result_stream *of = &repeat->streams[stream];

	return 100 * (double)(of->usage.user_ns + of->usage.system_ns) /
	       (1e9 * repeat->duration_s * of->workers);
}

/* What the search does not know of the load that it chose: medians over its runs. */
static void part_figures(const struct result_point *point, unsigned stream,
			 struct calibration_part *part)
{
	double mbps[SEARCH_REPEATS_MAX], iops[SEARCH_REPEATS_MAX], mean_us[SEARCH_REPEATS_MAX],
		driver[SEARCH_REPEATS_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < point->n_repeats && n < SEARCH_REPEATS_MAX; i++) {
		const struct result_repeat *repeat = &point->repeats[i];

		if (!result_repeat_counts(repeat) || stream >= repeat->n_streams)
			continue;
		mbps[n] = repeat_mbps(repeat);
		iops[n] = repeat_metric("iops", repeat, stream);
		mean_us[n] = repeat_metric("mean_us", repeat, stream);
		driver[n++] = repeat_driver_percent(repeat, stream);
	}
	part->mbps = summary_median(mbps, n);
	part->iops = summary_median(iops, n);
	part->mean_ns = summary_median(mean_us, n) * 1e3;
	part->driver_percent = summary_median(driver, n);
}

static void part_answer(const struct calibrate_series *series, const struct search_answer *answer,
			struct calibration_part *part)
{
	const unsigned *loads = series->part->loads;

	part->load = loads[answer->load];
	part->load_low = answer->loads.low;
	part->load_high = answer->loads.high;
	part->latency_ns = answer->value;
	part->latency_low_ns = answer->values.low;
	part->latency_high_ns = answer->values.high;
	/* The one that was searched by has the interval, the other one goes with it. */
	part->iops_low = part->iops * answer->rates.low / answer->rate;
	part->iops_high = part->iops * answer->rates.high / answer->rate;
	part->mbps_low = part->mbps * answer->rates.low / answer->rate;
	part->mbps_high = part->mbps * answer->rates.high / answer->rate;
}

static const char *outcome_word(const struct search_answer *answer)
{
	static const char *const words[] = {[SEARCH_UNSETTLED] = "unsettled",
					    [SEARCH_FOUND] = "found",
					    [SEARCH_UNMET] = "unmet",
					    [SEARCH_UNREACHED] = "unreached"};

	return answer->runs == 0 ? "nothing" : words[answer->outcome];
}

static void part_conclude(const struct calibrate *calibrate, const struct calibrate_series *series,
			  const struct result *result, struct calibration_part *part)
{
	const struct calibrate_part *of = series->part;
	const struct result_point *point = NULL;
	struct search_answer answer;

	search_answer(&series->search, &answer);
	*part = calibration_part_unknown;
	part->block_bytes = of->block_bytes;
	part->largest_load = of->loads[of->n_loads - 1];
	part->loads = answer.n_loads;
	part->runs = answer.runs;
	part->grid = of->n_loads;
	memcpy(part->name, of->name, sizeof(part->name));
	memcpy(part->stream, of->stream_label, sizeof(part->stream));
	memcpy(part->process, of->process, sizeof(part->process));
	snprintf(part->goal, sizeof(part->goal), "%s", of->limited ? "limit" : "rate");
	snprintf(part->outcome, sizeof(part->outcome), "%s", outcome_word(&answer));
	if (answer.over >= 0) {
		part->over_load = of->loads[answer.over];
		part->over_ns = search_value(&series->search, (unsigned)answer.over);
	}
	if (answer.again >= 0)
		part->again_load = of->loads[answer.again];
	if (answer.has_load)
		point = find_point(calibrate, series, answer.load, result);
	if (!point)
		return;
	part_figures(point, of->stream, part);
	part_answer(series, &answer, part);
}

int calibrate_conclude(const struct calibrate *calibrate, struct result *result,
		       struct error *error)
{
	struct calibration *calibration = calloc(1, sizeof(*calibration));
	int status;

	if (calibration)
		calibration->parts = calloc(calibrate->n_series, sizeof(*calibration->parts));
	if (!calibration || !calibration->parts) {
		calibration_free(calibration);
		return error_set(error, -ENOMEM, "no memory for a calibration");
	}
	calibration->n_parts = calibrate->n_series;
	snprintf(calibration->percentile, sizeof(calibration->percentile), "%s",
		 calibrate_latencies[calibrate->wish->latency].name);
	calibration->limit_ns = (double)calibrate->wish->limit_ns;
	memcpy(calibration->command, calibrate->command, sizeof(calibration->command));
	for (unsigned i = 0; i < calibrate->n_series; i++)
		part_conclude(calibrate, &calibrate->series[i], result, &calibration->parts[i]);
	status = calibrate_need_answer(calibrate, calibration, error);
	if (status < 0) {
		calibration_free(calibration);
		return status;
	}
	result->calibration = calibration;
	return 0;
}
