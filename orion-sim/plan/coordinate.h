/* SPDX-License-Identifier: MIT */
/* coordinate.h - how an axis and its values are called in results. */
#ifndef ORION_PLAN_COORDINATE_H
#define ORION_PLAN_COORDINATE_H

#include <stddef.h>
#include <cjson/cJSON.h>

struct choice;
struct error;
struct json_document;

/*
 * Short text of a value that an axis gives to path: sizes and durations in their shortest form
 * ("64K"), engines, memory kinds and workloads as their label, anything else as it was written.
 * ERROR_INPUT: unknown engine, nothing that has a short text, longer than size - 1 bytes.
 */
int coordinate_text(const struct json_document *document, const char *path, const cJSON *value,
		    char *text, size_t size, struct error *error);

#endif
