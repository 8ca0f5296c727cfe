/* SPDX-License-Identifier: MIT */
/* result_journal.c - finished repeats on disk at once, so that a power cut loses one. */
#include "run/result_journal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "stats/result.h"

/* All or nothing: what a full disk took of a line is cut off again. */
static int result_journal_put(int fd, const char *text, size_t length)
{
	off_t start = lseek(fd, 0, SEEK_END);
	size_t done = 0;
	int code = 0;

	while (done < length && code == 0) {
		ssize_t n = write(fd, text + done, length - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			code = -errno;
	}
	if (code == 0 && fdatasync(fd) < 0)
		code = -errno;
	if (code < 0 && ftruncate(fd, start) < 0)
		code = -errno;
	return code;
}

static int result_journal_write(struct result_journal *journal, cJSON *line, struct error *error)
{
	char *text = cJSON_PrintUnformatted(line);
	size_t length;
	int code;

	cJSON_Delete(line);
	if (!text)
		return error_set(error, -ENOMEM, "no memory for a line of the journal");
	length = strlen(text);
	text[length++] = '\n';
	code = result_journal_put(journal->fd, text, length);
	free(text);
	if (code < 0)
		return error_set(error, code,
				 "the journal of the result, %s, cannot be written: %s; free some "
				 "space, or name another --output",
				 journal->path, strerror(-code));
	return 0;
}

int result_journal_open(struct result_journal *journal, const char *path,
			const struct result *result, struct error *error)
{
	int status;

	journal->fd = -1;
	journal->path = path;
	if (!path)
		return 0;
	journal->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
	if (journal->fd < 0)
		return error_set(error, ERROR_INPUT,
				 "%s cannot be created: %s; name another --output", path,
				 strerror(errno));
	status = result_journal_write(journal, result_to_json(result), error);
	if (status < 0) {
		result_journal_close(journal);
		unlink(path);
	}
	return status;
}

int result_journal_append(struct result_journal *journal, unsigned variant, unsigned point,
			  const struct result_repeat *repeat, struct error *error)
{
	cJSON *line;

	if (journal->fd < 0)
		return 0;
	line = cJSON_CreateObject();
	json_add_count(line, "variant", variant);
	json_add_count(line, "point", point);
	cJSON_AddItemToObject(line, "repeat", result_repeat_to_json(repeat, true));
	return result_journal_write(journal, line, error);
}

void result_journal_close(struct result_journal *journal)
{
	if (journal->fd >= 0)
		close(journal->fd);
	journal->fd = -1;
}
