/* SPDX-License-Identifier: MIT */
/* text_calibration.c - what a search for the highest load found, and the curve behind it. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/numbers.h"
#include "report/rows.h"
#include "report/table.h"
#include "report/text_calibration.h"
#include "report/text_columns.h"
#include "report/text_parts.h"
#include "stats/calibration.h"

#define SENTENCE_BYTES 1024
#define DRIVER_PERCENT 90  /* of their time: then the threads that read are the limit */
#define WIDE	       1.3 /* interval: high over low */
#define BEYOND_MIN     20  /* operations beyond a percentile, for it to mean something */

static void append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds to a sentence; what finds no room is dropped. */
static void append(char *text, const char *format, ...)
{
	size_t length = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + length, SENTENCE_BYTES - length, format, arguments);
	va_end(arguments);
}

static bool is(const char *one, const char *other)
{
	return strcmp(one, other) == 0;
}

static const struct calibration_need *find_need(const struct calibration *calibration,
						const char *what)
{
	for (unsigned i = 0; i < calibration->n_needs; i++)
		if (is(calibration->needs[i].what, what))
			return &calibration->needs[i];
	return NULL;
}

/* "your 12,000 leave a factor of 5.1" */
static void append_factor(char *text, const struct calibration_need *need)
{
	double factor = calibration_factor(need, need->got);
	char asked[NUMBER_BYTES], times[NUMBER_BYTES];

	number_short(need->asked, asked);
	if (isnan(factor))
		return;
	if (is(need->answer, "yes"))
		append(text, "; your %s leave a factor of %s", asked, number_short(factor, times));
	else if (is(need->answer, "no"))
		append(text, "; your %s are %s times as much", asked,
		       number_short(1 / factor, times));
	else
		append(text, "; your %s are too close to that to call", asked);
}

/* "61,000 8K reads/s", "3,095 8K reads/s beside 2 x 1M" */
static void append_rate(char *text, const struct calibration_part *part)
{
	const char *reads = strstr(part->name, " reads"), *rest = "";
	int length = (int)strlen(part->name);
	char rate[NUMBER_BYTES];

	if (reads) {
		rest = reads + strlen(" reads");
		length = (int)(rest - part->name);
	}
	append(text, "%s %.*s/s%s", number_short(part->iops, rate), length, part->name, rest);
}

static void append_interval(char *text, const struct calibration_part *part)
{
	char low[NUMBER_BYTES], high[NUMBER_BYTES], from[NUMBER_BYTES], to[NUMBER_BYTES];

	append(text, " (95%% interval %s to %s, %s to %s in flight)",
	       number_format(part->iops_low, 0, low), number_format(part->iops_high, 0, high),
	       number_format(part->load_low, 0, from), number_format(part->load_high, 0, to));
}

static void append_sustained(char *text, const struct calibration *calibration,
			     const struct calibration_part *part)
{
	const struct calibration_need *need = find_need(calibration, "iops");
	char load[NUMBER_BYTES], limit[32];

	append(text, "This host sustains ");
	append_rate(text, part);
	append(text, " with %s under %s", calibration->percentile,
	       units_format_latency(calibration->limit_ns, limit));
	if (need)
		append_factor(text, need);
	append(text, ". That is with %s in flight", number_format(part->load, 0, load));
	append_interval(text, part);
	append(text, ".");
}

static void append_unmet(char *text, const struct calibration *calibration,
			 const struct calibration_part *part)
{
	char limit[32], fastest[32], load[NUMBER_BYTES];

	append(text, "No depth meets %s: at depth %s, the smallest, %s is %s.",
	       units_format_latency(calibration->limit_ns, limit),
	       number_format(part->over_load, 0, load), calibration->percentile,
	       units_format_latency(part->over_ns, fastest));
}

static void append_unreached(char *text, const struct calibration *calibration,
			     const struct calibration_part *part)
{
	char load[NUMBER_BYTES], limit[32], latency[32];
	const struct calibration_need *need = find_need(calibration, "iops");

	append(text, "This host gives ");
	append_rate(text, part);
	append(text, " with %s in flight, the largest load that was asked for",
	       number_format(part->load, 0, load));
	if (need)
		append_factor(text, need);
	append(text,
	       ". %s is %s there: the limit of %s is not reached, so the search ended there "
	       "(--max-depth asks for more).",
	       calibration->percentile, units_format_latency(part->latency_ns, latency),
	       units_format_latency(calibration->limit_ns, limit));
}

