/* SPDX-License-Identifier: MIT */
/* coordinate.c - how an axis and its values are called in results. */
#include "plan/coordinate.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/catalog.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/field.h"
#include "base/json.h"
#include "base/units.h"
#include "memory/memory.h"
#include "plan/path.h"
#include "plan/plan.h"

/* Does a parameter of the kind say the size of its pages? */
static bool kind_has_page_field(const struct choice *memory, uint64_t page_bytes)
{
	const struct field *field = memory->entry->fields;

	for (; field && field->name; field++) {
		uint64_t value;

		if (field->type != FIELD_TYPE_SIZE)
			continue;
		memcpy(&value, (const char *)memory->params + field->offset, sizeof(value));
		if (value == page_bytes)
			return true;
	}
	return false;
}

static bool text_has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

const char *plan_memory_label(const struct choice *memory, char *text, size_t size)
{
	size_t name_length = strlen(memory->entry->name);
	uint64_t page_bytes = memory_ops_of(memory)->page_bytes(memory->params);
	char page[32], label[128];

	choice_label(memory, label, sizeof(label));
	units_format_size(page_bytes, page);
	if (!kind_has_page_field(memory, page_bytes) || text_has_word(label, page))
		snprintf(text, size, "%s", label);
	else
		snprintf(text, size, "%s %s%s", memory->entry->name, page, label + name_length);
	return text;
}

static int choice_text(const struct json_document *document, const struct catalog *catalog,
		       const cJSON *value, char *text, size_t size, struct error *error)
{
	struct choice choice = {0};
	int status = catalog_read(catalog, document, value, &choice, error);

	if (status < 0)
		return status;
	if (catalog == &memory_catalog)
		plan_memory_label(&choice, text, size);
	else
		choice_label(&choice, text, size);
	choice_free(&choice);
	return 0;
}

/* What a field makes of the value, in the form it prints; false where it makes nothing of it. */
static bool field_text(const struct field *field, const cJSON *value, char *text, size_t size)
{
	const char *string = cJSON_GetStringValue(value);
	char written[32], form[32];
	uint64_t number;

	if (!field || (field->type != FIELD_TYPE_SIZE && field->type != FIELD_TYPE_DURATION))
		return false;
	if (!string) {
		snprintf(written, sizeof(written), "%.15g", value->valuedouble);
		string = written;
	}
	if (field->type == FIELD_TYPE_SIZE) {
		if (units_parse_size(string, &number, NULL) < 0)
			return false;
		units_format_size(number, form);
	} else {
		if (units_parse_duration(string, &number, NULL) < 0)
			return false;
		units_format_duration(number, form);
	}
	return snprintf(text, size, "%s", form) > 0;
}

static int plain_text(const struct json_document *document, const cJSON *value, char *text,
		      size_t size, struct error *error)
{
	CLEANUP(cleanup_free) char *printed = NULL;
	const char *string = cJSON_GetStringValue(value);

	if (!string)
		string = printed = cJSON_PrintUnformatted(value);
	if (!string)
		return error_set(error, -ENOMEM, "no memory for the text of a value");
	if (cJSON_IsNull(value) || cJSON_IsObject(value) || !*string || strlen(string) >= size)
		return json_fail(document, value, error, ERROR_INPUT,
				 "has no text that is short enough for a table (1 to %zu bytes); "
				 "write {\"value\": …, \"label\": \"short\"}",
				 size - 1);
	snprintf(text, size, "%s", string);
	return 0;
}

int coordinate_text(const struct json_document *document, const char *path, const cJSON *value,
		    char *text, size_t size, struct error *error)
{
	const struct catalog *catalog = path_catalog(path);

	if (catalog && !(catalog == &warmup_catalog && warmup_is_duration(value)))
		return choice_text(document, catalog, value, text, size, error);
	if ((cJSON_IsString(value) || cJSON_IsNumber(value)) &&
	    field_text(path_field(path), value, text, size))
		return 0;
	return plain_text(document, value, text, size, error);
}
