/* SPDX-License-Identifier: MIT */
/* orion_profile.h - a test of Orion's as a profile, which is all that is run. */
#ifndef ORION_COMMAND_ORION_PROFILE_H
#define ORION_COMMAND_ORION_PROFILE_H

struct error;
struct orion_luns;
struct orion_matrix;
struct orion_options;

/* What a test is made of; all borrowed. */
struct orion_test {
	const struct orion_options *options;
	const struct orion_luns *luns;
	const struct orion_matrix *matrix;
	const char *command_line;
};

/* The text of the profile, for a reader too; owned by the caller. Null if out of memory. */
char *orion_profile_text(const struct orion_test *test);

#endif
