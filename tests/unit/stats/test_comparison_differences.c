/* SPDX-License-Identifier: MIT */
/* test_comparison_differences.c - what else tells the sides apart, and when that forbids to
 * compare.
 */
#include "comparison_rig.h"

static const struct comparison_options presets = {.alpha = 0.05, .threshold = 0.02};

/* The new side is changed by the function that a test sets. */
static void (*change)(struct result *);

static void make_run(struct result *result, unsigned side, unsigned n)
{
	char text[64];

	rig_result(result, 1, 2);
	for (unsigned r = 0; r < 2; r++)
		rig_ops(result, 0, r, 1e5 * rig_noise(n + r));
	snprintf(text, sizeof(text), "boot-%u-%u", side, n);
	rig_put(result, "boot_id", text);
	snprintf(text, sizeof(text), "%u.5 0.1 0.1 1/100 %u", n, side);
	rig_put(result, "loadavg", text);
	if (side && change)
		change(result);
}

static const char *compare_changed(void (*how)(struct result *),
				   const struct comparison_options *options, struct comparison *ret)
{
	change = how;
	return rig_compare_sides(4, 4, make_run, options, ret);
}

static void test_noise_is_no_difference(void **state)
{
	struct comparison comparison;

	rig_expect_none(compare_changed(NULL, &presets, &comparison));
	assert_int_equal(comparison.n_differences, 0);
	comparison_free(&comparison);
}

static void change_governor(struct result *result)
{
	rig_put(result, "governor", "schedutil");
}

static void change_mitigations(struct result *result)
{
	cJSON *states = cJSON_GetObjectItem(result->fingerprint, "mitigations");

	cJSON_ReplaceItemInObjectCaseSensitive(states, "spectre_v2",
					       cJSON_CreateString("Vulnerable"));
}

/* A CPU, or a kernel, that knows one more. */
static void change_retbleed(struct result *result)
{
	cJSON_AddStringToObject(cJSON_GetObjectItem(result->fingerprint, "mitigations"), "retbleed",
				"untrained return thunk");
}

static cJSON *device_of(struct result *result)
{
	return cJSON_GetObjectItem(result->fingerprint, "devices")->child;
}

static void change_scheduler(struct result *result)
{
	cJSON_ReplaceItemInObjectCaseSensitive(device_of(result), "scheduler",
					       cJSON_CreateString("none [mq-deadline]"));
}

static void change_requests(struct result *result)
{
	cJSON_ReplaceItemInObjectCaseSensitive(device_of(result), "nr_requests",
					       cJSON_CreateString("64"));
}

static void change_build(struct result *result)
{
	rig_put(result, "build", "gcc code 2");
}

static void change_version(struct result *result)
{
	snprintf(result->version, sizeof(result->version), "0.2.0");
}

static void change_cpu(struct result *result)
{
	rig_put(result, "cpu_model", "better CPU");
}

static void change_thp(struct result *result)
{
	rig_put(result, "thp_enabled", "[always] madvise never");
}

static void change_folio(struct result *result)
{
	cJSON *sizes = cJSON_GetObjectItem(result->fingerprint, "shmem_enabled");

	cJSON_ReplaceItemInObjectCaseSensitive(
		sizes, "hugepages-64kB",
		cJSON_CreateString("always inherit within_size [advise] never"));
}

static void change_command_line(struct result *result)
{
	rig_put(result, "command_line", "BOOT_IMAGE=/boot/b root=/dev/vdb ro nohz_full=0");
}

static void change_memory(struct result *result)
{
	rig_at(result, 0, 1)->audits[0].got_bytes = 200 << 20;
}

static void change_clock(struct result *result)
{
	rig_put(result, "clocksource", "hpet");
}

struct refusal {
	void (*how)(struct result *);
	const char *factor, *what, *base, *other;
};

static const struct refusal refusals[] = {
	{change_governor, "governor", "governor", "performance", "schedutil"},
	{change_mitigations, "mitigations", "mitigation spectre_v2", "Retpolines", "Vulnerable"},
	{change_retbleed, "mitigations", "mitigation retbleed", "not affected",
	 "untrained return thunk"},
	{change_scheduler, "scheduler", "vda scheduler", "none", "mq-deadline"},
	{change_requests, "device", "vda nr_requests", "256", "64"},
	{change_build, "build", "build of orion-sim", "gcc code 1", "gcc code 2"},
	{change_version, "build", "version of orion-sim", "0.1.0", "0.2.0"},
	{change_cpu, "cpu", "CPU model", "CPU", "better CPU"},
	{change_thp, "thp", "thp enabled", "madvise", "always"},
	{change_folio, "thp", "shmem_enabled hugepages-64kB", "never", "advise"},
	{change_command_line, "cmdline", "kernel command line", "nohz_full=1", "nohz_full=0"},
	{change_memory, "memory", "sga mthp 64K got", "100.0 %", "78.1 %"},
	{change_clock, "clock", "clock source", "tsc", "hpet"},
};

