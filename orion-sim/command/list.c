/* SPDX-License-Identifier: MIT */
/* list.c - the command that shows whatever can be named, from the tables themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/catalog.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/field.h"
#include "base/words.h"
#include "command/command.h"
#include "command/help.h"
#include "command/list_counters.h"
#include "command/list_here.h"
#include "command/profiles.h"
#include "engine/engine.h"
#include "memory/memory.h"
#include "memory/place.h"
#include "plan/axes.h"
#include "plan/warmup.h"
#include "report/comparison.h"
#include "report/report.h"
#include "run/settings.h"
#include "stats/comparison.h"
#include "stats/summary.h"
#include "workload/volume.h"
#include "workload/workload.h"

/* One kind of thing to list: a catalog, or functions of its own. */
struct section {
	const char *name, *singular;
	const struct catalog *catalog;
	int (*names)(struct error *error);
	int (*details)(const char *name, struct error *error); /* name null: of all */
};

static void name_print(const char *name, const char *summary)
{
	printf("  %-20s %s\n", name, summary);
}

struct widths {
	int name, preset, bounds;
};

static const char *preset_text(const struct field *field)
{
	return field->preset && *field->preset ? field->preset : "-";
}

static void widen(int *width, const char *text)
{
	if (*width < (int)strlen(text))
		*width = (int)strlen(text);
}

static struct widths widths_of(const struct field *field)
{
	struct widths widths = {9, 6, 7}; /* of the titles */
	char bounds[256];

	for (; field->name; field++) {
		widen(&widths.name, field->name);
		widen(&widths.preset, preset_text(field));
		widen(&widths.bounds, field_bounds(field, bounds, sizeof(bounds)));
	}
	return widths;
}

static void row_print(const struct widths *widths, const char *name, const char *preset,
		      const char *bounds, const char *help)
{
	/* The dots of "4K … 64T" are one character of three bytes. */
	int more = strstr(bounds, "…") ? 2 : 0;

	printf("    %-*s  %-*s  %-*s  %s\n", widths->name, name, widths->preset, preset,
	       widths->bounds + more, bounds, help);
}

static void entry_print(const struct entry *entry)
{
	const struct field *field = entry->fields;
	struct widths widths;
	char bounds[256];

	printf("%s: %s\n", entry->name, entry->summary);
	if (!field || !field->name) {
		printf("    no parameters\n");
		return;
	}
	widths = widths_of(field);
	row_print(&widths, "parameter", "preset", "allowed", "meaning");
	for (; field->name; field++)
		row_print(&widths, field->name, preset_text(field),
			  field_bounds(field, bounds, sizeof(bounds)), field->help);
}

static int catalog_names(const struct catalog *catalog)
{
	for (const struct entry *const *entry = catalog->entries; *entry; entry++)
		name_print((*entry)->name, (*entry)->summary);
	return 0;
}

static int catalog_print(const struct catalog *catalog, const char *name,
			 void (*print)(const struct entry *), struct error *error)
{
	const struct entry *const *entry;
	const struct entry *one;
	int status;

	if (name) {
		status = catalog_find(catalog, name, &one, error);
		if (!status)
			print(one);
		return status;
	}
	for (entry = catalog->entries; *entry; entry++) {
		if (entry != catalog->entries)
			putchar('\n');
		print(*entry);
	}
	return 0;
}

static int catalog_details(const struct catalog *catalog, const char *name, struct error *error)
{
	return catalog_print(catalog, name, entry_print, error);
}

static void derived_print(const struct derived *derived, const char *workload)
{
	char text[256];

	snprintf(text, sizeof(text), "%s (%s)%s%s", derived->help, derived->unit,
		 workload ? ", of workload " : "", workload ? workload : "");
	name_print(derived->name, text);
}

/* What it counts, and what it makes of that. */
static void workload_print(const struct entry *entry)
{
	const struct workload_ops *ops = workload_ops_of(&(struct choice){.entry = entry});

	entry_print(entry);
	printf("    counts");
	for (const struct op_class *class = ops->classes; class->name; class ++)
		printf("%s %s (%s)", class == ops->classes ? "" : ",", class->name, class->unit);
	putchar('\n');
	for (const struct derived *d = ops->derived; d && d->name; d++) {
		printf("  ");
		derived_print(d, NULL);
	}
}

static int workloads_details(const char *name, struct error *error)
{
	return catalog_print(&workload_catalog, name, workload_print, error);
}

/* Options are written otherwise than parameters. */
static int commands_details(const char *name, struct error *error)
{
	const struct entry *entry;
	int status;

	if (!name)
		return catalog_names(&command_catalog);
	status = catalog_find(&command_catalog, name, &entry, error);
	if (!status)
		help_command(command_ops_of(entry));
	return status;
}

