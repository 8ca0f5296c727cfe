/* SPDX-License-Identifier: MIT */
/* lend.h - settings of the machine for the length of a test, and memory kinds from JSON text. */
#ifndef ORION_TESTS_MEMORY_LEND_H
#define ORION_TESTS_MEMORY_LEND_H

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>

#include "base/error.h"
#include "base/json.h"
#include "base/sysfile.h"
#include "memory/memory.h"
#include "memory/pool.h"
#include "memory/thp.h"

#define LEND_PAGE_BYTES (2ull << 20)

struct lend {
	uint64_t huge_pages; /* added */
	char path[6][160];   /* settings that were set to a word */
	char old[6][32];
	unsigned n_settings;
};

/* False with the reason printed where the machine does not let us. */
static inline bool lend_setting(struct lend *lend, const char *path, const char *word)
{
	char text[256], *old = lend->old[lend->n_settings];
	struct error error = {0};

	if (sysfile_read(path, text, sizeof(text), &error)) {
		print_message("cannot lend: %s\n", error.text);
		return false;
	}
	sysfile_bracketed(text, old, sizeof(lend->old[0]));
	if (!strcmp(old, word))
		return true;
	if (sysfile_write(path, word, &error)) {
		print_message("cannot lend: %s\n", error.text);
		return false;
	}
	snprintf(lend->path[lend->n_settings++], sizeof(lend->path[0]), "%s", path);
	return true;
}

/* A size's setting for shared memory; of size 0, the one above them all. */
static inline bool lend_folio(struct lend *lend, uint64_t folio_bytes, const char *word)
{
	char path[160];

	return lend_setting(lend, thp_path("", folio_bytes, "shmem_enabled", path, sizeof(path)),
			    word);
}

static inline bool lend_huge_pages(struct lend *lend, uint64_t pages)
{
	char path[256], text[32];
	struct error error = {0};
	struct pool before, after;

	pool_path("", POOL_ALL_NODES, LEND_PAGE_BYTES, "nr_hugepages", path, sizeof(path));
	if (pool_read("", POOL_ALL_NODES, LEND_PAGE_BYTES, &before, &error)) {
		print_message("cannot lend: %s\n", error.text);
		return false;
	}
	snprintf(text, sizeof(text), "%" PRIu64, before.pages + pages);
	if (sysfile_write(path, text, &error) ||
	    pool_read("", POOL_ALL_NODES, LEND_PAGE_BYTES, &after, &error)) {
		print_message("cannot lend: %s\n", error.text);
		return false;
	}
	lend->huge_pages += after.pages - before.pages;
	return after.pages == before.pages + pages;
}

static inline void lend_end(struct lend *lend)
{
	char path[256], text[32];
	struct pool pool;

	while (lend->n_settings) {
		unsigned i = --lend->n_settings;

		sysfile_write(lend->path[i], lend->old[i], NULL);
	}
	if (!lend->huge_pages || pool_read("", POOL_ALL_NODES, LEND_PAGE_BYTES, &pool, NULL))
		return;
	snprintf(text, sizeof(text), "%" PRIu64, pool.pages - lend->huge_pages);
	sysfile_write(
		pool_path("", POOL_ALL_NODES, LEND_PAGE_BYTES, "nr_hugepages", path, sizeof(path)),
		text, NULL);
	lend->huge_pages = 0;
}

/* Mounts a tmpfs over a folder, seen by this process alone and gone with it. */
static inline bool lend_mount(const char *folder, const char *options)
{
	if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	    mount("tmpfs", folder, "tmpfs", 0, options) == 0)
		return true;
	print_message("cannot mount a tmpfs on %s: %s\n", folder, strerror(errno));
	return false;
}

/* What a profile would say: {"kind": "mthp", "folio": "64k"}. */
static inline struct choice lend_choice(const char *json)
{
	struct json_document *document = NULL;
	struct choice choice = {0};
	struct error error = {0};

	if (json_parse("test", json, &document, &error) ||
	    catalog_read(&memory_catalog, document, json_root(document), &choice, &error))
		fail_msg("%s", error.text);
	json_free(document);
	return choice;
}

static inline struct region lend_region(const struct choice *choice, uint64_t size_bytes)
{
	return (struct region){.name = "sga",
			       .ops = memory_ops_of(choice),
			       .params = choice->params,
			       .size_bytes = size_bytes};
}

/* Whether any of the range is mapped. */
static inline int lend_is_mapped(const void *address, uint64_t bytes)
{
	char path[] = "/proc/self/maps", line[512];
	uint64_t begin = (uint64_t)(uintptr_t)address;
	unsigned long first, behind;
	FILE *file = fopen(path, "re");
	int found = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx-%lx", &first, &behind) == 2 && first < begin + bytes &&
		    behind > begin)
			found = 1;
	if (file)
		fclose(file);
	return found;
}

#endif
