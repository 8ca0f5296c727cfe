/* SPDX-License-Identifier: MIT */
/* test_catalog.c - entries are found by name, read with their parameters, and labelled. */
#include "base/catalog.h"

#include "base/field.h"
#include "base/json.h"
#include "expect.h"

struct huge_params {
	uint64_t page_bytes;
	int from;
	bool locked, checked;
};

static const char *const sources[] = {"sysv", "mmap", NULL};

static const struct field huge_fields[] = {
	FIELD_SIZE("page", struct huge_params, page_bytes, "2m", 0, 0, "page size"),
	FIELD_CHOICE("from", struct huge_params, from, "sysv", sources, "how it is got"),
	FIELD_BOOL("locked", struct huge_params, locked, "false", "locked"),
	FIELD_BOOL("checked", struct huge_params, checked, "true", "checked"),
	FIELD_END,
};

static const struct entry huge = {"hugetlb", "huge pages", huge_fields, sizeof(struct huge_params)};
static const struct entry base = {"base", "base pages", NULL, 0};
static const struct entry *const entries[] = {&base, &huge, NULL};
static const struct catalog catalog = {"memory kind", entries};

static void an_entry_is_found_by_its_whole_name(void **state)
{
	const struct entry *entry = NULL;

	EXPECT_OK(catalog_find(&catalog, "hugetlb", &entry, &error));
	assert_ptr_equal(entry, &huge);
	EXPECT_ERROR(catalog_find(&catalog, "hugetbl", &entry, &error), ERROR_INPUT,
		     "no memory kind is called 'hugetbl' (there are: base, hugetlb; did you mean "
		     "'hugetlb'?)");
	EXPECT_ERROR(catalog_find(&catalog, "HUGE", &entry, &error), ERROR_INPUT,
		     "no memory kind is called 'HUGE' (there are: base, hugetlb)");
	assert_ptr_equal(entry, &huge);
}

static int read_choice(const char *text, struct choice *ret, struct error *error)
{
	struct json_document *document = NULL;
	int r = json_parse("p.json", text, &document, error);

	if (r)
		return r;
	r = catalog_read(&catalog, document, cJSON_GetObjectItem(json_root(document), "memory"),
			 ret, error);
	json_free(document);
	return r;
}

static void a_name_alone_means_all_presets(void **state)
{
	const struct huge_params *params;
	struct choice choice = {.entry = NULL};

	EXPECT_OK(read_choice("{\"memory\": \"hugetlb\"}", &choice, &error));
	params = choice.params;
	assert_ptr_equal(choice.entry, &huge);
	assert_int_equal(params->page_bytes, 2 << 20);
	assert_true(params->checked);
	choice_free(&choice);
	assert_null(choice.params);

	EXPECT_OK(read_choice("{\"memory\": {\"kind\": \"base\"}}", &choice, &error));
	assert_ptr_equal(choice.entry, &base);
	assert_null(choice.params);
	choice_free(&choice);
}

static void an_object_gives_parameters(void **state)
{
	const struct huge_params *params;
	struct choice choice = {.entry = NULL};

	EXPECT_OK(read_choice("{\"memory\": {\"page\": \"1g\", \"kind\": \"hugetlb\"}}", &choice,
			      &error));
	params = choice.params;
	assert_int_equal(params->page_bytes, 1 << 30);
	assert_int_equal(params->from, 0);
	choice_free(&choice);
}

static void each_broken_choice_has_its_sentence(void **state)
{
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{"{\"memory\": \"huge\"}",
		 "p.json:1: memory: no memory kind is called 'huge' (there are: base, hugetlb)"},
		{"{\"memory\":\n{\"kind\":\n\"bose\"}}",
		 "p.json:2: memory.kind: no memory kind is called 'bose' (there are: base, "
		 "hugetlb; did you mean 'base'?)"},
		{"{\"memory\": {\"page\": \"2m\"}}",
		 "p.json:1: memory: the key \"kind\" is missing, it names the memory kind"},
		{"{\"memory\": {\"kind\": 3}}",
		 "p.json:1: memory.kind: the name of the memory kind is expected here, or an "
		 "object like {\"kind\": \"base\"}"},
		{"{\"memory\": 3}", "p.json:1: memory: the name of the memory kind is expected "
				    "here, or an object like {\"kind\": \"base\"}"},
		{"{}", "p.json: the name of the memory kind is expected here, or an object like "
		       "{\"kind\": \"base\"}"},
		{"{\"memory\": {\"kind\": \"base\", \"page\": 1}}",
		 "p.json:1: memory.page: no key is called 'page' (there are: kind)"},
		{"{\"memory\": {\"kind\": \"hugetlb\", \"page\": \"x\"}}",
		 "p.json:1: memory.page: 'x' is not a size (such as 4096, 8k, 64K, 1M, 4g)"},
	};
	struct choice choice = {.entry = &base};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		EXPECT_ERROR(read_choice(rows[i].text, &choice, &error), ERROR_INPUT,
			     rows[i].sentence);
	assert_ptr_equal(choice.entry, &base);
}

static void every_parameter_is_written(void **state)
{
	struct choice choice = {.entry = NULL};
	cJSON *object;
	char *text;

	EXPECT_OK(catalog_choose(&huge, &choice, &error));
	object = choice_write(&choice);
	text = cJSON_PrintUnformatted(object);
	assert_string_equal(text, "{\"kind\":\"hugetlb\",\"page\":\"2M\",\"from\":\"sysv\","
				  "\"locked\":false,\"checked\":true}");
	cJSON_free(text);
	cJSON_Delete(object);
	choice_free(&choice);

	EXPECT_OK(catalog_choose(&base, &choice, &error));
	object = choice_write(&choice);
	text = cJSON_PrintUnformatted(object);
	assert_string_equal(text, "{\"kind\":\"base\"}");
	cJSON_free(text);
	cJSON_Delete(object);
	choice_free(&choice);
}

static void a_label_says_what_is_not_preset(void **state)
{
	struct huge_params params = {.page_bytes = 2 << 20, .checked = true};
	struct choice choice = {.entry = &huge, .params = &params};
	char text[64], small[10];

	assert_string_equal(choice_label(&choice, text, sizeof(text)), "hugetlb");
	params.page_bytes = 1 << 30;
	params.from = 1;
	assert_string_equal(choice_label(&choice, text, sizeof(text)), "hugetlb 1G mmap");
	params = (struct huge_params){.page_bytes = 2 << 20, .locked = true};
	assert_string_equal(choice_label(&choice, text, sizeof(text)), "hugetlb locked no checked");
	assert_string_equal(choice_label(&choice, small, sizeof(small)), "hugetlb l");
	choice = (struct choice){.entry = &base};
	assert_string_equal(choice_label(&choice, text, sizeof(text)), "base");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_is_found_by_its_whole_name),
		cmocka_unit_test(a_name_alone_means_all_presets),
		cmocka_unit_test(an_object_gives_parameters),
		cmocka_unit_test(each_broken_choice_has_its_sentence),
		cmocka_unit_test(every_parameter_is_written),
		cmocka_unit_test(a_label_says_what_is_not_preset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
