/* SPDX-License-Identifier: MIT */
/* comparison_facts.c - what results tell of the machine and of what they asked, as facts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "stats/comparison_parts.h"
#include "stats/comparison_sources.h"
#include "stats/result.h"

/* Words of the command line that say where to boot from and to print to. */
static const char *const idle_words[] = {
	"BOOT_IMAGE=", "initrd=", "root=",   "rootfstype=", "rootflags=", "rootwait", "resume=",
	"console=",    "init=",	  "panic=",  "earlyprintk", "loglevel=",  "quiet",    "splash",
	"systemd.",    "rd.",	  "reboot=", "nomodeset",   NULL};

/* The reader of one result. */
struct reading {
	struct comparison_builder *builder;
	unsigned side;
	const cJSON *settings; /* of the variant looked at */
	const char *suffix;    /* " (thp on)" behind what its settings may change, or "" */
	struct error *error;
};

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *text_of(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(member(object, key));

	return text ? text : "";
}

/* What a setting wrote there during the run; null if none did. */
static const char *set_value(const struct reading *reading, const char *path)
{
	const cJSON *item;

	cJSON_ArrayForEach (item, reading->settings)
		if (strcmp(text_of(item, "path"), path) == 0)
			return text_of(item, "to");
	return NULL;
}

static bool is_idle_word(const char *word, size_t length)
{
	if ((length == 2 && strncmp(word, "ro", 2) == 0) ||
	    (length == 2 && strncmp(word, "rw", 2) == 0))
		return true;
	for (unsigned i = 0; idle_words[i]; i++)
		if (strncmp(word, idle_words[i], strlen(idle_words[i])) == 0)
			return true;
	return false;
}

static void command_line_text(const char *line, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	while (*line && used < size) {
		size_t length = strcspn(line, " ");

		if (length && !is_idle_word(line, length))
			used += (size_t)snprintf(text + used, size - used, "%s%.*s",
						 used ? " " : "", (int)length, line);
		line += length + (line[length] == ' ');
	}
	if (!text[0])
		snprintf(text, size, "nothing that matters");
}

/* A string, number or truth as text; false for anything else. */
static bool scalar_text(const cJSON *node, char *text, size_t size)
{
	if (cJSON_IsString(node))
		snprintf(text, size, "%s", node->valuestring);
	else if (cJSON_IsNumber(node))
		snprintf(text, size, "%.15g", node->valuedouble);
	else if (cJSON_IsBool(node))
		snprintf(text, size, "%s", cJSON_IsTrue(node) ? "true" : "false");
	else
		return false;
	return true;
}

static int note(const struct reading *reading, const struct fact_note *fact)
{
	return comparison_note(reading->builder, reading->side, fact, reading->error);
}

static int note_text(const struct reading *reading, const struct source *source, const char *what,
		     const char *path, const cJSON *node)
{
	const char *set = path ? set_value(reading, path) : NULL;
	char text[1024], chosen[1024], name[256];

	if (set)
		snprintf(text, sizeof(text), "%s", set);
	else if (!scalar_text(node, text, sizeof(text)))
		return 0;
	snprintf(name, sizeof(name), "%s%s", what, path ? reading->suffix : "");
	if (source->form == FORM_CHOSEN || source->form == FORM_MAP_CHOSEN)
		sysfile_bracketed(text, chosen, sizeof(chosen));
	else if (source->form == FORM_COMMAND_LINE)
		command_line_text(text, chosen, sizeof(chosen));
	else
		memcpy(chosen, text, sizeof(chosen));
	return note(reading,
		    &(struct fact_note){.what = name,
					.factor = &comparison_factors[source->factor],
					.absent = source->form == FORM_MITIGATIONS ? "not affected"
										   : NULL,
					.by_user = set != NULL,
					.text = chosen});
}

static int note_map(const struct reading *reading, const struct source *source, const cJSON *map)
{
	const char *star = source->path ? strchr(source->path, '*') : NULL;
	const cJSON *item;
	int rc = 0;

	if (source->form == FORM_MITIGATIONS && cJSON_IsObject(map))
		rc = note(reading,
			  &(struct fact_note){.what = "mitigations",
					      .kind = FACT_SUMMARY,
					      .factor = &comparison_factors[source->factor],
					      .text = "recorded"});
	if (rc < 0)
		return rc;
	cJSON_ArrayForEach (item, map) {
		char what[128], path[256];
		const char *key = item->string ? item->string : "";

		snprintf(what, sizeof(what), "%s %s", source->what, key);
		if (star)
			snprintf(path, sizeof(path), "%.*s%s%s", (int)(star - source->path),
				 source->path, key, star + 1);
		rc = note_text(reading, source, what, star ? path : NULL, item);
		if (rc < 0)
			return rc;
	}
	return rc;
}

