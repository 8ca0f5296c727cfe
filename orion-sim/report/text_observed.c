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
};

static int pivot_make(const struct rows *rows, struct pivot *ret)
{
	*ret = (struct pivot){.rows = rows};
	ret->points = calloc(rows->n + 1, sizeof(*ret->points));
	for (unsigned i = 0; ret->points && i < rows->n; i++)
		if (rows->rows[i].first && rows->rows[i].shape && rows->rows[i].shape->counted)
			ret->points[ret->n_points++] = &rows->rows[i];
	return ret->points ? 0 : -ENOMEM;
}

static double counter_median(const struct row *row, const char *name)
{
	const struct metric metric = {.name = name, .unit = SUMMARY_COUNTER_UNIT};

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

	for (unsigned i = 0; i < pivot->rows->n_counters; i++) {
		double median = counter_median(pivot->points[p], pivot->rows->counters[i]);

		if (text_width(number_format(median, 0, number)) > width)
			width = text_width(number_format(median, 0, number));
	}
	return width;
}

/* How many points from the first on fit beside the names. */
static unsigned pivot_fits(const struct pivot *pivot, unsigned first)
{
	size_t used = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < pivot->rows->n_counters; i++)
		if (text_width(pivot->rows->counters[i]) > used)
			used = text_width(pivot->rows->counters[i]);

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
		table_column(&table, "grew by", point_head(pivot, first + p, heads[p]),
			     TABLE_RIGHT);
	for (unsigned i = 0; i < pivot->rows->n_counters; i++) {
		table_row(&table);
		table_cell(&table, 0, pivot->rows->counters[i]);
		for (unsigned p = 0; p < n; p++)
			table_number(
				&table, p + 1,
				counter_median(pivot->points[first + p], pivot->rows->counters[i]),
				0);
	}
	fputc('\n', stream);
	rc = table_print(&table, stream);
	table_free(&table);
	return rc;
}

int text_counters(const struct rows *rows, FILE *stream)
{
	struct pivot pivot;
	int rc = rows->n_counters ? pivot_make(rows, &pivot) : 0;

	if (rc < 0 || rows->n_counters == 0)
		return rc;
	for (unsigned first = 0, n; rc == 0 && first < pivot.n_points; first += n) {
		n = pivot_fits(&pivot, first);
		rc = pivot_print(&pivot, first, n, stream);
	}
	print_paragraph("",
			"Counters are what the kernel counted on the whole machine in the measure "
			"phase, medians over the repeats; those that never changed are left out.",
			TEXT_WIDTH, stream);
	free(pivot.points);
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
