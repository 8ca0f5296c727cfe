/* SPDX-License-Identifier: MIT */
/* numbers.c - numbers and paragraphs as people read them. */
#include "report/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/words.h"

/* Puts a comma before every third digit from the point leftwards. */
static void group_thousands(const char *plain, char *text)
{
	size_t sign = plain[0] == '-', digits = strspn(plain + sign, "0123456789");

	memcpy(text, plain, sign);
	text += sign;
	plain += sign;
	for (size_t left = digits; left > 0; left--) {
		*text++ = *plain++;
		if (left > 1 && left % 3 == 1)
			*text++ = ',';
	}
	memcpy(text, plain, strlen(plain) + 1);
}

const char *number_format(double value, int decimals, char *text)
{
	char plain[NUMBER_BYTES / 4 * 3];

	if (isnan(value))
		snprintf(text, NUMBER_BYTES, "-");
	else if (fabs(value) >= 1e18)
		snprintf(text, NUMBER_BYTES, "%.3g", value);
	else {
		snprintf(plain, sizeof(plain), "%.*f", decimals, value);
		group_thousands(plain, text);
	}
	return text;
}

int number_decimals(double value)
{
	double limit = 99.95;
	int decimals = 0;

	value = fabs(value);
	while (value > 0 && value < limit && decimals < 4) {
		limit /= 10;
		decimals++;
	}
	return decimals;
}

const char *number_short(double value, char *text)
{
	return number_format(value, number_decimals(value), text);
}

const char *number_kib(double bytes, char *text)
{
	double kib = bytes / 1024;

	return number_format(kib, fabs(kib - round(kib)) < 0.05 || kib >= 100 ? 0 : 1, text);
}

size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static char *safe_copy(const char *text)
{
	size_t size = strlen(text) * 4 + 1; /* \x1b for a byte at most */
	char *copy = malloc(size);

	if (copy)
		words_quote(text, copy, size);
	return copy;
}

void print_safely(const char *text, FILE *stream)
{
	CLEANUP(cleanup_free) char *copy = safe_copy(text);

	fputs(copy ? copy : "", stream);
}

void print_paragraph(const char *lead, const char *text, size_t width, FILE *stream)
{
	CLEANUP(cleanup_free) char *copy = safe_copy(text);
	size_t indent = text_width(lead), column = indent;
	char *rest = copy, *word;

	fputs(lead, stream);
	while ((word = strsep(&rest, " "))) {
		size_t length = text_width(word);

		if (length == 0)
			continue;
		if (column > indent && column + 1 + length > width) {
			fprintf(stream, "\n%*s", (int)indent, "");
			column = indent;
		}
		fprintf(stream, "%s%s", column > indent ? " " : "", word);
		column += length + (column > indent);
	}
	fputc('\n', stream);
}
