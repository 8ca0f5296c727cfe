/* SPDX-License-Identifier: MIT */
/* plan.c - the command that prints the exact points of a profile and touches nothing. */
#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/field.h"
#include "base/json.h"
#include "base/units.h"
#include "command/command.h"
#include "command/plan_blocks.h"
#include "command/profiles.h"
#include "memory/memory.h"
#include "run/settings.h"

#define CELL_BYTES 256
#define NEEDS_MAX  32

struct plan_params {
	bool json, aa;
};

static const struct field plan_fields[] = {
	FIELD_BOOL("json", struct plan_params, json, "false", "print one JSON document"),
	FIELD_BOOL("aa", struct plan_params, aa, "false",
		   "as run --aa: the baseline against itself"),
	FIELD_END};

static const struct command_list plan_lists[] = {
	{.name = "set",
	 .placeholder = "PATH=VALUE",
	 .help = "override the profile, like repeats=5 or points[*].streams[*].workers=4"},
	{.name = "target",
	 .placeholder = "PATH",
	 .help = "file or block device, instead of the targets of all streams"},
	{.name = NULL}};

/* A column of the table: text of one stream (or, where per_point, of the whole point). */
struct column {
	const char *title;
	bool per_point;
	bool joined_once; /* where all streams say the same, it is said once */
	void (*text)(const struct plan_point *point, const struct plan_stream *stream, char *text,
		     size_t size);
};

static void coordinates_text(const struct plan_point *point, const struct plan_stream *stream,
			     char *text, size_t size)
{
	size_t used = 0;

	snprintf(text, size, "%s", point->n_coordinates ? "" : point->label);
	for (unsigned i = 0; i < point->n_coordinates && used < size; i++) {
		int n = snprintf(text + used, size - used, "%s%s %s", i ? ", " : "",
				 point->coordinates[i].axis, point->coordinates[i].value);

		used += n > 0 ? (size_t)n : size;
	}
}

static void engine_text(const struct plan_point *point, const struct plan_stream *stream,
			char *text, size_t size)
{
	if (stream->engine.entry)
		choice_label(&stream->engine, text, size);
	else
		snprintf(text, size, "%s", stream->workload.entry->name);
}

static void memory_text(const struct plan_point *point, const struct plan_stream *stream,
			char *text, size_t size)
{
	if (stream->region >= 0)
		plan_memory_label(&point->regions[stream->region].memory, text, size);
	else
		snprintf(text, size, "-");
}

static void parameter_text(const struct plan_stream *stream, const char *name, char *text,
			   size_t size)
{
	const struct field *field = stream->workload.entry->fields;

	for (; field && field->name; field++)
		if (!strcmp(field->name, name)) {
			field_format(field, stream->workload.params, text, size);
			return;
		}
	snprintf(text, size, "-");
}

static void block_text(const struct plan_point *point, const struct plan_stream *stream, char *text,
		       size_t size)
{
	parameter_text(stream, "block", text, size);
}

static void depth_text(const struct plan_point *point, const struct plan_stream *stream, char *text,
		       size_t size)
{
	parameter_text(stream, "depth", text, size);
}

static void workers_text(const struct plan_point *point, const struct plan_stream *stream,
			 char *text, size_t size)
{
	snprintf(text, size, "%u", stream->workers);
}

static void targets_text(const struct plan_point *point, const struct plan_stream *stream,
			 char *text, size_t size)
{
	snprintf(text, size, "%u", stream->n_targets);
}

static const struct column columns[] = {
	{"point", true, false, coordinates_text}, {"engine", false, true, engine_text},
	{"memory", false, true, memory_text},	  {"block", false, false, block_text},
	{"depth", false, false, depth_text},	  {"workers", false, false, workers_text},
	{"targets", false, false, targets_text}};

#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* "8K+1M" for two streams. */
static void cell_text(const struct plan_point *point, const struct column *column,
		      char text[CELL_BYTES])
{
	char first[CELL_BYTES], one[CELL_BYTES];
	size_t used;
	bool same = column->joined_once;

	column->text(point, &point->streams[0], first, sizeof(first));
	used = (size_t)snprintf(text, CELL_BYTES, "%s", first);
	if (column->per_point)
		return;
	for (unsigned i = 1; i < point->n_streams && used < CELL_BYTES; i++) {
		column->text(point, &point->streams[i], one, sizeof(one));
		same = same && !strcmp(first, one);
		used += (size_t)snprintf(text + used, CELL_BYTES - used, "+%s", one);
	}
	if (same)
		memcpy(text, first, sizeof(first));
}

static void widths_measure(const struct plan_variant *variant, int widths[N_COLUMNS])
{
	char text[CELL_BYTES];

	for (size_t c = 0; c < N_COLUMNS; c++) {
		widths[c] = (int)strlen(columns[c].title);
		for (unsigned i = 0; i < variant->n_points; i++) {
			cell_text(&variant->points[i], &columns[c], text);
			if ((int)strlen(text) > widths[c])
				widths[c] = (int)strlen(text);
		}
	}
}

