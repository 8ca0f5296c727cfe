/* SPDX-License-Identifier: MIT */
/* test_field.c - one table presets, reads, checks, writes and shows a struct of parameters. */
#include "base/field.h"

#include <stdlib.h>

#include "base/json.h"
#include "expect.h"

struct params {
	uint64_t block_bytes, depth, think_ns, seed;
	bool registered;
	double skew;
	int pattern;
	char label[8];
};

static const char *const patterns[] = {"random", "sequential", NULL};

static const struct field fields[] = {
	FIELD_SIZE("block", struct params, block_bytes, "8k", 512, 1 << 30, "bytes a request"),
	FIELD_COUNT("depth", struct params, depth, "32", 1, 65536, "requests in flight"),
	FIELD_DURATION("think", struct params, think_ns, "0", 0, 0, "pause"),
	FIELD_COUNT("seed", struct params, seed, "1", 0, 0, "of the random numbers"),
	FIELD_BOOL("registered", struct params, registered, "true", "buffers are registered"),
	FIELD_REAL("skew", struct params, skew, "0.5", "how uneven"),
	FIELD_CHOICE("pattern", struct params, pattern, "random", patterns, "where next"),
	FIELD_TEXT("label", struct params, label, "", "a name"),
	FIELD_END,
};

static struct params presets(void)
{
	struct params params;

	memset(&params, 0xff, sizeof(params));
	field_presets(fields, &params);
	return params;
}

static void presets_reach_every_member(void **state)
{
	struct params params = presets();

	assert_int_equal(params.block_bytes, 8192);
	assert_int_equal(params.depth, 32);
	assert_int_equal(params.think_ns, 0);
	assert_int_equal(params.seed, 1);
	assert_true(params.registered);
	assert_true(params.skew == 0.5);
	assert_int_equal(params.pattern, 0);
	assert_string_equal(params.label, "");
	field_presets(NULL, NULL);
}

/* Reads {KEY: VALUE} over presets. */
static int read_text(const char *text, struct params *params, struct error *error)
{
	static const char *const others[] = {"kind", NULL};
	struct json_document *document = NULL;
	int r = json_parse("p.json", text, &document, error);

	if (r)
		return r;
	*params = presets();
	r = field_read(fields, document, json_root(document), others, params, error);
	json_free(document);
	return r;
}

static void an_object_is_read_over_the_presets(void **state)
{
	struct params params = presets();

	EXPECT_OK(read_text("{\"kind\": [\"left alone\"], \"block\": \"64K\", \"depth\": 8,"
			    " \"think\": 0.1, \"seed\": \"18446744073709551615\","
			    " \"registered\": false, \"skew\": -1e3, \"pattern\": \"sequential\","
			    " \"label\": \"1234567\"}",
			    &params, &error));
	assert_int_equal(params.block_bytes, 65536);
	assert_int_equal(params.depth, 8);
	assert_int_equal(params.think_ns, 100000000);
	assert_int_equal(params.seed, UINT64_MAX);
	assert_false(params.registered);
	assert_true(params.skew == -1000);
	assert_int_equal(params.pattern, 1);
	assert_string_equal(params.label, "1234567");

	EXPECT_OK(read_text("{\"block\": 4096, \"depth\": \"65536\", \"think\": \"250us\","
			    " \"seed\": 9007199254740991, \"registered\": \"false\"}",
			    &params, &error));
	assert_int_equal(params.block_bytes, 4096);
	assert_int_equal(params.depth, 65536);
	assert_int_equal(params.think_ns, 250000);
	assert_int_equal(params.seed, 9007199254740991);
	assert_false(params.registered);
	assert_true(params.skew == 0.5);
}

static const struct {
	const char *text, *sentence;
} broken_values[] = {
	{"{\n\"depth\": \"abc\"}", "p.json:2: depth: 'abc' is not a whole number"},
	{"{\"depth\": 0}", "p.json:1: depth: 0 is out of bounds (1 … 65536)"},
	{"{\"depth\": 65537}", "p.json:1: depth: 65537 is out of bounds (1 … 65536)"},
	{"{\"depth\": 1.5}", "p.json:1: depth: 1.5 is not a whole number of 0 or more"},
	{"{\"depth\": -1}", "p.json:1: depth: -1 is not a whole number of 0 or more"},
	{"{\"depth\": -1e300}", "p.json:1: depth: -1e+300 is not a whole number of 0 or more"},
	{"{\"depth\": true}",
	 "p.json:1: depth: a whole number (1 … 65536) is expected here, not true"},
	{"{\"depth\": null}",
	 "p.json:1: depth: a whole number (1 … 65536) is expected here, not null"},
	{"{\"seed\": 9007199254740992}",
	 "p.json:1: seed: 9007199254740992 is 2^53 or more and not exact in JSON; write "
	 "its digits in quotes"},
	{"{\"block\": \"8q\"}",
	 "p.json:1: block: '8q' is not a size (such as 4096, 8k, 64K, 1M, 4g)"},
	{"{\"block\": \"2g\"}", "p.json:1: block: 2G is out of bounds (512 … 1G)"},
	{"{\"block\": [1]}", "p.json:1: block: a size (512 … 1G) is expected here, not an array"},
	{"{\"think\": -1}", "p.json:1: think: -1 seconds is not a duration"},
	{"{\"think\": 1e11}", "p.json:1: think: 100000000000 seconds is not a duration"},
	{"{\"think\": {}}",
	 "p.json:1: think: a duration (0 or more) is expected here, not an object"},
	{"{\"registered\": 1}",
	 "p.json:1: registered: true or false is expected here, not the number 1"},
	{"{\"registered\": \"yes\"}", "p.json:1: registered: 'yes' is neither true nor false"},
	{"{\"skew\": \"0x10\"}", "p.json:1: skew: '0x10' is not a number"},
	{"{\"skew\": \"inf\"}", "p.json:1: skew: 'inf' is not a number"},
	{"{\"skew\": \"1e999\"}", "p.json:1: skew: '1e999' is not a number"},
	{"{\"skew\": \"\"}", "p.json:1: skew: '' is not a number"},
	{"{\"skew\": false}", "p.json:1: skew: a number is expected here, not false"},
	{"{\"pattern\": \"randm\"}",
	 "p.json:1: pattern: no pattern is called 'randm' (there are: random, sequential; "
	 "did you mean 'random'?)"},
	{"{\"pattern\": 0}", "p.json:1: pattern: one of the words (random | sequential) is "
			     "expected here, not the number 0"},
	{"{\"label\": \"12345678\"}", "p.json:1: label: '12345678' is longer than 7 bytes"},
	{"{\"label\": 5}", "p.json:1: label: text in quotes is expected here, not the number 5"},
	{"[]", "p.json:1: an object in braces is expected here"},
};

