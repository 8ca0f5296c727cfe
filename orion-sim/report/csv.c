/* SPDX-License-Identifier: MIT */
/* csv.c - the report for spreadsheets: a line for each repeat of each class. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "report/figures.h"
#include "report/nodes.h"
#include "report/output.h"
#include "report/report.h"
#include "report/rows.h"
#include "stats/result.h"
#include "stats/summary.h"

extern const struct report_ops report_csv;

/* What a line is about; null where the point has no such thing. */
struct line {
	const struct result_variant *variant;
	const struct result_point *point;
	const struct result_repeat *repeat;
	const struct result_stream *stream;
	const struct result_class *class;
};

/* RFC 4180: quoted where it must be, quotes doubled. */
static void write_text(const char *text, FILE *stream)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, stream);
		return;
	}
	fputc('"', stream);
	for (; *text; text++)
		fprintf(stream, *text == '"' ? "\"\"" : "%c", *text);
	fputc('"', stream);
}

static const char *reason_of(const struct line *line)
{
	if (line->repeat && line->repeat->reason[0])
		return line->repeat->reason;
	return line->repeat ? "" : line->point->reason;
}

static void write_identity(const struct line *line, FILE *stream)
{
	write_text(line->variant->label, stream);
	fputc(',', stream);
	write_text(line->point->label, stream);
	fputc(',', stream);
	if (line->repeat)
		fprintf(stream, "%u", line->repeat->index);
	fprintf(stream, ",%s,",
		result_status_name(line->repeat ? line->repeat->status
						: point_status(line->point)));
	write_text(reason_of(line), stream);
	fputc(',', stream);
	write_text(line->stream ? line->stream->label : "", stream);
	fputc(',', stream);
	write_text(line->class ? line->class->name : "", stream);
	fputc(',', stream);
	write_text(line->class ? line->class->unit : "", stream);
}

#define IDENTITY "variant,point,repeat,status,reason,stream,class,unit"

static double count_ops(const struct line *line)
{
	return (double)line->class->tally.ops;
}

static double count_bytes(const struct line *line)
{
	return (double)line->class->tally.bytes;
}

static double duration(const struct line *line)
{
	return line->class->duration_s;
}

static double page_bytes(const struct line *line)
{
	uint64_t bytes = repeat_page_bytes(line->repeat);

	return bytes > 0 ? (double)bytes : NAN;
}

/* A figure comes from a metric of stats, from the repeat, or from the line. */
struct column {
	const char *name, *metric;
	double (*of_repeat)(const struct result_repeat *);
	double (*of_line)(const struct line *);
	int decimals;
};

static const struct column columns[] = {
	{.name = "ops", .of_line = count_ops},
	{.name = "bytes", .of_line = count_bytes},
	{.name = "errors", .metric = "errors"},
	{.name = "shorts", .metric = "shorts"},
	{.name = "retries", .metric = "retries"},
	{.name = "duration_s", .of_line = duration, .decimals = 6},
	{.name = "iops", .metric = "iops", .decimals = 3},
	{.name = "mbps", .metric = "mbps", .decimals = 3},
	{.name = "mibps", .metric = "mibps", .decimals = 3},
	{.name = "mean_us", .metric = "mean_us", .decimals = 3},
	{.name = "p50_us", .metric = "p50_us", .decimals = 3},
	{.name = "p90_us", .metric = "p90_us", .decimals = 3},
	{.name = "p99_us", .metric = "p99_us", .decimals = 3},
	{.name = "p999_us", .metric = "p999_us", .decimals = 3},
	{.name = "p9999_us", .metric = "p9999_us", .decimals = 3},
	{.name = "max_us", .metric = "max_us", .decimals = 3},
	{.name = "submit_us", .metric = "submit_us", .decimals = 3},
	{.name = "cpu_us", .metric = "cpu_us", .decimals = 3},
	{.name = "process_cpu_us", .of_repeat = figure_process_cpu_us, .decimals = 3},
	{.name = "minor_faults_per_op", .metric = "faults", .decimals = 6},
	{.name = "switches_per_op", .metric = "switches", .decimals = 6},
	{.name = "little", .metric = "little", .decimals = 4},
	{.name = "busy_percent", .of_repeat = figure_busy_percent, .decimals = 2},
	{.name = "irq_percent", .of_repeat = figure_irq_percent, .decimals = 2},
	{.name = "softirq_percent", .of_repeat = figure_softirq_percent, .decimals = 2},
	{.name = "steal_percent", .of_repeat = figure_steal_percent, .decimals = 2},
	{.name = "device_request_bytes", .of_repeat = figure_request_bytes},
	{.name = "device_share", .of_repeat = figure_device_share, .decimals = 4},
	{.name = "memory_page_bytes", .of_line = page_bytes},
	{.name = "memory_got_percent", .of_repeat = figure_got_percent, .decimals = 3},
	{.name = "memory_got_end_percent", .of_repeat = figure_got_end_percent, .decimals = 3},
	{.name = "memory_placed_percent", .of_repeat = figure_placed_percent, .decimals = 3},
	{.name = "memory_placed_end_percent",
	 .of_repeat = figure_placed_end_percent,
	 .decimals = 3},
	{.name = "cycles_per_op", .metric = "cycles_per_op", .decimals = 3},
	{.name = "instructions_per_op", .metric = "instructions_per_op", .decimals = 3},
	{.name = "dtlb_misses_per_op", .metric = "dtlb_misses_per_op", .decimals = 6},
	{.name = "page_table_bytes", .metric = "page_table_bytes"},
	{.name = "vm_pte_bytes", .metric = "vm_pte_bytes"},
	{.name = "warmup_s", .of_repeat = figure_warmup_s, .decimals = 3},
	{.name = "warmup_rounds", .of_repeat = figure_warmup_rounds},
	{.name = "warmup_reached", .of_repeat = figure_warmup_reached},
	{.name = "warmup_range_percent", .of_repeat = figure_warmup_range_percent, .decimals = 3},
	{.name = "warmup_slope_percent", .of_repeat = figure_warmup_slope_percent, .decimals = 3},
	{.name = NULL}};

