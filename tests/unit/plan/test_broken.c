/* SPDX-License-Identifier: MIT */
/* test_broken.c - every kind of broken profile gets one sentence with its place and its remedy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "plan/plan.h"
#include "plan/profile.h"

#define WORDS_MAX 70

/*
 * One paragraph of broken.txt: "# title", "--set …" and "--target …" lines, the profile, and the
 * sentence behind "=> ". @63@ stands for 63 times x.
 */
struct broken {
	char title[128];
	char profile[8192];
	char sentence[1024];
	char words[WORDS_MAX][700];
	const char *sets[WORDS_MAX + 1], *targets[WORDS_MAX + 1];
	unsigned n_words, n_sets, n_targets;
};

static void expand_xs(const char *line, char *text, size_t size)
{
	size_t used = 0;

	for (; *line && used + 1 < size; line++) {
		char *end = NULL;
		long n = *line == '@' ? strtol(line + 1, &end, 10) : 0;

		if (n <= 0 || *end != '@') {
			text[used++] = *line;
			continue;
		}
		for (; n && used + 1 < size; n--)
			text[used++] = 'x';
		line = end;
	}
	text[used] = '\0';
}

static void take_word(struct broken *broken, const char *word, const char **words, unsigned *n)
{
	assert_in_range(broken->n_words, 0, WORDS_MAX - 1);
	snprintf(broken->words[broken->n_words], sizeof(broken->words[0]), "%s", word);
	words[(*n)++] = broken->words[broken->n_words++];
}

static void take_line(struct broken *broken, const char *line)
{
	size_t used = strlen(broken->profile);

	if (!strncmp(line, "# ", 2))
		snprintf(broken->title, sizeof(broken->title), "%s", line + 2);
	else if (!strncmp(line, "=> ", 3))
		snprintf(broken->sentence, sizeof(broken->sentence), "%s", line + 3);
	else if (!strncmp(line, "--set ", 6))
		take_word(broken, line + 6, broken->sets, &broken->n_sets);
	else if (!strncmp(line, "--target ", 9))
		take_word(broken, line + 9, broken->targets, &broken->n_targets);
	else
		snprintf(broken->profile + used, sizeof(broken->profile) - used, "%s\n", line);
}

/* The next paragraph; false at the end. */
static bool read_broken(FILE *file, struct broken *broken)
{
	char line[4096], expanded[8192];

	memset(broken, 0, sizeof(*broken));
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!*line && *broken->title)
			return true;
		expand_xs(line, expanded, sizeof(expanded));
		if (*line)
			take_line(broken, expanded);
	}
	return *broken->title;
}

/* Returns 1 where it went wrong. */
static int check_broken(const struct broken *broken)
{
	struct profile_overrides overrides = {.sets = broken->sets, .targets = broken->targets};
	struct profile profile;
	struct plan plan;
	struct error error = {0};
	int status = profile_parse("test.json", broken->profile, &overrides, &profile, &error);

	if (!status) {
		status = plan_make(&profile, &plan, &error);
		if (!status)
			plan_free(&plan);
		profile_free(&profile);
	}
	if (status == ERROR_INPUT && !strcmp(error.text, broken->sentence))
		return 0;
	print_error("# %s\n%d => %s\n", broken->title, status, error.text);
	return 1;
}

static void every_broken_profile_gets_its_sentence(void **state)
{
	struct broken *broken = malloc(sizeof(*broken));
	FILE *file = fopen(BROKEN_FILE, "r");
	unsigned n = 0, n_wrong = 0;

	assert_non_null(broken);
	assert_non_null(file);
	while (read_broken(file, broken)) {
		n_wrong += (unsigned)check_broken(broken);
		n++;
	}
	fclose(file);
	free(broken);
	assert_int_equal(n_wrong, 0);
	assert_in_range(n, 100, 1000);
}

/* Plans a profile whose list holds n_list targets, and gives n_words of them as --target. */
static int plan_targets(unsigned n_list, unsigned n_words, struct error *error)
{
	const char **words = calloc(n_words + 1, sizeof(*words));
	struct profile_overrides overrides = {.targets = words};
	char *text = malloc(256 + 5 * (size_t)n_list), *at = text;
	struct profile profile;
	struct plan plan = {0};
	int status;

	assert_non_null(words);
	assert_non_null(text);
	at += sprintf(at, "{\"points\": [{\"regions\": {\"r\": {\"memory\": \"base\"}},"
			  " \"streams\": [{\"workload\": \"io\", \"engine\": \"sync\"}]}],"
			  " \"targets\": [");
	for (unsigned i = 0; i < n_list; i++)
		at += sprintf(at, "%s\"/x\"", i ? "," : "");
	sprintf(at, "]}");
	for (unsigned i = 0; i < n_words; i++)
		words[i] = "/x";
	status = profile_parse("test.json", text, &overrides, &profile, error);
	if (!status) {
		status = plan_make(&profile, &plan, error);
		if (!status)
			assert_int_equal(plan.variants[0].points[0].streams[0].n_targets,
					 n_words ? n_words : n_list);
		plan_free(&plan);
		profile_free(&profile);
	}
	free(text);
	free(words);
	return status;
}

static void targets_may_be_as_many_as_1024(void **state)
{
	struct error error = {0};

	assert_int_equal(plan_targets(1024, 0, &error), 0);
	assert_int_equal(plan_targets(1, 1024, &error), 0);
	assert_int_equal(plan_targets(1025, 0, &error), ERROR_INPUT);
	assert_string_equal(error.text, "test.json:1: targets: has 1025 targets, at most 1024 are "
					"possible; shorten the list");
	assert_int_equal(plan_targets(1, 1025, &error), ERROR_INPUT);
	assert_string_equal(error.text, "--target is given more than 1024 times; a stream takes at "
					"most so many targets");
}

/* 7 x 11^4 points: no single point has too many. */
static void all_points_together_may_be_too_many(void **state)
{
	static const char values[] = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11";
	char text[8192], *at = text;
	struct profile profile;
	struct plan plan;
	struct error error = {0};

	at += sprintf(at, "{\"points\": [");
	for (int i = 0; i < 7; i++)
		at += sprintf(at,
			      "%s{\"axes\": {\"depth\": [%s], \"batch\": [%s], \"workers\": [%s],"
			      " \"streams[*].workload.errors_max\": [%s]},"
			      " \"regions\": {\"r\": {\"memory\": \"base\"}},"
			      " \"streams\": [{\"workload\": \"io\", \"engine\": \"null\"}]}",
			      i ? "," : "", values, values, values, values);
	sprintf(at, "]}");
	assert_int_equal(profile_parse("test.json", text, NULL, &profile, &error), 0);
	assert_int_equal(plan_make(&profile, &plan, &error), ERROR_INPUT);
	assert_string_equal(error.text, "test.json:1: points: these are 102487 points over all "
					"variants, at most 100000 are possible; shorten the axes");
	profile_free(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_broken_profile_gets_its_sentence),
		cmocka_unit_test(targets_may_be_as_many_as_1024),
		cmocka_unit_test(all_points_together_may_be_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
