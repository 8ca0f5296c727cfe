/* SPDX-License-Identifier: MIT */
/* test_broken.c - every kind of broken profile gets one sentence with its place and its remedy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void todo(void **state)
{
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(todo)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
