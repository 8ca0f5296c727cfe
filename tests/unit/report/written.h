/* SPDX-License-Identifier: MIT */
/* written.h - a report as a string, and lines of it. */
#ifndef ORION_TESTS_WRITTEN_H
#define ORION_TESTS_WRITTEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "report/report.h"

/* Owned by the caller. */
static inline char *written(const char *format, const struct result *result)
{
	const struct entry *entry;
	struct error error = {0};
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	assert_int_equal(catalog_find(&report_catalog, format, &entry, &error), 0);
	if (report_ops_of(entry)->write(result, stream, &error) < 0)
		fail_msg("%s", error.text);
	fclose(stream);
	return text;
}

/* The first line that begins with a prefix, copied into line; "" if there is none. */
static inline const char *line_with(const char *text, const char *prefix, char *line, size_t size)
{
	for (const char *place = text; place; place = strchr(place, '\n')) {
		place += *place == '\n';
		if (strncmp(place, prefix, strlen(prefix)) != 0)
			continue;
		snprintf(line, size, "%.*s", (int)strcspn(place, "\n"), place);
		return line;
	}
	line[0] = '\0';
	return line;
}

/* Wrapped lines joined, so that a sentence can be looked for. Changes text. */
static inline char *unwrapped(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		char c = *from == '\n' ? ' ' : *from;

		if (c != ' ' || to == text || to[-1] != ' ')
			*to++ = c;
	}
	*to = '\0';
	return text;
}

static inline void assert_says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" is not said in:\n%s", words, text);
}

static inline void assert_does_not_say(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("\"%s\" is said in:\n%s", words, text);
}

#endif
