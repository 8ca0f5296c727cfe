/* SPDX-License-Identifier: MIT */
/* comparison_metrics.c - which metrics are compared, which of them count, and what change matters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "stats/comparison_parts.h"
#include "stats/result.h"

#define SENTENCE_BYTES 900

/* Where the results declare none; iops counts only where no bytes move (is_primary). */
static const char *const preset_metrics[] = {"mbps", "iops", "p99_us", "cpu_us", NULL};

/* "read.mbps" or "mbps". */
static int spec_read(const char *what, const char *text, struct metric_spec *ret,
		     struct error *error)
{
	const char *dot = strchr(text, '.');
	size_t class = dot ? (size_t)(dot - text) : 0;
	const char *metric;

	/* No class has so long a name, but hugepages-1024kB.shmem_alloc is a metric. */
	if (class >= sizeof(ret->class))
		dot = NULL;
	class = dot ? class : 0;
	metric = dot ? dot + 1 : text;
	if (!*metric || strlen(metric) >= sizeof(ret->metric) ||
	    strlen(text) >= sizeof(ret->text) || (dot && class == 0))
		return error_set(error, ERROR_INPUT,
				 "%s: '%.80s' is no metric: METRIC or CLASS.METRIC is expected, as "
				 "in p99_us or read.mbps",
				 what, text);
	*ret = (struct metric_spec){.text = ""};
	snprintf(ret->text, sizeof(ret->text), "%s", text);
	snprintf(ret->metric, sizeof(ret->metric), "%s", metric);
	memcpy(ret->class, text, class);
	return 0;
}

static bool spec_is_there(const struct comparison_builder *builder, const char *text)
{
	for (unsigned i = 0; i < builder->n_specs; i++)
		if (strcmp(builder->specs[i].text, text) == 0)
			return true;
	return false;
}

static int spec_add(struct comparison_builder *builder, const char *what, const char *text,
		    const char *from, struct error *error)
{
	struct metric_spec spec, *specs;
	int rc = spec_read(what, text, &spec, error);

	if (rc < 0 || spec_is_there(builder, text))
		return rc;
	specs = parts_grow(builder->specs, builder->n_specs, &builder->specs_room, sizeof(*specs));
	if (!specs)
		return parts_no_memory(error);
	builder->specs = specs;
	snprintf(spec.from, sizeof(spec.from), "%.95s", from);
	specs[builder->n_specs++] = spec;
	return 0;
}

static int metric_add(struct comparison_builder *builder, const char *name, const char *unit,
		      bool higher_better, struct error *error)
{
	struct comparison_metric *metrics = parts_grow(builder->metrics, builder->n_metrics,
						       &builder->metrics_room, sizeof(*metrics));
	struct comparison_metric *metric;

	if (!metrics)
		return parts_no_memory(error);
	builder->metrics = metrics;
	metric = &metrics[builder->n_metrics++];
	snprintf(metric->name, sizeof(metric->name), "%s", name);
	snprintf(metric->unit, sizeof(metric->unit), "%s", unit);
	metric->higher_better = higher_better;
	return 0;
}

int comparison_find_metric(const struct comparison_builder *builder, const char *name)
{
	for (unsigned i = 0; i < builder->n_metrics; i++)
		if (strcmp(builder->metrics[i].name, name) == 0)
			return (int)i;
	return -1;
}

static int read_thresholds(struct comparison_builder *builder,
			   const struct comparison_options *options, struct error *error)
{
	unsigned n = options->n_thresholds;
	int rc = 0;

	builder->thresholds = calloc(n + 1, sizeof(*builder->thresholds));
	builder->fractions = calloc(n + 1, sizeof(*builder->fractions));
	if (!builder->thresholds || !builder->fractions)
		return parts_no_memory(error);
	for (unsigned i = 0; i < n && rc == 0; i++) {
		builder->fractions[i] = options->thresholds[i].fraction;
		rc = spec_read("--threshold", options->thresholds[i].metric,
			       &builder->thresholds[builder->n_thresholds++], error);
	}
	return rc;
}

static int unknown_factor(const char *name, struct error *error)
{
	const char *names[64];
	char sentence[SENTENCE_BYTES];
	unsigned n = 0;

	for (; n < 63 && comparison_factors[n].name; n++)
		names[n] = comparison_factors[n].name;
	names[n] = NULL;
	return error_set(error, ERROR_INPUT, "--factor: %s",
			 words_unknown("factor", name, names, sentence, sizeof(sentence)));
}

