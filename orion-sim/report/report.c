/* SPDX-License-Identifier: MIT */
/* report.c - the forms a result can take. */
#include "report/report.h"

#include <stddef.h>

extern const struct report_ops report_text, report_json, report_csv;

static const struct entry *const entries[] = {&report_text.entry, &report_json.entry,
					      &report_csv.entry, NULL};

const struct catalog report_catalog = {.noun = "report", .entries = entries};

const struct report_ops *report_ops_of(const struct entry *entry)
{
	return (const struct report_ops *)entry; /* its first member */
}