static void append_unsettled(char *text, const struct calibration *calibration,
			     const struct calibration_part *part)
{
	char number[NUMBER_BYTES], limit[32];

	append(text, "The search ended before it was through.");
	units_format_latency(calibration->limit_ns, limit);
	if (!isnan(part->load)) {
		append(text, " So far %s in flight are the most with %s under %s: ",
		       number_format(part->load, 0, number), calibration->percentile, limit);
		append_rate(text, part);
		append(text, ".");
	}
	if (part->over_load > 0)
		append(text, " %s in flight are over it.",
		       number_format(part->over_load, 0, number));
}

static void append_limited(char *text, const struct calibration *calibration,
			   const struct calibration_part *part)
{
	if (is(part->outcome, "found"))
		append_sustained(text, calibration, part);
	else if (is(part->outcome, "unmet"))
		append_unmet(text, calibration, part);
	else if (is(part->outcome, "unreached"))
		append_unreached(text, calibration, part);
	else if (is(part->outcome, "unsettled"))
		append_unsettled(text, calibration, part);
	else
		append(text, "Of %s nothing was measured.", part->name);
}

/* The answer before anything else: the worst of all. */
static const char *answer_words(const struct calibration *calibration)
{
	const char *words = "Yes: this host does what is needed.";

	for (unsigned i = 0; i < calibration->n_needs; i++) {
		const char *answer = calibration->needs[i].answer;

		if (is(answer, "no"))
			return "No: this host does not do what is needed.";
		if (!is(answer, "yes"))
			words = is(answer, "close") ? "Too close to call."
						    : "Not known: not all of it was measured.";
	}
	return words;
}

static void print_sentences(const struct calibration *calibration, FILE *stream)
{
	for (unsigned i = 0; i < calibration->n_parts; i++) {
		char text[SENTENCE_BYTES] = "";

		if (is(calibration->parts[i].goal, "limit")) {
			append_limited(text, calibration, &calibration->parts[i]);
			print_paragraph("", text, TEXT_WIDTH, stream);
		}
	}
}

/* A rate, or a latency where the need is one. */
static const char *need_value(const struct calibration_need *need, double value, char *text)
{
	char latency[32];

	if (isnan(value) || is(need->what, "iops") || is(need->what, "mbps"))
		return number_short(value, text);
	snprintf(text, NUMBER_BYTES, "%s", units_format_latency(value, latency));
	return text;
}

static void fill_need(const struct calibration_need *need, struct table *table)
{
	char one[NUMBER_BYTES], other[NUMBER_BYTES], text[2 * NUMBER_BYTES + 8];
	double factor = calibration_factor(need, need->got);

	table_row(table);
	table_cell(table, 0, need->what);
	table_cell(table, 1, need_value(need, need->asked, one));
	table_cell(table, 2, need_value(need, need->got, one));
	if (!isnan(need->low)) {
		snprintf(text, sizeof(text), "[%s .. %s]", need_value(need, need->low, one),
			 need_value(need, need->high, other));
		table_cell(table, 3, text);
	}
	if (!isnan(factor)) {
		snprintf(text, sizeof(text), "%s x", number_short(factor, one));
		table_cell(table, 4, text);
	}
	table_cell(table, 5,
		   is(need->answer, "close")	 ? "too close to call"
		   : is(need->answer, "unknown") ? "not known"
						 : need->answer);
	table_cell(table, 6, need->part);
}

static int print_needs(const struct calibration *calibration, FILE *stream)
{
	struct table table = {.width_max = TEXT_WIDTH};
	int rc;

	if (calibration->n_needs == 0)
		return 0;
	table_column(&table, "", "need", TABLE_LEFT);
	table_column(&table, "", "asked", TABLE_RIGHT);
	table_column(&table, "", "there is", TABLE_RIGHT);
	table_column(&table, "", "95% interval", TABLE_LEFT);
	table_column(&table, "", "margin", TABLE_RIGHT);
	table_column(&table, "", "answer", TABLE_LEFT);
	table_column(&table, "", "by", TABLE_LEFT);
	for (unsigned i = 0; i < calibration->n_needs; i++)
		fill_need(&calibration->needs[i], &table);
	rc = table_print(&table, stream);
	table_free(&table);
	return rc;
}

