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

#define CPU    "/sys/devices/system/cpu/"
#define CPU0   CPU "cpu0/"
#define FOLDER CPU "vulnerabilities/"
#define CLOCK  "/sys/devices/system/clocksource/clocksource0/"

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
	cJSON *machine = fingerprint_machine("");

	assert_true(cJSON_IsString(cJSON_GetObjectItemCaseSensitive(machine, "build")));
	assert_true(cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(machine, "mitigations")));
	cJSON_Delete(machine);
}

static void put_idle_state(const struct tree *tree, unsigned index, const char *name,
			   const char *latency_us, const char *disable)
{
	const char *const files[][2] = {
		{"name", name}, {"latency", latency_us}, {"disable", disable}};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), CPU0 "cpuidle/state%u/%s", index, files[i][0]);
		if (files[i][1])
			tree_put(tree, path, files[i][1]);
	}
}

/* All that decides how long a CPU takes to answer, each from its own file. */
static void test_clock_governor_and_idle(void **state)
{
	struct tree tree = {.root = ""};
	cJSON *machine;

	tree_make(&tree);
	tree_put(&tree, CLOCK "available_clocksource", "tsc kvm-clock hpet\n");
	tree_put(&tree, CLOCK "current_clocksource", "kvm-clock\n");
	tree_put(&tree, CPU0 "cpufreq/scaling_available_governors", "performance powersave\n");
	tree_put(&tree, CPU0 "cpufreq/scaling_governor", "powersave\n");
	tree_put(&tree, CPU0 "cpufreq/scaling_driver", "intel_pstate\n");
	tree_put(&tree, CPU "intel_pstate/no_turbo", "1\n");
	tree_put(&tree, CPU "cpuidle/available_governors", "ladder menu teo\n");
	tree_put(&tree, CPU "cpuidle/current_driver", "intel_idle\n");
	tree_put(&tree, CPU "cpuidle/current_governor", "teo\n");
	put_idle_state(&tree, 0, "POLL\n", "0\n", "0\n");
	put_idle_state(&tree, 1, "C1\n", "2\n", "0\n");
	put_idle_state(&tree, 2, "C6\n", "133\n", "1\n");
	machine = fingerprint_machine(tree.root);
	tree_remove(&tree);
	check_state(machine, "clocksource", "kvm-clock");
	check_state(machine, "governor", "powersave");
	check_state(machine, "scaling_driver", "intel_pstate");
	check_state(machine, "no_turbo", "1");
	check_state(machine, "idle_driver", "intel_idle");
	check_state(machine, "idle_governor", "teo");
	check_state(machine, "idle_states", "POLL 0 us, C1 2 us, C6 133 us disabled");
	cJSON_Delete(machine);
}

/* What a kernel does not tell is no value at all, and hides nothing that it tells. */
static void test_absent_files_are_left_out(void **state)
{
	static const char *const absent[] = {"governor",    "scaling_driver", "boost",
					     "no_turbo",    "idle_driver",    "idle_governor",
					     "thp_enabled", "aio_max_nr"};
	struct tree tree = {.root = ""};
	cJSON *machine;

	tree_make(&tree);
	tree_put(&tree, CLOCK "current_clocksource", "tsc\n");
	put_idle_state(&tree, 0, "C1\n", NULL, NULL);
	machine = fingerprint_machine(tree.root);
	tree_remove(&tree);
	check_state(machine, "clocksource", "tsc");
	check_state(machine, "idle_states", "C1");
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		if (cJSON_HasObjectItem(machine, absent[i]))
			fail_msg("%s is told, and there is none", absent[i]);
	cJSON_Delete(machine);
	machine = fingerprint_machine(tree.root); /* which is gone */
	assert_false(cJSON_HasObjectItem(machine, "clocksource"));
	assert_false(cJSON_HasObjectItem(machine, "idle_states"));
	assert_true(cJSON_HasObjectItem(machine, "kernel"));
	cJSON_Delete(machine);
}

/* The files are where this very kernel has them: a wrong path would leave a key out for ever. */
static void test_this_machine(void **state)
{
	static const char *const files[][2] = {
		{"clocksource", CLOCK "current_clocksource"},
		{"governor", CPU0 "cpufreq/scaling_governor"},
		{"scaling_driver", CPU0 "cpufreq/scaling_driver"},
		{"idle_driver", CPU "cpuidle/current_driver"},
		{"idle_governor", CPU "cpuidle/current_governor"},
	};
	cJSON *machine = fingerprint_machine("");

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char text[64] = "";
		FILE *file = fopen(files[i][1], "re");

		if (file && fgets(text, sizeof(text), file)) {
			text[strcspn(text, "\n")] = '\0';
			check_state(machine, files[i][0], text);
		} else {
			assert_false(cJSON_HasObjectItem(machine, files[i][0]));
		}
		if (file)
			fclose(file);
	}
	cJSON_Delete(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mitigations),
		cmocka_unit_test(test_no_mitigations),
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_clock_governor_and_idle),
		cmocka_unit_test(test_absent_files_are_left_out),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
