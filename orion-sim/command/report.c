/* SPDX-License-Identifier: MIT */
/* report.c - the command report: a result document in another form. */
#include "report/report.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/field.h"
#include "command/command.h"
#include "stats/merge_counters.h"
#include "stats/result.h"

extern const struct command_ops command_report;

struct report_params {
	int format;
	char merge_counters[1024];
};

static const char *const report_formats[] = {
	"text",	     "json",	   "csv",	  "orion",	 "orion-summary", "orion-iops",
	"orion-lat", "orion-mbps", "orion-hist",  "orion-trace", "orion-p50",	  "orion-p90",
	"orion-p99", "orion-p999", "orion-p9999", NULL};

static const struct field report_fields[] = {
	FIELD_CHOICE("format", struct report_params, format, "text", report_formats,
		     "what is printed on standard output"),
	FIELD_TEXT(
		"merge-counters", struct report_params, merge_counters, "",
		"a file of counts taken by another, as scripts/lab/lab writes it, is added first"),
	FIELD_END};

static int report_run(const struct command_args *args, struct error *error)
{
	const struct report_params *params = args->params;
	struct result result = {0};
	const struct entry *entry;
	int status;

	if (catalog_find(&report_catalog, report_formats[params->format], &entry, error) < 0)
		return command_exit_code(error);
	if (result_load(args->words[0], report_ops_of(entry)->wants_histograms, &result, error) < 0)
		return command_exit_code(error);
	status = *params->merge_counters ? merge_counters(params->merge_counters, &result, error)
					 : 0;
	if (status == 0)
		status = report_ops_of(entry)->write(&result, stdout, error);
	result_free(&result);
	return status < 0 ? command_exit_code(error) : EXIT_CODE_OK;
}

const struct command_ops command_report = {
	.entry = {.name = "report",
		  .summary = "prints a result document as text, json or csv",
		  .fields = report_fields,
		  .params_size = sizeof(struct report_params)},
	.words_usage = "RESULT.json",
	.words_min = 1,
	.words_max = 1,
	.run = report_run};
