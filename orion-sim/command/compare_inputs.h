/* SPDX-License-Identifier: MIT */
/* compare_inputs.h - words on the command line that name results: files, or folders of them. */
#ifndef ORION_COMMAND_COMPARE_INPUTS_H
#define ORION_COMMAND_COMPARE_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/* Results of one side, in the order of their words; those of a folder sorted by name. */
struct compare_inputs {
	char label[64];
	size_t n;
	char **paths; /* owned */
};

/*
 * Adds a file as it is, or all *.json of a folder but *.histograms.json. ERROR_INPUT with a
 * sentence: neither, not readable, a folder without results.
 */
int compare_inputs_add(struct compare_inputs *inputs, const char *word, struct error *error);
void compare_inputs_free(struct compare_inputs *inputs);

/*
 * Names two sides after their words: file or folder without path and ".json", the whole word where
 * both would be the same, "base" and "new" for several words or where even those are the same.
 */
void compare_inputs_label(struct compare_inputs *base, const char *const *base_words, size_t n_base,
			  struct compare_inputs *other, const char *const *other_words,
			  size_t n_other);

#endif
