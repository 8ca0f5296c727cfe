/* SPDX-License-Identifier: MIT */
/* place_parts.h - shares of the nodes that a policy serves in turn; for this room only. */
#ifndef ORION_MEMORY_PLACE_PARTS_H
#define ORION_MEMORY_PLACE_PARTS_H

#include "memory/place.h"

/* Pages in turn that each node gets, 0 for nodes that are not asked for. */
struct place_weights {
	unsigned of[TOPOLOGY_NODES_MAX];
	unsigned sum;
};

/* 1 for every node, or what the kernel says for PLACE_WEIGHTED. */
void place_weights(const char *root, const struct place *place, struct place_weights *ret);

/* Does the policy ask for shares, and not only for nodes? */
bool place_has_shares(const struct place *place);

#endif