static double column_value(const struct column *column, const struct line *line)
{
	if (!line->class)
		return NAN;
	if (column->of_line)
		return column->of_line(line);
	if (column->of_repeat)
		return column->of_repeat(line->repeat);
	return summary_metric(column->metric)->value(line->repeat, line->stream, line->class);
}

#define DERIVED_MAX 64

/* A column for each figure that a workload of the result declares, in the line of the first class.
 */
static void write_derived(const struct rows *rows, const struct line *line, FILE *stream)
{
	const char *names[DERIVED_MAX];
	unsigned n = rows_derived(rows, names, DERIVED_MAX);

	for (unsigned i = 0; i < n; i++) {
		const struct metric metric = {.name = names[i]};
		double value =
			line->class ? summary_derived_value(&metric, line->stream, line->class)
				    : NAN;

		fputc(',', stream);
		if (isfinite(value))
			fprintf(stream, "%.9g", value);
	}
}

/* A column for each counter of the kernel, in the line of the first class of the first stream. */
static void write_counters(const struct rows *rows, const struct line *line, FILE *stream)
{
	for (unsigned i = 0; i < rows->n_counters; i++) {
		const struct metric metric = {.name = rows->counters[i]};
		double value = line->class ? summary_counter_value(&metric, line->repeat,
								   line->stream, line->class)
					   : NAN;

		fputc(',', stream);
		if (isfinite(value))
			fprintf(stream, "%.0f", value);
	}
}

/* Last, so that every other column keeps its place whatever the axes are. */
static void write_coordinates(const struct rows *rows, const struct result_point *point,
			      FILE *stream)
{
	for (unsigned i = 0; i < rows->n_axes; i++) {
		const char *value = point_coordinate(point, rows->axes[i]);

		fputc(',', stream);
		write_text(value ? value : "", stream);
	}
	fputc('\n', stream);
}

static void write_line(const struct rows *rows, const struct line *line, FILE *stream)
{
	write_identity(line, stream);
	for (const struct column *column = columns; column->name; column++) {
		double value = column_value(column, line);

		fputc(',', stream);
		if (isfinite(value))
			fprintf(stream, "%.*f", column->decimals, value);
	}
	write_derived(rows, line, stream);
	write_counters(rows, line, stream);
	write_coordinates(rows, line->point, stream);
}

static void write_names(const char *prefix, const char *const *names, unsigned n, FILE *stream)
{
	for (unsigned i = 0; i < n; i++) {
		char name[96];

		snprintf(name, sizeof(name), "%s%s", prefix, names[i]);
		fputc(',', stream);
		write_text(name, stream);
	}
}

static void write_header(const struct rows *rows, FILE *stream)
{
	const char *derived[DERIVED_MAX];
	unsigned n_derived = rows_derived(rows, derived, DERIVED_MAX);

	fputs(IDENTITY, stream);
	for (const struct column *column = columns; column->name; column++)
		fprintf(stream, ",%s", column->name);
	for (unsigned i = 0; i < n_derived; i++) {
		fputc(',', stream);
		write_text(derived[i], stream);
	}
	write_names("counter_", rows->counters, rows->n_counters, stream);
	write_names("axis_", rows->axes, rows->n_axes, stream);
	fputc('\n', stream);
}

/* A repeat without figures, and a point without repeats, have one line to say why. */
static void write_repeat(const struct rows *rows, struct line line, FILE *stream)
{
	bool written = false;

	for (unsigned s = 0; s < line.repeat->n_streams; s++) {
		line.stream = &line.repeat->streams[s];
		for (unsigned c = 0; c < line.stream->n_classes; c++) {
			line.class = &line.stream->classes[c];
			write_line(rows, &line, stream);
			written = true;
		}
	}
	if (!written)
		write_line(rows, &line, stream);
}

static void write_variant(const struct rows *rows, const struct result_variant *variant,
			  FILE *stream)
{
	for (unsigned p = 0; p < variant->n_points; p++) {
		struct line line = {.variant = variant, .point = &variant->points[p]};

		if (line.point->n_repeats == 0)
			write_line(rows, &line, stream);
		for (unsigned i = 0; i < line.point->n_repeats; i++) {
			line.repeat = &line.point->repeats[i];
			if (line.repeat->sampled)
				continue;
			write_repeat(rows, line, stream);
		}
	}
}

static int write_csv(const struct result *result, FILE *stream, struct error *error)
{
	struct output output;
	struct rows rows;
	int rc = output_begin(&output, error);

	if (rc < 0)
		return rc;
	output.failed = rows_make(result, &rows) < 0;
	if (!output.failed) {
		write_header(&rows, output.stream);
		for (unsigned v = 0; v < result->n_variants; v++)
			write_variant(&rows, &result->variants[v], output.stream);
		rows_free(&rows);
	}
	return output_end(&output, stream, error);
}

const struct report_ops report_csv = {
	.entry = {.name = "csv",
		  .summary = "a line for each repeat of each class, units in the column names"},
	.write = write_csv};
