/* SPDX-License-Identifier: MIT */
/* journal.c - finished repeats on disk at once, so that a power cut loses one. */
#include "run/journal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "stats/result.h"

static int journal_write(struct journal *journal, cJSON *line, struct error *error)
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

int journal_open(struct journal *journal, const char *path, const struct result *result,
		 struct error *error)
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
	status = journal_write(journal, result_to_json(result), error);
	if (status < 0) {
		journal_close(journal);
		unlink(path);
	}
	return status;
}

int journal_append(struct journal *journal, unsigned variant, unsigned point,
		   const struct result_repeat *repeat, struct error *error)
{
	cJSON *line;

	if (journal->fd < 0)
		return 0;
	line = cJSON_CreateObject();
	json_add_count(line, "variant", variant);
	json_add_count(line, "point", point);
	cJSON_AddItemToObject(line, "repeat", result_repeat_to_json(repeat, true));
	return journal_write(journal, line, error);
}

void journal_close(struct journal *journal)
{
	if (journal->fd >= 0)
		close(journal->fd);
	journal->fd = -1;
}
