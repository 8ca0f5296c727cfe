/* SPDX-License-Identifier: MIT */
/* nodes.h - what lies on which memory node, and how far from another it is. */
#ifndef ORION_BASE_NODES_H
#define ORION_BASE_NODES_H

#include "base/topology.h"

struct error;

/* root: "" for the machine, a test's directory with a tree of its own otherwise. */

/* Node of a CPU, of a block device (a name as in /sys/block); -1 where that is not told. */
int nodes_of_cpu(const char *root, int cpu);
int nodes_of_device(const char *root, const char *name);

/* Nodes that have CPUs which topology allows. */
void nodes_with_cpus(const char *root, const struct topology *topology, struct node_set *ret);

/* CPUs of the nodes that topology allows, ascending. Returns how many; ret_cpus has room for all.
 */
int nodes_cpus(const char *root, const struct topology *topology, const struct node_set *nodes,
	       int *ret_cpus);

/* As sysfs tells it (the node itself: 10); where it does not, 10 and 20. */
int nodes_distance(const char *root, int from, int to);

enum nodes_side { NODES_NEAR, NODES_FAR };

/*
 * Those of among that are nearest to any of from, or farthest from them all. The farthest are none
 * where all are equally near.
 */
void nodes_choose(const char *root, const struct node_set *from, const struct node_set *among,
		  enum nodes_side side, struct node_set *ret);

#endif