/* What they are, and what they are now. */
static int settings_details(const char *name, struct error *error)
{
	const struct entry *setting = NULL;
	int status = catalog_details(&settings_catalog, name, error);

	if (status < 0)
		return status;
	if (name)
		status = catalog_find(&settings_catalog, name, &setting, error);
	list_settings_here(setting);
	return status;
}

static void profile_print(const struct profile_place *place)
{
	struct profile profile;
	struct error error = {0};

	if (profile_load(place->path, NULL, &profile, &error) < 0) {
		name_print(place->name, error.text);
		return;
	}
	name_print(place->name, profile.summary);
	profile_free(&profile);
}

/* Length of the directory in a path. */
static int dir_length(const char *path)
{
	return (int)(strrchr(path, '/') - path);
}

static int profiles_names(struct error *error)
{
	CLEANUP(cleanup_free) struct profile_place *places = NULL;
	char dirs[PROFILE_DIRS_MAX][PROFILE_PATH_BYTES];
	unsigned n_dirs = command_profile_dirs(dirs), n;
	int status = command_profile_places(&places, &n, error);

	for (unsigned d = 0; !status && d < n_dirs; d++) {
		bool titled = false;

		for (unsigned i = 0; i < n; i++) {
			const char *path = places[i].path;

			if (dir_length(path) != (int)strlen(dirs[d]) ||
			    strncmp(path, dirs[d], strlen(dirs[d])) != 0)
				continue;
			if (!titled)
				printf("  in %s:\n", dirs[d]);
			titled = true;
			profile_print(&places[i]);
		}
	}
	if (!status && !n)
		printf("  none\n");
	return status;
}

static int profiles_details(const char *name, struct error *error)
{
	struct profile_place place;
	int status;

	if (!name)
		return profiles_names(error);
	status = command_find_profile(name, place.path, error);
	if (status < 0)
		return status;
	snprintf(place.name, sizeof(place.name), "%s", name);
	profile_print(&place);
	printf("  file %s; its points: orion-sim plan %s\n", place.path, name);
	return 0;
}

static int axes_names(struct error *error)
{
	for (const struct axis_shorthand *s = axes_shorthands; s->name; s++)
		printf("  %-20s %s (%s)\n", s->name, s->help, s->path);
	printf("  %-20s %s\n", "any path", "like streams[0].workload.reap_min");
	return 0;
}

static int axes_details(const char *name, struct error *error)
{
	const char *names[32];
	char sentence[400];
	unsigned n = 0;

	if (!name)
		return axes_names(error);
	for (const struct axis_shorthand *s = axes_shorthands; s->name && n < 31; s++) {
		names[n++] = s->name;
		if (strcmp(s->name, name) != 0)
			continue;
		printf("%s: %s\n    stands for %s\n", s->name, s->help, s->path);
		return 0;
	}
	names[n] = NULL;
	return error_set(error, ERROR_INPUT, "%s",
			 words_unknown("axis", name, names, sentence, sizeof(sentence)));
}

static void metric_print(const struct metric *metric)
{
	char text[160];

	snprintf(text, sizeof(text), "%s (%s)", metric->help, metric->unit);
	name_print(metric->name, text);
}

static int metrics_names(struct error *error)
{
	for (const struct metric *metric = summary_metrics; metric->name; metric++)
		metric_print(metric);
	for (const struct entry *const *entry = workload_catalog.entries; *entry; entry++) {
		const struct choice choice = {.entry = *entry};
		const struct derived *derived = workload_ops_of(&choice)->derived;

		for (; derived && derived->name; derived++)
			derived_print(derived, (*entry)->name);
	}
	return 0;
}

/* Several workloads may have one of the name. */
static bool derived_details(const char *name)
{
	bool found = false;

	for (const struct entry *const *entry = workload_catalog.entries; *entry; entry++) {
		const struct choice choice = {.entry = *entry};
		const struct derived *derived = workload_ops_of(&choice)->derived;

		for (; derived && derived->name; derived++) {
			if (strcmp(derived->name, name) != 0)
				continue;
			derived_print(derived, (*entry)->name);
			found = true;
		}
	}
	return found;
}

static int metrics_details(const char *name, struct error *error)
{
	const struct metric *metric = name ? summary_metric(name) : NULL;
	const char *names[64];
	char sentence[800];
	unsigned n = 0;

	if (!name)
		return metrics_names(error);
	if (metric) {
		metric_print(metric);
		return 0;
	}
	if (derived_details(name))
		return 0;
	for (metric = summary_metrics; metric->name && n < 63; metric++)
		names[n++] = metric->name;
	names[n] = NULL;
	return error_set(error, ERROR_INPUT, "%s",
			 words_unknown("metric", name, names, sentence, sizeof(sentence)));
}

