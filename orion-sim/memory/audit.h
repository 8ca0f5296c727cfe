/* SPDX-License-Identifier: MIT */
/* audit.h - the ways to find out what a region is made of; for this room only. */
#ifndef ORION_MEMORY_AUDIT_H
#define ORION_MEMORY_AUDIT_H

#include "memory/memory.h"

/* Each adds to by_size, got_bytes and absent_bytes of an audit whose page_bytes and asked_bytes are
 * set. */

int audit_smaps(const struct region *region, struct memory_audit *audit, struct error *error);

/* Folios of the size of a PMD, as far as they are mapped whole; needs no privilege. */
int audit_pmd(const struct region *region, struct memory_audit *audit, struct error *error);

/* -EPERM, without a sentence, where the process may not see page frames. */
int audit_frames(const struct region *region, struct memory_audit *audit, struct error *error);

/* Pages that are not there now are seen without privilege as well. */
int audit_faults(const struct region *region, struct memory_audit *audit, struct error *error);

/* Adds bytes in folios of folio_bytes. */
void audit_add(struct memory_audit *audit, uint64_t folio_bytes, uint64_t bytes);

#endif
