/* SPDX-License-Identifier: MIT */
/* nodes.c - what lies on which memory node, and how far from another it is. */
#include "base/nodes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/sysfile.h"

#define NODES_FOLDER "/sys/devices/system/node"

#define DISTANCE_SELF  10
#define DISTANCE_OTHER 20

/* A list of ids in a file of sysfs; "" where there is none. */
static void read_list(const char *root, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s" NODES_FOLDER "/%s", root, name);
	if (sysfile_read(path, text, size, NULL) < 0)
		text[0] = '\0';
}

/* Place of an id in a list, from 0; -1 where it is not in it. */
static int list_place(const char *list, int id)
{
	int first, last, before = 0;

	while (topology_next_range(&list, &first, &last) > 0) {
		if (id >= first && id <= last)
			return before + id - first;
		before += last - first + 1;
	}
	return -1;
}

static int node_first_with(const char *root, int cpu, const char *nodes)
{
	int first, last;

	while (topology_next_range(&nodes, &first, &last) > 0)
		for (int node = first; node <= last; node++) {
			char name[32], cpus[4096];

			snprintf(name, sizeof(name), "node%d/cpulist", node);
			read_list(root, name, cpus, sizeof(cpus));
			if (list_place(cpus, cpu) >= 0)
				return node;
		}
	return -1;
}

int nodes_of_cpu(const char *root, int cpu)
{
	char online[4096];

	read_list(root, "online", online, sizeof(online));
	return node_first_with(root, cpu, online);
}

/* The device's own folder says it, or that of the controller it hangs on, or of the bus … */
int nodes_of_device(const char *root, const char *name)
{
	char path[PATH_MAX], text[32];
	CLEANUP(cleanup_free) char *folder = NULL;

	snprintf(path, sizeof(path), "%s/sys/block/%s", root, name);
	folder = realpath(path, NULL);
	for (char *slash; folder && (slash = strrchr(folder, '/')) && slash > folder;
	     *slash = '\0') {
		char *end;
		long node;

		if ((size_t)snprintf(path, sizeof(path), "%s/numa_node", folder) >= sizeof(path) ||
		    sysfile_read(path, text, sizeof(text), NULL) < 0)
			continue;
		node = strtol(text, &end, 10);
		return end > text && node >= 0 && node < TOPOLOGY_NODES_MAX ? (int)node : -1;
	}
	return -1;
}

int nodes_cpus(const char *root, const struct topology *topology, const struct node_set *nodes,
	       int *ret_cpus)
{
	bool theirs[TOPOLOGY_CPUS_MAX] = {false};
	int first, last, n = 0;

	for (int node = 0; node < TOPOLOGY_NODES_MAX; node++) {
		char name[32], cpus[4096];
		const char *at = cpus;

		if (!node_set_has(nodes, node))
			continue;
		snprintf(name, sizeof(name), "node%d/cpulist", node);
		read_list(root, name, cpus, sizeof(cpus));
		while (topology_next_range(&at, &first, &last) > 0)
			for (int cpu = first; cpu <= last && cpu < TOPOLOGY_CPUS_MAX; cpu++)
				theirs[cpu] = true;
	}
	for (int i = 0; i < topology->n_cpus; i++)
		if (theirs[topology->cpus[i]])
			ret_cpus[n++] = topology->cpus[i];
	return n;
}

void nodes_with_cpus(const char *root, const struct topology *topology, struct node_set *ret)
{
	char online[4096];
	const char *at = online;
	int first, last;

	*ret = (struct node_set){0};
	read_list(root, "online", online, sizeof(online));
	while (topology_next_range(&at, &first, &last) > 0)
		for (int node = first; node <= last && node < TOPOLOGY_NODES_MAX; node++) {
			int cpus[TOPOLOGY_CPUS_MAX];
			struct node_set one = {0};

			node_set_add(&one, node);
			if (nodes_cpus(root, topology, &one, cpus) > 0)
				node_set_add(ret, node);
		}
}

/* The file has a number for every node that is online, in their order. */
int nodes_distance(const char *root, int from, int to)
{
	char name[32], online[4096], distances[8192], *at = distances;
	int place, distance = 0;

	snprintf(name, sizeof(name), "node%d/distance", from);
	read_list(root, name, distances, sizeof(distances));
	read_list(root, "online", online, sizeof(online));
	place = list_place(online, to);
	for (int i = 0; i <= place; i++) {
		char *end;

		distance = (int)strtol(at, &end, 10);
		if (end == at)
			distance = 0;
		at = end;
	}
	if (distance > 0)
		return distance;
	return from == to ? DISTANCE_SELF : DISTANCE_OTHER;
}

static int distance_from_any(const char *root, const struct node_set *from, int to)
{
	int least = INT_MAX;

	for (int node = 0; node < TOPOLOGY_NODES_MAX; node++)
		if (node_set_has(from, node)) {
			int distance = nodes_distance(root, node, to);

			least = distance < least ? distance : least;
		}
	return least;
}

void nodes_choose(const char *root, const struct node_set *from, const struct node_set *among,
		  enum nodes_side side, struct node_set *ret)
{
	int nearest = INT_MAX, farthest = 0, wanted;
	int distances[TOPOLOGY_NODES_MAX];

	for (int node = 0; node < TOPOLOGY_NODES_MAX; node++) {
		if (!node_set_has(among, node))
			continue;
		distances[node] = distance_from_any(root, from, node);
		nearest = distances[node] < nearest ? distances[node] : nearest;
		farthest = distances[node] > farthest ? distances[node] : farthest;
	}
	*ret = (struct node_set){0};
	wanted = side == NODES_NEAR ? nearest : farthest;
	if (side == NODES_FAR && farthest == nearest)
		return;
	for (int node = 0; node < TOPOLOGY_NODES_MAX; node++)
		if (node_set_has(among, node) && distances[node] == wanted)
			node_set_add(ret, node);
}
