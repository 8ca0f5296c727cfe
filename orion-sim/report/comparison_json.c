/* SPDX-License-Identifier: MIT */
/* comparison_json.c - a comparison with every number in it, schema orion-sim-comparison/1. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json.h"
#include "report/comparison.h"
#include "report/comparison_parts.h"
#include "report/output.h"
#include "stats/document.h"

extern const struct comparison_ops comparison_json;

/* null where there is none */
static void add_real(cJSON *object, const char *name, double value)
{
	if (isfinite(value))
		cJSON_AddNumberToObject(object, name, value);
	else
		cJSON_AddNullToObject(object, name);
}

static void add_units(cJSON *object, const struct comparison_side *side)
{
	cJSON *list = cJSON_AddArrayToObject(object, "units");

	for (unsigned i = 0; i < side->n_units; i++) {
		const struct comparison_unit *unit = &side->units[i];
		cJSON *node = cJSON_CreateObject();

		cJSON_AddItemToArray(list, node);
		cJSON_AddStringToObject(node, "name", unit->name);
		if (unit->boot_id[0])
			cJSON_AddStringToObject(node, "boot_id", unit->boot_id);
		json_add_count(node, "order", unit->order);
		json_add_count(node, "results", unit->n_results);
	}
}

static void add_sides(cJSON *root, const struct comparison *comparison)
{
	cJSON *list = cJSON_AddArrayToObject(root, "sides");

	for (unsigned i = 0; i < comparison->n_sides; i++) {
		const struct comparison_side *side = &comparison->sides[i];
		cJSON *node = cJSON_CreateObject();

		cJSON_AddItemToArray(list, node);
		cJSON_AddStringToObject(node, "label", side->label);
		cJSON_AddStringToObject(node, "summary", side->summary);
		json_add_count(node, "results", side->n_results);
		json_add_count(node, "boots", side->n_boots);
		add_units(node, side);
	}
}

static void add_sample(cJSON *row, const char *name, const struct compare_side *side,
		       const double *values, const unsigned *units)
{
	cJSON *node = cJSON_AddObjectToObject(row, name), *list;

	json_add_count(node, "n", side->n);
	add_real(node, "median", side->median);
	add_real(node, "spread_percent", side->spread_percent);
	json_add_count(node, "outliers", side->n_outliers);
	list = cJSON_AddArrayToObject(node, "values");
	for (size_t i = 0; i < side->n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber(values[i]));
	list = cJSON_AddArrayToObject(node, "units");
	for (size_t i = 0; i < side->n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber(units[i]));
}

static void add_numbers(cJSON *node, const struct compare_numbers *numbers)
{
	add_real(node, "change_percent", comparison_percent(numbers->change));
	add_real(node, "low_percent", comparison_percent(numbers->low));
	add_real(node, "high_percent", comparison_percent(numbers->high));
	add_real(node, "p", numbers->p);
	add_real(node, "p_holm", numbers->p_holm);
	cJSON_AddBoolToObject(node, "p_exact", numbers->exact);
	add_real(node, "ratio_of_medians", numbers->ratio);
	add_real(node, "ratio_of_medians_low", numbers->ratio_low);
	add_real(node, "ratio_of_medians_high", numbers->ratio_high);
	add_real(node, "visible_percent", 100 * numbers->visible);
	json_add_count(node, "needed", numbers->needed);
	cJSON_AddStringToObject(node, "verdict", compare_verdict_name(numbers->verdict));
	if (numbers->reason[0])
		cJSON_AddStringToObject(node, "reason", numbers->reason);
}

static cJSON *row_node(const struct comparison_row *row)
{
	cJSON *node = cJSON_CreateObject();

	json_add_count(node, "side", row->side);
	if (row->variant[0])
		cJSON_AddStringToObject(node, "variant", row->variant);
	cJSON_AddStringToObject(node, "point", row->point);
	cJSON_AddStringToObject(node, "stream", row->stream);
	cJSON_AddStringToObject(node, "class", row->class);
	cJSON_AddStringToObject(node, "metric", row->metric.name);
	cJSON_AddStringToObject(node, "unit", row->metric.unit);
	cJSON_AddStringToObject(node, "better", row->metric.higher_better ? "higher" : "lower");
	cJSON_AddBoolToObject(node, "primary", row->primary);
	json_add_count(node, "few_operations", row->few_ops);
	add_real(node, "alpha", row->options.alpha);
	add_real(node, "threshold_percent", 100 * row->options.threshold);
	add_numbers(node, &row->numbers);
	add_sample(node, "base", &row->numbers.base, row->base, row->base_unit);
	add_sample(node, "other", &row->numbers.other, row->other, row->other_unit);
	return node;
}

