/* SPDX-License-Identifier: MIT */
/* compare.c - the command compare: the variants of a result, or results of two sides. */
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/field.h"
#include "command/command.h"
#include "command/compare_inputs.h"
#include "report/comparison.h"
#include "stats/comparison.h"
#include "stats/result.h"

extern const struct command_ops command_compare;

#define TRIM_BYTES (16 << 20) /* a few documents */

enum fail_on { FAIL_ON_NONE, FAIL_ON_REGRESSED, FAIL_ON_INCONCLUSIVE };

struct compare_params {
	int format;
	int fail_on;
	double alpha;
	bool all, anyway, json;
};

static const char *const compare_formats[] = {"text", "json", "benchfmt", NULL};
static const char *const compare_fail_on[] = {"none", "regressed", "inconclusive", NULL};

static const struct field compare_fields[] = {
	FIELD_CHOICE("format", struct compare_params, format, "text", compare_formats,
		     "what is printed on standard output"),
	FIELD_BOOL("json", struct compare_params, json, "false", "the same as --format json"),
	FIELD_BOOL("all", struct compare_params, all, "false",
		   "every descriptive metric, not only those that moved"),
	FIELD_CHOICE("fail-on", struct compare_params, fail_on, "none", compare_fail_on,
		     "exit 6 if a primary metric regressed; inconclusive: exit 5, too, if one is"),
	FIELD_REAL("alpha", struct compare_params, alpha, "0.05",
		   "how often a difference may be called where there is none, over all primary "
		   "metrics"),
	FIELD_BOOL("anyway", struct compare_params, anyway, "false",
		   "compares although something else differs that could explain a change"),
	FIELD_END};

enum compare_list { COMPARE_THRESHOLDS, COMPARE_METRICS, COMPARE_FACTORS };

static const struct command_list compare_lists[] = {
	[COMPARE_THRESHOLDS] = {.name = "threshold",
				.placeholder = "[METRIC=]N",
				.help = "smallest change that matters, in percent, 2 if not said; "
					"mbps=3 or read.mbps=3 for one metric"},
	[COMPARE_METRICS] = {.name = "metric",
			     .placeholder = "METRIC",
			     .help = "primary metric, as p99_us or read.p99_us; else those that "
				     "the results declare"},
	[COMPARE_FACTORS] = {.name = "factor",
			     .placeholder = "NAME",
			     .help = "what is meant to differ, as governor or scheduler"},
	{.name = NULL}};

/* "3", "mbps=3", "read.mbps=3": percent. */
static int parse_threshold(const char *text, struct comparison_threshold *ret, struct error *error)
{
	const char *equals = strchr(text, '='), *number = equals ? equals + 1 : text;
	size_t length = equals ? (size_t)(equals - text) : 0;
	double percent;
	char *end;

	percent = strtod(number, &end);
	if (end == number || *end || !(percent > 0 && percent < 100))
		return error_set(error, ERROR_INPUT,
				 "compare: --threshold: '%s' is no percentage above 0 and below "
				 "100, as 3 or mbps=3",
				 text);
	if (length >= sizeof(ret->metric) || (equals && length == 0))
		return error_set(error, ERROR_INPUT,
				 "compare: --threshold: '%s' names no metric; write mbps=3", text);
	snprintf(ret->metric, sizeof(ret->metric), "%.*s", (int)length, text);
	ret->fraction = percent / 100;
	return 0;
}

/* Those of a metric into thresholds, the last one without as the preset of all. */
static int parse_thresholds(const struct command_list *list,
			    struct comparison_threshold *thresholds,
			    struct comparison_options *options, struct error *error)
{
	for (unsigned i = 0; i < list->n; i++) {
		struct comparison_threshold *threshold = &thresholds[options->n_thresholds];

		if (parse_threshold(list->values[i], threshold, error) < 0)
			return error->code;
		if (threshold->metric[0])
			options->n_thresholds++;
		else
			options->threshold = threshold->fraction;
	}
	options->thresholds = thresholds;
	return 0;
}

static int make_options(const struct command_args *args, struct comparison_threshold *thresholds,
			struct comparison_options *ret, struct error *error)
{
	const struct compare_params *params = args->params;
	const struct command_list *metrics = &args->lists[COMPARE_METRICS];
	const struct command_list *factors = &args->lists[COMPARE_FACTORS];

