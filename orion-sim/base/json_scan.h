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

#endif
