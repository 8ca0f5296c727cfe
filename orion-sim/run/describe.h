/* SPDX-License-Identifier: MIT */
/* describe.h - the part of a result that is known before anything has run. */
#ifndef ORION_RUN_DESCRIBE_H
#define ORION_RUN_DESCRIBE_H

struct error;
struct plan;
struct result;
struct target;

/* Names, seed, coordinates, effective options, fingerprint, room for every repeat. -ENOMEM. */
int describe_result(const struct plan *plan, const char *version, struct result *ret,
		    struct error *error);

/* Adds paths and sizes of what is open to the fingerprint. */
void describe_targets(struct result *result, const struct target *targets, unsigned n);

/* Adds the queue attributes of the devices below the targets to the fingerprint. */
void describe_devices(struct result *result, char devices[][32], unsigned n);

#endif
