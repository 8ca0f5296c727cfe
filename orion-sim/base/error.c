/* SPDX-License-Identifier: MIT */
/* error.c - one sentence about what went wrong, carried up to whoever may print it. */
#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"

int(error_set)(struct error *error, int code, const char *format, ...)
{
	char sentence[sizeof(error->text)];
	va_list args;

	assert(code < 0);
	if (!error)
		return code;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	words_quote(sentence, error->text, sizeof(error->text));
	error->code = code;
	return code;
}

int(error_prefix)(struct error *error, const char *format, ...)
{
	char sentence[2 * sizeof(error->text)];
	va_list args;
	size_t used;

	if (!error)
		return ERROR_INPUT;
	va_start(args, format);
	vsnprintf(sentence, sizeof(error->text), format, args);
	va_end(args);
	used = strlen(sentence);
	snprintf(sentence + used, sizeof(sentence) - used, "%s", error->text);
	words_quote(sentence, error->text, sizeof(error->text));
	return error->code;
}

int(error_append)(struct error *error, const char *format, ...)
{
	char more[sizeof(error->text) / 2], raw[sizeof(more)], sentence[sizeof(error->text)];
	va_list args;
	size_t used;

	if (!error)
		return ERROR_INPUT;
	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	/* What is put behind is the remedy: where there is no room, the sentence gives way. */
	words_quote(raw, more, sizeof(more));
	words_quote(error->text, sentence, sizeof(sentence) - strlen(more));
	used = strlen(sentence);
	memcpy(error->text, sentence, used);
	memcpy(error->text + used, more, strlen(more) + 1);
	return error->code;
}
