/* SPDX-License-Identifier: MIT */
/* result_file.c - a result on disk: whole or not at all. */
#include "stats/result.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "stats/document.h"
#include "stats/result_schema.h"

#define EXTENSION ".json"

/* A file that is being replaced: written beside its place under another name first. */
struct replacement {
	char path[PATH_MAX];
	char temporary[PATH_MAX];
	bool written;
};

static int path_set(char *ret, const char *path, const char *more, int skip, struct error *error)
{
	int length = (int)strlen(path) - skip;

	if (snprintf(ret, PATH_MAX, "%.*s%s", length, path, more) < PATH_MAX)
		return 0;
	return error_set(error, ERROR_INPUT, "the path %.60s… is too long: choose a shorter one",
			 path);
}

/* PATH.json -> PATH.histograms.json; any other name gets it at its end. */
static int histograms_path(const char *path, char *ret, struct error *error)
{
	size_t length = strlen(path), cut = strlen(EXTENSION);

	if (length < cut || strcmp(path + length - cut, EXTENSION) != 0)
		cut = 0;
	return path_set(ret, path, ".histograms" EXTENSION, (int)cut, error);
}

/*
 * A symbolic link is followed, since a rename would replace the link itself; anything but a regular
 * file is refused, since a rename would replace /dev/null.
 */
static int replacement_begin(struct replacement *file, const char *path, struct error *error)
{
	CLEANUP(cleanup_free) char *real = realpath(path, NULL);
	struct stat status;
	char suffix[64];

	file->written = false;
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return error_set(error, ERROR_INPUT,
				 "%s is no regular file, so no result is written there: name a "
				 "file that is one or is not there yet",
				 path);
	snprintf(suffix, sizeof(suffix), ".%d-%llx.tmp", (int)getpid(),
		 (unsigned long long)clock_now_ns());
	if (path_set(file->path, real ? real : path, "", 0, error) < 0)
		return ERROR_INPUT;
	return path_set(file->temporary, file->path, suffix, 0, error);
}

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		text += n;
		left -= (size_t)n;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

static const char *remedy(int code)
{
	switch (-code) {
	case ENOENT:
	case ENOTDIR:
		return "make its folder first: mkdir -p";
	case ENOSPC:
	case EDQUOT:
		return "free some space, or name a file on another file system";
	case EACCES:
	case EPERM:
	case EROFS:
		return "name a file in a folder you may write to";
	}
	return "name a file elsewhere";
}

static int cannot_write(const char *path, int code, struct error *error)
{
	return error_set(error, code, "cannot write %s: %s; %s", path, strerror(-code),
			 remedy(code));
}

/* Takes the tree over. */
static int replacement_write(struct replacement *file, cJSON *tree, struct error *error)
{
	CLEANUP(cleanup_free) char *text = tree ? document_print(tree) : NULL;
	int fd, rc;

	cJSON_Delete(tree);
	if (!text)
		return error_set(error, -ENOMEM, "no memory to write %s", file->path);
	fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return cannot_write(file->path, -errno, error);
	file->written = true;
	rc = write_all(fd, text);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	return rc < 0 ? cannot_write(file->path, rc, error) : 0;
}

static int replacement_end(struct replacement *file, struct error *error)
{
	if (rename(file->temporary, file->path) < 0)
		return cannot_write(file->path, -errno, error);
	file->written = false;
	return 0;
}

static void replacement_abandon(const struct replacement *file)
{
	if (file->written)
		unlink(file->temporary);
}

/* The renames last only once their folder is on disk. Some file systems cannot: no failure. */
static void sync_folder(const char *path)
{
	char folder[PATH_MAX] = ".";
	const char *slash = strrchr(path, '/');
	int fd;

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path) + 1, path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Both are written in full before the first takes its place. */
static int save_both(const struct result *result, struct replacement *summaries,
		     struct replacement *histograms, struct error *error)
{
	int rc = replacement_write(summaries, result_to_json(result), error);

	if (rc == 0)
		rc = replacement_write(histograms, result_histograms_to_json(result), error);
	if (rc == 0)
		rc = replacement_end(histograms, error);
	if (rc == 0)
		rc = replacement_end(summaries, error);
	if (rc == 0)
		sync_folder(summaries->path);
	return rc;
}

int result_save(const struct result *result, const char *path, struct error *error)
{
	struct replacement summaries, histograms;
	char sibling[PATH_MAX];
	int rc = histograms_path(path, sibling, error);

	if (rc == 0)
		rc = replacement_begin(&summaries, path, error);
	if (rc == 0)
		rc = replacement_begin(&histograms, sibling, error);
	if (rc < 0)
		return rc;
	rc = save_both(result, &summaries, &histograms, error);
	replacement_abandon(&summaries);
	replacement_abandon(&histograms);
	return rc;
}

static int load_histograms(const char *path, struct result *result, struct error *error)
{
	CLEANUP(cleanup_json) struct json_document *document = NULL;
	char sibling[PATH_MAX];
	int rc = histograms_path(path, sibling, error);

	if (rc < 0)
		return rc;
	if (access(sibling, F_OK) < 0)
		return 0;
	rc = json_read(sibling, &document, error);
	return rc < 0 ? rc : histograms_from_document(document, result, error);
}

int result_load_figures(const char *path, struct result *ret, struct error *error)
{
	static const char *const left_out[] = {"intervals", "medians", "effective", NULL};
	CLEANUP(cleanup_json) struct json_document *document = NULL;
	int rc = json_read_without(path, left_out, &document, error);

	return rc < 0 ? rc : result_from_document(document, ret, error);
}

int result_load(const char *path, bool want_histograms, struct result *ret, struct error *error)
{
	CLEANUP(cleanup_json) struct json_document *document = NULL;
	struct result result = {0};
	int rc = json_read(path, &document, error);

	if (rc == 0)
		rc = result_from_document(document, &result, error);
	if (rc == 0 && want_histograms)
		rc = load_histograms(path, &result, error);
	if (rc < 0) {
		result_free(&result);
		return rc;
	}
	*ret = result;
	return 0;
}
