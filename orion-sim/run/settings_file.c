/* SPDX-License-Identifier: MIT */
/* settings_file.c - what settings share that are one word in one file. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "memory/pool.h"
#include "run/settings_parts.h"

/* The word in brackets where the file offers several, else the only one. */
static int file_read(const char *path, char *word, size_t size, struct error *error)
{
	char text[256];
	int ret = sysfile_read(path, text, sizeof(text), error);

	if (!ret)
		sysfile_bracketed(text, word, size);
	return ret;
}

static int file_set(struct settings *settings, struct change *change, const char *path,
		    struct error *error)
{
	char word[sizeof(change->to)] = "";
	int ret = settings_begin(settings, change, error), committed;

	if (ret)
		return ret;
	ret = settings->place.write(path, change->to, error);
	if (!ret)
		ret = file_read(path, word, sizeof(word), error);
	if (!ret && strcmp(word, change->to) != 0)
		ret = error_set(error, -EIO, "%s still says '%s' after '%s' was written", path,
				word, change->to);
	committed = settings_commit(settings, ret ? change->from : change->to, ret ? NULL : error);
	return ret ? ret : committed;
}

void settings_file_borrow(struct settings *settings, const struct setting_ops *ops,
			  const char *value, const char *absent, cJSON *notes)
{
	struct change change = {.ops = ops, .node = POOL_ALL_NODES};
	struct error error = {0};
	char path[512];
	int ret;

	snprintf(change.to, sizeof(change.to), "%s", value);
	ops->path(settings, &change, path, sizeof(path));
	if (access(path, F_OK))
		ret = error_set(&error, ERROR_CANNOT, "there is no %s: %s", path, absent);
	else
		ret = file_read(path, change.from, sizeof(change.from), &error);
	if (!ret && strcmp(change.from, change.to) != 0)
		ret = file_set(settings, &change, path, &error);
	if (ret)
		settings_note(notes, "%s is not borrowed: %s", ops->entry.name, error.text);
}

int settings_file_give_back(struct settings *settings, struct change *change, cJSON *notes,
			    struct error *error)
{
	char path[512], word[sizeof(change->to)] = "";
	int ret;

	change->ops->path(settings, change, path, sizeof(path));
	ret = file_read(path, word, sizeof(word), error);
	if (ret)
		return ret;
	if (!strcmp(word, change->to))
		return settings->place.write(path, change->from, error);
	if (strcmp(word, change->from) != 0)
		settings_note(notes, "%s was set to '%s' by somebody else meanwhile, and stays so",
			      path, word);
	return 0;
}

void settings_file_value(const char *path, cJSON *list)
{
	char word[32] = "";

	if (!file_read(path, word, sizeof(word), NULL))
		settings_add_value(list, path, word);
}
