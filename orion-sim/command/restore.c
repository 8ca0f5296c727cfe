/* SPDX-License-Identifier: MIT */
/* restore.c - the command that gives back what a run had borrowed whose keeper was killed, too. */
#include <stdio.h>

#include "base/error.h"
#include "command/command.h"
#include "run/settings.h"

static int restore_run(const struct command_args *args, struct error *error)
{
	cJSON *notes = cJSON_CreateArray();
	int status = settings_recover(notes, error);
	const cJSON *note;

	cJSON_ArrayForEach (note, notes)
		puts(cJSON_GetStringValue(note));
	if (!status && !cJSON_GetArraySize(notes))
		puts("nothing to restore: no settings are borrowed");
	cJSON_Delete(notes);
	return status < 0 ? EXIT_CODE_CANNOT : EXIT_CODE_OK;
}

extern const struct command_ops command_restore;
const struct command_ops command_restore = {
	.entry = {.name = "restore",
		  .summary = "give back settings of the machine that a killed run had borrowed"},
	.words_usage = "",
	.run = restore_run};
