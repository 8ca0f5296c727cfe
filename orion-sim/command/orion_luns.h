/* SPDX-License-Identifier: MIT */
/* orion_luns.h - the file that names Orion's LUNs. */
#ifndef ORION_COMMAND_ORION_LUNS_H
#define ORION_COMMAND_ORION_LUNS_H

struct error;

struct orion_luns {
	unsigned n;
	char **paths; /* owned, as their texts are */
};

/*
 * Reads TESTNAME.lun: a path a line, empty lines count for nothing. ERROR_INPUT with file and line
 * for what is none: a comment, a carriage return, the same LUN twice, more than a run can have.
 */
int orion_luns_read(const char *testname, struct orion_luns *ret, struct error *error);
void orion_luns_free(struct orion_luns *luns);

#endif
