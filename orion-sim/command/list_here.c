/* SPDX-License-Identifier: MIT */
/* list_here.c - the parts of the command list that ask the machine. */
#include "command/list_here.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/catalog.h"
#include "base/error.h"
#include "base/field.h"
#include "engine/engine.h"
#include "memory/memory.h"
#include "run/counter_sources.h"
#include "run/sampler.h"
#include "run/settings.h"
#include "workload/workload.h"

#define HERE_REGION_BYTES (2ull << 20)

static void row_print(const char *what, const char *name, const char *here, const char *why)
{
	printf("%-8s  %-18s  ", what, name);
	if (*why)
		printf("%-4s  %s\n", here, why);
	else
		puts(here);
}

static void row_verdict(const char *what, const char *name, int status, const struct error *why)
{
	row_print(what, name, status ? "no" : "yes", status ? why->text : "");
}

/* The setting that gives a kind what it needs, or null. */
static const struct entry *here_setting_for(const struct memory_ops *ops, const void *params)
{
	static const char *const names[] = {[MEMORY_NEED_HUGE_PAGES] = "hugepages",
					    [MEMORY_NEED_SHMEM_FOLIO] = "shmem_enabled"};
	const struct entry *setting = NULL;
	struct memory_need need;

	ops->need(params, HERE_REGION_BYTES, &need);
	if (need.kind == MEMORY_NEED_NOTHING ||
	    (size_t)need.kind >= sizeof(names) / sizeof(names[0]))
		return NULL;
	catalog_find(&settings_catalog, names[need.kind], &setting, NULL);
	return setting;
}

static void here_memory(const struct entry *entry)
{
	const struct entry *setting;
	const struct memory_ops *ops;
	struct error error = {0};
	struct choice choice;
	int status;

	if (catalog_choose(entry, &choice, &error))
		return;
	ops = memory_ops_of(&choice);
	status = ops->probe(choice.params, HERE_REGION_BYTES, &error);
	setting = here_setting_for(ops, choice.params);
	if (status && setting && !settings_probe(setting, NULL))
		error_append(&error, "; or run a profile with \"settings\": [\"%s\"]",
			     setting->name);
	row_verdict("memory", entry->name, status, &error);
	choice_free(&choice);
}

static void here_engine(const struct entry *entry)
{
	const struct engine_setup setup = {.depth = 32, .batch = 1, .queues = 1};
	struct error error = {0};
	struct choice choice;

	if (catalog_choose(entry, &choice, &error))
		return;
	row_verdict("engine", entry->name,
		    engine_ops_of(&choice)->probe(choice.params, &setup, &error), &error);
	choice_free(&choice);
}

/* One worker over a small region, if it has one at all. */
static int here_workload_probe(const struct choice *choice, struct error *error)
{
	const struct workload_ops *ops = workload_ops_of(choice);
	const struct workload_setup setup = {.params = choice->params,
					     .region_bytes = HERE_REGION_BYTES,
					     .region_page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
					     .workers = 1,
					     .worker_kind = ops->starts_processes ? WORKER_PROCESS
										  : WORKER_THREAD,
					     .region_workers = 1,
					     .queues = 1};

	return ops->probe(&setup, error);
}

/* A row for each value that is not the preset and that this machine cannot do. */
static void here_workload_ways(const struct choice *choice, const struct field *field)
{
	char label[128];

	for (const char *const *way = field->choices; *way; way++) {
		struct error error = {0};

		field_parse(field, *way, choice->params, NULL);
		if (strcmp(*way, field->preset) != 0 &&
		    here_workload_probe(choice, &error) == ERROR_CANNOT)
			row_print("workload", choice_label(choice, label, sizeof(label)), "no",
				  error.text);
	}
	field_parse(field, field->preset, choice->params, NULL);
}

/* What works on targets can whatever the engine and the target can. */
static void here_workload(const struct entry *entry)
{
	struct error error = {0};
	struct choice choice;

	if (catalog_choose(entry, &choice, &error))
		return;
	if (!workload_ops_of(&choice)->needs_targets) {
		row_verdict("workload", entry->name, here_workload_probe(&choice, &error), &error);
		for (const struct field *field = entry->fields; field->name; field++)
			if (field->type == FIELD_TYPE_CHOICE)
				here_workload_ways(&choice, field);
	}
	choice_free(&choice);
}

