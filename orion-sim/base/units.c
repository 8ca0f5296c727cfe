/* SPDX-License-Identifier: MIT */
/* units.c - sizes and durations as people write them, both ways. */
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"

enum {
	FRACTION_DIGITS_MAX = 9,
	SHOWN_BYTES = 64,
};

struct unit {
	const char *name;
	uint64_t ns;
};

/* Largest first, as the formatters want them. */
static const struct unit duration_units[] = {
	{"h", 3600000000000u}, {"m", 60000000000u}, {"s", 1000000000u},
	{"ms", 1000000u},      {"us", 1000u},	    {"ns", 1u},
};

enum {
	N_DURATION_UNITS = sizeof(duration_units) / sizeof(duration_units[0]),
	UNIT_SECOND = 2, /* index: what a bare number means, and the first that latencies use */
};

static int fail_size(const char *text, struct error *error)
{
	char shown[SHOWN_BYTES];

	return error_set(error, ERROR_INPUT, "'%s' is not a size (such as 4096, 8k, 64K, 1M, 4g)",
			 words_quote(text, shown, sizeof(shown)));
}

static int fail_duration(const char *text, struct error *error)
{
	char shown[SHOWN_BYTES];

	return error_set(error, ERROR_INPUT,
			 "'%s' is not a duration (such as 500ms, 1.5s, 10m, 250us; a bare number "
			 "is seconds)",
			 words_quote(text, shown, sizeof(shown)));
}

static int fail_overflow(const char *text, struct error *error)
{
	char shown[SHOWN_BYTES];

	return error_set(error, ERROR_INPUT, "'%s' is more than 64 bits hold",
			 words_quote(text, shown, sizeof(shown)));
}

/* Digits at text; true and the first byte behind them, or false: no digit. Saturates. */
static bool parse_digits(const char *text, uint64_t *ret, const char **ret_end, bool *ret_overflow)
{
	uint64_t value = 0;
	bool overflow = false;

	if (!isdigit((unsigned char)*text))
		return false;
	for (; isdigit((unsigned char)*text); text++) {
		overflow |= __builtin_mul_overflow(value, 10u, &value);
		overflow |= __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value);
	}
	*ret = value;
	*ret_end = text;
	*ret_overflow = overflow;
	return true;
}

/* Shift of a suffix: "" and "b" 0, "k", "kb", "kib" 10, …; negative where it is none. */
static int size_shift(const char *suffix)
{
	static const char letters[] = "kmgt";
	const char *letter;
	int shift = 0;

	if (*suffix) {
		letter = strchr(letters, tolower((unsigned char)*suffix));
		if (letter) {
			shift = 10 * (int)(letter - letters + 1);
			suffix++;
		}
	}
	if (!*suffix || !strcasecmp(suffix, "b") || (shift && !strcasecmp(suffix, "ib")))
		return shift;
	return -1;
}

int units_parse_size(const char *text, uint64_t *ret_bytes, struct error *error)
{
	const char *suffix;
	uint64_t value;
	bool overflow;
	int shift;

	if (!parse_digits(text, &value, &suffix, &overflow))
		return fail_size(text, error);
	shift = size_shift(suffix);
	if (shift < 0)
		return fail_size(text, error);
	if (overflow || value > UINT64_MAX >> shift)
		return fail_overflow(text, error);
	*ret_bytes = value << shift;
	return 0;
}

/* ".25" -> 25 of 100; nothing there -> 0 of 1. */
static int parse_fraction(const char **at, uint64_t *ret_part, uint64_t *ret_of)
{
	uint64_t part = 0, of = 1;
	int digits = 0;

	if (**at == '.') {
		for ((*at)++; isdigit((unsigned char)**at); (*at)++) {
			if (++digits > FRACTION_DIGITS_MAX)
				return -EINVAL;
			part = part * 10 + (uint64_t)(**at - '0');
			of *= 10;
		}
		if (!digits)
			return -EINVAL;
	}
	*ret_part = part;
	*ret_of = of;
	return 0;
}

static uint64_t duration_unit(const char *name)
{
	if (!*name)
		return duration_units[UNIT_SECOND].ns;
	for (int i = 0; i < N_DURATION_UNITS; i++)
		if (!strcmp(name, duration_units[i].name))
			return duration_units[i].ns;
	return 0;
}

