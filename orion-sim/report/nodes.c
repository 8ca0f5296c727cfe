/* SPDX-License-Identifier: MIT */
/* nodes.c - the memory nodes that the regions of a repeat lay on. */
#include "report/nodes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "report/numbers.h"

#define NODES_SHOWN 4

bool nodes_matter(const struct result_repeat *repeat)
{
	for (unsigned i = 0; i < repeat->n_audits; i++) {
		const struct result_placement *placement = &repeat->audits[i].placement;

		if (!placement->known)
			continue;
		if (strcmp(placement->numa, "default") != 0 || placement->n_nodes > 1 ||
		    (placement->n_nodes == 1 && placement->nodes[0].node != 0))
			return true;
	}
	return false;
}

/* Bytes that all regions have on a node. */
static uint64_t bytes_on(const struct result_repeat *repeat, int node)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < repeat->n_audits; i++) {
		const struct result_placement *placement = &repeat->audits[i].placement;

		for (unsigned n = 0; placement->known && n < placement->n_nodes; n++)
			if (placement->nodes[n].node == node)
				bytes += placement->nodes[n].bytes;
	}
	return bytes;
}

/* The least node above the last one that has any of it; INT32_MAX if there is none. */
static int next_node(const struct result_repeat *repeat, int last)
{
	int next = INT32_MAX;

	for (unsigned i = 0; i < repeat->n_audits; i++) {
		const struct result_placement *placement = &repeat->audits[i].placement;

		for (unsigned n = 0; placement->known && n < placement->n_nodes; n++)
			if (placement->nodes[n].node > last && placement->nodes[n].node < next)
				next = placement->nodes[n].node;
	}
	return next;
}

static double placement_bytes(const struct result_placement *placement)
{
	double bytes = 0;

	for (unsigned n = 0; placement->known && n < placement->n_nodes; n++)
		bytes += (double)placement->nodes[n].bytes;
	return bytes;
}

double figure_placed_percent(const struct result_repeat *repeat)
{
	double all = 0, got = 0;

	for (unsigned i = 0; i < repeat->n_audits; i++) {
		const struct result_placement *placement = &repeat->audits[i].placement;
		double bytes = placement_bytes(placement);

		all += bytes;
		got += bytes > 0 ? bytes * placement->got_percent : 0;
	}
	return all > 0 ? got / all : NAN;
}

double figure_placed_end_percent(const struct result_repeat *repeat)
{
	double all = 0, got = 0;

	for (unsigned i = 0; i < repeat->n_audits; i++) {
		const struct result_placement *placement = &repeat->audits[i].placement;
		double bytes = placement_bytes(placement);

		all += bytes;
		got += bytes > 0 ? bytes * placement->got_end_percent : 0;
	}
	return all > 0 ? got / all : NAN;
}

/* To a tenth; 100 % is said only of all. */
static const char *percent_text(double percent, char text[NUMBER_BYTES])
{
	double tenths = round(percent * 10);

	if (tenths >= 1000 && percent < 100)
		tenths = 999;
	return number_format(tenths / 10, fmod(tenths, 10) == 0 ? 0 : 1, text);
}

const char *nodes_text(const struct result_repeat *repeat, char text[NODES_TEXT_BYTES])
{
	int first = next_node(repeat, -1), node = first;
	double all = 0, placed = figure_placed_percent(repeat);
	char number[NUMBER_BYTES];
	size_t used = 0;
	unsigned shown = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < repeat->n_audits; i++)
		all += placement_bytes(&repeat->audits[i].placement);
	if (first == INT32_MAX || all <= 0)
		return text;
	if (next_node(repeat, first) == INT32_MAX)
		used = (size_t)snprintf(text, NODES_TEXT_BYTES, "%d", first);
	else
		for (; node != INT32_MAX && shown++ < NODES_SHOWN; node = next_node(repeat, node))
			used += (size_t)snprintf(
				text + used, NODES_TEXT_BYTES - used, "%s%d %s%%",
				shown > 1 ? ", " : "", node,
				percent_text(100 * (double)bytes_on(repeat, node) / all, number));
	if (shown > NODES_SHOWN)
		used += (size_t)snprintf(text + used, NODES_TEXT_BYTES - used, " …");
	if (placed < 99.9)
		snprintf(text + used, NODES_TEXT_BYTES - used, " (%s%% as asked)",
			 percent_text(placed, number));
	return text;
}
