/* SPDX-License-Identifier: MIT */
/* settings.c - settings of the machine are borrowed: journalled, set, given back. */
#include "run/settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/sysfile.h"
#include "base/topology.h"
#include "run/settings_parts.h"

/* A process that has ended, or a ring of one, may hold its pages for a moment. */
#define PATIENCE_NS UINT64_C(1500000000)

static const struct entry *const settings_entries[] = {
	&setting_hugepages.entry,     &setting_shmem_enabled.entry, &setting_thp_enabled.entry,
	&setting_use_zero_page.entry, &setting_numa_stat.entry,	    NULL,
};

const struct catalog settings_catalog = {.noun = "setting", .entries = settings_entries};

const struct setting_ops *settings_ops_of(const struct entry *entry)
{
	return (const struct setting_ops *)(const void *)entry;
}

const struct setting_ops *settings_find(const char *name)
{
	const struct entry *entry;

	if (catalog_find(&settings_catalog, name, &entry, NULL))
		return NULL;
	return settings_ops_of(entry);
}

void settings_note(cJSON *notes, const char *format, ...)
{
	char text[1536];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (notes)
		cJSON_AddItemToArray(notes, cJSON_CreateString(text));
}

/* One entry of the list with its parameters, checked. */
static int settings_read(const struct json_document *document, const cJSON *item,
			 struct choice *ret, struct error *error)
{
	struct choice choice;
	const char *wrong;
	int code = catalog_read(&settings_catalog, document, item, &choice, error);

	if (code)
		return code;
	wrong = settings_ops_of(choice.entry)->check(choice.params);
	if (wrong) {
		choice_free(&choice);
		return json_fail(document, item, error, ERROR_INPUT, "%s", wrong);
	}
	*ret = choice;
	return 0;
}

int settings_check(const struct json_document *document, const cJSON *list, struct error *error)
{
	struct choice choice;
	const cJSON *item;

	if (!list || cJSON_IsNull(list))
		return 0;
	if (!cJSON_IsArray(list))
		return json_fail(document, list, error, ERROR_INPUT,
				 "settings are a list, as [\"hugepages\", \"shmem_enabled\"]");
	cJSON_ArrayForEach (item, list) {
		int ret = settings_read(document, item, &choice, error);

		if (ret)
			return ret;
		choice_free(&choice);
	}
	return 0;
}

void settings_free(struct settings *settings)
{
	free(settings->changes);
	free(settings->nodes);
	free(settings);
}

struct settings *settings_new(const struct settings_place *place)
{
	struct settings *settings = calloc(1, sizeof(*settings));
	size_t n = (size_t)place->n_nodes;

	if (!settings)
		return NULL;
	settings->place = *place;
	settings->journal = (struct settings_journal){-1, -1};
	settings->keeper.fd = -1;
	settings->nodes = calloc(n + 1, sizeof(*settings->nodes));
	if (!settings->nodes) {
		free(settings);
		return NULL;
	}
	memcpy(settings->nodes, place->nodes, n * sizeof(*settings->nodes));
	settings->place.nodes = settings->nodes;
	return settings;
}

/* In the keeper: what this process took over from the run may be old, the journal is not. */
static void settings_outlive(void *context)
{
	struct settings *settings = context;

	settings->n_changes = 0;
	if (settings_journal_load(settings, NULL, NULL)) {
		settings_journal_close(settings, true);
		return;
	}
	settings_return(settings, 0, NULL);
	settings_journal_close(settings, settings->n_changes > 0);
}

static int settings_keep(struct settings *settings, struct error *error)
{
	const int fds[] = {settings->journal.folder_fd, settings->journal.lock_fd};
	const struct keeper_work work = {
		.restore = settings_outlive, .context = settings, .fds = fds, .n_fds = 2};

	if (!settings->place.keep || settings->keeper.pid)
		return 0;
	return settings->place.keep(&work, &settings->keeper, error);
}

/*
 * A journal of nothing goes first: a run that is killed when it has no keeper any more leaves none.
 * Then the keeper: were it to outlive the lock for a moment, it could find the journal of the run
 * that has it next.
 */
static void settings_let_go(struct settings *settings)
{
	bool keep = settings->n_changes > 0;

	if (!keep)
		settings_journal_drop(settings);
	keeper_end(&settings->keeper);
	settings_journal_close(settings, keep);
}

