/* SPDX-License-Identifier: MIT */
/* table.c - aligned columns under headers of two lines, and rows that end in words. */
#include "report/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "report/numbers.h"

void table_free(struct table *table)
{
	for (unsigned r = 0; r < table->n_rows; r++)
		for (unsigned c = 0; c < table->n_columns; c++)
			free(table->rows[r].cells[c]);
	free(table->rows);
	*table = (struct table){.n_rows = 0};
}

unsigned table_column(struct table *table, const char *group, const char *head,
		      enum table_align align)
{
	if (table->n_columns == TABLE_COLUMNS_MAX)
		return TABLE_COLUMNS_MAX - 1;
	table->columns[table->n_columns] = (struct table_column){
		.group = group, .head = head, .align = align, .width = text_width(head)};
	return table->n_columns++;
}

void table_section(struct table *table)
{
	table->columns[table->n_columns - 1].section = true;
}

void table_gap(struct table *table)
{
	table_row(table);
}

unsigned table_row(struct table *table)
{
	struct table_row *rows = realloc(table->rows, (table->n_rows + 1) * sizeof(*table->rows));

	if (!rows) {
		table->failed = true;
		return 0;
	}
	table->rows = rows;
	rows[table->n_rows] = (struct table_row){.words = -1};
	return table->n_rows++;
}

static void set_cell(struct table *table, unsigned row, unsigned column, const char *text)
{
	size_t size = strlen(text) * 4 + 1; /* \x1b for a byte at most */
	char *copy = malloc(size);

	if (!copy || row >= table->n_rows) {
		table->failed = true;
		free(copy);
		return;
	}
	words_quote(text, copy, size);
	free(table->rows[row].cells[column]);
	table->rows[row].cells[column] = copy;
}

void table_cell(struct table *table, unsigned column, const char *text)
{
	struct table_column *to = &table->columns[column];

	set_cell(table, table->n_rows - 1, column, text);
	if (text_width(text) > to->width)
		to->width = text_width(text);
}

void table_number(struct table *table, unsigned column, double value, int decimals)
{
	char text[NUMBER_BYTES];

	table_cell(table, column, number_format(value, decimals, text));
}

void table_words(struct table *table, unsigned row, unsigned column, const char *text)
{
	set_cell(table, row, column, text);
	if (row < table->n_rows)
		table->rows[row].words = (int)column;
}

/* Blanks in front of a column. */
struct gaps {
	size_t inside, between; /* columns of a section, sections */
};

static size_t gap_before(const struct table *table, unsigned column, struct gaps gaps)
{
	if (column == 0)
		return 0;
	return table->columns[column].section ? gaps.between : gaps.inside;
}

/* Columns first … last as they stand, a group's own width not counted. */
static size_t span_width(const struct table *table, unsigned first, unsigned last, struct gaps gaps)
{
	size_t width = 0;

	for (unsigned c = first; c <= last && c < table->n_columns; c++)
		width += table->columns[c].width + (c > first ? gap_before(table, c, gaps) : 0);
	return width;
}

static unsigned group_last(const struct table *table, unsigned first)
{
	unsigned last = first;

	while (last + 1 < table->n_columns && table->columns[first].group[0] &&
	       strcmp(table->columns[last + 1].group, table->columns[first].group) == 0)
		last++;
	return last;
}

/* A group wider than its columns widens the first of them. */
static struct table widened(const struct table *table, struct gaps gaps)
{
	struct table copy = *table;

	for (unsigned c = 0; c < copy.n_columns; c = group_last(&copy, c) + 1) {
		size_t need = text_width(copy.columns[c].group);
		size_t have = span_width(&copy, c, group_last(&copy, c), gaps);

		if (need > have)
			copy.columns[c].width += need - have;
	}
	return copy;
}

