/* SPDX-License-Identifier: MIT */
/* field.c - a parameter as data: one description parses, presets, prints and documents it. */
#include "base/field.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "base/words.h"

#define NUMBER_EXACT_MAX 9007199254740992.0 /* 2^53: from here on a JSON number is a guess */
#define SECONDS_MAX	 18446744073.0	    /* what 64 bits of ns hold */
#define PRINTED_MAX	 1000000000000000u  /* cJSON prints 15 digits */

enum {
	SHOWN_BYTES = 64,
	BOUNDS_BYTES = 256,
};

static void *member_of(const struct field *field, void *params)
{
	return (char *)params + field->offset;
}

static const void *const_member_of(const struct field *field, const void *params)
{
	return (const char *)params + field->offset;
}

static uint64_t whole_of(const struct field *field, const void *params)
{
	uint64_t value;

	memcpy(&value, const_member_of(field, params), sizeof(value));
	return value;
}

static double real_of(const struct field *field, const void *params)
{
	double value;

	memcpy(&value, const_member_of(field, params), sizeof(value));
	return value;
}

static bool bool_of(const struct field *field, const void *params)
{
	return *(const bool *)const_member_of(field, params);
}

static const char *choice_of(const struct field *field, const void *params)
{
	int index;

	memcpy(&index, const_member_of(field, params), sizeof(index));
	return field->choices[index];
}

static const char *format_whole(const struct field *field, uint64_t value, char text[32])
{
	if (field->type == FIELD_TYPE_SIZE)
		return units_format_size(value, text);
	if (field->type == FIELD_TYPE_DURATION)
		return units_format_duration(value, text);
	snprintf(text, 32, "%" PRIu64, value);
	return text;
}

/* The least digits that read back as the same number. */
static const char *format_real(double value, char text[32])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, 32, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return text;
}

static const char *bounds_whole(const struct field *field, char *text, size_t size)
{
	char min[32], max[32];

	format_whole(field, field->min, min);
	if (field->max)
		snprintf(text, size, "%s … %s", min, format_whole(field, field->max, max));
	else
		snprintf(text, size, "%s or more", field->min ? min : "0");
	return text;
}

const char *field_bounds(const struct field *field, char *text, size_t size)
{
	size_t used = 0;

	switch (field->type) {
	case FIELD_TYPE_BOOL:
		snprintf(text, size, "true | false");
		break;
	case FIELD_TYPE_COUNT:
	case FIELD_TYPE_SIZE:
	case FIELD_TYPE_DURATION:
		return bounds_whole(field, text, size);
	case FIELD_TYPE_REAL:
		snprintf(text, size, "any number");
		break;
	case FIELD_TYPE_CHOICE:
		text[0] = '\0';
		for (int i = 0; field->choices[i] && used < size; i++)
			used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " | " : "",
						 field->choices[i]);
		break;
	case FIELD_TYPE_TEXT:
		snprintf(text, size, "any text");
		break;
	}
	return text;
}

static int store_whole(const struct field *field, uint64_t value, void *params, struct error *error)
{
	char bounds[BOUNDS_BYTES], shown[32];

	if (value < field->min || (field->max && value > field->max))
		return error_set(error, ERROR_INPUT, "%s is out of bounds (%s)",
				 format_whole(field, value, shown),
				 field_bounds(field, bounds, sizeof(bounds)));
	memcpy(member_of(field, params), &value, sizeof(value));
	return 0;
}

static int parse_whole(const struct field *field, const char *text, void *params,
		       struct error *error)
{
	uint64_t value;
	int r;

	if (field->type == FIELD_TYPE_SIZE)
		r = units_parse_size(text, &value, error);
	else if (field->type == FIELD_TYPE_DURATION)
		r = units_parse_duration(text, &value, error);
	else
		r = units_parse_count(text, &value, error);
	return r ? r : store_whole(field, value, params, error);
}

static int parse_bool(const struct field *field, const char *text, void *params,
		      struct error *error)
{
	bool value = !strcmp(text, "true");
	char shown[SHOWN_BYTES];

	if (!value && strcmp(text, "false") != 0)
		return error_set(error, ERROR_INPUT, "'%s' is neither true nor false",
				 words_quote(text, shown, sizeof(shown)));
	*(bool *)member_of(field, params) = value;
	return 0;
}

