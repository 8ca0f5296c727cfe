/* SPDX-License-Identifier: MIT */
/* error.h - one sentence about what went wrong, carried up to whoever may print it. */
#ifndef ORION_BASE_ERROR_H
#define ORION_BASE_ERROR_H

/*
 * Codes with a meaning of their own for the whole program; any other negative errno is a plain
 * failure. They decide the exit code (command/command.h) and whether a point is refused, skipped or
 * failed.
 */
#include <errno.h>

#define ERROR_INPUT (-EINVAL) /* the user's words are off: nothing is started, exit 2 */
#define ERROR_CANNOT                                                                               \
	(-ENOTSUP)	/* this machine cannot: the point is skipped with the reason, exit 3 */
#define ERROR_IO (-EIO) /* a target failed an I/O: exit 4 where nothing else failed */

struct error {
	int code;	 /* 0 while unset, else negative errno */
	char text[1024]; /* place, cause, present value, remedy; no final newline */
};

/*
 * Writes the sentence and returns code (negative). A null error only returns code. Control
 * characters, which strings from outside may hold, are escaped; what does not fit is cut with "…".
 */
int error_set(struct error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Puts context in front of a sentence that is set ("points[0]: ") and returns its code; a null
 * error has none, so that only ERROR_INPUT can be returned.
 */
int error_prefix(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Puts more behind a sentence that is set ("; as root: …") and returns its code. Where both do not
 * fit, the sentence is cut, not what is put behind.
 */
int error_append(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A code is negative, and the three above return nothing else. Their callers go through here so
 * that compilers and analyzers know it too, and see which variables are set on success.
 */
static inline int error_negative(int code)
{
	return code < 0 ? code : ERROR_IO;
}

/* NOLINTBEGIN(readability-identifier-naming) */
#define error_set(...)	  error_negative(error_set(__VA_ARGS__))
#define error_prefix(...) error_negative(error_prefix(__VA_ARGS__))
#define error_append(...) error_negative(error_append(__VA_ARGS__))
/* NOLINTEND(readability-identifier-naming) */

#endif
