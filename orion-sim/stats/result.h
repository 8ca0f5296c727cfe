/* SPDX-License-Identifier: MIT */
/* result.h - the record of a run: everything a report or a comparison may look at. */
#ifndef ORION_STATS_RESULT_H
#define ORION_STATS_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "stats/recorder.h"

struct calibration;
struct error;

#define RESULT_SCHEMA "orion-sim/1"

/* Percentiles kept in every summary, in this order. */
#define RESULT_PERCENTILES 5
extern const double result_percentiles[RESULT_PERCENTILES]; /* 50 90 99 99.9 99.99 */

enum result_status { RESULT_OK, RESULT_SKIPPED, RESULT_FAILED, RESULT_INTERRUPTED };

struct result_coordinate {
	char axis[32];
	char value[64];
};

/* One second (the last one of a repeat may be shorter) of one class of one stream. */
struct result_interval {
	double begin_s, duration_s; /* since the measure phase began */
	uint64_t ops, bytes;
	uint64_t p50_ns, p99_ns, max_ns;
};

/* One op class of one stream in one repeat, measure phase. */
struct result_class {
	char name[16];	       /* "read" */
	char unit[16];	       /* "I/O" */
	bool timed_in_batches; /* a latency is the mean of a batch of operations */
	struct tally tally;
	double duration_s; /* of the measure phase */
	double mean_ns;
	uint64_t min_ns, max_ns;
	uint64_t percentile_ns[RESULT_PERCENTILES];
	uint64_t overflow;
	unsigned n_intervals;
	struct result_interval *intervals; /* owned */
	struct histogram *histogram;	   /* owned; null where it was not read */
};

/*
 * Hardware events of a stream's workers over the measure phase, user and kernel; NAN for one that
 * the CPU does not count. Counts are of the whole phase: scaled by enabled over running time.
 */
struct result_events {
	unsigned workers;	     /* that were counted; 0: none */
	double enabled_s, running_s; /* of all of them together; less running: the PMU was shared */
	double cycles, instructions, dtlb_misses;
};

/* A figure that the stream's workload declares, over all its workers. */
struct result_derived {
	char name[32]; /* "faults_per_sec" */
	char unit[24];
	char help[128]; /* how it is computed */
	bool higher_better;
	double value; /* NAN where it does not apply */
};

struct result_stream {
	char label[32];
	unsigned workers;
	char traits[160];   /* engine flags in force */
	char failure[512];  /* the first one of a worker's operations, "" if none failed */
	struct usage usage; /* sum of the workers' own RUSAGE_THREAD over the measure phase, and of
			       RUSAGE_CHILDREN of those that are processes */
	struct result_events events;
	double mean_in_flight; /* sampled: for Little's law */
	unsigned n_classes;
	struct result_class *classes; /* owned */
	unsigned n_derived;
	struct result_derived *derived; /* owned; null where the workload declares none */
};

struct result_node {
	int node;
	uint64_t bytes;
};

/* On which memory nodes a region was asked to lie and where it lay. */
struct result_placement {
	bool known;		/* the kernel told */
	char numa[64];		/* label of the policy: "bind 0-1" */
	uint64_t samples;	/* pages of the size asked that were looked at */
	double got_percent;	/* of the bytes below: on the nodes and in the shares asked */
	double got_end_percent; /* the same at the end; NAN where it was not looked at */
	unsigned n_nodes;
	struct result_node *nodes; /* owned: after touching */
};

/* What a region was asked to be and what it was, before and after. */
struct result_audit {
	char region[32];
	char memory[64];     /* label: "mthp 64K" */
	char method[64];     /* "pagemap+kpageflags", "smaps", "fault counters" */
	uint64_t page_bytes; /* size of page or folio asked */
	uint64_t asked_bytes;
	uint64_t got_bytes;	/* in pages of exactly that size, after touching */
	uint64_t got_end_bytes; /* the same at the end */
	char detail[160];	/* "64K 256M, 4K 12K" */
	struct result_placement placement;
};

/* /proc/stat over the measure phase, all CPUs. */
struct result_cpu {
	double busy_s, user_s, system_s, irq_s, softirq_s, steal_s, iowait_s, total_s;
};

/* /sys/block/NAME/stat over the measure phase. */
struct result_device {
	char name[32];
	uint64_t reads, read_bytes, read_merges, writes, write_bytes;
	uint64_t io_ticks_ms;
};

/*
 * Page tables before anything was mapped, with all workers set up, and when they were gone:
 * PageTables and SecPageTables of the whole machine, VmPTE of the runner and its processes.
 */
struct result_page_tables {
	bool known; /* only where some workers are processes */
	uint64_t before_bytes, at_bytes, after_bytes;
	uint64_t sec_before_bytes, sec_at_bytes, sec_after_bytes;
	uint64_t vm_pte_before_bytes, vm_pte_at_bytes, vm_pte_after_bytes;
};

/* A counter of the kernel by its name ("thp_fault_alloc"): what it grew by in the measure phase. */
struct result_counter {
	char name[64];
	int64_t delta; /* of a gauge it may be less than 0 */
};

/* A kernel function by its share of the busy samples; "name [module]" for one of a module. */
struct result_function {
	char name[96];
	double percent;
};

/* What the CPUs were seen doing over the measure phase, sampled on all of them. */
struct result_sampling {
	char event[16]; /* "cycles", "cpu-clock"; "" where nothing was sampled */
	unsigned frequency_hz;
	/* Samples; in the kernel's text, but in no function that has a name, are unresolved. */
	uint64_t kernel, unresolved, user, idle, lost;
	unsigned n_functions;
	struct result_function *functions; /* owned; hottest first, only as many as asked for */
};

