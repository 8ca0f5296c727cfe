/* SPDX-License-Identifier: MIT */
/* progress.h - what a person sees on stderr while a run works. */
#ifndef ORION_COMMAND_PROGRESS_H
#define ORION_COMMAND_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "run/run.h"

enum progress_kind { PROGRESS_AUTO, PROGRESS_LINE, PROGRESS_PLAIN, PROGRESS_NONE };

struct progress {
	enum progress_kind kind; /* never AUTO once opened */
	bool dirty;		 /* a redrawn line stands on the terminal */
	bool at_most;		 /* a run may take less than is estimated */
	uint64_t said_ns;	 /* when a plain line was last written */
	struct observer observer;
};

/* A redrawn line on a terminal, else one plain line each 30 s; notes and failures always. */
void progress_open(struct progress *progress, enum progress_kind kind);

/* Takes the redrawn line away, so that other output can follow. */
void progress_close(struct progress *progress);

/* "writing demo file", 0.42: for the phases before the run. */
void progress_share(struct progress *progress, const char *what, double share);

#endif
