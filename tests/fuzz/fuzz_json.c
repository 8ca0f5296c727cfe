/* SPDX-License-Identifier: MIT */
/* fuzz_json.c - mangled profiles and assignments go through base/json without a crash. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/random.h"
#include "base/units.h"

enum {
	TEXT_BYTES = 4096,
	ASSIGNMENT_BYTES = 256,
	MUTATIONS_MAX = 6,
	PIECE_BYTES_MAX = 64,
	DEEP = 80,
};

static const char *const profiles[] = {
	"{\"name\": \"a\", \"seed\": \"18446744073709551615\", \"repeats\": 2,\n"
	" \"phases\": {\"warmup\": \"500ms\", \"measure\": 2.5},\n"
	" \"points\": [{\"axes\": {\"block\": [\"8k\", 65536], \"streams[*].workload.depth\":\n"
	"  [1, {\"value\": 32, \"label\": \"deep\"}]},\n"
	"  \"streams\": [{\"workload\": \"io\", \"engine\": {\"kind\": \"io_uring\"}}]}]}\n",
	"[[[[1, -0.5e-3], {\"\\u00e9\\ud83d\\ude00\": \"\\\"\\\\\\n\"}], true], null, \"é\"]",
	"{\"a\": {\"b\": {\"c\": [{}, [], \"\", 0]}}, \"A\": 1e308}",
	"{\"targets\": [\"/dev/sda\", \"\"], \"strict\": false, \"x\": [1,2,3,4,5,6,7,8]}",
};

static const char *const assignments[] = {
	"points[0].streams[*].workload.depth=32",
	"points[*].axes[\"streams[*].workload.depth\"][1]={\"a\": [1, 2]}",
	"a.b.c[*]=[{\"x\": 1}]",
	"[0][*]=text",
	"made.up.on.the.way=1e3",
	"a=",
};

static const char *const pieces[] = {
	"{", "}",     "[",    "]",  ",",    ":",    "\"",  "\\", "\\u", "\\ud800", "null",	"-",
	"0", "1e999", "\x01", "\n", "\xc3", "\xff", "[*]", ".",	 "=",	"\"a\":",  "{\"a\":1}",
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Puts bytes over the range [at, at + removed) of text, where the result still fits. */
static void splice(char *text, size_t size, size_t at, size_t removed, const char *bytes, size_t n)
{
	size_t length = strlen(text);

	if (at + removed > length || length - removed + n >= size)
		return;
	memmove(text + at + n, text + at + removed, length - at - removed + 1);
	memcpy(text + at, bytes, n);
}

static void mutate(struct random *random, char *text, size_t size)
{
	size_t length = strlen(text), at = (size_t)random_below(random, length + 1);
	char piece[PIECE_BYTES_MAX], deep[DEEP], flip;
	size_t n = (size_t)random_below(random, PIECE_BYTES_MAX);
	const char *word = pieces[random_below(random, COUNT_OF(pieces))];

	if (n > length - at)
		n = length - at;
	memcpy(piece, text + at, n);
	switch (random_below(random, 6)) {
	case 0: /* cut a piece out */
		splice(text, size, at, n, "", 0);
		break;
	case 1: /* copy a piece to somewhere else */
		splice(text, size, (size_t)random_below(random, length + 1), 0, piece, n);
		break;
	case 2: /* put a word in */
		splice(text, size, at, 0, word, strlen(word));
		break;
	case 3: /* flip a bit, but for a NUL */
		flip = (char)(1 << random_below(random, 8));
		if (at < length && text[at] != flip)
			text[at] ^= flip;
		break;
	case 4: /* end early */
		text[at] = '\0';
		break;
	default: /* nest */
		memset(deep, *word == '{' ? '{' : '[', sizeof(deep));
		splice(text, size, at, 0, deep, (size_t)random_below(random, sizeof(deep)));
		break;
	}
}

static void mangle(struct random *random, const char *original, char *text, size_t size)
{
	snprintf(text, size, "%s", original);
	for (uint64_t i = random_below(random, MUTATIONS_MAX); i > 0; i--)
		mutate(random, text, size);
}

/* Asks for the place of every node; each has to have one. */
static void blame_all(const struct json_document *document, const cJSON *node)
{
	struct error error = {.code = 0};
	const cJSON *child;

	if (json_fail(document, node, &error, ERROR_INPUT, "blamed") != ERROR_INPUT ||
	    !strncmp(error.text, "fuzz: ", strlen("fuzz: ")) || !strstr(error.text, "blamed")) {
		fprintf(stderr, "a node has no place: %s\n", error.text);
		abort();
	}
	cJSON_ArrayForEach (child, node) {
		blame_all(document, child);
	}
}

/* What was printed must read back. */
static void reparse(const struct json_document *document)
{
	struct json_document *again = NULL;
	struct error error = {.code = 0};
	char *text = cJSON_PrintUnformatted(json_root(document));

	if (!text || json_parse("again", text, &again, &error)) {
		fprintf(stderr, "not read back: %s\n%s\n", error.text, text ? text : "");
		abort();
	}
	cJSON_free(text);
	json_free(again);
}

static void run_once(struct random *random, unsigned *parsed, unsigned *set)
{
	char text[TEXT_BYTES], assignment[ASSIGNMENT_BYTES];
	struct json_document *document = NULL;
	struct error error;
	cJSON *copy;

	mangle(random, profiles[random_below(random, COUNT_OF(profiles))], text, sizeof(text));
	if (json_parse("fuzz", text, &document, &error))
		return;
	(*parsed)++;
	for (int i = 0; i < 3; i++) {
		mangle(random, assignments[random_below(random, COUNT_OF(assignments))], assignment,
		       sizeof(assignment));
		*set += !json_set(document, assignment, &error);
	}
	copy = json_copy(document, json_root(document));
	mangle(random, assignments[random_below(random, COUNT_OF(assignments))], assignment,
	       sizeof(assignment));
	json_assign(document, copy, assignment, json_root(document), &error);
	blame_all(document, json_root(document));
	blame_all(document, copy);
	reparse(document);
	cJSON_Delete(copy);
	json_free(document);
}

int main(int argc, char **argv)
{
	uint64_t iterations, seed;
	unsigned parsed = 0, set = 0;
	struct random random;
	struct error error;

	if (argc != 3 || units_parse_count(argv[1], &iterations, &error) ||
	    units_parse_count(argv[2], &seed, &error)) {
		fprintf(stderr, "usage: fuzz_json ITERATIONS SEED\n");
		return 2;
	}
	for (uint64_t i = 0; i < iterations; i++) {
		random_seed(&random, seed, i);
		run_once(&random, &parsed, &set);
	}
	printf("%u texts parsed, %u assignments made\n", parsed, set);
	return parsed && set ? 0 : 1;
}
