/* SPDX-License-Identifier: MIT */
/* variants.c - every engine of the catalog, as it is and with each of its switches thrown. */
#include "variants.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/field.h"

static struct variant *add_variant(struct variant *variants, unsigned *n, const struct entry *entry)
{
	struct variant *variant = &variants[(*n)++];

	if (*n > VARIANTS_MAX || catalog_choose(entry, &variant->choice, NULL) < 0)
		abort();
	variant->models = engine_ops_of(&variant->choice)->model_target_bytes;
	snprintf(variant->label, sizeof(variant->label), "%s", entry->name);
	return variant;
}

unsigned variants_list(struct variant *variants)
{
	unsigned n = 0;

	for (const struct entry *const *entry = engine_catalog.entries; *entry; entry++) {
		add_variant(variants, &n, *entry);
		for (const struct field *field = (*entry)->fields; field && field->name; field++) {
			struct variant *variant;
			char *member;

			if (field->type != FIELD_TYPE_BOOL && field->type != FIELD_TYPE_DURATION)
				continue;
			variant = add_variant(variants, &n, *entry);
			variant->switched = true;
			member = (char *)variant->choice.params + field->offset;
			if (field->type == FIELD_TYPE_BOOL)
				*(bool *)member = !*(bool *)member;
			else
				*(uint64_t *)member = 200000;
			snprintf(variant->label, sizeof(variant->label), "%s, other %s",
				 (*entry)->name, field->name);
		}
	}
	return n;
}
