/* SPDX-License-Identifier: MIT */
/* numbers.h - numbers and paragraphs as people read them. */
#ifndef ORION_REPORT_NUMBERS_H
#define ORION_REPORT_NUMBERS_H

#include <stddef.h>
#include <stdio.h>

#define NUMBER_BYTES 48

/* "12,345.7" with so many decimals, "-" for not-a-number; text holds NUMBER_BYTES. */
const char *number_format(double value, int decimals, char *text);

/* Decimals that leave three significant digits to the value: 0 to 4. */
int number_decimals(double value);

/* number_format with number_decimals of the value itself. */
const char *number_short(double value, char *text);

/* "8", "512", "1,024": KiB, with a decimal only where it says something. */
const char *number_kib(double bytes, char *text);

/* Columns that text takes on a terminal, taking each character for one. */
size_t text_width(const char *text);

/* Text that may come from outside: control characters and stray bytes are shown, not obeyed. */
void print_safely(const char *text, FILE *stream);

/*
 * A paragraph of at most width columns: lead in front of the first line ("  [1] "), blanks of the
 * same width in front of the others. A word longer than a line stands out.
 */
void print_paragraph(const char *lead, const char *text, size_t width, FILE *stream);

#endif
