/* SPDX-License-Identifier: MIT */
/* help.c - usage printed from the tables that parse it. */
#include "command/help.h"

#include <string.h>

#include "base/field.h"
#include "command/command.h"

void help_all(FILE *stream)
{
	fprintf(stream,
		"orion-sim: drives a database's I/O into the memory databases really use, and\n"
		"reports MB/s, latency and CPU cost per I/O.\n\nusage: orion-sim COMMAND "
		"[OPTIONS]\n\n");
	for (const struct entry *const *entry = command_catalog.entries; *entry; entry++)
		fprintf(stream, "  %-9s %s\n", (*entry)->name, (*entry)->summary);
	fprintf(stream,
		"\norion-sim COMMAND --help shows a command's options, orion-sim list what can be "
		"named\n"
		"in a profile. Start with: orion-sim demo\n\n"
		"exit codes: 0 ok, 1 a point failed, 2 usage or bad input, 3 the machine cannot,\n"
		"4 all failures are I/O errors, 5 inconclusive, 6 regressed or not enough "
		"(compare,\n"
		"calibrate: on request),\n"
		"130 SIGINT, 143 SIGTERM\n");
}

static void help_field(const struct field *field)
{
	char option[64], bounds[256];

	if (field->type == FIELD_TYPE_BOOL)
		snprintf(option, sizeof(option), "--%s", field->name);
	else
		snprintf(option, sizeof(option), "--%s VALUE", field->name);
	printf("  %-22s %s", option, field->help);
	if (field->type != FIELD_TYPE_BOOL && field->type != FIELD_TYPE_TEXT)
		printf(" (%s; preset %s)", field_bounds(field, bounds, sizeof(bounds)),
		       field->preset);
	else if (field->type == FIELD_TYPE_TEXT && field->preset && field->preset[0])
		printf(" (preset %s)", field->preset);
	putchar('\n');
}

int help_command(const struct command_ops *command)
{
	const struct field *field = command->entry.fields;
	const struct command_list *list = command->lists;
	char option[64];

	if (command->help)
		return command->help();
	printf("usage: orion-sim %s [OPTIONS]%s%s\n\n%s\n", command->entry.name,
	       command->words_usage[0] ? " " : "", command->words_usage, command->entry.summary);
	if ((field && field->name) || (list && list->name))
		printf("\noptions:\n");
	for (; field && field->name; field++)
		help_field(field);
	for (; list && list->name; list++) {
		snprintf(option, sizeof(option), "--%s %s", list->name, list->placeholder);
		printf("  %-22s %s (can be repeated)\n", option, list->help);
	}
	return EXIT_CODE_OK;
}
