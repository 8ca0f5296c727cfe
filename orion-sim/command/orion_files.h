/* SPDX-License-Identifier: MIT */
/* orion_files.h - the files that a test of Orion's leaves, each a report of its result. */
#ifndef ORION_COMMAND_ORION_FILES_H
#define ORION_COMMAND_ORION_FILES_H

#include <stdbool.h>

struct error;
struct result;

#define ORION_PREFIX_BYTES 224
#define ORION_NAME_BYTES   256

/* "TESTNAME_yyyymmdd_hhmm", by local time. */
void orion_files_prefix(const char *testname, char prefix[ORION_PREFIX_BYTES]);

/* ERROR_INPUT where one of the files is there already, the document of the result included. */
int orion_files_check(const char *prefix, bool percentiles, struct error *error);

/* Name of the document of the result. */
void orion_files_document(const char *prefix, char name[ORION_NAME_BYTES]);

/* Writes them all but the document; those that were written stay where one fails. -errno. */
int orion_files_write(const char *prefix, bool percentiles, const struct result *result,
		      struct error *error);

#endif
