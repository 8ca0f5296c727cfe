/* SPDX-License-Identifier: MIT */
/* summary.h - figures drawn from a result: rates of a repeat, and one number over the repeats. */
#ifndef ORION_STATS_SUMMARY_H
#define ORION_STATS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

struct result_derived;
struct result_point;
struct result_repeat;
struct result_stream;
struct result_class;

/* A figure that can be asked of (repeat, stream, class). */
struct metric {
	const char *name; /* "mbps" */
	const char *unit; /* "MB/s" */
	const char *help; /* definition */
	bool higher_better;
	/* NAN where it does not apply. Null for what a workload declares, and for counters of the
	 * kernel: ask summary_value. */
	double (*value)(const struct result_repeat *, const struct result_stream *,
			const struct result_class *);
};

/*
 * iops, mbps (10^6 B/s), mibps (2^20 B/s), mean_us, p50_us, p90_us, p99_us, p999_us, p9999_us,
 * max_us, cpu_us (RUSAGE_THREAD of the stream's workers per op), runner_cpu_us (RUSAGE_SELF per op
 * of the stream), errors, shorts, retries, submit_us, faults (minor, per op), switches (per op),
 * little (in flight by Little's law, IOPS x mean latency, over the sampled mean in flight),
 * request_bytes (bytes per device request over all devices of the repeat; NAN without devices),
 * device_share (bytes that the devices below say they moved over the bytes we count),
 * cycles_per_op, instructions_per_op, dtlb_misses_per_op (hardware events of the stream's workers;
 * NAN unless all of them were counted), counted_percent (time the PMU ran of the time it was asked
 * to), page_table_bytes, sec_page_table_bytes (growth over the whole machine), vm_pte_bytes.
 */
extern const struct metric summary_metrics[]; /* name NULL ends it */

/* NULL if there is none of that name. */
const struct metric *summary_metric(const char *name);

/*
 * The metric of that name: one of summary_metrics, a figure that the workload of one of the
 * point's streams declares, or a counter of the kernel that changed in one of its repeats; then
 * name, unit and help are lent by the point. False if there is none.
 */
bool summary_metric_of(const struct result_point *point, const char *name, struct metric *ret);

/* A declared figure as a metric; its texts are lent. It belongs to the first class of its stream.
 */
struct metric summary_derived_metric(const struct result_derived *derived);

/* By name among those of a stream; null if there is none. */
const struct result_derived *summary_derived_find(const struct result_stream *stream,
						  const char *name);

/* The unit of counters of the kernel, by which a metric without a function is known as one. */
#define SUMMARY_COUNTER_UNIT "counted"

/* A counter of the kernel as a metric; false where no repeat of the point has it. */
bool summary_counter_metric(const struct result_point *point, const char *name, struct metric *ret);

/*
 * What it grew by: 0 where it did not change, NAN where nothing was counted. It is the whole
 * machine's, and belongs to the first class of the first stream.
 */
double summary_counter_value(const struct metric *metric, const struct result_repeat *repeat,
			     const struct result_stream *stream, const struct result_class *class);

/* A metric without a function of its own: NAN for other classes than the stream's first. */
double summary_derived_value(const struct metric *metric, const struct result_stream *stream,
			     const struct result_class *class);

/* A metric of one class in one repeat; NAN where it does not apply or the repeat does not count. */
double summary_value(const struct metric *metric, const struct result_repeat *repeat,
		     const struct result_stream *stream, const struct result_class *class);

struct spread {
	unsigned n; /* repeats that were ok */
	double median, min, max;
};

/* Median, min and max of a metric over the ok repeats of a point; n 0 if none. */
struct spread summary_spread(const struct result_point *point, unsigned stream, unsigned op_class,
			     const struct metric *metric);

/* Median of values (sorted in place); mean of the middle two if n is even. NAN if n is 0. */
double summary_median(double *values, size_t n);

#endif