static int parse_real(const struct field *field, const char *text, void *params,
		      struct error *error)
{
	bool decimal = text[strspn(text, "+-.0123456789eE")] == '\0';
	char shown[SHOWN_BYTES], *end;
	double value = decimal ? strtod(text, &end) : 0;

	if (!decimal || end == text || *end || !isfinite(value))
		return error_set(error, ERROR_INPUT, "'%s' is not a number",
				 words_quote(text, shown, sizeof(shown)));
	memcpy(member_of(field, params), &value, sizeof(value));
	return 0;
}

static int parse_choice(const struct field *field, const char *text, void *params,
			struct error *error)
{
	char sentence[900];

	for (int i = 0; field->choices[i]; i++)
		if (!strcmp(text, field->choices[i])) {
			memcpy(member_of(field, params), &i, sizeof(i));
			return 0;
		}
	return error_set(
		error, ERROR_INPUT, "%s",
		words_unknown(field->name, text, field->choices, sentence, sizeof(sentence)));
}

static int parse_text(const struct field *field, const char *text, void *params,
		      struct error *error)
{
	char shown[SHOWN_BYTES];

	if (strlen(text) >= field->size)
		return error_set(error, ERROR_INPUT, "'%s' is longer than %zu bytes",
				 words_quote(text, shown, sizeof(shown)), field->size - 1);
	memset(member_of(field, params), 0, field->size);
	memcpy(member_of(field, params), text, strlen(text));
	return 0;
}

int field_parse(const struct field *field, const char *text, void *params, struct error *error)
{
	switch (field->type) {
	case FIELD_TYPE_BOOL:
		return parse_bool(field, text, params, error);
	case FIELD_TYPE_REAL:
		return parse_real(field, text, params, error);
	case FIELD_TYPE_CHOICE:
		return parse_choice(field, text, params, error);
	case FIELD_TYPE_TEXT:
		return parse_text(field, text, params, error);
	default:
		return parse_whole(field, text, params, error);
	}
}

void field_presets(const struct field *fields, void *params)
{
	for (; fields && fields->name; fields++) {
		int r = field_parse(fields, fields->preset, params, NULL);

		assert(!r);
		(void)r;
	}
}

/* What is expected, in words, before it is said what was found. */
static int fail_type(const struct field *field, const char *found, struct error *error)
{
	static const char *const wanted[] = {
		[FIELD_TYPE_BOOL] = "true or false",  [FIELD_TYPE_COUNT] = "a whole number",
		[FIELD_TYPE_SIZE] = "a size",	      [FIELD_TYPE_DURATION] = "a duration",
		[FIELD_TYPE_REAL] = "a number",	      [FIELD_TYPE_CHOICE] = "one of the words",
		[FIELD_TYPE_TEXT] = "text in quotes",
	};
	bool plain = field->type == FIELD_TYPE_BOOL || field->type == FIELD_TYPE_REAL ||
		     field->type == FIELD_TYPE_TEXT;
	char bounds[BOUNDS_BYTES];

	if (plain)
		return error_set(error, ERROR_INPUT, "%s is expected here, not %s",
				 wanted[field->type], found);
	return error_set(error, ERROR_INPUT, "%s (%s) is expected here, not %s",
			 wanted[field->type], field_bounds(field, bounds, sizeof(bounds)), found);
}

static int read_number(const struct field *field, double value, void *params, struct error *error)
{
	char shown[32], found[64];

	format_real(value, shown);
	switch (field->type) {
	case FIELD_TYPE_REAL:
		memcpy(member_of(field, params), &value, sizeof(value));
		return 0;
	case FIELD_TYPE_DURATION:
		if (value < 0 || value >= SECONDS_MAX)
			return error_set(error, ERROR_INPUT, "%s seconds is not a duration", shown);
		return store_whole(field, (uint64_t)(value * 1e9 + 0.5), params, error);
	case FIELD_TYPE_COUNT:
	case FIELD_TYPE_SIZE:
		if (value >= NUMBER_EXACT_MAX)
			return error_set(error, ERROR_INPUT,
					 "%s is 2^53 or more and not exact in JSON; write its "
					 "digits in quotes",
					 shown);
		if (value < 0 || value != (double)(uint64_t)value)
			return error_set(error, ERROR_INPUT,
					 "%s is not a whole number of 0 or more", shown);
		return store_whole(field, (uint64_t)value, params, error);
	default:
		snprintf(found, sizeof(found), "the number %s", shown);
		return fail_type(field, found, error);
	}
}

