/* SPDX-License-Identifier: MIT */
/* field.h - a parameter as data: one description parses, presets, prints and documents it. */
#ifndef ORION_BASE_FIELD_H
#define ORION_BASE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cjson/cJSON.h>

struct error;
struct json_document;

enum field_type {
	FIELD_TYPE_BOOL,     /* bool: true, false */
	FIELD_TYPE_COUNT,    /* uint64_t: 32 */
	FIELD_TYPE_SIZE,     /* uint64_t bytes: "8k" or 8192 */
	FIELD_TYPE_DURATION, /* uint64_t ns: "500ms", or a number of seconds */
	FIELD_TYPE_REAL,     /* double */
	FIELD_TYPE_CHOICE,   /* int: index into choices */
	FIELD_TYPE_TEXT,     /* char[size] */
};

struct field {
	const char *name; /* key in a profile; NULL ends a table */
	enum field_type type;
	size_t offset;		    /* of the member in the params struct */
	size_t size;		    /* of the member */
	const char *preset;	    /* as a user would write it */
	uint64_t min, max;	    /* inclusive; count, size, duration. max 0: none */
	const char *const *choices; /* NULL-terminated, FIELD_TYPE_CHOICE only */
	const char *help;	    /* one line */
};

/* Offset of a member whose C type is checked when compiled. */
#define FIELD_OFFSET(type, member, c_type)                                                         \
	(offsetof(type, member) +                                                                  \
	 0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((type *)0)->member), c_type)     \
				 ? 1                                                               \
				 : -1]))

#define FIELD_ROW(key, kind, c_type, owner, member, preset_, min_, max_, choices_, help_)          \
	{                                                                                          \
		.name = (key), .type = (kind), .offset = FIELD_OFFSET(owner, member, c_type),      \
		.size = sizeof(((owner *)0)->member), .preset = (preset_), .min = (min_),          \
		.max = (max_), .choices = (choices_), .help = (help_)                              \
	}

#define FIELD_BOOL(key, type, member, preset, help)                                                \
	FIELD_ROW(key, FIELD_TYPE_BOOL, bool, type, member, preset, 0, 0, NULL, help)
#define FIELD_COUNT(key, type, member, preset, min, max, help)                                     \
	FIELD_ROW(key, FIELD_TYPE_COUNT, uint64_t, type, member, preset, min, max, NULL, help)
#define FIELD_SIZE(key, type, member, preset, min, max, help)                                      \
	FIELD_ROW(key, FIELD_TYPE_SIZE, uint64_t, type, member, preset, min, max, NULL, help)
#define FIELD_DURATION(key, type, member, preset, min, max, help)                                  \
	FIELD_ROW(key, FIELD_TYPE_DURATION, uint64_t, type, member, preset, min, max, NULL, help)
#define FIELD_REAL(key, type, member, preset, help)                                                \
	FIELD_ROW(key, FIELD_TYPE_REAL, double, type, member, preset, 0, 0, NULL, help)
#define FIELD_CHOICE(key, type, member, preset, choices, help)                                     \
	FIELD_ROW(key, FIELD_TYPE_CHOICE, int, type, member, preset, 0, 0, choices, help)
/* member is a char array */
#define FIELD_TEXT(key, type_, member, preset_, help_)                                             \
	{                                                                                          \
		.name = (key), .type = FIELD_TYPE_TEXT,                                            \
		.offset = FIELD_OFFSET(type_, member, char[sizeof(((type_ *)0)->member)]),         \
		.size = sizeof(((type_ *)0)->member), .preset = (preset_), .help = (help_)         \
	}
#define FIELD_END                                                                                  \
	{                                                                                          \
		.name = NULL                                                                       \
	}

/* Sets every member to its preset. A preset that does not parse is a programmer's mistake (assert).
 */
void field_presets(const struct field *fields, void *params);

/* Parses text into one member: unknown choice, out of bounds, not a size: ERROR_INPUT. */
int field_parse(const struct field *field, const char *text, void *params, struct error *error);

/*
 * Reads the keys of a JSON object into params (which holds presets); keys in others
 * (NULL-terminated, may be null) are left to the caller, any further key is refused with the known
 * ones listed. Errors carry file, line and path.
 */
int field_read(const struct field *fields, const struct json_document *document,
	       const cJSON *object, const char *const *others, void *params, struct error *error);

/* Adds every member to the object in the form field_read reads. */
void field_write(const struct field *fields, const void *params, cJSON *object);

/* One member as text, as a user would write it; text holds size bytes. */
const char *field_format(const struct field *field, const void *params, char *text, size_t size);

/* Allowed values in words, for help and the manual: "512 … 1G", "a | b", "any text". */
const char *field_bounds(const struct field *field, char *text, size_t size);

#endif
