/* SPDX-License-Identifier: MIT */
/* comparison_differences.c - facts of the sides held against each other, and what forbids to
 * compare. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "base/words.h"
#include "stats/comparison_parts.h"

#define PERCENT_APART 1.0
#define BYTES_APART   0.05
#define NAMED_MAX     4 /* differences that the sentence names */

static struct fact *fact_new(struct comparison_builder *builder, const struct fact_note *note,
			     const char *what)
{
	struct fact *facts =
		parts_grow(builder->facts, builder->n_facts, &builder->facts_room, sizeof(*facts));
	struct fact *fact;

	if (!facts)
		return NULL;
	builder->facts = facts;
	fact = &facts[builder->n_facts++];
	memcpy(fact->what, what, sizeof(fact->what));
	fact->kind = note->kind;
	fact->factor = note->factor;
	fact->absent = note->absent;
	fact->option = note->option;
	return fact;
}

/* Results tell the same facts in the same order mostly. */
static struct fact *fact_find(struct comparison_builder *builder, const struct fact_note *note)
{
	unsigned n = builder->n_facts;
	char what[FACT_TEXT_BYTES] = "";

	if (n > 0) {
		struct fact *next = &builder->facts[builder->next_fact % n];

		if (next->kind == note->kind && strcmp(next->what, note->what) == 0) {
			builder->next_fact++;
			return next;
		}
	}
	words_quote(note->what, what, sizeof(what));
	for (unsigned i = 0; i < n; i++) {
		unsigned place = (builder->next_fact + i) % n;
		struct fact *fact = &builder->facts[place];

		if (fact->kind == note->kind && strcmp(fact->what, what) == 0) {
			builder->next_fact = place + 1;
			return fact;
		}
	}
	builder->next_fact = n + 1;
	return fact_new(builder, note, what);
}

static struct fact_side *fact_side(struct fact *fact, unsigned side)
{
	while (fact->n_sides <= side) {
		struct fact_side *sides =
			parts_grow(fact->sides, fact->n_sides, &fact->room, sizeof(*sides));

		if (!sides)
			return NULL;
		fact->sides = sides;
		sides[fact->n_sides].values = calloc(FACT_VALUES, FACT_TEXT_BYTES);
		if (!sides[fact->n_sides].values)
			return NULL;
		sides[fact->n_sides++].least = NAN;
	}
	return &fact->sides[side];
}

static bool has_value(const struct fact_side *side, const char *value)
{
	for (unsigned i = 0; i < side->n; i++)
		if (strcmp(side->values[i], value) == 0)
			return true;
	return false;
}

static void add_value(struct fact_side *side, const char *value)
{
	char text[FACT_TEXT_BYTES] = "";

	if (has_value(side, value))
		return;
	words_quote(value, text, sizeof(text));
	if (has_value(side, text))
		return;
	if (side->n < FACT_VALUES)
		memcpy(side->values[side->n++], text, sizeof(text));
	else
		side->more = true;
}

int comparison_note(struct comparison_builder *builder, unsigned side, const struct fact_note *note,
		    struct error *error)
{
	struct fact *fact = fact_find(builder, note);
	struct fact_side *of = fact ? fact_side(fact, side) : NULL;

	if (!of)
		return parts_no_memory(error);
	of->by_user = of->by_user || note->by_user;
	if (note->kind == FACT_TEXT || note->kind == FACT_SUMMARY) {
		add_value(of, note->text);
	} else {
		of->n = 1;
		of->least = fmin(of->least, note->number);
	}
	return 0;
}

static bool differs(const struct fact *fact, const struct fact_side *base,
		    const struct fact_side *other)
{
	if (base->n != other->n)
		return true;
	if (base->n == 0)
		return false;
	if (fact->kind == FACT_PERCENT)
		return fabs(base->least - other->least) > PERCENT_APART;
	if (fact->kind == FACT_BYTES)
		return fabs(base->least - other->least) >
		       BYTES_APART * fmax(base->least, other->least);
	for (unsigned i = 0; i < base->n; i++)
		if (!has_value(other, base->values[i]))
			return true;
	return base->more != other->more;
}