static int read_factors(struct comparison_builder *builder, const char *const *names,
			struct error *error)
{
	unsigned n = 0;

	while (names && names[n])
		n++;
	builder->factors = calloc(n + 1, sizeof(const struct comparison_factor *));
	if (!builder->factors)
		return parts_no_memory(error);
	for (; builder->n_factors < n; builder->n_factors++) {
		const struct comparison_factor *factor =
			comparison_factor_of(names[builder->n_factors]);

		if (!factor)
			return unknown_factor(names[builder->n_factors], error);
		builder->factors[builder->n_factors] = factor;
	}
	return 0;
}

int comparison_read_options(struct comparison_builder *builder,
			    const struct comparison_options *options, struct error *error)
{
	int rc = 0;

	builder->alpha = options->alpha > 0 ? options->alpha : COMPARE_ALPHA;
	builder->threshold = options->threshold > 0 ? options->threshold : COMPARE_THRESHOLD;
	builder->resamples = options->resamples;
	builder->seed = options->seed;
	builder->anyway = options->anyway;
	builder->specs_given = options->metrics && options->metrics[0];
	for (const struct metric *metric = summary_metrics; metric->name && rc == 0; metric++)
		rc = metric_add(builder, metric->name, metric->unit, metric->higher_better, error);
	builder->n_fixed = builder->n_metrics;
	for (const char *const *name = options->metrics; name && *name && rc == 0; name++)
		rc = spec_add(builder, "--metric", *name, "", error);
	if (rc == 0)
		rc = read_thresholds(builder, options, error);
	return rc < 0 ? rc : read_factors(builder, options->factors, error);
}

static int derived_add(struct comparison_builder *builder, const char *name,
		       const struct result_derived *derived, struct error *error)
{
	int at = comparison_find_metric(builder, derived->name);

	if (at < 0)
		return metric_add(builder, derived->name, derived->unit, derived->higher_better,
				  error);
	if ((unsigned)at >= builder->n_fixed &&
	    (strcmp(builder->metrics[at].unit, derived->unit) != 0 ||
	     builder->metrics[at].higher_better != derived->higher_better))
		return error_set(error, ERROR_INPUT,
				 "%s%s%s is in %s here and in %s in another result: leave one of "
				 "them out",
				 name, name[0] ? ": " : "", derived->name, derived->unit,
				 builder->metrics[at].unit);
	return 0;
}

/* Counters of the kernel are metrics by their own names. */
static int point_counters_add(struct comparison_builder *builder, const struct result_point *point,
			      struct error *error)
{
	int rc = 0;

	for (unsigned r = 0; r < point->n_repeats; r++)
		for (unsigned i = 0; i < point->repeats[r].n_counters && rc == 0; i++) {
			const char *name = point->repeats[r].counters[i].name;

			if (comparison_find_metric(builder, name) < 0)
				rc = metric_add(builder, name, SUMMARY_COUNTER_UNIT, false, error);
		}
	return rc;
}

static int point_derived_add(struct comparison_builder *builder, const char *name,
			     const struct result_point *point, struct error *error)
{
	int rc = 0;

	for (unsigned r = 0; r < point->n_repeats; r++)
		for (unsigned s = 0; s < point->repeats[r].n_streams; s++) {
			const struct result_stream *stream = &point->repeats[r].streams[s];

			for (unsigned d = 0; d < stream->n_derived && rc == 0; d++)
				rc = derived_add(builder, name, &stream->derived[d], error);
		}
	return rc;
}

int comparison_read_metrics(struct comparison_builder *builder, const char *name,
			    const struct result *result, struct error *error)
{
	int rc = 0;

	for (unsigned v = 0; v < result->n_variants; v++)
		for (unsigned p = 0; p < result->variants[v].n_points && rc == 0; p++)
			rc = point_derived_add(builder, name, &result->variants[v].points[p],
					       error);
	for (unsigned v = 0; v < result->n_variants; v++)
		for (unsigned p = 0; p < result->variants[v].n_points && rc == 0; p++)
			rc = point_counters_add(builder, &result->variants[v].points[p], error);
	for (unsigned i = 0; i < sizeof(result->primary) / sizeof(*result->primary); i++)
		if (rc == 0 && result->primary[i][0] && !builder->specs_given)
			rc = spec_add(builder, "primary", result->primary[i],
				      name[0] ? name : result->name, error);
	return rc;
}

