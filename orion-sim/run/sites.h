/* SPDX-License-Identifier: MIT */
/* sites.h - where on this machine the regions and the workers of a point go. */
#ifndef ORION_RUN_SITES_H
#define ORION_RUN_SITES_H

struct error;
struct run_point;
struct topology;

/*
 * Fills places and cpus of a point whose targets are open: nodes and CPUs that it names are checked
 * against those that this process may use (ERROR_INPUT names the first that is not), near and far
 * become nodes. What a machine like this one has not (a farther node, a device that says where it
 * is) is left in point->unplaced, for the probe. root: "" for the machine.
 */
int sites_open(const char *root, const struct topology *topology, struct run_point *point,
	       struct error *error);
void sites_close(struct run_point *point);

#endif