/* "a, b", "98.4 %", "16G", or that there is none. */
static void describe(const struct fact *fact, const struct fact_side *side, bool told,
		     char text[96])
{
	char whole[FACT_VALUES * (FACT_TEXT_BYTES + 2) + 8], amount[32];
	size_t used = 0;

	whole[0] = '\0';
	if (side->n == 0 && fact->absent && told)
		snprintf(whole, sizeof(whole), "%s", fact->absent);
	else if (side->n == 0)
		snprintf(whole, sizeof(whole), "%s", fact->option ? "not given" : "not recorded");
	else if (fact->kind == FACT_PERCENT)
		snprintf(whole, sizeof(whole), "%.1f %%", side->least);
	else if (fact->kind == FACT_BYTES)
		snprintf(whole, sizeof(whole), "%s",
			 units_format_amount((uint64_t)fmin(fmax(side->least, 0), 0x1p63), amount));
	else
		for (unsigned i = 0; i < side->n; i++)
			used += (size_t)snprintf(whole + used, sizeof(whole) - used, "%s%s",
						 i ? ", " : "", side->values[i]);
	if (side->more)
		snprintf(whole + used, sizeof(whole) - used, ", …");
	words_quote(whole[0] ? whole : "nothing", text, 96);
}

static bool is_declared(const struct comparison_builder *builder, const struct fact *fact,
			const struct fact_side *base, const struct fact_side *other)
{
	for (unsigned i = 0; i < builder->n_factors; i++)
		if (fact->factor == builder->factors[i])
			return true;
	return fact->option || base->by_user || other->by_user;
}

static const struct fact_side *side_of(const struct fact *fact, unsigned side)
{
	static const struct fact_side none = {.n = 0};

	return side < fact->n_sides ? &fact->sides[side] : &none;
}

/* Has a side this fact, or does it mean something that it has others of the factor, but not this?
 */
static bool tells(const struct comparison_builder *builder, const struct fact *fact, unsigned side)
{
	if (side_of(fact, side)->n > 0)
		return true;
	for (unsigned i = 0; fact->absent && i < builder->n_facts; i++)
		if (builder->facts[i].factor == fact->factor &&
		    side_of(&builder->facts[i], side)->n > 0)
			return true;
	return false;
}

static int add_difference(struct comparison_builder *builder, unsigned side,
			  const struct fact *fact, unsigned *room, struct error *error)
{
	struct comparison *comparison = builder->comparison;
	const struct fact_side *base = side_of(fact, 0), *other = side_of(fact, side);
	bool told = tells(builder, fact, 0), other_told = tells(builder, fact, side);
	struct comparison_difference *differences = parts_grow(
		comparison->differences, comparison->n_differences, room, sizeof(*differences));
	struct comparison_difference *difference;

	if (!differences)
		return parts_no_memory(error);
	comparison->differences = differences;
	difference = &differences[comparison->n_differences++];
	/* What one side's results do not tell cannot be known to differ. */
	*difference =
		(struct comparison_difference){.factor = told && other_told ? fact->factor : NULL,
					       .side = side,
					       .declared = is_declared(builder, fact, base, other)};
	memcpy(difference->what, fact->what, sizeof(difference->what));
	describe(fact, base, told, difference->base);
	describe(fact, other, other_told, difference->other);
	return 0;
}

/* Variants that set something say by that why their memory differs. */
static void declare_memory(struct comparison *comparison, unsigned side)
{
	const struct comparison_factor *memory = comparison_factor_of("memory");
	bool declared = false;

	for (unsigned i = 0; i < comparison->n_differences; i++)
		declared = declared || (comparison->differences[i].side == side &&
					comparison->differences[i].declared);
	for (unsigned i = 0; i < comparison->n_differences; i++)
		if (comparison->differences[i].side == side &&
		    comparison->differences[i].factor == memory)
			comparison->differences[i].declared |= declared;
}

/* The share got of memory that one side never asked for; that it did not is told by its options. */
static bool is_of_other_memory(const struct comparison_builder *builder, const struct fact *fact,
			       unsigned side)
{
	return fact->kind == FACT_PERCENT &&
	       (!tells(builder, fact, 0) || !tells(builder, fact, side));
}