static int read_node(const struct field *field, const cJSON *node, void *params,
		     struct error *error)
{
	if (cJSON_IsString(node))
		return field_parse(field, node->valuestring, params, error);
	if (cJSON_IsNumber(node))
		return read_number(field, node->valuedouble, params, error);
	if (cJSON_IsArray(node))
		return fail_type(field, "an array", error);
	if (cJSON_IsObject(node))
		return fail_type(field, "an object", error);
	if (!cJSON_IsBool(node))
		return fail_type(field, "null", error);
	if (field->type != FIELD_TYPE_BOOL)
		return fail_type(field, cJSON_IsTrue(node) ? "true" : "false", error);
	*(bool *)member_of(field, params) = cJSON_IsTrue(node);
	return 0;
}

static size_t count_names(const char *const *names)
{
	size_t n = 0;

	while (names && names[n])
		n++;
	return n;
}

static int check_keys(const struct field *fields, const struct json_document *document,
		      const cJSON *object, const char *const *others, struct error *error)
{
	size_t n_others = count_names(others), n = 0;
	CLEANUP(cleanup_free) const char **names = NULL;

	for (const struct field *field = fields; field && field->name; field++)
		n++;
	names = calloc(n_others + n + 1, sizeof(names[0]));
	if (!names)
		return error_set(error, -ENOMEM, "no memory for a list of keys");
	for (size_t i = 0; i < n_others; i++)
		names[i] = others[i];
	for (size_t i = 0; i < n; i++)
		names[n_others + i] = fields[i].name;
	return json_check_keys(document, object, names, error);
}

int field_read(const struct field *fields, const struct json_document *document,
	       const cJSON *object, const char *const *others, void *params, struct error *error)
{
	char where[700];
	int r = check_keys(fields, document, object, others, error);

	for (; !r && fields && fields->name; fields++) {
		const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, fields->name);

		if (!node)
			continue;
		r = read_node(fields, node, params, error);
		if (r) {
			json_where(document, node, where, sizeof(where));
			error_prefix(error, "%s: ", where);
		}
	}
	return r;
}

void field_write(const struct field *fields, const void *params, cJSON *object)
{
	for (; fields && fields->name; fields++) {
		char text[32];

		switch (fields->type) {
		case FIELD_TYPE_BOOL:
			cJSON_AddBoolToObject(object, fields->name, bool_of(fields, params));
			break;
		case FIELD_TYPE_COUNT:
			/* As text from where cJSON would round it; both forms are read. */
			if (whole_of(fields, params) < PRINTED_MAX)
				json_add_count(object, fields->name, whole_of(fields, params));
			else
				json_add_u64_text(object, fields->name, whole_of(fields, params));
			break;
		case FIELD_TYPE_SIZE:
		case FIELD_TYPE_DURATION:
			format_whole(fields, whole_of(fields, params), text);
			cJSON_AddStringToObject(object, fields->name, text);
			break;
		case FIELD_TYPE_REAL:
			cJSON_AddNumberToObject(object, fields->name, real_of(fields, params));
			break;
		case FIELD_TYPE_CHOICE:
			cJSON_AddStringToObject(object, fields->name, choice_of(fields, params));
			break;
		case FIELD_TYPE_TEXT:
			cJSON_AddStringToObject(object, fields->name,
						const_member_of(fields, params));
			break;
		}
	}
}

const char *field_format(const struct field *field, const void *params, char *text, size_t size)
{
	char number[32];
	const char *word;

	switch (field->type) {
	case FIELD_TYPE_BOOL:
		word = bool_of(field, params) ? "true" : "false";
		break;
	case FIELD_TYPE_REAL:
		word = format_real(real_of(field, params), number);
		break;
	case FIELD_TYPE_CHOICE:
		word = choice_of(field, params);
		break;
	case FIELD_TYPE_TEXT:
		word = const_member_of(field, params);
		break;
	default:
		word = format_whole(field, whole_of(field, params), number);
		break;
	}
	snprintf(text, size, "%s", word);
	return text;
}
