/* SPDX-License-Identifier: MIT */
/* reference.h - published figures that a profile carries, for reports to show beside its own. */
#ifndef ORION_PLAN_REFERENCE_H
#define ORION_PLAN_REFERENCE_H

#include <cjson/cJSON.h>

struct error;
struct json_document;

/*
 * {"title": "…", "year": 2024, "hardware": "32 cores …",
 *  "rows": [{"label": "64K", "values": {"faults_per_sec": 17082522.495}}]}
 * values are named as the metrics are. A null node is none.
 */
int reference_check(const struct json_document *document, const cJSON *node, struct error *error);

#endif
