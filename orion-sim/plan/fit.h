/* SPDX-License-Identifier: MIT */
/* fit.h - regions that are to take a share of memory get their size. */
#ifndef ORION_PLAN_FIT_H
#define ORION_PLAN_FIT_H

#include <stdint.h>

struct error;
struct plan;

/*
 * Gives every region with a "size_percent" that share of available_bytes, rounded down to a power
 * of two, so that a run a little later has the same size; the points' effective form then says the
 * size and no percent. ERROR_CANNOT where a share is less than 4 KiB; -ENOMEM.
 */
int plan_fit(struct plan *plan, uint64_t available_bytes, struct error *error);

#endif
