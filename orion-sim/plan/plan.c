/* SPDX-License-Identifier: MIT */
/* plan.c - the exact points of a run. */
#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/json.h"
#include "base/words.h"
#include "plan/axes.h"
#include "plan/effective.h"
#include "plan/parts.h"
#include "plan/point.h"
#include "plan/profile.h"
#include "plan/variants.h"
#include "workload/workload.h"

/* Forking, mapping and touching, per point and repeat. */
#define SETUP_NS UINT64_C(300000000)

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Label and coordinates, the values only: "reads 8K io_uring"; cut where it is too long. */
static void point_label_set(struct plan_point *point, unsigned number)
{
	char whole[1024];
	size_t used = (size_t)snprintf(whole, sizeof(whole), "%s", point->label);

	for (unsigned i = 0; i < point->n_coordinates && used < sizeof(whole); i++)
		used += (size_t)snprintf(whole + used, sizeof(whole) - used, "%s%s",
					 used ? " " : "", point->coordinates[i].value);
	if (!used)
		snprintf(whole, sizeof(whole), "point %u", number);
	words_quote(whole, point->label, sizeof(point->label));
}

/* Takes the coordinates and, because there may be many points, frees the body. */
static int point_make(const struct profile *profile, struct axes_point *from, unsigned number,
		      struct plan_point *ret, struct error *error)
{
	int status = point_read(profile, from->body, ret, error);

	if (status < 0)
		return status;
	ret->coordinates = from->coordinates;
	ret->n_coordinates = from->n_coordinates;
	from->coordinates = NULL;
	point_label_set(ret, number);
	ret->effective = effective_point(ret);
	if (!ret->effective) {
		point_free(ret);
		return error_set(error, -ENOMEM, "no memory for %u points", number);
	}
	cJSON_Delete(from->body);
	from->body = NULL;
	return 0;
}

/* A variant that overrides an axis would make the coordinates lie. */
static int variant_axes_check(const struct profile *profile, const cJSON *set, const cJSON *axes,
			      struct error *error)
{
	const cJSON *one, *axis;

	cJSON_ArrayForEach (one, set) {
		char path[PATH_BYTES], axis_path[PATH_BYTES];
		int status = axes_path(profile->document, one, path, error);

		if (status < 0)
			return status;
		cJSON_ArrayForEach (axis, axes) {
			if (axes_path(profile->document, axis, axis_path, NULL) < 0 ||
			    !path_covers(path, axis_path))
				continue;
			return json_fail(profile->document, one, error, ERROR_INPUT,
					 "the variant sets what the points' axis '%s' sets; remove "
					 "one of the two",
					 axis->string);
		}
	}
	return 0;
}

/* Points that are there are kept in the variant, also on failure. */
static int variant_add(struct profile *profile, const cJSON *raw, const cJSON *set,
		       struct plan_variant *variant, struct error *error)
{
	struct axes_point *expanded = NULL;
	struct plan_point *points;
	unsigned n = 0;
	int status = variant_axes_check(profile, set, member(raw, "axes"), error);

	if (!status)
		status = axes_expand(profile->document, raw, &expanded, &n, error);
	if (status < 0)
		return status;
	points = realloc(variant->points, (variant->n_points + n) * sizeof(*points));
	if (!points)
		status = error_set(error, -ENOMEM, "no memory for %u points", n);
	else
		variant->points = points;
	for (unsigned i = 0; !status && i < n; i++) {
		unsigned number = variant->n_points + 1;

		status = axes_assign_set(profile->document, expanded[i].body, set, error);
		if (!status)
			status = point_make(profile, &expanded[i], number,
					    &points[variant->n_points], error);
		if (!status)
			variant->n_points++;
	}
	axes_free(expanded, n);
	return status;
}

static int variant_make(struct profile *profile, const cJSON *node, struct plan_variant *ret,
			struct error *error)
{
	const char *label = cJSON_GetStringValue(member(node, "label"));
	const cJSON *point;

