/* SPDX-License-Identifier: MIT */
/* document.h - JSON as text: small, yet with lines that a diff can tell apart. */
#ifndef ORION_STATS_DOCUMENT_H
#define ORION_STATS_DOCUMENT_H

#include <cjson/cJSON.h>

/*
 * Text of a tree, ending in a newline: what fits on a line shares one with its neighbours, lists of
 * numbers stay on theirs whatever their length, the rest is broken up. Bytes that are no UTF-8
 * become '?'. Owned by the caller; NULL if out of memory.
 */
char *document_print(const cJSON *root);

/* The whole tree in one line. */
char *document_print_line(const cJSON *root);

#endif
