/* SPDX-License-Identifier: MIT */
/* fuzz_result.c - broken result documents: read, reported and compared, or refused with a sentence,
 * never more than that. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "report/comparison.h"
#include "report/report.h"
#include "sample.h"
#include "stats/calibration.h"
#include "stats/comparison.h"
#include "stats/document.h"
#include "stats/result.h"

/* fuzz_result [ROUNDS [SEED [SECONDS]]]: as many rounds, for as long, whichever ends it first; 0:
 * no end by that. */

struct text {
	char *bytes; /* NUL-terminated */
	size_t length, room;
};

static void text_copy(struct text *into, const struct text *from)
{
	memcpy(into->bytes, from->bytes, from->length + 1);
	into->length = from->length;
}

static void text_splice(struct text *text, size_t at, size_t cut, const char *with, size_t length)
{
	if (text->length - cut + length >= text->room)
		return;
	memmove(text->bytes + at + length, text->bytes + at + cut, text->length - at - cut + 1);
	memcpy(text->bytes + at, with, length);
	text->length += length - cut;
}

static const char *const tokens[] = {
	"null",	    "true",	"-1",	      "0",	 "1e308", "18446744073709551616",
	"0.5",	    "\"\"",	"[]",	      "{}",	 "[",	  "}",
	",",	    "\"x\":1,", "9e999",      "\\u0000", "\xff",  "-0",
	"[[[[[[[[", "\"ok\"",	"4294967296",
};

/* A few bytes changed, cut, doubled or replaced by something that JSON knows. */
static void mutate(struct text *text, struct random *random)
{
	size_t at = (size_t)random_below(random, text->length);
	size_t left = text->length - at;
	size_t some = (size_t)random_below(random, left < 64 ? left : 64);
	const char *token = tokens[random_below(random, sizeof(tokens) / sizeof(*tokens))];

	switch (random_below(random, 6)) {
	case 0:
		text->bytes[at] = (char)(random_below(random, 255) + 1);
		break;
	case 1:
		text_splice(text, at, some, "", 0);
		break;
	case 2:
		text_splice(text, at, some, token, strlen(token));
		break;
	case 3:
		text->bytes[at] = (char)('0' + random_below(random, 10));
		break;
	case 4: {
		char chunk[64];

		memcpy(chunk, text->bytes + at, some);
		text_splice(text, at, 0, chunk, some);
		break;
	}
	default: /* a whole value: from here to the next comma */
		some = strcspn(text->bytes + at, ",");
		text_splice(text, at, some, token, strlen(token));
	}
}

static bool is_sentence(int rc, const struct error *error)
{
	return rc < 0 && error->code == rc && error->text[0] && !strchr(error->text, '\n');
}

/* Forms that only some results have refuse the others with a sentence. */
static bool is_written(const struct entry *format, const struct result *result, FILE *stream)
{
	struct error error = {0};
	int rc = report_ops_of(format)->write(result, stream, &error);

	return rc == 0 ? fflush(stream) == 0 && ftell(stream) > 0
		       : rc == ERROR_INPUT && is_sentence(rc, &error);
}

/* As if the axes were Orion's, for the forms that ask for them. */
static void disguise(struct result *result)
{
	static const char *const names[] = {"small", "large"};

	for (unsigned v = 0; v < result->n_variants; v++)
		for (unsigned p = 0; p < result->variants[v].n_points; p++) {
			struct result_point *point = &result->variants[v].points[p];

			for (unsigned i = 0; i < point->n_coordinates && i < 2; i++)
				snprintf(point->coordinates[i].axis,
					 sizeof(point->coordinates[i].axis), "%s", names[i]);
			for (unsigned r = 0; r < point->n_repeats; r++)
				for (unsigned s = 0; s < point->repeats[r].n_streams && s < 2; s++)
					snprintf(point->repeats[r].streams[s].label,
						 sizeof(point->repeats[r].streams[s].label), "%s",
						 names[s]);
		}
}

