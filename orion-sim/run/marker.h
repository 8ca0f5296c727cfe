/* SPDX-License-Identifier: MIT */
/* marker.h - tells an emulator around this machine when a measure phase begins and ends. */
#ifndef ORION_RUN_MARKER_H
#define ORION_RUN_MARKER_H

#include <stdbool.h>
#include <stdint.h>

/* No-ops everywhere; on other CPUs than x86-64, none at all. */
bool marker_supported(void);
void marker_begin(void);

/* place: see marker_code.h. */
void marker_end(uint64_t place);

#endif
