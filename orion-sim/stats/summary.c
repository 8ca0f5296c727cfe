/* SPDX-License-Identifier: MIT */
/* summary.c - the metrics, and one number over the repeats of a point. */
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/result.h"

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static double stream_ops(const struct result_stream *stream)
{
	double ops = 0;

	for (unsigned i = 0; i < stream->n_classes; i++)
		ops += (double)stream->classes[i].tally.ops;
	return ops;
}

static double repeat_bytes(const struct result_repeat *repeat)
{
	double bytes = 0;

	for (unsigned i = 0; i < repeat->n_streams; i++)
		for (unsigned j = 0; j < repeat->streams[i].n_classes; j++)
			bytes += (double)repeat->streams[i].classes[j].tally.bytes;
	return bytes;
}

static double usage_cpu_us(const struct usage *usage)
{
	return (double)(usage->user_ns + usage->system_ns) / 1e3;
}

static double value_iops(const struct result_repeat *repeat, const struct result_stream *stream,
			 const struct result_class *class)
{
	return ratio((double)class->tally.ops, class->duration_s);
}

static double value_mbps(const struct result_repeat *repeat, const struct result_stream *stream,
			 const struct result_class *class)
{
	if (class->tally.bytes == 0 && class->tally.ops > 0)
		return NAN; /* its operations move no bytes */
	return ratio((double)class->tally.bytes / 1e6, class->duration_s);
}

static double value_mibps(const struct result_repeat *repeat, const struct result_stream *stream,
			  const struct result_class *class)
{
	return value_mbps(repeat, stream, class) * 1e6 / (1 << 20);
}

static double latency_us(const struct result_class *class, double ns)
{
	return class->tally.ops > 0 ? ns / 1e3 : NAN;
}

static double value_mean_us(const struct result_repeat *repeat, const struct result_stream *stream,
			    const struct result_class *class)
{
	return latency_us(class, class->mean_ns);
}

static double value_p50_us(const struct result_repeat *repeat, const struct result_stream *stream,
			   const struct result_class *class)
{
	return latency_us(class, (double)class->percentile_ns[0]);
}

static double value_p90_us(const struct result_repeat *repeat, const struct result_stream *stream,
			   const struct result_class *class)
{
	return latency_us(class, (double)class->percentile_ns[1]);
}

static double value_p99_us(const struct result_repeat *repeat, const struct result_stream *stream,
			   const struct result_class *class)
{
	return latency_us(class, (double)class->percentile_ns[2]);
}

static double value_p999_us(const struct result_repeat *repeat, const struct result_stream *stream,
			    const struct result_class *class)
{
	return latency_us(class, (double)class->percentile_ns[3]);
}

static double value_p9999_us(const struct result_repeat *repeat, const struct result_stream *stream,
			     const struct result_class *class)
{
	return latency_us(class, (double)class->percentile_ns[4]);
}

static double value_max_us(const struct result_repeat *repeat, const struct result_stream *stream,
			   const struct result_class *class)
{
	return latency_us(class, (double)class->max_ns);
}

static double value_cpu_us(const struct result_repeat *repeat, const struct result_stream *stream,
			   const struct result_class *class)
{
	return ratio(usage_cpu_us(&stream->usage), stream_ops(stream));
}

static double value_runner_cpu_us(const struct result_repeat *repeat,
				  const struct result_stream *stream,
				  const struct result_class *class)
{
	return ratio(usage_cpu_us(&repeat->runner), stream_ops(stream));
}

static double value_errors(const struct result_repeat *repeat, const struct result_stream *stream,
			   const struct result_class *class)
{
	return (double)class->tally.errors;
}

static double value_shorts(const struct result_repeat *repeat, const struct result_stream *stream,
			   const struct result_class *class)
{
	return (double)class->tally.shorts;
}

static double value_retries(const struct result_repeat *repeat, const struct result_stream *stream,
			    const struct result_class *class)
{
	return (double)class->tally.retries;
}

static double value_submit_us(const struct result_repeat *repeat,
			      const struct result_stream *stream, const struct result_class *class)
{
	return ratio((double)class->tally.submit_ns / 1e3, (double)class->tally.ops);
}

static double value_faults(const struct result_repeat *repeat, const struct result_stream *stream,
			   const struct result_class *class)
{
	return ratio((double)stream->usage.minor_faults, stream_ops(stream));
}

static double value_switches(const struct result_repeat *repeat, const struct result_stream *stream,
			     const struct result_class *class)
{
	return ratio(
		(double)(stream->usage.voluntary_switches + stream->usage.involuntary_switches),
		stream_ops(stream));
}

