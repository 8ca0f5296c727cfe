/* SPDX-License-Identifier: MIT */
/* comparison_text.c - a comparison for people: the answer first, then what it rests on. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/comparison.h"
#include "report/comparison_parts.h"
#include "report/numbers.h"
#include "report/output.h"

#define LABEL_WIDTH 32

extern const struct comparison_ops comparison_text;

static void print_answer(const struct comparison *comparison, FILE *stream)
{
	char text[2048];

	print_paragraph("", comparison_answer(comparison, text, sizeof(text)), COMPARISON_WIDTH,
			stream);
}

/* "10 blocks", "4 boots of 12 runs" */
static void units_text(const struct comparison *comparison, const struct comparison_side *side,
		       char text[64])
{
	const char *unit = comparison_unit_name(comparison->unit);
	const char *many = side->n_units == 1 ? "" : "s";

	if (comparison->unit == UNIT_BOOT)
		snprintf(text, 64, "%u %s%s of %u runs", side->n_units, unit, many,
			 side->n_results);
	else
		snprintf(text, 64, "%u %s%s", side->n_units, unit, many);
}

/* A line a side, their columns aligned. */
static void print_sides(const struct comparison *comparison, FILE *stream)
{
	char label[4 * LABEL_WIDTH + 4], units[64], lead[4 * LABEL_WIDTH + 256];
	size_t label_width = 0, units_width = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < comparison->n_sides; i++) {
			const struct comparison_side *side = &comparison->sides[i];
			size_t width;

			comparison_label(side->label, LABEL_WIDTH, label);
			width = text_width(label);
			units_text(comparison, side, units);
			label_width = width > label_width ? width : label_width;
			units_width = strlen(units) > units_width ? strlen(units) : units_width;
			snprintf(lead, sizeof(lead), "%s%*s  %*s  ", label,
				 (int)(label_width - width), "", (int)units_width, units);
			if (pass == 1)
				print_paragraph(lead, side->summary, COMPARISON_WIDTH, stream);
		}
	}
}

/* "pairs in blocks of random order, 10 pairs, seed 42" */
static void design_text(const struct comparison *comparison, char text[256])
{
	unsigned base = comparison->sides[0].n_units;

	if (!comparison->paired)
		snprintf(text, 256, "not paired, by %s", comparison_unit_name(comparison->unit));
	else if (comparison->design_seed == 0)
		snprintf(text, 256, "paired, %u blocks", base);
	else
		snprintf(text, 256, "%s, %u blocks, seed %" PRIu64,
			 comparison->n_sides == 2 ? "ABBA, paired" : "randomised blocks, paired",
			 base, comparison->design_seed);
}

static void print_design(const struct comparison *comparison, FILE *stream)
{
	double alpha = comparison->n_rows > 0 ? comparison->rows[0].options.alpha : COMPARE_ALPHA;
	char design[256], drift[64] = "", text[512];

	design_text(comparison, design);
	if (isfinite(comparison->drift_percent)) /* rounded first: there is no drift of -0.0 % */
		snprintf(drift, sizeof(drift), ", drift over the session %+.1f %%",
			 round(10 * comparison->drift_percent) / 10 + 0.0);
	snprintf(text, sizeof(text), "%s%s; alpha %.4g, Holm over %u primary metric%s", design,
		 drift, alpha, comparison->n_primary, comparison->n_primary == 1 ? "" : "s");
	print_paragraph("design: ", text, COMPARISON_WIDTH, stream);
}

static void print_legend(FILE *stream)
{
	print_paragraph("Change: ",
			"of other against base, estimated from ranks (Hodges-Lehmann on "
			"logarithms) with its distribution-free interval; ±%: robust spread of the "
			"values of a side.",
			COMPARISON_WIDTH, stream);
}

int comparison_print(const struct comparison *comparison, bool all, FILE *stream)
{
	int rc;

	print_answer(comparison, stream);
	fputc('\n', stream);
	print_sides(comparison, stream);
	print_design(comparison, stream);
	rc = comparison_tables(comparison, all, stream);
	fputc('\n', stream);
	comparison_functions(comparison, stream);
	comparison_warnings(comparison, stream);
	comparison_losses(comparison, stream);
	comparison_differences(comparison, stream);
	print_legend(stream);
	return rc;
}

static int write_text(const struct comparison *comparison, bool all, FILE *stream,
		      struct error *error)
{
	struct output output;
	int rc = output_begin(&output, error);

	if (rc < 0)
		return rc;
	output.failed = comparison_print(comparison, all, output.stream) < 0;
	return output_end(&output, stream, error);
}

const struct comparison_ops comparison_text = {
	.entry = {.name = "text", .summary = "an answer, a table and what to know, for people"},
	.write = write_text};
