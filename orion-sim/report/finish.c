/* SPDX-License-Identifier: MIT */
/* finish.c - the end of every report. */
#include "report/finish.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

int report_finish(FILE *stream, struct error *error)
{
	int code;

	errno = 0;
	if (fflush(stream) == 0 && !ferror(stream))
		return 0;
	code = errno ? -errno : -EIO;
	return error_set(error, code, "cannot write the report: %s", strerror(-code));
}