static int note_source(const struct reading *reading, const struct source *source,
		       const char *prefix, const cJSON *object)
{
	const cJSON *node = member(object, source->key);
	char what[128];

	if (!node)
		return 0;
	snprintf(what, sizeof(what), "%s%s%s", prefix, prefix[0] ? " " : "", source->what);
	if (source->form == FORM_MITIGATIONS || source->form == FORM_MAP_CHOSEN)
		return note_map(reading, source, node);
	if (source->form == FORM_BYTES)
		return cJSON_IsNumber(node)
			       ? note(reading,
				      &(struct fact_note){
					      .what = what,
					      .kind = FACT_BYTES,
					      .factor = &comparison_factors[source->factor],
					      .number = node->valuedouble})
			       : 0;
	return note_text(reading, source, what, source->path, node);
}

/* Either what settings may change, or all the rest. */
static int note_machine(const struct reading *reading, const cJSON *fingerprint, bool settable)
{
	int rc = 0;

	for (const struct source *source = machine_sources; source->key && rc == 0; source++)
		if ((source->path != NULL) == settable)
			rc = note_source(reading, source, "", fingerprint);
	return rc;
}

static int note_devices(const struct reading *reading, const cJSON *devices)
{
	const cJSON *device;
	int rc = 0;

	cJSON_ArrayForEach (device, devices)
		for (const struct source *source = device_sources; source->key && rc == 0; source++)
			rc = note_source(reading, source, text_of(device, "name"), device);
	return rc;
}

/* A setting that no key of the fingerprint tells of; pools of huge pages are none of a run's own.
 */
static bool is_told_elsewhere(const char *path)
{
	size_t thp = strlen(COMPARISON_THP);

	if (strstr(path, "nr_hugepages") || strcmp(path, "/proc/sys/kernel/numa_balancing") == 0)
		return true;
	if (strncmp(path, COMPARISON_THP, thp) != 0)
		return false;
	return strcmp(path + thp, "enabled") == 0 || strcmp(path + thp, "defrag") == 0 ||
	       strstr(path + thp, "shmem_enabled") != NULL;
}

static int note_settings(const struct reading *reading)
{
	const cJSON *item;
	int rc = 0;

	cJSON_ArrayForEach (item, reading->settings) {
		const char *path = text_of(item, "path");
		char what[160];

		if (!path[0] || is_told_elsewhere(path))
			continue;
		snprintf(what, sizeof(what), "%s%s", path, reading->suffix);
		rc = note(reading, &(struct fact_note){.what = what,
						       .factor = NULL,
						       .option = true,
						       .text = text_of(item, "to")});
		if (rc < 0)
			return rc;
	}
	return rc;
}

static int note_audit(const struct reading *reading, const struct result_audit *audit)
{
	struct fact_note fact = {.kind = FACT_PERCENT,
				 .factor = &comparison_factors[FACTOR_MEMORY]};
	char what[160];
	int rc = 0;

	fact.what = what;
	snprintf(what, sizeof(what), "%s %s got", audit->region, audit->memory);
	fact.number = 100.0 * (double)audit->got_bytes / (double)audit->asked_bytes;
	if (audit->asked_bytes > 0)
		rc = note(reading, &fact);
	snprintf(what, sizeof(what), "%s %s on its nodes", audit->region, audit->memory);
	fact.number = audit->placement.got_percent;
	if (rc == 0 && audit->placement.known && isfinite(fact.number))
		rc = note(reading, &fact);
	if (rc == 0)
		rc = note(reading, &(struct fact_note){.what = "memory",
						       .kind = FACT_SUMMARY,
						       .text = audit->memory});
	return rc;
}

/* Flags in force may differ by the kernel: listed, for they may tell why something changed. */
static int note_stream(const struct reading *reading, const struct result_stream *stream)
{
	char what[64];
	int rc;

	snprintf(what, sizeof(what), "%s engine flags", stream->label);
	rc = note(reading, &(struct fact_note){.what = what, .text = stream->traits});
	for (unsigned i = 0; i < stream->n_classes && rc == 0; i++) {
		snprintf(what, sizeof(what), "%s %s latencies", stream->label,
			 stream->classes[i].name);
		rc = note(reading, &(struct fact_note){.what = what,
						       .text = stream->classes[i].timed_in_batches
								       ? "means of batches"
								       : "of each operation"});
	}
	return rc;
}

/* Of {"kind": …}, or of a value of an axis in its long form. */
static int note_engine(const struct reading *reading, const cJSON *engine)
{
	const cJSON *value = member(engine, "value");
	const char *kind = text_of(value ? value : engine, "kind");

	return kind[0] ? note(reading, &(struct fact_note){.what = "engine",
							   .kind = FACT_SUMMARY,
							   .text = kind})
		       : 0;
}

