/* SPDX-License-Identifier: MIT */
/* borrow.h - which settings are borrowed when: the profile's once, a variant's around its runs. */
#ifndef ORION_RUN_BORROW_H
#define ORION_RUN_BORROW_H

#include <cjson/cJSON.h>

struct error;
struct plan;
struct plan_variant;
struct run_point;
struct settings;

struct borrow {
	const struct plan *plan;
	struct run_point **points; /* [variant][point]; lent, as the plan and the notes are */
	cJSON *notes;		   /* sentences are added, none that is there already */
	struct settings *settings; /* owned; null before borrow_begin */
	const struct plan_variant *variant; /* the one that the machine is set for now */
};

/*
 * Borrows what the profile asks for all variants, for the largest need of any of them, so that it
 * is not changed until borrow_end. ERROR_CANNOT while another run lives that has borrowed settings.
 */
int borrow_begin(struct borrow *borrow, struct error *error);

/*
 * Sets the machine for a variant: gives back what another one has asked for itself, and borrows
 * what this one does. Nothing is written where both ask for nothing or are the same. Not without
 * borrow_begin; errors as there.
 */
int borrow_variant(struct borrow *borrow, unsigned variant, struct error *error);

/* Gives everything back. Fine if nothing was borrowed, and twice. */
void borrow_end(struct borrow *borrow);

#endif