/* All classes of the stream together, since the requests in flight are not told apart. */
static double value_little(const struct result_repeat *repeat, const struct result_stream *stream,
			   const struct result_class *class)
{
	double in_flight = 0;

	for (unsigned i = 0; i < stream->n_classes; i++) {
		const struct result_class *each = &stream->classes[i];

		if (each->tally.ops > 0)
			in_flight += value_iops(repeat, stream, each) * each->mean_ns / 1e9;
	}
	return stream_ops(stream) > 0 ? ratio(in_flight, stream->mean_in_flight) : NAN;
}

static double devices_bytes(const struct result_repeat *repeat)
{
	double bytes = 0;

	for (unsigned i = 0; i < repeat->n_devices; i++)
		bytes += (double)(repeat->devices[i].read_bytes + repeat->devices[i].write_bytes);
	return bytes;
}

static double value_request_bytes(const struct result_repeat *repeat,
				  const struct result_stream *stream,
				  const struct result_class *class)
{
	double requests = 0;

	for (unsigned i = 0; i < repeat->n_devices; i++)
		requests += (double)(repeat->devices[i].reads + repeat->devices[i].writes);
	return ratio(devices_bytes(repeat), requests);
}

static double value_device_share(const struct result_repeat *repeat,
				 const struct result_stream *stream,
				 const struct result_class *class)
{
	if (repeat->n_devices == 0)
		return NAN;
	return ratio(devices_bytes(repeat), repeat_bytes(repeat));
}

/* Of the whole stream: the counters do not tell its classes apart. */
static double events_per_op(const struct result_stream *stream, double count)
{
	return stream->events.workers == stream->workers ? ratio(count, stream_ops(stream)) : NAN;
}

static double value_cycles_per_op(const struct result_repeat *repeat,
				  const struct result_stream *stream,
				  const struct result_class *class)
{
	return events_per_op(stream, stream->events.cycles);
}

static double value_instructions_per_op(const struct result_repeat *repeat,
					const struct result_stream *stream,
					const struct result_class *class)
{
	return events_per_op(stream, stream->events.instructions);
}

static double value_dtlb_misses_per_op(const struct result_repeat *repeat,
				       const struct result_stream *stream,
				       const struct result_class *class)
{
	return events_per_op(stream, stream->events.dtlb_misses);
}

static double value_counted_percent(const struct result_repeat *repeat,
				    const struct result_stream *stream,
				    const struct result_class *class)
{
	return 100 * ratio(stream->events.running_s, stream->events.enabled_s);
}

static double value_page_table_bytes(const struct result_repeat *repeat,
				     const struct result_stream *stream,
				     const struct result_class *class)
{
	const struct result_page_tables *tables = &repeat->page_tables;

	return tables->known ? (double)tables->at_bytes - (double)tables->before_bytes : NAN;
}

static double value_sec_page_table_bytes(const struct result_repeat *repeat,
					 const struct result_stream *stream,
					 const struct result_class *class)
{
	const struct result_page_tables *tables = &repeat->page_tables;

	return tables->known ? (double)tables->sec_at_bytes - (double)tables->sec_before_bytes
			     : NAN;
}

static double value_vm_pte_bytes(const struct result_repeat *repeat,
				 const struct result_stream *stream,
				 const struct result_class *class)
{
	return repeat->page_tables.known ? (double)repeat->page_tables.vm_pte_at_bytes : NAN;
}

