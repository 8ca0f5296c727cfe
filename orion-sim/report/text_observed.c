/* SPDX-License-Identifier: MIT */
/* text_observed.c - what was seen beside the work: counters of the kernel, hot functions. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "report/numbers.h"
#include "report/rows.h"
#include "report/table.h"
#include "report/text_parts.h"

#define HEAD_BYTES	96
#define FUNCTIONS_SHOWN 10
#define SENTENCE_BYTES	2048

/* Counters down, points across: names of both are long, and points are often few. */
struct pivot {
	const struct rows *rows;
	unsigned n_points;
	const struct row **points; /* owned: first rows of the points that were counted */
	unsigned n_names;
	const char **names; /* owned; lent by the result */
	size_t name_width;
};

static bool row_is_counted(const struct row *row)
{
	return row->first && row->shape && row->shape->counted;
}

static bool pivot_has(const struct pivot *pivot, const char *name)
{
	for (unsigned i = 0; i < pivot->n_names; i++)
		if (strcmp(pivot->names[i], name) == 0)
			return true;
	return false;
}

static int pivot_add_names(struct pivot *pivot, const struct result_repeat *repeat)
{
	for (unsigned i = 0; i < repeat->n_counters; i++) {
		const char *name = repeat->counters[i].name, **grown;

		if (pivot_has(pivot, name))
			continue;
		grown = reallocarray(pivot->names, pivot->n_names + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		pivot->names = grown;
		grown[pivot->n_names++] = name;
		if (text_width(name) > pivot->name_width)
			pivot->name_width = text_width(name);
	}
	return 0;
}

static int pivot_add(struct pivot *pivot, const struct row *row)
{
	pivot->points[pivot->n_points++] = row;
	for (unsigned r = 0; r < row->point->n_repeats; r++)
		if (result_repeat_counts(&row->point->repeats[r]) &&
		    pivot_add_names(pivot, &row->point->repeats[r]) < 0)
			return -ENOMEM;
	return 0;
}

static void pivot_free(struct pivot *pivot)
{
	free(pivot->points);
	free(pivot->names);
}

static int pivot_make(const struct rows *rows, struct pivot *ret)
{
	struct pivot pivot = {.rows = rows};
	int rc = 0;

	pivot.points = calloc(rows->n + 1, sizeof(*pivot.points));
	if (!pivot.points)
		return -ENOMEM;
	for (unsigned i = 0; rc == 0 && i < rows->n; i++)
		if (row_is_counted(&rows->rows[i]))
			rc = pivot_add(&pivot, &rows->rows[i]);
	if (rc < 0)
		pivot_free(&pivot);
	else
		*ret = pivot;
	return rc;
}

static double counter_median(const struct row *row, const char *name)
{
	const struct metric metric = {.name = name};

	return summary_spread(row->point, row->stream, row->op_class, &metric).median;
}

static const char *point_head(const struct pivot *pivot, unsigned p, char head[HEAD_BYTES])
{
	const struct row *row = pivot->points[p];
	char name[256] = "", point[192];

	point_name(row->point, point, sizeof(point));
	if (rows_have_variants(pivot->rows))
		snprintf(name, sizeof(name), "%.60s %s", row->variant->label, point);
	return words_quote(name[0] ? name : point, head, HEAD_BYTES);
}

static size_t point_width(const struct pivot *pivot, unsigned p)
{
	char head[HEAD_BYTES], number[NUMBER_BYTES];
	size_t width = text_width(point_head(pivot, p, head));

	for (unsigned i = 0; i < pivot->n_names; i++) {
		double median = counter_median(pivot->points[p], pivot->names[i]);

		if (text_width(number_format(median, 0, number)) > width)
			width = text_width(number_format(median, 0, number));
	}
	return width;
}

/* How many points from the first on fit beside the names. */
static unsigned pivot_fits(const struct pivot *pivot, unsigned first)
{
	size_t used = pivot->name_width;
	unsigned n = 0;

	while (first + n < pivot->n_points && n + 1 < TABLE_COLUMNS_MAX) {
		used += 2 + point_width(pivot, first + n);
		if (n > 0 && used > TEXT_WIDTH)
			break;
		n++;
	}
	return n;
}

static int pivot_print(const struct pivot *pivot, unsigned first, unsigned n, FILE *stream)
{
	char heads[TABLE_COLUMNS_MAX][HEAD_BYTES];
	struct table table = {.width_max = TEXT_WIDTH};
	int rc;

	table_column(&table, "", "counter", TABLE_LEFT);
	for (unsigned p = 0; p < n; p++)
		table_column(&table, "grew by", point_head(pivot, first + p, heads[p]), TABLE_RIGHT);
	for (unsigned i = 0; i < pivot->n_names; i++) {
		table_row(&table);
		table_cell(&table, 0, pivot->names[i]);
		for (unsigned p = 0; p < n; p++)
			table_number(&table, p + 1,
				     counter_median(pivot->points[first + p], pivot->names[i]), 0);
	}
	fputc('\n', stream);
	rc = table_print(&table, stream);
	table_free(&table);
	return rc;
}

int text_counters(const struct rows *rows, FILE *stream)
{
	struct pivot pivot = {.n_points = 0};
	int rc = pivot_make(rows, &pivot);

	if (rc < 0)
		return rc;
	for (unsigned first = 0, n; rc == 0 && pivot.n_names > 0 && first < pivot.n_points;
	     first += n) {
		n = pivot_fits(&pivot, first);
		rc = pivot_print(&pivot, first, n, stream);
	}
	if (pivot.n_names > 0)
		print_paragraph("",
				"Counters are what the kernel counted on the whole machine in the "
				"measure phase, medians over the repeats; those that never changed "
				"are left out.",
				TEXT_WIDTH, stream);
	pivot_free(&pivot);
	return rc;
}

static const struct result_repeat *point_sampled(const struct result_point *point)
{
	for (unsigned r = 0; r < point->n_repeats; r++)
		if (point->repeats[r].sampled)
			return &point->repeats[r];
	return NULL;
}

static double sampling_busy(const struct result_sampling *sampling)
{
	return (double)(sampling->kernel + sampling->unresolved + sampling->user);
}

static size_t append_functions(const struct result_sampling *sampling, char *text, size_t used)
{
	char number[NUMBER_BYTES];

	for (unsigned i = 0; i < sampling->n_functions && i < FUNCTIONS_SHOWN; i++) {
		const struct result_function *function = &sampling->functions[i];

		if (used >= SENTENCE_BYTES)
			break;
		used += (size_t)snprintf(text + used, SENTENCE_BYTES - used, "%s%s %% %s",
					 i ? ", " : "", number_format(function->percent, 1, number),
					 function->name);
	}
	return used;
}

static void append_rest(const struct result_sampling *sampling, char *text, size_t used)
{
	char user[NUMBER_BYTES], samples[NUMBER_BYTES], lost[NUMBER_BYTES];
	double busy = sampling_busy(sampling);

	if (used >= SENTENCE_BYTES)
		return;
	used += (size_t)snprintf(text + used, SENTENCE_BYTES - used,
				 "%s%s %% user space; of %s busy samples",
				 sampling->n_functions ? "; " : "",
				 number_format(100 * (double)sampling->user / busy, 1, user),
				 number_format(busy, 0, samples));
	if (sampling->lost && used < SENTENCE_BYTES)
		used += (size_t)snprintf(text + used, SENTENCE_BYTES - used, ", %s were lost",
					 number_format((double)sampling->lost, 0, lost));
	if (used < SENTENCE_BYTES)
		snprintf(text + used, SENTENCE_BYTES - used, ".");
}

static void print_functions(const char *name, const struct result_repeat *repeat, FILE *stream)
{
	const struct result_sampling *sampling = &repeat->sampling;
	char text[SENTENCE_BYTES];
	size_t used;

	if (repeat->status != RESULT_OK) {
		snprintf(text, sizeof(text), "Hottest kernel functions of %s: not sampled, %s.",
			 name, repeat->reason);
	} else if (sampling_busy(sampling) == 0) {
		snprintf(text, sizeof(text), "Hottest kernel functions of %s: no CPU was busy.",
			 name);
	} else {
		used = (size_t)snprintf(text, sizeof(text),
					"Hottest kernel functions of %s (%s, idle left out): ",
					name, sampling->event);
		used = append_functions(sampling, text, used);
		append_rest(sampling, text, used);
	}
	print_paragraph("", text, TEXT_WIDTH, stream);
}

/* A timer does not come through while interrupts are off. */
static void print_skid(const char *event, FILE *stream)
{
	if (strcmp(event, "cpu-clock") == 0)
		print_paragraph("",
				"cpu-clock is a timer: what runs with interrupts off is seen where "
				"it lets them in again, as in _raw_spin_unlock_irqrestore.",
				TEXT_WIDTH, stream);
}

void text_functions(const struct rows *rows, FILE *stream)
{
	const char *event = NULL;

	for (unsigned i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];
		const struct result_repeat *repeat = point_sampled(row->point);
		char name[256], point[192];

		if (!row->first || !repeat)
			continue;
		if (!event)
			fputc('\n', stream);
		event = repeat->sampling.event;
		point_name(row->point, point, sizeof(point));
		snprintf(name, sizeof(name), "%.60s%s%s",
			 rows_have_variants(rows) ? row->variant->label : "",
			 rows_have_variants(rows) ? " " : "", point);
		print_functions(name, repeat, stream);
	}
	if (event)
		print_skid(event, stream);
}
