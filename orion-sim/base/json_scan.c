/* SPDX-License-Identifier: MIT */
/* json_scan.c - JSON as text: is it sound, and where in it is a value. */
#include "base/json_scan.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

enum {
	NUMBER_BYTES_MAX = 60, /* cJSON reads no more than 63 */
};

struct scan {
	const char *at;
	unsigned depth;
	struct json_fault *fault;
};

static int scan_value(struct scan *scan);

__attribute__((format(printf, 3, 4))) static int fail(struct scan *scan, const char *at,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(scan->fault->sentence, sizeof(scan->fault->sentence), format, args);
	va_end(args);
	scan->fault->at = at;
	return -EINVAL;
}

static int fail_expected(struct scan *scan, const char *expected)
{
	char one[8] = "", shown[16];
	size_t length = words_utf8(scan->at);

	if (!*scan->at)
		return fail(scan, scan->at, "expected %s, found the end of the text", expected);
	memcpy(one, scan->at, length ? length : 1);
	return fail(scan, scan->at, "expected %s, found '%s'", expected,
		    words_quote(one, shown, sizeof(shown)));
}

const char *json_scan_token(const char *text)
{
	while (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r')
		text++;
	return text;
}

/* Four hexadecimal digits as a number, negative where they are not. */
static int hex4(const char *at)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		int letter = tolower((unsigned char)at[i]);

		if (!isxdigit(letter))
			return -1;
		value = value * 16 + (isdigit(letter) ? letter - '0' : letter - 'a' + 10);
	}
	return value;
}

static int scan_unicode_escape(struct scan *scan)
{
	const char *start = scan->at;
	int unit = hex4(start + 2), second;

	if (unit < 0)
		return fail(scan, start, "\\u needs four hexadecimal digits");
	if (!unit)
		return fail(scan, start, "\\u0000 is not allowed in a string");
	scan->at += 6;
	if (unit < 0xd800 || unit > 0xdfff)
		return 0;
	second = scan->at[0] == '\\' && scan->at[1] == 'u' ? hex4(scan->at + 2) : -1;
	if (unit > 0xdbff || second < 0xdc00 || second > 0xdfff)
		return fail(scan, start, "half of a surrogate pair in a string");
	scan->at += 6;
	return 0;
}

static int scan_string(struct scan *scan)
{
	const char *start = scan->at++;

	while (*scan->at != '"') {
		unsigned char byte = (unsigned char)*scan->at;
		size_t length;

		if (byte >= 0x20 && byte < 0x80 && byte != '\\') {
			scan->at++;
			continue;
		}
		length = words_utf8(scan->at);
		if (!byte || byte == '\n')
			return fail(scan, start, "this string is not closed");
		if (byte < 0x20)
			return fail(scan, scan->at,
				    "a control character in a string (write it as \\u%04x)", byte);
		if (!length)
			return fail(scan, scan->at, "a byte that is not UTF-8 in a string");
		if (byte != '\\') {
			scan->at += length;
		} else if (scan->at[1] == 'u') {
			if (scan_unicode_escape(scan))
				return -EINVAL;
		} else if (scan->at[1] && strchr("\"\\/bfnrt", scan->at[1])) {
			scan->at += 2;
		} else {
			return fail(scan, scan->at, "a backslash before what needs none");
		}
	}
	scan->at++;
	return 0;
}

static bool is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

static bool skip_digits(const char **at)
{
	const char *start = *at;

	while (is_digit(**at))
		(*at)++;
	return *at > start;
}

/* End of the number at text by the grammar, null where it is none. */
static const char *number_end(const char *at)
{
	if (*at == '-')
		at++;
	if (*at == '0')
		at++;
	else if (!skip_digits(&at))
		return NULL;
	if (*at == '.') {
		at++;
		if (!skip_digits(&at))
			return NULL;
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		if (*at == '+' || *at == '-')
			at++;
		if (!skip_digits(&at))
			return NULL;
	}
	return at;
}

/* Behind whatever was meant to be a number. */
static const char *word_end(const char *at)
{
	while (isalnum((unsigned char)*at) || *at == '+' || *at == '-' || *at == '.' || *at == '_')
		at++;
	return at;
}

