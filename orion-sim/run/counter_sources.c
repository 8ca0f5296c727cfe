/* SPDX-License-Identifier: MIT */
/* counter_sources.c - counters of the kernel by name: where they are found, what they grew by. */
#include "run/counter_sources.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"

#define NAME_BYTES sizeof(((struct result_counter *)0)->name)

/* The last component but so many: "numastat" of "…/node0/numastat" is 0, "node0" is 1. */
static int path_component(const char *path, unsigned from_end, const char **ret)
{
	const char *end = path + strlen(path), *begin;

	for (;;) {
		begin = end;
		while (begin > path && begin[-1] != '/')
			begin--;
		if (from_end-- == 0)
			break;
		end = begin > path ? begin - 1 : begin;
	}
	*ret = begin;
	return (int)(end - begin);
}

static void parse_lines(const char *text, const char *prefix, int prefix_length,
			const struct counter_sink *sink)
{
	char name[256], word[64];
	uint64_t value;

	while (text && *text) {
		if (sscanf(text, "%63s %" SCNu64, word, &value) == 2) {
			snprintf(name, sizeof(name), "%.*s%s%s", prefix_length, prefix,
				 prefix_length ? "." : "", word);
			sink->take(sink->context, name, value);
		}
		text = strchr(text, '\n');
		text += text != NULL;
	}
}

static void parse_vmstat(const char *path, const char *text, const struct counter_sink *sink)
{
	parse_lines(text, "", 0, sink);
}

static void parse_node(const char *path, const char *text, const struct counter_sink *sink)
{
	const char *node;
	int length = path_component(path, 1, &node);

	parse_lines(text, node, length, sink);
}

