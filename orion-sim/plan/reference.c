/* SPDX-License-Identifier: MIT */
/* reference.c - published figures that a profile carries, for reports to show beside its own. */
#include "plan/reference.h"

#include "base/error.h"
#include "base/field.h"
#include "base/json.h"
#include "plan/parts.h"

struct reference_words {
	char title[256], hardware[256];
	uint64_t year;
};

static const struct field reference_fields[] = {
	FIELD_TEXT("title", struct reference_words, title, "", "of what was published"),
	FIELD_COUNT("year", struct reference_words, year, "0", 0, 9999, "of it"),
	FIELD_TEXT("hardware", struct reference_words, hardware, "", "where it was measured"),
	FIELD_END};

static int values_check(const struct json_document *document, const cJSON *row, const cJSON *values,
			struct error *error)
{
	const cJSON *value;

	if (!cJSON_IsObject(values))
		return json_fail(document, values ? values : row, error, ERROR_INPUT,
				 "needs \"values\", an object like {\"faults_per_sec\": 17082522}");
	cJSON_ArrayForEach (value, values)
		if (!cJSON_IsNumber(value))
			return json_fail(document, value, error, ERROR_INPUT, "must be a number");
	return 0;
}

static int row_check(const struct json_document *document, const cJSON *row, struct error *error)
{
	static const char *const keys[] = {"label", "values", NULL};
	const cJSON *label = cJSON_GetObjectItemCaseSensitive(row, "label");
	int status;

	if (!cJSON_IsObject(row))
		return json_fail(document, row, error, ERROR_INPUT,
				 "must be an object like {\"label\": \"64K\", \"values\": {…}}");
	status = json_check_keys(document, row, keys, error);
	if (status < 0)
		return status;
	if (!cJSON_IsString(label))
		return json_fail(document, label ? label : row, error, ERROR_INPUT,
				 "needs a \"label\", as \"64K\"");
	status = label_check(document, label, label->valuestring, error);
	return status < 0 ? status
			  : values_check(document, row,
					 cJSON_GetObjectItemCaseSensitive(row, "values"), error);
}

int reference_check(const struct json_document *document, const cJSON *node, struct error *error)
{
	static const char *const others[] = {"rows", NULL};
	const cJSON *rows = cJSON_GetObjectItemCaseSensitive(node, "rows"), *row;
	struct reference_words words = {0};
	int status;

	if (!node)
		return 0;
	if (!cJSON_IsObject(node))
		return json_fail(document, node, error, ERROR_INPUT,
				 "must be an object with \"title\", \"year\", \"hardware\" and "
				 "\"rows\"");
	status = field_read(reference_fields, document, node, others, &words, error);
	if (status < 0)
		return status;
	if (!cJSON_IsArray(rows))
		return json_fail(document, rows ? rows : node, error, ERROR_INPUT,
				 "needs \"rows\", a list like [{\"label\": \"64K\", \"values\": "
				 "{…}}]");
	cJSON_ArrayForEach (row, rows) {
		status = row_check(document, row, error);
		if (status < 0)
			return status;
	}
	return 0;
}
