/* SPDX-License-Identifier: MIT */
/* counter_sources.h - counters of the kernel by name: where they are found, what they grew by. */
#ifndef ORION_RUN_COUNTER_SOURCES_H
#define ORION_RUN_COUNTER_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/result.h"

struct error;

#define COUNTER_TEXT_BYTES (64 << 10) /* of all files that are read, together */

/* Takes one counter of a file. */
struct counter_sink {
	void *context;
	void (*take)(void *context, const char *name, uint64_t value);
};

/* Files of the same kind. A row in counter_sources is all that it takes to have more of them. */
struct counter_source {
	const char *name;
	const char *summary; /* names as they are asked for, and what they count */
	const char *pattern; /* of paths, as glob(3) has it */
	size_t bytes;	     /* room for the text of one file */
	void (*parse)(const char *path, const char *text, const struct counter_sink *sink);
};
extern const struct counter_source counter_sources[]; /* name null ends it */

/* Is a counter of that name asked for? */
struct counter_wish {
	const void *context;
	bool (*has)(const void *context, const char *name);
};

struct counter_file {
	const struct counter_source *source;
	char *path; /* owned */
	int fd;
	size_t offset, size; /* its place in a text of COUNTER_TEXT_BYTES */
};

/* Files that hold something that is asked for, open. */
struct counter_files {
	unsigned n;
	struct counter_file *files; /* owned */
};

/*
 * Opens every file that has a counter which is wished for; root is "" but in tests. -ENOMEM, or
 * -E2BIG where they are more than there is room for.
 */
int counter_files_open(const char *root, const struct counter_wish *wish, struct counter_files *ret,
		       struct error *error);
void counter_files_close(struct counter_files *files);

/* Reads all of them into text: pread alone, nothing is allocated. */
void counter_files_read(const struct counter_files *files, char text[COUNTER_TEXT_BYTES]);

/*
 * What grew or shrank from one reading to the other, of what is wished for; owned by the caller.
 * -ENOMEM.
 */
int counter_files_subtract(const struct counter_files *files, const char *begin, const char *end,
			   const struct counter_wish *wish, struct result_counter **ret,
			   unsigned *ret_n);

/* Every counter of a source on this machine; -ENOENT with the sentence why it has none. */
int counter_source_list(const char *root, const struct counter_source *source,
			const struct counter_sink *sink, struct error *error);

/* Does this machine have a counter that the pattern (as fnmatch(3) has it) stands for? */
bool counter_exists(const char *root, const char *pattern);

#endif