/* Names of all metrics, in an array of the caller's to free. */
static const char **metric_names(const struct comparison_builder *builder)
{
	const char **names = calloc(builder->n_metrics + 1, sizeof(const char *));

	for (unsigned i = 0; names && i < builder->n_metrics; i++)
		names[i] = builder->metrics[i].name;
	return names;
}

static unsigned count_series(const struct comparison_builder *builder)
{
	unsigned n = 0;

	for (unsigned p = 0; p < builder->n_points; p++)
		n += builder->points[p].n_series;
	return n;
}

/* Names of all classes, each once, in an array of the caller's to free. */
static const char **class_names(const struct comparison_builder *builder)
{
	const char **names = calloc(count_series(builder) + 1, sizeof(const char *));
	unsigned n = 0;

	for (unsigned p = 0; names && p < builder->n_points; p++)
		for (unsigned s = 0; s < builder->points[p].n_series; s++) {
			const char *class = builder->points[p].series[s].class;
			unsigned i = 0;

			while (i < n && strcmp(names[i], class) != 0)
				i++;
			if (i == n)
				names[n++] = class;
		}
	return names;
}

static bool is_class(const char *name, const char *const *classes)
{
	for (; *classes; classes++)
		if (strcmp(name, *classes) == 0)
			return true;
	return false;
}

/* Counters of the kernel may have dots in their names, before which there is no class. */
static void spec_resolve(const struct comparison_builder *builder, struct metric_spec *spec)
{
	if (!spec->class[0] || comparison_find_metric(builder, spec->text) < 0)
		return;
	spec->class[0] = '\0';
	snprintf(spec->metric, sizeof(spec->metric), "%.47s", spec->text);
}

static int spec_check(const struct comparison_builder *builder, const char *what,
		      const struct metric_spec *spec, const char *const *metrics,
		      const char *const *classes, struct error *error)
{
	char sentence[SENTENCE_BYTES];

	if (comparison_find_metric(builder, spec->metric) < 0)
		words_unknown("metric", spec->metric, metrics, sentence, sizeof(sentence));
	else if (spec->class[0] && classes[0] && !is_class(spec->class, classes))
		words_unknown("class", spec->class, classes, sentence, sizeof(sentence));
	else
		return 0;
	if (spec->from[0])
		return error_set(error, ERROR_INPUT,
				 "%s declares %s as primary, but %s; name others with --metric",
				 spec->from, spec->text, sentence);
	return error_set(error, ERROR_INPUT, "%s %s: %s", what, spec->text, sentence);
}

static int check_all(struct comparison_builder *builder, const char *const *metrics,
		     const char *const *classes, struct error *error)
{
	int rc = 0;

	for (unsigned i = 0; i < builder->n_specs; i++)
		spec_resolve(builder, &builder->specs[i]);
	for (unsigned i = 0; i < builder->n_thresholds; i++)
		spec_resolve(builder, &builder->thresholds[i]);
	for (unsigned i = 0; i < builder->n_specs && rc == 0; i++)
		rc = spec_check(builder, "--metric", &builder->specs[i], metrics, classes, error);
	for (unsigned i = 0; i < builder->n_thresholds && rc == 0; i++)
		rc = spec_check(builder, "--threshold", &builder->thresholds[i], metrics, classes,
				error);
	builder->presets = builder->n_specs == 0;
	for (unsigned i = 0; builder->presets && preset_metrics[i] && rc == 0; i++)
		rc = spec_add(builder, "primary", preset_metrics[i], "", error);
	return rc;
}

int comparison_check_metrics(struct comparison_builder *builder, struct error *error)
{
	const char **metrics = metric_names(builder), **classes = class_names(builder);
	int rc = metrics && classes ? check_all(builder, metrics, classes, error)
				    : parts_no_memory(error);

	free(metrics);
	free(classes);
	return rc;
}

double comparison_threshold_of(const struct comparison_builder *builder, const char *class,
			       const char *metric)
{
	double fraction = builder->threshold;
	bool exact = false;

	for (unsigned i = 0; i < builder->n_thresholds; i++) {
		const struct metric_spec *spec = &builder->thresholds[i];

		if (strcmp(spec->metric, metric) != 0 ||
		    (spec->class[0] && strcmp(spec->class, class) != 0))
			continue;
		if (!exact || spec->class[0])
			fraction = builder->fractions[i];
		exact = exact || spec->class[0];
	}
	return fraction;
}
