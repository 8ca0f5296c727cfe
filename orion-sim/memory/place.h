/* SPDX-License-Identifier: MIT */
/* place.h - on which memory nodes a region lies: asked of the kernel, and found out from it. */
#ifndef ORION_MEMORY_PLACE_H
#define ORION_MEMORY_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/catalog.h"
#include "base/topology.h"

struct error;
struct json_document;
struct mapping;
struct memory_need;
struct region;

enum place_policy {
	PLACE_DEFAULT,	  /* nothing is asked */
	PLACE_LOCAL,	  /* the node of place.cpu, which populates it */
	PLACE_BIND,	  /* on the nodes and nowhere else */
	PLACE_INTERLEAVE, /* page by page in turn, the same share on each of the nodes */
	PLACE_PREFERRED,  /* on the nodes while they have memory */
	PLACE_WEIGHTED,	  /* in turn, in shares by the kernel's weights of the nodes (Linux 6.9) */
};

/* Names of nodes that are known only once the targets are. */
enum place_side { PLACE_NAMED, PLACE_NEAR, PLACE_FAR };

struct place_ops {
	struct entry entry;
	enum place_policy policy;
	enum place_side side;
	bool needs_nodes; /* else all that are allowed, where none are named */
};

extern const struct catalog place_catalog;
const struct place_ops *place_ops_of(const struct choice *numa);

/* "0-1,4" of the parameters, "" where there are none. Lent. */
const char *place_nodes_text(const struct choice *numa);

/* ERROR_INPUT where nodes are no list, or missing. What exists is not looked at. */
int place_form_check(const struct choice *numa, struct error *error);

/* Where a region is to lie, the nodes known and allowed. All zero: nothing is asked. */
struct place {
	enum place_policy policy;
	struct node_set nodes;
	int cpu; /* PLACE_LOCAL: one of the CPUs that will use it */
};

#define PLACE_NODES_MAX 64

/* Where a region was found to lie. */
struct place_audit {
	int code;	  /* 0, or why the kernel does not tell: -ENOSYS, -EPERM … */
	unsigned n_nodes; /* that hold any of it */
	struct place_found {
		int node;
		uint64_t bytes;
	} nodes[PLACE_NODES_MAX];
	uint64_t pages, sampled; /* pages of the size asked, and how many of them were looked at */
	uint64_t asked_bytes;	 /* what lies in memory and is known to */
	uint64_t got_bytes;	 /* of it on the nodes asked for, in the shares asked for */
};

/*
 * Can a region of bytes be placed so: ERROR_CANNOT where the kernel lacks the policy or forbids it,
 * where the nodes have too little memory or too few huge pages (need says which), with the command.
 */
int place_probe(const char *root, const struct place *place, const struct memory_need *need,
		uint64_t bytes, struct error *error);

/*
 * What must be there on which nodes to place it so: the need itself, or one a node where shares are
 * asked for. ret has room for max; returns how many.
 */
unsigned place_needs(const char *root, const struct place *place, const struct memory_need *need,
		     struct memory_need *ret, unsigned max);

/* Tells the kernel, before the first touch. */
int place_apply(const struct place *place, const struct mapping *mapping, struct error *error);

/* Moves the thread that will populate a PLACE_LOCAL region to its CPU, and back. */
struct place_thread {
	bool moved;
	int n_cpus;
	int *cpus; /* owned */
};
int place_thread_move(const struct place *place, struct place_thread *thread, struct error *error);
void place_thread_return(struct place_thread *thread);

/*
 * Asks the kernel (move_pages) for the node of every page of the size asked, or of 4096 evenly
 * spread ones. Allocates.
 */
int place_audit(const struct region *region, struct place_audit *ret, struct error *error);

/* "0 128M, 1 128M" of an audit. */
const char *place_audit_detail(const struct place_audit *audit, char *text, size_t size);

/* Share as asked in percent, 100 where nothing was asked. */
double place_audit_percent(const struct place_audit *audit);

/* Strict check: ERROR_CANNOT with asked, got and the likely reason below that share. */
int place_check(const struct region *region, const struct place_audit *audit, double percent,
		struct error *error);

#endif
