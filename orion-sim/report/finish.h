/* SPDX-License-Identifier: MIT */
/* finish.h - the end of every report. */
#ifndef ORION_REPORT_FINISH_H
#define ORION_REPORT_FINISH_H

#include <stdio.h>

struct error;

/* Flushes; -errno with a sentence if anything written to the stream was lost. */
int report_finish(FILE *stream, struct error *error);

#endif
