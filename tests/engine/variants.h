/* SPDX-License-Identifier: MIT */
/* variants.h - every engine of the catalog, as it is and with each of its switches thrown. */
#ifndef ORION_TESTS_ENGINE_VARIANTS_H
#define ORION_TESTS_ENGINE_VARIANTS_H

#include <stdbool.h>

#include "engine/engine.h"

#define VARIANTS_MAX 32

/* An engine with one of its parameters away from the preset, or none. */
struct variant {
	struct choice choice;
	char label[96];
	bool models;   /* reads nothing, needs no file */
	bool switched; /* not the preset */
	bool nowait;   /* may give back EAGAIN */
};

/* Every engine as it is, and once more for each switch and each time it has. Returns how many. */
unsigned variants_list(struct variant *variants);

#endif
