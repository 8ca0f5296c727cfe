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

static int result_journal_write(struct result_journal *journal, cJSON *line, struct error *error)
{
	char *text = cJSON_PrintUnformatted(line);
	size_t length, done = 0;

	cJSON_Delete(line);
	if (!text)
		return error_set(error, -ENOMEM, "no memory for a line of the journal");
	length = strlen(text);
	text[length++] = '\n';
	while (done < length) {
		ssize_t n = write(journal->fd, text + done, length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		done += (size_t)n;
	}
	free(text);
	if (done < length || fdatasync(journal->fd) < 0)
		return error_set(
			error, -errno,
			"the journal of the result cannot be written: %s; make room or name "
			"another --output",
			strerror(errno));
	return 0;
}

int result_journal_open(struct result_journal *journal, const char *path,
			const struct result *result, struct error *error)
{
	int status;

	journal->fd = -1;
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
