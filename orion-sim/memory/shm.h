/* SPDX-License-Identifier: MIT */
/* shm.h - System V segments of huge pages, and the limits that stand in their way. */
#ifndef ORION_MEMORY_SHM_H
#define ORION_MEMORY_SHM_H

#include <stdint.h>

struct error;

/* Would the limits let this process make one more segment? ERROR_CANNOT names the one that does
 * not, its value, the need and the command. */
int shm_check(uint64_t page_bytes, uint64_t bytes, struct error *error);

/* Makes a segment, attaches it and removes its id, so that it is gone with its last user. */
int shm_map_huge(uint64_t page_bytes, uint64_t bytes, void **ret_address, struct error *error);

#endif
