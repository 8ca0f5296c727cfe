/* SPDX-License-Identifier: MIT */
/* comparison_table.c - the tables of a comparison: a row for each metric, its change and verdict.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/comparison_parts.h"
#include "report/notes.h"
#include "report/numbers.h"
#include "report/table.h"

#define LABEL_WIDTH 20

/* Descriptive rows that a table shows of its own accord. */
#define MOVED_MAX 10

/* Places of the columns; COLUMN_ABSENT where the comparison needs none. */
struct places {
	unsigned variant, point, stream, op_class, metric, better;
	unsigned base, base_spread, other, other_spread, change, interval, p, verdict;
};

/* Titles of a table, which borrows them. */
struct titles {
	char base[4 * LABEL_WIDTH + 4], other[4 * LABEL_WIDTH + 8], interval[32];
};

static bool differ(const char *one, const char *other)
{
	return strcmp(one, other) != 0;
}

struct comparison_columns comparison_columns(const struct comparison *comparison)
{
	struct comparison_columns columns = {.variant = false};

	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		const struct comparison_row *first = &comparison->rows[0];

		columns.variant |= differ(row->variant, first->variant);
		columns.point |= differ(row->point, first->point);
		columns.stream |= differ(row->stream, first->stream);
		columns.op_class |= differ(row->class, first->class);
	}
	return columns;
}

const char *comparison_row_name(const struct comparison *comparison,
				const struct comparison_row *row, char text[COMPARISON_NAME_BYTES])
{
	struct comparison_columns columns = comparison_columns(comparison);

	snprintf(text, COMPARISON_NAME_BYTES, "%s%s%s%s%s%s%s%s%s",
		 columns.variant ? row->variant : "", columns.variant ? " " : "",
		 columns.point ? row->point : "", columns.point ? " " : "",
		 columns.stream ? row->stream : "", columns.stream ? " " : "",
		 columns.op_class ? row->class : "", columns.op_class ? " " : "", row->metric.name);
	return text;
}

const char *comparison_label(const char *label, size_t width, char *text)
{
	size_t length = 0, columns = 0;

	if (text_width(label) <= width) {
		strcpy(text, label); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy) */
		return text;
	}
	while (columns + 1 < width) {
		length++;
		while (((unsigned char)label[length] & 0xc0) == 0x80)
			length++;
		columns++;
	}
	memcpy(text, label, length);
	memcpy(text + length, "…", sizeof("…"));
	return text;
}

double comparison_percent(double log_ratio)
{
	return 100 * expm1(log_ratio);
}

/* Decimals for percents of this size. */
static int percent_decimals(double percent)
{
	percent = fabs(percent);
	return percent < 0.95 ? 2 : percent < 99.95 ? 1 : 0;
}

/* "+3.1", "-0.04", "+1,204" */
static const char *percent_text(double percent, int decimals, char *text)
{
	char number[NUMBER_BYTES];

	snprintf(text, NUMBER_BYTES, "%s%.*s", percent >= 0 ? "+" : "", NUMBER_BYTES - 4,
		 number_format(percent, decimals, number));
	return text;
}

/* "+3.1%" in a column */
static void fill_percent(double percent, int decimals, unsigned column, struct table *table)
{
	char text[NUMBER_BYTES], with_sign[NUMBER_BYTES + 2] = "-";

	if (isfinite(percent))
		snprintf(with_sign, sizeof(with_sign), "%s%%",
			 percent_text(percent, decimals, text));
	table_cell(table, column, with_sign);
}

static void fill_change(const struct comparison_row *row, const struct places *at,
			struct table *table)
{
	double change = comparison_percent(row->numbers.change);
	double low = comparison_percent(row->numbers.low);
	double high = comparison_percent(row->numbers.high);
	double widest = fmax(fabs(low), fabs(high));
	char text[2 * NUMBER_BYTES + 16], from[NUMBER_BYTES], to[NUMBER_BYTES];
	int decimals = percent_decimals(isfinite(widest) ? widest : change);

	fill_percent(change, decimals, at->change, table);
	if (isfinite(low) && isfinite(high)) {
		snprintf(text, sizeof(text), "[%s .. %s]", percent_text(low, decimals, from),
			 percent_text(high, decimals, to));
		table_cell(table, at->interval, text);
	} else {
		table_cell(table, at->interval, "-");
	}
}

/* Two digits are what a p is good for. */
static const char *p_text(double p, char text[NUMBER_BYTES])
{
	if (!isfinite(p))
		snprintf(text, NUMBER_BYTES, "-");
	else if (p < 0.0001)
		snprintf(text, NUMBER_BYTES, "<0.0001");
	else
		snprintf(text, NUMBER_BYTES, "%.2g", p);
	return text;
}