int settings_begin(struct settings *settings, const struct change *change, struct error *error)
{
	int ret = settings_journal_open(settings, true, error);

	if (ret == -EBUSY && error)
		settings->busy = *error;
	if (!ret)
		ret = settings_keep(settings, error);
	if (ret)
		return ret;
	if (settings->n_changes == settings->room) {
		unsigned room = settings->room + 16;
		struct change *changes = realloc(settings->changes, room * sizeof(*changes));

		if (!changes)
			return error_set(error, -ENOMEM, "no memory for a change of settings");
		settings->changes = changes;
		settings->room = room;
	}
	settings->changes[settings->n_changes++] = *change;
	ret = settings_journal_write(settings, error);
	if (ret)
		settings->n_changes--;
	return ret;
}

int settings_commit(struct settings *settings, const char *to, struct error *error)
{
	struct change *change = &settings->changes[settings->n_changes - 1];

	snprintf(change->to, sizeof(change->to), "%s", to);
	change->state = CHANGE_TAKEN;
	if (!strcmp(change->from, change->to))
		settings->n_changes--;
	return settings_journal_write(settings, error);
}

void settings_return(struct settings *settings, unsigned first, cJSON *notes)
{
	unsigned kept = first;

	for (unsigned i = settings->n_changes; i > first; i--) {
		struct change *change = &settings->changes[i - 1];
		struct error error = {0};
		char path[512];

		if (!change->ops)
			continue;
		if (change->ops->give_back(settings, change, notes, &error))
			settings_note(notes, "%s is not given back: %s",
				      change->ops->path(settings, change, path, sizeof(path)),
				      error.text);
		else
			change->ops = NULL;
	}
	for (unsigned i = first; i < settings->n_changes; i++)
		if (settings->changes[i].ops)
			settings->changes[kept++] = settings->changes[i];
	settings->n_changes = kept;
	if (settings->journal.lock_fd >= 0)
		settings_journal_write(settings, NULL);
}

/* "gave back 2 of 2 settings that a killed run had borrowed: PATH, PATH" */
static void settings_note_played_back(const struct settings *settings, const cJSON *before,
				      cJSON *notes)
{
	int n = cJSON_GetArraySize(before);
	char paths[1200] = "";
	const cJSON *item;
	size_t length = 0;

	cJSON_ArrayForEach (item, before) {
		const char *path = cJSON_GetStringValue(cJSON_GetObjectItem(item, "path"));

		if (length < sizeof(paths))
			length += (size_t)snprintf(paths + length, sizeof(paths) - length, "%s%s",
						   length ? ", " : "", path);
	}
	if (n)
		settings_note(notes,
			      "gave back %d of %d settings that a killed run had borrowed: %s",
			      n - (int)settings->n_changes, n, paths);
}

/* 0 also where no killed run left anything. */
static int settings_play_back(struct settings *settings, cJSON *notes, struct error *error)
{
	struct error own = {0};
	int ret = settings_journal_open(settings, false, &own);
	cJSON *before;

	if (ret == -ENOENT)
		return 0;
	if (!ret)
		ret = settings_journal_load(settings, notes, &own);
	if (ret) {
		settings_journal_close(settings, true);
		if (error)
			*error = own;
		return ret;
	}
	before = settings_describe(settings);
	settings_return(settings, 0, notes);
	settings_note_played_back(settings, before, notes);
	cJSON_Delete(before);
	return 0;
}

static void settings_borrow(struct settings *settings, const struct choice *choice,
			    const struct memory_need *needs, unsigned n_needs, cJSON *notes)
{
	settings_ops_of(choice->entry)->borrow(settings, choice->params, needs, n_needs, notes);
}

static int settings_apply_list(struct settings *settings, const struct json_document *document,
			       const cJSON *list, const struct memory_need *needs, unsigned n_needs,
			       cJSON *notes, struct error *error)
{
	const cJSON *item;

	cJSON_ArrayForEach (item, list) {
		struct choice choice;
		int ret = settings_read(document, item, &choice, error);

		if (ret)
			return ret;
		settings_borrow(settings, &choice, needs, n_needs, notes);
		choice_free(&choice);
	}
	return 0;
}

