/* SPDX-License-Identifier: MIT */
/* text.c - the report that people read. */
#include <stdio.h>

#include "report/numbers.h"
#include "report/output.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text_parts.h"

extern const struct report_ops report_text;

static void write_title(const struct result *result, FILE *stream)
{
	char title[512];

	snprintf(title, sizeof(title), "%s%s%s", result->name, result->summary[0] ? ": " : "",
		 result->summary);
	print_paragraph("", title, TEXT_WIDTH, stream);
	fputc('\n', stream);
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
		text_headline(&rows, output.stream);
		output.failed = text_table(&rows, output.stream) < 0 ||
				text_derived(&rows, output.stream) < 0 ||
				text_counters(&rows, output.stream) < 0;
		text_functions(&rows, output.stream);
		text_warnings(&rows, output.stream);
		text_footer(&rows, output.stream);
		rows_free(&rows);
	}
	return output_end(&output, stream, error);
}

const struct report_ops report_text = {
	.entry = {.name = "text", .summary = "sentences and a table, for people"},
	.write = write_text};
