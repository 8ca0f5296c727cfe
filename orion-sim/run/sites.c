/* SPDX-License-Identifier: MIT */
/* sites.c - where on this machine the regions and the workers of a point go. */
#include "run/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nodes.h"
#include "base/topology.h"
#include "memory/place.h"
#include "run/point.h"

/* Who asks, for short parameter lists. */
struct sites {
	const char *root;
	const struct topology *topology;
	struct run_point *point;
	struct node_set allowed; /* nodes with memory */
	struct error *error;
};

/* Adds the nodes of the devices below a stream's targets; the first that tells none is named. */
static unsigned stream_devices(const struct sites *sites, unsigned s, struct node_set *nodes,
			       char silent[32])
{
	char names[TARGET_DEVICES_MAX][32];
	unsigned found = 0;

	for (unsigned t = 0; t < sites->point->plan->streams[s].n_targets; t++) {
		int n = target_devices(&sites->point->targets[s][t], names);

		for (int i = 0; i < n; i++) {
			int node = nodes_of_device(sites->root, names[i]);

			found++;
			if (node >= 0)
				node_set_add(nodes, node);
			else if (!*silent)
				memcpy(silent, names[i], sizeof(names[i]));
		}
	}
	return found;
}

/* Of the streams that use the region, or of one stream. */
static int devices_nodes(const struct sites *sites, int region, int stream, struct node_set *ret)
{
	const struct plan_point *plan = sites->point->plan;
	char silent[32] = "";
	unsigned found = 0;

	*ret = (struct node_set){0};
	for (unsigned s = 0; s < plan->n_streams; s++)
		if (stream == (int)s || (region >= 0 && plan->streams[s].region == region))
			found += stream_devices(sites, s, ret, silent);
	if (found && !*silent)
		return 0;
	/* Where there is one node only, everything is on it. */
	if (sites->topology->n_nodes == 1 && found) {
		*ret = sites->allowed;
		return 0;
	}
	if (!found)
		return error_set(sites->error, ERROR_CANNOT,
				 "near and far are about the block devices below the targets, and "
				 "none is known here: name nodes instead");
	return error_set(
		sites->error, ERROR_CANNOT,
		"%s does not say on which node it is (/sys/block/%s/device/numa_node): name "
		"nodes instead of near and far",
		silent, silent);
}

static int side_choose(const struct sites *sites, const struct node_set *devices,
		       const struct node_set *among, enum nodes_side side, struct node_set *ret)
{
	char text[128];

	nodes_choose(sites->root, devices, among, side, ret);
	if (node_set_count(ret))
		return 0;
	return error_set(sites->error, ERROR_CANNOT,
			 "no node is farther from the targets' device than others (those that this "
			 "process may use: %s)",
			 node_set_format(among, text, sizeof(text)));
}

/* All that are allowed where none are named. */
static int place_nodes(const struct sites *sites, const struct choice *numa, struct node_set *ret)
{
	const char *text = place_nodes_text(numa);

	*ret = sites->allowed;
	return *text ? topology_parse_nodes(sites->topology, text, ret, sites->error) : 0;
}

/* The first worker that uses the region, among all of the point: where it will be pinned. */
static int region_first_cpu(const struct sites *sites, unsigned r)
{
	const struct plan_point *plan = sites->point->plan;
	unsigned seat = 0;

	for (unsigned s = 0; s < plan->n_streams; s++) {
		const struct run_cpus *cpus = &sites->point->cpus[s];

		if (plan->streams[s].region == (int)r && cpus->n)
			return cpus->ids[seat % cpus->n];
		seat += plan->streams[s].workers;
	}
	return -1;
}

static void place_local(const struct sites *sites, unsigned r, struct place *place)
{
	struct node_set home = {0};
	int node;

	place->cpu = region_first_cpu(sites, r);
	node = place->cpu < 0 ? -1 : nodes_of_cpu(sites->root, place->cpu);
	place->nodes = sites->allowed;
	if (node < 0 || node >= TOPOLOGY_NODES_MAX)
		return;
	node_set_add(&home, node);
	/* A node of CPUs only takes the memory of its neighbours. */
	nodes_choose(sites->root, &home, &sites->allowed, NODES_NEAR, &place->nodes);
}

static int place_resolve(const struct sites *sites, unsigned r)
{
	const struct choice *numa = &sites->point->plan->regions[r].numa;
	const struct place_ops *ops = place_ops_of(numa);
	struct place *place = &sites->point->places[r];
	struct node_set devices;
	int status = 0;

	*place = (struct place){.policy = ops->policy, .cpu = -1};
	if (ops->policy == PLACE_DEFAULT)
		return 0;
	if (ops->policy == PLACE_LOCAL) {
		place_local(sites, r, place);
		return 0;
	}
	if (ops->side == PLACE_NAMED)
		return place_nodes(sites, numa, &place->nodes);
	status = devices_nodes(sites, (int)r, -1, &devices);
	if (status == 0)
		status = side_choose(sites, &devices, &sites->allowed,
				     ops->side == PLACE_NEAR ? NODES_NEAR : NODES_FAR,
				     &place->nodes);
	return status;
}

