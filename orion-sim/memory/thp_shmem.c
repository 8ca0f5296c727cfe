/* SPDX-License-Identifier: MIT */
/* thp_shmem.c - shared memory in folios of the size of a PMD: a memfd, or a file of a tmpfs. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/field.h"
#include "base/units.h"
#include "memory/kinds.h"
#include "memory/memory.h"
#include "memory/thp.h"
#include "memory/tmpfs.h"

enum thp_via { THP_VIA_MEMFD, THP_VIA_FILE };

struct thp_params {
	int via;
	char folder[256];
};

static const char *const thp_vias[] = {"memfd", "file", NULL};

static const struct field thp_fields[] = {
	FIELD_CHOICE("via", struct thp_params, via, "memfd", thp_vias,
		     "a memfd, for which shmem_enabled decides, or a file of a tmpfs, for which "
		     "the mount's huge= does"),
	FIELD_TEXT("dir", struct thp_params, folder, "/dev/shm",
		   "file: the folder on a tmpfs mounted with huge=advise, within_size or always"),
	FIELD_END,
};

static uint64_t thp_page_bytes(const void *params)
{
	uint64_t pmd_bytes = thp_pmd_bytes("");

	return pmd_bytes ? pmd_bytes : memory_base_page_bytes();
}

static int probe_file(const struct thp_params *params, uint64_t bytes, struct error *error)
{
	struct tmpfs tmpfs;
	char need[32], have[32];
	int code = tmpfs_read(params->folder, &tmpfs, error);

	if (code)
		return code;
	if (thp_mount_state("", params->folder, tmpfs.huge, error) != THP_ON)
		return ERROR_CANNOT;
	if (access(params->folder, W_OK | X_OK) < 0)
		return error_set(error, ERROR_CANNOT,
				 "no file can be made in %s: %s: name another dir, or run as a "
				 "user who may write it",
				 params->folder, strerror(errno));
	if (tmpfs.free_bytes < bytes)
		return error_set(error, ERROR_CANNOT,
				 "it needs %s and the tmpfs at %s has %s free: mount -o "
				 "remount,size=SIZE %s",
				 units_format_size(bytes, need), params->folder,
				 units_format_amount(tmpfs.free_bytes, have), params->folder);
	return 0;
}

static int thp_probe(const void *params, uint64_t size_bytes, struct error *error)
{
	const struct thp_params *thp = params;
	uint64_t bytes = memory_round_up(size_bytes, thp_page_bytes(params));
	int code = 0;

	if (thp->via == THP_VIA_FILE)
		code = probe_file(thp, bytes, error);
	else if (thp_shmem_pmd_state("", error) != THP_ON)
		code = ERROR_CANNOT;
	return code ? code : memory_available_check("", bytes, error);
}

/* A mount is nothing that is borrowed, nor is the only setting of kernels before 6.11. */
static void thp_need(const void *params, uint64_t size_bytes, struct memory_need *ret)
{
	const struct thp_params *thp = params;
	uint64_t pmd_bytes = thp_page_bytes(params);
	char path[512];

	*ret = (struct memory_need){.kind = MEMORY_NEED_NOTHING};
	if (thp->via == THP_VIA_MEMFD &&
	    !access(thp_path("", pmd_bytes, "shmem_enabled", path, sizeof(path)), F_OK))
		*ret = (struct memory_need){.kind = MEMORY_NEED_SHMEM_FOLIO,
					    .page_bytes = pmd_bytes,
					    .bytes = memory_round_up(size_bytes, pmd_bytes)};
}

static int map_fd(int fd, uint64_t bytes, uint64_t pmd_bytes, struct mapping *ret,
		  struct error *error)
{
	struct mapping mapping;
	int code = memory_map_aligned(fd, MAP_SHARED, bytes, pmd_bytes, 0, &mapping, error);

	if (code)
		return code;
	code = memory_advise(&mapping, true, error);
	if (code)
		munmap(mapping.reserved, mapping.reserved_bytes);
	else
		*ret = mapping;
	return code;
}

static int map_memfd(uint64_t bytes, uint64_t pmd_bytes, struct mapping *ret, struct error *error)
{
	CLEANUP(cleanup_close) int fd = memfd_create("orion-sim", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
		return error_set(error, -errno, "memfd of %llu bytes: %s",
				 (unsigned long long)bytes, strerror(errno));
	return map_fd(fd, bytes, pmd_bytes, ret, error);
}

/*
 * The name goes when the file is mapped, and not before: a file that has none then is taken for
 * anonymous memory, for which not the mount decides.
 */
static int map_file(const char *folder, uint64_t bytes, uint64_t pmd_bytes, struct mapping *ret,
		    struct error *error)
{
	CLEANUP(cleanup_close) int fd = -1;
	char path[300];
	int code = tmpfs_create(folder, bytes, path, sizeof(path), &fd, error);

	if (code)
		return code;
	code = map_fd(fd, bytes, pmd_bytes, ret, error);
	unlink(path);
	return code;
}

static int thp_map(const void *params, uint64_t size_bytes, struct mapping *ret,
		   struct error *error)
{
	const struct thp_params *thp = params;
	uint64_t pmd_bytes = thp_page_bytes(params);
	uint64_t bytes = memory_round_up(size_bytes, pmd_bytes);

	return thp->via == THP_VIA_FILE ? map_file(thp->folder, bytes, pmd_bytes, ret, error)
					: map_memfd(bytes, pmd_bytes, ret, error);
}

const struct memory_ops memory_thp = {
	.entry = {.name = "thp",
		  .summary = "shared memory in folios of the size of a PMD (2M), by memfd or tmpfs",
		  .fields = thp_fields,
		  .params_size = sizeof(struct thp_params)},
	.probe = thp_probe,
	.need = thp_need,
	.page_bytes = thp_page_bytes,
	.map = thp_map,
};
