/* SPDX-License-Identifier: MIT */
/* report.h - a result in words and tables. */
#ifndef ORION_REPORT_REPORT_H
#define ORION_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/catalog.h"

struct error;
struct result;

struct report_ops {
	struct entry entry;
	/* Writes the whole report; -errno if the stream failed. */
	int (*write)(const struct result *result, FILE *stream, struct error *error);
	bool wants_histograms; /* a result that was read is to have them, if there are any */
};

/* text, json, csv, and Orion's files */
extern const struct catalog report_catalog;
const struct report_ops *report_ops_of(const struct entry *entry);

#endif
