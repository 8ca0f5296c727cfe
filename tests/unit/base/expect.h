/* SPDX-License-Identifier: MIT */
/* expect.h - what every test of base includes, and how it looks at an error. */
#ifndef ORION_TESTS_UNIT_BASE_EXPECT_H
#define ORION_TESTS_UNIT_BASE_EXPECT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"

/* The call failed with code, and its sentence is exactly this. */
#define EXPECT_ERROR(call, code_, sentence)                                                        \
	do {                                                                                       \
		struct error error = {.code = 0};                                                  \
		int r_ = (call);                                                                   \
		assert_string_equal(error.text, sentence);                                         \
		assert_int_equal(r_, code_);                                                       \
		assert_int_equal(error.code, code_);                                               \
	} while (0)

/* The call failed with code, and its sentence has this part. */
#define EXPECT_ERROR_PART(call, code_, part)                                                       \
	do {                                                                                       \
		struct error error = {.code = 0};                                                  \
		int r_ = (call);                                                                   \
		if (!strstr(error.text, part))                                                     \
			fail_msg("'%s' is not in '%s'", part, error.text);                         \
		assert_int_equal(r_, code_);                                                       \
		assert_int_equal(error.code, code_);                                               \
	} while (0)

/* The call succeeded. */
#define EXPECT_OK(call)                                                                            \
	do {                                                                                       \
		struct error error = {.code = 0};                                                  \
		if (call) {                                                                        \
			fail_msg("%s", error.text);                                                \
			abort(); /* not reached, which fail_msg does not tell analyzers */         \
		}                                                                                  \
	} while (0)

#endif