/* Every report of what was read, without a character that a terminal would obey. */
static bool is_reported(const struct result *result)
{
	bool good = true;

	for (unsigned i = 0; report_catalog.entries[i] && good; i++) {
		char *text = NULL;
		size_t size;
		FILE *stream = open_memstream(&text, &size);

		good = stream && is_written(report_catalog.entries[i], result, stream);
		good = stream && fclose(stream) == 0 && good;
		/* csv is for programs: its quoted fields are as they are */
		good = good && (strcmp(report_catalog.entries[i]->name, "csv") == 0 ||
				!strpbrk(text, "\x1b\x07\x08"));
		free(text);
	}
	return good;
}

/* A verdict has numbers to it, and nothing has them without one. */
static bool is_sound(const struct comparison *comparison)
{
	for (unsigned i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		const struct compare_numbers *numbers = &row->numbers;

		if (row->side == 0 || row->side >= comparison->n_sides ||
		    numbers->verdict >= COMPARE_VERDICTS)
			return false;
		if (numbers->verdict == COMPARE_NOTHING
			    ? !numbers->reason[0]
			    : !isfinite(numbers->change) || numbers->base.n == 0 ||
				      numbers->other.n == 0)
			return false;
		if (numbers->low > numbers->change || numbers->high < numbers->change)
			return false;
	}
	return true;
}

/* Takes the comparison over: every form of it. */
static bool is_compared(struct comparison *comparison)
{
	bool good = is_sound(comparison);

	for (unsigned i = 0; comparison_catalog.entries[i] && good; i++) {
		char *text = NULL;
		size_t size;
		FILE *stream = open_memstream(&text, &size);

		good = stream && comparison_ops_of(comparison_catalog.entries[i])
						 ->write(comparison, true, stream, NULL) == 0;
		good = stream && fclose(stream) == 0 && good && !strpbrk(text, "\x1b\x07\x08");
		free(text);
	}
	comparison_free(comparison);
	return good;
}

#define RUNS_A_SIDE 4

/* The whole result against the changed one, and its variants against each other. */
static bool try_comparing(const struct result *whole, const struct result *changed, bool anyway,
			  unsigned *compared)
{
	struct comparison_options options = comparison_presets;
	struct comparison_builder *builder;
	struct comparison comparison;
	struct error error = {0};
	int rc;

	options.anyway = anyway;
	options.resamples = 20;
	rc = comparison_of_variants(changed, &options, &comparison, &error);
	if (rc == 0 ? !is_compared(&comparison) : !is_sentence(rc, &error))
		return false;
	error.code = 0;
	if (comparison_begin(&options, &builder, &error) < 0)
		return false;
	rc = 0;
	for (unsigned i = 0; i < 2 * RUNS_A_SIDE && rc == 0; i++)
		rc = comparison_add(builder, i % 2, i % 2 ? "new" : "old", "fuzz.json",
				    i % 2 ? changed : whole, &error);
	if (rc < 0)
		comparison_abandon(builder);
	else
		rc = comparison_finish(builder, &comparison, &error);
	*compared += rc == 0;
	return rc == 0 ? is_compared(&comparison) : is_sentence(rc, &error);
}

static bool try_both(const struct result *whole, const struct text *summaries,
		     const struct text *histograms, unsigned *read, unsigned *compared)
{
	struct error error = {0};
	struct result result;
	int rc = result_from_json("fuzz", summaries->bytes, &result, &error);
	bool good;

	if (rc < 0)
		return is_sentence(rc, &error);
	++*read;
	rc = result_histograms_from_json("fuzz", histograms->bytes, &result, &error);
	good = (rc == 0 || is_sentence(rc, &error)) && is_reported(&result) &&
	       try_comparing(whole, &result, *read % 4 > 0, compared);
	calibration_free(result.calibration);
	result.calibration = NULL;
	good = good && is_reported(&result);
	disguise(&result);
	good = good && is_reported(&result);
	result_free(&result);
	return good;
}

/* Takes the tree over; with room to grow. */
static struct text text_of(cJSON *tree)
{
	char *printed = document_print(tree);
	struct text text = {.length = strlen(printed)};

	text.room = text.length * 2;
	text.bytes = malloc(text.room);
	if (!text.bytes)
		abort();
	memcpy(text.bytes, printed, text.length + 1);
	free(printed);
	cJSON_Delete(tree);
	return text;
}

