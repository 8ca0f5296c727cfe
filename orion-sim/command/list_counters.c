/* SPDX-License-Identifier: MIT */
/* list_counters.c - the part of the command list about counters of the kernel. */
#include "command/list_counters.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "run/counter_sources.h"

#define LINE_COLUMNS 100

int list_counters_names(struct error *error)
{
	for (const struct counter_source *source = counter_sources; source->name; source++)
		printf("  %-20s %s\n", source->name, source->summary);
	return 0;
}

/* Names side by side, as many as a line holds. */
static void name_print(void *context, const char *name, uint64_t value)
{
	size_t *column = context, width = strlen(name) + 1;

	if (*column == 0 || *column + width > LINE_COLUMNS) {
		printf("%s   ", *column ? "\n" : "");
		*column = 3;
	}
	printf(" %s", name);
	*column += width;
}

static void source_print(const struct counter_source *source)
{
	struct error why = {0};
	size_t column = 0;
	struct counter_sink sink = {&column, name_print};

	printf("%s: %s\n    from %s; on this machine now:\n", source->name, source->summary,
	       source->pattern);
	if (counter_source_list("", source, &sink, &why) < 0)
		printf("    none: %s", why.text);
	else if (column == 0)
		printf("    none");
	putchar('\n');
}

int list_counters_details(const char *name, struct error *error)
{
	const struct counter_source *source;
	const char *names[32];
	char sentence[400];
	unsigned n = 0;

	if (!name)
		return list_counters_names(error);
	for (source = counter_sources; source->name && n < 31; source++) {
		names[n++] = source->name;
		if (strcmp(source->name, name) != 0)
			continue;
		source_print(source);
		return 0;
	}
	names[n] = NULL;
	return error_set(
		error, ERROR_INPUT, "%s",
		words_unknown("source of counters", name, names, sentence, sizeof(sentence)));
}