static void fill_side(const struct compare_side *side, unsigned median, unsigned spread,
		      struct table *table)
{
	char text[NUMBER_BYTES];

	table_cell(table, median, number_short(side->n > 0 ? side->median : NAN, text));
	table_number(table, spread, side->n > 1 ? side->spread_percent : NAN,
		     side->spread_percent < 9.95 ? 1 : 0);
}

/* Why a row says no more than it does; 0 for no note. */
static unsigned row_note(const struct comparison *comparison, const struct comparison_row *row,
			 struct notes *notes)
{
	char text[640];

	if (row->numbers.verdict == COMPARE_NOTHING && row->numbers.reason[0])
		return note_number(notes, row->numbers.reason);
	if (row->primary && row->numbers.verdict == COMPARE_INCONCLUSIVE)
		return note_number(notes, comparison_reason(comparison, row, text, sizeof(text)));
	return 0;
}

static void fill_verdict(const struct comparison *comparison, const struct comparison_row *row,
			 const struct places *at, struct table *table, struct notes *notes)
{
	unsigned number = row_note(comparison, row, notes);
	char text[96], within[32] = "", mark[16] = "";

	if (row->numbers.verdict == COMPARE_SAME)
		snprintf(within, sizeof(within), " within %.3g%%", 100 * row->options.threshold);
	if (number > 0)
		snprintf(mark, sizeof(mark), " [%u]", number);
	snprintf(text, sizeof(text), "%s%s%s%s%s", row->primary ? "" : "(",
		 compare_verdict_name(row->numbers.verdict), within, row->primary ? "" : ")", mark);
	table_cell(table, at->verdict, text);
}

static void fill_name(const struct comparison_row *row, const struct places *at,
		      struct table *table)
{
	if (at->variant != COLUMN_ABSENT)
		table_cell(table, at->variant, row->variant);
	if (at->point != COLUMN_ABSENT)
		table_cell(table, at->point, row->point);
	if (at->stream != COLUMN_ABSENT)
		table_cell(table, at->stream, row->stream);
	table_cell(table, at->op_class, row->class);
	table_cell(table, at->metric, row->metric.name);
	table_cell(table, at->better, row->metric.higher_better ? "higher" : "lower");
}

static void fill_row(const struct comparison *comparison, const struct comparison_row *row,
		     const struct places *at, struct table *table, struct notes *notes)
{
	char text[NUMBER_BYTES];

	table_row(table);
	fill_name(row, at, table);
	fill_side(&row->numbers.base, at->base, at->base_spread, table);
	fill_side(&row->numbers.other, at->other, at->other_spread, table);
	fill_change(row, at, table);
	table_cell(table, at->p, p_text(row->primary ? row->numbers.p_holm : row->numbers.p, text));
	fill_verdict(comparison, row, at, table, notes);
}

static unsigned column_if(bool wanted, const char *head, struct table *table)
{
	return wanted ? table_column(table, "", head, TABLE_LEFT) : COLUMN_ABSENT;
}

static void add_columns(const struct comparison *comparison, const struct titles *titles,
			struct table *table, struct places *at)
{
	struct comparison_columns needed = comparison_columns(comparison);

	at->variant = column_if(needed.variant, "variant", table);
	at->point = column_if(needed.point, "point", table);
	at->stream = column_if(needed.stream, "stream", table);
	at->op_class = column_if(true, "class", table);
	at->metric = column_if(true, "metric", table);
	at->better = column_if(true, "better", table);
	at->base = table_column(table, titles->base, "median", TABLE_RIGHT);
	table_section(table);
	at->base_spread = table_column(table, titles->base, "±%", TABLE_RIGHT);
	at->other = table_column(table, titles->other, "median", TABLE_RIGHT);
	table_section(table);
	at->other_spread = table_column(table, titles->other, "±%", TABLE_RIGHT);
	at->change = table_column(table, "", "change", TABLE_RIGHT);
	table_section(table);
	at->interval = table_column(table, "", titles->interval, TABLE_RIGHT);
	at->p = table_column(table, "", "p (Holm)", TABLE_RIGHT);
	at->verdict = table_column(table, "", "verdict", TABLE_LEFT);
}

static void title_table(const struct comparison *comparison, unsigned side, struct titles *ret)
{
	const char *base = comparison->sides[0].label, *other = comparison->sides[side].label;
	double alpha = comparison->n_rows > 0 ? comparison->rows[0].options.alpha : COMPARE_ALPHA;

	comparison_label(base, LABEL_WIDTH, ret->base);
	comparison_label(other, LABEL_WIDTH, ret->other);
	if (strcmp(ret->base, ret->other) == 0)
		strcat(ret->other, " (2)"); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy) */
	snprintf(ret->interval, sizeof(ret->interval), "[%.4g%% CI]", 100 * (1 - alpha));
}

