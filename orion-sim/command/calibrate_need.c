/* SPDX-License-Identifier: MIT */
/* calibrate_need.c - what a host must do, and whether it does. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "base/words.h"
#include "command/calibrate.h"
#include "command/command.h"
#include "stats/calibration.h"

const struct calibrate_latency calibrate_latencies[] = {
	{"50", "p50", 0},     {"90", "p90", 1},	      {"99", "p99", 2},
	{"99.9", "p99.9", 3}, {"99.99", "p99.99", 4}, {"mean", "mean", -1},
};
#define LATENCIES (sizeof(calibrate_latencies) / sizeof(calibrate_latencies[0]))

const char *const calibrate_percentiles[] = {"50", "90", "99", "99.9", "99.99", "mean", NULL};

#define NEED_FORM "write it as iops=12000,mbps=400,p99=5ms"

static int need_rate(const char *name, const char *value, double *ret, struct error *error)
{
	char *end;
	double number = strtod(value, &end);
	char shown[64];

	if (end != value && (*end == 'k' || *end == 'K') && !end[1]) {
		number *= 1000;
		end++;
	}
	if (end == value || *end || !isfinite(number) || number <= 0)
		return error_set(error, ERROR_INPUT,
				 "--need: %s is '%s', which is no number above 0; " NEED_FORM, name,
				 words_quote(value, shown, sizeof(shown)));
	if (*ret > 0)
		return error_set(error, ERROR_INPUT, "--need: %s is named twice; name it once",
				 name);
	*ret = number;
	return 0;
}

static int need_latency(unsigned latency, const char *value, struct calibrate_need *need,
			struct error *error)
{
	const char *name = calibrate_latencies[latency].name;

	if (need->latency_ns)
		return error_set(error, ERROR_INPUT,
				 "--need: %s and %s are two limits; name one of them",
				 calibrate_latencies[need->latency].name, name);
	if (units_parse_duration(value, &need->latency_ns, error) < 0)
		return error_prefix(error, "--need: %s: ", name);
	if (need->latency_ns == 0)
		return error_set(error, ERROR_INPUT,
				 "--need: %s=0 is a limit that nothing meets; " NEED_FORM, name);
	need->latency = (int)latency;
	return 0;
}

static int need_word(char *word, struct calibrate_need *need, struct error *error)
{
	char *value = strchr(word, '='), shown[64];

	if (!value)
		return error_set(error, ERROR_INPUT, "--need: '%s' has no value; " NEED_FORM,
				 words_quote(word, shown, sizeof(shown)));
	*value++ = '\0';
	if (strcmp(word, "iops") == 0)
		return need_rate(word, value, &need->iops, error);
	if (strcmp(word, "mbps") == 0)
		return need_rate(word, value, &need->mbps, error);
	for (unsigned i = 0; i < LATENCIES; i++)
		if (strcmp(word, calibrate_latencies[i].name) == 0)
			return need_latency(i, value, need, error);
	return error_set(error, ERROR_INPUT,
			 "--need: nothing is called '%s' (there are: iops, mbps, p50, p90, p99, "
			 "p99.9, p99.99, mean)",
			 words_quote(word, shown, sizeof(shown)));
}

int calibrate_need_parse(const char *text, struct calibrate_need *ret, struct error *error)
{
	struct calibrate_need need = {.iops = 0};
	char copy[256], *rest = copy, *word;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy))
		return error_set(error, ERROR_INPUT, "--need is too long; " NEED_FORM);
	while (*text && (word = strsep(&rest, ","))) {
		int status = need_word(word, &need, error);

		if (status < 0)
			return status;
	}
	*ret = need;
	return 0;
}

static struct calibration_need *add_need(struct calibration *calibration, const char *what,
					 const char *part, double asked)
{
	struct calibration_need *need = &calibration->needs[calibration->n_needs++];

	*need = (struct calibration_need){.asked = asked, .got = NAN, .low = NAN, .high = NAN};
	snprintf(need->what, sizeof(need->what), "%s", what);
	snprintf(need->part, sizeof(need->part), "%s", part);
	return need;
}

static bool is(const struct calibration_part *part, const char *outcome)
{
	return strcmp(part->outcome, outcome) == 0;
}

/*
 * An unsettled search has found no more than a lower bound: that can be a yes, but never a no. One
 * that no load met has a certain answer.
 */
