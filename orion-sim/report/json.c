/* SPDX-License-Identifier: MIT */
/* json.c - the report that is the document itself. */
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "report/output.h"
#include "report/report.h"
#include "stats/document.h"
#include "stats/result.h"

extern const struct report_ops report_json;

static int write_json(const struct result *result, FILE *stream, struct error *error)
{
	cJSON *tree = result_to_json(result);
	CLEANUP(cleanup_free) char *text = tree ? document_print(tree) : NULL;

	cJSON_Delete(tree);
	if (!text)
		return error_set(error, -ENOMEM, "no memory for the report");
	return output_text(text, stream, error);
}

const struct report_ops report_json = {
	.entry = {.name = "json", .summary = "the whole document, schema orion-sim/1"},
	.write = write_json};
