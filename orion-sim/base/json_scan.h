/* SPDX-License-Identifier: MIT */
/* json_scan.h - JSON as text: is it sound, and where in it is a value; private to json. */
#ifndef ORION_BASE_JSON_SCAN_H
#define ORION_BASE_JSON_SCAN_H

#include <stddef.h>

#define JSON_DEPTH_MAX 64

struct json_fault {
	const char *at;	    /* in the text */
	char sentence[128]; /* what is wrong there */
};

/*
 * Checks one JSON document (RFC 8259, to the letter) and that nothing is behind it. 0, or -EINVAL
 * with the fault. Keys given twice are not found here.
 */
int json_scan(const char *text, struct json_fault *ret);

/* First byte of the next token, and of the child of the array or object there (of its key). */
const char *json_scan_token(const char *text);
const char *json_scan_child(const char *text, size_t index);

/* Behind the string that begins there, in sound text. */
const char *json_scan_string_end(const char *text);

/*
 * Empties the list or object of every member of one of these names (NULL-terminated), but for
 * members of the document itself: what its brackets hold becomes blanks, line ends stay, so that
 * every place is as before. Sound text.
 */
void json_blank(char *text, const char *const *names);

#endif
