/* SPDX-License-Identifier: MIT */
/* words.h - strings from outside in our sentences: shown safely, listed, guessed at. */
#ifndef ORION_BASE_WORDS_H
#define ORION_BASE_WORDS_H

#include <stddef.h>

/* Bytes of the UTF-8 character at text: 1 to 4; 0 where it is none. */
size_t words_utf8(const char *text);

/*
 * Copies a string as it may stand in a sentence on a terminal: control characters and bytes that
 * are not UTF-8 escaped (\n, \x1b), cut with "…" where it does not fit. size > 0; returns text.
 */
const char *words_quote(const char *string, char *text, size_t size);

/* The name most like a mistyped one, null where none is near. names is NULL-terminated. */
const char *words_nearest(const char *name, const char *const *names);

/*
 * "no NOUN is called 'NAME' (there are: a, b; did you mean 'a'?)"; names is NULL-terminated.
 * Returns text.
 */
const char *words_unknown(const char *noun, const char *name, const char *const *names, char *text,
			  size_t size);

#endif
