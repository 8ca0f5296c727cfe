/* SPDX-License-Identifier: MIT */
/* tree.h - a /proc and /sys of a test's own, in a folder of its own. */
#ifndef ORION_TESTS_MEMORY_TREE_H
#define ORION_TESTS_MEMORY_TREE_H

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	char root[64];
};

static inline void tree_make(struct tree *tree)
{
	/* In memory where that can be had: journals are synced, again and again. */
	snprintf(tree->root, sizeof(tree->root), "%s/orion-tree-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(tree->root))
		abort();
}

/* Writes ROOT/path, with the folders on the way. */
static inline void tree_put(const struct tree *tree, const char *path, const char *text)
{
	char name[PATH_MAX];
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", tree->root, path);
	for (char *slash = name + strlen(tree->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(name, 0755);
		*slash = '/';
	}
	file = fopen(name, "we");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static inline int tree_remove_one(const char *path, const struct stat *status, int type,
				  struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static inline void tree_remove(const struct tree *tree)
{
	nftw(tree->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
