/* SPDX-License-Identifier: MIT */
/* point.c - a planned point made ready to run: its targets open, its streams' set-ups filled. */
#include "run/point.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "engine/engine.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "run/pagetables.h"
#include "run/sites.h"

/* Open files that a run has beside targets and queues. */
#define FILES_BESIDE 32

/* The i-th of a stream's list is the i-th of the table where all streams have one list. */
static const struct target *target_table_find(const struct target_table *table, const char *path,
					      unsigned i)
{
	if (i < table->n && strcmp(table->targets[i].path, path) == 0)
		return &table->targets[i];
	for (i = 0; i < table->n; i++)
		if (strcmp(table->targets[i].path, path) == 0)
			return &table->targets[i];
	return NULL;
}

static int target_table_add(struct target_table *table, const char *path, struct error *error)
{
	struct target *grown;
	int status;

	grown = realloc(table->targets, (table->n + 1) * sizeof(*grown));
	if (!grown)
		return error_set(error, -ENOMEM, "no memory for %u targets", table->n + 1);
	table->targets = grown;
	status = target_open(path, &table->targets[table->n], error);
	if (status == 0)
		table->n++;
	return status;
}

static int target_table_add_stream(struct target_table *table, const struct plan_stream *stream,
				   struct error *error)
{
	uint64_t count = (uint64_t)table->n + FILES_BESIDE;
	char what[32];
	int status;

	for (unsigned i = 0; i < stream->n_targets; i++)
		count += !target_table_find(table, stream->targets[i], i);
	/* Engines may do without a descriptor a queue, so only the targets must fit. */
	limits_raise_files(count + stream->workers, "", NULL);
	snprintf(what, sizeof(what), "%u targets", stream->n_targets);
	status = limits_raise_files(count, what, error);
	for (unsigned i = 0; status == 0 && i < stream->n_targets; i++)
		if (!target_table_find(table, stream->targets[i], i))
			status = target_table_add(table, stream->targets[i], error);
	return status;
}

int target_table_open(struct target_table *table, const struct plan *plan, struct error *error)
{
	*table = (struct target_table){0};
	for (unsigned v = 0; v < plan->n_variants; v++) {
		for (unsigned p = 0; p < plan->variants[v].n_points; p++) {
			const struct plan_point *point = &plan->variants[v].points[p];

			for (unsigned s = 0; s < point->n_streams; s++) {
				int status =
					target_table_add_stream(table, &point->streams[s], error);

				if (status < 0) {
					target_table_close(table);
					return status;
				}
			}
		}
	}
	return 0;
}

void target_table_close(struct target_table *table)
{
	for (unsigned i = 0; i < table->n; i++)
		target_close(&table->targets[i]);
	free(table->targets);
	*table = (struct target_table){0};
}

static unsigned point_region_workers(const struct plan_point *planned, int region)
{
	unsigned workers = 0;

	for (unsigned s = 0; s < planned->n_streams; s++)
		if (planned->streams[s].region == region)
			workers += planned->streams[s].workers;
	return workers;
}

/* Copies what the table holds of the stream's targets, in the order that requests index them. */
static void point_copy_targets(const struct plan_stream *stream, const struct target_table *table,
			       struct target *row)
{
	for (unsigned i = 0; i < stream->n_targets; i++) {
		const struct target *target = target_table_find(table, stream->targets[i], i);

		assert(target);
		if (target)
			row[i] = *target;
	}
}

/* At least one, so that there is something to ask. */
static unsigned point_count_targets(const struct plan_stream *stream,
				    const struct engine_ops *engine)
{
	unsigned n = stream->n_targets;

	if (engine && engine->model_target_bytes)
		n = engine->model_targets ? engine->model_targets(stream->engine.params) : 1;
	return n ? n : 1;
}

static int point_open_targets(struct run_point *point, unsigned s, const struct target_table *table,
			      struct error *error)
{
	const struct plan_stream *stream = &point->plan->streams[s];
	const struct engine_ops *engine = engine_ops_of(&stream->engine);
	unsigned n = point_count_targets(stream, engine);
	struct target *row = calloc(n, sizeof(*row));

