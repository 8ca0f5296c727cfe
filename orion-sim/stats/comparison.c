/* SPDX-License-Identifier: MIT */
/* comparison.c - sides made of results: begun, added to, finished. */
#include "stats/comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "stats/comparison_parts.h"
#include "stats/result.h"

void *parts_grow(void *array, unsigned n, unsigned *room, size_t size)
{
	unsigned larger = *room ? *room * 2 : 4;
	char *grown;

	if (n < *room)
		return array;
	grown = reallocarray(array, larger, size);
	if (!grown)
		return NULL;
	memset(grown + *room * size, 0, (larger - *room) * size);
	*room = larger;
	return grown;
}

int parts_no_memory(struct error *error)
{
	return error_set(error, -ENOMEM, "no memory to compare so many results");
}

int comparison_begin(const struct comparison_options *options, struct comparison_builder **ret,
		     struct error *error)
{
	struct comparison_builder *builder = calloc(1, sizeof(*builder));
	int rc = builder ? 0 : parts_no_memory(error);

	if (rc == 0) {
		builder->comparison = calloc(1, sizeof(*builder->comparison));
		rc = builder->comparison ? comparison_read_options(builder, options, error)
					 : parts_no_memory(error);
	}
	if (rc < 0) {
		comparison_abandon(builder);
		return rc;
	}
	*ret = builder;
	return 0;
}

void comparison_abandon(struct comparison_builder *builder)
{
	if (!builder)
		return;
	if (builder->comparison)
		comparison_free(builder->comparison);
	free(builder->comparison);
	comparison_builder_free(builder);
}

void comparison_free(struct comparison *comparison)
{
	for (unsigned i = 0; i < comparison->n_sides; i++)
		free(comparison->sides[i].units);
	free(comparison->sides);
	for (unsigned i = 0; i < comparison->n_rows; i++) {
		free(comparison->rows[i].base);
		free(comparison->rows[i].other);
		free(comparison->rows[i].base_unit);
		free(comparison->rows[i].other_unit);
	}
	free(comparison->rows);
	free(comparison->differences);
	free(comparison->losses);
	free(comparison->moves);
	free(comparison->geomeans);
	memset(comparison, 0, sizeof(*comparison));
}

unsigned comparison_count(const struct comparison *comparison, unsigned side,
			  enum compare_verdict verdict)
{
	unsigned n = 0;

	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		n += row->primary && row->numbers.verdict == verdict &&
		     (side == 0 || row->side == side);
	}
	return n;
}

int comparison_side_reach(struct comparison_builder *builder, unsigned side, const char *label,
			  struct error *error)
{
	struct comparison *comparison = builder->comparison;

	while (comparison->n_sides <= side) {
		void *sides = parts_grow(comparison->sides, comparison->n_sides,
					 &builder->sides_room, sizeof(*comparison->sides));
		void *rooms;

		if (!sides)
			return parts_no_memory(error);
		comparison->sides = sides;
		rooms = parts_grow(builder->units_room, comparison->n_sides, &builder->rooms_room,
				   sizeof(*builder->units_room));
		if (!rooms)
			return parts_no_memory(error);
		builder->units_room = rooms;
		comparison->n_sides++;
	}
	snprintf(comparison->sides[side].label, sizeof(comparison->sides[side].label), "%.63s",
		 label);
	return 0;
}

int comparison_unit_add(struct comparison_builder *builder, unsigned side,
			const struct comparison_unit *unit, struct error *error)
{
	struct comparison_side *of = &builder->comparison->sides[side];
	struct comparison_unit *units =
		parts_grow(of->units, of->n_units, &builder->units_room[side], sizeof(*units));

	if (!units)
		return parts_no_memory(error);
	of->units = units;
	units[of->n_units++] = *unit;
	return 0;
}

/* "2026-11-30T16:04:59Z" as seconds since 1970; 0 where it is no time. */
static uint64_t seconds_of(const char *utc)
{
	struct tm tm = {0};
	time_t seconds;

	if (!strptime(utc, "%Y-%m-%dT%H:%M:%S", &tm))
		return 0;
	seconds = timegm(&tm);
	return seconds > 0 ? (uint64_t)seconds : 0;
}

static void boot_of(const struct result *result, char boot_id[48])
{
	const char *text = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(result->fingerprint, "boot_id"));

	snprintf(boot_id, 48, "%.47s", text ? text : "");
}

