/* SPDX-License-Identifier: MIT */
/* orion_options.h - the command line of Orion as data: its options, and a few of our own. */
#ifndef ORION_COMMAND_ORION_OPTIONS_H
#define ORION_COMMAND_ORION_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct error;

enum orion_run { ORION_SIMPLE, ORION_NORMAL, ORION_OLTP, ORION_DSS, ORION_ADVANCED };
enum orion_type { ORION_RAND, ORION_SEQ };
enum orion_simulate { ORION_CONCAT, ORION_RAID0 };
enum orion_matrix_kind {
	ORION_BASIC,
	ORION_DETAILED,
	ORION_POINT,
	ORION_COL,
	ORION_ROW,
	ORION_MAX
};

#define ORION_TESTNAME_MAX 200 /* with what is put behind it a name for a file */
#define ORION_LOADS_BYTES  1024
#define ORION_SETS_MAX	   16

struct orion_options {
	int run;	    /* enum orion_run */
	char testname[256]; /* checked to be no longer than ORION_TESTNAME_MAX */
	uint64_t num_disks; /* 0: as many as LUNs */
	uint64_t size_small_kb, size_large_kb;
	int type; /* enum orion_type */
	uint64_t num_stream_io;
	int simulate; /* enum orion_simulate */
	uint64_t stripe_kb, write_percent;
	char cache_mb[24]; /* "" where nothing is said */
	uint64_t duration_s;
	int matrix; /* enum orion_matrix_kind */
	uint64_t num_small, num_large;
	int storax;
	bool hugenotneeded, verbose, help;
	/* Ours. */
	char loads[ORION_LOADS_BYTES]; /* "SMALL/LARGE", either may be left out */
	bool print_profile, percentiles;
	const char *sets[ORION_SETS_MAX + 1]; /* NULL-terminated; lent by the words */
	unsigned n_sets;
};

/*
 * Reads the words behind "orion". An abbreviation stands for the one option that begins with it.
 * ERROR_INPUT with Orion's own words and what to do; with -help nothing else is looked at.
 */
int orion_options_read(const char *const *words, struct orion_options *ret, struct error *error);

/* Prints Orion's options and ours. */
void orion_options_help(void);

/* The words as one command line, as the summary shows it, without those that only look at the
 * profile; cut with "…". Returns text. */
const char *orion_options_line(const char *const *words, char *text, unsigned long size);

#endif