	ret->settings = profile->settings;
	ret->more_settings = member(node, "settings");
	snprintf(ret->label, sizeof(ret->label), "%s", label ? label : "");
	cJSON_ArrayForEach (point, profile->points) {
		int status = variant_add(profile, point, member(node, "set"), ret, error);

		if (status < 0)
			return status;
	}
	return 0;
}

static int points_count_check(const struct profile *profile, int n_variants, struct error *error)
{
	const cJSON *point;
	uint64_t sum = 0;

	cJSON_ArrayForEach (point, profile->points) {
		unsigned n;
		int status = axes_count(profile->document, point, &n, error);

		if (status < 0)
			return status;
		sum += (uint64_t)n * (unsigned)n_variants;
	}
	if (sum > POINTS_MAX)
		return json_fail(profile->document, profile->points, error, ERROR_INPUT,
				 "these are %" PRIu64 " points over all variants, at most %d are "
				 "possible; shorten the axes",
				 sum, POINTS_MAX);
	return 0;
}

static int variants_make(struct profile *profile, struct plan *plan, struct error *error)
{
	const cJSON *node = profile->variants ? profile->variants->child : NULL;
	int n = (int)variants_count(profile);
	int status = points_count_check(profile, n, error);

	if (status < 0)
		return status;
	plan->variants = calloc((size_t)n, sizeof(*plan->variants));
	if (!plan->variants)
		return error_set(error, -ENOMEM, "no memory for %d variants", n);
	for (int i = 0; i < n; i++, node = node ? node->next : NULL) {
		plan->n_variants++;
		status = variant_make(profile, node, &plan->variants[i], error);
		if (status < 0)
			return status;
	}
	return 0;
}

static bool point_has_class(const struct plan_point *point, const char *name, size_t length)
{
	for (unsigned i = 0; i < point->n_streams; i++) {
		const struct op_class *class =
			workload_ops_of(&point->streams[i].workload)->classes;

		for (; class && class->name; class ++)
			if (strlen(class->name) == length && !strncmp(class->name, name, length))
				return true;
	}
	return false;
}

/* A metric of a class that no stream has would never have a value. */
static int primary_set(const struct profile *profile, struct plan *plan, struct error *error)
{
	const struct plan_variant *first = &plan->variants[0];
	const cJSON *metric;
	unsigned n = 0;

	cJSON_ArrayForEach (metric, profile->primary) {
		const char *text = metric->valuestring;
		size_t length = strcspn(text, ".");
		bool found = false;

		for (unsigned i = 0; !found && i < first->n_points; i++)
			found = point_has_class(&first->points[i], text, length);
		if (!found)
			return json_fail(profile->document, metric, error, ERROR_INPUT,
					 "no stream counts a class '%.*s'; name one that its "
					 "workload has, like read.mbps",
					 (int)length, text);
		snprintf(plan->primary[n++], sizeof(plan->primary[0]), "%s", text);
	}
	return 0;
}

static int seed_draw(struct profile *profile, struct error *error)
{
	if (profile->has_seed)
		return 0;
	if (getrandom(&profile->seed, sizeof(profile->seed), 0) != sizeof(profile->seed))
		return error_set(error, -errno,
				 "no random seed can be drawn: %s; give one by --set seed=1",
				 strerror(errno));
	profile->has_seed = true;
	return 0;
}

/* --target cannot replace what an axis or a variant tells apart. */
static int targets_kept_check(const struct profile *profile, const cJSON *set, struct error *error)
{
	const cJSON *one;
	char path[PATH_BYTES];

	cJSON_ArrayForEach (one, set) {
		if (axes_path(profile->document, one, path, NULL) == 0 &&
		    !strcmp(path_last_word(path), "targets"))
			return json_fail(profile->document, one, error, ERROR_INPUT,
					 "sets the targets, which --target replaces for all "
					 "streams; leave out one of the two");
	}
	return 0;
}

