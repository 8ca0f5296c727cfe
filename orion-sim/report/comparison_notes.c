/* SPDX-License-Identifier: MIT */
/* comparison_notes.c - what limits a comparison: its size, its outliers, what was lost, what else
 * differs. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/comparison_parts.h"
#include "report/numbers.h"

#define TEXT_BYTES 2048

/* Of these, so many are told; of the others, how many there are. */
#define OUTLIERS_TOLD 12
#define ROWS_TOLD     6
#define LOSSES_TOLD   6

static void append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds to a text of TEXT_BYTES; what finds no room is dropped. */
static void append(char *text, const char *format, ...)
{
	size_t length = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + length, TEXT_BYTES - length, format, arguments);
	va_end(arguments);
}

/* "pairs", "runs a side" */
static const char *values_name(const struct comparison *comparison)
{
	if (comparison->paired)
		return "pairs";
	return comparison->unit == UNIT_BOOT ? "boots a side" : "runs a side";
}

static size_t fewest(const struct comparison_row *row)
{
	const struct compare_numbers *numbers = &row->numbers;

	return numbers->base.n < numbers->other.n ? numbers->base.n : numbers->other.n;
}

/* Two digits are what an estimate of a size is good for. */
static const char *round_count(size_t n, char text[NUMBER_BYTES])
{
	size_t unit = 1, rounded;

	while (n / unit >= 100)
		unit *= 10;
	rounded = (n + unit / 2) / unit * unit;
	return number_format((double)rounded, 0, text);
}

const char *comparison_reason(const struct comparison *comparison, const struct comparison_row *row,
			      char *text, size_t size)
{
	const struct compare_numbers *numbers = &row->numbers;
	const char *values = values_name(comparison);
	double threshold_percent = 100 * row->options.threshold;
	char more[NUMBER_BYTES];
	size_t n = fewest(row);

	if (!isfinite(numbers->low))
		snprintf(text, size, "%zu %s are too few for an interval of %.4g %%", n, values,
			 100 * (1 - row->options.alpha));
	else if (numbers->low > 0 || numbers->high < 0)
		snprintf(text, size,
			 "the interval excludes zero, but p over the family of %u is %.2g: more %s "
			 "or fewer primary metrics (--metric) would decide",
			 comparison->n_primary, numbers->p_holm, values);
	else if (numbers->needed > n)
		snprintf(text, size,
			 "needs about %s more %s to see %.3g %%; this run could see %.2g %% (80 "
			 "%% power)",
			 round_count(numbers->needed - n, more), values, threshold_percent,
			 100 * numbers->visible);
	else
		snprintf(text, size,
			 "this run could see %.2g %% (80 %% power), but its interval holds both no "
			 "change and one beyond %.3g %%: more %s would narrow it",
			 100 * numbers->visible, threshold_percent, values);
	return text;
}

/* Fewest values with which one row of the family can be called. */
static unsigned enough_values(const struct comparison *comparison, double alpha)
{
	unsigned n = 2;

	while (n < 1000 &&
	       compare_smallest_p(n, n, comparison->paired) * comparison->n_primary > alpha)
		n++;
	return n;
}

/* The primary row with most values: if it cannot be called, none can. */
static const struct comparison_row *largest_row(const struct comparison *comparison)
{
	const struct comparison_row *largest = NULL;

	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (row->primary && row->numbers.verdict != COMPARE_NOTHING &&
		    (!largest || fewest(row) > fewest(largest)))
			largest = row;
	}
	return largest;
}

static void warn_size(const struct comparison *comparison, FILE *stream)
{
	const struct comparison_row *row = largest_row(comparison);
	char text[TEXT_BYTES] = "";
	double smallest, alpha;

	if (!row)
		return;
	alpha = row->options.alpha;
	smallest =
		compare_smallest_p(row->numbers.base.n, row->numbers.other.n, comparison->paired);
	if (smallest * comparison->n_primary > alpha)
		append(text,
		       "with %zu %s the smallest p there can be is %.2g, over the family of %u "
		       "primary metrics %.2g: none of them can be called different, whatever "
		       "happens; it takes %u %s, or fewer primary metrics (--metric).",
		       fewest(row), values_name(comparison), smallest, comparison->n_primary,
		       fmin(1, smallest * comparison->n_primary), enough_values(comparison, alpha),
		       values_name(comparison));
	else if (fewest(row) < 6)
		append(text, "%zu %s are few: only large changes show; 10 or more are advised.",
		       fewest(row), values_name(comparison));
	if (text[0])
		print_paragraph("Warning: ", text, COMPARISON_WIDTH, stream);
}

