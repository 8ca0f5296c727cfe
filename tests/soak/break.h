/* SPDX-License-Identifier: MIT */
/* break.h - something wrong put into a good profile. */
#ifndef ORION_TESTS_SOAK_BREAK_H
#define ORION_TESTS_SOAK_BREAK_H

#include <stdint.h>
#include <cjson/cJSON.h>

/* Takes the tree over; returns text that must be refused (owned by the caller). which is a random
 * number. */
char *profile_break(cJSON *profile, uint64_t which);

#endif