static int targets_given_check(const struct profile *profile, struct error *error)
{
	const cJSON *node;
	int status = 0;

	if (!profile->targets_given)
		return 0;
	cJSON_ArrayForEach (node, profile->points)
		status = status ? status : targets_kept_check(profile, member(node, "axes"), error);
	cJSON_ArrayForEach (node, profile->variants)
		status = status ? status : targets_kept_check(profile, member(node, "set"), error);
	return status;
}

int plan_make(struct profile *profile, struct plan *ret, struct error *error)
{
	struct plan plan = {.profile = profile,
			    .repeats = (unsigned)profile->repeats,
			    .strict = profile->strict,
			    .strict_share_percent = profile->strict_share_percent,
			    .allow_unwritten = profile->allow_unwritten,
			    .pmu = profile->pmu};
	int status = targets_given_check(profile, error);

	memcpy(plan.name, profile->name, sizeof(plan.name));
	memcpy(plan.summary, profile->summary, sizeof(plan.summary));
	if (!status)
		status = variants_make(profile, &plan, error);
	if (!status)
		status = primary_set(profile, &plan, error);
	if (!status)
		status = seed_draw(profile, error);
	if (status < 0) {
		plan_free(&plan);
		return status;
	}
	plan.seed = profile->seed;
	plan.baseline = variants_baseline(profile);
	plan.effective = effective_profile(profile);
	if (!plan.effective) {
		plan_free(&plan);
		return error_set(error, -ENOMEM, "no memory for the effective profile");
	}
	*ret = plan;
	return 0;
}

void plan_free(struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_variants; i++) {
		for (unsigned k = 0; k < plan->variants[i].n_points; k++)
			point_free(&plan->variants[i].points[k]);
		free(plan->variants[i].points);
	}
	free(plan->variants);
	cJSON_Delete(plan->effective);
	memset(plan, 0, sizeof(*plan));
}

/* UINT64_MAX where it is more than can be said. */
uint64_t plan_point_estimate_ns(const struct plan_point *point)
{
	uint64_t run_ns = warmup_longest_ns(&point->warmup) + point->measure_ns + SETUP_NS, all_ns;

	return __builtin_mul_overflow(run_ns, point->repeats + point->sampled, &all_ns) ? UINT64_MAX
											: all_ns;
}

uint64_t plan_estimate_ns(const struct plan *plan)
{
	uint64_t sum_ns = 0;

	for (unsigned i = 0; i < plan->n_variants; i++)
		for (unsigned k = 0; k < plan->variants[i].n_points; k++)
			if (__builtin_add_overflow(
				    sum_ns, plan_point_estimate_ns(&plan->variants[i].points[k]),
				    &sum_ns))
				return UINT64_MAX;
	return sum_ns;
}

bool plan_may_end_early(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_variants; i++)
		for (unsigned k = 0; k < plan->variants[i].n_points; k++)
			if (warmup_may_end_early(&plan->variants[i].points[k].warmup))
				return true;
	return false;
}

unsigned plan_runs(const struct plan *plan)
{
	unsigned runs = 0;

	for (unsigned i = 0; i < plan->n_variants; i++)
		for (unsigned k = 0; k < plan->variants[i].n_points; k++)
			runs += plan->variants[i].points[k].repeats +
				plan->variants[i].points[k].sampled;
	return runs;
}

unsigned plan_repeats_most(const struct plan *plan)
{
	unsigned most = 0;

	for (unsigned i = 0; i < plan->n_variants; i++)
		for (unsigned k = 0; k < plan->variants[i].n_points; k++)
			if (plan->variants[i].points[k].repeats > most)
				most = plan->variants[i].points[k].repeats;
	return most;
}

unsigned plan_repeats_least(const struct plan *plan)
{
	unsigned least = plan_repeats_most(plan);

	for (unsigned i = 0; i < plan->n_variants; i++)
		for (unsigned k = 0; k < plan->variants[i].n_points; k++)
			if (plan->variants[i].points[k].repeats < least)
				least = plan->variants[i].points[k].repeats;
	return least;
}