static void each_broken_value_has_its_sentence(void **state)
{
	for (size_t i = 0; i < sizeof(broken_values) / sizeof(broken_values[0]); i++) {
		struct params params;

		EXPECT_ERROR(read_text(broken_values[i].text, &params, &error), ERROR_INPUT,
			     broken_values[i].sentence);
	}
}

static void an_unknown_key_is_told_all_others(void **state)
{
	struct params params;

	EXPECT_ERROR(read_text("{\"depth\": 1,\n\"blok\": 2}", &params, &error), ERROR_INPUT,
		     "p.json:2: blok: no key is called 'blok' (there are: kind, block, depth, "
		     "think, seed, registered, skew, pattern, label; did you mean 'block'?)");
}

static void an_error_may_be_null(void **state)
{
	struct json_document *document = NULL;
	struct params params = presets();

	EXPECT_OK(json_parse("p", "{\"depth\": 0}", &document, &error));
	assert_int_equal(field_read(fields, document, json_root(document), NULL, &params, NULL),
			 ERROR_INPUT);
	json_free(document);
}

static void what_is_written_reads_back(void **state)
{
	static const struct params wanted = {
		.block_bytes = 4097,
		.depth = 65536,
		.think_ns = 1234567891,
		.seed = UINT64_MAX - 1,
		.registered = false,
		.skew = 0.1,
		.pattern = 1,
		.label = "a\"b\n",
	};
	cJSON *object = cJSON_CreateObject();
	struct params params = presets();
	char *text;

	field_write(fields, &wanted, object);
	text = cJSON_Print(object);
	EXPECT_OK(read_text(text, &params, &error));
	assert_int_equal(params.block_bytes, wanted.block_bytes);
	assert_int_equal(params.depth, wanted.depth);
	assert_int_equal(params.think_ns, wanted.think_ns);
	assert_int_equal(params.seed, wanted.seed);
	assert_int_equal(params.registered, wanted.registered);
	assert_true(params.skew == wanted.skew);
	assert_int_equal(params.pattern, wanted.pattern);
	assert_string_equal(params.label, wanted.label);
	cJSON_free(text);
	cJSON_Delete(object);
}

static void counts_stay_exact_where_cjson_rounds(void **state)
{
	struct params wanted = presets(), params = presets();
	static const uint64_t seeds[] = {999999999999999, 1000000000000001, 9007199254740991};

	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		cJSON *object = cJSON_CreateObject();
		char *text;

		wanted.seed = seeds[i];
		field_write(fields, &wanted, object);
		text = cJSON_PrintUnformatted(object);
		EXPECT_OK(read_text(text, &params, &error));
		assert_int_equal(params.seed, seeds[i]);
		cJSON_free(text);
		cJSON_Delete(object);
	}
}

static void members_are_shown_as_a_user_writes_them(void **state)
{
	static const char *const shown[] = {"8K", "32", "0s", "1", "true", "0.5", "random", ""};
	struct params params = presets();
	char text[64];

	for (size_t i = 0; fields[i].name; i++) {
		field_format(&fields[i], &params, text, sizeof(text));
		assert_string_equal(text, shown[i]);
		EXPECT_OK(field_parse(&fields[i], text, &params, &error));
	}
	params.skew = 1.0 / 3;
	field_format(&fields[5], &params, text, sizeof(text));
	assert_true(strtod(text, NULL) == 1.0 / 3);
}

static void bounds_are_words(void **state)
{
	static const char *const bounds[] = {
		"512 … 1G",	"1 … 65536",  "0 or more",	     "0 or more",
		"true | false", "any number", "random | sequential", "any text"};
	char text[64];

	for (size_t i = 0; fields[i].name; i++)
		assert_string_equal(field_bounds(&fields[i], text, sizeof(text)), bounds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets_reach_every_member),
		cmocka_unit_test(an_object_is_read_over_the_presets),
		cmocka_unit_test(each_broken_value_has_its_sentence),
		cmocka_unit_test(an_unknown_key_is_told_all_others),
		cmocka_unit_test(an_error_may_be_null),
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(counts_stay_exact_where_cjson_rounds),
		cmocka_unit_test(members_are_shown_as_a_user_writes_them),
		cmocka_unit_test(bounds_are_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