/* Refused with both values and the remedy; declared, or anyway, it is compared and listed. */
static void test_what_refuses(void **state)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		const struct refusal *refusal = &refusals[i];
		const char *const factors[] = {refusal->factor, NULL};
		struct comparison_options declared = presets, anyway = presets;
		const struct comparison_difference *difference;
		struct comparison comparison;
		char sentence[300];

		snprintf(sentence, sizeof(sentence),
			 "%s is '%s' in old and '%s' in new: that could", refusal->what,
			 refusal->base, refusal->other);
		rig_expect(compare_changed(refusal->how, &presets, &comparison), sentence);
		snprintf(sentence, sizeof(sentence), "(--factor %s)", refusal->factor);
		rig_expect(compare_changed(refusal->how, &presets, &comparison), sentence);
		anyway.anyway = true;
		rig_expect_none(compare_changed(refusal->how, &anyway, &comparison));
		difference = rig_difference(&comparison, refusal->what);
		assert_non_null(difference);
		assert_false(difference->declared);
		assert_string_equal(difference->factor->name, refusal->factor);
		assert_string_equal(difference->other, refusal->other);
		comparison_free(&comparison);
		declared.factors = factors;
		rig_expect_none(compare_changed(refusal->how, &declared, &comparison));
		assert_int_equal(comparison.n_differences, 1);
		assert_true(comparison.differences[0].declared);
		comparison_free(&comparison);
	}
}

static void change_much(struct result *result)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++)
		refusals[i].how(result);
}

static void test_one_sentence_however_much(void **state)
{
	const char *const factors[] = {"governor", "build", NULL};
	struct comparison_options options = presets;
	struct comparison comparison;
	const char *sentence;

	options.factors = factors;
	sentence = compare_changed(change_much, &options, &comparison);
	rig_expect(sentence, "; and 6 more: that could explain");
	rig_expect(sentence, "--factor mitigations");
	rig_expect(sentence, "--anyway");
	assert_null(strstr(sentence, "--factor governor"));
}

static void change_kernel(struct result *result)
{
	rig_put(result, "kernel", "6.12.1");
	cJSON_DeleteItemFromObjectCaseSensitive(result->fingerprint, "governor");
	cJSON_DeleteItemFromObjectCaseSensitive(result->fingerprint, "mitigations");
	rig_put(result, "idle_governor", "menu");
	rig_put(result, "command_line", "root=/dev/vda2 rw quiet nohz_full=1 console=ttyS0");
	cJSON_ReplaceItemInObjectCaseSensitive(result->fingerprint, "memory_total_bytes",
					       cJSON_CreateNumber(7900000000));
}

/* A kernel is what many compare; what one side does not tell cannot be known to differ. */
static void test_what_is_listed_only(void **state)
{
	const struct comparison_difference *difference;
	struct comparison comparison;

	rig_expect_none(compare_changed(change_kernel, &presets, &comparison));
	assert_int_equal(comparison.n_differences, 4);
	difference = rig_difference(&comparison, "mitigation spectre_v2");
	assert_non_null(difference);
	assert_null(difference->factor);
	assert_string_equal(difference->other, "not recorded");
	difference = rig_difference(&comparison, "kernel");
	assert_non_null(difference);
	assert_string_equal(difference->base, "6.18.44");
	assert_string_equal(difference->other, "6.12.1");
	assert_false(difference->factor->refuses);
	difference = rig_difference(&comparison, "governor");
	assert_non_null(difference);
	assert_null(difference->factor);
	assert_string_equal(difference->other, "not recorded");
	assert_non_null(rig_difference(&comparison, "idle governor"));
	comparison_free(&comparison);
}

static void change_profile(struct result *result)
{
	cJSON *point = cJSON_GetObjectItem(result->effective, "points")->child;
	cJSON *stream = cJSON_GetObjectItem(point, "streams")->child;
	cJSON *engine = cJSON_GetObjectItem(stream, "engine");

	cJSON_ReplaceItemInObjectCaseSensitive(engine, "kind", cJSON_CreateString("libaio"));
	cJSON_DeleteItemFromObjectCaseSensitive(engine, "sqpoll");
	cJSON_ReplaceItemInObjectCaseSensitive(result->effective, "seed", cJSON_CreateString("9"));
}

/* What the user set is listed, and declared by that. */
static void test_options_are_declared(void **state)
{
	const struct comparison_difference *difference;
	struct comparison comparison;

	rig_expect_none(compare_changed(change_profile, &presets, &comparison));
	assert_int_equal(comparison.n_differences, 2);
	difference = rig_difference(&comparison, "points[0].streams[reads].engine.kind");
	assert_non_null(difference);
	assert_true(difference->declared && !difference->factor);
	assert_string_equal(difference->base, "io_uring");
	assert_string_equal(difference->other, "libaio");
	difference = rig_difference(&comparison, "points[0].streams[reads].engine.sqpoll");
	assert_non_null(difference);
	assert_string_equal(difference->base, "false");
	assert_string_equal(difference->other, "not given");
	comparison_free(&comparison);
}