static void warn_rows(const struct comparison *comparison, const char *before,
		      bool (*test)(const struct comparison *, const struct comparison_row *,
				   char figure[64]),
		      const char *after, FILE *stream)
{
	char text[TEXT_BYTES] = "", name[COMPARISON_NAME_BYTES], figure[64];
	unsigned n = 0;

	append(text, "%s: ", before);
	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (!row->primary || !test(comparison, row, figure) || ++n > ROWS_TOLD)
			continue;
		append(text, "%s%s of %s", n > 1 ? ", " : "", figure,
		       comparison_row_name(comparison, row, name));
		if (comparison->n_sides > 2)
			append(text, " (%s)", comparison->sides[row->side].label);
	}
	if (n == 0)
		return;
	if (n > ROWS_TOLD)
		append(text, ", and %u more", n - ROWS_TOLD);
	append(text, ". %s", after);
	print_paragraph("Warning: ", text, COMPARISON_WIDTH, stream);
}

static bool has_few_ops(const struct comparison *comparison, const struct comparison_row *row,
			char figure[64])
{
	snprintf(figure, 64, "%u of %zu values", row->few_ops,
		 row->numbers.base.n + row->numbers.other.n);
	return row->few_ops > 0;
}

static bool has_few_values(const struct comparison *comparison, const struct comparison_row *row,
			   char figure[64])
{
	unsigned base = comparison->sides[0].n_units, other = comparison->sides[row->side].n_units;
	unsigned whole = base < other ? base : other;

	snprintf(figure, 64, "%zu of %u", fewest(row), whole);
	return fewest(row) < whole && row->numbers.verdict != COMPARE_NOTHING;
}

/* Does one view exclude no change where the other does not? */
static bool views_differ(const struct comparison *comparison, const struct comparison_row *row,
			 char figure[64])
{
	const struct compare_numbers *numbers = &row->numbers;
	bool ranks = numbers->low > 0 || numbers->high < 0;
	bool medians = numbers->ratio_low > 1 || numbers->ratio_high < 1;

	snprintf(figure, 64, "%.4g [%.4g .. %.4g]", numbers->ratio, numbers->ratio_low,
		 numbers->ratio_high);
	return isfinite(numbers->ratio_low) && isfinite(numbers->low) && ranks != medians;
}

/* Adds the units of a side whose values are far out; returns how many there are in all. */
static unsigned list_outliers(const struct comparison *comparison, const struct comparison_row *row,
			      bool base, unsigned told, char *text)
{
	const struct comparison_side *side = &comparison->sides[base ? 0 : row->side];
	const double *values = base ? row->base : row->other;
	const unsigned *units = base ? row->base_unit : row->other_unit;
	size_t n = base ? row->numbers.base.n : row->numbers.other.n;
	CLEANUP(cleanup_free) bool *flags = calloc(n + 1, sizeof(*flags));
	char number[NUMBER_BYTES], name[COMPARISON_NAME_BYTES];
	unsigned found = 0;

	if (!flags || n == 0 || compare_outliers(values, n, flags) < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!flags[i] || told + found++ >= OUTLIERS_TOLD)
			continue;
		append(text, "%s%s %s of %s (%s)", told + found > 1 ? ", " : "",
		       comparison_row_name(comparison, row, name), number_short(values[i], number),
		       side->units[units[i]].name, side->label);
	}
	return found;
}

