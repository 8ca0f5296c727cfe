/* SPDX-License-Identifier: MIT */
/* orion_trace.c - the report of every figure of every load, unprocessed, in place of Orion's trace.
 */
#include <inttypes.h>

#include "base/error.h"
#include "report/numbers.h"
#include "report/orion.h"
#include "report/report.h"
#include "report/rows.h"
#include "stats/result.h"

extern const struct report_ops report_orion_trace;

static void class_print(const struct result_stream *in, const struct result_class *class,
			FILE *stream)
{
	fputs("  ", stream);
	print_safely(in->label, stream);
	fputc(' ', stream);
	print_safely(class->name, stream);
	fprintf(stream,
		": ops=%" PRIu64 " bytes=%" PRIu64 " errors=%" PRIu64 " shorts=%" PRIu64
		" retries=%" PRIu64 " seconds=%.6f min_ns=%" PRIu64 " mean_ns=%.0f max_ns=%" PRIu64,
		class->tally.ops, class->tally.bytes, class->tally.errors, class->tally.shorts,
		class->tally.retries, class->duration_s, class->min_ns, class->mean_ns,
		class->max_ns);
	for (unsigned i = 0; i < RESULT_PERCENTILES; i++)
		fprintf(stream, " p%g_ns=%" PRIu64, result_percentiles[i], class->percentile_ns[i]);
	fprintf(stream, " workers=%u in_flight=%.2f\n", in->workers, in->mean_in_flight);
	for (unsigned i = 0; i < class->n_intervals; i++) {
		const struct result_interval *interval = &class->intervals[i];

		fprintf(stream,
			"    at %.3f s for %.3f s: ops=%" PRIu64 " bytes=%" PRIu64
			" p50_ns=%" PRIu64 " p99_ns=%" PRIu64 " max_ns=%" PRIu64 "\n",
			interval->begin_s, interval->duration_s, interval->ops, interval->bytes,
			interval->p50_ns, interval->p99_ns, interval->max_ns);
	}
}

static void repeat_print(const struct result_repeat *repeat, FILE *stream)
{
	for (unsigned s = 0; s < repeat->n_streams; s++)
		for (unsigned c = 0; c < repeat->streams[s].n_classes; c++)
			class_print(&repeat->streams[s], &repeat->streams[s].classes[c], stream);
}

static void cell_print(const struct orion_cell *cell, FILE *stream)
{
	const char *reason = point_reason(cell->point);

	fprintf(stream, "Small=%u Large=%u: %s", cell->small, cell->large,
		result_status_name(point_status(cell->point)));
	if (reason) {
		fputs(", because ", stream);
		print_safely(reason, stream);
	}
	fputc('\n', stream);
	for (unsigned r = 0; r < cell->point->n_repeats; r++)
		repeat_print(&cell->point->repeats[r], stream);
}

static void trace_print(const struct orion_table *table, const void *context, FILE *stream)
{
	for (unsigned i = 0; i < table->n; i++)
		cell_print(&table->cells[i], stream);
}

static int write_trace(const struct result *result, FILE *stream, struct error *error)
{
	return orion_write(result, trace_print, NULL, stream, error);
}

const struct report_ops report_orion_trace = {
	.entry = {.name = "orion-trace", .summary = "every figure of every load, unprocessed"},
	.write = write_trace};
