/* SPDX-License-Identifier: MIT */
/* comparison_rig.h - small results made up for comparing: one stream, its figures as asked. */
#ifndef ORION_TESTS_STATS_COMPARISON_RIG_H
#define ORION_TESTS_STATS_COMPARISON_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "stats/comparison.h"
#include "stats/result.h"

/* clang-format off */
static const char rig_fingerprint[] =
	"{\"kernel\": \"6.18.44\", \"kernel_version\": \"#1 SMP\", \"cpu_model\": \"CPU\", \"cpus_online\": 2,"
	"\"governor\": \"performance\", \"clocksource\": \"tsc\", \"memory_total_bytes\": 8000000000,"
	"\"memory_available_bytes\": 7000000000, \"loadavg\": \"0.1 0.1 0.1 1/100 7\","
	"\"command_line\": \"BOOT_IMAGE=/boot/a root=/dev/vda1 ro nohz_full=1\","
	"\"boot_id\": \"boot-0\", \"build\": \"gcc code 1\", \"thp_enabled\": \"always [madvise] never\","
	"\"mitigations\": {\"spectre_v2\": \"Retpolines\"},"
	"\"shmem_enabled\": {\"hugepages-64kB\": \"always inherit within_size advise [never]\"},"
	"\"devices\": [{\"name\": \"vda\", \"scheduler\": \"[none] mq-deadline\", \"nr_requests\": \"256\"}]}";
static const char rig_effective[] =
	"{\"name\": \"rig\", \"seed\": \"7\", \"repeats\": 3, \"points\": [{\"streams\": [{\"label\": \"reads\","
	"\"engine\": {\"kind\": \"io_uring\", \"sqpoll\": false}}]}]}";
static const char rig_point[] =
	"{\"label\": \"8K\", \"streams\": [{\"label\": \"reads\", \"engine\": {\"kind\": \"io_uring\"}}]}";
/* clang-format on */

static inline void *rig_allocate(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	assert_non_null(memory);
	return memory;
}

/* A class that did ops operations of 8K in two seconds, each in about 100 us. */
static inline void rig_class(struct result_class *class, const char *name, uint64_t ops)
{
	static const uint64_t percentiles[RESULT_PERCENTILES] = {90000, 150000, 300000, 900000,
								 2000000};

	snprintf(class->name, sizeof(class->name), "%s", name);
	snprintf(class->unit, sizeof(class->unit), "I/O");
	class->duration_s = 2;
	class->tally.ops = ops;
	class->tally.bytes = ops * 8192;
	class->mean_ns = 100000;
	class->max_ns = 3000000;
	memcpy(class->percentile_ns, percentiles, sizeof(percentiles));
}

static inline void rig_repeat(struct result_repeat *repeat, unsigned index, unsigned place)
{
	struct result_stream *stream = rig_allocate(1, sizeof(*stream));

	repeat->index = index;
	repeat->place = place;
	repeat->duration_s = 2;
	snprintf(repeat->started_utc, sizeof(repeat->started_utc), "2026-11-30T16:04:%02uZ",
		 index % 60);
	repeat->n_streams = 1;
	repeat->streams = stream;
	snprintf(stream->label, sizeof(stream->label), "reads");
	snprintf(stream->traits, sizeof(stream->traits), "SINGLE_ISSUER");
	stream->workers = 1;
	stream->usage.user_ns = 1000000000;
	stream->n_classes = 1;
	stream->classes = rig_allocate(1, sizeof(*stream->classes));
	rig_class(&stream->classes[0], "read", 100000);
	repeat->n_audits = 1;
	repeat->audits = rig_allocate(1, sizeof(*repeat->audits));
	snprintf(repeat->audits[0].region, sizeof(repeat->audits[0].region), "sga");
	snprintf(repeat->audits[0].memory, sizeof(repeat->audits[0].memory), "mthp 64K");
	repeat->audits[0].asked_bytes = repeat->audits[0].got_bytes = 256 << 20;
}

/* Variants "a", "b", … (one: ""), each with the point "8K" of so many repeats, run in blocks. */
static inline void rig_result(struct result *ret, unsigned n_variants, unsigned n_repeats)
{
	*ret = (struct result){.complete = true, .seed = 7, .repeats = n_repeats};
	snprintf(ret->name, sizeof(ret->name), "rig");
	snprintf(ret->version, sizeof(ret->version), "0.1.0");
	snprintf(ret->started_utc, sizeof(ret->started_utc), "2026-11-30T16:04:59Z");
	ret->fingerprint = cJSON_Parse(rig_fingerprint);
	ret->effective = cJSON_Parse(rig_effective);
	assert_true(ret->fingerprint && ret->effective);
	ret->n_variants = n_variants;
	ret->variants = rig_allocate(n_variants, sizeof(*ret->variants));
	for (unsigned v = 0; v < n_variants; v++) {
		struct result_variant *variant = &ret->variants[v];
		struct result_point *point = rig_allocate(1, sizeof(*point));

		if (n_variants > 1)
			snprintf(variant->label, sizeof(variant->label), "%c", (char)('a' + v));
		variant->settings = cJSON_CreateArray();
		variant->n_points = 1;
		variant->points = point;
		snprintf(point->label, sizeof(point->label), "8K");
		point->effective = cJSON_Parse(rig_point);
		point->coordinates = rig_allocate(1, sizeof(*point->coordinates));
		point->n_coordinates = 1;
		snprintf(point->coordinates[0].axis, 32, "block");
		snprintf(point->coordinates[0].value, 64, "8K");
		point->n_repeats = n_repeats;
		point->repeats = rig_allocate(n_repeats + 1, sizeof(*point->repeats));
		for (unsigned r = 0; r < n_repeats; r++)
			rig_repeat(&point->repeats[r], r, (v + r) % n_variants);
	}
}