/* By an audit of a small region: the method that it could use. */
static int here_audit_method(const char **ret, struct error *error)
{
	struct memory_audit audit = {0};
	struct region region = {.name = "here", .size_bytes = HERE_REGION_BYTES};
	const struct entry *base;
	struct choice choice;
	int status = catalog_find(&memory_catalog, "base", &base, error);

	if (!status)
		status = catalog_choose(base, &choice, error);
	if (status)
		return status;
	region.ops = memory_ops_of(&choice);
	region.params = choice.params;
	status = region_open(&region, error);
	if (!status) {
		status = region_audit(&region, &audit, error);
		region_close(&region);
	}
	choice_free(&choice);
	if (!status)
		*ret = audit.method;
	return status;
}

static void here_audits(void)
{
	const char *method = "";
	struct error error = {0};
	int smaps = access("/proc/self/smaps", R_OK);
	int status = here_audit_method(&method, &error);

	row_print("audit", "smaps", smaps ? "no" : "yes",
		  smaps ? "/proc/self/smaps cannot be read" : "");
	if (!status && strcmp(method, "pagemap+kpageflags") != 0)
		status = error_set(&error, ERROR_CANNOT,
				   "page frames are hidden from this user, the fault counters "
				   "serve instead: run as root");
	row_verdict("audit", "pagemap+kpageflags", status, &error);
	row_print("audit", "fault counters", "yes", "");
}

static void here_setting(const struct entry *entry)
{
	struct error error = {0};

	row_verdict("setting", entry->name, settings_probe(entry, &error), &error);
}

static void here_count(void *context, const char *name, uint64_t value)
{
	unsigned *n = context;

	++*n;
}

static void here_counters(void)
{
	for (const struct counter_source *source = counter_sources; source->name; source++) {
		unsigned n = 0;
		struct counter_sink sink = {&n, here_count};
		struct error error = {0};
		int status = counter_source_list("", source, &sink, &error);

		if (status == 0 && n == 0)
			status = error_set(&error, ERROR_CANNOT, "%s cannot be read",
					   source->pattern);
		row_verdict("counters", source->name, status, &error);
	}
}

static void here_sampler(void)
{
	const char *event = "";
	struct error error = {0};
	int status = sampler_probe(&event, &error);

	row_verdict("sampler", status ? "hot functions" : event, status, &error);
}

static void here_catalog(const struct catalog *catalog, void (*each)(const struct entry *entry))
{
	for (const struct entry *const *entry = catalog->entries; *entry; entry++)
		each(*entry);
}

void list_here(void)
{
	row_print("what", "name", "here", "why not");
	here_catalog(&memory_catalog, here_memory);
	here_catalog(&engine_catalog, here_engine);
	here_catalog(&workload_catalog, here_workload);
	here_audits();
	here_counters();
	here_sampler();
	here_catalog(&settings_catalog, here_setting);
}

static const char *text_of(const cJSON *item, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(item, key));

	return text ? text : "";
}

static void values_print(const struct entry *setting)
{
	cJSON *values = settings_values(setting);
	const cJSON *item;

	cJSON_ArrayForEach (item, values) {
		const char *why_not = text_of(item, "why_not");

		printf("    %s: %s%s%s%s\n", text_of(item, "path"), text_of(item, "value"),
		       *why_not ? " (cannot be written: " : "", why_not, *why_not ? ")" : "");
	}
	if (!cJSON_GetArraySize(values))
		printf("    %s: this kernel has no such setting\n", setting->name);
	cJSON_Delete(values);
}

static void borrowed_print(void)
{
	struct error error = {0};
	cJSON *borrowed = NULL;
	const cJSON *item;
	pid_t pid = 0;

	if (settings_borrowed(&borrowed, &pid, &error) < 0) {
		printf("borrowed now: it cannot be told: %s\n", error.text);
		return;
	}
	if (!cJSON_GetArraySize(borrowed))
		puts("borrowed now: nothing");
	else if (pid)
		printf("borrowed now, by an orion-sim that runs (pid %d):\n", pid);
	else
		puts("borrowed, by a run that was killed (orion-sim restore gives it back):");
	cJSON_ArrayForEach (item, borrowed)
		printf("    %s: from %s to %s\n", text_of(item, "path"), text_of(item, "from"),
		       text_of(item, "to"));
	cJSON_Delete(borrowed);
}

void list_settings_here(const struct entry *setting)
{
	puts("\non this machine now:");
	if (setting)
		values_print(setting);
	else
		here_catalog(&settings_catalog, values_print);
	borrowed_print();
}