static void keep_first(cJSON *list, int n)
{
	while (cJSON_GetArraySize(list) > n)
		cJSON_DeleteItemFromArray(list, n);
}

/* As if the first point were a load of a search. */
static void calibrate(struct result *result)
{
	struct calibration *calibration = calloc(1, sizeof(*calibration));
	struct calibration_part *parts = calloc(2, sizeof(*parts));
	struct calibration_need *needs = calloc(1, sizeof(*needs));

	if (!calibration || !parts || !needs)
		abort();
	parts[0] = parts[1] = (struct calibration_part){
		.name = "8K reads", .goal = "limit", .outcome = "found", .load = 8, .iops = 1000};
	strcpy(parts[1].goal, "rate");
	snprintf(parts[0].stream, sizeof(parts[0].stream), "%s",
		 result->variants[0].points[0].repeats[0].streams[0].label);
	strcpy(result->variants[0].points[0].label, "8K reads 8");
	needs[0] = (struct calibration_need){
		.what = "iops", .asked = 100, .got = 1000, .answer = "yes"};
	*calibration = (struct calibration){.percentile = "p99",
					    .limit_ns = 2e6,
					    .command = "orion-sim calibrate",
					    .n_parts = 2,
					    .parts = parts,
					    .n_needs = 1,
					    .needs = needs};
	result->calibration = calibration;
}

/* One repeat of a variant is as good as many, and quicker. */
static void make_originals(struct text originals[2])
{
	cJSON *trees[2], *variants, *variant;
	struct result result;

	sample_mixed(&result);
	calibrate(&result);
	trees[0] = result_to_json(&result);
	trees[1] = result_histograms_to_json(&result);
	result_free(&result);
	variants = cJSON_GetObjectItem(trees[0], "variants");
	cJSON_ArrayForEach (variant, variants) {
		cJSON *points = cJSON_GetObjectItem(variant, "points");

		keep_first(points, 2);
		keep_first(cJSON_GetObjectItem(points->child, "repeats"), 1);
	}
	keep_first(cJSON_GetObjectItem(trees[1], "histograms"), 2);
	originals[0] = text_of(trees[0]);
	originals[1] = text_of(trees[1]);
}

static int report_failure(const struct text *text, unsigned long round)
{
	fprintf(stderr, "round %lu: neither read nor refused with a sentence:\n%s\n", round,
		text->bytes);
	return 1;
}

static unsigned long argument(int argc, char **argv, int n, unsigned long preset)
{
	return argc > n ? strtoul(argv[n], NULL, 10) : preset;
}

static bool is_over(unsigned long round, unsigned long rounds, uint64_t end_ns)
{
	return (rounds && round >= rounds) || (end_ns && clock_now_ns() >= end_ns);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argument(argc, argv, 1, 1000), seed = argument(argc, argv, 2, 1);
	uint64_t seconds = argument(argc, argv, 3, 0), round;
	uint64_t end_ns = seconds ? clock_now_ns() + seconds * 1000000000u : 0;
	struct text originals[2], changed[2];
	struct result whole;
	struct random random;
	unsigned read = 0, compared = 0;
	int failed = 0;

	make_originals(originals);
	if (result_from_json("whole", originals[0].bytes, &whole, NULL) < 0)
		return 1;
	for (int i = 0; i < 2; i++) {
		changed[i] = originals[i];
		changed[i].bytes = malloc(originals[i].room);
		if (!changed[i].bytes)
			abort();
	}
	random_seed(&random, seed, 0);
	for (round = 0; !is_over(round, rounds, end_ns) && !failed; round++) {
		text_copy(&changed[0], &originals[0]);
		text_copy(&changed[1], &originals[1]);
		for (uint64_t n = random_below(&random, 4); n > 0; n--)
			mutate(&changed[round % 2], &random);
		if (!try_both(&whole, &changed[0], &changed[1], &read, &compared))
			failed = report_failure(&changed[round % 2], round);
	}
	printf("fuzz_result: seed %lu, %" PRIu64 " documents, %u of them read, %u compared\n", seed,
	       round, read, compared);
	for (int i = 0; i < 2; i++) {
		free(originals[i].bytes);
		free(changed[i].bytes);
	}
	result_free(&whole);
	return failed || read == 0 || read == round || compared == 0;
}