static inline struct result_repeat *rig_at(struct result *result, unsigned variant, unsigned repeat)
{
	return &result->variants[variant].points[0].repeats[repeat];
}

static inline struct result_class *rig_class_at(struct result *result, unsigned variant,
						unsigned repeat)
{
	return &rig_at(result, variant, repeat)->streams[0].classes[0];
}

/* Operations of a repeat, and their bytes with them. */
static inline void rig_ops(struct result *result, unsigned variant, unsigned repeat, double ops)
{
	struct result_class *class = rig_class_at(result, variant, repeat);

	class->tally.ops = (uint64_t)ops;
	class->tally.bytes = class->tally.ops * 8192;
}

/* The n-th of some numbers about 1: within a percent, the same whenever it is asked. */
static inline double rig_noise(unsigned n)
{
	static const double noise[] = {1.000, 0.996, 1.007, 0.993, 1.002, 1.009,
				       0.991, 1.004, 0.998, 1.006, 0.994, 1.001};

	return noise[n % (sizeof(noise) / sizeof(*noise))];
}

static inline void rig_put(struct result *result, const char *key, const char *text)
{
	cJSON_DeleteItemFromObjectCaseSensitive(result->fingerprint, key);
	assert_non_null(cJSON_AddStringToObject(result->fingerprint, key, text));
}

/* Compares and returns the sentence of a refusal; null where there is none, and the comparison. */
static inline const char *rig_compare(const struct result *result,
				      const struct comparison_options *options,
				      struct comparison *ret)
{
	static struct error error;
	int rc;

	error = (struct error){.code = 0};
	rc = comparison_of_variants(result, options, ret, &error);
	if (rc == 0)
		return NULL;
	assert_int_equal(rc, ERROR_INPUT);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_null(strchr(error.text, '\n'));
	return error.text;
}

/* The same for results, each made and freed by turns: make(result, side, n). */
static inline const char *rig_compare_sides(unsigned n_base, unsigned n_other,
					    void (*make)(struct result *, unsigned, unsigned),
					    const struct comparison_options *options,
					    struct comparison *ret)
{
	static struct error error;
	struct comparison_builder *builder;
	const char *const labels[] = {"old", "new"};
	int rc;

	error = (struct error){.code = 0};
	rc = comparison_begin(options, &builder, &error);
	for (unsigned side = 0; side < 2 && rc == 0; side++)
		for (unsigned i = 0; i < (side ? n_other : n_base) && rc == 0; i++) {
			struct result result;
			char name[64];

			snprintf(name, sizeof(name), "%s-%u.json", labels[side], i);
			make(&result, side, i);
			rc = comparison_add(builder, side, labels[side], name, &result, &error);
			if (rc < 0)
				comparison_abandon(builder);
			result_free(&result);
		}
	if (rc == 0)
		rc = comparison_finish(builder, ret, &error);
	if (rc == 0)
		return NULL;
	assert_int_equal(rc, ERROR_INPUT);
	assert_int_equal(error.code, ERROR_INPUT);
	assert_null(strchr(error.text, '\n'));
	return error.text;
}

static inline void rig_expect(const char *sentence, const char *expected)
{
	if (!sentence)
		fail_msg("compared, and not refused with \"%s\"", expected);
	if (!strstr(sentence, expected))
		fail_msg("\"%s\" does not say \"%s\"", sentence, expected);
}

static inline void rig_expect_none(const char *sentence)
{
	if (sentence)
		fail_msg("refused: %s", sentence);
}

/* The row of a metric held against side 0. */
static inline const struct comparison_row *rig_row(const struct comparison *comparison,
						   unsigned side, const char *metric)
{
	for (unsigned i = 0; i < comparison->n_rows; i++)
		if (comparison->rows[i].side == side &&
		    strcmp(comparison->rows[i].metric.name, metric) == 0)
			return &comparison->rows[i];
	fail_msg("there is no row of %s", metric);
	abort();
}

static inline bool rig_has_row(const struct comparison *comparison, const char *metric)
{
	for (unsigned i = 0; i < comparison->n_rows; i++)
		if (strcmp(comparison->rows[i].metric.name, metric) == 0)
			return true;
	return false;
}

static inline const struct comparison_difference *rig_difference(
	const struct comparison *comparison, const char *what)
{
	for (unsigned i = 0; i < comparison->n_differences; i++)
		if (strcmp(comparison->differences[i].what, what) == 0)
			return &comparison->differences[i];
	fail_msg("there is no difference of %s", what);
	abort();
}

#endif
