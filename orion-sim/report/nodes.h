/* SPDX-License-Identifier: MIT */
/* nodes.h - the memory nodes that the regions of a repeat lay on. */
#ifndef ORION_REPORT_NODES_H
#define ORION_REPORT_NODES_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/result.h"

#define NODES_TEXT_BYTES 96

/* Was a policy asked for, or is memory on another node than the first? Else nodes are no news. */
bool nodes_matter(const struct result_repeat *repeat);

/* "1", "0 50%, 1 50%", "0 75%, 1 25% (25% as asked)": of all regions; "" where nothing is known. */
const char *nodes_text(const struct result_repeat *repeat, char text[NODES_TEXT_BYTES]);

/* Share of all regions that lay on the nodes and in the shares asked, in percent. */
double figure_placed_percent(const struct result_repeat *repeat);
double figure_placed_end_percent(const struct result_repeat *repeat);

#endif
