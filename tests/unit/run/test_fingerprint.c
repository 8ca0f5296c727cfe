/* SPDX-License-Identifier: MIT */
/* test_fingerprint.c - what of a machine and of the program is told apart. */
#include "run/fingerprint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../memory/tree.h"

#define FOLDER "/sys/devices/system/cpu/vulnerabilities/"

static void check_state(const cJSON *states, const char *name, const char *expected)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(states, name));

	if (!text)
		fail_msg("%s is missing", name);
	assert_string_equal(text, expected);
}

static void test_mitigations(void **state)
{
	struct tree tree = {.root = ""};
	cJSON *states;

	tree_make(&tree);
	tree_put(&tree, FOLDER "meltdown", "Not affected\n");
	tree_put(&tree, FOLDER "spectre_v1", "Mitigation: usercopy/swapgs barriers\n");
	tree_put(&tree, FOLDER "spectre_v2",
		 "Mitigation: Retpolines; STIBP: disabled; PBRSB-eIBRS: Not affected; BHI: Not "
		 "affected\n");
	tree_put(&tree, FOLDER "spec_store_bypass", "Vulnerable\n");
	tree_put(&tree, FOLDER "retbleed", "Vulnerable: no microcode\n");
	states = fingerprint_mitigations(tree.root);
	tree_remove(&tree);
	assert_int_equal(cJSON_GetArraySize(states), 4);
	check_state(states, "spectre_v1", "usercopy/swapgs barriers");
	check_state(states, "spectre_v2", "Retpolines; STIBP: disabled");
	check_state(states, "spec_store_bypass", "Vulnerable");
	check_state(states, "retbleed", "Vulnerable: no microcode");
	cJSON_Delete(states);
}

/* A kernel that tells nothing, or one that was built without it. */
static void test_no_mitigations(void **state)
{
	struct tree tree = {.root = ""};
	cJSON *states;

	tree_make(&tree);
	states = fingerprint_mitigations(tree.root);
	tree_remove(&tree);
	assert_int_equal(cJSON_GetArraySize(states), 0);
	cJSON_Delete(states);
}

static void test_build(void **state)
{
	char text[160], again[160];
	const char *code;

	fingerprint_build(text, sizeof(text));
	code = strstr(text, " code ");
	assert_non_null(code);
	assert_int_equal(strlen(code + strlen(" code ")), 16);
	assert_null(strstr(text, "cbf29ce484222325")); /* of no code at all */
	fingerprint_build(again, sizeof(again));
	assert_string_equal(text, again);
}

static void test_machine(void **state)
{
	cJSON *machine = fingerprint_machine();

	assert_true(cJSON_IsString(cJSON_GetObjectItemCaseSensitive(machine, "build")));
	assert_true(cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(machine, "mitigations")));
	cJSON_Delete(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mitigations),
		cmocka_unit_test(test_no_mitigations),
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
