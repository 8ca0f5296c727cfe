/* SPDX-License-Identifier: MIT */
/* settings_hugepages.c - huge pages added to what the machine has, and taken away again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/field.h"
#include "base/sysfile.h"
#include "base/units.h"
#include "memory/pool.h"
#include "run/settings_parts.h"

#define DEFAULT_PAGE_BYTES (2ull << 20)
#define KEEP_BYTES_MIN	   (256ull << 20)
#define KEEP_SHARE	   20 /* one part in so many of MemTotal */
#define LOOK_AGAIN_NS	   UINT64_C(10000000)

struct hugepages_params {
	uint64_t page_bytes, bytes;
};

static const struct field hugepages_fields[] = {
	FIELD_SIZE("page", struct hugepages_params, page_bytes, "0", 0, 16ull << 30,
		   "size of the huge pages; 0 for those that the plan needs (2M with bytes)"),
	FIELD_SIZE("bytes", struct hugepages_params, bytes, "0", 0, 0,
		   "how much is added; 0 for what the plan needs"),
	FIELD_END,
};

static const char *hugepages_check(const void *params)
{
	const struct hugepages_params *hugepages = params;

	if (hugepages->page_bytes & (hugepages->page_bytes - 1))
		return "page is not a power of two: say 2M or 1G";
	return NULL;
}

static const char *hugepages_path(const struct settings *settings, const struct change *change,
				  char *text, size_t size)
{
	return pool_path(settings->place.root, change->node, change->size_bytes, "nr_hugepages",
			 text, size);
}

/* Writing nr_hugepages sets the persistent pages; reading it counts surplus ones as well. */
static uint64_t hugepages_persistent(const struct pool *pool)
{
	return pool->pages > pool->surplus ? pool->pages - pool->surplus : 0;
}

static void hugepages_print(char text[32], uint64_t pages)
{
	snprintf(text, 32, "%llu", (unsigned long long)pages);
}

static int hugepages_write(struct settings *settings, const struct change *change,
			   struct error *error)
{
	char path[512];

	return settings->place.write(hugepages_path(settings, change, path, sizeof(path)),
				     change->to, error);
}

/* Adds pages to one node; how many came is read back, and may be fewer. */
static int hugepages_add(struct settings *settings, uint64_t page_bytes, int node, uint64_t pages,
			 uint64_t *ret_added, struct error *error)
{
	const char *root = settings->place.root;
	struct change change = {.ops = &setting_hugepages, .size_bytes = page_bytes, .node = node};
	struct pool before, after;
	char to[sizeof(change.to)];
	int committed, ret = pool_read(root, node, page_bytes, &before, error);

	if (ret)
		return ret;
	hugepages_print(change.from, hugepages_persistent(&before));
	hugepages_print(change.to, before.pages + pages);
	ret = settings_begin(settings, &change, error);
	if (ret)
		return ret;
	ret = hugepages_write(settings, &change, error);
	/* Unknown: it stays in the journal as it is. */
	if (pool_read(root, node, page_bytes, &after, ret ? NULL : error))
		return ret ? ret : error_prefix(error, "after adding huge pages: ");
	hugepages_print(to, hugepages_persistent(&after));
	committed = settings_commit(settings, to, ret ? NULL : error);
	if (ret || committed)
		return ret ? ret : committed;
	*ret_added = after.pages > before.pages ? after.pages - before.pages : 0;
	return 0;
}

/* Where the machine has no nodes there is one pool only. */
static int hugepages_node(const struct settings *settings, uint64_t page_bytes, int i)
{
	int node = settings->place.nodes[i];
	char path[512];

	pool_path(settings->place.root, node, page_bytes, "nr_hugepages", path, sizeof(path));
	return access(path, F_OK) ? POOL_ALL_NODES : node;
}

/* Is a node one of those that pages are asked for on; any is, where none are named. */
static bool hugepages_asked_on(const struct settings *settings, const struct memory_need *need,
			       int i)
{
	return !node_set_count(&need->nodes) ||
	       node_set_has(&need->nodes, settings->place.nodes[i]);
}

