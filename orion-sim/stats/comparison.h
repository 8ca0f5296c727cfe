/* SPDX-License-Identifier: MIT */
/* comparison.h - sides made of results: their rows matched and judged, and what else tells them
 * apart. */
#ifndef ORION_STATS_COMPARISON_H
#define ORION_STATS_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/compare.h"
#include "stats/functions.h"

struct error;
struct result;

/* "mbps" or "read.mbps" (a class's metric alone), and the smallest change of it that matters. */
struct comparison_threshold {
	char metric[64];
	double fraction;
};

struct comparison_options {
	double alpha, threshold; /* of every metric that thresholds does not name */
	unsigned n_thresholds;
	const struct comparison_threshold *thresholds;
	/* Primary metrics, CLASS.METRIC or METRIC, NULL-terminated; null: those that the results
	 * declare, else mbps (iops where no bytes move), p99_us and cpu_us. */
	const char *const *metrics;
	/* What is meant to differ, NULL-terminated, by the names of comparison_factors; may be
	 * null. */
	const char *const *factors;
	bool anyway; /* compares in spite of other differences, and lists them all the same */
	unsigned resamples; /* of the bootstrap, and its seed */
	uint64_t seed;
};

/*
 * What could explain a change by itself and can be declared as the factor: "mitigations",
 * "governor", "scheduler", "build" (of orion-sim), "cpu", "memory" (share of the memory asked for
 * that was got), "thp", "kernel", … Not all refuse: a kernel that differs is what many compare, and
 * is listed only. Where in a result each stands is comparison_facts.c's table.
 */
struct comparison_factor {
	const char *name, *help;
	bool refuses;
};
extern const struct comparison_factor comparison_factors[]; /* name null ends it */

/* Something that is not the same on both sides. */
struct comparison_difference {
	/* Null: only listed, as an option of the profile, or what one side's results do not tell.
	 */
	const struct comparison_factor *factor;
	unsigned side;		  /* against side 0 */
	char what[96];		  /* "kernel", "vda scheduler", "sga mthp 64K got" */
	char base[96], other[96]; /* "schedutil"; "a, b" where a side's results differ themselves */
	bool declared;		  /* by factors, or because variants or options say so themselves */
};

#define COMPARISON_DIFFERENCES_KEPT 200 /* a side */

/* A run, or repeat, that gave no value: failed, skipped, interrupted; or what only one side has. */
struct comparison_loss {
	unsigned side;	 /* that lacks it */
	char where[160]; /* file, point, repeat */
	char reason[256];
};

/* One unit of a side: a repeat, a run or a boot. */
struct comparison_unit {
	char name[96];	    /* "block 3" (from 1), file name, boot id */
	char boot_id[48];   /* "" where not known */
	uint64_t order;	    /* by time started, for the drift */
	unsigned n_results; /* that were joined to it */
};

struct comparison_side {
	char label[64];
	char summary[160]; /* "6.18.44 io_uring hugetlb 2M": what is the same in all its results */
	unsigned n_results, n_boots, n_units;
	struct comparison_unit *units; /* owned */
};

/* A copy, since some metrics are declared by the results themselves. */
struct comparison_metric {
	char name[48], unit[24];
	bool higher_better;
};

/* One metric of one class of one stream at one point. */
struct comparison_row {
	unsigned side;	  /* that is held against side 0 */
	char variant[64]; /* of both sides' results; "" where these have one variant only, and where
			     the variants are the sides */
	char point[128], stream[32], class[16];
	struct comparison_metric metric;
	bool primary;
	/* Units, of both sides, whose percentile has fewer than 10 operations beyond it. */
	unsigned few_ops;
	double *base, *other; /* owned: values of the units, NAN for lost ones left out */
	unsigned *base_unit, *other_unit; /* owned: which unit each value is of */
	struct compare_options options;
	struct compare_numbers numbers; /* n of each side in there */
};

enum comparison_unit_kind { UNIT_BLOCK, UNIT_RUN, UNIT_BOOT };

struct comparison {
	bool paired;
	enum comparison_unit_kind unit; /* UNIT_BLOCK: repeats of variants of one result, paired */
	uint64_t design_seed;		/* of the result whose blocks were shuffled; 0 for none */
	unsigned n_sides;
	struct comparison_side *sides; /* owned; the first is the baseline */
	unsigned n_rows, n_primary;    /* n_primary: the family of Holm, those that were compared */
	struct comparison_row *rows; /* owned: by side, point, stream, class, primary ones first */
	unsigned n_differences;
	struct comparison_difference *differences; /* owned */
	unsigned n_losses;			   /* all of them, also those beyond the kept */
	struct comparison_loss *losses;		   /* owned; at most COMPARISON_LOSSES_KEPT */
	unsigned n_moves;
	struct function_move *moves; /* owned: functions of points that both sides sampled */
	double drift_percent; /* of the baseline's first primary row that was compared, over the
				 session */
	/* Geometric mean of the changes over the primary rows of one direction and side; NAN for
	 * none. */
	double (*geomeans)[2]; /* owned: [side][higher better] as a fraction: 0.031 */
};

#define COMPARISON_LOSSES_KEPT 64

/*
 * (a) The variants inside one result, a repeat is a unit. Paired where they were run in blocks: a
 * block in which either side gave nothing is then left out. The result's baseline is side 0, the
 * others follow in their order. What their settings and options say is declared. Errors as in (b),
 * and ERROR_INPUT where the result has one variant only.
 */
int comparison_of_variants(const struct result *result, const struct comparison_options *options,
			   struct comparison *ret, struct error *error);

/*
 * (b) Sides of whole results, taken one by one so that no more than one is in memory: begin, add
 * every result of every side, finish. The value of a run is the median over its good repeats. A
 * boot is the unit where no boot id occurs on both sides and one occurs twice on a side (the mean
 * of its runs), else a run. Unpaired. Points are matched by variant, label and coordinates, streams
 * by label; what only one side has is a note among the losses. ERROR_INPUT: metrics, classes or
 * factors that do not exist (the sentence lists those that do), a side without results, nothing in
 * common, a class counted in different units, no primary row that could be compared (nothing but
 * failed runs, no figures in them). ERROR_INPUT, too, unless anyway: something differs that would
 * explain a change and is not declared (the sentence lists what, and how to go on); every primary
 * row has a single value on some side, which tells nothing about how far runs spread.
 */
struct comparison_builder; /* owned; finish frees it whatever it returns, and so does abandon */
int comparison_begin(const struct comparison_options *options, struct comparison_builder **ret,
		     struct error *error);
int comparison_add(struct comparison_builder *builder, unsigned side, const char *side_label,
		   const char *name, const struct result *result, struct error *error);
int comparison_finish(struct comparison_builder *builder, struct comparison *ret,
		      struct error *error);
void comparison_abandon(struct comparison_builder *builder);

void comparison_free(struct comparison *comparison);

/* How many primary rows of a side (0: of all sides) have the verdict. */
unsigned comparison_count(const struct comparison *comparison, unsigned side,
			  enum compare_verdict verdict);

#endif
