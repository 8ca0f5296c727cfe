/* SPDX-License-Identifier: MIT */
/* words.c - strings from outside in our sentences: shown safely, listed, guessed at. */
#include "base/words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ELLIPSIS "…"

enum {
	NAME_BYTES_MAX = 63, /* longer names are no typing mistakes of ours */
};

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

size_t words_utf8(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4 || !is_continuation(s[1]))
		return 0;
	if (s[0] < 0xe0)
		return 2;
	/* Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	if (!is_continuation(s[2]))
		return 0;
	if (s[0] < 0xf0)
		return 3;
	return is_continuation(s[3]) ? 4 : 0;
}

/* U+0080 to U+009F are control characters too, and terminals obey them. */
static bool is_control(const char *string)
{
	unsigned char first = (unsigned char)string[0], second;

	if (first < 0x20 || first == 0x7f)
		return true;
	second = (unsigned char)string[1];
	return first == 0xc2 && second >= 0x80 && second < 0xa0;
}

/* One character, escaped where needed, into piece; returns its bytes there. */
static size_t escape_one(const char *string, char piece[8], size_t *ret_taken)
{
	size_t length = words_utf8(string);

	if (length && !is_control(string)) {
		memcpy(piece, string, length);
		*ret_taken = length;
		return length;
	}
	*ret_taken = 1;
	switch (*string) {
	case '\n':
		return (size_t)snprintf(piece, 8, "\\n");
	case '\r':
		return (size_t)snprintf(piece, 8, "\\r");
	case '\t':
		return (size_t)snprintf(piece, 8, "\\t");
	default:
		return (size_t)snprintf(piece, 8, "\\x%02x", (unsigned char)*string);
	}
}

const char *words_quote(const char *string, char *text, size_t size)
{
	size_t used = 0, cut = 0, taken;
	char piece[8];

	for (; *string; string += taken) {
		size_t length = escape_one(string, piece, &taken);

		if (used + length >= size) {
			used = cut;
			if (size > strlen(ELLIPSIS)) {
				memcpy(text + used, ELLIPSIS, strlen(ELLIPSIS));
				used += strlen(ELLIPSIS);
			}
			break;
		}
		memcpy(text + used, piece, length);
		used += length;
		if (used + strlen(ELLIPSIS) < size)
			cut = used;
	}
	text[used] = '\0';
	return text;
}

static int lower(char letter)
{
	return tolower((unsigned char)letter);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Letters inserted, left out, replaced or swapped with their neighbour between two words. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][NAME_BYTES_MAX + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];
	size_t length_a = strlen(a), length_b = strlen(b);

	for (size_t j = 0; j <= length_b; j++)
		above[j] = before[j] = (unsigned)j;
	for (size_t i = 1; i <= length_a; i++) {
		unsigned *free_row = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= length_b; j++) {
			bool differs = lower(a[i - 1]) != lower(b[j - 1]);

			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + differs);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = free_row;
	}
	return above[length_b];
}

const char *words_nearest(const char *name, const char *const *names)
{
	size_t length = strlen(name);
	unsigned best = (unsigned)(length / 3) + 1; /* first distance that is too far */
	const char *nearest = NULL;

	if (length < 2 || length > NAME_BYTES_MAX)
		return NULL;
	if (best < 2)
		best = 2;
	for (; *names; names++) {
		unsigned far;

		if (strlen(*names) > NAME_BYTES_MAX)
			continue;
		far = distance(name, *names);
		if (far < best) {
			best = far;
			nearest = *names;
		}
	}
	return nearest;
}

const char *words_unknown(const char *noun, const char *name, const char *const *names, char *text,
			  size_t size)
{
	const char *nearest = words_nearest(name, names);
	char shown[64], list[640] = "none", guess[NAME_BYTES_MAX + 32] = "";
	char cut[512];
	size_t used = 0;

	for (const char *const *one = names; *one && used < sizeof(list); one++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 one == names ? "" : ", ", *one);
	if (nearest)
		snprintf(guess, sizeof(guess), "; did you mean '%s'?", nearest);
	snprintf(text, size, "no %s is called '%s' (there are: %s%s)", noun,
		 words_quote(name, shown, sizeof(shown)), words_quote(list, cut, sizeof(cut)),
		 guess);
	return text;
}