/*
 * One round over the nodes that are asked for, or over the others: an even share of what is left of
 * each, or all of it of the first that has it.
 */
static int hugepages_round(struct settings *settings, const struct memory_need *need, bool others,
			   bool even, uint64_t *left, struct error *error)
{
	uint64_t n = 0, pages = *left, i = 0;

	for (int k = 0; k < settings->place.n_nodes; k++)
		n += hugepages_asked_on(settings, need, k) != others;
	for (int k = 0; n && k < settings->place.n_nodes && *left; k++) {
		uint64_t ask, added = 0;
		int ret;

		if (hugepages_asked_on(settings, need, k) == others)
			continue;
		ask = even ? (pages + n - 1 - i++) / n : *left;
		if (!ask)
			continue;
		ret = hugepages_add(settings, need->page_bytes,
				    hugepages_node(settings, need->page_bytes, k), ask, &added,
				    error);
		if (ret)
			return ret;
		*left -= added < *left ? added : *left;
	}
	return 0;
}

/* Even shares of the nodes first; what a node cannot give is asked of the others. */
static int hugepages_spread(struct settings *settings, const struct memory_need *need,
			    uint64_t pages, uint64_t *ret_added, struct error *error)
{
	uint64_t left = pages;
	int ret = hugepages_round(settings, need, false, true, &left, error);

	if (!ret)
		ret = hugepages_round(settings, need, false, false, &left, error);
	if (!ret && !need->nodes_only)
		ret = hugepages_round(settings, need, true, false, &left, error);
	if (!ret)
		*ret_added = pages - left;
	return ret;
}

/* Enough must remain for everybody else. */
static int hugepages_check_memory(const struct settings *settings, uint64_t bytes,
				  struct error *error)
{
	uint64_t total_bytes, available_bytes, keep_bytes;
	char path[512], text[8192], want[32], have[32], keep[32];
	int ret;

	snprintf(path, sizeof(path), "%s/proc/meminfo", settings->place.root);
	ret = sysfile_read(path, text, sizeof(text), error);
	if (ret)
		return ret;
	if (sysfile_field_kb(text, "MemTotal", &total_bytes) ||
	    sysfile_field_kb(text, "MemAvailable", &available_bytes))
		return error_set(error, -EBADMSG, "%s has no MemTotal and MemAvailable", path);
	keep_bytes = total_bytes / KEEP_SHARE;
	if (keep_bytes < KEEP_BYTES_MIN)
		keep_bytes = KEEP_BYTES_MIN;
	if (bytes <= available_bytes && available_bytes - bytes >= keep_bytes)
		return 0;
	return error_set(error, ERROR_CANNOT,
			 "%s more are needed, but MemAvailable is %s, of which %s are kept for the "
			 "rest of the machine: ask for smaller regions",
			 units_format_amount(bytes, want),
			 units_format_amount(available_bytes, have),
			 units_format_amount(keep_bytes, keep));
}

/* Adds them all: pages that are free already may be meant for a database that is about to start. */
static int hugepages_borrow_pages(struct settings *settings, const struct memory_need *need,
				  uint64_t pages, cJSON *notes, struct error *error)
{
	unsigned first = settings->n_changes;
	uint64_t added = 0;
	int ret = hugepages_check_memory(settings, pages * need->page_bytes, error);

	if (!ret)
		ret = hugepages_spread(settings, need, pages, &added, error);
	if (!ret && added < pages)
		ret = error_set(error, ERROR_CANNOT,
				"%llu more were asked and the kernel found %llu, which were given "
				"back (free memory is in small pieces): echo 1 > "
				"/proc/sys/vm/compact_memory, or boot with hugepages=N",
				(unsigned long long)pages, (unsigned long long)added);
	if (ret)
		settings_return(settings, first, notes);
	return ret;
}

