/* SPDX-License-Identifier: MIT */
/* test_marker.c - places as markers tell them, and the bytes that a plugin looks for. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "run/marker.h"
#include "run/marker_code.h"

static void test_place(void **state)
{
	uint64_t place = MARKER_PLACE(3, 65535, 12);

	assert_int_equal(MARKER_VARIANT(place), 3);
	assert_int_equal(MARKER_POINT(place), 65535);
	assert_int_equal(MARKER_REPEAT(place), 12);
	assert_true(place >> MARKER_PLACE_BITS == 0);
}

/* Is the marker among the first bytes of a function? */
static bool has_marker(const void *function, uint32_t kind)
{
	static const unsigned char opcode[MARKER_OPCODE_BYTES] = MARKER_OPCODE;
	const unsigned char *code = function;
	unsigned char marker[MARKER_BYTES];

	memcpy(marker, opcode, sizeof(opcode));
	memcpy(marker + sizeof(opcode), &kind, sizeof(kind));
	for (unsigned i = 0; i < 256; i++)
		if (memcmp(code + i, marker, sizeof(marker)) == 0)
			return true;
	return false;
}

static void test_bytes(void **state)
{
	if (!marker_supported()) {
		print_message("skipped: this CPU has no markers\n");
		skip();
	}
	assert_true(has_marker((const void *)marker_begin, MARKER_BEGIN));
	assert_true(has_marker((const void *)marker_end, MARKER_END));
	assert_true(has_marker((const void *)marker_end, MARKER_BIT_0));
	assert_true(has_marker((const void *)marker_end, MARKER_BIT_1));
	assert_false(has_marker((const void *)marker_supported, 0));
}

static void test_nothing_happens(void **state)
{
	marker_begin();
	marker_end(MARKER_PLACE(1, 2, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_nothing_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
