/* SPDX-License-Identifier: MIT */
/* shm.c - System V segments of huge pages, and the limits that stand in their way. */
#include "memory/shm.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/sysfile.h"
#include "base/units.h"
#include "memory/kinds.h"
#include "memory/pool.h"

#define SHM_PAGE_SHIFT	 26 /* SHM_HUGE_SHIFT of linux/shm.h: where log2(page size) goes */
#define SHM_CAP_IPC_LOCK 14
#define SHM_SYSCTL	 "/proc/sys/kernel/"

static uint64_t shm_limit(const char *path)
{
	uint64_t value = UINT64_MAX;

	sysfile_read_u64(path, &value, NULL);
	return value;
}

static int shm_check_size(uint64_t bytes, struct error *error)
{
	uint64_t max_bytes = shm_limit(SHM_SYSCTL "shmmax");
	unsigned long long need = bytes;
	char text[32];

	if (bytes <= max_bytes)
		return 0;
	return error_set(error, ERROR_CANNOT,
			 "a segment of %s is more than kernel.shmmax allows (%llu bytes, needed "
			 "%llu): sysctl kernel.shmmax=%llu",
			 units_format_size(bytes, text), (unsigned long long)max_bytes, need, need);
}

static int shm_check_counts(uint64_t bytes, struct error *error)
{
	uint64_t page_bytes = memory_base_page_bytes();
	unsigned long long need = (bytes + page_bytes - 1) / page_bytes;
	unsigned long long max_segments = shm_limit(SHM_SYSCTL "shmmni");
	unsigned long long max_pages = shm_limit(SHM_SYSCTL "shmall");
	struct shm_info info;

	if (shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info) < 0)
		return 0;
	if ((unsigned long long)info.used_ids >= max_segments)
		return error_set(error, ERROR_CANNOT,
				 "no further System V segment: %d exist and kernel.shmmni is %llu: "
				 "sysctl kernel.shmmni=%llu",
				 info.used_ids, max_segments, max_segments + 4096);
	if (need > max_pages || info.shm_tot > max_pages - need)
		return error_set(error, ERROR_CANNOT,
				 "System V segments hold %lu pages, this one needs %llu more and "
				 "kernel.shmall is %llu: sysctl kernel.shmall=%llu",
				 info.shm_tot, need, max_pages, info.shm_tot + need);
	return 0;
}

static bool shm_in_group(uint64_t group)
{
	int n = getgroups(0, NULL);
	CLEANUP(cleanup_free) gid_t *groups = calloc((size_t)n + 1, sizeof(*groups));

	if (getegid() == group)
		return true;
	if (!groups || (n = getgroups(n, groups)) < 0)
		return false;
	for (int i = 0; i < n; i++)
		if (groups[i] == group)
			return true;
	return false;
}

static bool shm_has_capability(void)
{
	unsigned long long effective = 0;
	char text[4096];
	const char *line;

	if (sysfile_read("/proc/self/status", text, sizeof(text), NULL))
		return false;
	line = strstr(text, "\nCapEff:");
	return line && sscanf(line, " CapEff: %llx", &effective) == 1 &&
	       effective >> SHM_CAP_IPC_LOCK & 1;
}

static int shm_fail_permission(struct error *error)
{
	unsigned long long group = shm_limit("/proc/sys/vm/hugetlb_shm_group");

	return error_set(error, ERROR_CANNOT,
			 "segments of huge pages need CAP_IPC_LOCK or a group of this process in "
			 "vm.hugetlb_shm_group (now %llu): sysctl vm.hugetlb_shm_group=%u",
			 group, getegid());
}

/* The kernel also lets those pass who may lock as much. */
static int shm_check_permission(uint64_t bytes, struct error *error)
{
	struct rlimit memlock = {0};

	getrlimit(RLIMIT_MEMLOCK, &memlock);
	if (shm_has_capability() || shm_in_group(shm_limit("/proc/sys/vm/hugetlb_shm_group")) ||
	    memlock.rlim_cur >= bytes)
		return 0;
	return shm_fail_permission(error);
}

int shm_check(uint64_t page_bytes, uint64_t bytes, struct error *error)
{
	int ret = shm_check_permission(bytes, error);

	if (!ret)
		ret = shm_check_size(bytes, error);
	return ret ? ret : shm_check_counts(bytes, error);
}

/* Which limit shmget met; it may have changed meanwhile, then all that is known is the errno. */
static int shm_explain(int code, uint64_t page_bytes, uint64_t bytes, struct error *error)
{
	int ret = 0;

	if (code == EPERM)
		return shm_fail_permission(error);
	if (code == EINVAL)
		ret = shm_check_size(bytes, error);
	else if (code == ENOSPC)
		ret = shm_check_counts(bytes, error);
	else if (code == ENOMEM)
		ret = pool_check("", page_bytes, bytes, error);
	if (ret)
		return ret;
	return error_set(error, code == ENOMEM || code == ENOSPC ? ERROR_CANNOT : -code,
			 "shmget(SHM_HUGETLB) of %llu bytes: %s, though kernel.shmmni, "
			 "kernel.shmall, kernel.shmmax and the free huge pages suffice: see the "
			 "limits of this cgroup (hugetlb.*.max) and cpuset (cpuset.mems)",
			 (unsigned long long)bytes, strerror(code));
}

int shm_map_huge(uint64_t page_bytes, uint64_t bytes, void **ret_address, struct error *error)
{
	unsigned size_bits = (unsigned)__builtin_ctzll(page_bytes) << SHM_PAGE_SHIFT;
	int id = shmget(IPC_PRIVATE, bytes,
			(int)(size_bits | SHM_HUGETLB | IPC_CREAT | IPC_EXCL | 0600));
	int attach_errno;
	void *address;

	if (id < 0)
		return shm_explain(errno, page_bytes, bytes, error);
	address = shmat(id, NULL, 0);
	attach_errno = errno;
	shmctl(id, IPC_RMID, NULL);
	if (address == (void *)-1)
		return error_set(error, -attach_errno, "shmat of %llu bytes of huge pages: %s",
				 (unsigned long long)bytes, strerror(attach_errno));
	*ret_address = address;
	return 0;
}