	if (!row)
		return error_set(error, -ENOMEM, "no memory for %u targets", n);
	point->targets[s] = row;
	for (unsigned i = 0; engine && engine->model_target_bytes && i < n; i++)
		target_model(&row[i], engine->model_target_bytes(stream->engine.params));
	if (engine && !engine->model_target_bytes)
		point_copy_targets(stream, table, row);
	point->setups[s].targets = row;
	point->setups[s].n_targets = n;
	return 0;
}

static int point_open_stream(struct run_point *point, unsigned s, const struct plan *plan,
			     const struct target_table *table, struct error *error)
{
	const struct plan_stream *stream = &point->plan->streams[s];
	struct workload_setup *setup = &point->setups[s];

	*setup = (struct workload_setup){.params = stream->workload.params,
					 .engine = &stream->engine,
					 .layout = stream->layout.entry ? &stream->layout : NULL,
					 .random_warmup =
						 warmup_rule_of(&point->plan->warmup).at_random,
					 .workers = stream->workers,
					 .worker_kind = stream->worker_kind,
					 .queues = point->n_workers,
					 .allow_unwritten = plan->allow_unwritten};
	if (stream->region >= 0) {
		const struct plan_region *region = &point->plan->regions[stream->region];

		setup->region_bytes = region->size_bytes;
		setup->region_page_bytes =
			memory_ops_of(&region->memory)->page_bytes(region->memory.params);
		setup->region_workers = point_region_workers(point->plan, stream->region);
	}
	return point_open_targets(point, s, table, error);
}

int run_point_open(struct run_point *point, const struct plan *plan,
		   const struct plan_point *planned, const struct target_table *table,
		   const struct topology *topology, struct error *error)
{
	int status = 0;

	*point = (struct run_point){.plan = planned, .counters = plan->profile->observed.counters};
	for (unsigned s = 0; s < planned->n_streams; s++)
		point->n_workers += planned->streams[s].workers;
	point->setups = calloc(planned->n_streams, sizeof(*point->setups));
	point->targets = calloc(planned->n_streams, sizeof(*point->targets));
	if (!point->setups || !point->targets)
		status = error_set(error, -ENOMEM, "no memory for a point");
	for (unsigned s = 0; status == 0 && s < planned->n_streams; s++)
		status = point_open_stream(point, s, plan, table, error);
	if (status == 0)
		status = sites_open("", topology, point, error);
	if (status < 0)
		run_point_close(point);
	return status;
}

void run_point_close(struct run_point *point)
{
	for (unsigned s = 0; point->targets && s < point->plan->n_streams; s++)
		free(point->targets[s]);
	free(point->targets);
	free(point->setups);
	sites_close(point);
	*point = (struct run_point){0};
}

static int point_probe_place(const struct run_point *point, unsigned r, struct error *error)
{
	const struct plan_region *region = &point->plan->regions[r];
	struct memory_need need = {0};
	int status;

	memory_ops_of(&region->memory)->need(region->memory.params, region->size_bytes, &need);
	status = place_probe("", &point->places[r], &need, region->size_bytes, error);
	return status < 0 ? error_prefix(error, "numa of region '%s': ", region->name) : 0;
}

static int point_probe_memory(const struct run_point *point, struct error *error)
{
	const struct plan_point *planned = point->plan;

	for (unsigned r = 0; r < planned->n_regions; r++) {
		const struct plan_region *region = &planned->regions[r];
		const struct memory_ops *ops = memory_ops_of(&region->memory);
		int status = ops->probe(region->memory.params, region->size_bytes, error);

		if (status == 0)
			status = point_probe_place(point, r, error);
		if (status < 0)
			return status;
	}
	return 0;
}

/* Memory of a region that is not in a pool apart. */
static uint64_t point_region_bytes(const struct plan_region *region)
{
	struct memory_need need = {0};

	memory_ops_of(&region->memory)->need(region->memory.params, region->size_bytes, &need);
	return need.kind == MEMORY_NEED_HUGE_PAGES ? 0 : region->size_bytes;
}