#define FOLIO "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/shmem_enabled"

static void set_for(struct result *result, unsigned v, const char *path, const char *to)
{
	cJSON *item = cJSON_CreateObject();

	cJSON_AddStringToObject(item, "path", path);
	cJSON_AddStringToObject(item, "from", "?");
	cJSON_AddStringToObject(item, "to", to);
	cJSON_AddItemToArray(result->variants[v].settings, item);
}

static void change_setting(struct result *result)
{
	set_for(result, 0, FOLIO, "advise");
	set_for(result, 0, "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "64");
}

/* What the profile asked for stands over what the machine had. */
static void test_settings_in_force(void **state)
{
	const struct comparison_difference *difference;
	struct comparison comparison;

	rig_expect_none(compare_changed(change_setting, &presets, &comparison));
	assert_int_equal(comparison.n_differences, 1);
	difference = &comparison.differences[0];
	assert_string_equal(difference->what, "shmem_enabled hugepages-64kB");
	assert_string_equal(difference->base, "never");
	assert_string_equal(difference->other, "advise");
	assert_true(difference->declared);
	comparison_free(&comparison);
}

/* One side had what the other one set. */
static void make_set_or_had(struct result *result, unsigned side, unsigned n)
{
	change = NULL;
	make_run(result, side, n);
	if (side)
		change_folio(result);
	else
		set_for(result, 0, FOLIO, "advise");
}

static void test_settings_that_were_there(void **state)
{
	struct comparison comparison;

	rig_expect_none(rig_compare_sides(4, 4, make_set_or_had, &presets, &comparison));
	assert_int_equal(comparison.n_differences, 0);
	comparison_free(&comparison);
}

/* The governor changed while a side ran. */
static void make_half_changed(struct result *result, unsigned side, unsigned n)
{
	change = n >= 2 ? change_governor : NULL;
	make_run(result, side, n);
}

static void test_a_side_that_differs_in_itself(void **state)
{
	struct comparison comparison;

	rig_expect(rig_compare_sides(4, 4, make_half_changed, &presets, &comparison),
		   "governor is 'performance' in old and 'performance, schedutil' in new");
}

static void make_variants(struct result *result)
{
	rig_result(result, 2, 8);
	for (unsigned v = 0; v < 2; v++)
		for (unsigned r = 0; r < 8; r++)
			rig_ops(result, v, r, 1e5 * rig_noise(r + v));
}

/* Variants say by themselves what differs; memory that was not got is no variant's wish. */
static void test_variants(void **state)
{
	const struct comparison_difference *difference;
	struct comparison comparison;
	struct result result;

	make_variants(&result);
	rig_expect_none(rig_compare(&result, &presets, &comparison));
	assert_int_equal(comparison.n_differences, 0);
	comparison_free(&comparison);
	for (unsigned r = 0; r < 8; r++)
		rig_at(&result, 1, r)->audits[0].got_bytes = 100 << 20;
	rig_expect(rig_compare(&result, &presets, &comparison),
		   "sga mthp 64K got is '100.0 %' in a and '39.1 %' in b");
	set_for(&result, 0, FOLIO, "advise");
	set_for(&result, 1, "/proc/sys/vm/swappiness", "1");
	rig_expect_none(rig_compare(&result, &presets, &comparison));
	assert_int_equal(comparison.n_differences, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_true(comparison.differences[i].declared);
	difference = rig_difference(&comparison, "/proc/sys/vm/swappiness");
	assert_non_null(difference);
	assert_string_equal(difference->base, "not given");
	assert_string_equal(difference->other, "1");
	comparison_free(&comparison);
	result_free(&result);
}

/* A fingerprint may be anything. */
static void test_strange_fingerprints(void **state)
{
	static const char odd[] = "{\"kernel\": {}, \"devices\": [3, {\"name\": 7}], "
				  "\"shmem_enabled\": [\"x\"], \"mitigations\": 5}";
	static const char *const texts[] = {"[]", "{}", "null", "[1, {}, \"\\u001b[31m\"]", odd};
	struct comparison comparison;
	struct result result;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		make_variants(&result);
		cJSON_Delete(result.fingerprint);
		cJSON_Delete(result.effective);
		cJSON_Delete(result.variants[0].settings);
		result.fingerprint = cJSON_Parse(texts[i]);
		result.effective = cJSON_Parse(texts[i]);
		result.variants[0].settings = cJSON_Parse(texts[i]);
		rig_expect_none(rig_compare(&result, &presets, &comparison));
		comparison_free(&comparison);
		result_free(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise_is_no_difference),
		cmocka_unit_test(test_what_refuses),
		cmocka_unit_test(test_one_sentence_however_much),
		cmocka_unit_test(test_what_is_listed_only),
		cmocka_unit_test(test_options_are_declared),
		cmocka_unit_test(test_settings_in_force),
		cmocka_unit_test(test_settings_that_were_there),
		cmocka_unit_test(test_a_side_that_differs_in_itself),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_strange_fingerprints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
