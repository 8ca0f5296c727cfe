/* SPDX-License-Identifier: MIT */
/* text_warnings.c - what a reader should know before believing a figure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/figures.h"
#include "report/nodes.h"
#include "report/numbers.h"
#include "report/rows.h"
#include "report/text_parts.h"

/* Rows named in one warning; of the others only the number is told. */
#define NAMED_MAX 3

/* "Warning: BEFORE: FIGUREunit at ROW, …; and n more. AFTER" */
struct warning {
	/* Does it concern the row? Then ret holds the figure to show. */
	bool (*test)(const struct rows *rows, const struct row *row, double *ret);
	const char *before, *unit, *after;
	int decimals;
	bool of_repeat; /* concerns the whole point: told once, not for each stream and class */
};

/* It is read twice for each operation or batch. */
static bool test_clock(const struct rows *rows, const struct row *row, double *ret)
{
	const struct result_class *class = row_class(row);
	double together = class->timed_in_batches && class->tally.batches
				  ? (double)class->tally.ops / (double)class->tally.batches
				  : 1;

	*ret = row_median(row, "p50_us") * 1e3;
	return *ret * together < 10 * rows->result->clock_cost_ns;
}

/* Where the clock is the work, requests are in flight for much less than they are counted. */
static bool test_little(const struct rows *rows, const struct row *row, double *ret)
{
	if (test_clock(rows, row, ret))
		return false;
	*ret = row_median(row, "little");
	return fabs(*ret - 1) > 0.1;
}

static bool test_devices(const struct rows *rows, const struct row *row, double *ret)
{
	*ret = row_repeat_median(row, figure_device_share);
	return fabs(*ret - 1) > 0.05;
}

/* Of the time that the workers had, percent that they were at work; NAN where none was counted. */
static double busy_percent(const struct result_repeat *repeat, unsigned stream)
{
	const struct result_stream *each = &repeat->streams[stream];

	return 100 * (double)(each->usage.user_ns + each->usage.system_ns) /
	       (repeat->duration_s * 1e9 * each->workers);
}

/*
 * Is it the workers that could do no more, and not what they read from? In every repeat: a device
 * that was the limit once was it. Those that poll are always busy, and without a device there is
 * nothing to be taken for its limit.
 */
static bool test_driver(const struct rows *rows, const struct row *row, double *ret)
{
	*ret = 100;
	if (row->shape->n_devices == 0 || strstr(row->shape->streams[row->stream].traits, "IOPOLL"))
		return false;
	for (unsigned i = 0; i < row->point->n_repeats; i++)
		if (result_repeat_counts(&row->point->repeats[i]))
			*ret = fmin(*ret, busy_percent(&row->point->repeats[i], row->stream));
	return *ret >= 95;
}

static bool test_spread(const struct rows *rows, const struct row *row, double *ret)
{
	struct spread rate = row_spread(row, "iops");

	*ret = rate.n > 1 ? 100 * (rate.max - rate.min) / rate.median : NAN;
	/* The intervals of a search have it in them. */
	return *ret > 10 && !rows->result->calibration;
}

static bool test_errors(const struct rows *rows, const struct row *row, double *ret)
{
	*ret = row_spread(row, "errors").max;
	return *ret > 0;
}

static bool test_retries(const struct rows *rows, const struct row *row, double *ret)
{
	*ret = row_median(row, "retries") / row_class(row)->tally.ops * 100;
	return *ret > 0.1;
}

static bool test_shorts(const struct rows *rows, const struct row *row, double *ret)
{
	*ret = row_median(row, "shorts");
	return *ret > 0;
}

static bool test_audit(const struct rows *rows, const struct row *row, double *ret)
{
	double begin = row_repeat_median(row, figure_got_percent);

	*ret = row_repeat_median(row, figure_got_end_percent);
	return fabs(*ret - begin) > 1;
}

static bool test_nodes(const struct rows *rows, const struct row *row, double *ret)
{
	double begin = row_repeat_median(row, figure_placed_percent);
	double end = row_repeat_median(row, figure_placed_end_percent);

	*ret = fmin(begin, end);
	return *ret < 99;
}

static bool test_steal(const struct rows *rows, const struct row *row, double *ret)
{
	*ret = row_repeat_median(row, figure_steal_percent);
	return *ret > 1;
}

/* The farthest of all repeats: one that is off is enough. */
static bool test_step(const struct rows *rows, const struct row *row, double *ret)
{
	*ret = 0;
	for (unsigned i = 0; i < row->point->n_repeats; i++)
		if (!row->point->repeats[i].sampled &&
		    fabs(row->point->repeats[i].clock_step_s) > fabs(*ret))
			*ret = row->point->repeats[i].clock_step_s;
	return *ret != 0;
}

static bool test_overflow(const struct rows *rows, const struct row *row, double *ret)
{
	*ret = (double)row_class(row)->overflow;
	return *ret > 0;
}