static void hugepages_borrow_need(struct settings *settings, const struct memory_need *need,
				  cJSON *notes)
{
	uint64_t pages = need->bytes / need->page_bytes + (need->bytes % need->page_bytes ? 1 : 0);
	struct error error = {0};
	char page[32], nodes[128];

	if (!pages || !hugepages_borrow_pages(settings, need, pages, notes, &error))
		return;
	node_set_format(&need->nodes, nodes, sizeof(nodes));
	settings_note(notes, "%s huge pages are not borrowed%s%s: %s",
		      units_format_size(need->page_bytes, page), *nodes ? " on node " : "", nodes,
		      error.text);
}

/* What must be on certain nodes is part of the sum that names none, and is had first. */
static void hugepages_borrow_size(struct settings *settings, const struct memory_need *sum,
				  const struct memory_need *needs, unsigned n_needs, cJSON *notes)
{
	struct memory_need rest = *sum;

	for (unsigned i = 0; i < n_needs; i++) {
		if (needs[i].kind != sum->kind || needs[i].page_bytes != sum->page_bytes ||
		    !node_set_count(&needs[i].nodes))
			continue;
		hugepages_borrow_need(settings, &needs[i], notes);
		rest.bytes -= needs[i].bytes < rest.bytes ? needs[i].bytes : rest.bytes;
	}
	hugepages_borrow_need(settings, &rest, notes);
}

static void hugepages_borrow(struct settings *settings, const void *params,
			     const struct memory_need *needs, unsigned n_needs, cJSON *notes)
{
	const struct hugepages_params *hugepages = params;
	uint64_t page_bytes = hugepages->page_bytes;

	if (hugepages->bytes) {
		const struct memory_need said = {.page_bytes = page_bytes ? page_bytes
									  : DEFAULT_PAGE_BYTES,
						 .bytes = hugepages->bytes};

		hugepages_borrow_need(settings, &said, notes);
		return;
	}
	for (unsigned i = 0; i < n_needs; i++)
		if (needs[i].kind == MEMORY_NEED_HUGE_PAGES && needs[i].bytes &&
		    !node_set_count(&needs[i].nodes) &&
		    (!page_bytes || needs[i].page_bytes == page_bytes))
			hugepages_borrow_size(settings, &needs[i], needs, n_needs, notes);
}

/* What a change has to do with the pool as it is now. */
struct hugepages_debt {
	uint64_t persistent, to;
	uint64_t owed; /* pages that are still ours … */
	uint64_t give; /* … and those of them that can be given back now */
	bool shrunk;   /* somebody took pages away meanwhile, and wants it so */
};

/*
 * Pages that are still ours. Where it is not known whether the last write came through, the pages
 * there now tell.
 */
static int hugepages_owe(const struct change *change, struct hugepages_debt *debt,
			 struct error *error)
{
	uint64_t from, to, base, most, there;

	if (units_parse_count(change->from, &from, NULL) ||
	    units_parse_count(change->to, &to, NULL) ||
	    (from > to) != (change->state == CHANGE_RETURNING))
		return error_set(error, -EBADMSG, "the journal says from '%s' to '%s'",
				 change->from, change->to);
	base = from < to ? from : to;
	most = from < to ? to - from : from - to;
	there = debt->persistent > base ? debt->persistent - base : 0;
	debt->to = to;
	debt->shrunk = change->state == CHANGE_TAKEN && debt->persistent < to;
	debt->owed = change->state != CHANGE_TAKEN && there < most ? there : most;
	if (debt->shrunk)
		debt->owed = 0;
	return 0;
}

static int hugepages_look(const struct settings *settings, const struct change *change,
			  struct hugepages_debt *debt, struct error *error)
{
	const char *root = settings->place.root;
	struct pool all, pool;
	int ret = pool_read(root, POOL_ALL_NODES, change->size_bytes, &all, error);

	if (!ret)
		ret = pool_read(root, change->node, change->size_bytes, &pool, error);
	if (ret)
		return ret;
	debt->persistent = hugepages_persistent(&pool);
	ret = hugepages_owe(change, debt, error);
	if (ret)
		return ret;
	debt->give = debt->owed;
	if (debt->give > pool_spare(&all))
		debt->give = pool_spare(&all);
	if (debt->give > pool.free)
		debt->give = pool.free;
	if (debt->give > debt->persistent)
		debt->give = debt->persistent;
	return 0;
}

