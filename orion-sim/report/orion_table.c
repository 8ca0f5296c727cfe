/* SPDX-License-Identifier: MIT */
/* orion_table.c - points of a result by their small and large loads, and figures of them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "report/orion.h"
#include "report/output.h"
#include "report/rows.h"
#include "stats/result.h"
#include "stats/summary.h"

static unsigned load_of(const struct result_point *point, const char *axis)
{
	const char *text = point_coordinate(point, axis);
	uint64_t load;

	return text && units_parse_count(text, &load, NULL) == 0 ? (unsigned)load : 0;
}

static int load_compare(const void *a, const void *b)
{
	unsigned one = *(const unsigned *)a, other = *(const unsigned *)b;

	return one < other ? -1 : one > other;
}

/* Sorted, and each once; returns how many are left. */
static unsigned loads_tidy(unsigned *loads, unsigned n)
{
	unsigned kept = 0;

	qsort(loads, n, sizeof(*loads), load_compare);
	for (unsigned i = 0; i < n; i++)
		if (kept == 0 || loads[kept - 1] != loads[i])
			loads[kept++] = loads[i];
	return kept;
}

int orion_table_make(const struct result *result, struct orion_table *ret, struct error *error)
{
	const struct result_variant *variant = result->n_variants ? &result->variants[0] : NULL;
	unsigned n = variant ? variant->n_points : 0;
	struct orion_table table = {.result = result};

	table.cells = calloc(n + 1u, sizeof(*table.cells));
	table.small = calloc(n + 1u, sizeof(*table.small));
	table.large = calloc(n + 1u, sizeof(*table.large));
	if (!table.cells || !table.small || !table.large) {
		orion_table_free(&table);
		return error_set(error, -ENOMEM, "no memory for the report");
	}
	for (unsigned p = 0; p < n; p++) {
		struct orion_cell cell = {.point = &variant->points[p]};

		cell.small = load_of(cell.point, ORION_SMALL);
		cell.large = load_of(cell.point, ORION_LARGE);
		if (cell.small == 0 && cell.large == 0)
			continue;
		table.cells[table.n] = cell;
		table.small[table.n] = cell.small;
		table.large[table.n++] = cell.large;
	}
	table.n_small = loads_tidy(table.small, table.n);
	table.n_large = loads_tidy(table.large, table.n);
	if (table.n == 0) {
		orion_table_free(&table);
		return error_set(error, ERROR_INPUT,
				 "no point of the result has an axis '" ORION_SMALL
				 "' or '" ORION_LARGE
				 "', so that there is nothing to show as Orion does; name another "
				 "format");
	}
	*ret = table;
	return 0;
}

void orion_table_free(struct orion_table *table)
{
	free(table->cells);
	free(table->small);
	free(table->large);
	*table = (struct orion_table){.n = 0};
}

int orion_write(const struct result *result,
		void (*print)(const struct orion_table *table, const void *context, FILE *output),
		const void *context, FILE *stream, struct error *error)
{
	struct orion_table table;
	struct output output;
	int rc = orion_table_make(result, &table, error);

	if (rc < 0)
		return rc;
	rc = output_begin(&output, error);
	if (rc == 0) {
		print(&table, context, output.stream);
		rc = output_end(&output, stream, error);
	}
	orion_table_free(&table);
	return rc;
}

const struct orion_cell *orion_table_find(const struct orion_table *table, unsigned small,
					  unsigned large)
{
	for (unsigned i = 0; i < table->n; i++)
		if (table->cells[i].small == small && table->cells[i].large == large)
			return &table->cells[i];
	return NULL;
}

unsigned orion_table_points(const struct orion_table *table)
{
	bool has_row = table->large[0] == 0, has_column = table->small[0] == 0;
	/* Of a row or column alone, nothing shows but its other points. */
	bool row_alone = has_row && table->n_large == 1 && table->n > 1;
	bool column_alone = has_column && table->n_small == 1 && table->n > 1;

	return table->n + ((has_row && has_column) || row_alone || column_alone);
}

static const struct result_stream *stream_of(const struct result_repeat *repeat, const char *label,
					     unsigned *ret)
{
	for (unsigned s = 0; s < repeat->n_streams; s++)
		if (strcmp(repeat->streams[s].label, label) == 0) {
			*ret = s;
			return &repeat->streams[s];
		}
	return NULL;
}

double orion_value(const struct orion_cell *cell, const char *stream, const char *metric)
{
	const struct metric *found = summary_metric(metric);
	unsigned s = 0;

	for (unsigned r = 0; r < cell->point->n_repeats; r++) {
		const struct result_repeat *repeat = &cell->point->repeats[r];

		if (result_repeat_counts(repeat) && stream_of(repeat, stream, &s))
			return summary_spread(cell->point, s, 0, found).median;
	}
	return NAN;
}

const struct orion_cell *orion_table_best(const struct orion_table *table, const char *stream,
					  const char *metric, bool least)
{
	const struct orion_cell *best = NULL;
	double best_value = NAN;

	for (unsigned i = 0; i < table->n; i++) {
		double value = orion_value(&table->cells[i], stream, metric);

		if (isnan(value) || (best && (least ? value >= best_value : value <= best_value)))
			continue;
		best = &table->cells[i];
		best_value = value;
	}
	return best;
}
