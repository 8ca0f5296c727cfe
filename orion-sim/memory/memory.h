/* SPDX-License-Identifier: MIT */
/* memory.h - a region of database memory: mapped, touched, audited, given back. */
#ifndef ORION_MEMORY_MEMORY_H
#define ORION_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/catalog.h"
#include "base/topology.h"
#include "memory/place.h"

struct error;

/* What a kind must find on the machine before it can be mapped; settings can provide it. */
enum memory_need_kind { MEMORY_NEED_NOTHING, MEMORY_NEED_HUGE_PAGES, MEMORY_NEED_SHMEM_FOLIO };

struct memory_need {
	enum memory_need_kind kind;
	uint64_t page_bytes;   /* huge page or folio size */
	uint64_t bytes;	       /* of huge pages, rounded up to whole pages */
	struct node_set nodes; /* that they should be on; none: on any */
	bool nodes_only;       /* and nowhere else */
};

struct mapping {
	void *address;	/* start of the region, aligned to the page size asked */
	uint64_t bytes; /* usable length: the size asked, rounded up to whole pages */
	void *reserved; /* what to munmap, if more than the region was reserved */
	uint64_t reserved_bytes;
	bool attached; /* release with shmdt instead of munmap */
};

struct memory_ops {
	struct entry entry;
	/*
	 * Can size_bytes be had here now, and if not, why: ERROR_CANNOT with the sentence and the
	 * command that mends it; ERROR_INPUT for parameters that can never be (a folio size no
	 * kernel has).
	 */
	int (*probe)(const void *params, uint64_t size_bytes, struct error *error);
	/* What it needs of the machine's settings. */
	void (*need)(const void *params, uint64_t size_bytes, struct memory_need *ret);
	/* Page or folio size asked, in bytes. */
	uint64_t (*page_bytes)(const void *params);
	/* After fork whoever writes has a copy: no memory for workers that are processes. */
	bool is_private;
	/* Maps without touching. Shared between all later forked processes, unless private. */
	int (*map)(const void *params, uint64_t size_bytes, struct mapping *ret,
		   struct error *error);
};

extern const struct catalog memory_catalog;
const struct memory_ops *memory_ops_of(const struct choice *memory);

#define MEMORY_FOLIO_SIZES 24 /* folio sizes 2^12 … 2^35 by log2(bytes) - 12 */

/* What a region turned out to be made of. */
struct memory_audit {
	const char *method;  /* static text: "smaps", "pagemap+kpageflags", "smaps PMD mappings",
				"fault counters" */
	uint64_t page_bytes; /* asked */
	uint64_t asked_bytes;
	uint64_t got_bytes; /* in pages or folios of exactly page_bytes, naturally aligned, and
			       mapped */
	uint64_t by_size[MEMORY_FOLIO_SIZES]; /* bytes found in folios of 2^(12 + i) bytes */
	uint64_t absent_bytes;		      /* not populated */
	struct place_audit placed;
};

struct region {
	char name[32];
	const struct memory_ops *ops; /* static */
	const void *params;	      /* borrowed from the plan */
	uint64_t size_bytes;	      /* asked */
	struct place place;	      /* asked; zero: wherever the kernel likes */
	struct mapping mapping;
	uint64_t populate_faults;		      /* minor faults taken while touching */
	bool populate_counted;			      /* the kernel counts folios of this size: */
	uint64_t populate_folios, populate_fallbacks; /* system-wide, meanwhile */
};

/*
 * probe, map, place, touch; on failure nothing is left mapped, and the sentence begins with the
 * region's name. name, ops, params, size_bytes and place are set, the rest is zero. SysV ids are
 * removed at once.
 */
int region_open(struct region *region, struct error *error);
void region_close(struct region *region);

/* Does it consist of huge pages of a pool? */
bool region_is_huge(const struct region *region);

/*
 * Populates every page by writing (MADV_POPULATE_WRITE, or one store a base page before 5.14) and
 * checks errors: -ENOMEM names the shortage. Called by region_open.
 */
int region_touch(struct region *region, struct error *error);

enum region_renewal {
	RENEWAL_MAP,  /* unmapped and mapped anew: for one process, whose threads see the new one */
	RENEWAL_DROP, /* its pages are given up in all processes, the mappings stay as they are */
};

/*
 * The region has no pages afterwards: the next touch of each faults and takes a fresh one. Its
 * address may be another with RENEWAL_MAP; after a failure it is not mapped then. ERROR_CANNOT
 * where the kernel cannot drop pages of the kind.
 */
int region_renew(struct region *region, enum region_renewal how, struct error *error);

/* Touches what is missing, without the counts that region_touch leaves. */
int region_refill(struct region *region, struct error *error);

/*
 * Finds out what the region is made of, in the process that touched it: hugetlb by smaps
 * KernelPageSize; else by pagemap and kpageflags where the process may read them, else, folios of
 * the size of a PMD, by smaps' counts of them, else by the faults taken while populating together
 * with the size's stats counters (method says which); and on which nodes it lies. Allocates; not
 * for the measured phase.
 */
int region_audit(const struct region *region, struct memory_audit *ret, struct error *error);

/* "64K 256M, 4K 12K, absent 4K" of an audit, largest first. */
const char *memory_audit_detail(const struct memory_audit *audit, char *text, size_t size);

/* Share got in percent, 100 for an empty region. */
double memory_audit_percent(const struct memory_audit *audit);

/*
 * Strict check: 0 if at least percent of the region is as asked (pages, and nodes), else
 * ERROR_CANNOT with asked, got, share, the likely reason (from the size's settings and counters,
 * free memory) and the one command.
 */
int region_check(const struct region *region, const struct memory_audit *audit, double percent,
		 struct error *error);

/*
 * For the kinds: reserves aligned address space, then maps MAP_SHARED|MAP_ANONYMOUS|MAP_FIXED with
 * offset 0 at a multiple of align_bytes plus remainder_bytes (below align_bytes).
 */
int memory_map_shared_aligned(uint64_t size_bytes, uint64_t align_bytes, uint64_t remainder_bytes,
			      struct mapping *ret, struct error *error);

/* The same with fd (-1: none) and flags (MAP_SHARED or MAP_PRIVATE, MAP_ANONYMOUS). */
int memory_map_aligned(int fd, int flags, uint64_t size_bytes, uint64_t align_bytes,
		       uint64_t remainder_bytes, struct mapping *ret, struct error *error);

/* MADV_HUGEPAGE, or MADV_NOHUGEPAGE, for all of it. */
int memory_advise(const struct mapping *mapping, bool huge, struct error *error);

#endif
