/* SPDX-License-Identifier: MIT */
/* output.c - a report is put together in memory and then written at once. */
#include "report/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int output_begin(struct output *ret, struct error *error)
{
	*ret = (struct output){.stream = NULL};
	ret->stream = open_memstream(&ret->text, &ret->size);
	return ret->stream ? 0 : error_set(error, -ENOMEM, "no memory for the report");
}

/* A stream that failed once has forgotten why: so all is written by one call. */
int output_text(const char *text, FILE *stream, struct error *error)
{
	int code;

	errno = 0;
	if (fputs(text, stream) >= 0 && fflush(stream) == 0)
		return 0;
	code = errno ? -errno : -EIO;
	return error_set(error, code, "cannot write the report: %s", strerror(-code));
}

int output_end(struct output *output, FILE *stream, struct error *error)
{
	int rc;

	if (fclose(output->stream) == 0 && !output->failed)
		rc = output_text(output->text, stream, error);
	else
		rc = error_set(error, -ENOMEM, "no memory for the report");
	free(output->text);
	return rc;
}
