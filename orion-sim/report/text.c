/* SPDX-License-Identifier: MIT */
/* text.c - the report that people read. */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "report/finish.h"
#include "report/numbers.h"
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
	struct rows rows;
	int rc = rows_make(result, &rows);

	if (rc == 0) {
		write_title(result, stream);
		text_headline(&rows, stream);
		rc = text_table(&rows, stream);
		text_warnings(&rows, stream);
		text_footer(&rows, stream);
		rows_free(&rows);
	}
	if (rc < 0)
		return error_set(error, rc, "no memory for the report");
	return report_finish(stream, error);
}

const struct report_ops report_text = {
	.entry = {.name = "text", .summary = "sentences and a table, for people"},
	.write = write_text};
