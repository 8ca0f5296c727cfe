/* SPDX-License-Identifier: MIT */
/* result_histograms.h - a histogram as sparse JSON, both ways. */
#ifndef ORION_STATS_RESULT_HISTOGRAMS_H
#define ORION_STATS_RESULT_HISTOGRAMS_H

#include <cjson/cJSON.h>

struct error;
struct histogram;
struct json_document;

/* Adds "count", …, "cells": [step, count, …] to the object. */
void histogram_write(const struct histogram *histogram, cJSON *object);

/* Reads the same into a histogram of the caller's; the cells must add up to the count. */
int histogram_read(const struct json_document *document, const cJSON *object, struct histogram *ret,
		   struct error *error);

#endif