/* One of the figures that CALIBRATE_IO gives. */
static void fill_figure(struct table *table, const char *name, double value, const char *unit,
			double low, double high, const char *words)
{
	char one[NUMBER_BYTES], other[NUMBER_BYTES], text[2 * NUMBER_BYTES + 8];

	if (isnan(value))
		return;
	table_row(table);
	table_cell(table, 0, name);
	table_cell(table, 1, number_short(value, one));
	table_cell(table, 2, unit);
	snprintf(text, sizeof(text), "[%s .. %s]", number_short(low, one),
		 number_short(high, other));
	table_cell(table, 3, text);
	table_cell(table, 4, words);
}

static void fill_limited(const struct calibration *calibration, const struct calibration_part *part,
			 struct table *table)
{
	char words[SENTENCE_BYTES] = "", limit[32], number[NUMBER_BYTES];
	double unit_ns;

	append(words, "%s%s, %s in flight, %s under %s",
	       is(part->outcome, "unsettled") ? "so far: " : "", part->name,
	       number_format(part->load, 0, number), calibration->percentile,
	       units_format_latency(calibration->limit_ns, limit));
	fill_figure(table, "max_iops", part->iops, "reads/s", part->iops_low, part->iops_high,
		    words);
	words[0] = '\0';
	append(words, "%s of those; their mean is %s", calibration->percentile,
	       units_format_latency(part->mean_ns, limit));
	unit_ns = part->latency_ns < 1e6 ? 1e3 : 1e6;
	fill_figure(table, "actual_latency", part->latency_ns / unit_ns,
		    part->latency_ns < 1e6 ? "us" : "ms", part->latency_low_ns / unit_ns,
		    part->latency_high_ns / unit_ns, words);
}

static void fill_rate(const struct calibration_part *part, struct table *table)
{
	char words[SENTENCE_BYTES] = "", number[NUMBER_BYTES], block[32];
	bool rises = is(part->outcome, "unreached");

	append(words, "%s%s reads, %s in flight%s", units_format_size(part->block_bytes, block),
	       part->process[0] ? " sequential" : " random", number_format(part->load, 0, number),
	       rises				? ", the largest asked for: it may give more"
	       : is(part->outcome, "unsettled") ? ", when the search was ended"
						: "");
	fill_figure(table, part->process[0] ? "max_pmbps" : "max_mbps", part->mbps, "MB/s",
		    part->mbps_low, part->mbps_high, words);
}

static int print_figures(const struct calibration *calibration, FILE *stream)
{
	struct table table = {.width_max = TEXT_WIDTH};
	int rc;

	table_column(&table, "", "as CALIBRATE_IO", TABLE_LEFT);
	table_column(&table, "", "", TABLE_RIGHT);
	table_column(&table, "", "", TABLE_LEFT);
	table_column(&table, "", "95% interval", TABLE_LEFT);
	table_column(&table, "", "of", TABLE_LEFT);
	for (unsigned i = 0; i < calibration->n_parts; i++) {
		if (is(calibration->parts[i].goal, "limit"))
			fill_limited(calibration, &calibration->parts[i], &table);
		else
			fill_rate(&calibration->parts[i], &table);
	}
	rc = table.n_rows > 0 ? table_print(&table, stream) : 0;
	table_free(&table);
	return rc;
}

/* Reasons of points that gave nothing. */
static void print_reasons(const struct rows *rows, FILE *stream)
{
	for (unsigned i = 0; i < rows->n; i++) {
		const struct result_point *point = rows->rows[i].point;
		const char *reason = point_reason(point);
		char text[SENTENCE_BYTES] = "";

		if (!rows->rows[i].first || !reason)
			continue;
		append(text, "%s %s, because %s", point->label,
		       result_status_name(point_status(point)), reason);
		print_paragraph("", text, TEXT_WIDTH, stream);
	}
}

static double fewest_ops(const struct rows *rows, const struct calibration_part *part)
{
	double load;

	for (unsigned i = 0; i < rows->n; i++)
		if (row_of_part(&rows->rows[i], part, &load) && load == part->load)
			return row_fewest_ops(&rows->rows[i]);
	return NAN;
}