	*ret = comparison_presets;
	ret->alpha = params->alpha;
	ret->anyway = params->anyway;
	ret->metrics = metrics->n ? metrics->values : NULL;
	ret->factors = factors->n ? factors->values : NULL;
	if (!(ret->alpha >= 0.0001 && ret->alpha <= 0.5))
		return error_set(error, ERROR_INPUT,
				 "compare: --alpha: %g is not between 0.0001 and 0.5", ret->alpha);
	return parse_thresholds(&args->lists[COMPARE_THRESHOLDS], thresholds, ret, error);
}

static bool is_metric(const char *name, const struct comparison_row *row)
{
	size_t length = strlen(row->class);

	if (strncmp(name, row->class, length) == 0 && name[length] == '.')
		name += length + 1;
	return strcmp(name, row->metric.name) == 0;
}

/* A threshold of a metric that is not there is a slip of the pen, not a wish. */
static int check_thresholds(const struct comparison_options *options,
			    const struct comparison *comparison, struct error *error)
{
	for (unsigned i = 0; i < options->n_thresholds; i++) {
		const char *metric = options->thresholds[i].metric;
		unsigned row = 0;

		while (row < comparison->n_rows && !is_metric(metric, &comparison->rows[row]))
			row++;
		if (row == comparison->n_rows)
			return error_set(error, ERROR_INPUT,
					 "compare: --threshold: these results have no metric "
					 "'%s'; orion-sim list metrics shows those there are",
					 metric);
	}
	return 0;
}

static int compare_variants(const char *path, const struct comparison_options *options,
			    struct comparison *ret, struct error *error)
{
	struct result result = {0};
	int status = result_load(path, false, &result, error);

	if (status < 0)
		return status;
	status = comparison_of_variants(&result, options, ret, error);
	result_free(&result);
	return status < 0 ? error_prefix(error, "%s: ", path) : 0;
}

/* No more than one result is in memory. */
static int add_side(struct comparison_builder *builder, unsigned side,
		    const struct compare_inputs *inputs, struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < inputs->n && status == 0; i++) {
		struct result result = {0};

		status = result_load_figures(inputs->paths[i], &result, error);
		if (status < 0)
			return status;
		status = comparison_add(builder, side, inputs->label, inputs->paths[i], &result,
					error);
		result_free(&result);
	}
	return status;
}

static int compare_sides(const struct compare_inputs inputs[2],
			 const struct comparison_options *options, struct comparison *ret,
			 struct error *error)
{
	struct comparison_builder *builder;
	int status = comparison_begin(options, &builder, error);

	if (status < 0)
		return status;
	/* What one document leaves free the next one takes, and is not given back in between. */
	mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
	for (unsigned side = 0; side < 2 && status == 0; side++)
		status = add_side(builder, side, &inputs[side], error);
	if (status == 0)
		return comparison_finish(builder, ret, error);
	comparison_abandon(builder);
	return status;
}

/* How many words are the base: those in front of "--", else the first of two. */
static int count_base(const struct command_args *args, unsigned *ret, struct error *error)
{
	unsigned n = args->n_words;

	if (args->divider >= 0 && (args->divider == 0 || (unsigned)args->divider == n))
		return error_set(error, ERROR_INPUT,
				 "compare: nothing stands %s --; usage: orion-sim compare BASE… "
				 "-- NEW…",
				 args->divider == 0 ? "in front of" : "behind");
	if (args->divider < 0 && n > 2)
		return error_set(error, ERROR_INPUT,
				 "compare: %u words, and which are the base? orion-sim compare "
				 "BASE… -- NEW…",
				 n);
	*ret = args->divider >= 0 ? (unsigned)args->divider : 1;
	return 0;
}

