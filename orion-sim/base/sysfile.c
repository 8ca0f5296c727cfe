/* SPDX-License-Identifier: MIT */
/* sysfile.c - small files of /proc and /sys: read, write, pick a word. */
#include "base/sysfile.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/units.h"
#include "base/words.h"

int sysfile_read(const char *path, char *text, size_t size, struct error *error)
{
	CLEANUP(cleanup_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;

	if (fd < 0)
		return error_set(error, -errno, "cannot open %s: %s", path, strerror(errno));
	while (used < size - 1) {
		ssize_t n = read(fd, text + used, size - 1 - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set(error, -errno, "cannot read %s: %s", path,
					 strerror(errno));
		if (!n)
			break;
		used += (size_t)n;
	}
	if (used && text[used - 1] == '\n')
		used--;
	text[used] = '\0';
	return 0;
}

int sysfile_read_u64(const char *path, uint64_t *ret, struct error *error)
{
	char text[128], shown[64];
	int r = sysfile_read(path, text, sizeof(text), error);
	char *start = text, *end;

	if (r)
		return r;
	while (isspace((unsigned char)*start))
		start++;
	end = start + strlen(start);
	while (end > start && isspace((unsigned char)end[-1]))
		*--end = '\0';
	if (units_parse_count(start, ret, NULL))
		return error_set(error, -EBADMSG, "%s holds '%s', not a whole number", path,
				 words_quote(start, shown, sizeof(shown)));
	return 0;
}

static int fail_write(const char *path, const char *text, int code, struct error *error)
{
	char shown[64];
	size_t length = strcspn(text, "\n");

	snprintf(shown, sizeof(shown), "%.*s", (int)(length < 63 ? length : 63), text);
	error_set(error, code, "cannot write '%s' to %s: %s", shown, path, strerror(-code));
	if (code == -EACCES || code == -EPERM)
		error_append(error, "; as root: echo %s > %s", shown, path);
	return code;
}

int sysfile_write(const char *path, const char *text, struct error *error)
{
	CLEANUP(cleanup_close) int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return fail_write(path, text, -errno, error);
	do
		n = write(fd, text, strlen(text));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail_write(path, text, -errno, error);
	if ((size_t)n != strlen(text))
		return fail_write(path, text, -EIO, error);
	return 0;
}

void sysfile_bracketed(const char *text, char *word, size_t size)
{
	const char *open = strchr(text, '[');
	const char *close = open ? strchr(open, ']') : NULL;

	if (close)
		snprintf(word, size, "%.*s", (int)(close - open - 1), open + 1);
	else
		snprintf(word, size, "%s", text);
}

/* What stands behind "NAME:" at the start of a line, null if there is no such line. */
static const char *find_field(const char *text, const char *name)
{
	size_t length = strlen(name);

	while (strncmp(text, name, length) != 0 || text[length] != ':') {
		text = strchr(text, '\n');
		if (!text)
			return NULL;
		text++;
	}
	text += length + 1;
	return text + strspn(text, " \t");
}

int sysfile_field_kb(const char *text, const char *name, uint64_t *ret_bytes)
{
	const char *value = find_field(text, name);
	unsigned long long kb;
	char *end;

	if (!value || !isdigit((unsigned char)*value))
		return -ENOENT;
	kb = strtoull(value, &end, 10);
	if (strncmp(end, " kB", 3) != 0 || kb > UINT64_MAX / 1024)
		return -ENOENT;
	*ret_bytes = kb * 1024;
	return 0;
}
