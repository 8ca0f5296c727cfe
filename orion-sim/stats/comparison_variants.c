/* SPDX-License-Identifier: MIT */
/* comparison_variants.c - the variants of one result held against its baseline. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/comparison_parts.h"
#include "stats/result.h"

static int compare_indexes(const void *a, const void *b)
{
	unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	return (left > right) - (left < right);
}

static unsigned count_repeats(const struct result *result)
{
	unsigned n = 0;

	for (unsigned v = 0; v < result->n_variants; v++)
		for (unsigned p = 0; p < result->variants[v].n_points; p++)
			n += result->variants[v].points[p].n_repeats;
	return n;
}

/* Every index that a repeat has, once, in order. */
static int find_blocks(struct comparison_builder *builder, const struct result *result,
		       struct error *error)
{
	unsigned *blocks = calloc(count_repeats(result) + 1, sizeof(*blocks)), n = 0, kept = 0;

	if (!blocks)
		return parts_no_memory(error);
	for (unsigned v = 0; v < result->n_variants; v++)
		for (unsigned p = 0; p < result->variants[v].n_points; p++) {
			const struct result_point *point = &result->variants[v].points[p];

			for (unsigned r = 0; r < point->n_repeats; r++)
				if (!point->repeats[r].sampled)
					blocks[n++] = point->repeats[r].index;
		}
	qsort(blocks, n, sizeof(*blocks), compare_indexes);
	for (unsigned i = 0; i < n; i++)
		if (kept == 0 || blocks[kept - 1] != blocks[i])
			blocks[kept++] = blocks[i];
	builder->blocks = blocks;
	builder->n_blocks = kept;
	return 0;
}

/* Only what was run in blocks has a second place in one. */
static bool has_places(const struct result *result)
{
	for (unsigned v = 0; v < result->n_variants; v++)
		for (unsigned p = 0; p < result->variants[v].n_points; p++) {
			const struct result_point *point = &result->variants[v].points[p];

			for (unsigned r = 0; r < point->n_repeats; r++)
				if (point->repeats[r].place > 0)
					return true;
		}
	return false;
}

static int add_units(struct comparison_builder *builder, unsigned side, const struct result *result,
		     struct error *error)
{
	const char *boot_id = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(result->fingerprint, "boot_id"));
	int rc = 0;

	for (unsigned i = 0; i < builder->n_blocks && rc == 0; i++) {
		struct comparison_unit unit = {.order = builder->blocks[i], .n_results = 1};

		snprintf(unit.name, sizeof(unit.name), "%s %u",
			 builder->comparison->paired ? "block" : "repeat", builder->blocks[i] + 1);
		snprintf(unit.boot_id, sizeof(unit.boot_id), "%.47s", boot_id ? boot_id : "");
		rc = comparison_unit_add(builder, side, &unit, error);
	}
	builder->comparison->sides[side].n_results = 1;
	builder->comparison->sides[side].n_boots = boot_id && boot_id[0];
	return rc;
}

static int add_variant(struct comparison_builder *builder, unsigned side,
		       const struct result *result, unsigned v, struct error *error)
{
	const struct result_variant *variant = &result->variants[v];
	char label[64];
	int rc;

	snprintf(label, sizeof(label), "variant %u", v + 1);
	if (variant->label[0])
		memcpy(label, variant->label, sizeof(label));
	rc = comparison_side_reach(builder, side, label, error);
	if (rc == 0)
		rc = add_units(builder, side, result, error);
	builder->n_results++;
	builder->next_point = builder->next_fact = 0;
	if (rc == 0)
		rc = comparison_collect(builder, side, "", variant, error);
	if (rc == 0)
		rc = comparison_read_variant_facts(builder, side, result, variant, error);
	return rc;
}

static unsigned baseline_of(const struct result *result)
{
	for (unsigned v = 0; result->baseline[0] && v < result->n_variants; v++)
		if (strcmp(result->variants[v].label, result->baseline) == 0)
			return v;
	return 0;
}

static int add_all(struct comparison_builder *builder, const struct result *result,
		   struct error *error)
{
	unsigned baseline = baseline_of(result), side = 1;
	struct comparison *comparison = builder->comparison;
	int rc;

	builder->in_variants = true;
	comparison->paired = has_places(result);
	comparison->unit = comparison->paired ? UNIT_BLOCK : UNIT_RUN;
	comparison->design_seed = comparison->paired ? result->seed : 0;
	rc = find_blocks(builder, result, error);
	if (rc == 0)
		rc = comparison_read_metrics(builder, "", result, error);
	if (rc == 0)
		rc = add_variant(builder, 0, result, baseline, error);
	for (unsigned v = 0; v < result->n_variants && rc == 0; v++)
		if (v != baseline)
			rc = add_variant(builder, side++, result, v, error);
	return rc;
}

int comparison_of_variants(const struct result *result, const struct comparison_options *options,
			   struct comparison *ret, struct error *error)
{
	struct comparison_builder *builder;
	int rc;

	if (result->n_variants < 2)
		return error_set(error, ERROR_INPUT,
				 "the result has one variant only, and nothing to hold it against: "
				 "run a profile with variants, or name the results of both sides, "
				 "orion-sim compare BASE… -- NEW…");
	rc = comparison_begin(options, &builder, error);
	if (rc < 0)
		return rc;
	rc = add_all(builder, result, error);
	if (rc < 0) {
		comparison_abandon(builder);
		return rc;
	}
	return comparison_finish(builder, ret, error);
}
