/* SPDX-License-Identifier: MIT */
/* settings_shmem.c - shmem_enabled of a folio size, borrowed as one of its words. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/field.h"
#include "base/sysfile.h"
#include "memory/pool.h"
#include "memory/thp.h"
#include "run/settings_parts.h"

/* By how much they give. */
static const char *const shmem_values_known[] = {"never", "advise", "within_size", "always", NULL};

enum shmem_value { SHMEM_NEVER, SHMEM_ADVISE, SHMEM_WITHIN_SIZE, SHMEM_ALWAYS };

struct shmem_params {
	uint64_t folio_bytes;
	int value; /* enum shmem_value */
	bool lower;
};

static const struct field shmem_fields[] = {
	FIELD_SIZE("folio", struct shmem_params, folio_bytes, "0", 0, 2 << 20,
		   "folio size to set; 0 for those that the plan needs"),
	FIELD_CHOICE("value", struct shmem_params, value, "advise", shmem_values_known,
		     "what it is set to where it gives less now; never, where it gives anything"),
	FIELD_BOOL("lower", struct shmem_params, lower, "false",
		   "set it, too, where it gives more now: always to advise"),
	FIELD_END,
};

static const char *shmem_check(const void *params)
{
	const struct shmem_params *shmem = params;

	if (shmem->folio_bytes & (shmem->folio_bytes - 1))
		return "folio is not a power of two: say 64k";
	if (shmem->value == SHMEM_NEVER && !shmem->folio_bytes)
		return "never is for one size, since no plan needs it: say which by folio, as 64k";
	return NULL;
}

static const char *shmem_path(const struct settings *settings, const struct change *change,
			      char *text, size_t size)
{
	return thp_path(settings->place.root, change->size_bytes, "shmem_enabled", text, size);
}

static int shmem_read(const char *path, char *word, size_t size, struct error *error)
{
	char text[256];
	int ret = sysfile_read(path, text, sizeof(text), error);

	if (!ret)
		sysfile_bracketed(text, word, size);
	return ret;
}

static int shmem_set(struct settings *settings, uint64_t folio_bytes, enum shmem_value value,
		     struct error *error)
{
	struct change change = {
		.ops = &setting_shmem_enabled, .size_bytes = folio_bytes, .node = POOL_ALL_NODES};
	char path[512], word[sizeof(change.from)] = "";
	int ret, committed;

	snprintf(change.to, sizeof(change.to), "%s", shmem_values_known[value]);
	shmem_path(settings, &change, path, sizeof(path));
	ret = shmem_read(path, change.from, sizeof(change.from), error);
	if (!ret)
		ret = settings_begin(settings, &change, error);
	if (ret)
		return ret;
	ret = settings->place.write(path, change.to, error);
	if (!ret)
		ret = shmem_read(path, word, sizeof(word), error);
	if (!ret && strcmp(word, change.to))
		ret = error_set(error, -EIO, "%s still says '%s' after '%s' was written", path,
				word, change.to);
	committed = settings_commit(settings, ret ? change.from : change.to, ret ? NULL : error);
	return ret ? ret : committed;
}

/* What a size gives now, by its own word or the one that it inherits. */
static enum shmem_value shmem_now(const char *root, uint64_t folio_bytes)
{
	char path[512], word[32] = "";
	int value = SHMEM_ALWAYS;

	shmem_read(thp_path(root, folio_bytes, "shmem_enabled", path, sizeof(path)), word,
		   sizeof(word), NULL);
	if (!strcmp(word, "inherit"))
		shmem_read(thp_path(root, 0, "shmem_enabled", path, sizeof(path)), word,
			   sizeof(word), NULL);
	if (!strcmp(word, "force"))
		return SHMEM_ALWAYS;
	while (value > SHMEM_NEVER && strcmp(word, shmem_values_known[value]) != 0)
		value--;
	return value;
}

/* Is a size to be set; if it cannot be, why is set. */
static bool shmem_wants(const char *root, uint64_t folio_bytes, const struct shmem_params *shmem,
			struct error *why)
{
	enum thp_state state = thp_shmem_state(root, folio_bytes, why);
	enum shmem_value now;

	if (state == THP_ABSENT || (state == THP_BLOCKED && shmem->value != SHMEM_NEVER))
		return false;
	*why = (struct error){0};
	now = shmem_now(root, folio_bytes);
	if ((int)now > shmem->value)
		return shmem->lower || shmem->value == SHMEM_NEVER;
	return (int)now < shmem->value;
}

static void shmem_borrow_size(struct settings *settings, uint64_t folio_bytes,
			      const struct shmem_params *shmem, cJSON *notes)
{
	struct error error = {0};

	if (shmem_wants(settings->place.root, folio_bytes, shmem, &error))
		shmem_set(settings, folio_bytes, (enum shmem_value)shmem->value, &error);
	if (error.code)
		settings_note(notes, "shmem_enabled is not borrowed: %s", error.text);
}

static void shmem_borrow(struct settings *settings, const void *params,
			 const struct memory_need *needs, unsigned n_needs, cJSON *notes)
{
	const struct shmem_params *shmem = params;

	if (shmem->folio_bytes)
		shmem_borrow_size(settings, shmem->folio_bytes, shmem, notes);
	for (unsigned i = 0; !shmem->folio_bytes && i < n_needs; i++)
		if (needs[i].kind == MEMORY_NEED_SHMEM_FOLIO)
			shmem_borrow_size(settings, needs[i].page_bytes, shmem, notes);
}

static int shmem_give_back(struct settings *settings, struct change *change, cJSON *notes,
			   struct error *error)
{
	char path[512], word[sizeof(change->to)] = "";
	int ret;

	shmem_path(settings, change, path, sizeof(path));
	ret = shmem_read(path, word, sizeof(word), error);
	if (ret)
		return ret;
	if (!strcmp(word, change->to))
		return settings->place.write(path, change->from, error);
	if (strcmp(word, change->from))
		settings_note(notes, "%s was set to '%s' by somebody else meanwhile, and stays so",
			      path, word);
	return 0;
}

static void shmem_values(const char *root, cJSON *list)
{
	uint64_t sizes[SETTINGS_SIZES_MAX];
	char path[512], word[32];
	unsigned n;

	snprintf(path, sizeof(path), "%s/sys/kernel/mm/transparent_hugepage", root);
	n = settings_sizes(path, sizes);
	for (unsigned i = 0; i < n; i++) {
		thp_path(root, sizes[i], "shmem_enabled", path, sizeof(path));
		if (!shmem_read(path, word, sizeof(word), NULL))
			settings_add_value(list, path, word);
	}
}

const struct setting_ops setting_shmem_enabled = {
	.entry = {.name = "shmem_enabled",
		  .summary = "what gives shared memory large folios of a size, while we run",
		  .fields = shmem_fields,
		  .params_size = sizeof(struct shmem_params)},
	.check = shmem_check,
	.borrow = shmem_borrow,
	.give_back = shmem_give_back,
	.path = shmem_path,
	.values = shmem_values,
};
