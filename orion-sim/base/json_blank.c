/* SPDX-License-Identifier: MIT */
/* json_blank.c - parts of a JSON text that nobody asks for are emptied before it becomes a tree. */
#include "base/json_scan.h"

#include <stdbool.h>
#include <string.h>

static bool is_named(const char *key, size_t length, const char *const *names)
{
	for (; *names; names++)
		if (strlen(*names) == length && strncmp(*names, key, length) == 0)
			return true;
	return false;
}

/* From a bracket to its partner, blanked in between but for what ends lines. */
static char *empty_container(char *text)
{
	unsigned depth = 1;
	char *at = text + 1;

	while (depth) {
		const char *end = at + 1;

		if (*at == '"')
			end = json_scan_string_end(at);
		else if (*at == '{' || *at == '[')
			depth++;
		else if (*at == '}' || *at == ']')
			depth--;
		for (; depth && at < end; at++)
			if (*at != '\n')
				*at = ' ';
		at += !depth;
	}
	return at;
}

void json_blank(char *text, const char *const *names)
{
	unsigned depth = 0;

	while (*text) {
		const char *end, *value;

		depth += *text == '{' || *text == '[';
		depth -= *text == '}' || *text == ']';
		if (*text != '"') {
			text++;
			continue;
		}
		end = json_scan_string_end(text);
		value = json_scan_token(end);
		if (*value == ':' && depth > 1) {
			value = json_scan_token(value + 1);
			if ((*value == '{' || *value == '[') &&
			    is_named(text + 1, (size_t)(end - text) - 2, names)) {
				text = empty_container(text + (value - text));
				continue;
			}
		}
		text += end - text;
	}
}