/* The end of a long path tells more than its beginning. */
static const char *tail_of(const char *name, size_t size)
{
	size_t length = strlen(name);

	return length < size ? name : name + length - (size - 1);
}

int comparison_add(struct comparison_builder *builder, unsigned side, const char *side_label,
		   const char *name, const struct result *result, struct error *error)
{
	struct comparison_unit unit = {.order = seconds_of(result->started_utc), .n_results = 1};
	int rc = comparison_side_reach(builder, side, side_label, error);

	snprintf(unit.name, sizeof(unit.name), "%s", tail_of(name, sizeof(unit.name)));
	boot_of(result, unit.boot_id);
	if (rc == 0)
		rc = comparison_unit_add(builder, side, &unit, error);
	if (rc == 0)
		rc = comparison_read_metrics(builder, name, result, error);
	builder->n_results++;
	builder->next_point = 0;
	if (result->n_variants > 1)
		builder->several_variants = true;
	for (unsigned v = 0; v < result->n_variants && rc == 0; v++)
		rc = comparison_collect(builder, side, name, &result->variants[v], error);
	if (rc == 0)
		rc = comparison_read_facts(builder, side, result, error);
	if (rc == 0)
		builder->comparison->sides[side].n_results++;
	return rc;
}

static int check_sides(const struct comparison_builder *builder, struct error *error)
{
	const struct comparison *comparison = builder->comparison;

	if (comparison->n_sides < 2)
		return error_set(error, ERROR_INPUT,
				 "there is one side only, and nothing to hold against it: name the "
				 "results of both, orion-sim compare BASE… -- NEW…");
	for (unsigned i = 0; i < comparison->n_sides; i++)
		if (comparison->sides[i].n_results == 0)
			return error_set(error, ERROR_INPUT,
					 "side %u has no results: name files or folders that have",
					 i + 1);
	return 0;
}

static void sample_list_free(struct sample_list *list)
{
	for (unsigned i = 0; i < list->n; i++)
		free(list->samples[i].values);
	free(list->samples);
}

static void points_free(struct comparison_builder *builder)
{
	for (unsigned p = 0; p < builder->n_points; p++) {
		struct matched_point *point = &builder->points[p];

		for (unsigned i = 0; i < point->n_series; i++) {
			for (unsigned s = 0; s < point->series[i].n_sides; s++)
				sample_list_free(&point->series[i].sides[s]);
			free(point->series[i].sides);
		}
		free(point->series);
		free(point->key);
	}
	free(builder->points);
}

static void facts_free(struct comparison_builder *builder)
{
	for (unsigned i = 0; i < builder->n_facts; i++) {
		for (unsigned s = 0; s < builder->facts[i].n_sides; s++)
			free(builder->facts[i].sides[s].values);
		free(builder->facts[i].sides);
	}
	free(builder->facts);
}

void comparison_builder_free(struct comparison_builder *builder)
{
	points_free(builder);
	facts_free(builder);
	free(builder->thresholds);
	free(builder->fractions);
	free(builder->specs);
	free(builder->factors);
	free(builder->metrics);
	functions_free(&builder->functions);
	free(builder->blocks);
	free(builder->units_room);
	free(builder);
}

int comparison_finish(struct comparison_builder *builder, struct comparison *ret,
		      struct error *error)
{
	int rc = check_sides(builder, error);

	if (rc == 0)
		rc = comparison_check_metrics(builder, error);
	if (rc == 0)
		rc = comparison_find_differences(builder, error);
	if (rc == 0)
		rc = comparison_check_differences(builder, error);
	comparison_summarize_sides(builder);
	if (rc == 0 && !builder->in_variants)
		rc = comparison_join_boots(builder, error);
	if (rc == 0)
		rc = comparison_make_rows(builder, error);
	if (rc == 0)
		rc = comparison_judge(builder, error);
	if (rc == 0 && functions_moves(&builder->functions, &builder->comparison->moves,
				       &builder->comparison->n_moves) < 0)
		rc = parts_no_memory(error);
	if (rc < 0) {
		comparison_abandon(builder);
		return rc;
	}
	*ret = *builder->comparison;
	free(builder->comparison);
	comparison_builder_free(builder);
	return 0;
}
