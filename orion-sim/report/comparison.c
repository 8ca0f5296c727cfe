/* SPDX-License-Identifier: MIT */
/* comparison.c - the forms a comparison can take, and its answer in one sentence. */
#include "report/comparison.h"

#include <stdio.h>
#include <string.h>

#include "report/comparison_parts.h"
#include "stats/comparison.h"

extern const struct comparison_ops comparison_text, comparison_json, comparison_benchfmt;

static const struct entry *const entries[] = {&comparison_text.entry, &comparison_json.entry,
					      &comparison_benchfmt.entry, NULL};

const struct catalog comparison_catalog = {.noun = "format", .entries = entries};

const struct comparison_options comparison_presets = {.alpha = COMPARE_ALPHA,
						      .threshold = COMPARE_THRESHOLD,
						      .resamples = COMPARE_RESAMPLES,
						      .seed = 1};

const struct comparison_ops *comparison_ops_of(const struct entry *entry)
{
	return (const struct comparison_ops *)entry; /* its first member */
}

const char *comparison_unit_name(enum comparison_unit_kind unit)
{
	static const char *const names[] = {
		[UNIT_BLOCK] = "block", [UNIT_RUN] = "run", [UNIT_BOOT] = "boot"};

	return names[unit];
}

/* Primary rows of a side, by verdict. */
struct verdicts {
	unsigned n[COMPARE_VERDICTS], all;
	double threshold; /* of all of them; 0 where it differs */
};

static struct verdicts verdicts_of(const struct comparison *comparison, unsigned side)
{
	struct verdicts verdicts = {.all = 0};

	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (!row->primary || row->side != side)
			continue;
		if (verdicts.all++ == 0)
			verdicts.threshold = row->options.threshold;
		else if (verdicts.threshold != row->options.threshold)
			verdicts.threshold = 0;
		verdicts.n[row->numbers.verdict]++;
	}
	return verdicts;
}

/* "2 same, 1 inconclusive" */
static void list_verdicts(const struct verdicts *verdicts, FILE *stream)
{
	const char *separator = "";

	for (unsigned i = 0; i < COMPARE_VERDICTS; i++) {
		if (verdicts->n[i] == 0)
			continue;
		fprintf(stream, "%s%u %s", separator, verdicts->n[i],
			compare_verdict_name((enum compare_verdict)i));
		separator = ", ";
	}
}

static void say_count(unsigned n, FILE *stream)
{
	if (n > 0)
		fprintf(stream, "%u", n);
	else
		fputs("none", stream);
}

static void say_different(const char *label, const char *base, const struct verdicts *verdicts,
			  FILE *stream)
{
	unsigned better = verdicts->n[COMPARE_IMPROVED], worse = verdicts->n[COMPARE_REGRESSED];

	fprintf(stream, "%s is %s than %s on %u of %u primary metric%s, %s on ", label,
		better ? "better" : "worse", base, better ? better : worse, verdicts->all,
		verdicts->all == 1 ? "" : "s", better ? "worse" : "better");
	say_count(better ? worse : 0, stream);
}

static void say_same(const char *label, const char *base, const struct verdicts *verdicts,
		     FILE *stream)
{
	fprintf(stream, "%s and %s are the same", label, base);
	if (verdicts->threshold > 0)
		fprintf(stream, " within %.3g %%", 100 * verdicts->threshold);
	fprintf(stream, " on %s%u primary metric%s", verdicts->all == 1 ? "" : "all ",
		verdicts->all, verdicts->all == 1 ? "" : "s");
}

/* A clause that may begin the sentence. */
static void say_side(const struct comparison *comparison, unsigned side, FILE *stream)
{
	const char *label = comparison->sides[side].label, *base = comparison->sides[0].label;
	struct verdicts verdicts = verdicts_of(comparison, side);
	const char *no = side == 1 ? "No" : "no";

	if (verdicts.n[COMPARE_IMPROVED] + verdicts.n[COMPARE_REGRESSED] > 0) {
		say_different(label, base, &verdicts, stream);
	} else if (verdicts.n[COMPARE_NOTHING] == verdicts.all) {
		fprintf(stream, "%s primary metric of %s could be compared", no, label);
	} else if (verdicts.n[COMPARE_SAME] == verdicts.all) {
		say_same(label, base, &verdicts, stream);
	} else {
		fprintf(stream, "%s primary metric", no);
		if (comparison->n_sides > 2)
			fprintf(stream, " of %s", label);
		fputs(" can be called different: ", stream);
		list_verdicts(&verdicts, stream);
	}
}

const char *comparison_answer(const struct comparison *comparison, char *text, size_t size)
{
	FILE *stream;

	text[0] = '\0';
	stream = fmemopen(text, size, "w");
	if (!stream)
		return text;
	for (unsigned side = 1; side < comparison->n_sides; side++) {
		fputs(side > 1 ? "; " : "", stream);
		say_side(comparison, side, stream);
	}
	fputc('.', stream);
	fclose(stream);
	text[size - 1] = '\0';
	return text;
}
