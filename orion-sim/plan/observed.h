/* SPDX-License-Identifier: MIT */
/* observed.h - what a profile wants seen beside the work: counters of the kernel, hot functions. */
#ifndef ORION_PLAN_OBSERVED_H
#define ORION_PLAN_OBSERVED_H

#include <stdbool.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "base/field.h"

struct error;
struct json_document;

struct observed {
	const cJSON *counters; /* lent: list of patterns like "thp_*", or null */
	bool sampled;	       /* one more repeat of each point, for its hot functions alone */
	uint64_t frequency_hz, top;
};

/* Of "sample": {…}. */
extern const struct field observed_sample_fields[];

/*
 * Reads "counters" and "sample" (true, false or an object) of a profile; sample_anyway where the
 * command line asks for it. ERROR_INPUT.
 */
int observed_read(const struct json_document *document, const cJSON *profile, bool sample_anyway,
		  struct observed *ret, struct error *error);

/* Adds both keys to an effective profile, where they say anything. */
void observed_write(const struct observed *observed, cJSON *profile);

#endif