static int scan_number(struct scan *scan)
{
	const char *start = scan->at, *end = number_end(start), *behind = word_end(start);
	size_t length = (size_t)(behind - start);
	char shown[NUMBER_BYTES_MAX + 1];

	/* Without an exponent, so few digits are within the range of a double. */
	if (end == behind && length <= NUMBER_BYTES_MAX && !memchr(start, 'e', length) &&
	    !memchr(start, 'E', length)) {
		scan->at = end;
		return 0;
	}
	snprintf(shown, sizeof(shown), "%.*s", (int)(length < 60 ? length : 60), start);
	if (!end || end != start + length)
		return fail(scan, start, "'%s' is not a number (text needs quotes)", shown);
	if (length > NUMBER_BYTES_MAX)
		return fail(scan, start, "a number of more than %d digits", NUMBER_BYTES_MAX);
	if (!isfinite(strtod(shown, NULL)))
		return fail(scan, start, "'%s' is too large", shown);
	scan->at = end;
	return 0;
}

static int scan_literal(struct scan *scan)
{
	static const char *const literals[] = {"true", "false", "null"};
	size_t length = 0;

	while (isalnum((unsigned char)scan->at[length]) || scan->at[length] == '_')
		length++;
	for (int i = 0; i < 3; i++)
		if (length == strlen(literals[i]) && !strncmp(scan->at, literals[i], length)) {
			scan->at += length;
			return 0;
		}
	if (length)
		return fail(scan, scan->at, "'%.*s' is no value (text needs quotes)",
			    (int)(length < 40 ? length : 40), scan->at);
	return fail_expected(scan, "a value");
}

static int scan_member(struct scan *scan)
{
	scan->at = json_scan_token(scan->at);
	if (*scan->at != '"')
		return fail_expected(scan, "a key in quotes");
	if (scan_string(scan))
		return -EINVAL;
	scan->at = json_scan_token(scan->at);
	if (*scan->at != ':')
		return fail_expected(scan, "':'");
	scan->at++;
	return scan_value(scan);
}

/* An array or an object, from its bracket on. */
static int scan_container(struct scan *scan)
{
	bool object = *scan->at == '{';
	char close = object ? '}' : ']';

	if (++scan->depth > JSON_DEPTH_MAX)
		return fail(scan, scan->at, "nested deeper than %d", JSON_DEPTH_MAX);
	scan->at = json_scan_token(scan->at + 1);
	if (*scan->at == close) {
		scan->at++;
		scan->depth--;
		return 0;
	}
	for (;;) {
		if (object ? scan_member(scan) : scan_value(scan))
			return -EINVAL;
		scan->at = json_scan_token(scan->at);
		if (*scan->at == close)
			break;
		if (*scan->at != ',')
			return fail_expected(scan, object ? "',' or '}'" : "',' or ']'");
		scan->at++;
	}
	scan->at++;
	scan->depth--;
	return 0;
}

static int scan_value(struct scan *scan)
{
	scan->at = json_scan_token(scan->at);
	if (*scan->at == '{' || *scan->at == '[')
		return scan_container(scan);
	if (*scan->at == '"')
		return scan_string(scan);
	if (*scan->at == '-' || isdigit((unsigned char)*scan->at))
		return scan_number(scan);
	return scan_literal(scan);
}

int json_scan(const char *text, struct json_fault *ret)
{
	struct scan scan = {.at = text, .fault = ret};

	if (scan_value(&scan))
		return -EINVAL;
	scan.at = json_scan_token(scan.at);
	if (*scan.at)
		return fail_expected(&scan, "nothing more behind the document");
	return 0;
}

/* From a quote to behind its partner, in sound text. */
const char *json_scan_string_end(const char *text)
{
	for (text++; *text && *text != '"'; text++)
		if (*text == '\\' && text[1])
			text++;
	return *text ? text + 1 : text;
}

const char *json_scan_child(const char *text, size_t index)
{
	unsigned depth = 0;

	text = json_scan_token(text);
	if (*text == '"') { /* a member is found by its key: go on behind it */
		text = json_scan_token(json_scan_string_end(text));
		text += *text == ':';
		text = json_scan_token(text);
	}
	for (text += *text != '\0'; *text && index; text++) {
		if (*text == '"')
			text = json_scan_string_end(text) - 1;
		else if (*text == '{' || *text == '[')
			depth++;
		else if (*text == '}' || *text == ']')
			depth--;
		else if (*text == ',' && !depth)
			index--;
	}
	return json_scan_token(text);
}
