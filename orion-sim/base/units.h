/* SPDX-License-Identifier: MIT */
/* units.h - sizes and durations as people write them, both ways. */
#ifndef ORION_BASE_UNITS_H
#define ORION_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

struct error;

/*
 * "8k", "64K", "1M", "4g", "8KiB", "8kb", "4096": k, m, g, t are powers of 1024 in any case, with
 * or without b or ib. No sign, no fraction, nothing behind it, no overflow. ERROR_INPUT otherwise.
 */
int units_parse_size(const char *text, uint64_t *ret_bytes, struct error *error);

/* "500ms", "2s", "1.5s", "10m", "1h", "250us", "100ns"; a bare number is seconds. Result in ns. */
int units_parse_duration(const char *text, uint64_t *ret_ns, struct error *error);

/* A decimal 64-bit number and nothing else. */
int units_parse_count(const char *text, uint64_t *ret, struct error *error);

/* Shortest exact form that units_parse_size reads back: "64K", "1M", "4097". text holds 32 bytes.
 */
const char *units_format_size(uint64_t bytes, char text[32]);

/* For people, three significant digits where it is not round: "512M", "1.5G", "3.21T"; text holds
 * 32 bytes. */
const char *units_format_amount(uint64_t bytes, char text[32]);

/* Exact form that units_parse_duration reads back: "500ms", "2s", "1500us". text holds 32 bytes. */
const char *units_format_duration(uint64_t ns, char text[32]);

/* For people, three significant digits: "84 us", "1.25 ms", "950 ns", "2.10 s". text holds 32
 * bytes. */
const char *units_format_latency(double ns, char text[32]);

/* For people: "70.9 K", "1.20 M", "812"; text holds 32 bytes. */
const char *units_format_rate(double per_second, char text[32]);

#endif
