/* SPDX-License-Identifier: MIT */
/* span.c - what a worker spends on its operations alone, where a step does other things, too. */
#include "workload/span.h"

#include <stddef.h>
#include <sys/resource.h>

void span_begin(struct span *span, struct tally *tally)
{
	span->tally = tally;
	usage_read(RUSAGE_THREAD, &span->begin);
}

void span_end(struct span *span)
{
	struct usage now, own;

	if (!span->tally)
		return;
	usage_read(RUSAGE_THREAD, &now);
	usage_subtract(&now, &span->begin, &own);
	span->tally->user_ns += own.user_ns;
	span->tally->system_ns += own.system_ns;
	span->tally->minor_faults += own.minor_faults;
	span->tally = NULL;
}