static void factor_print(const struct comparison_factor *factor)
{
	char text[240];

	snprintf(text, sizeof(text), "%s%s", factor->help,
		 factor->refuses ? "" : " (only listed where it differs)");
	name_print(factor->name, text);
}

static int factors_names(struct error *error)
{
	for (const struct comparison_factor *f = comparison_factors; f->name; f++)
		factor_print(f);
	return 0;
}

static int factors_details(const char *name, struct error *error)
{
	const char *names[64];
	char sentence[800];
	unsigned n = 0;

	if (!name)
		return factors_names(error);
	for (const struct comparison_factor *f = comparison_factors; f->name && n < 63; f++) {
		names[n++] = f->name;
		if (strcmp(f->name, name) != 0)
			continue;
		factor_print(f);
		return 0;
	}
	names[n] = NULL;
	return error_set(error, ERROR_INPUT, "%s",
			 words_unknown("factor", name, names, sentence, sizeof(sentence)));
}

static const struct section sections[] = {
	{"engines", "engine", &engine_catalog, NULL, NULL},
	{"memory", "memories", &memory_catalog, NULL, NULL},
	{"numa", "policies", &place_catalog, NULL, NULL},
	{"workloads", "workload", &workload_catalog, NULL, workloads_details},
	{"layouts", "layout", &layout_catalog, NULL, NULL},
	{"warmups", "warmup", &warmup_catalog, NULL, NULL},
	{"settings", "setting", &settings_catalog, NULL, settings_details},
	{"axes", "axis", NULL, axes_names, axes_details},
	{"metrics", "metric", NULL, metrics_names, metrics_details},
	{"counters", "counter", NULL, list_counters_names, list_counters_details},
	{"profiles", "profile", NULL, profiles_names, profiles_details},
	{"formats", "format", &report_catalog, NULL, NULL},
	{"comparisons", "comparison", &comparison_catalog, NULL, NULL},
	{"factors", "factor", NULL, factors_names, factors_details},
	{"commands", "command", &command_catalog, NULL, commands_details}};

#define N_SECTIONS (sizeof(sections) / sizeof(sections[0]))

static int section_names(const struct section *section, struct error *error)
{
	printf("%s\n", section->name);
	return section->catalog ? catalog_names(section->catalog) : section->names(error);
}

static int section_details(const struct section *section, const char *name, struct error *error)
{
	return section->details ? section->details(name, error)
				: catalog_details(section->catalog, name, error);
}

static int section_unknown(const char *what, struct error *error)
{
	const char *names[N_SECTIONS + 1];
	char sentence[400];

	for (size_t i = 0; i < N_SECTIONS; i++)
		names[i] = sections[i].name;
	names[N_SECTIONS] = NULL;
	return error_set(error, ERROR_INPUT, "%s",
			 words_unknown("list", what, names, sentence, sizeof(sentence)));
}

static int list_all(struct error *error)
{
	for (size_t i = 0; i < N_SECTIONS; i++) {
		int status = section_names(&sections[i], error);

		if (status < 0)
			return status;
		if (i + 1 < N_SECTIONS)
			putchar('\n');
	}
	return 0;
}

static int list_one(const char *what, const char *name, struct error *error)
{
	for (size_t i = 0; i < N_SECTIONS; i++)
		if (!strcmp(sections[i].name, what) || !strcmp(sections[i].singular, what))
			return section_details(&sections[i], name, error);
	return section_unknown(what, error);
}

struct list_params {
	bool here;
};

static const struct field list_fields[] = {
	FIELD_BOOL("here", struct list_params, here, "false",
		   "one table of what works on this machine for this user, and why not"),
	FIELD_END};

static int list_run(const struct command_args *args, struct error *error)
{
	const struct list_params *params = args->params;
	int status = 0;

	if (params->here && args->n_words)
		status = error_set(error, ERROR_INPUT,
				   "list: --here shows one table of all: say "
				   "orion-sim list --here");
	else if (params->here)
		list_here();
	else if (args->n_words)
		status = list_one(args->words[0], args->words[1], error);
	else
		status = list_all(error);
	return status < 0 ? command_exit_code(error) : EXIT_CODE_OK;
}

extern const struct command_ops command_list;
const struct command_ops command_list = {
	.entry = {.name = "list",
		  .summary = "show what can be named: engines, memory, workloads, settings, "
			     "profiles …",
		  .fields = list_fields,
		  .params_size = sizeof(struct list_params)},
	.words_usage = "[WHAT [NAME]]",
	.words_max = 2,
	.run = list_run};
