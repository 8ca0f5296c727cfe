/* SPDX-License-Identifier: MIT */
/* orion_loads.h - which loads Orion tests: lists by rule, and the points they make. */
#ifndef ORION_COMMAND_ORION_LOADS_H
#define ORION_COMMAND_ORION_LOADS_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct orion_options;

/* Ascending, without 0; owned. */
struct loads {
	unsigned n;
	unsigned *values;
};

/* Small I/O alone, large I/O alone, and every one of mixed_large with every one of mixed_small. */
struct orion_matrix {
	struct loads small, large, mixed_small, mixed_large;
	bool corner; /* the point without any load, which is counted but not run */
};

/*
 * Points of a test; num_disks is known. The rules are those of doc/decisions/0015. ERROR_INPUT for
 * lists of loads that are none or that the matrix has no use for, -ENOMEM.
 */
int orion_matrix_make(const struct orion_options *options, unsigned num_disks,
		      struct orion_matrix *ret, struct error *error);
void orion_matrix_free(struct orion_matrix *matrix);

/* As Orion announces them, the corner included. */
uint64_t orion_matrix_points(const struct orion_matrix *matrix);

/* A minute a point at the preset duration, and one more. */
uint64_t orion_matrix_minutes(const struct orion_matrix *matrix, uint64_t duration_s);

/* The most of a list, 0 for an empty one. */
unsigned loads_most(const struct loads *loads);

#endif
