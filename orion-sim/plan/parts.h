/* SPDX-License-Identifier: MIT */
/* parts.h - what a profile says in more than one place: phases, targets, settings, labels. */
#ifndef ORION_PLAN_PARTS_H
#define ORION_PLAN_PARTS_H

#include <stdint.h>
#include <cjson/cJSON.h>

#include "base/field.h"
#include "plan/warmup.h"

struct error;
struct json_document;

#define TARGETS_MAX	 1024
#define TARGET_PATH_MAX	 511
#define POINTS_MAX	 100000
#define PROFILE_DURATION UINT64_C(2592000000000000) /* longest phase: 30 days */

struct phases {
	struct warmup warmup;
	uint64_t measure_ns;
};
extern const struct field phases_fields[]; /* warmup as the duration that it may be */

/* What a profile means that says nothing. */
struct phases phases_preset(void);

/* {"warmup": …, "measure": …} over what phases holds; a null node changes nothing. */
int phases_read(const struct json_document *document, const cJSON *node, struct phases *phases,
		struct error *error);

/* A list of at most TARGETS_MAX paths; null is none. */
int targets_check(const struct json_document *document, const cJSON *node, struct error *error);

/* A list of names or of objects with a kind; what they mean is the run's matter. */
int settings_shape_check(const struct json_document *document, const cJSON *node,
			 struct error *error);

/* Control characters would break every table that the label stands in. */
int label_check(const struct json_document *document, const cJSON *node, const char *label,
		struct error *error);

/* ERROR_INPUT unless text is a list of CPUs, whichever there are: "0-3,8". */
int cpus_form_check(const char *text, struct error *error);

#endif