int units_parse_duration(const char *text, uint64_t *ret_ns, struct error *error)
{
	uint64_t whole, part, of, unit_ns;
	unsigned __int128 total_ns, part_ns;
	const char *at;
	bool overflow;

	if (!parse_digits(text, &whole, &at, &overflow) || parse_fraction(&at, &part, &of))
		return fail_duration(text, error);
	unit_ns = duration_unit(at);
	part_ns = (unsigned __int128)part * unit_ns;
	if (!unit_ns || part_ns % of)
		return fail_duration(text, error);
	total_ns = (unsigned __int128)whole * unit_ns + part_ns / of;
	if (overflow || total_ns > UINT64_MAX)
		return fail_overflow(text, error);
	*ret_ns = (uint64_t)total_ns;
	return 0;
}

int units_parse_count(const char *text, uint64_t *ret, struct error *error)
{
	char shown[SHOWN_BYTES];
	const char *end;
	uint64_t value;
	bool overflow;

	if (!parse_digits(text, &value, &end, &overflow) || *end)
		return error_set(error, ERROR_INPUT, "'%s' is not a whole number",
				 words_quote(text, shown, sizeof(shown)));
	if (overflow)
		return fail_overflow(text, error);
	*ret = value;
	return 0;
}

const char *units_format_size(uint64_t bytes, char text[32])
{
	static const char *const letters[] = {"", "K", "M", "G", "T"};
	int unit = 0;

	while (bytes && unit < 4 && !(bytes % 1024)) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, 32, "%llu%s", (unsigned long long)bytes, letters[unit]);
	return text;
}

const char *units_format_duration(uint64_t ns, char text[32])
{
	int unit = ns ? 0 : UNIT_SECOND;

	while (ns % duration_units[unit].ns)
		unit++;
	snprintf(text, 32, "%llu%s", (unsigned long long)(ns / duration_units[unit].ns),
		 duration_units[unit].name);
	return text;
}

/* Three significant digits below 1000, a final ".0" left out. */
static int format_three(double value, char *text, size_t size)
{
	if (value < 9.995)
		return snprintf(text, size, "%.2f", value);
	if (value < 99.95 && (long)(value * 10 + 0.5) % 10)
		return snprintf(text, size, "%.1f", value);
	return snprintf(text, size, "%.0f", value);
}

const char *units_format_amount(uint64_t bytes, char text[32])
{
	static const char letters[] = "KMGT";
	double value = (double)bytes / 1024;
	int unit = 0, used;

	if (bytes < 1024)
		return units_format_size(bytes, text);
	for (; unit < 3 && value >= 1023.5; unit++)
		value /= 1024;
	used = snprintf(text, 32, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
	if (strchr(text, '.')) {
		while (text[used - 1] == '0')
			used--;
		if (text[used - 1] == '.')
			used--;
	}
	snprintf(text + used, 32 - (size_t)used, "%c", letters[unit]);
	return text;
}

const char *units_format_latency(double ns, char text[32])
{
	int unit = N_DURATION_UNITS - 1;
	int used;

	if (!isfinite(ns) || ns < 0 || ns > 1e21) {
		snprintf(text, 32, "-");
		return text;
	}
	if (ns == 0) {
		snprintf(text, 32, "0 ns");
		return text;
	}
	/* 999.5 would be shown as 1000, so it belongs to the next unit. */
	while (unit > UNIT_SECOND && ns / (double)duration_units[unit].ns >= 999.5)
		unit--;
	used = format_three(ns / (double)duration_units[unit].ns, text, 32);
	snprintf(text + used, 32 - (size_t)used, " %s", duration_units[unit].name);
	return text;
}

const char *units_format_rate(double per_second, char text[32])
{
	static const char *const letters[] = {"", " K", " M", " G", " T"};
	int unit = 0, used;

	if (!isfinite(per_second) || per_second < 0 || per_second > 1e24) {
		snprintf(text, 32, "-");
		return text;
	}
	if (per_second == 0) {
		snprintf(text, 32, "0");
		return text;
	}
	for (; unit < 4 && per_second >= 999.5; unit++)
		per_second /= 1000;
	used = format_three(per_second, text, 32);
	snprintf(text + used, 32 - (size_t)used, "%s", letters[unit]);
	return text;
}
