/* SPDX-License-Identifier: MIT */
/* text_warmup.c - warm-ups that end by rule: how long they took, and where the rule was not met. */
#include "report/text_warmup.h"

#include <math.h>
#include <string.h>

#include "report/numbers.h"
#include "report/rows.h"
#include "report/text_parts.h"

static bool is_known(const struct result_repeat *repeat)
{
	return repeat->status == RESULT_OK && !repeat->sampled && repeat->warmup.known;
}

/* Where nothing completed there is no range, and that is as far as can be. */
static bool is_farther(const struct result_warmup *warmup, const struct result_warmup *than)
{
	if (!than || isnan(warmup->range_percent))
		return true;
	return warmup->range_percent > than->range_percent;
}

static const char *percent(double value, char text[NUMBER_BYTES])
{
	return number_format(value, value < 10 ? 1 : 0, text);
}

static void found_words(const struct result_warmup *warmup, char *text, size_t size)
{
	char range[NUMBER_BYTES], slope[NUMBER_BYTES];

	if (isnan(warmup->range_percent))
		snprintf(text, size, "too little completed in a round to tell");
	else if (isnan(warmup->slope_percent))
		snprintf(text, size, "range %s %% of the mean",
			 percent(warmup->range_percent, range));
	else
		snprintf(text, size, "range %s %% of the mean, slope %s %%",
			 percent(warmup->range_percent, range),
			 percent(warmup->slope_percent, slope));
}

const char *text_warmup_note(const struct result_point *point, char *text, size_t size)
{
	const struct result_warmup *farthest = NULL;
	unsigned n = 0, n_missed = 0;
	char found[160], among[64] = "";

	for (unsigned i = 0; i < point->n_repeats; i++) {
		const struct result_warmup *warmup = &point->repeats[i].warmup;

		n += is_known(&point->repeats[i]);
		if (!is_known(&point->repeats[i]) || warmup->reached)
			continue;
		n_missed++;
		if (is_farther(warmup, farthest))
			farthest = warmup;
	}
	if (!farthest)
		return NULL;
	if (strncmp(farthest->rule, "cache", 5) == 0) {
		snprintf(text, size, "%s not moved in the %.0f s of the warm-up", farthest->rule,
			 farthest->warmup_s);
		return text;
	}
	if (n > 1)
		snprintf(among, sizeof(among), " in %u of %u repeats, at worst", n_missed, n);
	found_words(farthest, found, sizeof(found));
	snprintf(text, size, "steady state not reached%s after %u rounds: %s", among,
		 farthest->rounds, found);
	return text;
}

/* Over all repeats whose warm-up ended by a rule. */
struct dropped {
	const char *rule; /* null where none did */
	bool mixed;	  /* other rules, too */
	unsigned rounds_least, rounds_most;
	double s_least, s_most;
};

static void dropped_add(struct dropped *dropped, const struct result_warmup *warmup)
{
	if (!dropped->rule) {
		*dropped = (struct dropped){.rule = warmup->rule,
					    .rounds_least = warmup->rounds,
					    .rounds_most = warmup->rounds,
					    .s_least = warmup->warmup_s,
					    .s_most = warmup->warmup_s};
		return;
	}
	dropped->mixed |= strcmp(dropped->rule, warmup->rule) != 0;
	if (warmup->rounds < dropped->rounds_least)
		dropped->rounds_least = warmup->rounds;
	if (warmup->rounds > dropped->rounds_most)
		dropped->rounds_most = warmup->rounds;
	dropped->s_least = fmin(dropped->s_least, warmup->warmup_s);
	dropped->s_most = fmax(dropped->s_most, warmup->warmup_s);
}

static void dropped_print(const struct dropped *dropped, FILE *stream)
{
	char text[320], rounds[64], time[2 * NUMBER_BYTES + 8], number[NUMBER_BYTES],
		other[NUMBER_BYTES];

	if (dropped->rounds_least == dropped->rounds_most) {
		snprintf(rounds, sizeof(rounds), "%u rounds", dropped->rounds_most);
		snprintf(time, sizeof(time), "%s s", number_short(dropped->s_most, number));
	} else {
		snprintf(rounds, sizeof(rounds), "%u to %u rounds", dropped->rounds_least,
			 dropped->rounds_most);
		snprintf(time, sizeof(time), "%s to %s s", number_short(dropped->s_least, number),
			 number_short(dropped->s_most, other));
	}
	snprintf(text, sizeof(text), "%s: %s, %s a repeat, which are in no figure",
		 dropped->mixed ? "by several rules" : dropped->rule, rounds, time);
	print_paragraph("Warm-up: ", text, TEXT_WIDTH, stream);
}

void text_warmup(const struct rows *rows, FILE *stream)
{
	struct dropped dropped = {.rule = NULL};

	for (unsigned i = 0; i < rows->n; i++) {
		const struct result_point *point = rows->rows[i].point;

		for (unsigned r = 0; rows->rows[i].first && r < point->n_repeats; r++)
			if (is_known(&point->repeats[r]))
				dropped_add(&dropped, &point->repeats[r].warmup);
	}
	if (dropped.rule)
		dropped_print(&dropped, stream);
}
