/* SPDX-License-Identifier: MIT */
/* thp.h - what the kernel's settings say about large folios in anonymous and shared memory. */
#ifndef ORION_MEMORY_THP_H
#define ORION_MEMORY_THP_H

#include <stddef.h>
#include <stdint.h>

struct error;

/* root: "" for the machine, a test's directory with a tree of its own otherwise. */

enum thp_state {
	THP_ON,	     /* an advised mapping gets folios of this size */
	THP_OFF,     /* the size's own shmem_enabled says no: "advise" there mends it */
	THP_BLOCKED, /* something above the size says no */
	THP_ABSENT,  /* this kernel has no such setting */
};

/*
 * Would a mapping with MADV_HUGEPAGE get folios of this size; if not, why is set to ERROR_CANNOT
 * with the sentence and the command that mends it. why may be null.
 */
enum thp_state thp_shmem_state(const char *root, uint64_t folio_bytes, struct error *why);

/* Size of the folios that one entry of a page table's upper level maps; 0 without THP. */
uint64_t thp_pmd_bytes(const char *root);

/* The same state for folios of that size; before Linux 6.11 the top-level setting decides alone. */
enum thp_state thp_shmem_pmd_state(const char *root, struct error *why);

/* And for private anonymous memory. */
enum thp_state thp_anon_pmd_state(const char *root, struct error *why);

/* And for a file of a tmpfs that is mounted with huge=word ("" for none) at folder. */
enum thp_state thp_mount_state(const char *root, const char *folder, const char *word,
			       struct error *why);

/* ROOT/sys/kernel/mm/transparent_hugepage/hugepages-SIZEkB/FILE; without hugepages-… for size 0. */
const char *thp_path(const char *root, uint64_t folio_bytes, const char *file, char *text,
		     size_t size);

/* Folios of this size allocated for shared memory since boot, and allocations that fell back. */
struct thp_counters {
	uint64_t allocated, fallbacks;
};

/* -ENOENT where the kernel does not count them. */
int thp_counters_read(const char *root, uint64_t folio_bytes, struct thp_counters *ret);

#endif
