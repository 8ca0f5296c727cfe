/* SPDX-License-Identifier: MIT */
/* notes.h - footnotes: what found no room in a row, told once below under a number. */
#ifndef ORION_REPORT_NOTES_H
#define ORION_REPORT_NOTES_H

#include <stddef.h>
#include <stdio.h>

struct notes {
	unsigned n;
	char **texts; /* owned */
};

/* Number of a note, made if it is new; identical ones share it. 0 if out of memory. */
unsigned note_number(struct notes *notes, const char *text);

/* " [1] text", set apart from what stands above, at most width columns wide. */
void notes_print(const struct notes *notes, size_t width, FILE *stream);

void notes_free(struct notes *notes);

#endif
