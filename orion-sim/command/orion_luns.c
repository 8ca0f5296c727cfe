/* SPDX-License-Identifier: MIT */
/* orion_luns.c - the file that names Orion's LUNs. */
#include "command/orion_luns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "command/orion_options.h"
#include "plan/parts.h"

struct reading {
	char name[ORION_TESTNAME_MAX + 8];
	unsigned line;
	struct orion_luns luns;
};

static int line_fail(const struct reading *reading, struct error *error, const char *sentence)
{
	return error_set(error, ERROR_INPUT, "%s:%u: %s", reading->name, reading->line, sentence);
}

static int text_check(const struct reading *reading, const char *text, struct error *error)
{
	if (strchr(text, '\r'))
		return line_fail(
			reading, error,
			"has a carriage return, as files of Windows do; take them out: sed "
			"-i 's/\\r//' and the file's name");
	if (text[0] == '#' || !strncmp(text, "//", 2))
		return line_fail(reading, error,
				 "a .lun file has no comments; take the line out, or begin the "
				 "path of a LUN with ./");
	if (strlen(text) > TARGET_PATH_MAX)
		return line_fail(reading, error,
				 "the path is too long; name the LUN by a shorter one");
	for (unsigned i = 0; i < reading->luns.n; i++)
		if (!strcmp(reading->luns.paths[i], text))
			return line_fail(
				reading, error,
				"the LUN is named a second time; take one of the lines out");
	return 0;
}

static int lun_add(struct reading *reading, const char *text, struct error *error)
{
	struct orion_luns *luns = &reading->luns;
	char **grown;
	int status = text_check(reading, text, error);

	if (status < 0)
		return status;
	if (luns->n == TARGETS_MAX)
		return error_set(error, ERROR_INPUT,
				 "%s names more than %d LUNs, which is the most that a test can "
				 "have; take some out",
				 reading->name, TARGETS_MAX);
	grown = reallocarray(luns->paths, luns->n + 1u, sizeof(*grown));
	if (grown)
		luns->paths = grown;
	if (!grown || !(grown[luns->n] = strdup(text)))
		return error_set(error, -ENOMEM, "no memory for the LUNs");
	luns->n++;
	return 0;
}

static int luns_read(struct reading *reading, FILE *file, struct error *error)
{
	CLEANUP(cleanup_free) char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int status = 0;

	while (status == 0 && (length = getline(&line, &room, file)) >= 0) {
		reading->line++;
		if (strlen(line) != (size_t)length)
			return line_fail(reading, error, "is no text; write a path a line");
		line[strcspn(line, "\n")] = '\0';
		if (*line)
			status = lun_add(reading, line, error);
	}
	if (status == 0 && ferror(file))
		return error_set(error, ERROR_INPUT, "%s cannot be read (rwbase_read_luncfg): %s",
				 reading->name, strerror(errno));
	if (status == 0 && reading->luns.n == 0)
		return error_set(error, ERROR_INPUT,
				 "%s names no LUN (rwbase_read_luncfg failed); write the path of a "
				 "file or block device a line into it",
				 reading->name);
	return status;
}

int orion_luns_read(const char *testname, struct orion_luns *ret, struct error *error)
{
	struct reading reading = {.line = 0};
	CLEANUP(cleanup_fclose) FILE *file = NULL;
	int status;

	snprintf(reading.name, sizeof(reading.name), "%.*s.lun", ORION_TESTNAME_MAX, testname);
	file = fopen(reading.name, "re");
	if (!file)
		return error_set(error, ERROR_INPUT,
				 "Failure in opening .lun file %s (rwbase_read_luncfg): %s; write "
				 "the path of a file or block device a line into it, in the folder "
				 "that you are in",
				 reading.name, strerror(errno));
	status = luns_read(&reading, file, error);
	if (status < 0) {
		orion_luns_free(&reading.luns);
		return status;
	}
	*ret = reading.luns;
	return 0;
}

void orion_luns_free(struct orion_luns *luns)
{
	for (unsigned i = 0; i < luns->n; i++)
		free(luns->paths[i]);
	free(luns->paths);
	*luns = (struct orion_luns){.n = 0};
}