const struct metric summary_metrics[] = {
	{"iops", "1/s", "operations completed per second", true, value_iops},
	{"mbps", "MB/s", "bytes transferred per second, in units of 10^6", true, value_mbps},
	{"mibps", "MiB/s", "bytes transferred per second, in units of 2^20", true, value_mibps},
	{"mean_us", "us", "mean time from submission to completion", false, value_mean_us},
	{"p50_us", "us", "median time from submission to completion", false, value_p50_us},
	{"p90_us", "us", "90 % of the operations took no longer", false, value_p90_us},
	{"p99_us", "us", "99 % of the operations took no longer", false, value_p99_us},
	{"p999_us", "us", "99.9 % of the operations took no longer", false, value_p999_us},
	{"p9999_us", "us", "99.99 % of the operations took no longer", false, value_p9999_us},
	{"max_us", "us", "the slowest operation", false, value_max_us},
	{"cpu_us", "us",
	 "CPU time of the stream's own workers per operation (RUSAGE_THREAD), and of processes "
	 "that they started and that have ended (RUSAGE_CHILDREN)",
	 false, value_cpu_us},
	{"runner_cpu_us", "us",
	 "CPU time of the whole runner process, its kernel threads and ended children included, "
	 "per operation of the stream (RUSAGE_SELF)",
	 false, value_runner_cpu_us},
	{"errors", "operations", "operations that failed for good", false, value_errors},
	{"shorts", "transfers", "transfers that came back short and were continued", false,
	 value_shorts},
	{"retries", "operations", "operations issued again after EAGAIN", false, value_retries},
	{"submit_us", "us", "time inside the submitting call per operation", false,
	 value_submit_us},
	{"faults", "faults", "minor page faults of the stream's workers per operation", false,
	 value_faults},
	{"switches", "switches", "context switches of the stream's workers per operation", false,
	 value_switches},
	{"little", "1",
	 "rate times mean latency, over the requests seen in flight: 1 if both agree", true,
	 value_little},
	{"request_bytes", "bytes", "bytes per request that reached the devices below", true,
	 value_request_bytes},
	{"device_share", "1",
	 "bytes the devices below moved over the bytes we counted: 1 if both "
	 "agree",
	 true, value_device_share},
	{"cycles_per_op", "cycles",
	 "CPU cycles of the workers per operation, user and kernel (PMU)", false,
	 value_cycles_per_op},
	{"instructions_per_op", "instructions",
	 "instructions of the workers per operation, user and kernel (PMU)", false,
	 value_instructions_per_op},
	{"dtlb_misses_per_op", "misses",
	 "loads of the workers per operation that found no entry in the data TLB (PMU)", false,
	 value_dtlb_misses_per_op},
	{"counted_percent", "%",
	 "time that the PMU counted the workers, of the time it was asked to; the rest is scaled",
	 true, value_counted_percent},
	{"page_table_bytes", "bytes",
	 "growth of the machine's page tables (PageTables) until all workers were set up", false,
	 value_page_table_bytes},
	{"sec_page_table_bytes", "bytes",
	 "growth of secondary page tables (SecPageTables) until all workers were set up", false,
	 value_sec_page_table_bytes},
	{"vm_pte_bytes", "bytes",
	 "page tables of the runner and its worker processes (VmPTE), all workers set up", false,
	 value_vm_pte_bytes},
	{.name = NULL},
};

const struct metric *summary_metric(const char *name)
{
	for (const struct metric *metric = summary_metrics; metric->name; metric++)
		if (strcmp(metric->name, name) == 0)
			return metric;
	return NULL;
}

static int compare_doubles(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

double summary_median(double *values, size_t n)
{
	if (n == 0)
		return NAN;
	qsort(values, n, sizeof(*values), compare_doubles);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double summary_value(const struct metric *metric, const struct result_repeat *repeat,
		     const struct result_stream *stream, const struct result_class *class)
{
	if (!result_repeat_counts(repeat))
		return NAN;
	if (metric->value)
		return metric->value(repeat, stream, class);
	if (metric->unit && strcmp(metric->unit, SUMMARY_COUNTER_UNIT) == 0)
		return summary_counter_value(metric, repeat, stream, class);
	return summary_derived_value(metric, stream, class);
}

static double repeat_value(const struct result_repeat *repeat, unsigned stream, unsigned op_class,
			   const struct metric *metric)
{
	if (stream >= repeat->n_streams || op_class >= repeat->streams[stream].n_classes)
		return NAN;
	return summary_value(metric, repeat, &repeat->streams[stream],
			     &repeat->streams[stream].classes[op_class]);
}

/* Values of the repeats to which the metric applies. */
static double *spread_values(const struct result_point *point, unsigned stream, unsigned op_class,
			     const struct metric *metric, unsigned *ret_n)
{
	double *values = calloc(point->n_repeats + 1, sizeof(*values));
	unsigned n = 0;

	for (unsigned i = 0; values && i < point->n_repeats; i++) {
		double value = repeat_value(&point->repeats[i], stream, op_class, metric);

		if (!isnan(value))
			values[n++] = value;
	}
	*ret_n = n;
	return values;
}

struct spread summary_spread(const struct result_point *point, unsigned stream, unsigned op_class,
			     const struct metric *metric)
{
	struct spread spread = {.n = 0, .median = NAN, .min = NAN, .max = NAN};
	double *values = spread_values(point, stream, op_class, metric, &spread.n);

	if (spread.n > 0) {
		spread.median = summary_median(values, spread.n); /* sorts */
		spread.min = values[0];
		spread.max = values[spread.n - 1];
	}
	free(values);
	return spread;
}
