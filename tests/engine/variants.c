/* SPDX-License-Identifier: MIT */
/* variants.c - every engine of the catalog, as it is and with each of its switches thrown. */
#include "variants.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "rig.h"

static struct variant *add_variant(struct variant *variants, unsigned *n, const struct entry *entry)
{
	struct variant *variant = &variants[(*n)++];

	if (*n > VARIANTS_MAX || catalog_choose(entry, &variant->choice, NULL) < 0)
		abort();
	variant->models = engine_ops_of(&variant->choice)->model_target_bytes;
	snprintf(variant->label, sizeof(variant->label), "%s", entry->name);
	return variant;
}

/* Every other value of a choice; a switch thrown; a time that can be noticed. */
static void add_switched(struct variant *variants, unsigned *n, const struct entry *entry,
			 const struct field *field)
{
	int count;

	for (count = 1; field->type == FIELD_TYPE_CHOICE && field->choices[count]; count++)
		;
	for (int i = 1; i < count || i == 1; i++) {
		struct variant *variant = add_variant(variants, n, entry);
		char *member = (char *)variant->choice.params + field->offset;
		char value[32];

		variant->switched = true;
		if (field->type == FIELD_TYPE_BOOL)
			*(bool *)member = !*(bool *)member;
		else if (field->type == FIELD_TYPE_CHOICE)
			memcpy(member, &i, sizeof(i));
		else
			*(uint64_t *)member = field->min > 200000 ? field->min : 200000;
		field_format(field, variant->choice.params, value, sizeof(value));
		snprintf(variant->label, sizeof(variant->label), "%s, %s %s", entry->name,
			 field->name, value);
	}
}

/* What only shows where two of them come together. */
static const char *const together[] = {
	"{\"kind\": \"io_uring\", \"poll\": \"sqpoll\", \"sqpoll_idle\": \"1ms\"}",
	"{\"kind\": \"io_uring\", \"poll\": \"sqpoll\", \"registered_files\": false}",
	"{\"kind\": \"io_uring\", \"poll\": \"sqpoll\", \"registered_buffers\": true}",
	"{\"kind\": \"io_uring\", \"poll\": \"sqpoll\", \"nowait\": true}",
	"{\"kind\": \"libaio\", \"userspace_reap\": false, \"nowait\": true}",
};

unsigned variants_list(struct variant *variants)
{
	unsigned n = 0;

	for (const struct entry *const *entry = engine_catalog.entries; *entry; entry++) {
		add_variant(variants, &n, *entry);
		for (const struct field *field = (*entry)->fields; field && field->name; field++)
			if (field->type == FIELD_TYPE_BOOL || field->type == FIELD_TYPE_DURATION ||
			    field->type == FIELD_TYPE_CHOICE)
				add_switched(variants, &n, *entry, field);
	}
	for (size_t i = 0; i < sizeof(together) / sizeof(together[0]); i++) {
		struct variant *variant = &variants[n++];

		if (n > VARIANTS_MAX)
			abort();
		rig_choose(&variant->choice, together[i]);
		variant->switched = true;
		choice_label(&variant->choice, variant->label, sizeof(variant->label));
	}
	for (unsigned i = 0; i < n; i++)
		variants[i].nowait = strstr(variants[i].label, "nowait") != NULL;
	return n;
}
