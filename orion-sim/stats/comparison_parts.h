/* SPDX-License-Identifier: MIT */
/* comparison_parts.h - what the files of comparison share: values and facts gathered from results.
 */
#ifndef ORION_STATS_COMPARISON_PARTS_H
#define ORION_STATS_COMPARISON_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/comparison.h"
#include "stats/summary.h"

struct result_point;
struct result_variant;

/* What one run or repeat measured, of one class of one stream. */
struct sample {
	unsigned unit; /* place among the units of its side */
	unsigned n_values;
	double ops;	/* the fewest, where several repeats were joined */
	double *values; /* owned; by metric, NAN where it does not apply */
};

struct sample_list {
	unsigned n, room;
	struct sample *samples; /* owned */
};

/* A class of a stream at a point, on all sides. */
struct series {
	char stream[32], class[16], unit[16];
	unsigned seen_repeat; /* number of the repeat that it was last met in */
	unsigned n_sides, room;
	struct sample_list *sides; /* owned */
};

/* A point of some results: those that are alike in variant, label and coordinates. */
struct matched_point {
	char *key; /* owned: all three */
	char variant[64], name[128];
	unsigned seen_result; /* number of the result that it was last met in */
	unsigned n_series, room;
	struct series *series; /* owned */
};

/* A primary metric as it was asked for. */
struct metric_spec {
	char text[64];
	char class[16]; /* "" for every class */
	char metric[48];
	char from[96]; /* the result that declares it; "" where the caller does */
	bool applies;  /* somewhere */
};

#define FACT_VALUES	8
#define FACT_TEXT_BYTES 96

struct fact_side {
	unsigned n;
	bool more;			 /* than those kept */
	bool by_user;			 /* a setting that the profile asked for */
	double least;			 /* of numbers; NAN for none */
	char (*values)[FACT_TEXT_BYTES]; /* owned: FACT_VALUES of them, distinct, in order met */
};

/* How two values of a fact are held against each other. */
enum fact_kind {
	FACT_TEXT,
	FACT_PERCENT, /* differs by more than a point */
	FACT_BYTES,   /* differs by more than 5 % */
	FACT_SUMMARY, /* for the summary of a side alone */
};

/* Something that results tell of themselves beside their figures. */
struct fact {
	char what[FACT_TEXT_BYTES];
	enum fact_kind kind;
	const struct comparison_factor *factor; /* null: listed only */
	/* What it means that a side has none, but others of that factor; null: not recorded. */
	const char *absent;
	bool option; /* of the profile: what the user set */
	unsigned n_sides, room;
	struct fact_side *sides; /* owned */
};

struct comparison_builder {
	double alpha, threshold;
	unsigned resamples;
	uint64_t seed;
	bool anyway, in_variants;
	unsigned n_thresholds;
	struct metric_spec *thresholds; /* owned */
	double *fractions;		/* owned: of the thresholds */
	unsigned n_specs, specs_room;
	bool specs_given, presets; /* by the caller; by nobody */
	struct metric_spec *specs; /* owned */
	unsigned n_factors;
	const struct comparison_factor **factors; /* owned: those declared */
	unsigned n_metrics, metrics_room, n_fixed;
	struct comparison_metric *metrics; /* owned: summary_metrics, then what workloads declare */
	unsigned n_points, points_room, next_point;
	struct matched_point *points; /* owned */
	unsigned n_facts, facts_room, next_fact;
	struct fact *facts;		    /* owned */
	unsigned n_results, n_repeats;	    /* numbers given so far */
	bool several_variants;		    /* some result has */
	struct function_profiles functions; /* of repeats that were sampled */
	unsigned *blocks; /* owned: sorted indexes of repeats; null for whole results */
	unsigned n_blocks;
	unsigned *units_room; /* owned: by side */
	unsigned sides_room, rooms_room, losses_room;
	/* What is handed over in the end; in there: sides, losses. */
	struct comparison *comparison;
};

/* The array with room for one more element behind n, zeroed; null if out of memory (array stays).
 */
void *parts_grow(void *array, unsigned n, unsigned *room, size_t size);

/* "no memory to compare NAME": -ENOMEM. */
int parts_no_memory(struct error *error);

/* Options read into the builder: metrics, thresholds, factors; nothing of them is kept. */
int comparison_read_options(struct comparison_builder *builder,
			    const struct comparison_options *options, struct error *error);

/* Metrics that a result declares as primary, and those that its workloads declare at all. */
int comparison_read_metrics(struct comparison_builder *builder, const char *name,
			    const struct result *result, struct error *error);

/* Every metric and class that was asked for must be there; presets where none was. */
int comparison_check_metrics(struct comparison_builder *builder, struct error *error);

/* Place of a metric by its name; -1 if there is none. */
int comparison_find_metric(const struct comparison_builder *builder, const char *name);

/* The smallest change that matters. */
double comparison_threshold_of(const struct comparison_builder *builder, const char *class,
			       const char *metric);

/* Makes sure that there is such a side, with a label. */
int comparison_side_reach(struct comparison_builder *builder, unsigned side, const char *label,
			  struct error *error);

/* Gives a side one more unit. */
int comparison_unit_add(struct comparison_builder *builder, unsigned side,
			const struct comparison_unit *unit, struct error *error);

/*
 * The values of all repeats of a variant, matched with those that are there. Where the builder has
 * blocks, each repeat is of the unit that its index tells; else all are of the side's last unit,
 * and are joined by their medians. name is of the result, "" for none.
 */
int comparison_collect(struct comparison_builder *builder, unsigned side, const char *name,
		       const struct result_variant *variant, struct error *error);

/* Notes a loss, as long as there is room for it; where and reason are copied. */
int comparison_lose(struct comparison_builder *builder, unsigned side, const char *where,
		    const char *reason, struct error *error);

/* What a result tells beside its figures: all of its variants, or one of them as a side. */
int comparison_read_facts(struct comparison_builder *builder, unsigned side,
			  const struct result *result, struct error *error);
int comparison_read_variant_facts(struct comparison_builder *builder, unsigned side,
				  const struct result *result, const struct result_variant *variant,
				  struct error *error);

/* Where facts go: number is used by FACT_PERCENT and FACT_BYTES, text by the others. */
struct fact_note {
	const char *what;
	enum fact_kind kind;
	const struct comparison_factor *factor;
	const char *absent; /* static */
	bool option, by_user;
	const char *text;
	double number;
};
int comparison_note(struct comparison_builder *builder, unsigned side, const struct fact_note *note,
		    struct error *error);

/* By name among comparison_factors; null if there is none. */
const struct comparison_factor *comparison_factor_of(const char *name);

/* What the facts of the sides differ in, into the comparison; and what forbids to compare. */
int comparison_find_differences(struct comparison_builder *builder, struct error *error);
int comparison_check_differences(const struct comparison_builder *builder, struct error *error);

/* "6.18.44 io_uring hugetlb" of every side. */
void comparison_summarize_sides(struct comparison_builder *builder);

/* Runs of one boot become one unit where that is called for. */
int comparison_join_boots(struct comparison_builder *builder, struct error *error);

/* Rows of what was collected; and they judged: verdicts, the family's adjustment, geomeans, drift.
 */
int comparison_make_rows(struct comparison_builder *builder, struct error *error);
int comparison_judge(struct comparison_builder *builder, struct error *error);

/* Frees the builder and what it owns but for the comparison. */
void comparison_builder_free(struct comparison_builder *builder);

#endif
