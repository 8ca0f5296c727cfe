/* SPDX-License-Identifier: MIT */
/* compare_inputs.c - words on the command line that name results: files, or folders of them. */
#include "command/compare_inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && strcmp(text + length - end_length, end) == 0;
}

static bool is_result_name(const char *name)
{
	return name[0] != '.' && ends_with(name, ".json") && !ends_with(name, ".histograms.json");
}

/* Takes path over, also where it fails. */
static int add_path(struct compare_inputs *inputs, char *path, struct error *error)
{
	char **paths = path ? reallocarray(inputs->paths, inputs->n + 1, sizeof(*paths)) : NULL;

	if (!paths) {
		free(path);
		return error_set(error, -ENOMEM, "no memory for the names of results");
	}
	inputs->paths = paths;
	paths[inputs->n++] = path;
	return 0;
}

static int compare_paths(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static int read_folder(struct compare_inputs *inputs, const char *word, DIR *folder,
		       struct error *error)
{
	const char *slash = ends_with(word, "/") ? "" : "/";
	const struct dirent *entry;
	int status = 0;

	while (status == 0 && (errno = 0, entry = readdir(folder))) {
		char *path = NULL;

		if (!is_result_name(entry->d_name))
			continue;
		if (asprintf(&path, "%s%s%s", word, slash, entry->d_name) < 0)
			path = NULL;
		status = add_path(inputs, path, error);
	}
	if (status == 0 && errno)
		status = error_set(error, ERROR_INPUT, "cannot read the folder %s: %s", word,
				   strerror(errno));
	return status;
}

static int add_folder(struct compare_inputs *inputs, const char *word, struct error *error)
{
	size_t before = inputs->n;
	DIR *folder = opendir(word);
	int status;

	if (!folder)
		return error_set(error, ERROR_INPUT, "cannot open the folder %s: %s", word,
				 strerror(errno));
	status = read_folder(inputs, word, folder, error);
	closedir(folder);
	if (status < 0)
		return status;
	if (inputs->n == before)
		return error_set(error, ERROR_INPUT,
				 "the folder %s has no results: those are *.json, without their "
				 "*.histograms.json",
				 word);
	qsort(inputs->paths + before, inputs->n - before, sizeof(*inputs->paths), compare_paths);
	return 0;
}

int compare_inputs_add(struct compare_inputs *inputs, const char *word, struct error *error)
{
	struct stat status;

	if (stat(word, &status) < 0)
		return error_set(error, ERROR_INPUT, "cannot open %s: %s", word, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return add_folder(inputs, word, error);
	return add_path(inputs, strdup(word), error);
}

void compare_inputs_free(struct compare_inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++)
		free(inputs->paths[i]);
	free(inputs->paths);
	*inputs = (struct compare_inputs){.n = 0};
}

/* "last-week" of "results/last-week/", "a" of "b/a.json" */
static void label_word(const char *word, char label[64])
{
	size_t length = strlen(word), begin;

	while (length > 1 && word[length - 1] == '/')
		length--;
	for (begin = length; begin > 0 && word[begin - 1] != '/'; begin--)
		;
	snprintf(label, 64, "%.*s", (int)(length - begin), word + begin);
	if (!label[0])
		snprintf(label, 64, "%.63s", word);
	if (ends_with(label, ".json"))
		label[strlen(label) - strlen(".json")] = '\0';
}

void compare_inputs_label(struct compare_inputs *base, const char *const *base_words, size_t n_base,
			  struct compare_inputs *other, const char *const *other_words,
			  size_t n_other)
{
	size_t size = sizeof(base->label);

	snprintf(base->label, size, "base");
	snprintf(other->label, size, "new");
	if (n_base == 1)
		label_word(base_words[0], base->label);
	if (n_other == 1)
		label_word(other_words[0], other->label);
	if (strcmp(base->label, other->label) != 0)
		return;
	snprintf(base->label, size, "%s", n_base == 1 ? base_words[0] : "base");
	snprintf(other->label, size, "%s", n_other == 1 ? other_words[0] : "new");
	if (strcmp(base->label, other->label) != 0)
		return;
	snprintf(base->label, size, "base");
	snprintf(other->label, size, "new");
}