/* The engines of a point, exact or with its axes, one of which may give them. */
static int note_engines(const struct reading *reading, const cJSON *point)
{
	const cJSON *axis, *engine, *stream;
	bool given = false;
	int rc = 0;

	cJSON_ArrayForEach (axis, member(point, "axes")) {
		const char *last = axis->string ? strrchr(axis->string, '.') : NULL;

		if (!axis->string || strcmp(last ? last + 1 : axis->string, "engine") != 0)
			continue;
		given = true;
		cJSON_ArrayForEach (engine, axis)
			rc = rc < 0 ? rc : note_engine(reading, engine);
	}
	cJSON_ArrayForEach (stream, member(point, "streams"))
		rc = rc < 0 || given ? rc : note_engine(reading, member(stream, "engine"));
	return rc;
}

static int note_point(const struct reading *reading, const struct result_point *point)
{
	int rc = 0;

	for (unsigned r = 0; r < point->n_repeats; r++) {
		const struct result_repeat *repeat = &point->repeats[r];

		if (!result_repeat_counts(repeat))
			continue;
		for (unsigned a = 0; a < repeat->n_audits && rc == 0; a++)
			rc = note_audit(reading, &repeat->audits[a]);
		for (unsigned s = 0; s < repeat->n_streams && rc == 0; s++)
			rc = note_stream(reading, &repeat->streams[s]);
	}
	return rc;
}

static int note_points(const struct reading *reading, const struct result_variant *variant)
{
	int rc = 0;

	for (unsigned p = 0; p < variant->n_points && rc == 0; p++)
		rc = note_point(reading, &variant->points[p]);
	return rc;
}

/* A way down into what a profile says; depth ends what only nests. */
static int note_options(const struct reading *reading, const char *path, const cJSON *node)
{
	static const char *const left_out[] = {"seed", "summary", "label", NULL};
	char below[FACT_TEXT_BYTES * 2], text[256];
	const cJSON *child;
	unsigned index = 0;
	int rc = 0;

	if (strlen(path) >= FACT_TEXT_BYTES)
		return 0;
	if (scalar_text(node, text, sizeof(text)))
		return note(reading,
			    &(struct fact_note){.what = path, .option = true, .text = text});
	cJSON_ArrayForEach (child, node) {
		bool skip = false;

		for (unsigned i = 0; child->string && left_out[i]; i++)
			skip = skip || strcmp(child->string, left_out[i]) == 0;
		if (child->string)
			snprintf(below, sizeof(below), "%s%s%.80s", path, path[0] ? "." : "",
				 child->string);
		else if (text_of(child, "label")[0])
			snprintf(below, sizeof(below), "%s[%.60s]", path, text_of(child, "label"));
		else
			snprintf(below, sizeof(below), "%s[%u]", path, index);
		index++;
		rc = skip ? 0 : note_options(reading, below, child);
		if (rc < 0)
			return rc;
	}
	return rc;
}

static int note_version(const struct reading *reading, const struct result *result)
{
	return note(reading, &(struct fact_note){.what = "version of orion-sim",
						 .factor = &comparison_factors[FACTOR_BUILD],
						 .text = result->version});
}

int comparison_read_facts(struct comparison_builder *builder, unsigned side,
			  const struct result *result, struct error *error)
{
	struct reading reading = {.builder = builder, .side = side, .suffix = "", .error = error};
	const cJSON *point;
	int rc;

	builder->next_fact = 0;
	rc = note_machine(&reading, result->fingerprint, false);
	if (rc == 0)
		rc = note_devices(&reading, member(result->fingerprint, "devices"));
	if (rc == 0)
		rc = note_version(&reading, result);
	for (unsigned v = 0; v < result->n_variants && rc == 0; v++) {
		const struct result_variant *variant = &result->variants[v];
		char suffix[80];

		snprintf(suffix, sizeof(suffix), " (%s)", variant->label);
		reading.settings = variant->settings;
		reading.suffix = result->n_variants > 1 ? suffix : "";
		rc = note_machine(&reading, result->fingerprint, true);
		if (rc == 0)
			rc = note_settings(&reading);
		if (rc == 0)
			rc = note_points(&reading, variant);
	}
	cJSON_ArrayForEach (point, member(result->effective, "points"))
		rc = rc < 0 ? rc : note_engines(&reading, point);
	return rc < 0 ? rc : note_options(&reading, "", result->effective);
}

int comparison_read_variant_facts(struct comparison_builder *builder, unsigned side,
				  const struct result *result, const struct result_variant *variant,
				  struct error *error)
{
	struct reading reading = {.builder = builder,
				  .side = side,
				  .settings = variant->settings,
				  .suffix = "",
				  .error = error};
	int rc;

	builder->next_fact = 0;
	rc = note_machine(&reading, result->fingerprint, true);
	if (rc == 0)
		rc = note_settings(&reading);
	if (rc == 0)
		rc = note_points(&reading, variant);
	for (unsigned p = 0; p < variant->n_points && rc == 0; p++) {
		rc = note_engines(&reading, variant->points[p].effective);
		if (rc == 0)
			rc = note_options(&reading, "", variant->points[p].effective);
	}
	return rc;
}