static int cpus_set(const struct sites *sites, unsigned s, const int *ids, int n)
{
	struct run_cpus *cpus = &sites->point->cpus[s];

	cpus->ids = calloc((size_t)n + 1, sizeof(*ids));
	if (!cpus->ids)
		return error_set(sites->error, -ENOMEM, "no memory for the CPUs of a stream");
	memcpy(cpus->ids, ids, (size_t)n * sizeof(*ids));
	cpus->n = (unsigned)n;
	return 0;
}

/* "node:0-1": those of its CPUs that are ours; a node without any is named. */
static int cpus_nodes(const struct sites *sites, const char *text, const struct node_set *with_cpus,
		      struct node_set *ret)
{
	char named[128], ours[128];
	int status = topology_parse_nodes(NULL, text, ret, sites->error);

	for (int node = 0; status == 0 && node < TOPOLOGY_NODES_MAX; node++)
		if (node_set_has(ret, node) && !node_set_has(with_cpus, node))
			return error_set(
				sites->error, ERROR_INPUT,
				"node %d of '%s' has no CPU that this process may use (there "
				"are such on node %s)",
				node, node_set_format(ret, named, sizeof(named)),
				node_set_format(with_cpus, ours, sizeof(ours)));
	return status;
}

static int cpus_by_node(const struct sites *sites, unsigned s, const char *text, int *ids)
{
	struct node_set devices, with_cpus, nodes = {0};
	int status;

	nodes_with_cpus(sites->root, sites->topology, &with_cpus);
	if (!strncmp(text, "node:", 5)) {
		status = cpus_nodes(sites, text + 5, &with_cpus, &nodes);
	} else {
		status = devices_nodes(sites, -1, (int)s, &devices);
		if (status == 0)
			status = side_choose(sites, &devices, &with_cpus,
					     strcmp(text, "far") ? NODES_NEAR : NODES_FAR, &nodes);
	}
	if (status < 0)
		return status;
	return cpus_set(sites, s, ids, nodes_cpus(sites->root, sites->topology, &nodes, ids));
}

static int cpus_resolve(const struct sites *sites, unsigned s)
{
	const struct topology *topology = sites->topology;
	const char *text = sites->point->plan->streams[s].cpus;
	CLEANUP(cleanup_free) int *ids = calloc(TOPOLOGY_CPUS_MAX, sizeof(*ids));
	int status, n = 0;

	if (!*text)
		return cpus_set(sites, s, topology->cpus, topology->n_cpus);
	if (!ids)
		return error_set(sites->error, -ENOMEM, "no memory for the CPUs of a stream");
	if (!strcmp(text, "near") || !strcmp(text, "far") || !strncmp(text, "node:", 5))
		return cpus_by_node(sites, s, text, ids);
	status = topology_parse_cpus(topology, text, ids, &n, sites->error);
	return status < 0 ? status : cpus_set(sites, s, ids, n);
}

/* Streams first: what is local to a region depends on its workers. */
static int sites_resolve(const struct sites *sites)
{
	const struct plan_point *plan = sites->point->plan;
	int status = 0;

	for (unsigned s = 0; status == 0 && s < plan->n_streams; s++) {
		status = cpus_resolve(sites, s);
		if (status < 0)
			error_prefix(sites->error, "cpus of %s: ", plan->streams[s].label);
	}
	for (unsigned r = 0; status == 0 && r < plan->n_regions; r++) {
		status = place_resolve(sites, r);
		if (status < 0)
			error_prefix(sites->error, "numa of region '%s': ", plan->regions[r].name);
	}
	return status;
}

int sites_open(const char *root, const struct topology *topology, struct run_point *point,
	       struct error *error)
{
	struct sites sites = {.root = root, .topology = topology, .point = point, .error = error};
	int status;

	point->places = calloc(point->plan->n_regions + 1, sizeof(*point->places));
	point->cpus = calloc(point->plan->n_streams + 1, sizeof(*point->cpus));
	if (!point->places || !point->cpus)
		return error_set(error, -ENOMEM, "no memory for a point");
	topology_node_set(topology, &sites.allowed);
	status = sites_resolve(&sites);
	if (status != ERROR_CANNOT)
		return status;
	point->unplaced = strdup(error->text);
	*error = (struct error){0};
	return point->unplaced ? 0 : error_set(error, -ENOMEM, "no memory for a point");
}

void sites_close(struct run_point *point)
{
	for (unsigned s = 0; point->cpus && s < point->plan->n_streams; s++)
		free(point->cpus[s].ids);
	free(point->cpus);
	free(point->places);
	free(point->unplaced);
}