static int read_inputs(const struct command_args *args, unsigned n_base,
		       struct compare_inputs ret[2], struct error *error)
{
	for (unsigned i = 0; i < args->n_words; i++) {
		if (args->divider >= 0 && strncmp(args->words[i], "--", 2) == 0)
			return error_set(error, ERROR_INPUT,
					 "compare: %s stands behind --, where there are only names "
					 "of results; options go in front",
					 args->words[i]);
		if (compare_inputs_add(&ret[i >= n_base], args->words[i], error) < 0)
			return error_prefix(error, "compare: ");
	}
	compare_inputs_label(&ret[0], args->words, n_base, &ret[1], args->words + n_base,
			     args->n_words - n_base);
	return 0;
}

static int compare_words(const struct command_args *args, const struct comparison_options *options,
			 struct comparison *ret, struct error *error)
{
	struct compare_inputs inputs[2] = {{.n = 0}, {.n = 0}};
	unsigned n_base;
	int status = count_base(args, &n_base, error);

	if (status == 0)
		status = read_inputs(args, n_base, inputs, error);
	if (status == 0 && args->n_words > 1)
		status = compare_sides(inputs, options, ret, error);
	else if (status == 0 && inputs[0].n == 1)
		status = compare_variants(inputs[0].paths[0], options, ret, error);
	else if (status == 0)
		status = error_set(error, ERROR_INPUT,
				   "compare: %s holds %zu results, and against what? orion-sim "
				   "compare %s NEW",
				   args->words[0], inputs[0].n, args->words[0]);
	compare_inputs_free(&inputs[0]);
	compare_inputs_free(&inputs[1]);
	return status;
}

/* The exit code that was asked for; what regressed weighs more than what is open. */
static int judge(const struct comparison *comparison, int fail_on, struct error *error)
{
	unsigned regressed = comparison_count(comparison, 0, COMPARE_REGRESSED);
	unsigned open = comparison_count(comparison, 0, COMPARE_INCONCLUSIVE) +
			comparison_count(comparison, 0, COMPARE_NOTHING);

	if (fail_on != FAIL_ON_NONE && regressed > 0) {
		error_set(error, -ECANCELED, "--fail-on %s: %u primary metric%s regressed",
			  compare_fail_on[fail_on], regressed, regressed == 1 ? "" : "s");
		return EXIT_CODE_REGRESSED;
	}
	if (fail_on == FAIL_ON_INCONCLUSIVE && open > 0) {
		error_set(error, -ECANCELED, "--fail-on %s: %u primary metric%s inconclusive",
			  compare_fail_on[fail_on], open, open == 1 ? " is" : "s are");
		return EXIT_CODE_INCONCLUSIVE;
	}
	return EXIT_CODE_OK;
}

static int print_comparison(const struct comparison *comparison,
			    const struct compare_params *params, struct error *error)
{
	const char *format = params->json ? "json" : compare_formats[params->format];
	const struct entry *entry;

	if (catalog_find(&comparison_catalog, format, &entry, error) < 0)
		return command_exit_code(error);
	if (comparison_ops_of(entry)->write(comparison, params->all, stdout, error) < 0)
		return EXIT_CODE_FAILED;
	return judge(comparison, params->fail_on, error);
}

static int compare_run(const struct command_args *args, struct error *error)
{
	CLEANUP(cleanup_free)
	struct comparison_threshold *thresholds =
		calloc(args->lists[COMPARE_THRESHOLDS].n + 1, sizeof(*thresholds));
	struct comparison_options options;
	struct comparison comparison = {0};
	int code;

	if (!thresholds) {
		error_set(error, -ENOMEM, "no memory");
		return EXIT_CODE_FAILED;
	}
	if (make_options(args, thresholds, &options, error) < 0 ||
	    compare_words(args, &options, &comparison, error) < 0)
		return command_exit_code(error);
	code = check_thresholds(&options, &comparison, error) < 0
		       ? command_exit_code(error)
		       : print_comparison(&comparison, args->params, error);
	comparison_free(&comparison);
	return code;
}

const struct command_ops command_compare = {
	.entry = {.name = "compare",
		  .summary = "says which variant, or which side, is better, and how sure that is",
		  .fields = compare_fields,
		  .params_size = sizeof(struct compare_params)},
	.words_usage = "RESULT | BASE NEW | BASE… -- NEW…",
	.words_min = 1,
	.words_max = COMMAND_WORDS_MAX,
	.lists = compare_lists,
	.run = compare_run};