static const struct warning warnings[] = {
	{.test = test_errors,
	 .before = "operations failed for good",
	 .unit = "",
	 .after = "They are in no other figure."},
	{.test = test_little,
	 .before = "requests in flight by Little's law (rate x mean latency) are not those counted",
	 .unit = " times",
	 .after = "Rate and latency do not fit each other there: a clock that is off, or a warm-up "
		  "that is too short.",
	 .decimals = 2},
	{.test = test_devices,
	 .before = "the devices below did not move the bytes we counted",
	 .unit = " times",
	 .after = "Something else uses them, or a cache answers.",
	 .decimals = 2,
	 .of_repeat = true},
	{.test = test_driver,
	 .before = "the workers had no time left",
	 .unit = " % busy",
	 .after = "The CPU was the limit there, and not the device; more workers, or larger "
		  "batches, "
		  "may do more."},
	{.test = test_spread,
	 .before = "IOPS differ between repeats",
	 .unit = " %",
	 .after = "Smaller differences than that mean nothing there; more repeats (--set "
		  "repeats=20) "
		  "or longer ones tell more."},
	{.test = test_audit,
	 .before = "the share of memory as asked was another at the end",
	 .unit = " %",
	 .after = "khugepaged, compaction or swapping was at work.",
	 .decimals = 1,
	 .of_repeat = true},
	{.test = test_nodes,
	 .before = "not all of the memory lay on the nodes asked for",
	 .unit = " %",
	 .after = "A preferred node was full, or NUMA balancing moved pages.",
	 .decimals = 1,
	 .of_repeat = true},
	{.test = test_steal,
	 .before = "the hypervisor gave CPU time to others",
	 .unit = " %",
	 .after = "Figures depend on the neighbours.",
	 .decimals = 1,
	 .of_repeat = true},
	{.test = test_retries,
	 .before = "operations had to be issued again after EAGAIN",
	 .unit = " %",
	 .after = "The queue below is too small for this depth.",
	 .decimals = 1},
	{.test = test_shorts,
	 .before = "transfers came back short and were continued",
	 .unit = "",
	 .after = "Their latency is that of all their parts."},
	{.test = test_step,
	 .before = "the clock stepped while it was measured",
	 .unit = " s",
	 .after = "Rates and the highest latencies there are off by that: the clocksource of this "
		  "machine cannot be trusted.",
	 .decimals = 3,
	 .of_repeat = true},
	{.test = test_overflow,
	 .before = "operations took more than 73 minutes",
	 .unit = "",
	 .after = "Percentiles among them show the maximum."},
	{.test = test_clock,
	 .before = "median latency is near what reading the clock costs",
	 .unit = " ns",
	 .after = "It says more about the clock than about the operation."},
};

/* Set apart from what stands above; the footer brings its own empty line. */
static void print_first(bool *first, FILE *stream)
{
	if (*first)
		fputc('\n', stream);
	*first = false;
}

static void print_warned(const struct warning *warning, const char *rows, FILE *stream)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s: %s. %s", warning->before, rows, warning->after);
	print_paragraph("Warning: ", text, TEXT_WIDTH, stream);
}

static void print_warning(const struct rows *rows, const struct warning *warning, bool *first,
			  FILE *stream)
{
	char text[2048] = "", name[320], number[NUMBER_BYTES];
	size_t used = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];
		double value;

		if (!row->shape || (warning->of_repeat && !row->first) ||
		    !warning->test(rows, row, &value))
			continue;
		if (++n > NAMED_MAX)
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s at %s",
					 n > 1 ? ", " : "",
					 number_format(value, warning->decimals, number),
					 warning->unit, row_name(rows, row, name, sizeof(name)));
	}
	if (n == 0)
		return;
	if (n > NAMED_MAX)
		used += (size_t)snprintf(text + used, sizeof(text) - used, ", and at %u more",
					 n - NAMED_MAX);
	print_first(first, stream);
	print_warned(warning, text, stream);
}

/* Of any repeat that counts: what the first failed operation of the row's stream came to. */
static const char *row_failure(const struct row *row)
{
	for (unsigned i = 0; i < row->point->n_repeats; i++) {
		const struct result_repeat *repeat = &row->point->repeats[i];

		if (result_repeat_counts(repeat) && row->stream < repeat->n_streams &&
		    repeat->streams[row->stream].failure[0])
			return repeat->streams[row->stream].failure;
	}
	return NULL;
}

static void print_failures(const struct rows *rows, bool *first, FILE *stream)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rows->n && n < NAMED_MAX; i++) {
		const struct row *row = &rows->rows[i];
		const char *failure = row->shape ? row_failure(row) : NULL;
		char text[1024], name[320];
		double errors;

		if (!failure || !test_errors(rows, row, &errors))
			continue;
		n++;
		snprintf(text, sizeof(text), "%s: %s", row_name(rows, row, name, sizeof(name)),
			 failure);
		print_first(first, stream);
		print_paragraph("First failure at ", text, TEXT_WIDTH, stream);
	}
}

static void print_result_notes(const struct result *result, bool *first, FILE *stream)
{
	const cJSON *note;

	cJSON_ArrayForEach (note, result->notes) {
		if (!cJSON_IsString(note))
			continue;
		print_first(first, stream);
		print_paragraph("Note: ", note->valuestring, TEXT_WIDTH, stream);
	}
}

void text_warnings(const struct rows *rows, FILE *stream)
{
	bool first = true;

	for (size_t i = 0; i < sizeof(warnings) / sizeof(*warnings); i++)
		print_warning(rows, &warnings[i], &first, stream);
	print_failures(rows, &first, stream);
	print_result_notes(rows->result, &first, stream);
}