/* Waits for pages of ours that the kernel is still taking back from a process that has ended. */
static int hugepages_look_patiently(const struct settings *settings, const struct change *change,
				    struct hugepages_debt *debt, struct error *error)
{
	uint64_t deadline_ns = clock_now_ns() + settings->place.patience_ns;
	int ret = hugepages_look(settings, change, debt, error);

	while (!ret && debt->give < debt->owed && clock_now_ns() < deadline_ns) {
		clock_sleep_until(clock_now_ns() + LOOK_AGAIN_NS);
		ret = hugepages_look(settings, change, debt, error);
	}
	return ret;
}

/* All changes of that pool are settled: it is as somebody else wants it. */
static void hugepages_leave(struct settings *settings, const struct change *change,
			    const struct hugepages_debt *debt, cJSON *notes)
{
	char path[512];

	settings_note(notes,
		      "%s was set from %llu to %llu by somebody else meanwhile, and stays so",
		      hugepages_path(settings, change, path, sizeof(path)),
		      (unsigned long long)debt->to, (unsigned long long)debt->persistent);
	for (unsigned i = 0; i < settings->n_changes; i++) {
		struct change *other = &settings->changes[i];

		if (other != change && other->ops == &setting_hugepages &&
		    other->size_bytes == change->size_bytes && other->node == change->node)
			other->ops = NULL;
	}
}

static int hugepages_take_away(struct settings *settings, struct change *change,
			       uint64_t persistent, uint64_t pages, struct error *error)
{
	change->state = CHANGE_RETURNING;
	hugepages_print(change->from, persistent);
	hugepages_print(change->to, persistent - pages);
	/* Should this fail (no room in /run), giving back still matters more. */
	settings_journal_write(settings, NULL);
	return hugepages_write(settings, change, error);
}

static int hugepages_give_back(struct settings *settings, struct change *change, cJSON *notes,
			       struct error *error)
{
	struct hugepages_debt debt;
	char path[512];
	int ret = hugepages_look_patiently(settings, change, &debt, error);

	if (ret)
		return ret;
	if (debt.shrunk)
		hugepages_leave(settings, change, &debt, notes);
	if (debt.give < debt.owed)
		settings_note(notes,
			      "%llu of %llu huge pages that were added to %s stay there, since "
			      "others use or have reserved them",
			      (unsigned long long)(debt.owed - debt.give),
			      (unsigned long long)debt.owed,
			      hugepages_path(settings, change, path, sizeof(path)));
	return debt.give ? hugepages_take_away(settings, change, debt.persistent, debt.give, error)
			 : 0;
}

static void hugepages_values(const char *root, cJSON *list)
{
	uint64_t sizes[SETTINGS_SIZES_MAX];
	char path[512], value[128];
	unsigned n;

	snprintf(path, sizeof(path), "%s/sys/kernel/mm/hugepages", root);
	n = settings_sizes(path, sizes);
	for (unsigned i = 0; i < n; i++) {
		struct pool pool;

		if (pool_read(root, POOL_ALL_NODES, sizes[i], &pool, NULL))
			continue;
		snprintf(value, sizeof(value), "%llu (%llu free, %llu of them reserved)",
			 (unsigned long long)pool.pages, (unsigned long long)pool.free,
			 (unsigned long long)pool.reserved);
		pool_path(root, POOL_ALL_NODES, sizes[i], "nr_hugepages", path, sizeof(path));
		settings_add_value(list, path, value);
	}
}

const struct setting_ops setting_hugepages = {
	.entry = {.name = "hugepages",
		  .summary = "huge pages added to what others have, while we run",
		  .fields = hugepages_fields,
		  .params_size = sizeof(struct hugepages_params)},
	.check = hugepages_check,
	.borrow = hugepages_borrow,
	.give_back = hugepages_give_back,
	.path = hugepages_path,
	.values = hugepages_values,
};
