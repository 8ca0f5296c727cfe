/* SPDX-License-Identifier: MIT */
/* catalog.h - everything a user can name is an entry in a catalog, and describes itself. */
#ifndef ORION_BASE_CATALOG_H
#define ORION_BASE_CATALOG_H

#include <stddef.h>
#include <cjson/cJSON.h>

struct error;
struct field;
struct json_document;

/* First member of every engine_ops, memory_ops, workload_ops, … */
struct entry {
	const char *name;
	const char *summary;	    /* one line, no full stop */
	const struct field *fields; /* its parameters; null if it has none */
	size_t params_size;	    /* bytes of the struct the fields describe */
};

struct catalog {
	const char *noun;		    /* "engine" */
	const struct entry *const *entries; /* NULL-terminated */
};

/* An entry together with its parameters: what a profile says by "engine": {"kind": …}. */
struct choice {
	const struct entry *entry;
	void *params; /* owned, params_size bytes (null if 0) */
};

/* "no engine is called 'libaoi' (there are: io_uring, libaio, sync, null)": ERROR_INPUT. */
int catalog_find(const struct catalog *catalog, const char *name, const struct entry **ret,
		 struct error *error);

/* Reads "NAME" or {"kind": "NAME", parameters…}; presets fill the rest. */
int catalog_read(const struct catalog *catalog, const struct json_document *document,
		 const cJSON *node, struct choice *ret, struct error *error);

/* The entry with all its presets. -ENOMEM only. */
int catalog_choose(const struct entry *entry, struct choice *ret, struct error *error);

/* {"kind": NAME, every parameter}; owned by the caller. */
cJSON *choice_write(const struct choice *choice);

/*
 * Short label for people: the name and the parameters that differ from their presets, values only
 * ("mthp 64K", "hugetlb 1G mmap", "io_uring registered_buffers"); a true bool gives its key.
 */
const char *choice_label(const struct choice *choice, char *text, size_t size);

void choice_free(struct choice *choice);

#endif
