/* SPDX-License-Identifier: MIT */
/* comparison_functions.c - kernel functions whose share of the busy samples moved, in words. */
#include <stdio.h>
#include <string.h>

#include "report/comparison_parts.h"
#include "report/numbers.h"

#define MOVES_SHOWN    8
#define SENTENCE_BYTES 2048

static const char *share_text(double percent, bool at_most, char text[NUMBER_BYTES + 8])
{
	char number[NUMBER_BYTES];

	snprintf(text, NUMBER_BYTES + 8, "%s%s %%", at_most ? "at most " : "",
		 number_format(percent, percent < 10 ? 2 : 1, number));
	return text;
}

/* Moves of one point and side stand together. */
static bool same_place(const struct function_move *one, const struct function_move *other)
{
	return one->side == other->side && strcmp(one->variant, other->variant) == 0 &&
	       strcmp(one->point, other->point) == 0;
}

static size_t append_move(const struct function_move *move, bool first, char *text, size_t used)
{
	char base[NUMBER_BYTES + 8], other[NUMBER_BYTES + 8];

	if (used >= SENTENCE_BYTES)
		return used;
	return used + (size_t)snprintf(text + used, SENTENCE_BYTES - used, "%s%s %s -> %s",
				       first ? "" : ", ", move->name,
				       share_text(move->base_percent, move->base_at_most, base),
				       share_text(move->other_percent, move->other_at_most, other));
}

static void print_place(const struct comparison *comparison, unsigned first, unsigned n,
			FILE *stream)
{
	const struct function_move *move = &comparison->moves[first];
	char text[SENTENCE_BYTES];
	size_t used;

	used = (size_t)snprintf(text, sizeof(text),
				"%s against %s at %s%s%s, share of the busy samples: ",
				comparison->sides[move->side].label, comparison->sides[0].label,
				move->variant, move->variant[0] ? " " : "", move->point);
	for (unsigned i = 0; i < n && i < MOVES_SHOWN; i++)
		used = append_move(&comparison->moves[first + i], i == 0, text, used);
	if (n > MOVES_SHOWN && used < sizeof(text))
		snprintf(text + used, sizeof(text) - used, ", and %u more", n - MOVES_SHOWN);
	print_paragraph("Functions that moved: ", text, COMPARISON_WIDTH, stream);
}

void comparison_functions(const struct comparison *comparison, FILE *stream)
{
	for (unsigned i = 0, n; i < comparison->n_moves; i += n) {
		n = 1;
		while (i + n < comparison->n_moves &&
		       same_place(&comparison->moves[i], &comparison->moves[i + n]))
			n++;
		print_place(comparison, i, n, stream);
	}
}
