/* SPDX-License-Identifier: MIT */
/* plan_blocks.c - how plan shows the blocks of variants. */
#include "command/plan_blocks.h"

#include <stdio.h>

#include "plan/blocks.h"
#include "plan/plan.h"
#include "plan/variants.h"

#define SHOWN_MAX 10

static void order_print(const struct plan *plan, unsigned block)
{
	unsigned order[VARIANTS_MAX];

	block_order(plan->seed, block, plan->n_variants, order);
	for (unsigned i = 0; i < plan->n_variants; i++)
		printf("%s%u", i ? " " : "", order[i] + 1);
}

void plan_blocks_print(const struct plan *plan)
{
	unsigned blocks = plan_repeats_most(plan);
	char note[256];

	if (plan->n_variants < 2)
		return;
	printf("variants in each block: ");
	for (unsigned b = 0; b < blocks && b < SHOWN_MAX; b++) {
		printf("%s", b ? ", " : "");
		order_print(plan, b);
	}
	printf("%s\n", blocks > SHOWN_MAX ? ", …" : "");
	blocks_note(plan_repeats_least(plan), plan->n_variants, note, sizeof(note));
	if (*note)
		printf("note: %s\n", note);
}

void plan_blocks_to_json(const struct plan *plan, cJSON *object)
{
	unsigned order[VARIANTS_MAX], blocks = plan_repeats_most(plan);
	cJSON *list;

	if (plan->n_variants < 2)
		return;
	cJSON_AddStringToObject(object, "baseline", plan->variants[plan->baseline].label);
	list = cJSON_AddArrayToObject(object, "blocks");
	for (unsigned b = 0; b < blocks; b++) {
		cJSON *block = cJSON_CreateArray();

		block_order(plan->seed, b, plan->n_variants, order);
		for (unsigned i = 0; i < plan->n_variants; i++)
			cJSON_AddItemToArray(block, cJSON_CreateNumber(order[i]));
		cJSON_AddItemToArray(list, block);
	}
}
