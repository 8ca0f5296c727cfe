/* SPDX-License-Identifier: MIT */
/* generate.c - the INDEX-th random small profile of a SEED, for the soak test. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>

#include "base/catalog.h"
#include "base/field.h"
#include "base/random.h"
#include "base/units.h"
#include "break.h"
#include "engine/engine.h"
#include "memory/memory.h"
#include "plan/point.h"
#include "workload/workload.h"

#define VALUES_MAX   3
#define REGION_BYTES (UINT64_C(64) << 20)
#define COUNT_CAP    32
#define SIZE_CAP     (UINT64_C(16) << 20)
#define DURATION_CAP 1000000
#define SHARE_BYTES  (UINT64_C(2) << 20) /* most that one worker's buffers have */
#define WORKERS_MAX  16
#define REGIONS_MOST 2
#define PREPARED_MIB 16 /* what every target has at least */

/*
 * Tame: every part fits every other, so it runs, or is skipped for what the machine lacks. Wild:
 * whatever the tables allow, so it may be refused. Broken: to be refused.
 */
enum temper { TAME, WILD, BROKEN };

struct generator {
	struct random random;
	char **targets;
	unsigned n_targets;
	enum temper temper;
	uint64_t blocks[VALUES_MAX], depths[VALUES_MAX], workers[VALUES_MAX];
	unsigned n_blocks, n_depths, n_workers; /* more than one: an axis */
	bool processes;				/* workers may be some */
	bool company;				/* a stream that does no I/O is beside */
};

static uint64_t below(struct generator *g, uint64_t bound)
{
	return random_below(&g->random, bound);
}

static bool chance(struct generator *g, unsigned percent)
{
	return below(g, 100) < percent;
}

static uint64_t between(struct generator *g, uint64_t low, uint64_t high)
{
	return low + below(g, high - low + 1);
}

static cJSON *size_node(uint64_t bytes)
{
	char text[32];

	return cJSON_CreateString(units_format_size(bytes, text));
}

static uint64_t cap(const struct field *field, uint64_t most)
{
	return field->max && field->max < most ? field->max : most;
}

static uint64_t random_size(struct generator *g, const struct field *field)
{
	uint64_t high = cap(field, SIZE_CAP), bytes = field->min < 512 ? 512 : field->min;

	while (bytes < high && !chance(g, 20))
		bytes *= 2;
	return bytes <= high ? bytes : field->min;
}

/* Some allowed value; null for what only a person can choose. */
static cJSON *random_value(struct generator *g, const struct field *field)
{
	uint64_t high;
	unsigned n = 0;
	char text[32];

	switch (field->type) {
	case FIELD_TYPE_BOOL:
		return cJSON_CreateBool(chance(g, 50));
	case FIELD_TYPE_COUNT:
		high = cap(field, COUNT_CAP);
		return cJSON_CreateNumber(
			(double)between(g, field->min > high ? high : field->min, high));
	case FIELD_TYPE_SIZE:
		return size_node(random_size(g, field));
	case FIELD_TYPE_DURATION:
		high = cap(field, DURATION_CAP);
		return cJSON_CreateString(units_format_duration(
			field->min > high ? field->min : between(g, field->min, high), text));
	case FIELD_TYPE_CHOICE:
		while (field->choices[n])
			n++;
		return cJSON_CreateString(field->choices[below(g, n)]);
	default:
		return NULL;
	}
}