static void heading_print(const struct plan *plan, const struct plan_variant *variant)
{
	unsigned i = (unsigned)(variant - plan->variants);

	if (plan->n_variants > 1)
		printf("\nvariant %u %s%s", i + 1, variant->label,
		       i == plan->baseline ? " (baseline)" : "");
	else if (*variant->label)
		printf("\nvariant %s", variant->label);
}

static void variant_print(const struct plan *plan, const struct plan_variant *variant)
{
	int widths[N_COLUMNS];
	char text[CELL_BYTES];

	widths_measure(variant, widths);
	heading_print(plan, variant);
	printf("\n%4s", "#");
	for (size_t c = 0; c < N_COLUMNS; c++)
		printf("  %-*s", c + 1 < N_COLUMNS ? widths[c] : 0, columns[c].title);
	putchar('\n');
	for (unsigned i = 0; i < variant->n_points; i++) {
		printf("%4u", i + 1);
		for (size_t c = 0; c < N_COLUMNS; c++) {
			cell_text(&variant->points[i], &columns[c], text);
			printf("  %-*s", c + 1 < N_COLUMNS ? widths[c] : 0, text);
		}
		putchar('\n');
	}
}

static int setting_name(const struct profile *profile, const cJSON *node, char *text, size_t size,
			struct error *error)
{
	struct choice choice;
	int status = catalog_read(&settings_catalog, profile->document, node, &choice, error);

	if (status < 0)
		return status;
	choice_label(&choice, text, size);
	choice_free(&choice);
	return 0;
}

static int settings_print(const struct profile *profile, const char *variant, const cJSON *list,
			  struct error *error)
{
	const cJSON *node;
	char text[CELL_BYTES];
	bool first = true;

	if (!cJSON_GetArraySize(list))
		return 0;
	printf("settings borrowed%s%s: ", *variant ? " for " : "", variant);
	cJSON_ArrayForEach (node, list) {
		int status = setting_name(profile, node, text, sizeof(text), error);

		if (status < 0)
			return status;
		printf("%s%s", first ? "" : ", ", text);
		first = false;
	}
	putchar('\n');
	return 0;
}

/* The need of that kind and page size, made with 0 bytes; null where it needs nothing. */
static struct memory_need *need_find(struct memory_need *needs, unsigned *n,
				     const struct memory_need *like)
{
	for (unsigned i = 0; i < *n; i++)
		if (needs[i].kind == like->kind && needs[i].page_bytes == like->page_bytes)
			return &needs[i];
	if (like->kind == MEMORY_NEED_NOTHING || *n == NEEDS_MAX)
		return NULL;
	needs[*n] = *like;
	needs[*n].bytes = 0;
	return &needs[(*n)++];
}

static unsigned point_needs(const struct plan_point *point, struct memory_need needs[NEEDS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < point->n_regions; i++) {
		const struct plan_region *region = &point->regions[i];
		struct memory_need need = {0}, *sum;

		memory_ops_of(&region->memory)
			->need(region->memory.params, region->size_bytes, &need);
		sum = need_find(needs, &n, &need);
		if (sum)
			sum->bytes += need.bytes;
	}
	return n;
}

/* The most that any single point needs, by kind and page size. */
static unsigned needs_gather(const struct plan_variant *variant, struct memory_need *needs,
			     unsigned n)
{
	for (unsigned i = 0; i < variant->n_points; i++) {
		struct memory_need of_point[NEEDS_MAX];
		unsigned n_of_point = point_needs(&variant->points[i], of_point);

		for (unsigned k = 0; k < n_of_point; k++) {
			struct memory_need *most = need_find(needs, &n, &of_point[k]);

			if (most && most->bytes < of_point[k].bytes)
				most->bytes = of_point[k].bytes;
		}
	}
	return n;
}

static void needs_print(const struct plan *plan)
{
	struct memory_need needs[NEEDS_MAX];
	char bytes[32], page[32];
	unsigned n = 0;

	for (unsigned i = 0; i < plan->n_variants; i++)
		n = needs_gather(&plan->variants[i], needs, n);
	if (!n)
		return;
	printf("memory needs: ");
	for (unsigned i = 0; i < n; i++) {
		units_format_size(needs[i].page_bytes, page);
		if (needs[i].kind == MEMORY_NEED_HUGE_PAGES)
			printf("%s%s of free %s huge pages", i ? ", " : "",
			       units_format_size(needs[i].bytes, bytes), page);
		else
			printf("%sshared folios of %s", i ? ", " : "", page);
	}
	putchar('\n');
}

static void duration_words(uint64_t duration_ns, char *text, size_t size)
{
	uint64_t s = (duration_ns + 500000000) / 1000000000;

	if (s < 60)
		snprintf(text, size, "%" PRIu64 " s", s ? s : 1);
	else if (s < 3600)
		snprintf(text, size, "%" PRIu64 " min %" PRIu64 " s", s / 60, s % 60);
	else
		snprintf(text, size, "%" PRIu64 " h %" PRIu64 " min", s / 3600, s % 3600 / 60);
}