/* Share of operations that lie beyond the percentile; 1 for the mean, of which all are. */
static double share_beyond(const char *percentile)
{
	double value;

	return sscanf(percentile, "p%lf", &value) == 1 ? 1 - value / 100 : 1;
}

/* Each sentence stands apart. */
static void warn(const char *text, bool *first, FILE *stream)
{
	if (!text[0])
		return;
	if (*first)
		fputc('\n', stream);
	*first = false;
	print_paragraph("Warning: ", text, TEXT_WIDTH, stream);
}

static void warn_curve(const struct calibration_part *part, bool *first, FILE *stream)
{
	char text[SENTENCE_BYTES] = "", again[NUMBER_BYTES], over[NUMBER_BYTES];

	if (part->again_load > 0)
		append(text,
		       "%s: the curve is not monotone: %s in flight are under the limit though %s "
		       "are not. The answer is the load up to which all that were measured are "
		       "under it.",
		       part->name, number_format(part->again_load, 0, again),
		       number_format(part->over_load, 0, over));
	warn(text, first, stream);
}

/* One sentence for all parts. */
static void warn_noise(const struct calibration *calibration, bool *first, FILE *stream)
{
	char text[SENTENCE_BYTES] = "";

	for (unsigned i = 0; i < calibration->n_parts; i++) {
		const struct calibration_part *part = &calibration->parts[i];

		if (part->iops_high / part->iops_low > WIDE)
			append(text, "%s%s", text[0] ? ", " : "", part->name);
	}
	if (text[0])
		append(text,
		       ": runs of the same load differ so much that the interval is wide; a "
		       "quieter host, longer runs (--time) or more of them (--repeats) tell more.");
	warn(text, first, stream);
}

static void warn_tail(const struct rows *rows, const struct calibration_part *part, bool *first,
		      FILE *stream)
{
	const char *percentile = rows->result->calibration->percentile;
	double beyond = fewest_ops(rows, part) * share_beyond(percentile);
	char text[SENTENCE_BYTES] = "", number[NUMBER_BYTES];

	if (is(part->goal, "limit") && beyond < BEYOND_MIN)
		append(text,
		       "%s: %s rests on the %s slowest reads of a run; --time makes runs longer.",
		       part->name, percentile, number_format(beyond, 0, number));
	warn(text, first, stream);
}

/* One process is one by definition. */
static void warn_driver(const struct calibration_part *part, bool *first, FILE *stream)
{
	char text[SENTENCE_BYTES] = "", number[NUMBER_BYTES];

	if (part->driver_percent > DRIVER_PERCENT && !part->process[0])
		append(text,
		       "%s: the threads that read were busy %s%% of their time, so the figure may "
		       "be "
		       "theirs and not the storage's; --workers gives more.",
		       part->name, number_format(part->driver_percent, 0, number));
	warn(text, first, stream);
}

static void print_warnings(const struct rows *rows, FILE *stream)
{
	const struct calibration *calibration = rows->result->calibration;
	bool first = true;

	for (unsigned i = 0; i < calibration->n_parts; i++) {
		const struct calibration_part *part = &calibration->parts[i];

		warn_curve(part, &first, stream);
		warn_tail(rows, part, &first, stream);
		warn_driver(part, &first, stream);
	}
	warn_noise(calibration, &first, stream);
}

static void print_end(const struct result *result, FILE *stream)
{
	const char *name = result->signal ? sigabbrev_np(result->signal) : NULL;

	if (result->complete)
		return;
	if (name)
		fprintf(stream, "Incomplete: SIG%s ended the search early.\n", name);
	else
		fputs("Incomplete: the search did not come to its end.\n", stream);
}

int text_calibration(const struct rows *rows, FILE *stream)
{
	const struct calibration *calibration = rows->result->calibration;
	int rc;

	print_end(rows->result, stream);
	if (calibration->n_needs > 0)
		fprintf(stream, "%s\n", answer_words(calibration));
	print_sentences(calibration, stream);
	print_reasons(rows, stream);
	rc = print_needs(calibration, stream);
	if (rc == 0)
		rc = print_figures(calibration, stream);
	for (unsigned i = 0; i < calibration->n_parts && rc == 0; i++)
		rc = text_curve(rows, &calibration->parts[i], stream);
	print_warnings(rows, stream);
	return rc;
}