static void add_rows(cJSON *root, const struct comparison *comparison)
{
	cJSON *list = cJSON_AddArrayToObject(root, "rows");

	for (unsigned i = 0; i < comparison->n_rows; i++)
		cJSON_AddItemToArray(list, row_node(&comparison->rows[i]));
}

static void add_geomeans(cJSON *root, const struct comparison *comparison)
{
	cJSON *list = cJSON_AddArrayToObject(root, "geomeans");

	for (unsigned side = 1; side < comparison->n_sides && comparison->geomeans; side++) {
		for (int higher = 1; higher >= 0; higher--) {
			double mean = comparison->geomeans[side][higher];
			cJSON *node;

			if (!isfinite(mean))
				continue;
			node = cJSON_CreateObject();
			cJSON_AddItemToArray(list, node);
			json_add_count(node, "side", side);
			cJSON_AddStringToObject(node, "better", higher ? "higher" : "lower");
			cJSON_AddNumberToObject(node, "change_percent", 100 * mean);
		}
	}
}

static void add_differences(cJSON *root, const struct comparison *comparison)
{
	cJSON *list = cJSON_AddArrayToObject(root, "differences");

	for (unsigned i = 0; i < comparison->n_differences; i++) {
		const struct comparison_difference *difference = &comparison->differences[i];
		cJSON *node = cJSON_CreateObject();

		cJSON_AddItemToArray(list, node);
		json_add_count(node, "side", difference->side);
		if (difference->factor)
			cJSON_AddStringToObject(node, "factor", difference->factor->name);
		cJSON_AddStringToObject(node, "what", difference->what);
		cJSON_AddStringToObject(node, "base", difference->base);
		cJSON_AddStringToObject(node, "other", difference->other);
		cJSON_AddBoolToObject(node, "declared", difference->declared);
	}
}

static void add_losses(cJSON *root, const struct comparison *comparison)
{
	cJSON *list;

	json_add_count(root, "losses", comparison->n_losses);
	list = cJSON_AddArrayToObject(root, "lost");
	for (unsigned i = 0; i < comparison->n_losses && i < COMPARISON_LOSSES_KEPT; i++) {
		cJSON *node = cJSON_CreateObject();

		cJSON_AddItemToArray(list, node);
		json_add_count(node, "side", comparison->losses[i].side);
		cJSON_AddStringToObject(node, "where", comparison->losses[i].where);
		cJSON_AddStringToObject(node, "reason", comparison->losses[i].reason);
	}
}

static void add_moves(cJSON *root, const struct comparison *comparison)
{
	cJSON *list;

	if (comparison->n_moves == 0)
		return;
	list = cJSON_AddArrayToObject(root, "functions");
	for (unsigned i = 0; i < comparison->n_moves; i++) {
		const struct function_move *move = &comparison->moves[i];
		cJSON *node = cJSON_CreateObject();

		cJSON_AddItemToArray(list, node);
		json_add_count(node, "side", move->side);
		if (move->variant[0])
			cJSON_AddStringToObject(node, "variant", move->variant);
		cJSON_AddStringToObject(node, "point", move->point);
		cJSON_AddStringToObject(node, "name", move->name);
		cJSON_AddNumberToObject(node, "base_percent", move->base_percent);
		cJSON_AddNumberToObject(node, "other_percent", move->other_percent);
		cJSON_AddBoolToObject(node, "base_at_most", move->base_at_most);
		cJSON_AddBoolToObject(node, "other_at_most", move->other_at_most);
	}
}

static cJSON *comparison_node(const struct comparison *comparison)
{
	cJSON *root = cJSON_CreateObject();
	char answer[2048];

	cJSON_AddStringToObject(root, "schema", COMPARISON_SCHEMA);
	cJSON_AddStringToObject(root, "answer",
				comparison_answer(comparison, answer, sizeof(answer)));
	cJSON_AddBoolToObject(root, "paired", comparison->paired);
	cJSON_AddStringToObject(root, "unit", comparison_unit_name(comparison->unit));
	json_add_u64_text(root, "design_seed", comparison->design_seed);
	add_real(root, "drift_percent", comparison->drift_percent);
	json_add_count(root, "family", comparison->n_primary);
	add_sides(root, comparison);
	add_rows(root, comparison);
	add_geomeans(root, comparison);
	add_differences(root, comparison);
	add_losses(root, comparison);
	add_moves(root, comparison);
	return root;
}

static int write_json(const struct comparison *comparison, bool all, FILE *stream,
		      struct error *error)
{
	cJSON *root = comparison_node(comparison);
	CLEANUP(cleanup_free) char *text = root ? document_print(root) : NULL;

	cJSON_Delete(root);
	if (!text)
		return error_set(error, -ENOMEM, "no memory for the report");
	return output_text(text, stream, error);
}

const struct comparison_ops comparison_json = {
	.entry = {.name = "json", .summary = "every number, schema " COMPARISON_SCHEMA},
	.write = write_json};
