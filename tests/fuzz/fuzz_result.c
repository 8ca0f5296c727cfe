/* SPDX-License-Identifier: MIT */
/* fuzz_result.c - broken result documents: read or refused with a sentence, never more than that.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "report/report.h"
#include "sample.h"
#include "stats/document.h"
#include "stats/result.h"

/* fuzz_result [ROUNDS [SEED]] */

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

/* Every report of what was read, without a character that a terminal would obey. */
static bool is_reported(const struct result *result)
{
	bool good = true;

	for (unsigned i = 0; report_catalog.entries[i] && good; i++) {
		char *text = NULL;
		size_t size;
		FILE *stream = open_memstream(&text, &size);

		good = stream &&
		       report_ops_of(report_catalog.entries[i])->write(result, stream, NULL) == 0;
		good = stream && fclose(stream) == 0 && good && size > 0;
		/* csv is for programs: its quoted fields are as they are */
		good = good && (strcmp(report_catalog.entries[i]->name, "csv") == 0 ||
				!strpbrk(text, "\x1b\x07\x08"));
		free(text);
	}
	return good;
}

static bool try_both(const struct text *summaries, const struct text *histograms, unsigned *read)
{
	struct error error = {0};
	struct result result;
	int rc = result_from_json("fuzz", summaries->bytes, &result, &error);
	bool good;

	if (rc < 0)
		return is_sentence(rc, &error);
	++*read;
	rc = result_histograms_from_json("fuzz", histograms->bytes, &result, &error);
	good = (rc == 0 || is_sentence(rc, &error)) && is_reported(&result);
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

/* One repeat of one variant is as good as many, and quicker. */
static void make_originals(struct text originals[2])
{
	cJSON *trees[2], *variants, *points;
	struct result result;

	sample_mixed(&result);
	trees[0] = result_to_json(&result);
	trees[1] = result_histograms_to_json(&result);
	result_free(&result);
	variants = cJSON_GetObjectItem(trees[0], "variants");
	points = cJSON_GetObjectItem(variants->child, "points");
	keep_first(variants, 1);
	keep_first(cJSON_GetObjectItem(points->child, "repeats"), 1);
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

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	struct text originals[2], changed[2];
	struct random random;
	unsigned read = 0;
	int failed = 0;

	make_originals(originals);
	for (int i = 0; i < 2; i++) {
		changed[i] = originals[i];
		changed[i].bytes = malloc(originals[i].room);
		if (!changed[i].bytes)
			abort();
	}
	random_seed(&random, seed, 0);
	for (unsigned long round = 0; round < rounds && !failed; round++) {
		text_copy(&changed[0], &originals[0]);
		text_copy(&changed[1], &originals[1]);
		for (uint64_t n = random_below(&random, 4); n > 0; n--)
			mutate(&changed[round % 2], &random);
		if (!try_both(&changed[0], &changed[1], &read))
			failed = report_failure(&changed[round % 2], round);
	}
	printf("fuzz_result: seed %lu, %lu documents, %u of them read\n", seed, rounds, read);
	for (int i = 0; i < 2; i++) {
		free(originals[i].bytes);
		free(changed[i].bytes);
	}
	return failed || read == 0 || read == rounds;
}