/* Columns as wide as they will be printed, with the widest gaps that there is room for. */
static struct table laid_out(const struct table *table, struct gaps *ret_gaps)
{
	static const struct gaps choices[] = {{2, 3}, {2, 2}, {1, 3}, {1, 2}, {1, 1}};
	struct table wide;

	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
		*ret_gaps = choices[i];
		wide = widened(table, choices[i]);
		if (span_width(&wide, 0, wide.n_columns - 1, choices[i]) <= table->width_max)
			break;
	}
	return wide;
}

size_t table_room(const struct table *table, unsigned column)
{
	struct gaps gaps;
	struct table layout = laid_out(table, &gaps);

	return span_width(&layout, column, layout.n_columns - 1, gaps);
}

static void print_blanks(size_t n, FILE *stream)
{
	fprintf(stream, "%*s", (int)n, "");
}

static void print_cell(const char *text, size_t width, enum table_align align, bool last,
		       FILE *stream)
{
	size_t pad = text_width(text) < width ? width - text_width(text) : 0;

	if (align == TABLE_RIGHT)
		print_blanks(pad, stream);
	fputs(text, stream);
	if (align == TABLE_LEFT && !last)
		print_blanks(pad, stream);
}

/* A name over several columns is drawn out to both ends: "--- latency, us ---". Returns the blanks
 * that are owed behind it. */
static size_t print_group(const char *name, size_t width, bool shared, FILE *stream)
{
	size_t pad = width - text_width(name), left = pad / 2;

	if (!shared || pad < 4) {
		print_blanks(shared ? left : pad, stream);
		fputs(name, stream);
		return shared ? pad - left : 0;
	}
	for (size_t i = 0; i + 1 < left; i++)
		fputc('-', stream);
	fprintf(stream, " %s ", name);
	for (size_t i = 0; i + 1 < pad - left; i++)
		fputc('-', stream);
	return 0;
}

static void print_groups(const struct table *layout, struct gaps gaps, FILE *stream)
{
	size_t owed = 0; /* blanks that are printed only where something follows */

	for (unsigned c = 0; c < layout->n_columns;) {
		unsigned last = group_last(layout, c);
		const struct table_column *column = &layout->columns[c];
		size_t width = span_width(layout, c, last, gaps);
		bool left = column->align == TABLE_LEFT && last == c;

		owed += gap_before(layout, c, gaps);
		if (column->group[0]) {
			print_blanks(owed, stream);
			owed = print_group(column->group, left ? text_width(column->group) : width,
					   last > c, stream);
			owed += left ? width - text_width(column->group) : 0;
		} else {
			owed += width;
		}
		c = last + 1;
	}
	fputc('\n', stream);
}

static void print_heads(const struct table *layout, struct gaps gaps, FILE *stream)
{
	for (unsigned c = 0; c < layout->n_columns; c++) {
		const struct table_column *column = &layout->columns[c];

		print_blanks(gap_before(layout, c, gaps), stream);
		print_cell(column->head, column->width, column->align, c + 1 == layout->n_columns,
			   stream);
	}
	fputc('\n', stream);
}

static void print_row(const struct table *layout, const struct table_row *row, struct gaps gaps,
		      FILE *stream)
{
	unsigned n = 0;

	for (unsigned c = 0; c < layout->n_columns; c++)
		if (row->cells[c] && row->cells[c][0])
			n = c + 1;
	for (unsigned c = 0; c < n; c++) {
		const struct table_column *column = &layout->columns[c];
		bool words = row->words == (int)c;

		print_blanks(gap_before(layout, c, gaps), stream);
		print_cell(row->cells[c] ? row->cells[c] : "", words ? 0 : column->width,
			   words ? TABLE_LEFT : column->align, c + 1 == n, stream);
	}
	fputc('\n', stream);
}

int table_print(const struct table *table, FILE *stream)
{
	struct gaps gaps;
	struct table layout = laid_out(table, &gaps);

	if (table->failed)
		return -ENOMEM;
	print_groups(&layout, gaps, stream);
	print_heads(&layout, gaps, stream);
	for (unsigned r = 0; r < layout.n_rows; r++)
		print_row(&layout, &layout.rows[r], gaps, stream);
	return 0;
}