static bool is_among(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

/* Half of the parameters of a table, but for those named in but. */
static void add_fields(struct generator *g, const struct field *fields, const char *const *but,
		       cJSON *object)
{
	for (; fields && fields->name; fields++) {
		cJSON *value;

		if (is_among(fields->name, but) || chance(g, 50))
			continue;
		value = random_value(g, fields);
		if (value)
			cJSON_AddItemToObject(object, fields->name, value);
	}
}

/* An entry of a catalog with some of its parameters. */
static cJSON *random_choice(struct generator *g, const struct catalog *catalog)
{
	/* A modelled target must hold a block; wild ones may not. */
	static const char *const but_tame[] = {"size", NULL}, *const but_wild[] = {NULL};
	const struct entry *entry;
	unsigned n = 0;
	cJSON *object = cJSON_CreateObject();

	while (catalog->entries[n])
		n++;
	/* Processes cannot share what is private. */
	do
		entry = catalog->entries[below(g, n)];
	while (g->processes && g->temper == TAME && !strcmp(entry->name, "private"));
	cJSON_AddStringToObject(object, "kind", entry->name);
	if (chance(g, 70))
		add_fields(g, entry->fields, g->temper == TAME ? but_tame : but_wild, object);
	return object;
}

static cJSON *random_targets(struct generator *g)
{
	cJSON *list = cJSON_CreateArray();

	for (unsigned i = 0; i < g->n_targets; i++)
		if (i == 0 || chance(g, 40))
			cJSON_AddItemToArray(list, cJSON_CreateString(g->targets[i]));
	return list;
}

static cJSON *random_workload(struct generator *g)
{
	static const char *const own[] = {"block",  "depth",  "batch",	    "reap_min",
					  "offset", "length", "errors_max", NULL};
	const struct entry *io = workload_catalog.entries[0];
	cJSON *object = cJSON_CreateObject();
	bool several = g->n_depths > 1;
	uint64_t batch = several || chance(g, 50) ? 0 : between(g, 1, g->depths[0]);

	if (g->temper == WILD && chance(g, 60)) {
		cJSON_Delete(object);
		return random_choice(g, &workload_catalog);
	}
	cJSON_AddStringToObject(object, "kind", io->name);
	cJSON_AddItemToObject(object, "block", size_node(g->blocks[0]));
	cJSON_AddNumberToObject(object, "depth", (double)g->depths[0]);
	cJSON_AddNumberToObject(object, "batch", (double)batch);
	if (batch > 1 && chance(g, 50))
		cJSON_AddNumberToObject(object, "reap_min", (double)between(g, 1, batch));
	if (chance(g, 20))
		cJSON_AddItemToObject(object, "offset", size_node(between(g, 0, 4) << 20));
	if (chance(g, 20))
		cJSON_AddItemToObject(object, "length",
				      size_node(between(g, 1, PREPARED_MIB - 4) << 20));
	add_fields(g, io->fields, own, object);
	return object;
}

static cJSON *random_stream(struct generator *g, unsigned s, unsigned n_regions)
{
	static const char *const but[] = {"workers", "as", NULL}, *const all[] = {"workers", NULL};
	cJSON *object = cJSON_CreateObject();
	char text[32];

	snprintf(text, sizeof(text), "s%u", s);
	cJSON_AddStringToObject(object, "label", text);
	snprintf(text, sizeof(text), "r%u", s % n_regions);
	cJSON_AddStringToObject(object, "region", text);
	cJSON_AddItemToObject(object, "workload", random_workload(g));
	cJSON_AddItemToObject(object, "engine", random_choice(g, &engine_catalog));
	cJSON_AddNumberToObject(object, "workers", (double)g->workers[0]);
	if (chance(g, 25))
		cJSON_AddItemToObject(object, "targets", random_targets(g));
	add_fields(g, stream_fields, g->processes ? all : but, object);
	return object;
}

/* A stream of another workload, which shares no region with the others. */
static cJSON *random_company(struct generator *g)
{
	static const char *const streams[] = {
		"{\"label\": \"other\", \"workload\": {\"kind\": \"spawn\", \"op\": \"fork\"}, "
		"\"as\": \"processes\", \"pin\": false}",
		"{\"label\": \"other\", \"workload\": {\"kind\": \"spawn\", \"op\": \"exec\"}, "
		"\"as\": \"processes\", \"pin\": false}",
		"{\"label\": \"other\", \"workload\": {\"kind\": \"spawn\", \"op\": \"shell\", "
		"\"at_once\": 8}, \"as\": \"processes\", \"pin\": false}",
		"{\"label\": \"other\", \"workload\": {\"kind\": \"zeropage\", \"size\": \"64m\"}}",
		"{\"label\": \"other\", \"workload\": {\"kind\": \"zeropage\", \"size\": \"64m\"}, "
		"\"as\": \"processes\"}",
		"{\"label\": \"other\", \"workload\": {\"kind\": \"alloc\", \"pages\": 8}}",
		"{\"label\": \"other\", \"workload\": {\"kind\": \"fault\"}, \"region\": \"own\"}",
	};

	return cJSON_Parse(streams[below(g, sizeof(streams) / sizeof(streams[0]))]);
}

static void add_company(struct generator *g, cJSON *regions, cJSON *streams)
{
	cJSON *stream = random_company(g), *own;

	g->company = true;
	cJSON_AddItemToArray(streams, stream);
	if (!cJSON_GetObjectItem(stream, "region"))
		return;
	own = cJSON_AddObjectToObject(regions, "own");
	cJSON_AddItemToObject(own, "memory", random_choice(g, &memory_catalog));
	cJSON_AddStringToObject(own, "size", "2m");
}

static uint64_t most(const uint64_t *values, unsigned n)
{
	uint64_t largest = 0;

	for (unsigned i = 0; i < n; i++)
		if (values[i] > largest)
			largest = values[i];
	return largest;
}

/* What the workers of all streams need at most, since they may share one region. */
static uint64_t region_bytes(struct generator *g, unsigned n_streams)
{
	uint64_t need = most(g->blocks, g->n_blocks) * most(g->depths, g->n_depths) *
			most(g->workers, g->n_workers) * n_streams;

	if (g->temper == WILD && chance(g, 30))
		return UINT64_C(4096) << below(g, 15);
	need += below(g, 4) << 20;
	return need < 4096 ? 4096 : need;
}

static cJSON *random_regions(struct generator *g, unsigned n, unsigned n_streams)
{
	cJSON *regions = cJSON_CreateObject();

	for (unsigned r = 0; r < n; r++) {
		cJSON *region = cJSON_CreateObject();
		char name[16];

		snprintf(name, sizeof(name), "r%u", r);
		cJSON_AddItemToObject(region, "memory", random_choice(g, &memory_catalog));
		cJSON_AddItemToObject(region, "size", size_node(region_bytes(g, n_streams)));
		cJSON_AddItemToObject(regions, name, region);
	}
	return regions;
}

static void add_values(const char *name, const uint64_t *values, unsigned n, cJSON *axes)
{
	cJSON *list;

	if (n < 2)
		return;
	list = cJSON_AddArrayToObject(axes, name);
	for (unsigned i = 0; i < n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber((double)values[i]));
}

static void add_choices(struct generator *g, const char *name, const struct catalog *catalog,
			cJSON *axes)
{
	cJSON *list = cJSON_AddArrayToObject(axes, name);

	for (unsigned i = 0; i < 2; i++) {
		cJSON *choice = random_choice(g, catalog);
		const cJSON *first = list->child;

		/* The same value twice is refused, and so is what only looks different. */
		if (first && cJSON_Compare(cJSON_GetObjectItem(first, "kind"),
					   cJSON_GetObjectItem(choice, "kind"), true))
			cJSON_Delete(choice);
		else
			cJSON_AddItemToArray(list, choice);
	}
}

static void add_axes(struct generator *g, cJSON *point)
{
	cJSON *axes = cJSON_CreateObject();

	add_values("block", g->blocks, g->n_blocks, axes);
	add_values("depth", g->depths, g->n_depths, axes);
	add_values("workers", g->workers, g->n_workers, axes);
	if (cJSON_GetArraySize(axes) < 2 && chance(g, 30))
		add_choices(g, "engine", &engine_catalog, axes);
	if (cJSON_GetArraySize(axes) < 2 && chance(g, 30))
		add_choices(g, "memory", &memory_catalog, axes);
	if (cJSON_GetArraySize(axes) > 0)
		cJSON_AddItemToObject(point, "axes", axes);
	else
		cJSON_Delete(axes);
}

/* Different ones, powers of two times unit; returns how many. */
static unsigned draw_values(struct generator *g, uint64_t unit, unsigned shift_most,
			    unsigned several_percent, uint64_t *values)
{
	unsigned n = 0, want = chance(g, several_percent) ? 2 : 1;

	while (n < want) {
		uint64_t value = unit << below(g, shift_most + 1);

		if (n == 0 || values[0] != value)
			values[n++] = value;
	}
	return n;
}

/* Numbers that fit each other: blocks times depth within a worker's share. */
static void draw_numbers(struct generator *g)
{
	g->n_blocks = draw_values(g, 4096, chance(g, 20) ? 8 : 4, 25, g->blocks);
	g->n_depths = draw_values(g, 1, 6, 25, g->depths);
	g->n_workers = draw_values(g, 1, chance(g, 15) ? 4 : 1, 25, g->workers);
	while (most(g->blocks, g->n_blocks) * most(g->depths, g->n_depths) > SHARE_BYTES) {
		g->n_depths = 1;
		g->n_blocks = 1;
		g->depths[0] = g->depths[0] > 1 ? g->depths[0] / 2 : 1;
		if (g->blocks[0] > SHARE_BYTES)
			g->blocks[0] = SHARE_BYTES;
	}
	if (most(g->blocks, g->n_blocks) * most(g->depths, g->n_depths) *
		    most(g->workers, g->n_workers) >
	    REGION_BYTES / 4) {
		g->n_workers = 1;
		g->workers[0] = 1;
	}
}

static cJSON *random_point(struct generator *g, unsigned index)
{
	unsigned n_streams = (unsigned)between(g, 1, 3), n_regions;
	cJSON *point = cJSON_CreateObject(), *streams = cJSON_CreateArray();
	char label[16];

	n_regions = n_streams > 1 && chance(g, 40) ? REGIONS_MOST : 1;
	draw_numbers(g);
	g->processes = chance(g, 50);
	snprintf(label, sizeof(label), "p%u", index);
	cJSON_AddStringToObject(point, "label", label);
	add_axes(g, point);
	cJSON_AddItemToObject(point, "regions", random_regions(g, n_regions, n_streams));
	for (unsigned s = 0; s < n_streams; s++)
		cJSON_AddItemToArray(streams, random_stream(g, s, n_regions));
	/* An axis would set it in every stream. */
	if (g->temper == TAME && !cJSON_GetObjectItem(point, "axes") && chance(g, 25))
		add_company(g, cJSON_GetObjectItem(point, "regions"), streams);
	cJSON_AddItemToObject(point, "streams", streams);
	return point;
}

static void add_variants(struct generator *g, cJSON *profile)
{
	static const char *const orders[] = {"round_robin", "random"};
	cJSON *list = cJSON_AddArrayToObject(profile, "variants");

	for (unsigned i = 0; i < 2; i++) {
		cJSON *variant = cJSON_CreateObject(), *set = cJSON_CreateObject();
		cJSON *settings = cJSON_CreateArray();

		cJSON_AddStringToObject(variant, "label", i ? "b" : "a");
		cJSON_AddStringToObject(set, "streams[*].workload.buffers", orders[i]);
		cJSON_AddItemToObject(variant, "set", set);
		if (chance(g, 30))
			cJSON_AddItemToArray(settings, cJSON_CreateString("shmem_enabled"));
		cJSON_AddItemToObject(variant, "settings", settings);
		cJSON_AddItemToArray(list, variant);
	}
}

/* Reached or not: both take no longer than a fixed one. */
static cJSON *random_rule(struct generator *g)
{
	cJSON *rule = cJSON_CreateObject();
	bool steady = chance(g, 50);

	cJSON_AddStringToObject(rule, "kind", steady ? "steady" : "agree");
	cJSON_AddStringToObject(rule, steady ? "round" : "window", "1ms");
	if (steady)
		cJSON_AddNumberToObject(rule, "window", (double)between(g, 2, 5));
	if (steady)
		cJSON_AddNumberToObject(rule, "rounds_max", (double)between(g, 5, 8));
	else
		cJSON_AddStringToObject(rule, "max", "8ms");
	return rule;
}

static void add_phases(struct generator *g, cJSON *profile)
{
	cJSON *phases = cJSON_AddObjectToObject(profile, "phases");
	char text[32];

	snprintf(text, sizeof(text), "%ums", (unsigned)below(g, 8));
	if (chance(g, 25))
		cJSON_AddItemToObject(phases, "warmup", random_rule(g));
	else
		cJSON_AddStringToObject(phases, "warmup", text);
	snprintf(text, sizeof(text), "%ums", (unsigned)between(g, 1, 40));
	cJSON_AddStringToObject(phases, "measure", text);
}

static cJSON *random_profile(struct generator *g)
{
	unsigned n_points = chance(g, 25) ? 2 : 1;
	cJSON *profile = cJSON_CreateObject(), *settings = cJSON_CreateArray();
	cJSON *points = cJSON_CreateArray();

	cJSON_AddStringToObject(profile, "name", "soak");
	cJSON_AddNumberToObject(profile, "repeats", (double)between(g, 1, 2));
	cJSON_AddBoolToObject(profile, "strict", chance(g, 80));
	cJSON_AddItemToObject(profile, "targets", random_targets(g));
	if (chance(g, 70))
		cJSON_AddItemToArray(settings, cJSON_CreateString("hugepages"));
	if (chance(g, 50))
		cJSON_AddItemToArray(settings, cJSON_CreateString("shmem_enabled"));
	cJSON_AddItemToObject(profile, "settings", settings);
	add_phases(g, profile);
	for (unsigned i = 0; i < n_points; i++)
		cJSON_AddItemToArray(points, random_point(g, i));
	cJSON_AddItemToObject(profile, "points", points);
	if (n_points == 1 && g->temper == TAME && !g->company && chance(g, 15))
		add_variants(g, profile);
	return profile;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"tame", "wild", "broken"};
	struct generator g = {.temper = TAME};
	uint64_t percent;
	cJSON *profile;
	char *text;

	if (argc < 4) {
		fprintf(stderr, "usage: soak_generate SEED INDEX TARGET…\n");
		return 2;
	}
	random_seed(&g.random, strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
	g.targets = argv + 3;
	g.n_targets = (unsigned)argc - 3;
	percent = below(&g, 100);
	g.temper = percent < 60 ? TAME : percent < 80 ? WILD : BROKEN;
	profile = random_profile(&g);
	if (g.temper == BROKEN) {
		text = profile_break(profile, random_next(&g.random));
	} else {
		text = cJSON_Print(profile);
		cJSON_Delete(profile);
	}
	printf("%s\n%s\n", names[g.temper], text);
	free(text);
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
