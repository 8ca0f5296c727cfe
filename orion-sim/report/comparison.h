/* SPDX-License-Identifier: MIT */
/* comparison.h - a comparison in words, as a document, or as lines for benchstat. */
#ifndef ORION_REPORT_COMPARISON_H
#define ORION_REPORT_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/catalog.h"

struct comparison;
struct comparison_options;
struct error;

#define COMPARISON_SCHEMA "orion-sim-comparison/1"

struct comparison_ops {
	struct entry entry;
	/*
	 * Writes the whole comparison; -errno if the stream failed. all: descriptive rows that did
	 * not move, too, where the form leaves them out.
	 */
	int (*write)(const struct comparison *comparison, bool all, FILE *stream,
		     struct error *error);
};

/* text, json, benchfmt */
extern const struct catalog comparison_catalog;
const struct comparison_ops *comparison_ops_of(const struct entry *entry);

/* What is asked where nobody asks for something else. */
extern const struct comparison_options comparison_presets;

/* "hugetlb is better than base on 4 of 4 primary metrics, worse on none." Returns text. */
const char *comparison_answer(const struct comparison *comparison, char *text, size_t size);

#endif
