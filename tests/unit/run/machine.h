/* SPDX-License-Identifier: MIT */
/* machine.h - a machine of a test's own: two nodes with huge pages, folio sizes, and its kernel. */
#ifndef ORION_TESTS_RUN_MACHINE_H
#define ORION_TESTS_RUN_MACHINE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../memory/tree.h"
#include "base/error.h"
#include "base/json.h"
#include "base/sysfile.h"
#include "memory/pool.h"
#include "memory/thp.h"
#include "run/settings_parts.h"

#define MACHINE_PAGE_BYTES (2ull << 20)

enum machine_death { MACHINE_LIVES, MACHINE_DIES_BEFORE_WRITE, MACHINE_DIES_AFTER_WRITE };

/* The files of the tree are the state, so that a forked run and its parent see the same machine. */
struct machine {
	struct tree tree;
	uint64_t limit[2]; /* pages that a node can still give */
	const char *deaf;  /* writes to paths with this in them fail */
	enum machine_death death;
	unsigned writes_left; /* before that death */
	struct settings_place place;
};

/* The kernel's side has no way to get a context. */
static struct machine machine;

static inline void machine_set(int node, const char *file, uint64_t value)
{
	char path[256], text[32];

	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)value);
	tree_put(&machine.tree, pool_path("", node, MACHINE_PAGE_BYTES, file, path, sizeof(path)),
		 text);
}

static inline uint64_t machine_get(int node, const char *file)
{
	struct pool pool;

	if (pool_read(machine.tree.root, node, MACHINE_PAGE_BYTES, &pool, NULL))
		abort();
	return !strcmp(file, "nr_hugepages")	 ? pool.pages
	       : !strcmp(file, "free_hugepages") ? pool.free
						 : pool.reserved;
}

static inline void machine_set_all(const char *file)
{
	machine_set(POOL_ALL_NODES, file, machine_get(0, file) + machine_get(1, file));
}

/* pages of which free ones are free, on a node. */
static inline void machine_pool(int node, uint64_t pages, uint64_t free)
{
	machine_set(node, "nr_hugepages", pages);
	machine_set(node, "free_hugepages", free);
	machine_set(node, "surplus_hugepages", 0);
}

static inline void machine_sum(void)
{
	machine_set_all("nr_hugepages");
	machine_set_all("free_hugepages");
	machine_set(POOL_ALL_NODES, "surplus_hugepages", 0);
}

static inline void machine_folio(uint64_t folio_bytes, const char *text)
{
	char path[256];

	tree_put(&machine.tree, thp_path("", folio_bytes, "shmem_enabled", path, sizeof(path)),
		 text);
}

static inline const char *machine_folio_word(uint64_t folio_bytes)
{
	static char word[32];
	char path[256], text[256];

	thp_path(machine.tree.root, folio_bytes, "shmem_enabled", path, sizeof(path));
	if (sysfile_read(path, text, sizeof(text), NULL))
		abort();
	sysfile_bracketed(text, word, sizeof(word));
	return word;
}

/* As the kernel does it: what it can give, free pages only taken away. */
static inline void machine_resize(int node, uint64_t target)
{
	uint64_t pages = machine_get(node, "nr_hugepages");
	uint64_t free = machine_get(node, "free_hugepages");

	if (target > pages) {
		uint64_t more =
			target - pages < machine.limit[node] ? target - pages : machine.limit[node];

		machine.limit[node] -= more;
		machine_pool(node, pages + more, free + more);
	} else {
		uint64_t less = pages - target < free ? pages - target : free;

		machine_pool(node, pages - less, free - less);
	}
	machine_sum();
}

static inline int machine_write(const char *path, const char *text, struct error *error)
{
	int node;

	if (machine.death == MACHINE_DIES_BEFORE_WRITE && !machine.writes_left)
		_exit(9);
	if (machine.deaf && strstr(path, machine.deaf))
		return error_set(error, -EROFS, "cannot write '%s' to %s: deaf", text, path);
	if (sscanf(path + strlen(machine.tree.root), "/sys/devices/system/node/node%d/", &node) ==
	    1)
		machine_resize(node, strtoull(text, NULL, 10));
	else
		tree_put(&machine.tree, path + strlen(machine.tree.root), text);
	if (machine.death == MACHINE_DIES_AFTER_WRITE && !machine.writes_left)
		_exit(9);
	if (machine.writes_left)
		machine.writes_left--;
	return 0;
}

/* 8 GiB of which 4 are available, no huge pages, no folio size enabled. */
static inline int machine_make(void **state)
{
	static const int nodes[] = {0, 1};
	char path[128];

	machine = (struct machine){.limit = {1000, 1000}};
	tree_make(&machine.tree);
	machine.place = (struct settings_place){
		.root = machine.tree.root, .nodes = nodes, .n_nodes = 2, .write = machine_write};
	snprintf(path, sizeof(path), "%s/run", machine.tree.root);
	mkdir(path, 0755);
	tree_put(&machine.tree, "/proc/sys/kernel/random/boot_id", "first\n");
	tree_put(&machine.tree, "/proc/meminfo",
		 "MemTotal:        8388608 kB\nMemAvailable:    4194304 kB\n");
	machine_pool(0, 0, 0);
	machine_pool(1, 0, 0);
	machine_sum();
	machine_set(POOL_ALL_NODES, "resv_hugepages", 0);
	machine_set(POOL_ALL_NODES, "nr_overcommit_hugepages", 0);
	machine_folio(0, "always within_size advise [never] deny force\n");
	machine_folio(64 << 10, "always inherit within_size advise [never]\n");
	machine_folio(2 << 20, "always [inherit] within_size advise never\n");
	return 0;
}

static inline int machine_drop(void **state)
{
	tree_remove(&machine.tree);
	return 0;
}

/* Whether /run/orion-sim/NAME is there; the folder itself for "". */
static inline bool machine_has(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/run/orion-sim/%s", machine.tree.root, name);
	return !access(path, F_OK);
}

static inline struct memory_need need_pages(uint64_t pages)
{
	return (struct memory_need){.kind = MEMORY_NEED_HUGE_PAGES,
				    .page_bytes = MACHINE_PAGE_BYTES,
				    .bytes = pages * MACHINE_PAGE_BYTES};
}

static inline struct memory_need need_folio(uint64_t folio_bytes)
{
	return (struct memory_need){
		.kind = MEMORY_NEED_SHMEM_FOLIO, .page_bytes = folio_bytes, .bytes = 1 << 20};
}

/* Applies a list given as JSON text. */
static inline int machine_try_apply(const char *list, const struct memory_need *needs,
				    unsigned n_needs, cJSON *notes, struct settings **ret,
				    struct error *error)
{
	struct json_document *document = NULL;
	int code = json_parse("test", list, &document, error);

	if (!code)
		code = settings_apply_at(&machine.place, document, json_root(document), needs,
					 n_needs, notes, ret, error);
	json_free(document);
	return code;
}

static inline struct settings *machine_apply(const char *list, const struct memory_need *needs,
					     unsigned n_needs, cJSON *notes)
{
	struct settings *settings = NULL;
	struct error error = {0};

	if (machine_try_apply(list, needs, n_needs, notes, &settings, &error)) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	return settings;
}

static inline const char *note_at(const cJSON *notes, int i)
{
	const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(notes, i));

	return text ? text : "";
}

#endif