static void need_conclude(const struct calibration_part *part, struct calibration_need *need)
{
	const char *answer = calibration_judge(need);

	if (is(part, "unmet"))
		answer = "no";
	else if (is(part, "unsettled") && strcmp(answer, "yes") != 0)
		answer = "unknown";
	snprintf(need->answer, sizeof(need->answer), "%s", answer);
}

static void answer_iops(const struct calibrate_need *asked, struct calibration *calibration)
{
	const struct calibration_part *part = &calibration->parts[0];
	struct calibration_need *need = add_need(calibration, "iops", part->name, asked->iops);

	need->got = part->iops;
	need->low = part->iops_low;
	need->high = part->iops_high;
	need_conclude(part, need);
}

/* Large reads have a search of their own, unless they are measured beside the small ones. */
static void answer_mbps(const struct calibrate_need *asked, struct calibration *calibration)
{
	const struct calibration_part *part = &calibration->parts[calibration->n_parts > 1 ? 1 : 0];
	struct calibration_need *need = add_need(calibration, "mbps", part->name, asked->mbps);

	need->got = part->mbps;
	need->low = part->mbps_low;
	need->high = part->mbps_high;
	need_conclude(part, need);
}

/* The smallest load that was measured and gives that rate; the smallest of all for rate 0. */
static int load_of_rate(const struct search *search, double rate)
{
	for (unsigned i = 0; i < search->rule.n_loads; i++)
		if (search->loads[i].n > 0 && search_rate(search, i) >= rate)
			return (int)i;
	return -1;
}

/* The latency at the rate that is needed, not at the highest that there is. */
static void answer_latency(const struct calibrate *calibrate, const struct calibrate_need *asked,
			   struct calibration *calibration)
{
	const struct calibration_part *part = &calibration->parts[0];
	const struct search *search = &calibrate->series[0].search;
	struct calibration_need *need = add_need(calibration, calibration->percentile, part->name,
						 (double)asked->latency_ns);
	int load = load_of_rate(search, asked->iops);

	if (load >= 0) {
		struct search_interval interval = search_value_interval(search, (unsigned)load);

		need->got = search_value(search, (unsigned)load);
		need->low = interval.low;
		need->high = interval.high;
	}
	need_conclude(part, need);
	/* At no load that was measured there is so much. */
	if (load < 0 && (is(part, "found") || is(part, "unreached")))
		snprintf(need->answer, sizeof(need->answer), "no");
}

int calibrate_need_answer(const struct calibrate *calibrate, struct calibration *calibration,
			  struct error *error)
{
	const struct calibrate_need *asked = &calibrate->wish->need;

	if (asked->iops == 0 && asked->mbps == 0 && asked->latency_ns == 0)
		return 0;
	calibration->needs = calloc(3, sizeof(*calibration->needs));
	if (!calibration->needs)
		return error_set(error, -ENOMEM, "no memory for the needs");
	if (asked->iops > 0)
		answer_iops(asked, calibration);
	if (asked->mbps > 0)
		answer_mbps(asked, calibration);
	if (asked->latency_ns > 0)
		answer_latency(calibrate, asked, calibration);
	return 0;
}

/* Then the limit is all that was asked for. */
static int without_needs(const struct calibration_part *part)
{
	if (is(part, "unmet"))
		return EXIT_CODE_REGRESSED;
	return is(part, "found") || is(part, "unreached") ? EXIT_CODE_OK : EXIT_CODE_INCONCLUSIVE;
}

int calibrate_code(const struct calibration *calibration)
{
	int code = EXIT_CODE_OK;

	if (calibration->n_needs == 0)
		return without_needs(&calibration->parts[0]);
	for (unsigned i = 0; i < calibration->n_needs; i++) {
		const char *answer = calibration->needs[i].answer;

		if (strcmp(answer, "no") == 0)
			return EXIT_CODE_REGRESSED;
		if (strcmp(answer, "yes") != 0)
			code = EXIT_CODE_INCONCLUSIVE;
	}
	return code;
}