/* Page tables are easily forgotten where hundreds of processes share a region. */
static int point_probe_pagetables(const struct run_point *point, struct error *error)
{
	const struct plan_point *planned = point->plan;
	uint64_t tables_bytes = 0, regions_bytes = 0;
	unsigned processes = 0;

	for (unsigned s = 0; s < planned->n_streams; s++) {
		const struct plan_stream *stream = &planned->streams[s];
		const struct workload_setup *setup = &point->setups[s];
		uint64_t each_bytes = setup->region_bytes;

		if (stream->worker_kind != WORKER_PROCESS || stream->region < 0)
			continue;
		if (!workload_ops_of(&stream->workload)->whole_region)
			each_bytes /= setup->region_workers;
		processes += stream->workers;
		tables_bytes +=
			stream->workers * pagetables_need(each_bytes, setup->region_page_bytes,
							  (uint64_t)sysconf(_SC_PAGESIZE));
	}
	for (unsigned r = 0; r < planned->n_regions; r++)
		regions_bytes += point_region_bytes(&planned->regions[r]);
	return processes ? pagetables_check("", processes, tables_bytes, regions_bytes, error) : 0;
}

int run_point_probe(const struct run_point *point, bool with_memory, struct error *error)
{
	const struct plan_point *planned = point->plan;
	struct error cannot = {0};

	for (unsigned s = 0; s < planned->n_streams; s++) {
		struct error found = {0};
		const struct workload_ops *ops = workload_ops_of(&planned->streams[s].workload);
		int status = ops->probe(&point->setups[s], &found);

		if (status < 0 && status != ERROR_CANNOT) {
			*error = found;
			return error_prefix(error, "%s: ", planned->streams[s].label);
		}
		if (status < 0 && cannot.code == 0)
			cannot = found;
	}
	if (cannot.code == 0 && point->unplaced)
		error_set(&cannot, ERROR_CANNOT, "%s", point->unplaced);
	if (cannot.code == 0 && with_memory)
		point_probe_memory(point, &cannot);
	if (cannot.code == 0 && with_memory)
		point_probe_pagetables(point, &cannot);
	if (cannot.code)
		*error = cannot;
	return cannot.code;
}

static struct memory_need *need_find(struct memory_need *needs, unsigned *n_needs, unsigned max,
				     const struct memory_need *like)
{
	for (unsigned i = 0; i < *n_needs; i++)
		if (needs[i].kind == like->kind && needs[i].page_bytes == like->page_bytes &&
		    needs[i].nodes_only == like->nodes_only &&
		    !memcmp(&needs[i].nodes, &like->nodes, sizeof(like->nodes)))
			return &needs[i];
	if (*n_needs == max)
		return NULL;
	needs[*n_needs] = *like;
	needs[*n_needs].bytes = 0;
	return &needs[(*n_needs)++];
}

/* What all regions of one point need. */
struct point_needs {
	struct memory_need needs[RUN_NEEDS_MAX];
	unsigned n;
};

static void point_needs_add(struct point_needs *sum, const struct memory_need *need)
{
	struct memory_need *found = need_find(sum->needs, &sum->n, RUN_NEEDS_MAX, need);

	if (found)
		found->bytes += need->bytes;
}

static void point_needs_region(const struct run_point *point, unsigned r, struct point_needs *sum)
{
	const struct plan_region *region = &point->plan->regions[r];
	struct memory_need need = {0}, parts[PLACE_NODES_MAX];
	unsigned n;

	memory_ops_of(&region->memory)->need(region->memory.params, region->size_bytes, &need);
	if (need.kind == MEMORY_NEED_NOTHING)
		return;
	n = place_needs("", &point->places[r], &need, parts, PLACE_NODES_MAX);
	for (unsigned i = 0; i < n; i++)
		if (node_set_count(&parts[i].nodes))
			point_needs_add(sum, &parts[i]);
	point_needs_add(sum, &need);
}

void run_point_needs(const struct run_point *point, struct memory_need *needs, unsigned *n_needs,
		     unsigned max)
{
	struct point_needs own = {.n = 0};

	for (unsigned r = 0; r < point->plan->n_regions; r++)
		point_needs_region(point, r, &own);
	for (unsigned i = 0; i < own.n; i++) {
		struct memory_need *most = need_find(needs, n_needs, max, &own.needs[i]);

		if (most && most->bytes < own.needs[i].bytes)
			most->bytes = own.needs[i].bytes;
	}
}
