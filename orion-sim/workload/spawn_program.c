/* SPDX-License-Identifier: MIT */
/* spawn_program.c - the programs that workload spawn runs: found, told what to do. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "workload/spawn_parts.h"

#define DATA_FOLDER "spawn"

static const char *const shell_needs[] = {"sh", "sort", "od", "grep", "tee", "wc", "rm", NULL};
static const char *const compile_needs[] = {"cc", NULL};
static const char *const dc_needs[] = {"dc", NULL};

const struct spawn_program spawn_program_again = {.words = {"@again", "0"}};
const struct spawn_program spawn_program_chain = {.words = {"@again", "#"}};
const struct spawn_program spawn_program_shell = {.words = {"sh", "@script.sh", "@rows.txt"},
						  .needs = shell_needs,
						  .packages = "coreutils grep",
						  .has_folder = true};
const struct spawn_program spawn_program_compile = {.words = {"cc", "-o", "compiled", "@input.c"},
						    .needs = compile_needs,
						    .packages = "gcc libc6-dev",
						    .has_folder = true};
const struct spawn_program spawn_program_dc = {
	.words = {"dc"}, .input = "root.dc", .needs = dc_needs, .packages = "dc"};

static bool program_find(const char *name, const char *path, char file[SPAWN_PATH_BYTES])
{
	while (*path) {
		int length = (int)strcspn(path, ":");

		if (snprintf(file, SPAWN_PATH_BYTES, "%.*s/%s", length, path, name) <
			    SPAWN_PATH_BYTES &&
		    access(file, X_OK) == 0)
			return true;
		path += length;
		path += *path == ':';
	}
	return false;
}

static int program_probe_files(const struct spawn_program *program, struct error *error)
{
	char folder[INSTALLED_PATH_BYTES], file[SPAWN_PATH_BYTES];
	int status = installed_find(DATA_FOLDER, folder, error);

	if (status < 0)
		return error_set(error, ERROR_CANNOT, "%s", error->text);
	for (unsigned i = 0; i < SPAWN_WORDS_MAX && program->words[i]; i++) {
		if (program->words[i][0] != '@')
			continue;
		snprintf(file, sizeof(file), "%s/%s", folder, program->words[i] + 1);
		if (access(file, R_OK) < 0)
			return error_set(error, ERROR_CANNOT, "%s cannot be read: %s", file,
					 strerror(errno));
	}
	return 0;
}

int spawn_program_probe(const struct spawn_program *program, const struct spawn_params *params,
			struct error *error)
{
	char file[SPAWN_PATH_BYTES];

	for (const char *const *name = program->needs; name && *name; name++)
		if (!program_find(*name, params->path, file))
			return error_set(error, ERROR_CANNOT,
					 "there is no program %s in %s: as root, apt-get install "
					 "%s, or name its folder in \"path\"",
					 *name, params->path, program->packages);
	if (program->has_folder && access(params->folder, W_OK | X_OK) < 0)
		return error_set(error, ERROR_CANNOT,
				 "no folder can be made in %s for what children write (%s): name "
				 "another as \"folder\"",
				 params->folder, strerror(errno));
	return program_probe_files(program, error);
}

/* "@x": a file of ours; "#": execs after the first; the first word: what is run. */
static void command_word(struct spawn_command *command, unsigned i, const char *word,
			 const char *data, const struct spawn_params *params)
{
	char *text = command->texts[i];

	if (word[0] == '@')
		snprintf(text, SPAWN_PATH_BYTES, "%s/%s", data, word + 1);
	else if (!strcmp(word, "#"))
		snprintf(text, SPAWN_PATH_BYTES, "%lu", params->chain - 1);
	else
		snprintf(text, SPAWN_PATH_BYTES, "%s", word);
	command->words[i] = text;
}

/* Nothing of the user's own, so that two users' results compare. */
static void command_environment(struct spawn_command *command, const struct spawn_params *params,
				const char *folder)
{
	const char *home = *folder ? folder : "/";

	snprintf(command->variables[0], SPAWN_PATH_BYTES, "PATH=%s", params->path);
	snprintf(command->variables[1], SPAWN_PATH_BYTES, "LC_ALL=C");
	snprintf(command->variables[2], SPAWN_PATH_BYTES, "TMPDIR=%.600s", home);
	snprintf(command->variables[3], SPAWN_PATH_BYTES, "HOME=%.600s", home);
	for (unsigned i = 0; i < 4; i++)
		command->environment[i] = command->variables[i];
}

int spawn_command_make(const struct spawn_program *program, const struct spawn_params *params,
		       const char *folder, struct spawn_command *ret, struct error *error)
{
	char data[INSTALLED_PATH_BYTES];
	int status = installed_find(DATA_FOLDER, data, error);

	if (status < 0)
		return status;
	for (unsigned i = 0; i < SPAWN_WORDS_MAX && program->words[i]; i++)
		command_word(ret, i, program->words[i], data, params);
	/* A file of ours has its place already. */
	if (ret->texts[0][0] == '/')
		memcpy(ret->file, ret->texts[0], sizeof(ret->file));
	else if (!program_find(ret->texts[0], params->path, ret->file))
		return error_set(error, -ENOENT, "there is no program %s in %s any more",
				 ret->texts[0], params->path);
	if (program->input)
		snprintf(ret->input, sizeof(ret->input), "%s/%s", data, program->input);
	command_environment(ret, params, folder);
	return 0;
}