int comparison_find_differences(struct comparison_builder *builder, struct error *error)
{
	struct comparison *comparison = builder->comparison;
	unsigned room = 0;
	int rc = 0;

	for (unsigned side = 1; side < comparison->n_sides; side++) {
		unsigned first = comparison->n_differences;

		for (unsigned i = 0; i < builder->n_facts && rc == 0; i++) {
			const struct fact *fact = &builder->facts[i];

			if (fact->kind == FACT_SUMMARY || is_of_other_memory(builder, fact, side) ||
			    !differs(fact, side_of(fact, 0), side_of(fact, side)))
				continue;
			/* What refuses is never left out. */
			if (comparison->n_differences - first < COMPARISON_DIFFERENCES_KEPT ||
			    fact->factor)
				rc = add_difference(builder, side, fact, &room, error);
		}
		if (builder->in_variants)
			declare_memory(comparison, side);
	}
	return rc;
}

static bool refuses(const struct comparison_difference *difference)
{
	return difference->factor && difference->factor->refuses && !difference->declared;
}

/* "governor (performance, schedutil)"; of more than two sides with the other one's label. */
static size_t name_difference(const struct comparison *comparison,
			      const struct comparison_difference *difference, char *text,
			      size_t size)
{
	const char *label = comparison->sides[difference->side].label;
	int n = snprintf(text, size, "%s is '%s' in %s and '%s' in %s", difference->what,
			 difference->base, comparison->sides[0].label, difference->other, label);

	return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

/* Adds a name that is not there yet, divided by blanks. */
static void add_factor(char *names, size_t size, const char *name)
{
	size_t length = strlen(names);
	char whole[64];

	snprintf(whole, sizeof(whole), " --factor %s", name);
	if (!strstr(names, whole))
		snprintf(names + length, size - length, "%s", whole);
}

int comparison_check_differences(const struct comparison_builder *builder, struct error *error)
{
	const struct comparison *comparison = builder->comparison;
	char what[900] = "", factors[400] = "";
	unsigned n = 0;
	size_t used = 0;

	for (unsigned i = 0; i < comparison->n_differences; i++) {
		const struct comparison_difference *difference = &comparison->differences[i];

		if (!refuses(difference))
			continue;
		add_factor(factors, sizeof(factors), difference->factor->name);
		if (n++ >= NAMED_MAX || used + 2 >= sizeof(what))
			continue;
		if (used)
			used += (size_t)snprintf(what + used, sizeof(what) - used, "; ");
		used += name_difference(comparison, difference, what + used, sizeof(what) - used);
	}
	if (n == 0 || builder->anyway)
		return 0;
	if (n > NAMED_MAX)
		snprintf(what + used, sizeof(what) - used, "; and %u more", n - NAMED_MAX);
	error_set(error, ERROR_INPUT, "%s", what);
	return error_append(error,
			    ": that could explain a change by itself; where it is what you "
			    "compare, declare it (%s), else compare all the same with --anyway",
			    factors + 1);
}

/* Adds what is one for all of a side's results. */
static void add_to_summary(struct comparison_side *side, const struct fact_side *values)
{
	size_t length = strlen(side->summary);

	if (values->n == 0 || values->n > 2 || values->more)
		return;
	for (unsigned i = 0; i < values->n && length < sizeof(side->summary); i++)
		length += (size_t)snprintf(side->summary + length, sizeof(side->summary) - length,
					   "%s%s",
					   i	    ? "+"
					   : length ? " "
						    : "",
					   values->values[i]);
}

void comparison_summarize_sides(struct comparison_builder *builder)
{
	static const char *const shown[] = {"kernel", "engine", "memory"};
	struct comparison *comparison = builder->comparison;

	for (unsigned n = 0; n < sizeof(shown) / sizeof(*shown); n++)
		for (unsigned i = 0; i < builder->n_facts; i++) {
			const struct fact *fact = &builder->facts[i];

			if ((fact->kind != FACT_SUMMARY && fact->kind != FACT_TEXT) ||
			    strcmp(fact->what, shown[n]) != 0)
				continue;
			for (unsigned side = 0; side < comparison->n_sides; side++)
				add_to_summary(&comparison->sides[side], side_of(fact, side));
		}
}