static void print_outliers(const struct comparison *comparison, FILE *stream)
{
	char text[TEXT_BYTES] = "";
	unsigned n = 0;

	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (!row->primary || row->numbers.verdict == COMPARE_NOTHING)
			continue;
		/* The baseline's values stand in the rows of every side. */
		if (row->numbers.base.n_outliers > 0 && row->side == 1)
			n += list_outliers(comparison, row, true, n, text);
		if (row->numbers.other.n_outliers > 0)
			n += list_outliers(comparison, row, false, n, text);
	}
	if (n > OUTLIERS_TOLD)
		append(text, ", and %u more", n - OUTLIERS_TOLD);
	if (n == 0)
		return;
	append(text, ". They are in every figure all the same.");
	print_paragraph("Outliers (modified z beyond 3.5): ", text, COMPARISON_WIDTH, stream);
}

void comparison_warnings(const struct comparison *comparison, FILE *stream)
{
	warn_size(comparison, stream);
	warn_rows(comparison, "fewer than 10 operations lie beyond the percentile in", has_few_ops,
		  "Longer runs have more.", stream);
	warn_rows(comparison, "not every unit gave a value to both sides", has_few_values,
		  "What is lost is listed below.", stream);
	warn_rows(comparison,
		  "the ratio of medians, with its bootstrap interval, is of another opinion",
		  views_differ, "The verdicts go by the ranks.", stream);
	print_outliers(comparison, stream);
}

void comparison_losses(const struct comparison *comparison, FILE *stream)
{
	unsigned kept = comparison->n_losses < COMPARISON_LOSSES_KEPT ? comparison->n_losses
								      : COMPARISON_LOSSES_KEPT;

	if (comparison->n_losses == 0)
		return;
	fprintf(stream, "Lost, and in no figure: %u\n", comparison->n_losses);
	for (unsigned i = 0; i < kept && i < LOSSES_TOLD; i++) {
		const struct comparison_loss *loss = &comparison->losses[i];
		char text[TEXT_BYTES] = "";

		append(text, "%s: %s: %s", comparison->sides[loss->side].label, loss->where,
		       loss->reason);
		print_paragraph("  ", text, COMPARISON_WIDTH, stream);
	}
	if (comparison->n_losses > LOSSES_TOLD)
		fprintf(stream, "  and %u more\n", comparison->n_losses - LOSSES_TOLD);
}

static void print_difference(const struct comparison *comparison,
			     const struct comparison_difference *difference, FILE *stream)
{
	char text[TEXT_BYTES] = "";

	if (comparison->n_sides > 2)
		append(text, "%s: ", comparison->sides[difference->side].label);
	append(text, "%s: %s -> %s", difference->what,
	       difference->base[0] ? difference->base : "nothing",
	       difference->other[0] ? difference->other : "nothing");
	if (!difference->declared && difference->factor && difference->factor->refuses)
		append(text, " (this alone could explain a change: it is not the factor that was "
			     "declared)");
	print_paragraph("  ", text, COMPARISON_WIDTH, stream);
}

/* What the results of one side do not tell cannot be held against anything: named, no more. */
static bool is_one_sided(const struct comparison_difference *difference)
{
	return !difference->declared && !difference->factor;
}

static void print_one_sided(const struct comparison *comparison, unsigned side, FILE *stream)
{
	char text[TEXT_BYTES] = "";

	for (unsigned i = 0; i < comparison->n_differences; i++) {
		const struct comparison_difference *difference = &comparison->differences[i];

		if (difference->side == side && is_one_sided(difference))
			append(text, "%s%s", text[0] ? ", " : "", difference->what);
	}
	if (!text[0])
		return;
	if (comparison->n_sides > 2)
		append(text, " (%s)", comparison->sides[side].label);
	print_paragraph("Known of one side only: ", text, COMPARISON_WIDTH, stream);
}

static void print_differences(const struct comparison *comparison, bool declared, FILE *stream)
{
	bool first = true;

	for (unsigned i = 0; i < comparison->n_differences; i++) {
		const struct comparison_difference *difference = &comparison->differences[i];

		if (difference->declared != declared || is_one_sided(difference))
			continue;
		if (first)
			fprintf(stream, "Differs, %s:\n", declared ? "as declared" : "undeclared");
		first = false;
		print_difference(comparison, difference, stream);
	}
}

void comparison_differences(const struct comparison *comparison, FILE *stream)
{
	print_differences(comparison, true, stream);
	print_differences(comparison, false, stream);
	for (unsigned side = 1; side < comparison->n_sides; side++)
		print_one_sided(comparison, side, stream);
}
