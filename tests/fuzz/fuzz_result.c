/* SPDX-License-Identifier: MIT */
/* fuzz_result.c - broken result documents: read or refused with a sentence, never more than that. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "sample.h"
#include "stats/document.h"
#include "stats/result.h"

/* fuzz_result [SECONDS [SEED]] */

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
	"null", "true",	 "-1",	   "0",	       "1e308",	 "18446744073709551616", "0.5", "\"\"",
	"[]",	"{}",	 "[",	   "}",	       ",",	 "\"x\":1,",		 "9e999",
	"\\u0000", "\xff", "-0",   "[[[[[[[[", "\"ok\"", "4294967296",
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

/* What was read can be written, and the rest of the program can look at it. */
static bool is_usable(const struct result *result)
{
	cJSON *tree = result_to_json(result);
	char *text = document_print(tree);
	bool good = text && strlen(text) > 2;

	free(text);
	cJSON_Delete(tree);
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
	good = (rc == 0 || is_sentence(rc, &error)) && is_usable(&result);
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

/* One variant of one point is as good as many, and quicker. */
static void shrink(struct result *result)
{
	result->n_variants--;
	for (unsigned i = 0; i < 1; i++) {
		struct result whole = {.n_variants = 1, .variants = &result->variants[1]};
		struct result_variant *copy = malloc(sizeof(*copy));

		if (!copy)
			abort();
		*copy = *whole.variants;
		whole.variants = copy;
		result_free(&whole);
	}
}

static int report_failure(const struct text *text, unsigned long round)
{
	fprintf(stderr, "round %lu: neither read nor refused with a sentence:\n%s\n", round,
		text->bytes);
	return 1;
}

int main(int argc, char **argv)
{
	uint64_t seconds = argc > 1 ? strtoull(argv[1], NULL, 10) : 2;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	uint64_t end_ns = clock_now_ns() + seconds * 1000000000u;
	struct text original[2], changed[2];
	struct random random;
	struct result result;
	unsigned long round = 0;
	unsigned read = 0;
	int failed = 0;

	sample_mixed(&result);
	shrink(&result);
	for (int i = 0; i < 2; i++) {
		original[i] = text_of(i ? result_histograms_to_json(&result)
					: result_to_json(&result));
		changed[i] = original[i];
		changed[i].bytes = calloc(1, original[i].room);
	}
	result_free(&result);
	random_seed(&random, seed, 0);
	while (!failed && clock_now_ns() < end_ns) {
		text_copy(&changed[0], &original[0]);
		text_copy(&changed[1], &original[1]);
		for (uint64_t n = random_below(&random, 4); n > 0; n--)
			mutate(&changed[round % 2], &random);
		if (!try_both(&changed[0], &changed[1], &read))
			failed = report_failure(&changed[round % 2], round);
		round++;
	}
	printf("fuzz_result: seed %llu, %lu documents, %u of them read\n", (unsigned long long)seed,
	       round, read);
	for (int i = 0; i < 2; i++) {
		free(original[i].bytes);
		free(changed[i].bytes);
	}
	return failed || read == 0 || read == round;
}