/* "500ms", or "steady (at most 25s)" */
static const char *warmup_words(const struct warmup *warmup, char *text, size_t size)
{
	char label[64], longest[32];

	warmup_label(warmup, label, sizeof(label));
	if (!warmup_may_end_early(warmup))
		snprintf(text, size, "%s", label);
	else
		snprintf(text, size, "%s (at most %s)", label,
			 units_format_duration(warmup_longest_ns(warmup), longest));
	return text;
}

static int plan_print(const struct plan *plan, const struct profile *profile, struct error *error)
{
	char warmup[128], measure[32], time[64];
	int status;

	printf("%s%s%s\n", plan->name, *plan->summary ? ": " : "", plan->summary);
	printf("%s %u, warm-up %s, measure %s, seed %" PRIu64 "\n",
	       plan->n_variants > 1 ? "blocks" : "repeats", plan->repeats,
	       warmup_words(&profile->phases.warmup, warmup, sizeof(warmup)),
	       units_format_duration(profile->phases.measure_ns, measure), plan->seed);
	plan_blocks_print(plan);
	status = settings_print(profile, "", profile->settings, error);
	for (unsigned i = 0; !status && i < plan->n_variants; i++)
		status = settings_print(profile, plan->variants[i].label,
					plan->variants[i].more_settings, error);
	if (status < 0)
		return status;
	needs_print(plan);
	for (unsigned i = 0; i < plan->n_variants; i++)
		variant_print(plan, &plan->variants[i]);
	duration_words(plan_estimate_ns(plan), time, sizeof(time));
	printf("\n%u runs, %s %s\n", plan_runs(plan),
	       plan_may_end_early(plan) ? "at most about" : "about", time);
	return 0;
}

static cJSON *point_to_json(const struct plan_point *point, unsigned number)
{
	cJSON *object = cJSON_CreateObject(), *coordinates;

	json_add_count(object, "number", number);
	cJSON_AddStringToObject(object, "label", point->label);
	coordinates = cJSON_AddObjectToObject(object, "coordinates");
	for (unsigned i = 0; i < point->n_coordinates; i++)
		cJSON_AddStringToObject(coordinates, point->coordinates[i].axis,
					point->coordinates[i].value);
	cJSON_AddItemToObject(object, "effective", cJSON_Duplicate(point->effective, true));
	return object;
}

static cJSON *variant_to_json(const struct plan_variant *variant)
{
	cJSON *object = cJSON_CreateObject(), *points;

	cJSON_AddStringToObject(object, "label", variant->label);
	points = cJSON_AddArrayToObject(object, "points");
	for (unsigned i = 0; i < variant->n_points; i++)
		cJSON_AddItemToArray(points, point_to_json(&variant->points[i], i + 1));
	return object;
}

static int plan_print_json(const struct plan *plan, struct error *error)
{
	CLEANUP(cleanup_free) char *text = NULL;
	cJSON *object = cJSON_CreateObject(), *variants;

	cJSON_AddStringToObject(object, "name", plan->name);
	json_add_count(object, "runs", plan_runs(plan));
	cJSON_AddNumberToObject(object, "estimated_s", (double)plan_estimate_ns(plan) / 1e9);
	cJSON_AddItemToObject(object, "effective", cJSON_Duplicate(plan->effective, true));
	plan_blocks_to_json(plan, object);
	variants = cJSON_AddArrayToObject(object, "variants");
	for (unsigned i = 0; i < plan->n_variants; i++)
		cJSON_AddItemToArray(variants, variant_to_json(&plan->variants[i]));
	text = cJSON_Print(object);
	cJSON_Delete(object);
	if (!text)
		return error_set(error, -ENOMEM, "no memory for the JSON document");
	puts(text);
	return 0;
}

static int plan_run(const struct command_args *args, struct error *error)
{
	const struct plan_params *params = args->params;
	struct profile_overrides overrides = {.sets = args->lists[0].values,
					      .targets = args->lists[1].values,
					      .against_itself = params->aa};
	struct profile profile;
	struct plan plan;
	int status = command_load_plan(args->words[0], &overrides, &profile, &plan, error);

	if (status < 0)
		return command_exit_code(error);
	status = params->json ? plan_print_json(&plan, error) : plan_print(&plan, &profile, error);
	plan_free(&plan);
	profile_free(&profile);
	return status < 0 ? command_exit_code(error) : EXIT_CODE_OK;
}

extern const struct command_ops command_plan;
const struct command_ops command_plan = {
	.entry = {.name = "plan",
		  .summary = "print the exact points of a profile and how long they take",
		  .fields = plan_fields,
		  .params_size = sizeof(struct plan_params)},
	.words_usage = "PROFILE",
	.words_min = 1,
	.words_max = 1,
	.lists = plan_lists,
	.run = plan_run};