int settings_apply_at(const struct settings_place *place, const struct json_document *document,
		      const cJSON *list, const struct memory_need *needs, unsigned n_needs,
		      cJSON *notes, struct settings **ret, struct error *error)
{
	struct settings *settings = settings_new(place);
	struct error left = {0};
	int code;

	if (!settings)
		return error_set(error, -ENOMEM, "no memory for settings");
	*ret = settings;
	code = settings_play_back(settings, notes, &left);
	if (code == -EBUSY)
		return cJSON_GetArraySize(list) ? error_set(error, ERROR_CANNOT, "%s", left.text)
						: 0;
	/*
	 * Nothing is borrowed on top of a journal that cannot be read. Where it is only out of
	 * reach, the first change that is needed meets that again, and says so.
	 */
	if (code && code != -EACCES) {
		settings_note(notes, "no settings are borrowed: %s", left.text);
		settings->barred = true;
		return 0;
	}
	code = settings_apply_list(settings, document, list, needs, n_needs, notes, error);
	settings->n_lasting = settings->n_changes;
	if (!settings->n_changes)
		settings_let_go(settings);
	if (!code && settings->busy.code)
		return error_set(error, ERROR_CANNOT, "%s", settings->busy.text);
	return code;
}

int settings_hold(struct settings *settings, struct error *error)
{
	struct error own = {0};
	int ret;

	if (settings->barred)
		return 0;
	ret = settings_journal_open(settings, true, &own);
	if (!ret)
		settings_keep(settings, NULL);
	return ret == -EBUSY ? error_set(error, ERROR_CANNOT, "%s", own.text) : 0;
}

int settings_extend(struct settings *settings, const struct json_document *document,
		    const cJSON *list, const struct memory_need *needs, unsigned n_needs,
		    cJSON *notes, struct error *error)
{
	int code;

	if (settings->barred)
		return 0;
	settings->n_lasting = settings->n_changes;
	code = settings_apply_list(settings, document, list, needs, n_needs, notes, error);
	if (!code && settings->busy.code)
		return error_set(error, ERROR_CANNOT, "%s", settings->busy.text);
	return code;
}

void settings_shrink(struct settings *settings, cJSON *notes)
{
	if (settings->n_changes > settings->n_lasting)
		settings_return(settings, settings->n_lasting, notes);
}

int settings_recover_at(const struct settings_place *place, cJSON *notes, struct error *error)
{
	struct settings *settings = settings_new(place);
	int ret;

	if (!settings)
		return error_set(error, -ENOMEM, "no memory for settings");
	ret = settings_play_back(settings, notes, error);
	if (!ret && settings->n_changes)
		ret = error_set(error, ERROR_CANNOT,
				"%u settings that a killed run had borrowed are not given back; "
				"they stay noted for another try",
				settings->n_changes);
	settings_let_go(settings);
	settings_free(settings);
	return ret;
}

void settings_restore(struct settings *settings, cJSON *notes)
{
	if (!settings)
		return;
	settings_return(settings, 0, notes);
	settings_let_go(settings);
	settings_free(settings);
}

cJSON *settings_describe(const struct settings *settings)
{
	cJSON *list = cJSON_CreateArray();
	char path[512];

	for (unsigned i = 0; settings && i < settings->n_changes; i++) {
		const struct change *change = &settings->changes[i];
		cJSON *item;

		if (!change->ops)
			continue;
		item = cJSON_CreateObject();
		cJSON_AddStringToObject(item, "path",
					change->ops->path(settings, change, path, sizeof(path)));
		cJSON_AddStringToObject(item, "from", change->from);
		cJSON_AddStringToObject(item, "to", change->to);
		cJSON_AddItemToArray(list, item);
	}
	return list;
}

int settings_apply(const struct json_document *document, const cJSON *list,
		   const struct memory_need *needs, unsigned n_needs, cJSON *notes,
		   struct settings **ret, struct error *error)
{
	struct topology topology;
	struct settings_place place = {.root = "",
				       .nodes = topology.nodes,
				       .write = sysfile_write,
				       .keep = keeper_start,
				       .patience_ns = PATIENCE_NS};
	int code = topology_read(&topology, error);

	if (code)
		return code;
	place.n_nodes = topology.n_nodes;
	return settings_apply_at(&place, document, list, needs, n_needs, notes, ret, error);
}

int settings_recover(cJSON *notes, struct error *error)
{
	const int node = 0;
	const struct settings_place place = {
		.root = "", .nodes = &node, .write = sysfile_write, .patience_ns = PATIENCE_NS};

	return settings_recover_at(&place, notes, error);
}
