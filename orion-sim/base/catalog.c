/* SPDX-License-Identifier: MIT */
/* catalog.c - everything a user can name is an entry in a catalog, and describes itself. */
#include "base/catalog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/field.h"
#include "base/json.h"
#include "base/words.h"

#define KIND_KEY "kind"

enum {
	SENTENCE_BYTES = 900,
	VALUE_BYTES = 512,
};

static const char *const kind_keys[] = {KIND_KEY, NULL};

/* The entries' names, NULL-terminated, owned by the caller; null where there is no memory. */
static const char **list_names(const struct catalog *catalog)
{
	const char **names;
	size_t n = 0;

	while (catalog->entries[n])
		n++;
	names = calloc(n + 1, sizeof(names[0]));
	for (size_t i = 0; names && i < n; i++)
		names[i] = catalog->entries[i]->name;
	return names;
}

static const struct entry *lookup(const struct catalog *catalog, const char *name)
{
	const struct entry *const *entry = catalog->entries;

	while (*entry && strcmp((*entry)->name, name) != 0)
		entry++;
	return *entry;
}

static int fail_unknown(const struct catalog *catalog, const char *name, struct error *error)
{
	CLEANUP(cleanup_free) const char **names = list_names(catalog);
	char sentence[SENTENCE_BYTES];

	if (!names)
		return error_set(error, -ENOMEM, "no memory for a list of names");
	return error_set(error, ERROR_INPUT, "%s",
			 words_unknown(catalog->noun, name, names, sentence, sizeof(sentence)));
}

int catalog_find(const struct catalog *catalog, const char *name, const struct entry **ret,
		 struct error *error)
{
	const struct entry *entry = lookup(catalog, name);

	if (!entry)
		return fail_unknown(catalog, name, error);
	*ret = entry;
	return 0;
}

int catalog_choose(const struct entry *entry, struct choice *ret, struct error *error)
{
	void *params = NULL;

	if (entry->params_size) {
		params = calloc(1, entry->params_size);
		if (!params)
			return error_set(error, -ENOMEM, "no memory for the parameters of %s",
					 entry->name);
		field_presets(entry->fields, params);
	}
	*ret = (struct choice){.entry = entry, .params = params};
	return 0;
}

/* The string that is the name: the node itself, or its member "kind"; null: ERROR_INPUT is set. */
static const cJSON *find_kind(const struct catalog *catalog, const struct json_document *document,
			      const cJSON *node, struct error *error)
{
	const cJSON *kind = node;

	if (cJSON_IsObject(node)) {
		kind = cJSON_GetObjectItemCaseSensitive(node, KIND_KEY);
		if (!kind) {
			json_fail(document, node, error, ERROR_INPUT,
				  "the key \"" KIND_KEY "\" is missing, it names the %s",
				  catalog->noun);
			return NULL;
		}
	}
	if (cJSON_IsString(kind))
		return kind;
	json_fail(document, kind, error, ERROR_INPUT,
		  "the name of the %s is expected here, or an object like {\"" KIND_KEY
		  "\": \"%s\"}",
		  catalog->noun, catalog->entries[0] ? catalog->entries[0]->name : "NAME");
	return NULL;
}

int catalog_read(const struct catalog *catalog, const struct json_document *document,
		 const cJSON *node, struct choice *ret, struct error *error)
{
	const cJSON *kind = find_kind(catalog, document, node, error);
	const struct entry *entry;
	struct choice choice;
	char where[700];
	int r;

	if (!kind)
		return ERROR_INPUT;
	entry = lookup(catalog, kind->valuestring);
	if (!entry) {
		r = fail_unknown(catalog, kind->valuestring, error);
		json_where(document, kind, where, sizeof(where));
		error_prefix(error, "%s: ", where);
		return r;
	}
	r = catalog_choose(entry, &choice, error);
	if (r)
		return r;
	if (cJSON_IsObject(node))
		r = field_read(entry->fields, document, node, kind_keys, choice.params, error);
	if (r) {
		choice_free(&choice);
		return r;
	}
	*ret = choice;
	return 0;
}

cJSON *choice_write(const struct choice *choice)
{
	cJSON *object = cJSON_CreateObject();

	if (object) {
		cJSON_AddStringToObject(object, KIND_KEY, choice->entry->name);
		field_write(choice->entry->fields, choice->params, object);
	}
	return object;
}

/* " VALUE" of a parameter that is not at its preset, else nothing; returns bytes wanted. */
static size_t label_field(const struct field *field, const void *params, void *presets, char *text,
			  size_t size)
{
	char value[VALUE_BYTES], preset[VALUE_BYTES];

	field_format(field, params, value, sizeof(value));
	field_format(field, presets, preset, sizeof(preset));
	if (!strcmp(value, preset))
		return 0;
	if (field->type == FIELD_TYPE_BOOL)
		return (size_t)snprintf(text, size, " %s%s", strcmp(value, "true") ? "no " : "",
					field->name);
	return (size_t)snprintf(text, size, " %s", value);
}

const char *choice_label(const struct choice *choice, char *text, size_t size)
{
	const struct field *field = choice->entry->fields;
	struct choice presets = {.entry = NULL};
	size_t used = (size_t)snprintf(text, size, "%s", choice->entry->name);

	if (catalog_choose(choice->entry, &presets, NULL))
		return text;
	for (; field && field->name && used < size; field++)
		used += label_field(field, choice->params, presets.params, text + used,
				    size - used);
	choice_free(&presets);
	return text;
}

void choice_free(struct choice *choice)
{
	free(choice->params);
	*choice = (struct choice){.entry = NULL};
}