/* One number a file. */
static void parse_folio(const char *path, const char *text, const struct counter_sink *sink)
{
	char name[256];
	const char *size, *file;
	int size_length = path_component(path, 2, &size);
	int file_length = path_component(path, 0, &file);
	uint64_t value;

	if (sscanf(text, "%" SCNu64, &value) != 1)
		return;
	snprintf(name, sizeof(name), "%.*s.%.*s", size_length, size, file_length, file);
	sink->take(sink->context, name, value);
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=123": us in which some, or all, were stalled. */
static void parse_pressure(const char *path, const char *text, const struct counter_sink *sink)
{
	char name[256], who[8];
	const char *what;
	int length = path_component(path, 0, &what);

	while (text && *text) {
		const char *total = strstr(text, "total=");
		uint64_t value;

		if (!total || sscanf(text, "%7s", who) != 1 ||
		    sscanf(total, "total=%" SCNu64, &value) != 1)
			return;
		snprintf(name, sizeof(name), "psi.%.*s.%s_us", length, what, who);
		sink->take(sink->context, name, value);
		text = strchr(total, '\n');
		text += text != NULL;
	}
}

const struct counter_source counter_sources[] = {
	{"vmstat",
	 "pgfault, pgmajfault, thp_*, numa_*, pgalloc_*, pgfree, compact_* …: events and levels of "
	 "memory management",
	 "/proc/vmstat", 24 << 10, parse_vmstat},
	{"folios",
	 "hugepages-64kB.shmem_alloc, hugepages-*.anon_fault_alloc …: what became of folios of "
	 "each size",
	 "/sys/kernel/mm/transparent_hugepage/hugepages-*kB/stats/*", 32, parse_folio},
	{"nodes", "node0.numa_hit, node*.numa_miss …: page allocation of each memory node",
	 "/sys/devices/system/node/node*/numastat", 256, parse_node},
	{"psi",
	 "psi.memory.some_us, psi.*.full_us …: time in which some or all tasks waited for CPU, "
	 "memory or I/O",
	 "/proc/pressure/*", 256, parse_pressure},
	{"lab", "elevator_lock_waited …: what a kernel of kernel-patches/ counts of its own ways",
	 "/sys/kernel/debug/orion_*/counts", 1024, parse_vmstat},
	{.name = NULL}};

/* Paths of a source's files, all of them below root. */
static int source_paths(const char *root, const struct counter_source *source, glob_t *ret)
{
	char pattern[512];

	snprintf(pattern, sizeof(pattern), "%s%s", root, source->pattern);
	return glob(pattern, 0, NULL, ret) == 0 ? 0 : -ENOENT;
}

static void file_read(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
}

/* Does a file hold anything that is wished for? */
struct search {
	const struct counter_wish *wish;
	bool found;
};

static void search_take(void *context, const char *name, uint64_t value)
{
	struct search *search = context;

	search->found = search->found || search->wish->has(search->wish->context, name);
}

/* A descriptor if it is to be read, else -1. */
static int file_open_wanted(const struct counter_source *source, const char *path,
			    const struct counter_wish *wish)
{
	struct search search = {.wish = wish};
	struct counter_sink sink = {&search, search_take};
	CLEANUP(cleanup_free) char *text = malloc(source->bytes);
	int fd = text ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return -1;
	file_read(fd, text, source->bytes);
	source->parse(path, text, &sink);
	if (search.found)
		return fd;
	close(fd);
	return -1;
}

static int files_add(struct counter_files *files, const struct counter_source *source,
		     const char *path, int fd, struct error *error)
{
	const struct counter_file *last = files->n ? &files->files[files->n - 1] : NULL;
	size_t offset = last ? last->offset + last->size : 0;
	struct counter_file *grown;

	if (offset + source->bytes > COUNTER_TEXT_BYTES) {
		close(fd);
		return error_set(error, -E2BIG,
				 "counters of %u files are asked for, and there is no room for "
				 "more: ask for fewer",
				 files->n);
	}
	grown = reallocarray(files->files, files->n + 1, sizeof(*grown));
	if (grown) {
		files->files = grown;
		grown[files->n++] =
			(struct counter_file){source, strdup(path), fd, offset, source->bytes};
		if (grown[files->n - 1].path)
			return 0;
	} else {
		close(fd);
	}
	return error_set(error, -ENOMEM, "no memory for counters");
}

static int files_add_source(const char *root, const struct counter_source *source,
			    const struct counter_wish *wish, struct counter_files *files,
			    struct error *error)
{
	glob_t paths;
	int status = 0;

	if (source_paths(root, source, &paths) < 0)
		return 0;
	for (size_t i = 0; status == 0 && i < paths.gl_pathc; i++) {
		int fd = file_open_wanted(source, paths.gl_pathv[i], wish);

		if (fd >= 0)
			status = files_add(files, source, paths.gl_pathv[i], fd, error);
	}
	globfree(&paths);
	return status;
}

int counter_files_open(const char *root, const struct counter_wish *wish, struct counter_files *ret,
		       struct error *error)
{
	const struct counter_source *source;
	int status = 0;

	*ret = (struct counter_files){.n = 0};
	for (source = counter_sources; status == 0 && source->name; source++)
		status = files_add_source(root, source, wish, ret, error);
	if (status < 0)
		counter_files_close(ret);
	return status;
}

void counter_files_close(struct counter_files *files)
{
	for (unsigned i = 0; i < files->n; i++) {
		close(files->files[i].fd);
		free(files->files[i].path);
	}
	free(files->files);
	*files = (struct counter_files){.n = 0};
}

void counter_files_read(const struct counter_files *files, char text[COUNTER_TEXT_BYTES])
{
	for (unsigned i = 0; i < files->n; i++)
		file_read(files->files[i].fd, text + files->files[i].offset, files->files[i].size);
}

/* Values of one file as they were at first. */
struct readings {
	struct reading {
		char name[NAME_BYTES];
		uint64_t value;
	} * list; /* owned */
	unsigned n, room;
	bool failed;
};

static void readings_take(void *context, const char *name, uint64_t value)
{
	struct readings *readings = context;

	if (readings->n == readings->room) {
		unsigned room = readings->room ? 2 * readings->room : 256;
		void *grown = reallocarray(readings->list, room, sizeof(*readings->list));

		readings->failed = readings->failed || !grown;
		if (!grown)
			return;
		readings->list = grown;
		readings->room = room;
	}
	snprintf(readings->list[readings->n].name, NAME_BYTES, "%s", name);
	readings->list[readings->n++].value = value;
}

/* The second reading against the first; its files have their lines in the same order. */
struct subtraction {
	const struct counter_wish *wish;
	struct readings before;
	unsigned at; /* in before, where the last one was found */
	struct result_counter *counters;
	unsigned n;
	bool failed;
};

static const struct reading *reading_find(struct subtraction *subtraction, const char *name)
{
	const struct readings *before = &subtraction->before;

	for (unsigned i = 0; i < before->n; i++) {
		unsigned at = (subtraction->at + i) % before->n;

		if (strcmp(before->list[at].name, name) != 0)
			continue;
		subtraction->at = at + 1;
		return &before->list[at];
	}
	return NULL;
}

static void subtraction_take(void *context, const char *name, uint64_t value)
{
	struct subtraction *subtraction = context;
	const struct reading *before;
	struct result_counter *grown;

	if (!subtraction->wish->has(subtraction->wish->context, name))
		return;
	before = reading_find(subtraction, name);
	if (!before || before->value == value)
		return;
	grown = reallocarray(subtraction->counters, subtraction->n + 1, sizeof(*grown));
	subtraction->failed = subtraction->failed || !grown;
	if (!grown)
		return;
	subtraction->counters = grown;
	grown[subtraction->n] = (struct result_counter){.delta = (int64_t)(value - before->value)};
	snprintf(grown[subtraction->n++].name, NAME_BYTES, "%s", name);
}

int counter_files_subtract(const struct counter_files *files, const char *begin, const char *end,
			   const struct counter_wish *wish, struct result_counter **ret,
			   unsigned *ret_n)
{
	struct subtraction subtraction = {.wish = wish};
	struct counter_sink first = {&subtraction.before, readings_take};
	struct counter_sink second = {&subtraction, subtraction_take};

	for (unsigned i = 0; i < files->n; i++) {
		const struct counter_file *file = &files->files[i];

		subtraction.before.n = subtraction.at = 0;
		file->source->parse(file->path, begin + file->offset, &first);
		file->source->parse(file->path, end + file->offset, &second);
	}
	free(subtraction.before.list);
	if (subtraction.failed || subtraction.before.failed) {
		free(subtraction.counters);
		return -ENOMEM;
	}
	*ret = subtraction.counters;
	*ret_n = subtraction.n;
	return 0;
}

int counter_source_list(const char *root, const struct counter_source *source,
			const struct counter_sink *sink, struct error *error)
{
	CLEANUP(cleanup_free) char *text = malloc(source->bytes);
	glob_t paths;

	if (!text)
		return error_set(error, -ENOMEM, "no memory for counters");
	if (source_paths(root, source, &paths) < 0)
		return error_set(error, -ENOENT, "this kernel has no %s", source->pattern);
	for (size_t i = 0; i < paths.gl_pathc; i++) {
		CLEANUP(cleanup_close) int fd = open(paths.gl_pathv[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			continue;
		file_read(fd, text, source->bytes);
		source->parse(paths.gl_pathv[i], text, sink);
	}
	globfree(&paths);
	return 0;
}

struct match {
	const char *pattern;
	bool found;
};

static void match_take(void *context, const char *name, uint64_t value)
{
	struct match *match = context;

	match->found = match->found || fnmatch(match->pattern, name, 0) == 0;
}

bool counter_exists(const char *root, const char *pattern)
{
	struct match match = {.pattern = pattern};
	struct counter_sink sink = {&match, match_take};

	for (const struct counter_source *source = counter_sources; source->name; source++)
		counter_source_list(root, source, &sink, NULL);
	return match.found;
}