/* What ended the warm-up, whose figures are dropped. */
struct result_warmup {
	bool known;	 /* only where it may end before its time */
	char rule[64];	 /* "steady", "agree 2s" */
	double warmup_s; /* how long it took */
	unsigned rounds;
	bool reached;	      /* else it was ended at its cap, and what was measured may drift */
	double range_percent; /* of the last rounds, of their mean: most - least */
	double slope_percent; /* the same: rise or fall of a line through them; NAN if not asked */
};

struct result_repeat {
	unsigned index; /* of variants: of the block that it belongs to */
	unsigned place; /* in that block: how many variants were run before it */
	bool sampled;	/* run for its hot functions alone: its figures count nowhere */
	enum result_status status;
	char reason[1024]; /* why not ok */
	bool io_failure;   /* failed because a target failed an I/O */
	char started_utc[32];
	double duration_s;   /* measure phase, by the runner's clock */
	double clock_step_s; /* by which that clock jumped meanwhile; 0 if it did not */
	struct usage runner; /* RUSAGE_SELF of the runner and of workers that are processes: workers
				and the kernel threads of the processes */
	struct result_page_tables page_tables;
	struct result_warmup warmup;
	struct result_cpu cpu;
	struct result_sampling sampling;
	bool counted; /* some counters were asked for: those that are missing below did not change
		       */
	unsigned n_counters;
	struct result_counter *counters; /* owned; in the order of the kernel's files */
	unsigned n_devices;
	struct result_device *devices; /* owned */
	unsigned n_audits;
	struct result_audit *audits; /* owned */
	unsigned n_streams;
	struct result_stream *streams; /* owned */
};

struct result_point {
	char label[64];
	enum result_status status; /* ok only if every repeat asked for is ok */
	char reason[1024];
	unsigned n_coordinates;
	struct result_coordinate *coordinates; /* owned */
	cJSON *effective;		       /* owned: regions, streams, phases, every option */
	unsigned n_repeats;
	struct result_repeat *repeats; /* owned */
};

struct result_variant {
	char label[64];
	cJSON *settings; /* owned: what was set for it */
	unsigned n_points;
	struct result_point *points; /* owned */
};

struct result {
	char name[64];
	char summary[256];
	char version[32];
	char started_utc[32], ended_utc[32];
	bool complete;
	int signal; /* that ended it early, or 0 */
	uint64_t seed;
	unsigned repeats;    /* asked for; of variants: blocks */
	char baseline[64];   /* label of the variant that the others are held against; "" without
				variants */
	bool against_itself; /* both variants are the baseline: what differs is noise */
	double clock_cost_ns;
	char primary[8][64]; /* primary metrics, "read.mbps"; empty ones end the list */
	cJSON *fingerprint;  /* owned: the machine */
	cJSON *notes;	     /* owned: array of sentences (settings that could not be borrowed,
				allow_unwritten …) */
	cJSON *effective;    /* owned: the profile as it was run */
	struct calibration *calibration; /* owned: what a search found; null of other runs */
	unsigned n_variants;
	struct result_variant *variants; /* owned */
};

void result_free(struct result *result);

/* Do the figures of a repeat count: it is ok, and was not run to be sampled? */
bool result_repeat_counts(const struct result_repeat *repeat);

/* Takes away the points that were neither begun nor skipped. */
void result_drop_unbegun(struct result *result);

/* Frees what a repeat owns; it can then be reused. */
void result_repeat_free(struct result_repeat *repeat);

/* Fills mean, min, max, percentiles and overflow of a class from a histogram. */
void result_class_summarize(struct result_class *class, const struct histogram *histogram);

/* Status words "ok", "skipped", "failed", "interrupted". */
const char *result_status_name(enum result_status status);

/*
 * Whole document, histograms left out; owned by the caller. Every numeric key ends in its unit
 * (…_ns, …_bytes, _s, _mbps = 10^6 bytes/s, _mibps = 2^20 bytes/s).
 */
cJSON *result_to_json(const struct result *result);

/* One repeat alone, for the journal. */
cJSON *result_repeat_to_json(const struct result_repeat *repeat, bool with_histograms);

/* Sparse histograms of all repeats: {"schema":…, "histograms":[{variant, point, repeat, stream,
 * class, cells}]} */
cJSON *result_histograms_to_json(const struct result *result);

/*
 * Reads a document that result_to_json wrote (any minor version of schema 1), and, if histograms is
 * not null, the histogram document. Unknown keys are ignored; a missing or ill-typed one is
 * ERROR_INPUT with its place. name is used in messages.
 */
int result_from_json(const char *name, const char *text, struct result *ret, struct error *error);
int result_histograms_from_json(const char *name, const char *text, struct result *result,
				struct error *error);

/*
 * Writes PATH (summaries) and its sibling PATH with ".json" replaced by ".histograms.json": each to
 * a temporary name in the same folder, fsync, rename. Nothing is left behind on failure.
 */
int result_save(const struct result *result, const char *path, struct error *error);

/*
 * Reads PATH for its figures alone, in less time: classes have no intervals, points no
 * effective options, and there are no histograms.
 */
int result_load_figures(const char *path, struct result *ret, struct error *error);

/* Reads PATH, and the histograms beside it if there are any and want_histograms. */
int result_load(const char *path, bool want_histograms, struct result *ret, struct error *error);

#endif
