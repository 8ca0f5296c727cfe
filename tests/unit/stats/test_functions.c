/* SPDX-License-Identifier: MIT */
/* test_functions.c - which functions moved, and which only seem to. */
#include "stats/functions.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/result.h"

struct seen {
	const char *name;
	double percent;
};

static void add(struct function_profiles *profiles, unsigned side, const char *point, uint64_t busy,
		const struct seen *seen, unsigned n)
{
	struct result_function functions[8];
	struct result_sampling sampling = {
		.kernel = busy, .n_functions = n, .functions = functions};

	memset(functions, 0, sizeof(functions));
	for (unsigned i = 0; i < n; i++) {
		strcpy(functions[i].name, seen[i].name);
		functions[i].percent = seen[i].percent;
	}
	assert_int_equal(functions_add(profiles, side, "", point, &sampling), 0);
}

static void assert_move(const struct function_move *move, const char *name, double base,
			double other)
{
	assert_string_equal(move->name, name);
	assert_true(fabs(move->base_percent - base) < 1e-9);
	assert_true(fabs(move->other_percent - other) < 1e-9);
}

static void test_the_largest_move_first(void **state)
{
	static const struct seen base[] = {{"pin", 20}, {"dirty", 5}, {"same", 4}, {"least", 1}};
	static const struct seen other[] = {
		{"dirty", 12}, {"same", 4.1}, {"fresh", 3}, {"tail", 0.5}};
	struct function_profiles profiles = {.n = 0};
	struct function_move *moves;
	unsigned n;

	add(&profiles, 0, "64K", 10000, base, 4);
	add(&profiles, 1, "64K", 10000, other, 4);
	assert_int_equal(functions_moves(&profiles, &moves, &n), 0);
	assert_int_equal(n, 4);
	assert_move(&moves[0], "pin", 20, 0.5);
	assert_true(moves[0].other_at_most && !moves[0].base_at_most);
	assert_move(&moves[1], "dirty", 5, 12);
	assert_false(moves[1].other_at_most || moves[1].base_at_most);
	assert_move(&moves[2], "fresh", 1, 3);
	assert_true(moves[2].base_at_most);
	/* What fell out of the list fell to what the last one there has, at least. */
	assert_move(&moves[3], "least", 1, 0.5);
	assert_int_equal(moves[0].side, 1);
	assert_string_equal(moves[0].point, "64K");
	free(moves);
	functions_free(&profiles);
}

static void test_few_samples_prove_nothing(void **state)
{
	static const struct seen base[] = {{"pin", 20}, {"x", 1}};
	static const struct seen other[] = {{"pin", 10}, {"x", 1}};
	struct function_profiles profiles = {.n = 0};
	struct function_move *moves;
	unsigned n;

	add(&profiles, 0, "p", 50, base, 2);
	add(&profiles, 1, "p", 50, other, 2);
	assert_int_equal(functions_moves(&profiles, &moves, &n), 0);
	assert_int_equal(n, 0);
	free(moves);
	/* Repeats add up: four standard errors of 2.5 points need some hundred samples a side. */
	for (int i = 0; i < 20; i++) {
		add(&profiles, 0, "p", 50, base, 2);
		add(&profiles, 1, "p", 50, other, 2);
	}
	assert_int_equal(functions_moves(&profiles, &moves, &n), 0);
	assert_int_equal(n, 1);
	assert_move(&moves[0], "pin", 20, 10);
	free(moves);
	functions_free(&profiles);
}

/* Below the end of both lists nothing is known. */
static void test_what_is_hidden_does_not_move(void **state)
{
	static const struct seen base[] = {{"a", 50}, {"b", 10}};
	static const struct seen other[] = {{"a", 50}, {"c", 5}};
	struct function_profiles profiles = {.n = 0};
	struct function_move *moves;
	unsigned n;

	add(&profiles, 0, "p", 100000, base, 2);
	add(&profiles, 1, "p", 100000, other, 2);
	assert_int_equal(functions_moves(&profiles, &moves, &n), 0);
	/* b was 10 and is at most 5; c is 5 and was at most 10. */
	assert_int_equal(n, 1);
	assert_move(&moves[0], "b", 10, 5);
	free(moves);
	functions_free(&profiles);
}

static void test_only_the_same_point(void **state)
{
	static const struct seen base[] = {{"a", 50}};
	static const struct seen other[] = {{"a", 10}};
	struct function_profiles profiles = {.n = 0};
	struct function_move *moves;
	unsigned n;

	add(&profiles, 0, "p", 100000, base, 1);
	add(&profiles, 1, "q", 100000, other, 1);
	add(&profiles, 2, "p", 0, other, 1); /* saw nothing */
	assert_int_equal(functions_moves(&profiles, &moves, &n), 0);
	assert_int_equal(n, 0);
	free(moves);
	functions_free(&profiles);
	assert_int_equal(functions_moves(&profiles, &moves, &n), 0);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_largest_move_first),
		cmocka_unit_test(test_few_samples_prove_nothing),
		cmocka_unit_test(test_what_is_hidden_does_not_move),
		cmocka_unit_test(test_only_the_same_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
