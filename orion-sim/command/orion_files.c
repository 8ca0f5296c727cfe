/* SPDX-License-Identifier: MIT */
/* orion_files.c - the files that a test of Orion's leaves, each a report of its result. */
#include "command/orion_files.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "report/report.h"

#define DOCUMENT "_result.json"

static const struct {
	const char *suffix, *format;
	bool percentiles; /* only on request */
} files[] = {{"_summary.txt", "orion-summary", false}, {"_iops.csv", "orion-iops", false},
	     {"_lat.csv", "orion-lat", false},	       {"_mbps.csv", "orion-mbps", false},
	     {"_hist.txt", "orion-hist", false},       {"_trace.txt", "orion-trace", false},
	     {"_lat_p50.csv", "orion-p50", true},      {"_lat_p90.csv", "orion-p90", true},
	     {"_lat_p99.csv", "orion-p99", true},      {"_lat_p99.9.csv", "orion-p999", true},
	     {"_lat_p99.99.csv", "orion-p9999", true}};

#define N_FILES (sizeof(files) / sizeof(files[0]))

void orion_files_prefix(const char *testname, char prefix[ORION_PREFIX_BYTES])
{
	time_t now = time(NULL);
	struct tm local;
	char stamp[20];

	localtime_r(&now, &local);
	strftime(stamp, sizeof(stamp), "%Y%m%d_%H%M", &local);
	snprintf(prefix, ORION_PREFIX_BYTES, "%.200s_%s", testname, stamp);
}

static void name_set(const char *prefix, const char *suffix, char name[ORION_NAME_BYTES])
{
	snprintf(name, ORION_NAME_BYTES, "%s%s", prefix, suffix);
}

void orion_files_document(const char *prefix, char name[ORION_NAME_BYTES])
{
	name_set(prefix, DOCUMENT, name);
}

static int absent_check(const char *prefix, const char *suffix, struct error *error)
{
	char name[ORION_NAME_BYTES];

	name_set(prefix, suffix, name);
	if (access(name, F_OK) != 0)
		return 0;
	return error_set(
		error, ERROR_INPUT,
		"%s exists already, and the minute is in the names; begin again when it is "
		"over, or give another -testname",
		name);
}

int orion_files_check(const char *prefix, bool percentiles, struct error *error)
{
	int status = absent_check(prefix, DOCUMENT, error);

	for (size_t i = 0; status == 0 && i < N_FILES; i++)
		if (percentiles || !files[i].percentiles)
			status = absent_check(prefix, files[i].suffix, error);
	return status;
}

static int file_write(const char *name, const char *format, const struct result *result,
		      struct error *error)
{
	const struct entry *entry;
	FILE *file;
	int status = catalog_find(&report_catalog, format, &entry, error);

	if (status < 0)
		return status;
	file = fopen(name, "wxe");
	if (!file)
		return error_set(error, -errno, "%s cannot be made: %s", name, strerror(errno));
	status = report_ops_of(entry)->write(result, file, error);
	if (fclose(file) != 0 && status == 0)
		status =
			error_set(error, -errno, "%s cannot be written: %s", name, strerror(errno));
	return status < 0 ? error_prefix(error, "%s: ", name) : 0;
}

int orion_files_write(const char *prefix, bool percentiles, const struct result *result,
		      struct error *error)
{
	for (size_t i = 0; i < N_FILES; i++) {
		char name[ORION_NAME_BYTES];
		int status;

		if (files[i].percentiles && !percentiles)
			continue;
		name_set(prefix, files[i].suffix, name);
		status = file_write(name, files[i].format, result, error);
		if (status < 0)
			return status;
	}
	return 0;
}
