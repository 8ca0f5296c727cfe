/* SPDX-License-Identifier: MIT */
/* report.c - the forms a result can take. */
#include "report/report.h"

#include <stddef.h>

extern const struct report_ops report_text, report_json, report_csv, report_orion_console,
	report_orion_summary, report_orion_iops, report_orion_lat, report_orion_mbps,
	report_orion_hist, report_orion_trace, report_orion_p50, report_orion_p90, report_orion_p99,
	report_orion_p999, report_orion_p9999;

static const struct entry *const entries[] = {
	&report_text.entry,	     &report_json.entry,
	&report_csv.entry,	     &report_orion_console.entry,
	&report_orion_summary.entry, &report_orion_iops.entry,
	&report_orion_lat.entry,     &report_orion_mbps.entry,
	&report_orion_hist.entry,    &report_orion_trace.entry,
	&report_orion_p50.entry,     &report_orion_p90.entry,
	&report_orion_p99.entry,     &report_orion_p999.entry,
	&report_orion_p9999.entry,   NULL};

const struct catalog report_catalog = {.noun = "report", .entries = entries};

const struct report_ops *report_ops_of(const struct entry *entry)
{
	return (const struct report_ops *)entry; /* its first member */
}