/* Whether the interval of a row excludes zero beyond the threshold. */
static bool moved(const struct comparison_row *row)
{
	return row->numbers.verdict == COMPARE_IMPROVED ||
	       row->numbers.verdict == COMPARE_REGRESSED;
}

static void fill_primary(const struct comparison *comparison, unsigned side,
			 const struct places *at, struct table *table, struct notes *notes)
{
	const char *point = NULL;

	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (row->side != side || !row->primary)
			continue;
		if (point && differ(point, row->point))
			table_gap(table);
		point = row->point;
		fill_row(comparison, row, at, table, notes);
	}
}

/* Rows that a mean is over: of one there is no mean to tell. */
static unsigned count_primary(const struct comparison *comparison, unsigned side,
			      bool higher_better)
{
	unsigned n = 0;

	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		n += row->side == side && row->primary &&
		     row->metric.higher_better == higher_better &&
		     row->numbers.verdict != COMPARE_NOTHING;
	}
	return n;
}

static void fill_geomeans(const struct comparison *comparison, unsigned side,
			  const struct places *at, struct table *table)
{
	bool first = true;

	for (int higher = 1; higher >= 0 && comparison->geomeans; higher--) {
		double mean = 100 * comparison->geomeans[side][higher];

		if (!isfinite(mean) || count_primary(comparison, side, higher) < 2)
			continue;
		if (first)
			table_gap(table);
		first = false;
		table_row(table);
		table_cell(table, at->metric, "geomean");
		table_cell(table, at->better, higher ? "higher" : "lower");
		fill_percent(mean, percent_decimals(mean), at->change, table);
	}
}

/* Descriptive rows of a side, and which of them are shown. */
struct descriptive {
	unsigned n, moved, shown;
};

static struct descriptive fill_descriptive(const struct comparison *comparison, unsigned side,
					   bool all, const struct places *at, struct table *table,
					   struct notes *notes)
{
	struct descriptive found = {.n = 0};
	char title[128];

	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (row->side != side || row->primary)
			continue;
		found.n++;
		found.moved += moved(row);
		if (!all && (!moved(row) || found.moved > MOVED_MAX))
			continue;
		if (found.shown++ == 0) {
			table_gap(table);
			snprintf(title, sizeof(title),
				 "descriptive, outside the family (p as it is): not counted above");
			table_words(table, table_row(table), 0, title);
		}
		fill_row(comparison, row, at, table, notes);
	}
	return found;
}

/* By chance alone, alpha of them would seem to have moved. */
static void print_descriptive(const struct comparison *comparison, const struct descriptive *found,
			      FILE *stream)
{
	double alpha = comparison->n_rows > 0 ? comparison->rows[0].options.alpha : COMPARE_ALPHA;
	char text[320], shown[64] = "";

	if (found->n == 0 || found->shown == found->n)
		return;
	if (found->shown < found->moved)
		snprintf(shown, sizeof(shown), ", %u of them shown", found->shown);
	if (found->moved == 0)
		snprintf(text, sizeof(text),
			 "None of %u descriptive metrics moved beyond its threshold (orion-sim "
			 "compare --all shows them).",
			 found->n);
	else
		snprintf(text, sizeof(text),
			 "Of %u descriptive metrics %u moved beyond the threshold%s; where nothing "
			 "changed, up to %.0f would by chance (orion-sim compare --all shows all).",
			 found->n, found->moved, shown, ceil(alpha * found->n));
	fputc('\n', stream);
	print_paragraph("", text, COMPARISON_WIDTH, stream);
}

static int print_side(const struct comparison *comparison, unsigned side, bool all,
		      struct notes *notes, FILE *stream)
{
	struct table table = {.width_max = COMPARISON_WIDTH};
	struct titles titles;
	struct places at;
	struct descriptive found;
	int rc;

	title_table(comparison, side, &titles);
	add_columns(comparison, &titles, &table, &at);
	fill_primary(comparison, side, &at, &table, notes);
	fill_geomeans(comparison, side, &at, &table);
	found = fill_descriptive(comparison, side, all, &at, &table, notes);
	fputc('\n', stream);
	rc = table_print(&table, stream);
	print_descriptive(comparison, &found, stream);
	table_free(&table);
	return rc;
}

int comparison_tables(const struct comparison *comparison, bool all, FILE *stream)
{
	struct notes notes = {.n = 0};
	int rc = 0;

	for (unsigned side = 1; side < comparison->n_sides && rc == 0; side++)
		rc = print_side(comparison, side, all, &notes, stream);
	notes_print(&notes, COMPARISON_WIDTH, stream);
	notes_free(&notes);
	return rc;
}
