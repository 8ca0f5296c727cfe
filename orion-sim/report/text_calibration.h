/* SPDX-License-Identifier: MIT */
/* text_calibration.h - what the parts of the text about a calibration share. */
#ifndef ORION_REPORT_TEXT_CALIBRATION_H
#define ORION_REPORT_TEXT_CALIBRATION_H

#include <stdbool.h>
#include <stdio.h>

struct calibration_part;
struct row;
struct rows;

/* Is the row one of the stream that the part is about? Then its load in ret. */
bool row_of_part(const struct row *row, const struct calibration_part *part, double *ret);

/* The part's points by load, each with its side of the limit. -ENOMEM only. */
int text_curve(const struct rows *rows, const struct calibration_part *part, FILE *stream);

#endif
