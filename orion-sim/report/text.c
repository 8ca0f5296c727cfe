/* SPDX-License-Identifier: MIT */
/* text.c - the report that people read. */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "report/comparison.h"
#include "report/comparison_parts.h"
#include "report/numbers.h"
#include "report/output.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text_parts.h"
#include "stats/comparison.h"

extern const struct report_ops report_text;

static void write_title(const struct result *result, FILE *stream)
{
	char title[512];

	snprintf(title, sizeof(title), "%s%s%s", result->name, result->summary[0] ? ": " : "",
		 result->summary);
	print_paragraph("", title, TEXT_WIDTH, stream);
	fputc('\n', stream);
}

/* What the variants come to; of one there is nothing to say. -ENOMEM only. */
static int write_verdicts(const struct result *result, FILE *stream)
{
	struct comparison comparison;
	struct error error = {0};
	int rc;

	if (result->n_variants < 2)
		return 0;
	fputc('\n', stream);
	rc = comparison_of_variants(result, &comparison_presets, &comparison, &error);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0) {
		print_paragraph("Not compared: ", error.text, TEXT_WIDTH, stream);
		return 0;
	}
	rc = comparison_print(&comparison, false, stream);
	comparison_free(&comparison);
	return rc;
}

static int write_text(const struct result *result, FILE *stream, struct error *error)
{
	struct output output;
	struct rows rows;
	int rc = output_begin(&output, error);

	if (rc < 0)
		return rc;
	output.failed = rows_make(result, &rows) < 0;
	if (!output.failed) {
		write_title(result, output.stream);
		if (result->calibration)
			output.failed = text_calibration(&rows, output.stream) < 0;
		else
			text_headline(&rows, output.stream);
		output.failed = output.failed ||
				(!result->calibration && text_table(&rows, output.stream) < 0) ||
				text_derived(&rows, output.stream) < 0 ||
				text_counters(&rows, output.stream) < 0;
		text_functions(&rows, output.stream);
		text_warnings(&rows, output.stream);
		text_footer(&rows, output.stream);
		output.failed |= write_verdicts(result, output.stream) < 0;
		rows_free(&rows);
	}
	return output_end(&output, stream, error);
}

const struct report_ops report_text = {
	.entry = {.name = "text", .summary = "sentences and a table, for people"},
	.write = write_text};
