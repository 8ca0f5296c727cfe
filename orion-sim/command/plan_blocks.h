/* SPDX-License-Identifier: MIT */
/* plan_blocks.h - how plan shows the blocks of variants. */
#ifndef ORION_COMMAND_PLAN_BLOCKS_H
#define ORION_COMMAND_PLAN_BLOCKS_H

#include <cjson/cJSON.h>

struct plan;

/* How the variants follow each other, and what is to be said of too few blocks; nothing without
 * variants to compare. */
void plan_blocks_print(const struct plan *plan);

/* Adds "baseline" and "blocks", in each the places of the variants in the list of them, from 0. */
void plan_blocks_to_json(const struct plan *plan, cJSON *object);

#endif
