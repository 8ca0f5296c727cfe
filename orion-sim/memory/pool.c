/* SPDX-License-Identifier: MIT */
/* pool.c - the kernel's pools of huge pages: what is there, free, reserved. */
#include "memory/pool.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "base/units.h"

#define POOL_FOLDER "/sys/kernel/mm/hugepages"

const char *pool_path(const char *root, int node, uint64_t page_bytes, const char *file, char *text,
		      size_t size)
{
	unsigned long long page_kib = page_bytes >> 10;

	if (node == POOL_ALL_NODES)
		snprintf(text, size, "%s" POOL_FOLDER "/hugepages-%llukB/%s", root, page_kib, file);
	else
		snprintf(text, size,
			 "%s/sys/devices/system/node/node%d/hugepages/hugepages-%llukB/%s", root,
			 node, page_kib, file);
	return text;
}

/* "2M, 1G": the sizes this machine has. */
static void pool_list_sizes(const char *root, char *text, size_t size)
{
	char folder[512], word[32];
	unsigned long long page_kib;
	struct dirent *entry;
	size_t used = 0;
	DIR *dir;

	snprintf(text, size, "none");
	snprintf(folder, sizeof(folder), "%s" POOL_FOLDER, root);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir)) && used < size) {
		if (sscanf(entry->d_name, "hugepages-%llukB", &page_kib) != 1)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
					 units_format_size(page_kib << 10, word));
	}
	if (dir)
		closedir(dir);
}

static int pool_fail_absent(const char *root, uint64_t page_bytes, struct error *error)
{
	char sizes[128], page[32];

	pool_list_sizes(root, sizes, sizeof(sizes));
	return error_set(
		error, ERROR_CANNOT,
		"this machine has no %s huge pages (there are: %s); name one of these sizes",
		units_format_size(page_bytes, page), sizes);
}

int pool_read(const char *root, int node, uint64_t page_bytes, struct pool *ret,
	      struct error *error)
{
	struct pool pool = {0};
	const struct {
		const char *name;
		uint64_t *value;
	} files[] = {
		{"nr_hugepages", &pool.pages},
		{"free_hugepages", &pool.free},
		{"surplus_hugepages", &pool.surplus},
		{"resv_hugepages", &pool.reserved}, /* the last two exist for all nodes only */
		{"nr_overcommit_hugepages", &pool.overcommit},
	};
	size_t n = node == POOL_ALL_NODES ? 5 : 3;
	char path[512];

	if (access(pool_path(root, node, page_bytes, "nr_hugepages", path, sizeof(path)), F_OK))
		return pool_fail_absent(root, page_bytes, error);
	for (size_t i = 0; i < n; i++) {
		int ret_code = sysfile_read_u64(
			pool_path(root, node, page_bytes, files[i].name, path, sizeof(path)),
			files[i].value, error);

		if (ret_code)
			return ret_code;
	}
	*ret = pool;
	return 0;
}

uint64_t pool_spare(const struct pool *pool)
{
	return pool->free > pool->reserved ? pool->free - pool->reserved : 0;
}

int pool_check(const char *root, uint64_t page_bytes, uint64_t bytes, struct error *error)
{
	uint64_t need = (bytes + page_bytes - 1) / page_bytes;
	uint64_t spare, more;
	char path[512], page[32];
	struct pool pool;
	int ret = pool_read(root, POOL_ALL_NODES, page_bytes, &pool, error);

	if (ret)
		return ret;
	spare = pool_spare(&pool);
	more = pool.overcommit > pool.surplus ? pool.overcommit - pool.surplus : 0;
	if (need <= spare + more)
		return 0;
	return error_set(
		error, ERROR_CANNOT,
		"it needs %llu free %s huge pages, but of %llu pages %llu are free and %llu of "
		"these "
		"reserved: echo %llu > %s",
		(unsigned long long)need, units_format_size(page_bytes, page),
		(unsigned long long)pool.pages, (unsigned long long)pool.free,
		(unsigned long long)pool.reserved, (unsigned long long)(pool.pages + need - spare),
		pool_path(root, POOL_ALL_NODES, page_bytes, "nr_hugepages", path, sizeof(path)));
}
