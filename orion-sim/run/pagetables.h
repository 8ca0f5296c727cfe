/* SPDX-License-Identifier: MIT */
/* pagetables.h - what page tables cost: of the whole machine, and of a run's own processes. */
#ifndef ORION_RUN_PAGETABLES_H
#define ORION_RUN_PAGETABLES_H

#include <stdint.h>
#include <sys/types.h>

struct error;

/* Zero for what this kernel does not tell. */
struct pagetables {
	uint64_t page_tables_bytes;	/* PageTables of /proc/meminfo */
	uint64_t sec_page_tables_bytes; /* SecPageTables: of virtual machines and IOMMUs */
	uint64_t vm_pte_bytes;		/* VmPTE of the caller and of the processes named */
};

/*
 * Reads all three; pids are n further processes. Opens files, one a process: not for the measured
 * phase. root is "" but in tests.
 */
void pagetables_read(const char *root, const pid_t *pids, unsigned n, struct pagetables *ret);

/*
 * Bytes of the lowest page tables that a process needs to touch all of a mapping: a table is one
 * base page of 8-byte entries, so 4K pages need 2 MiB a GiB. None where a page is as large as what
 * a table covers.
 */
uint64_t pagetables_need(uint64_t bytes, uint64_t page_bytes, uint64_t base_page_bytes);

/*
 * Is there room for so many bytes of page tables of so many processes, and for the regions beside
 * them? ERROR_CANNOT with need and available memory. root is "" but in tests.
 */
int pagetables_check(const char *root, unsigned processes, uint64_t bytes, uint64_t regions_bytes,
		     struct error *error);

#endif
